//! `huygens rtm`.

use crate::cli::{
    command::merge::completed,
    engines,
    failure::Failure,
    flags::{
        device::{Devices, Splitting},
        force::ForceArguments,
        job::JobArguments,
        output::OutputArguments,
        share::ShareArguments,
    },
    ranks,
    session::{Session, begin, by, finish, json, on, planning, results},
    terminal::{
        progress::{self, Progress, tell},
        say::{counted, print},
        timeline,
    },
};
use huygens::{
    engine::{Did, Engine, tune::Joining},
    io::folder::{FolderPath, OutputFolder, RUN},
    job::JobFile,
    operations::{
        demand::Demand,
        recorded::Recorded,
        rtm::{
            self, Hear, Migrated, Migrating, MigrationWork, Partial, Stage,
            files::{InOrder, Movie, Output, Sums, memory},
        },
    },
    render::{FigureSize, GatherFigure},
    rounded::rounded,
    run::{
        Elapsed, Record,
        survey::{Identity, TaskOutputs},
    },
};
use std::{path::Path, time::Instant};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  huygens rtm assets/jobs/rtm-salt.toml\n  \
                        huygens rtm job.toml --set rtm.smooth=200.0 --out image\n  \
                        huygens rtm job.toml --out shared --task 1/2, the same with 2/2, and then --merge\n\
                        The job's shots are migrated through its model: those of rtm.gathers or, without it, those that the job models.")]
pub struct Arguments {
    #[command(flatten)]
    job: JobArguments,
    #[command(flatten)]
    device: Devices,
    #[command(flatten)]
    splitting: Splitting,
    #[command(flatten)]
    pub share: ShareArguments,
    /// Stack what the tasks in the folder have migrated: the image of one run of all shots, bit for bit.
    #[arg(long, conflicts_with_all = ["resume", "task"])]
    pub merge: bool,
    #[command(flatten)]
    pub output: OutputArguments,
    #[command(flatten)]
    force: ForceArguments,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    migrate(arguments, arguments.merge)
}

/// Stacks the migrations of the ranks' tasks.
pub fn merge(arguments: &Arguments) -> Result<(), Failure> {
    migrate(arguments, true)
}

