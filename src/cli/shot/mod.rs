//! `huygens shot`.

mod figures;
mod movie;
mod output;
mod traces;

use super::{
    Device,
    failure::Failure,
    job::JobArguments,
    kernel,
    picture::FigureArguments,
    progress::{self, Progress, stop_on_ctrl_c},
    record::{Ended, Record, Seconds},
    written_before,
};
use clap::ValueEnum;
use huygens::{
    acquisition::TimeDispersion,
    engine::{EngineError, gpu::ModelStorage},
    grid::{Axes, Grid},
    io::folder::OutputFolder,
    job::JobFile,
    plan::Plan,
    render::{GatherFigure, ThreePlaneFigure},
    workflow::shot,
};
use movie::Reels;
use std::{
    path::{Path, PathBuf},
    sync::{Mutex, atomic::Ordering},
    time::Instant,
};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  huygens shot\n  \
                        huygens shot job.toml --backend vulkan --out salt\n  \
                        huygens shot job.toml --model velocity.npy --spacing 12.5 --axes xz\n  \
                        huygens shot assets/jobs/salt3d.toml --out salt3d")]
pub struct Arguments {
    #[command(flatten)]
    job: JobArguments,
    #[command(flatten)]
    device: Device,
    /// The kernel that steps the field on a GPU, one of those that `huygens tune` lists, instead of the fastest.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Slabs into which a GPU cuts the wavefield along its slowest axis, instead of the fewest that fit its bindings. Results
    /// are the same, bit for bit.
    #[arg(long, value_name = "COUNT")]
    slabs: Option<usize>,
    /// Bits in which a GPU keeps (v dt)^2 of a node. 16 save an eighth of the memory traffic of a step and round
    /// the velocities: gathers of the salt models change by less than 1e-4, but waves that run far through one
    /// velocity by up to 3e-3 (docs/performance.md).
    #[arg(long, value_enum, value_name = "BITS", default_value_t)]
    model_bits: ModelBits,
    /// The folder to write to; made if it is missing.
    #[arg(long, value_name = "DIR", default_value = "out")]
    out: PathBuf,
    #[command(flatten)]
    figure: FigureArguments,
    /// Overwrite the folder's files, run an unstable time step until the watchdog ends it, and run an
    /// operator wider than the grid, or what can give nothing but zeros.
    #[arg(long)]
    force: bool,
    /// Print run.json on standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum ModelBits {
    #[default]
    #[value(name = "32")]
    ThirtyTwo,
    #[value(name = "16")]
    Sixteen,
}

impl From<ModelBits> for ModelStorage {
    fn from(bits: ModelBits) -> Self {
        match bits {
            ModelBits::ThirtyTwo => ModelStorage::F32,
            ModelBits::Sixteen => ModelStorage::Unorm16,
        }
    }
}

