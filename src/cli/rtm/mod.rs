//! `huygens rtm`.

mod output;

use super::{
    Device,
    failure::Failure,
    job::JobArguments,
    kernel,
    progress::{self, Progress},
    record::{Record, Seconds},
    session::{OutputArguments, Session},
};
use huygens::{
    engine::{Engine, gpu::ModelStorage},
    io::folder::{OutputFolder, RUN},
    job::{Inputs, JobFile, Migrated},
    render::GatherFigure,
    workflow::{
        rtm::{self, Migration, Resampling, Stack},
        shot,
    },
};
use ndarray::Array2;
use output::Output;
use std::time::Instant;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  huygens rtm assets/jobs/rtm-salt.toml\n  \
                        huygens rtm job.toml --set rtm.smooth=200.0 --out image\n\
                        The job's shots are migrated through its model: those of rtm.gathers or, without it, those that the job models.")]
pub struct Arguments {
    #[command(flatten)]
    job: JobArguments,
    #[command(flatten)]
    device: Device,
    #[command(flatten)]
    output: OutputArguments,
    /// Overwrite the folder's files, run an unstable time step until the watchdog ends it, and run an
    /// operator wider than the grid.
    #[arg(long)]
    force: bool,
}

pub fn run(arguments: &Arguments, quiet: bool) -> Result<(), Failure> {
    let session = Session::begin(quiet);
    let out = arguments.output.path("out");
    let mut file = arguments.job.open()?;
    arguments.output.tell(&mut file);
    let opening = arguments.device.begin_to_open(ModelStorage::F32);
    let reading = progress::doing("reading and planning");
    let mut inputs = file.inputs(arguments.force)?;
    if !arguments.force {
        file.check_heard(&inputs.plan)?;
    }
    let migrated = file.migrated(&inputs.setup, inputs.plan.time.dt)?;
    let recorded = file.recorded(&migrated.plan)?;
    drop(reading);
    let size = arguments.output.figure.over(file.job.output.figures, GatherFigure::LEAST)?;
    let engine = opening.end()?;
    let stop = session.stop();
    let folder = OutputFolder::new(&out, Some(RUN), arguments.output.earlier(arguments.force))?;
    let engine = kernel::with_kernel(engine, None, &inputs.plan, stop.clone())?;
    let planned = session.seconds();
    session.tell(describe(&file, &migrated));
    let description = session.introduce(engine.as_ref());
    for warning in file.warnings(&inputs) {
        tracing::warn!("{warning}");
    }
    if migrated.every > migrated.most {
        tracing::warn!(
            "imaging steps {:.4} s apart alias frequencies up to {:.1} Hz; the most that does not is rtm.interval = {:.4}",
            migrated.every as f64 * migrated.plan.time.dt,
            migrated.plan.highest,
            migrated.most as f64 * migrated.plan.time.dt
        );
    }

    let started = Instant::now();
    let (gathers, interval) = match recorded {
        Some(recorded) => {
            inputs.files.push(recorded.file);
            (recorded.gathers, recorded.interval)
        }
        None => (modelled(engine.as_ref(), &inputs, &stop)?, inputs.plan.time.interval()),
    };
    let plan = &migrated.plan;
    let memory = rtm::memory(engine.as_ref());
    let migration =
        Migration::new(engine.as_ref(), plan, migrated.every, &migrated.offsets, memory)?;
    tracing::debug!(
        at_once = migration.at_once(),
        kept = migration.kept(),
        every = migrated.every,
        "migration"
    );
    let total = migration.total_steps();
    let updates = (plan.grid.cells() * migration.at_once()) as f64;
    let steps = Progress::of_steps(total, total, updates, stop.clone());
    let mut stack = Stack::new(&plan.model_grid);
    let resampling = Resampling::new(interval, plan);
    let timings = migration.run(
        &|shot| {
            let conditioning = migrated.conditioning(shot);
            let traces = conditioning.apply(&gathers[shot], &resampling, (plan, shot));
            traces.map_err(|error| Failure::input(format!("shot {}: {error}", shot + 1)))
        },
        &mut |step| steps.hear(step),
        &mut |image| {
            stack.add(&image);
            Ok::<(), Failure>(())
        },
    )?;
    drop(steps);
    session.check_stop()?;
    let took = started.elapsed().as_secs_f64();
    let output = Output { folder: &folder, file: &file, migrated: &migrated, size };
    output.all(&stack)?;
    let rest = started.elapsed().as_secs_f64() - took;
    let end = format!(
        "{} shots migrated in {took:.3} s, {:.3} s of them stepping; results in {}",
        stack.shots,
        timings.stepping,
        out.display()
    );
    let updates = 2.0 * plan.updates();
    let seconds = Seconds { plan: planned, engine: timings, output: rest };
    let memory = plan.batch(0..migration.at_once()).memory();
    let files = folder.files();
    let record =
        Record::new(&file.job, &inputs, description, memory, files, (updates, Ok(seconds)));
    session.keep(folder, (RUN, &record), &arguments.output)?;
    session.tell(end);
    Ok(())
}

/// What the job's shots record.
fn modelled(
    engine: &dyn Engine,
    inputs: &Inputs,
    stop: &std::sync::Arc<std::sync::atomic::AtomicBool>,
) -> Result<Vec<Array2<f32>>, Failure> {
    let plan = &inputs.plan;
    let total = shot::total_steps(engine, plan)?;
    let points = plan.updates() / total.max(1) as f64;
    let steps = Progress::of_steps(plan.time.steps, total, points, stop.clone());
    let mut gathers = vec![Array2::zeros((0, 0)); plan.shots.len()];
    let mut done = |result: shot::ShotResult| {
        gathers[result.shot] = result.gather;
        Ok::<(), Failure>(())
    };
    shot::model(engine, plan, &mut |step| steps.hear(step), &mut |_, _| false, &mut done)?;
    Ok(gathers)
}

fn describe(file: &JobFile, migrated: &Migrated) -> String {
    let (plan, time) = (&migrated.plan, &migrated.plan.time);
    format!(
        "{}: {} shots migrated through {} nodes of {}{}\n{} steps of {:.4} ms, imaged every {:.4} s",
        file.model_name(),
        plan.shots.len(),
        super::shot::by(&plan.model_grid, plan.model_grid.n, ""),
        super::shot::by(&plan.grid, plan.grid.h, " m"),
        migrated
            .rtm
            .smooth
            .map_or_else(String::new, |length| format!(", smoothed over {length} m")),
        time.steps,
        1e3 * time.dt,
        migrated.every as f64 * time.dt,
    )
}