fn migrate(arguments: &Arguments, merges: bool) -> Result<(), Failure> {
    let session = Session::begin();
    let mut file = arguments.job.open()?;
    arguments.output.apply_to(&mut file);
    file.forced = arguments.force.given;
    file.fields_on_host = Some(arguments.device.fields_on_host());
    let opening = arguments.device.begin_to_open();
    let reading = planning();
    let mut inputs = file.inputs()?;
    file.check_heard(&inputs.plan)?;
    let mut migrated = file.migrated(&inputs.setup, inputs.plan.time.dt)?;
    let recorded = file.recorded(&migrated.plan, &mut inputs)?;
    drop(reading);
    inputs.files.extend(recorded.iter().filter_map(|recorded| recorded.file.clone()));
    let survey = Identity::new("rtm", &file, &inputs);
    let size = arguments.output.figure.over(file.job.output.figures, GatherFigure::LEAST)?;
    let out = arguments.output.path("out");
    if merges {
        return arguments.merge(&out, (&survey, &session), (&file, &migrated, size));
    }
    let (force, run) = (arguments.force.given, ("rtm", &file.job));
    let earlier = arguments.output.earlier(force, run, (RUN, &[FolderPath::from(&out)]))?;
    let mut sharing = arguments.share.clone();
    let place = sharing.place((&survey, true), out, (earlier, force))?;
    let Some((at, resume)) = place else { return Ok(()) };
    let out = at.path();
    let engines = opening.end()?;
    let stop = session.stop();
    let mut folder = OutputFolder::unfinished(at.clone(), Some(RUN), earlier, resume)?;
    folder.reads(&inputs.files)?;
    let plan = &inputs.plan;
    let ghosts = arguments.device.ghosts(arguments.splitting.splits(&engines, plan))?;
    let fallback = arguments.device.fallback();
    let purpose = Joining { plan, split: ghosts, sends_back: true };
    let engines = engines::joined(engines, None, purpose, (fallback, &stop))?;
    let engines: Vec<&dyn Engine> = engines.iter().map(AsRef::as_ref).collect();
    let given = recorded.as_ref().map(Recorded::size);
    let demand = Demand::of_rtm(&inputs, &mut migrated, given, engines[0], engines.len())?;
    demand.check(plan).map_err(Failure::input)?;
    let planned = session.seconds();
    let shared_by = (&engines[..], survey.range(sharing.task).len());
    let description = begin(describe(&file, &migrated), shared_by, file.warnings(&inputs));
    migrated.warnings(&inputs.setup).iter().for_each(|warning| tracing::warn!("{warning}"));

    let started = Instant::now();
    let task = sharing.task;
    let shapes = Partial::shapes(&migrated.plan, &migrated.offsets);
    let of = (survey.range(task), resume);
    let mut sums = Sums::begin(&survey, of, &folder, &description, &shapes)?;
    if sums.stack.shots() > 0 {
        let (done, all) = (sums.stack.shots(), sums.all.len());
        tell(format_args!("{done} of {all} shots are stacked"));
    }
    let left = sums.left();
    // Says what is kept of a run that failed.
    let failed = |sums: &mut Sums<'_>, failure: Failure| {
        let (count, unsaved) = sums.keep();
        if count == 0 {
            return failure;
        }
        // The failure itself reports the unsaved sums, as both have the same cause.
        let room = if unsaved.is_err() { "make room, and " } else { "" };
        let kept = folder.staged().path();
        let note = format!(
            "{count} of {} are stacked and kept in {}; {room}{}",
            counted(sums.all.len(), "shot"),
            kept.display(),
            sharing.again()
        );
        failure.with_note_on(&kept, note)
    };
    let run = Migrating { engines: &engines, inputs: &inputs, migrated: &migrated, left: &left };
    let scale = rtm::scale(&migrated.plan, migrated.every);
    let show = progress::show(&stop);
    let results = &results(&folder, &file, size, &show);
    let output = Output { results, migrated: &migrated, scale };
    if migrated.rtm.movie.is_some() && task.is_some() {
        tracing::warn!("rtm.movie is of a run of all shots, and a task makes none");
    }
    let mut movie = match task {
        None => Movie::new(&output, &at, sums.all.len()),
        Some(_) => None,
    };
    let mut order = InOrder::new(&left);
    let mut begin = |stage: Stage<'_>| -> Result<Box<Hear<'_>>, Failure> {
        let steps = match stage {
            Stage::Modelling(plan) => Progress::of_all_steps(&engines, plan, &stop)?,
            Stage::Migrating { steps, updates } => {
                let of = (steps, updates);
                Progress::of_migration(engines.len(), left.len(), of, stop.clone())
            }
        };
        Ok(Box::new(move |step| steps.hear(step)))
    };
    let ended = run.run(recorded, &mut begin, &mut |partial| {
        let Some(movie) = &mut movie else { return Ok(sums.add(partial)?) };
        order.add(partial);
        for partial in order.by_ref() {
            sums.add(partial)?;
            movie.hear(&output, &sums.stack);
        }
        Ok(())
    });
    let ended = ended.and_then(|ended| session.check_stop().map(|()| ended));
    let MigrationWork { devices, at_once, cost, direct } = match ended {
        Ok(ended) => ended,
        Err(failure) => return Err(failed(&mut sums, failure.with_shots(&left))),
    };
    if let Some(likeness) = direct {
        tell(format_args!("the recorded traces and the direct waves: {likeness}"));
    }
    let (took, timings) = (started.elapsed().as_secs_f64(), Did::total(&devices));
    let shots = sums.stack.shots();
    if task.is_some() {
        sums.write().map_err(|error| failed(&mut sums, error.into()))?;
    } else {
        let written = match sums.stack.sum(&output.scale, &migrated.offsets) {
            Some(stack) => output.all(&stack),
            None => Ok(()),
        };
        let drawn = || movie.map_or(Ok(()), |movie| movie.write(&output));
        let written = written.and_then(|()| drawn());
        written.map_err(|error| failed(&mut sums, error.into()))?;
    }
    let rest = started.elapsed().as_secs_f64() - took;
    let end = format!(
        "{} shots migrated{} in {took:.3} s, {:.3} s of them stepping, and {shots} stacked; results in {}",
        left.len(),
        on(devices.len()),
        timings.stepping,
        out.display()
    );
    let part = migrated.plan.part(&left);
    let seconds = Elapsed { plan: planned, engine: timings, output: rest };
    timeline::write(&folder, file.job.output.draws(0, 1).then_some(size))?;
    let files = sums.listed(task.is_some());
    let memory = memory(&migrated, at_once, cost);
    let updates = part.updates() * cost.map_or(0.0, |cost| cost.runs + 1.0);
    let mut record = Record::new(
        ("rtm", &file.job),
        &inputs,
        description,
        memory,
        files,
        (updates, Ok(seconds)),
    );
    record.units = results.units();
    record.devices = devices;
    record.shares = engines[0].shares();
    record.retried = engines::retried(&engines);
    // Errors are found while the sums still exist.
    let json = json(&record)?;
    let checked = folder.write(RUN, json.as_bytes()).and_then(|()| folder.check());
    checked.map_err(|error| failed(&mut sums, error.into()))?;
    drop(sums);
    finish(folder, (RUN, &record), &arguments.output)?;
    tell(end);
    Ok(())
}

