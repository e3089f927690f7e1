//! `huygens ladder`.

mod cases;
mod devices;
mod ete;
mod imaging;
mod paper;
mod sizes;
mod snapshots;
mod table;

use crate::cli::{
    flags::{device::Devices, picture::FigureArguments},
    session::{json, tell_where},
    terminal::{
        failure::Failure,
        picture,
        progress::{Progress, stop_on_ctrl_c, tell},
        say::print,
        timeline,
    },
};
use cases::{Climbed, cases, default_folder};
use huygens::{
    engine::{
        Description, Engine, EngineError,
        gpu::{Gpu, bench::ETE_KERNELS},
        select::{self, Choice},
    },
    io::folder::{Earlier, OutputFolder},
    program::{PROGRAM, Program},
    render::BarFigure,
    results::ladder as drawn,
    workflow::ladder::{
        self, CopyTimes, DevicesTimes, EteCase, EteTimes, ImagingTimes, Ladder, LadderError,
        SnapshotTimes, Sweep, SweepTimes,
    },
};
use serde::Serialize;
use sizes::{Orders, Sizes, Wings};
use std::{
    fmt::Display,
    path::PathBuf,
    sync::{Arc, atomic::AtomicBool},
};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  huygens ladder 2d\n  \
                        huygens ladder 2d --size 4096 --order 8\n  \
                        huygens ladder 2d --sweep geometry\n  \
                        huygens ladder 2d --wing 2..16\n  \
                        huygens ladder 3d\n  \
                        huygens ladder 3d --size 512x512x400 --order 6,8,10,12\n  \
                        huygens ladder 3d --sweep slices\n  \
                        huygens ladder 3d --paper\n  \
                        huygens ladder 3d --sweep devices --devices all\n  \
                        huygens ladder all --json\n  \
                        huygens ladder copy\n  \
                        huygens ladder imaging --size 1024\n  \
                        huygens ladder ete --points 37\n  \
                        huygens ladder snapshots\n\
                        --backend auto takes software Vulkan too where there is no real GPU.\n\
                        What each rung is: docs/ladder.md")]
pub struct Arguments {
    /// What to climb.
    #[arg(value_enum)]
    kind: Kind,
    /// Nodes: ZxX or ZxXxY, N for the same along each axis, A..B for such that double, or several of these
    /// with commas [default: 2d: 310x775, the thesis' grid, and 4096 on a real GPU; 3d: 512 on a real GPU,
    /// 64 on another, with --sweep devices 480x480x800 on GPUs; imaging: 1024 on a real GPU, 96 on another; ete and snapshots: 320x320x912, the paper's, or
    /// 48x40x32]
    #[arg(long, value_name = "NODES", value_parser = Sizes::parse)]
    size: Option<Sizes>,
    /// Wing of the windowed sinc, cells: L, A..B, or several with commas [default: 2d: 8, as in the thesis;
    /// 3d: order 8 instead]
    #[arg(long, value_name = "CELLS", value_parser = Wings::parse)]
    wing: Option<Wings>,
    /// A Taylor operator of this order instead, or several with commas.
    #[arg(long, value_name = "ORDER", value_parser = Orders::parse, conflicts_with = "wing")]
    order: Option<Orders>,
    /// The volumes and orders of the 3-D paper's tables 1 and 2, beside its figures.
    #[arg(long, conflicts_with_all = ["size", "wing", "order", "sweep"])]
    paper: bool,
    /// Points of the stencil of explicit time evolution, 37 or 73 [default: each; ete]
    #[arg(long, value_name = "COUNT", conflicts_with_all = ["wing", "order", "paper", "sweep"])]
    points: Option<usize>,
    /// Velocities of its table, evenly spaced [default: 902, as in the paper; ete]
    #[arg(long, value_name = "COUNT", conflicts_with_all = ["wing", "order", "paper", "sweep"])]
    bins: Option<usize>,
    /// Time the kernels with other workgroups, or a volume on 1, 2, ... devices, instead of climbing.
    #[arg(long, value_enum)]
    sweep: Option<What>,
    /// Write where the time of a sweep over devices went: trace.json for chrome://tracing and Perfetto, and timeline.png.
    #[arg(long, requires = "devices")]
    pub trace: bool,
    #[command(flatten)]
    device: Devices,
    /// The folder to write to; made if it is missing [default: ladder, or ladder-3d and so on]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Overwrite the folder's files.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    figure: FigureArguments,
    /// Print ladder.json on standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
enum Kind {
    /// The rungs of the 2-D stencil, from one CPU thread to the step of `shot`.
    #[value(name = "2d")]
    Plane,
    /// The rungs of the 3-D stencil, from one CPU thread to several steps in one pass.
    #[value(name = "3d")]
    Volume,
    /// Both, each at its usual sizes: what a device is, in one report.
    All,
    /// What copies between host and device cost at every step.
    Copy,
    /// The kernels that make offset gathers, beside the propagation of both waves.
    Imaging,
    /// Explicit time evolution: where points are kept, by where weights are.
    Ete,
    /// What snapshots of a volume cost, every step to every hundredth.
    Snapshots,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum What {
    /// 1024 to 32 invocations a workgroup; 2d.
    Threads,
    /// Shapes of the workgroup; in 2d ways to cut the major axis.
    Geometry,
    /// Slices a workgroup marches through, or an invocation holds; 3d.
    Slices,
    /// How many of the devices that --devices names share a volume; 3d.
    Devices,
}

impl What {
    /// The varied parameter of the kernels' workgroups.
    fn of_workgroups(self) -> Option<Sweep> {
        match self {
            What::Threads => Some(Sweep::Threads),
            What::Geometry => Some(Sweep::Geometry),
            What::Slices => Some(Sweep::Slices),
            What::Devices => None,
        }
    }
}

/// `ladder.json`.
#[derive(Serialize)]
struct Record<'a> {
    #[serde(flatten)]
    program: Program,
    /// The device; `null` if only the CPU's rungs ran.
    device: Option<Description>,
    /// The CPU engine.
    cpu: Description,
    /// True if every shader has run-time checks.
    checked: bool,
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
        Arguments { paper: true, .. } => Some("--paper"),
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
        program: PROGRAM,
        device: gpu.as_ref().map(Gpu::describe),
        cpu: huygens::engine::cpu::Parallel.describe(),
        checked: device.checked,
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
    let (checked, ghosts) = (arguments.device.one.checked, arguments.device.ghost_steps);
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
            turns.each(cases, |of, hear| ladder::devices(engines, of.case, ghosts, hear))?,
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
