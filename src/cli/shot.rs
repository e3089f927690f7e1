//! `huygens shot`.

use super::{
    Device,
    failure::Failure,
    job::{AxisOrder, Inputs, JobFile, PerAxis},
    progress::{Progress, stop_on_ctrl_c},
    record::{Record, Seconds},
    written_before,
};
use huygens::{
    engine::select,
    io::{folder::OutputFolder, npy, png},
    plan::Plan,
    render::{Extent, GatherFigure, RenderError, SnapshotFigure},
    workflow::shot::{self, ShotResult},
};
use ndarray::Axis;
use rayon::prelude::*;
use std::{path::PathBuf, sync::atomic::Ordering, time::Instant};

/// The job that runs where none is given: the thesis' salt case with source 2.
const THESIS: &str = include_str!("../../assets/jobs/thesis.toml");

/// Amplitudes beyond this percentile are clipped in a gather's picture.
const CLIP: f64 = 98.5;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  huygens shot\n  \
                        huygens shot job.toml --backend vulkan --out salt\n  \
                        huygens shot job.toml --model velocity.npy --spacing 12.5 --axes xz")]
pub struct Arguments {
    /// What to model; without it, a salt model with a source above the salt.
    job: Option<PathBuf>,
    /// A velocity model instead of the job's: builtin:NAME or a .npy file.
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Spacing of the model along both axes, metres, instead of the job's.
    #[arg(long, value_name = "METRES", allow_negative_numbers = true)]
    spacing: Option<f64>,
    /// Axes of the model file, slowest first: xz (z fastest) or zx, instead of the job's.
    #[arg(long, value_parser = axes)]
    axes: Option<AxisOrder>,
    #[command(flatten)]
    device: Device,
    /// The folder to write to; made if it is missing.
    #[arg(long, value_name = "DIR", default_value = "out")]
    out: PathBuf,
    /// Overwrite the folder's files, and run an unstable time step until the watchdog ends it.
    #[arg(long)]
    force: bool,
    /// Print run.json on standard output.
    #[arg(long)]
    json: bool,
}

fn axes(text: &str) -> Result<AxisOrder, String> {
    match text {
        "xz" => Ok(AxisOrder::Xz),
        "zx" => Ok(AxisOrder::Zx),
        _ => Err("give xz (z fastest) or zx".into()),
    }
}

