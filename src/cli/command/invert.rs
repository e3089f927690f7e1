//! `huygens invert`.

use crate::cli::{
    engines,
    failure::Failure,
    flags::{force::ForceArguments, observed::ObservedArguments, output::OutputArguments},
    session::{Session, begin, by, finish, planning, results, steps},
    terminal::{
        progress::{self, Progress, tell},
        timeline,
    },
};
use huygens::{
    engine::{Engine, Timings},
    io::folder::{FolderPath, INVERSION, RUN, UNFINISHED},
    job::{Inputs, JobFile},
    operations::{
        demand::{Compared, Demand},
        invert::{Inversion, Inverted, State, files::Output},
    },
    render::CurveFigure,
    run::{Elapsed, Record, has_read, is_of},
};
use std::time::Instant;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  huygens invert job.toml --observed field.sgy --out inverted\n  \
                        huygens invert job.toml --observed field.sgy --out inverted --resume\n\
                        Bands, iterations and bounds are set in the table [invert] of a job, the comparison of traces in [gradient]."
)]
pub struct Arguments {
    #[command(flatten)]
    job: ObservedArguments,
    /// Go on with the run in the folder that did not end.
    #[arg(long)]
    resume: bool,
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
    let (mut inputs, bounds) = file.inputs_to_invert()?;
    file.check_heard(&inputs.plan)?;
    let observations = file.observations(&mut inputs)?;
    let mut inversion = file.inversion(observations, (&inputs, bounds))?;
    drop(reading);
    // As of a survey.
    let before = FolderPath::from(&out);
    let is_done = is_of(&before, RUN, "invert", &file.job)
        && has_read(&before, RUN, &inputs.files)
        && !out.join(UNFINISHED).exists();
    if arguments.resume && is_done {
        tell(format_args!("the inversion in {} is done already", out.display()));
        return Ok(());
    }
    let (of, resume) = (("invert", &file, CurveFigure::LEAST), Some(arguments.resume));
    let (size, mut folder) = session.open(&arguments.output, of, (arguments.force, resume))?;
    folder.reads(&inputs.files)?;
    let stop = &session.stop();
    let mut state = State::of(&folder, &file, &inputs);
    let kept = if arguments.resume { state.read(&inversion, &inputs)? } else { None };
    if kept.is_none() {
        // The folder is that of an inversion from now on.
        state.write(None)?;
    }
    let engines = arguments.job.engines(&inputs.plan, stop)?;
    let engines: Vec<&dyn Engine> = engines.iter().map(AsRef::as_ref).collect();
    let compared = Compared::with(&inversion.observations);
    let devices = engines.len();
    let (demand, within) = Demand::of_invert(&file, &inputs, compared, engines[0], devices)?;
    demand.check(&inputs.plan).map_err(Failure::input)?;
    inversion.observations.within = within;
    let planned = session.seconds();
    let shared_by = (&engines[..], inputs.plan.shots.len());
    let description =
        begin(describe(&file, &inputs, &inversion), shared_by, file.warnings(&inputs));
    state.on(&description);
    let show = progress::show(stop);
    let results = &results(&folder, &file, size, &show);
    let output = Output { results, start: &inputs.model };
    let began = Instant::now();
    let (shown, mut writing, mut evaluations) = (&mut None, 0.0, 0);
    let all = inversion.iterations();
    let counted = progress::counting("iteration", all);
    if let Some(kept) = &kept {
        let done = kept.band * inversion.keys.iterations + kept.iterations();
        tell(format_args!("{done} of {all} iterations are done"));
        (0..done.min(all)).for_each(|_| counted.one_more());
    }
    let mut hear = |step: usize, steps: usize| {
        let progress = shown.get_or_insert_with(|| {
            let (of, shots) = ((steps, inputs.plan.grid.cells() as f64), inputs.plan.shots.len());
            Progress::of_migration(engines.len(), shots, of, stop.clone())
        });
        let heard = progress.hear(step);
        if step >= steps {
            evaluations += 1;
            *shown = None;
        }
        heard
    };
    let mut compared = None;
    let mut each = |done: &Inverted, model: &_| {
        let wrote = Instant::now();
        if let Some(likeness) =
            inversion.likeness(done.band).filter(|_| compared != Some(done.band))
        {
            compared = Some(done.band);
            let band = done.band + 1;
            tell(format_args!("band {band}, observed and modelled traces: {likeness}"));
        }
        let model = output.iteration(done, model)?;
        state.write(Some((done, model)))?;
        counted.one_more();
        tell(format_args!(
            "band {}, iteration {}: misfit {:.4e}",
            done.band + 1,
            done.iterations(),
            done.misfits.last().and_then(|of| of.last()).copied().unwrap_or(f64::NAN)
        ));
        writing += wrote.elapsed().as_secs_f64();
        Ok::<_, Failure>(())
    };
    let found = inversion.run(&engines, &inputs, kept, &mut hear, &mut each);
    drop(counted);
    let found = found.and_then(|found| session.check_stop().map(|()| found));
    let (model, misfits) = found.map_err(|failure| match state.has_models() {
        true => {
            let kept = out.join(UNFINISHED);
            let note = format!("its models are in {}; go on with --resume", kept.display());
            failure.with_note_on(&kept, note)
        }
        false => failure,
    })?;
    let took = began.elapsed().as_secs_f64();
    output.last(&model, &misfits)?;
    timeline::write(&folder, file.job.output.draws(0, 1).then_some(size))?;
    let engine_seconds = Timings { stepping: took - writing, ..Timings::default() };
    let output = writing + began.elapsed().as_secs_f64() - took;
    let seconds = Elapsed { plan: planned, engine: engine_seconds, output };
    // The state is of a run that goes on.
    let files: Vec<_> =
        folder.files().into_iter().filter(|name| name != INVERSION && name != RUN).collect();
    let updates = 2.0 * inputs.plan.updates() * f64::from(evaluations);
    let memory = inputs.plan.memory();
    let mut record = Record::new(
        ("invert", &file.job),
        &inputs,
        description,
        memory,
        files,
        (updates, Ok(seconds)),
    );
    record.misfits = misfits.iter().filter_map(|of| of.last().copied()).collect();
    record.shares = engines[0].shares();
    record.retried = engines::retried(&engines);
    finish(folder, (RUN, &record), &arguments.output)?;
    let fell = misfits.iter().map(|of| match (of.first(), of.last()) {
        (Some(first), Some(last)) if *first > 0.0 => format!("{:.1} %", 100.0 * last / first),
        _ => "nothing".into(),
    });
    tell(format_args!(
        "in {took:.3} s the misfit of each band fell to {} of that at its start; results in {}",
        fell.collect::<Vec<_>>().join(", "),
        out.display()
    ));
    Ok(())
}

fn describe(file: &JobFile, inputs: &Inputs, inversion: &Inversion) -> [String; 2] {
    let plan = &inputs.plan;
    let what = format!(
        "{}: {} shots, {} nodes, {} of {} iterations",
        file.model_name(),
        plan.shots.len(),
        by(&plan.model_grid, plan.model_grid.n, ""),
        match inversion.bands() {
            1 => "a band".to_owned(),
            bands => format!("{bands} bands"),
        },
        inversion.keys.iterations,
    );
    [what, steps(&plan.time)]
}