impl Arguments {
    /// Stacks the migrations of tasks.
    fn merge(
        &self,
        out: &Path,
        (survey, session): (&Identity, &Session),
        (file, migrated, size): (&JobFile, &Migrated, FigureSize),
    ) -> Result<(), Failure> {
        let force = self.force.given || ranks::all().is_some();
        if let Some(record) = TaskOutputs::complete(out)?.filter(|_| !force) {
            if self.output.json {
                print(json(&record)?)?;
            }
            tell(completed(out));
            return Ok(());
        }
        let outputs = TaskOutputs::read(out)?;
        outputs.check(survey)?;
        let folder = outputs.to_merge(force)?;
        let stack = outputs.stacked(&Partial::shapes(&migrated.plan, &migrated.offsets))?;
        let scale = rtm::scale(&migrated.plan, migrated.every);
        let show = progress::show(&session.stop());
        let results = &results(&folder, file, size, &show);
        let output = Output { results, migrated, scale };
        stack
            .sum(&output.scale, &migrated.offsets)
            .iter()
            .try_for_each(|stack| output.all(stack))?;
        let units = results.units();
        let tasks = outputs.tasks.len();
        let record = outputs.keep(folder, &[], &units)?;
        if self.output.json {
            print(json(&record)?)?;
        }
        tell(format_args!("{tasks} tasks stacked in {}", out.display()));
        Ok(())
    }
}

fn describe(file: &JobFile, migrated: &Migrated) -> [String; 2] {
    let (plan, time) = (&migrated.plan, &migrated.plan.time);
    let smoothed = migrated.rtm.smooth;
    let what = format!(
        "{}: {} shots migrated through {} nodes of {}{}",
        file.model_name(),
        plan.shots.len(),
        by(&plan.model_grid, plan.model_grid.n, ""),
        by(&plan.grid, plan.grid.h.map(rounded), " m"),
        smoothed.map_or_else(String::new, |length| format!(", smoothed over {length} m")),
    );
    let (every, ms) = (rounded(migrated.every as f64 * time.dt), rounded(1e3 * time.dt));
    [what, format!("{} steps of {ms} ms, imaged every {every} s", time.steps)]
}