pub fn run(arguments: &Arguments, quiet: bool) -> Result<(), Failure> {
    let started = Instant::now();
    let stop = stop_on_ctrl_c();
    let file = job(arguments)?;
    let inputs = file.inputs(arguments.force)?;
    let plan = &inputs.plan;
    let device = &arguments.device;
    let engine = select::open(device.backend.into(), device.adapter.as_deref(), device.checked)?;
    let folder = OutputFolder::new(&arguments.out, arguments.force)?;
    let planned = started.elapsed().as_secs_f64();

    let tell = |line: String| {
        if !quiet {
            super::tell(line);
        }
    };
    tell(describe(&file, plan));
    let description = engine.describe();
    tell(format!("on {}", description.device));
    warn_of_unstable(plan);

    let total = shot::total_steps(engine.as_ref(), plan)?;
    let points = plan.updates() / total.max(1) as f64;
    let mut progress = Progress::new(total, points, quiet, stop.clone());
    let mut output = 0.0;
    let done = shot::model(engine.as_ref(), plan, &mut |step| progress.hear(step), &mut |result| {
        let started = Instant::now();
        write(&folder, &file, &inputs, &result)?;
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
        model.spacing = Some(PerAxis { z: h, x: h });
    }
    model.axes = arguments.axes.or(model.axes);
    Ok(file)
}

fn describe(file: &JobFile, plan: &Plan) -> String {
    let (n, all, h, time) = (plan.model_grid.n, plan.grid.n, plan.grid.h, &plan.time);
    let wavelength = plan.points_per_wavelength().map_or_else(String::new, |points| {
        format!(", {points:.1} points per wavelength at {:.3} Hz", plan.frequency)
    });
    format!(
        "{}: {} x {} nodes of {} m x {} m, {} x {} with layers\n\
         {} steps of {:.4} ms ({:.0} % of the largest stable one){wavelength}",
        file.job.model.velocity.as_deref().unwrap_or(&file.name),
        n.x,
        n.z,
        h.x,
        h.z,
        all.x,
        all.z,
        time.steps,
        1e3 * time.dt,
        100.0 * time.dt / time.limit,
    )
}

fn warn_of_unstable(plan: &Plan) {
    let (dt, limit) = (plan.time.dt, plan.time.limit);
    if dt > limit {
        tracing::warn!(
            "the time step of {dt} s is unstable (the limit is {limit:.6e} s); running it as asked"
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

/// Writes what one shot gave: into the folder itself for a single shot, else into one of its own.
fn write(
    folder: &OutputFolder,
    file: &JobFile,
    inputs: &Inputs,
    result: &ShotResult,
) -> Result<(), Failure> {
    let several = inputs.plan.shots.len() > 1;
    let prefix = if several { format!("shot{:04}/", result.shot) } else { String::new() };
    let mut pictures: Vec<(String, Picture<'_>)> = Vec::new();
    if !result.gather.is_empty() {
        folder
            .write(&format!("{prefix}gather.npy"), &npy::bytes(result.gather.view().into_dyn()))
            .map_err(Failure::run)?;
        pictures
            .push((format!("{prefix}gather.png"), Picture::Gather(gather(file, inputs, result))));
    }
    if !result.snapshots.is_empty() {
        let fields: Vec<_> = result.snapshots.iter().map(section).collect();
        let stacked = ndarray::stack(Axis(0), &fields).map_err(Failure::run)?;
        folder
            .write(&format!("{prefix}snapshots.npy"), &npy::bytes(stacked.view().into_dyn()))
            .map_err(Failure::run)?;
    }
    for (figure, snapshot) in snapshots(file, inputs, result).into_iter().zip(&result.snapshots) {
        let name = format!("{prefix}snapshots/t{:07}.png", snapshot.step);
        pictures.push((name, Picture::Snapshot(figure)));
    }
    let drawn: Vec<(String, Result<Vec<u8>, RenderError>)> =
        pictures.into_par_iter().map(|(name, picture)| (name, picture.png())).collect();
    for (name, bytes) in drawn {
        folder.write(&name, &bytes.map_err(Failure::run)?)?;
    }
    Ok(())
}

enum Picture<'a> {
    Gather(GatherFigure<'a>),
    Snapshot(SnapshotFigure<'a>),
}

impl Picture<'_> {
    fn png(&self) -> Result<Vec<u8>, RenderError> {
        let picture = match self {
            Picture::Gather(figure) => figure.draw(),
            Picture::Snapshot(figure) => figure.draw(),
        };
        Ok(png::bytes(&picture?))
    }
}

/// The plane of a 2-D snapshot, shape `[x][z]`.
fn section(snapshot: &huygens::engine::Snapshot) -> ndarray::ArrayView2<'_, f32> {
    snapshot.field.index_axis(Axis(0), 0)
}

/// What the model is called in titles.
fn model_name(file: &JobFile) -> String {
    let name = file.job.model.velocity.as_deref().unwrap_or(&file.name);
    let last = std::path::Path::new(name).file_name();
    last.map_or_else(|| name.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Sources of a shot as (x, z), metres.
fn sources(plan: &Plan, shot: usize) -> Vec<(f64, f64)> {
    let at = |source: &huygens::plan::PointSource| plan.position(source.at);
    plan.shots[shot].sources.iter().map(at).map(|at| (at.x, at.z)).collect()
}

fn gather<'a>(file: &JobFile, inputs: &Inputs, result: &'a ShotResult) -> GatherFigure<'a> {
    let plan = &inputs.plan;
    let sources = sources(plan, result.shot);
    // Offset has a meaning for one source only.
    let (zero, across) = match sources.as_slice() {
        [(x, _)] => (*x, "Offset (km)"),
        _ => (0.0, "x (km)"),
    };
    let receivers = plan.shots[result.shot].receivers.iter();
    let number =
        if plan.shots.len() > 1 { format!(", shot {}", result.shot) } else { String::new() };
    GatherFigure {
        traces: result.gather.view(),
        interval: plan.time.interval(),
        positions: receivers.map(|at| plan.position(*at).x - zero).collect(),
        across: across.into(),
        title: format!("{}{number}, gather", model_name(file)),
        clip_percentile: CLIP,
    }
}

fn snapshots<'a>(
    file: &JobFile,
    inputs: &'a Inputs,
    result: &'a ShotResult,
) -> Vec<SnapshotFigure<'a>> {
    let plan = &inputs.plan;
    let last = plan.model_grid.last();
    let figure = |snapshot: &'a huygens::engine::Snapshot| SnapshotFigure {
        wavefield: section(snapshot),
        velocity: inputs.model.velocity().index_axis_move(Axis(0), 0),
        extent: Extent { x: (0.0, last.x), z: (0.0, last.z) },
        title: format!(
            "{}, step {}, t = {:.3} s",
            model_name(file),
            snapshot.step,
            plan.time.at(snapshot.step)
        ),
        sources: sources(plan, result.shot),
    };
    result.snapshots.iter().map(figure).collect()
}