pub fn run(arguments: &Arguments, quiet: bool) -> Result<(), Failure> {
    let started = Instant::now();
    let stop = stop_on_ctrl_c();
    let file = arguments.job.open()?;
    let reading = progress::doing("reading and planning");
    let inputs = file.inputs(arguments.force)?;
    drop(reading);
    let plan = &inputs.plan;
    if !arguments.force {
        file.check_heard(plan)?;
    }
    let least = if plan.grid.is_volume() { ThreePlaneFigure::LEAST } else { GatherFigure::LEAST };
    let size = arguments.figure.over(file.job.output.figures, least)?;
    let engine = arguments.device.open(arguments.model_bits.into())?;
    let engine = kernel::with_slabs(engine, arguments.slabs, plan)?;
    let folder = OutputFolder::new(&arguments.out, arguments.force)?;
    let engine = kernel::with_kernel(engine, arguments.kernel.as_deref(), plan, stop.clone())?;
    let planned = started.elapsed().as_secs_f64();

    let tell = |line: String| {
        if !quiet {
            super::tell(line);
        }
    };
    tell(describe(&file, plan));
    let description = engine.describe();
    tell(format!("on {}, {}", description.device, description.kernel));
    for warning in file.warnings(&inputs) {
        tracing::warn!("{warning}");
    }

    let total = shot::total_steps(engine.as_ref(), plan)?;
    let points = plan.updates() / total.max(1) as f64;
    let (all, at_once, length) = (plan.shots.len(), engine.batch(plan)?, plan.time.steps);
    let shots = (all > 1).then(|| Progress::of_shots(all, at_once, length, total));
    let steps = Progress::of_steps(length, total, points, stop.clone());
    let mut hear = |step| {
        let _ = shots.as_ref().map(|shots| shots.hear(step));
        steps.hear(step)
    };
    let mut output = 0.0;
    let reels = Mutex::new(Reels::new(&file, &inputs, &arguments.out));
    let reels_of = || reels.lock().expect("nothing panics while it holds the frames");
    let done = shot::model(
        engine.as_ref(),
        plan,
        &mut hear,
        &mut |shot, snapshot| {
            reels_of().hear(shot, snapshot);
            inputs.snapshots.binary_search(&snapshot.step).is_ok()
        },
        &mut |result| {
            let started = Instant::now();
            output::write(&folder, &file, &inputs, &result, size)?;
            reels_of().write(&folder, (result.shot, result.until), size, &stop)?;
            output += started.elapsed().as_secs_f64();
            Ok::<_, Failure>(())
        },
    );
    drop((steps, shots));
    let (timings, error) = match done {
        Ok(engine) => (Ok(Seconds { plan: planned, engine, output }), None),
        // What was recorded before it blew up is kept, and said to be no more than that. Where that is nothing,
        // the record alone takes the place of what an earlier run left.
        Err(Failure::BlowUp(error)) => (Err(Ended::new(&error, plan)), Some(error)),
        Err(failure) => return Err(failure),
    };
    if stop.load(Ordering::Relaxed) {
        return Err(Failure::stopped());
    }

    if let Ok(seconds) = &timings {
        kernel::remember_run(engine.as_ref(), plan, seconds.engine.stepping)?;
    }
    let memory = plan.batch(0..engine.batch(plan)?).memory();
    let files = folder.files();
    let end = match (&timings, &error) {
        (Ok(seconds), _) => Ok(summary(plan, seconds.engine.stepping, &arguments.out)),
        (_, error) => Err(kept(error.as_ref(), plan, &files, &arguments.out)),
    };
    let record = Record::new(&file.job, &inputs, description, memory, files, timings);
    let json = serde_json::to_string_pretty(&record).map_err(Failure::run)?;
    folder.write(RECORD, json.as_bytes())?;
    folder.commit(&written_before(&arguments.out, RECORD))?;
    if arguments.json {
        super::print(&json)?;
    }
    tell(end.map_err(Failure::run)?);
    Ok(())
}

/// The record of a run, in its folder.
const RECORD: &str = "run.json";

fn describe(file: &JobFile, plan: &Plan) -> String {
    let time = &plan.time;
    let wavelength = plan.points_per_wavelength().map_or_else(String::new, |points| {
        format!(", {points:.1} points per wavelength at {:.3} Hz", plan.frequency)
    });
    format!(
        "{}: {} nodes of {}, {} with layers\n\
         {} steps of {:.4} ms ({:.0} % of the largest stable one){wavelength}",
        file.job.model.velocity.as_deref().unwrap_or(&file.name),
        by(&plan.model_grid, plan.model_grid.n, ""),
        by(&plan.grid, plan.grid.h, " m"),
        by(&plan.grid, plan.grid.n, ""),
        time.steps,
        1e3 * time.dt,
        100.0 * time.dt / time.limit,
    )
}

/// Values along x, y where there is one, and z: "200 x 200 x 100".
pub fn by<T: std::fmt::Display>(grid: &Grid, of: Axes<T>, unit: &str) -> String {
    let y = if grid.is_volume() { format!(" x {}{unit}", of.y) } else { String::new() };
    format!("{}{unit}{y} x {}{unit}", of.x, of.z)
}

/// The end of a run that blew up.
fn kept(error: Option<&EngineError>, plan: &Plan, files: &[String], out: &Path) -> String {
    let said = error.map_or_else(String::new, EngineError::to_string);
    let out = out.display();
    if files.is_empty() {
        return format!("{said}\nNothing was recorded before that; {out}/{RECORD} says so");
    }
    match error {
        Some(EngineError::BlowUp { healthy: Some(step), .. }) if *step > 0 => {
            let time = plan.time.at(*step);
            let files = files.join(", ");
            let uncorrected = match plan.time.dispersion {
                TimeDispersion::Kept => "",
                TimeDispersion::Corrected => {
                    "; its traces are not corrected, as that takes whole ones, and are of a wavelet warped for the \
                     correction"
                }
            };
            format!(
                "{said}\nWhat was recorded up to step {step} (t = {time:.3} s), when no |p| was above the limit yet, is kept in \
                 {out}: {files}{uncorrected}. Its last samples may already grow"
            )
        }
        _ => format!("{said}\nThe shots before it are kept in {out}"),
    }
}

fn summary(plan: &Plan, seconds: f64, out: &Path) -> String {
    format!(
        "stepped in {seconds:.3} s, {:.2} Gpts/s; results in {}",
        plan.updates() / seconds.max(1e-9) * 1e-9,
        out.display()
    )
}
