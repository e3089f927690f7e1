//! `huygens shot`.

mod figures;
mod output;

use super::{
    Device,
    failure::Failure,
    job::{AxisOrder, JobFile, OneOrEach},
    kernel,
    progress::{Progress, stop_on_ctrl_c},
    record::{Record, Seconds},
    written_before,
};
use clap::ValueEnum;
use huygens::{
    engine::{gpu::ModelStorage, select},
    grid::{Axes, Grid},
    io::folder::OutputFolder,
    plan::{AbruptStart, Plan},
    workflow::shot,
};
use std::{path::PathBuf, sync::atomic::Ordering, time::Instant};

/// The job that runs where none is given: the thesis' salt case with source 2.
const THESIS: &str = include_str!("../../../assets/jobs/thesis.toml");

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  huygens shot\n  \
                        huygens shot job.toml --backend vulkan --out salt\n  \
                        huygens shot job.toml --model velocity.npy --spacing 12.5 --axes xz\n  \
                        huygens shot assets/jobs/salt3d.toml --out salt3d")]
pub struct Arguments {
    /// What to model; without it, a salt model with a source above the salt.
    job: Option<PathBuf>,
    /// A velocity model instead of the job's: builtin:NAME or a .npy file.
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Spacing of the model along every axis, metres, instead of the job's.
    #[arg(long, value_name = "METRES", allow_negative_numbers = true)]
    spacing: Option<f64>,
    /// Axes of the model file, slowest first, instead of the job's: xz (z fastest) or zx, in 3-D yxz or any
    /// other order of the three.
    #[arg(long)]
    axes: Option<AxisOrder>,
    #[command(flatten)]
    device: Device,
    /// The kernel that steps the field on a GPU, one of those that `huygens tune` lists, instead of the fastest.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Bits in which a GPU keeps (v dt)^2 of a node. 16 save an eighth of the memory traffic of a step and round
    /// the velocities: gathers of the salt models change by less than 1e-4, but waves that run far through one
    /// velocity by up to 3e-3 (docs/performance.md).
    #[arg(long, value_enum, value_name = "BITS", default_value_t)]
    model_bits: ModelBits,
    /// The folder to write to; made if it is missing.
    #[arg(long, value_name = "DIR", default_value = "out")]
    out: PathBuf,
    /// Overwrite the folder's files, run an unstable time step until the watchdog ends it, and run an
    /// operator wider than the grid.
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
    let file = job(arguments)?;
    let inputs = file.inputs(arguments.force)?;
    let plan = &inputs.plan;
    let device = &arguments.device;
    let engine = select::open(
        device.backend.into(),
        device.adapter.as_deref(),
        device.checked,
        arguments.model_bits.into(),
    )?;
    let folder = OutputFolder::new(&arguments.out, arguments.force)?;
    let engine =
        kernel::with_kernel(engine, arguments.kernel.as_deref(), plan, quiet, stop.clone())?;
    let planned = started.elapsed().as_secs_f64();

    let tell = |line: String| {
        if !quiet {
            super::tell(line);
        }
    };
    tell(describe(&file, plan));
    let description = engine.describe();
    tell(format!("on {}, {}", description.device, description.kernel));
    warn_of_unstable(plan);
    warn_of_abrupt(plan);

    let total = shot::total_steps(engine.as_ref(), plan)?;
    let points = plan.updates() / total.max(1) as f64;
    let mut progress = Progress::new(total, points, quiet, stop.clone());
    let mut output = 0.0;
    let done = shot::model(engine.as_ref(), plan, &mut |step| progress.hear(step), &mut |result| {
        let started = Instant::now();
        output::write(&folder, &file, &inputs, &result)?;
        output += started.elapsed().as_secs_f64();
        Ok::<_, Failure>(())
    });
    progress.finish();
    let timings = done?;
    if stop.load(Ordering::Relaxed) {
        return Err(Failure::run("stopped while writing, as asked; nothing was kept"));
    }

    let seconds = Seconds { plan: planned, engine: timings, output };
    let memory = plan.batch(0..engine.batch(plan)?).memory();
    let files = folder.files();
    let record = Record::new(&file.job, &inputs, description, memory, files, seconds);
    let json = serde_json::to_string_pretty(&record).map_err(Failure::run)?;
    folder.write(RECORD, json.as_bytes()).map_err(Failure::run)?;
    folder.commit(&written_before(&arguments.out, RECORD)).map_err(Failure::run)?;
    if arguments.json {
        super::print(&json);
    }
    tell(summary(plan, timings.stepping, &arguments.out));
    Ok(())
}

/// The record of a run, in its folder.
const RECORD: &str = "run.json";

/// The job with what the command line says instead.
fn job(arguments: &Arguments) -> Result<JobFile, Failure> {
    let mut file = match &arguments.job {
        Some(path) => JobFile::open(path)?,
        None => JobFile::parse("the built-in thesis job", THESIS, PathBuf::new())?,
    };
    let model = &mut file.job.model;
    if let Some(velocity) = &arguments.model {
        let path = std::path::absolute(velocity).map_err(Failure::input)?;
        let builtin = velocity.starts_with("builtin:");
        let absolute = if builtin { velocity.clone() } else { path.display().to_string() };
        model.velocity = Some(absolute);
    }
    if let Some(h) = arguments.spacing {
        model.spacing = Some(OneOrEach::One(h));
    }
    if let Some(axes) = &arguments.axes {
        model.axes = Some(axes.clone());
    }
    Ok(file)
}

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
fn by<T: std::fmt::Display>(grid: &Grid, of: Axes<T>, unit: &str) -> String {
    let y = if grid.is_volume() { format!(" x {}{unit}", of.y) } else { String::new() };
    format!("{}{unit}{y} x {}{unit}", of.x, of.z)
}

fn warn_of_unstable(plan: &Plan) {
    let (dt, limit) = (plan.time.dt, plan.time.limit);
    if dt > limit {
        tracing::warn!(
            "the time step of {dt} s is unstable (the limit is {limit:.6e} s); running it as asked"
        );
    }
}

fn warn_of_abrupt(plan: &Plan) {
    if let Some(AbruptStart { shot, source_index, start }) = plan.abrupt_start() {
        tracing::warn!(
            "source {source_index} of shot {shot} starts at {:.3} % of its peak, and that jump is a click of every \
             frequency; {} % or less is near zero: give its wavelet a larger delay, or a file that starts at zero",
            100.0 * start,
            100.0 * AbruptStart::LIMIT
        );
    }
}

fn summary(plan: &Plan, seconds: f64, out: &std::path::Path) -> String {
    format!(
        "stepped in {seconds:.3} s, {:.2} Gpts/s; results in {}",
        plan.updates() / seconds.max(1e-9) * 1e-9,
        out.display()
    )
}
