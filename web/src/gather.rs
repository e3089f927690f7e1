//! The gather of the run: on the page, and as files.

use crate::simulation::{Shown, Simulation, nothing, refused};
use huygens::{
    io::npy, job::GatherFormat, ndarray::Array2, operations::shot::files, render::gather_pixels,
};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
impl Simulation {
    /// Receivers, then samples so far, of the gather.
    pub fn gather_size(&self) -> Vec<usize> {
        let gather = self.heard();
        gather.map_or(Vec::new(), |gather| vec![gather.nrows(), gather.ncols()])
    }

    /// Samples of a trace of the complete gather.
    pub fn samples(&self) -> usize {
        self.shown().map_or(0, |shown| shown.inputs.plan.time.kept())
    }

    /// The picture of the gather so far, red, green, blue and opacity, a row of receivers per sample.
    pub fn gather(&self) -> Vec<u8> {
        let gather = self.heard();
        let pixels = gather.map(|gather| gather_pixels(gather.view()));
        pixels.iter().flatten().flat_map(|[r, g, b]| [*r, *g, *b, 255]).collect()
    }

    /// The gather so far as .npy.
    pub fn npy(&self) -> Result<Vec<u8>, JsError> {
        let gather = self.heard().ok_or_else(nothing)?;
        Ok(npy::bytes(gather.view().into_dyn()))
    }

    /// The gather so far as SEG-Y.
    pub fn sgy(&self) -> Result<Vec<u8>, JsError> {
        let shown = self.shown()?;
        let result = shown.result().ok_or_else(nothing)?;
        let survey = files::of_one(GatherFormat::Sgy, &shown.file, &shown.inputs, &result);
        survey.map_err(refused)?.only(Vec::new(), result.gather.view()).map_err(refused)
    }

    /// The picture of the gather so far with its axes, as the command line draws it: PNG.
    pub fn gather_png(&self) -> Result<Vec<u8>, JsError> {
        let shown = self.shown()?;
        let result = shown.result().ok_or_else(nothing)?;
        shown.png(&files::gather_figure(&shown.file, &shown.inputs, &result))
    }
}

impl Simulation {
    fn heard(&self) -> Option<Array2<f32>> {
        self.shown().ok().and_then(Shown::gather)
    }
}
