//! The 2-D ladder on the visitor's GPU: the rungs, the record and the chart of `huygens ladder 2d`.

use crate::{device, simulation::refused};
use huygens::{
    engine::gpu::{Gpu, wgpu},
    io::png,
    ladder::{Case, Ladder, Reach, THESIS, climb_async},
    render::{Figure, FigureSize},
    results::ladder::{Head, rungs::bars},
};
use serde::Serialize;
use std::ops::ControlFlow;
use wasm_bindgen::prelude::*;

/// A ladder that was climbed.
#[wasm_bindgen]
pub struct Climbed {
    head: Head,
    adapter: String,
    ladders: [Ladder; 1],
}

/// `ladder.json`, with what the browser says of itself, which hides the driver.
#[derive(Serialize)]
struct Record<'a> {
    #[serde(flatten)]
    head: &'a Head,
    browser: &'a str,
    /// Maker and architecture.
    adapter: &'a str,
    ladders: &'a [Ladder],
    not_taken: [(); 0],
    files: [(); 0],
}

/// Times the ladder on an adapter, which the page names, of the thesis' grid, or of one of `nz` and
/// `nx` nodes, on a device of its own. `progress` takes how many samples are taken and of how many,
/// and returns false to stop.
#[wasm_bindgen]
pub async fn climb(
    adapter: String,
    nz: Option<usize>,
    nx: Option<usize>,
    progress: js_sys::Function,
) -> Result<Climbed, JsError> {
    let timestamps = wgpu::Features::TIMESTAMP_QUERY;
    let (_, device, queue) =
        device::opened(&device::instance(), None, timestamps).await.map_err(refused)?;
    let gpu = Gpu::on(device, queue, false).map_err(refused)?;
    let case = nz.zip(nx).map_or(THESIS, |(nz, nx)| Case { nz, nx, ..THESIS });
    let mut hear = |done: usize, all: usize| {
        let told = progress.call2(&JsValue::NULL, &done.into(), &all.into());
        match told.is_ok_and(|goes_on| goes_on.is_falsy()) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let ladder =
        climb_async(Some(&gpu), case, Reach::All, false, &mut hear).await.map_err(refused)?;
    Ok(Climbed { head: Head::new(Some(&gpu), false), adapter, ladders: [ladder] })
}

#[wasm_bindgen]
impl Climbed {
    /// The record of the command line, for docs/devices.md.
    pub fn json(&self, browser: &str) -> Result<String, JsError> {
        let Climbed { head, adapter, ladders } = self;
        let record = Record { head, browser, adapter, ladders, not_taken: [], files: [] };
        serde_json::to_string_pretty(&record).map_err(refused)
    }

    /// The chart of the command line: PNG.
    pub fn png(&self) -> Result<Vec<u8>, JsError> {
        let (figure, size) = (bars(&self.ladders[0], &self.adapter), FigureSize::default());
        let about = png::About {
            title: Figure::title(&figure).to_owned(),
            command: "huygens in a browser".into(),
            job: None,
            dpi: size.dpi(),
        };
        Ok(png::bytes(&figure.draw(size).map_err(refused)?, &about))
    }
}
