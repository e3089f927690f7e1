//! `huygens ladder`.

mod arguments;
mod cases;
mod devices;
mod ete;
mod imaging;
mod paper;
mod sizes;
mod snapshots;
mod table;

pub use arguments::Arguments;

use crate::cli::{
    failure::Failure,
    session::{json, tell_where},
    terminal::{
        picture,
        progress::{Progress, stop_on_ctrl_c, tell},
        say::print,
        timeline,
    },
};
use arguments::{Kind, What};
use cases::{Climbed, cases, default_folder};
use huygens::{
    engine::{
        Description, Engine, EngineError,
        gpu::{Gpu, bench::ETE_KERNELS},
        select::{self, Choice},
    },
    io::folder::{Earlier, OutputFolder},
    ladder::{
        self, CopyTimes, DevicesTimes, EteCase, EteTimes, ImagingTimes, Ladder, LadderError,
        Sharing, SnapshotTimes, SweepTimes,
    },
    render::BarFigure,
    results::ladder::{self as drawn, Head},
};
use serde::Serialize;
use std::{
    fmt::Display,
    sync::{Arc, atomic::AtomicBool},
};

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

/// A size of a range that the device does not support, and the reason.
#[derive(Serialize)]
struct NotTaken {
    case: serde_json::Value,
    #[serde(skip)]
    name: String,
    why: String,
}

