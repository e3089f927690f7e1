//! `huygens gradient`.

use crate::cli::{
    engines,
    failure::Failure,
    flags::{force::ForceArguments, observed::ObservedArguments, output::OutputArguments},
    session::{Session, begin, by, finish, on, planning, results, steps},
    terminal::{
        progress::{self, Progress, tell},
        timeline,
    },
};
use huygens::{
    engine::{Did, Engine},
    io::folder::RUN,
    job::{Inputs, JobFile, Varied},
    operations::{
        demand::{Compared, Demand},
        gradient::{EachShot, Gradient, Observations, Observed, files::Output},
    },
    render::GatherFigure,
    run::{Elapsed, Record},
};
use std::time::Instant;

#[derive(clap::Args)]
#[command(after_help = "Example: huygens gradient job.toml --observed field.sgy --out gradient\n\
                        The table [gradient] of a job sets how traces are compared and what the misfit is differentiated by.")]
pub struct Arguments {
    #[command(flatten)]
    job: ObservedArguments,
    #[command(flatten)]
    pub output: OutputArguments,
    #[command(flatten)]
    force: ForceArguments,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let session = Session::begin();
    let out = arguments.output.path("out");
    let mut file = arguments.job.open(&arguments.output)?;
    file.forced = arguments.force.given;
    let reading = planning();
    let mut inputs = file.inputs()?;
    file.check_heard(&inputs.plan)?;
    let mut observations = file.observations(&mut inputs)?;
    drop(reading);
    let of = ("gradient", &file, GatherFigure::LEAST);
    let (size, mut folder) = session.open(&arguments.output, of, (arguments.force, None))?;
    folder.reads(&inputs.files)?;
    let stop = &session.stop();
    let plan = &inputs.plan;
    let engines = arguments.job.engines(plan, stop)?;
    let engines: Vec<&dyn Engine> = engines.iter().map(AsRef::as_ref).collect();
    let compared = Compared::with(&observations);
    let devices = engines.len();
    let (demand, within) = Demand::of_gradient(&file, &inputs, compared, engines[0], devices)?;
    demand.check(plan).map_err(Failure::input)?;
    observations.within = within;
    let planned = session.seconds();
    let shared_by = (&engines[..], plan.shots.len());
    let description = begin(describe(&file, &inputs), shared_by, file.warnings(&inputs));

    let Observations { gradient: keys, gathers, weights, .. } = &observations;
    let effort = observations.effort();
    let observed = Observed { gathers, weights: weights.as_deref(), misfit: keys.misfit };
    let began = Instant::now();
    let mut shown = None;
    let mut hear = |step: usize, steps: usize| {
        let progress = shown.get_or_insert_with(|| {
            let of = (steps, plan.grid.cells() as f64);
            Progress::of_migration(engines.len(), plan.shots.len(), of, stop.clone())
        });
        progress.hear(step)
    };
    let show = progress::show(stop);
    let results = &results(&folder, &file, size, &show);
    let output = Output { results, model: &inputs.setup.model };
    let mut of_shots = Vec::new();
    let mut each = |shot: usize, by_slowness| of_shots.push((shot, by_slowness));
    let each: Option<&mut EachShot<'_>> = if keys.per_shot { Some(&mut each) } else { None };
    let found = Gradient::of(&engines, plan, observed, effort, &mut hear, each)?;
    let took = began.elapsed().as_secs_f64();
    drop(shown);
    let (misfit, timings) = (found.misfit(), Did::total(&found.devices));
    tell(format_args!("observed and modelled traces: {}", found.likeness));
    found.likeness.warn("gradient.observed", keys.misfit);
    let lit = &found.illumination;
    output.array("illumination", lit)?;
    for (shot, values) in of_shots {
        let values = observations.finished(values, lit, &inputs);
        output.array(&format!("shot-{:04}/gradient", shot + 1), &values)?;
    }
    let what = match keys.of {
        Varied::Velocity => "velocity, per m/s",
        Varied::Slowness => "relative squared slowness",
    };
    output.gradient("gradient", what, &observations.finished(found.by_slowness, lit, &inputs))?;
    let written = began.elapsed().as_secs_f64() - took;
    timeline::write(&folder, file.job.output.draws(0, 1).then_some(size))?;
    let seconds = Elapsed { plan: planned, engine: timings, output: written };
    let updates = 2.0 * plan.updates();
    let files = folder.files();
    let memory = plan.memory();
    let mut record = Record::new(
        ("gradient", &file.job),
        &inputs,
        description,
        memory,
        files,
        (updates, Ok(seconds)),
    );
    record.misfits = found.misfits;
    record.units = results.units();
    record.shares = engines[0].shares();
    record.devices = found.devices;
    record.retried = engines::retried(&engines);
    finish(folder, (RUN, &record), &arguments.output)?;
    tell(format_args!(
        "the misfit of {} shots is {misfit:.4e}; its gradient took {took:.3} s{}, {:.3} s of them stepping; results in {}",
        plan.shots.len(),
        on(engines.len()),
        timings.stepping,
        out.display()
    ));
    Ok(())
}

fn describe(file: &JobFile, inputs: &Inputs) -> [String; 2] {
    let plan = &inputs.plan;
    let what = format!(
        "{}: the gradient of a misfit, {} shots, {} nodes",
        file.model_name(),
        plan.shots.len(),
        by(&plan.model_grid, plan.model_grid.n, ""),
    );
    [what, steps(&plan.time)]
}
