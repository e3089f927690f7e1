//! `huygens ladder`.

mod arguments;
mod cases;
mod copies;
mod devices;
mod ete;
mod imaging;
mod measure;
mod paper;
mod results;
mod rungs;
mod sizes;
mod snapshots;
mod sweeps;
mod table;

pub(crate) use arguments::Arguments;

use crate::{
    cli::{
        failure::Failure,
        session::{json, tell_where},
        terminal::{picture, progress::stop_on_ctrl_c, say::print, timeline},
    },
    engine::{
        Description, Engine,
        gpu::bench::ETE_KERNELS,
        select::{self, Choice},
    },
    io::folder::{Earlier, OutputFolder},
    ladder::{self, EteCase},
    render::{BarFigure, LeastSize},
    results::ladder::Head,
};
use arguments::{Kind, What};
use cases::{Climbed, cases};
use measure::{Measurement, NotTaken, Turns};
use results::Results;
use serde::Serialize;

/// `ladder.json`.
#[derive(Serialize)]
struct Record<'a> {
    #[serde(flatten)]
    head: Head,
    #[serde(flatten)]
    results: &'a Results,
    /// Sizes of a range that the device does not support.
    not_taken: &'a [NotTaken],
    /// Files written beside this record.
    files: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let device = &arguments.device.one;
    if matches!(device.backend, Choice::Reference) {
        return Err(Failure::input(
            "the ladder times the CPU engine and GPUs, not the reference engine; use --backend cpu",
        ));
    }
    let engines = devices::open(arguments)?;
    let gpu = match engines.is_empty() {
        true => select::gpu(device.backend, device.adapter.as_deref(), device.checked)?,
        false => None,
    };
    check_flags(arguments, gpu.is_some())?;
    let of = gpu.as_ref().or(devices::one_of_gpus(&engines));
    let (cases, evolved) = match arguments.kind {
        Kind::Ete => (Vec::new(), ete::cases(arguments, of)?),
        _ => (cases(arguments, of)?, Vec::new()),
    };
    let size = arguments.figure.size(least(&cases, &evolved, engines.len()))?;
    let out = arguments.folder();
    let folder = OutputFolder::new(&out, Some(RECORD), Earlier::of(arguments.force))?;
    if gpu.is_none() && engines.is_empty() && !matches!(device.backend, Choice::Cpu) {
        tracing::warn!(
            "no GPU is used, so only the CPU's rungs are timed; `huygens devices` lists what there is"
        );
    }
    let name = gpu.as_ref().map_or_else(String::new, |gpu| gpu.describe().device);
    let on = if name.is_empty() { String::new() } else { format!(" on {name}") };
    let mut turns = Turns { on, stop: stop_on_ctrl_c(), not_taken: Vec::new() };
    let measurement = Measurement { arguments, gpu: gpu.as_ref(), engines, cases, evolved };
    let results = measurement.run(&mut turns)?;
    let not_taken = turns.not_taken;
    let (mut text, pictures) = (results.tables(), results.charts(&name));
    if let Some(gpu) = &gpu {
        let Description { device: name, driver, .. } = gpu.describe();
        let checks = if device.checked { ", every shader checked" } else { "" };
        text = format!("{name}, driver {driver}{checks}\n\n{text}");
    }
    for NotTaken { name, why, .. } in &not_taken {
        text += &format!("\nnot run: {name}: {why}");
    }
    for (file, figure) in pictures {
        picture::write(&folder, &file, figure.as_ref(), size)?;
    }
    timeline::write(&folder, Some(size))?;
    let record = Record {
        head: Head::new(gpu.as_ref(), device.checked),
        results: &results,
        not_taken: &not_taken,
        files: folder.files(),
    };
    let json = json(&record)?;
    folder.write(RECORD, json.as_bytes())?;
    folder.commit()?;
    print(if arguments.json { &json } else { &text })?;
    tell_where(&out);
    Ok(())
}

/// The file of the record.
const RECORD: &str = "ladder.json";

/// Minimum chart size, dots: known before anything is measured.
fn least(cases: &[Climbed], evolved: &[EteCase], devices: usize) -> LeastSize {
    let rungs = cases.iter().map(|of| ladder::rungs(&of.case).len()).max();
    BarFigure::least(match (evolved, devices) {
        ([], 0) => rungs.unwrap_or(0).max(cases.len()),
        ([], devices) => devices,
        _ => ETE_KERNELS.len(),
    })
}

/// Returns an error for flags that need a GPU, or another kind.
fn check_flags(arguments: &Arguments, has_gpu: bool) -> Result<(), Failure> {
    let gpu_only = match (arguments.kind, arguments.sweep) {
        (Kind::Copy, _) => Some("`ladder copy`"),
        (Kind::Imaging, _) => Some("`ladder imaging`"),
        (Kind::Ete, _) => Some("`ladder ete`"),
        (Kind::Snapshots, _) => Some("`ladder snapshots`"),
        (_, Some(What::Threads | What::Geometry | What::Slices)) => Some("--sweep"),
        (_, None) if arguments.paper => Some("--paper"),
        _ => None,
    };
    if let (Some(what), false) = (gpu_only, has_gpu) {
        return Err(Failure::input(format!(
            "{what} is for a GPU, and none is used; leave --backend cpu out, or install a Vulkan \
             driver"
        )));
    }
    if arguments.kind != Kind::Ete && (arguments.points.is_some() || arguments.bins.is_some()) {
        return Err(Failure::input("--points and --bins belong to `ladder ete`; leave them out"));
    }
    Ok(())
}