/// The measurements, one per case.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Results {
    Ladders(Vec<Ladder>),
    /// The paper's sizes and orders, one update each.
    Paper(Vec<Ladder>),
    Sweeps(Vec<SweepTimes>),
    Copies(Vec<CopyTimes>),
    Imaging(Vec<ImagingTimes>),
    Ete(Vec<EteTimes>),
    Snapshots(Vec<SnapshotTimes>),
    Devices(Vec<DevicesTimes>),
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let device = &arguments.device.one;
    if matches!(device.backend, Choice::Reference) {
        return Err(Failure::input((
            "the ladder times the CPU engine and GPUs, not the oracle",
            "use --backend cpu",
        )));
    }
    let mut engines = devices::open(arguments)?;
    let gpu = match engines.is_empty() {
        true => select::gpu(device.backend, device.adapter.as_deref(), device.checked)?,
        false => None,
    };
    let gpu_only = match arguments {
        Arguments { kind: Kind::Copy, .. } => Some("`ladder copy`"),
        Arguments { kind: Kind::Imaging, .. } => Some("`ladder imaging`"),
        Arguments { kind: Kind::Ete, .. } => Some("`ladder ete`"),
        Arguments { kind: Kind::Snapshots, .. } => Some("`ladder snapshots`"),
        Arguments { sweep: Some(sweep), .. } if !matches!(sweep, What::Devices) => Some("--sweep"),
        Arguments { paper: true, sweep: None, .. } => Some("--paper"),
        _ => None,
    };
    if let (Some(what), None) = (gpu_only, &gpu) {
        return Err(Failure::input((
            format!("{what} is for a GPU, and none is used"),
            "leave --backend cpu out, or install a Vulkan driver",
        )));
    }
    if arguments.kind != Kind::Ete && (arguments.points.is_some() || arguments.bins.is_some()) {
        return Err(Failure::input((
            "--points and --bins belong to `ladder ete`",
            "leave them out",
        )));
    }
    let of = gpu.as_ref().or(devices::one_of_gpus(&engines));
    let (cases, evolved) = match arguments.kind {
        Kind::Ete => (Vec::new(), ete::cases(arguments, of)?),
        _ => (cases(arguments, of)?, Vec::new()),
    };
    let size = arguments.figure.size(least(&cases, &evolved, engines.len()))?;
    let out = arguments.out.clone().unwrap_or_else(|| default_folder(arguments));
    let folder = OutputFolder::new(&out, Some(RECORD), Earlier::of(arguments.force))?;
    if gpu.is_none() && engines.is_empty() && !matches!(device.backend, Choice::Cpu) {
        tracing::warn!(
            "no GPU is used, so only the CPU's rungs are timed; `huygens devices` lists what there is"
        );
    }
    let name = gpu.as_ref().map_or_else(String::new, |gpu| gpu.describe().device);
    let on = if name.is_empty() { String::new() } else { format!(" on {name}") };
    let (stop, not_taken) = (stop_on_ctrl_c(), Vec::new());
    let mut turns = Turns { on, stop, not_taken };
    let all = (&cases[..], &evolved[..]);
    let results = measure(arguments, gpu.as_ref(), &mut engines, all, &mut turns)?;
    let not_taken = turns.not_taken;
    let (mut text, pictures) = match &results {
        Results::Ladders(ladders) => {
            (table::ladders(ladders), drawn::rungs::charts(ladders, &name))
        }
        Results::Paper(ladders) => (paper::tables(ladders), drawn::paper::charts(ladders, &name)),
        Results::Sweeps(sweeps) => (table::sweeps(sweeps), drawn::sweeps::charts(sweeps, &name)),
        Results::Copies(copies) => (table::copies(copies), drawn::copies::charts(copies, &name)),
        Results::Imaging(times) => (imaging::tables(times), drawn::imaging::charts(times, &name)),
        Results::Ete(times) => (ete::tables(times), drawn::ete::charts(times, &name)),
        Results::Snapshots(times) => {
            (snapshots::tables(times), drawn::snapshots::charts(times, &name))
        }
        Results::Devices(times) => (devices::tables(times), drawn::devices::charts(times)),
    };
    if let Some(gpu) = &gpu {
        let Description { device: name, driver, .. } = gpu.describe();
        let checks = if device.checked { ", every shader checked" } else { "" };
        text = format!("{name}, driver {driver}{checks}\n\n{text}");
    }
    for NotTaken { name, why, .. } in &not_taken {
        text += &format!("\nnot run: {name}: {why}");
    }
    for (file, figure) in pictures {
        picture::write((&folder, &file), figure.as_ref(), size)?;
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
fn least(cases: &[Climbed], evolved: &[EteCase], devices: usize) -> (u32, u32) {
    let rungs = cases.iter().map(|of| ladder::rungs(&of.case).len()).max();
    BarFigure::least(match (evolved, devices) {
        ([], 0) => rungs.unwrap_or(0).max(cases.len()),
        ([], devices) => devices,
        _ => ETE_KERNELS.len(),
    })
}

/// Measures cases in order, and collects those that the device does not support.
struct Turns {
    /// The device, for the terminal.
    on: String,
    stop: Arc<AtomicBool>,
    not_taken: Vec<NotTaken>,
}

impl Turns {
    fn each<C: Display + Serialize, T>(
        &mut self,
        cases: &[C],
        mut time: impl FnMut(&C, &mut ladder::Progress<'_>) -> Result<T, LadderError>,
    ) -> Result<Vec<T>, Failure> {
        let mut all = Vec::new();
        for case in cases {
            tell(format_args!("timing {case}{}", self.on));
            let progress = Progress::listening("timed run", self.stop.clone());
            let timed = time(case, &mut |done, all| progress.hear_of(done, all));
            drop(progress);
            match timed {
                Ok(times) => all.push(times),
                // With several cases, those that do not fit are skipped, if any does.
                Err(error) if error.is_too_large() && cases.len() > 1 => {
                    let (name, why) = (case.to_string(), error.to_string());
                    let case = serde_json::to_value(case).map_err(Failure::run)?;
                    self.not_taken.push(NotTaken { case, name, why });
                    if self.not_taken.len() == cases.len() {
                        return Err(Failure::input(format!(
                            "none of {} cases fits; the last: {error}",
                            cases.len()
                        )));
                    }
                }
                Err(LadderError::Engine(EngineError::Stopped { .. })) => {
                    return Err(Failure::run("stopped, as asked; nothing was written"));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(all)
    }
}

fn measure(
    arguments: &Arguments,
    gpu: Option<&Gpu>,
    engines: &mut [Arc<dyn Engine>],
    (cases, evolved): (&[Climbed], &[EteCase]),
    turns: &mut Turns,
) -> Result<Results, Failure> {
    let checked = arguments.device.one.checked;
    let (ghost_steps, only_kept) = (arguments.device.ghost_steps, arguments.kept);
    let sharing = Sharing { ghost_steps, only_kept };
    let sweep = arguments.sweep.and_then(What::of_workgroups);
    Ok(match (arguments.kind, gpu, sweep) {
        (Kind::Ete, Some(gpu), _) => {
            Results::Ete(turns.each(evolved, |case, hear| ladder::ete(gpu, *case, checked, hear))?)
        }
        (Kind::Copy, Some(gpu), _) => Results::Copies(
            turns.each(cases, |of, hear| ladder::copy(gpu, of.case, checked, hear))?,
        ),
        (Kind::Imaging, Some(gpu), _) => {
            Results::Imaging(turns.each(cases, |of, hear| ladder::imaging(gpu, of.case, hear))?)
        }
        (Kind::Snapshots, Some(gpu), _) => {
            Results::Snapshots(turns.each(cases, |of, hear| ladder::snapshots(gpu, of.case, hear))?)
        }
        _ if !engines.is_empty() => Results::Devices(
            turns.each(cases, |of, hear| ladder::devices(engines, of.case, sharing, hear))?,
        ),
        (_, Some(gpu), Some(what)) => Results::Sweeps(
            turns.each(cases, |of, hear| ladder::sweep(gpu, of.case, what, checked, hear))?,
        ),
        _ => {
            let ladders = turns
                .each(cases, |of, hear| ladder::climb(gpu, of.case, of.reach, checked, hear))?;
            if arguments.paper { Results::Paper(ladders) } else { Results::Ladders(ladders) }
        }
    })
}

impl From<LadderError> for Failure {
    fn from(error: LadderError) -> Self {
        match error {
            LadderError::Engine(error) => error.into(),
            LadderError::Bench(error) => Failure::run(error),
            error => Failure::input(error.to_string()),
        }
    }
}
