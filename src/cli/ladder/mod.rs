//! `huygens ladder`.

mod chart;
mod sizes;
mod table;

use super::{Backend, Device, failure::Failure, progress::Progress, written_before};
use huygens::{
    engine::{Description, Engine, EngineError, gpu::Gpu, select},
    io::{folder::OutputFolder, png},
    render::RenderError,
    workflow::ladder::{
        self, Case, CaseError, CopyTimes, Ladder, LadderError, Operator, Sweep, SweepTimes,
    },
};
use image::RgbImage;
use serde::Serialize;
use sizes::{Sizes, Wings};
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  huygens ladder 2d\n  \
                        huygens ladder 2d --size 4096 --order 8\n  \
                        huygens ladder 2d --sweep geometry\n  \
                        huygens ladder 2d --wing 2..16\n  \
                        huygens ladder copy\n\
                        --backend auto takes software Vulkan too where there is no real GPU.\n\
                        What each rung is: docs/ladder.md")]
pub struct Arguments {
    /// What to climb.
    #[arg(value_enum)]
    kind: Kind,
    /// Nodes: ZxX, N for a square, A..B for squares that double [default: 310x775, the thesis' grid;
    /// and 4096 on a real GPU]
    #[arg(long, value_name = "NODES", value_parser = Sizes::parse)]
    size: Option<Sizes>,
    /// Wing of the windowed sinc, cells: L, or A..B [default: 8, as in the thesis]
    #[arg(long, value_name = "CELLS", value_parser = Wings::parse)]
    wing: Option<Wings>,
    /// A Taylor operator of this order instead.
    #[arg(long, value_name = "ORDER", conflicts_with = "wing")]
    order: Option<usize>,
    /// Time the kernels with other workgroups instead of climbing.
    #[arg(long, value_enum)]
    sweep: Option<What>,
    #[command(flatten)]
    device: Device,
    /// The folder to write to; made if it is missing [default: ladder, or ladder-copy and so on]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Overwrite the folder's files.
    #[arg(long)]
    force: bool,
    /// Print ladder.json on standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
enum Kind {
    /// The rungs of the 2-D stencil, from one CPU thread to the step of `shot`.
    #[value(name = "2d")]
    Plane,
    /// What copies between host and device cost at every step.
    Copy,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum What {
    /// 1024 to 32 invocations a workgroup.
    Threads,
    /// Shapes of the workgroup; ways to cut the major axis.
    Geometry,
}

/// `ladder.json`.
#[derive(Serialize)]
struct Record<'a> {
    version: &'static str,
    /// Git revision of the program, where it was built from one.
    revision: Option<&'static str>,
    /// The device; `null` where only the CPU's rungs were run.
    device: Option<Description>,
    /// The CPU engine.
    cpu: Description,
    /// Every shader with run-time checks.
    checked: bool,
    #[serde(flatten)]
    results: &'a Results,
    /// Sizes of a range that the device does not take.
    not_taken: &'a [NotTaken],
    /// What was written beside this record.
    files: Vec<String>,
}

/// A size of a range that the device does not take, and why.
#[derive(Serialize)]
struct NotTaken {
    case: Case,
    why: String,
}

/// What was measured, a case each.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Results {
    Ladders(Vec<Ladder>),
    Sweeps(Vec<SweepTimes>),
    Copies(Vec<CopyTimes>),
}

pub fn run(arguments: &Arguments, quiet: bool) -> Result<(), Failure> {
    let device = &arguments.device;
    if matches!(device.backend, Backend::Reference) {
        return Err(Failure::input(
            "the ladder times the CPU engine and GPUs, not the oracle; use --backend cpu",
        ));
    }
    let gpu = select::gpu(device.backend.into(), device.adapter.as_deref(), device.checked)?;
    if gpu.is_none() && (arguments.kind == Kind::Copy || arguments.sweep.is_some()) {
        let what = if arguments.kind == Kind::Copy { "`ladder copy`" } else { "--sweep" };
        return Err(Failure::input(format!(
            "{what} is for a GPU, and none is used; leave --backend cpu out, or install a Vulkan driver"
        )));
    }
    let cases = cases(arguments, gpu.as_ref())?;
    let out = arguments.out.clone().unwrap_or_else(|| default_folder(arguments));
    let folder = OutputFolder::new(&out, arguments.force)?;
    if gpu.is_none() && !matches!(device.backend, Backend::Cpu) {
        tracing::warn!(
            "no GPU is used, so only the CPU's rungs are timed; `huygens devices` lists what there is"
        );
    }
    let (results, not_taken) = measure(arguments, gpu.as_ref(), &cases, quiet)?;
    let name = gpu.as_ref().map_or_else(String::new, |gpu| gpu.describe().device);
    let (mut text, pictures) = match &results {
        Results::Ladders(ladders) => (table::ladders(ladders), chart::ladders(ladders, &name)),
        Results::Sweeps(sweeps) => (table::sweeps(sweeps), chart::sweeps(sweeps, &name)),
        Results::Copies(copies) => (table::copies(copies), chart::copies(copies, &name)),
    };
    if let Some(gpu) = &gpu {
        let Description { device: name, driver, .. } = gpu.describe();
        let checks = if device.checked { ", every shader checked" } else { "" };
        text = format!("{name}, driver {driver}{checks}\n\n{text}");
    }
    for NotTaken { case, why } in &not_taken {
        text += &format!("\nnot run: {case}: {why}");
    }
    for (file, picture) in pictures {
        let picture: Result<RgbImage, RenderError> = picture;
        folder.write(&file, &png::bytes(&picture.map_err(Failure::run)?)).map_err(Failure::run)?;
    }
    let record = Record {
        version: env!("CARGO_PKG_VERSION"),
        revision: option_env!("HUYGENS_REVISION"),
        device: gpu.as_ref().map(Gpu::describe),
        cpu: huygens::engine::cpu::Parallel.describe(),
        checked: device.checked,
        results: &results,
        not_taken: &not_taken,
        files: folder.files(),
    };
    let json = serde_json::to_string_pretty(&record).map_err(Failure::run)?;
    folder.write(RECORD, json.as_bytes()).map_err(Failure::run)?;
    folder.commit(&written_before(&out, RECORD)).map_err(Failure::run)?;
    super::print(if arguments.json { &json } else { &text });
    if !quiet {
        super::tell(format_args!("results in {}", out.display()));
    }
    Ok(())
}

/// The record of a ladder, in its folder.
const RECORD: &str = "ladder.json";

fn default_folder(arguments: &Arguments) -> PathBuf {
    match (arguments.kind, arguments.sweep) {
        (Kind::Copy, _) => "ladder-copy",
        (_, Some(What::Threads)) => "ladder-threads",
        (_, Some(What::Geometry)) => "ladder-geometry",
        (_, None) => "ladder",
    }
    .into()
}

/// Every size with every operator; one of the two may vary.
fn cases(arguments: &Arguments, gpu: Option<&Gpu>) -> Result<Vec<Case>, Failure> {
    if arguments.kind == Kind::Copy && arguments.sweep.is_some() {
        return Err(Failure::input("--sweep belongs to `ladder 2d`; leave it out"));
    }
    let sizes = match &arguments.size {
        Some(Sizes(sizes)) => sizes.clone(),
        None => {
            let thesis = (ladder::THESIS.nz, ladder::THESIS.nx);
            // Where a small grid is bound by launches, a large one shows what memory gives.
            let large = gpu.is_some_and(Gpu::is_hardware) && arguments.wing_is_one();
            if large { vec![thesis, (4096, 4096)] } else { vec![thesis] }
        }
    };
    let operators = match (&arguments.wing, arguments.order) {
        (Some(Wings(wings)), _) => wings.iter().map(|wing| Operator::Wing(*wing)).collect(),
        (None, Some(order)) => {
            vec![Operator::Order(order)]
        }
        (None, None) => vec![ladder::THESIS.operator],
    };
    if sizes.len() > 1 && operators.len() > 1 {
        return Err(Failure::input(
            "--size and --wing are both ranges; give one of them a single value",
        ));
    }
    let case = |(nz, nx): &(usize, usize), operator: &Operator| Case {
        nz: *nz,
        nx: *nx,
        operator: *operator,
    };
    Ok(sizes.iter().flat_map(|size| operators.iter().map(move |op| case(size, op))).collect())
}

impl Arguments {
    fn wing_is_one(&self) -> bool {
        self.wing.as_ref().is_none_or(|Wings(wings)| wings.len() == 1)
    }
}

fn measure(
    arguments: &Arguments,
    gpu: Option<&Gpu>,
    cases: &[Case],
    quiet: bool,
) -> Result<(Results, Vec<NotTaken>), Failure> {
    let stop = super::progress::stop_on_ctrl_c();
    let checked = arguments.device.checked;
    let sweep = arguments.sweep.map(|what| match what {
        What::Threads => Sweep::Threads,
        What::Geometry => Sweep::Geometry,
    });
    let mut results = match (arguments.kind, sweep) {
        (Kind::Copy, _) => Results::Copies(Vec::new()),
        (Kind::Plane, Some(_)) => Results::Sweeps(Vec::new()),
        (Kind::Plane, None) => Results::Ladders(Vec::new()),
    };
    let mut not_taken = Vec::new();
    for case in cases {
        if !quiet {
            let on = gpu.map_or_else(String::new, |gpu| format!(" on {}", gpu.describe().device));
            super::tell(format_args!("timing {case}{on}"));
        }
        let mut progress = Progress::counting("sample", quiet, stop.clone());
        let mut hear = |done, all| progress.hear_of(done, all);
        let done = match (&mut results, sweep, gpu) {
            (Results::Ladders(ladders), _, _) => {
                ladder::climb(gpu, *case, checked, &mut hear).map(|ladder| ladders.push(ladder))
            }
            (Results::Sweeps(sweeps), Some(what), Some(gpu)) => {
                ladder::sweep(gpu, *case, what, checked, &mut hear).map(|times| sweeps.push(times))
            }
            (Results::Copies(copies), _, Some(gpu)) => {
                ladder::copy(gpu, *case, checked, &mut hear).map(|times| copies.push(times))
            }
            // Refused before.
            _ => Ok(()),
        };
        progress.finish();
        match done {
            // A range goes to what fits.
            Err(
                error @ (LadderError::Engine(EngineError::TooLarge { .. })
                | LadderError::Case(CaseError::TooLarge { .. })),
            ) if case != &cases[0] => {
                not_taken.push(NotTaken { case: *case, why: error.to_string() });
            }
            Err(LadderError::Engine(EngineError::Stopped { .. })) => {
                return Err(Failure::run("stopped, as asked; nothing was written"));
            }
            done => done?,
        }
    }
    Ok((results, not_taken))
}

impl From<LadderError> for Failure {
    fn from(error: LadderError) -> Self {
        match error {
            LadderError::Case(error) => Failure::input(error),
            LadderError::Engine(error) => error.into(),
            LadderError::Bench(error) => Failure::run(error),
        }
    }
}
