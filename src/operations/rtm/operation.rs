//! The migration of a job's shots as a run.

use super::{
    Migrated, Migrating, Partial, Stack, Stacked, Stacking, Stage,
    files::{InOrder, Movie, Output, memory},
    memory::demand,
    scale,
    survey::Begin,
};
use crate::{
    engine::{DeviceWork, Engine, EngineError},
    imaging::Estimate,
    io::journal::Done,
    job::{JobError, JobFile},
    operations::{OnStep, recorded::Recorded, shot},
    plan::PlanError,
    render::{GatherFigure, LeastSize, Quantity},
    results::Results,
    rounded::rounded,
    run::{
        Activity, Demand, EarlierWork, Operation, PreparedJob, RunError, Running, SavedWork,
        TaskOutputs, Work, by, counted, on,
    },
};

/// What the headers of images say.
const HEADING: &str = "REVERSE TIME MIGRATION";

/// The migration of the shots of a job.
pub struct MigrationRun<'a> {
    job: PreparedJob<'a>,
    /// The migration.
    pub migrated: Migrated,
    /// Those that are not modelled, and the number of their samples.
    recorded: Option<Recorded>,
    samples: Option<u64>,
    stacking: Stacking,
    movie: Option<Movie>,
}

impl<'a> MigrationRun<'a> {
    /// Reads what a job names for its migration.
    pub(crate) fn prepare(file: &'a JobFile) -> Result<Self, JobError> {
        let mut job = PreparedJob::heard(file)?;
        let migrated = Migrated::of(&job)?;
        let recorded = file.recorded(&migrated.plan, &mut job.inputs)?;
        Ok(MigrationRun::of(job, migrated, recorded))
    }

    /// The migration of shots that are recorded or, without a recording, modelled.
    pub fn of(mut job: PreparedJob<'a>, migrated: Migrated, recorded: Option<Recorded>) -> Self {
        job.inputs.files.extend(recorded.iter().flat_map(|recorded| recorded.files.clone()));
        let samples = recorded.as_ref().map(Recorded::size);
        let stacking = Stacking::new(Partial::shapes(&migrated.plan, &migrated.offsets));
        MigrationRun { job, migrated, recorded, samples, stacking, movie: None }
    }

    /// The migration of a job before it runs: its recording is checked, if it is there.
    pub(crate) fn check(mut job: PreparedJob<'a>) -> Result<Self, JobError> {
        let migrated = Migrated::of(&job)?;
        let samples = job.file.check_migrated(&mut job.inputs, &migrated)?;
        Ok(MigrationRun { samples, ..MigrationRun::of(job, migrated, None) })
    }

    /// The sum of all shots, in memory.
    pub fn stacked<E: From<EngineError> + From<PlanError> + From<JobError> + Send>(
        &mut self,
        engines: &[&dyn Engine],
        begin: &mut Begin<'_, E>,
    ) -> Result<Option<Stacked>, E> {
        let (recorded, mut stack) = (self.recorded.take(), Stack::default());
        let MigrationRun { job: PreparedJob { inputs, .. }, migrated, .. } = self;
        let left: Vec<usize> = (0..inputs.plan.shots.len()).collect();
        let migrating = Migrating { engines, inputs, migrated, left: &left };
        migrating.run(recorded, begin, &mut |partial| {
            stack.add(partial);
            Ok(())
        })?;
        Ok(stack.sum(&scale(&migrated.plan, migrated.every), &migrated.offsets))
    }

    fn output<'r>(&'r self, results: &'r Results<'r>) -> Output<'r> {
        let scale = scale(&self.migrated.plan, self.migrated.every);
        let (migrated, quantity) = (&self.migrated, Quantity::IMAGE);
        Output { results, migrated, heading: HEADING, quantity, scale }
    }
}

impl Stage<'_> {
    /// Shows the steps of the stage of a run of so many shots.
    pub(crate) fn shown<'f>(
        self,
        run: &Running<'f>,
        shots: usize,
    ) -> Result<Box<OnStep<'f>>, RunError> {
        let devices = run.engines.len();
        let shown = run.face.show(match self {
            Stage::Modelling(plan) => {
                let steps = shot::steps_of(run.engines, plan)?;
                let (shots, updates) = (plan.shots.len(), plan.updates() / steps.max(1) as f64);
                Activity::Steps { devices, shots, lap: steps, steps, updates }
            }
            Stage::Migrating { steps, updates } => {
                Activity::Steps { devices, shots, lap: steps, steps, updates }
            }
        });
        Ok(Box::new(move |step| shown.hear(step)))
    }
}

impl Operation for MigrationRun<'_> {
    fn command(&self) -> &'static str {
        "rtm"
    }

    fn job(&self) -> &PreparedJob<'_> {
        &self.job
    }

    fn least_picture(&self) -> LeastSize {
        GatherFigure::LEAST
    }

    fn describe(&self) -> Vec<String> {
        let (plan, time) = (&self.migrated.plan, &self.migrated.plan.time);
        let smoothed = self.migrated.rtm.smooth;
        let what = format!(
            "{}: {} migrated through {} nodes of {}{}",
            self.job.file.model_name(),
            counted(plan.shots.len(), "shot"),
            by(plan.survey_grid(), plan.survey_grid().n, ""),
            by(&plan.grid, plan.grid.h.map(rounded), " m"),
            smoothed.map_or_else(String::new, |length| format!(", smoothed over {length} m")),
        );
        let (every, ms) = (rounded(self.migrated.every as f64 * time.dt), rounded(1e3 * time.dt));
        vec![what, format!("{} steps of {ms} ms, imaged every {every} s", time.steps)]
    }

    fn warnings(&self) -> Vec<String> {
        let of_migration = self.migrated.warnings(&self.job.inputs.setup).into_iter();
        let of_migration = of_migration.map(|warning| warning.to_string());
        self.job.warnings().into_iter().chain(of_migration).collect()
    }

    fn demand(&mut self, engines: &[&dyn Engine]) -> Result<Demand, EngineError> {
        demand(&self.job.inputs, &mut self.migrated, self.samples, engines)
    }

    fn estimate(
        &self,
        engine: &dyn Engine,
        seconds: Option<f64>,
    ) -> Result<Option<Estimate>, EngineError> {
        let plan = &self.migrated.plan;
        let all: Vec<usize> = (0..plan.shots.len()).collect();
        Ok(Some(self.migrated.migration(engine, plan, &all, 1)?.estimate(seconds)))
    }

    fn resume(&mut self, run: &Running<'_>, earlier: EarlierWork) -> Result<usize, RunError> {
        self.stacking.resume(run, earlier)
    }

    fn work(&mut self, run: &Running<'_>) -> Result<Work, RunError> {
        let wants_movie = self.migrated.rtm.movie.is_some();
        if wants_movie && !run.is_whole {
            tracing::warn!("rtm.movie is ignored: a task makes no movie");
        }
        let recorded = self.recorded.take();
        let MigrationRun { job, migrated, stacking, .. } = self;
        let left = &stacking.left.clone();
        let scale = scale(&migrated.plan, migrated.every);
        let (results, quantity) = (run.results, Quantity::IMAGE);
        let output = Output { results, migrated, heading: HEADING, quantity, scale };
        let mut movie =
            if run.is_whole { Movie::new(&output, run.at, run.share.len()) } else { None };
        let mut order = InOrder::new(left);
        let begin = &mut |stage: Stage<'_>| stage.shown(run, left.len());
        let migrating = Migrating { engines: run.engines, inputs: &job.inputs, migrated, left };
        let done = migrating.run(recorded, begin, &mut |partial| {
            let Some(movie) = &mut movie else { return stacking.add(run, partial) };
            order.add(partial);
            for partial in order.by_ref() {
                stacking.add(run, partial)?;
                movie.hear(&output, &stacking.stack);
            }
            Ok(())
        });
        let done = done.map_err(|error: RunError| error.with_shots(left))?;
        if let Some(likeness) = done.direct {
            let line = format_args!("the recorded traces and the direct waves: {likeness}");
            run.face.tell(&line);
        }
        let updates =
            migrated.plan.part(left).updates() * done.cost.map_or(0.0, |cost| cost.runs + 1.0);
        let memory = memory(migrated, done.at_once, done.cost);
        let (pieces, timings) = (left.len(), DeviceWork::total(&done.devices));
        self.movie = movie;
        Ok(Work { pieces, devices: done.devices, timings, updates, memory, ..Work::default() })
    }

    fn save(&mut self, run: &Running<'_>) -> SavedWork {
        self.stacking.save(run)
    }

    fn write(&mut self, results: &Results<'_>) -> Result<(), RunError> {
        let movie = self.movie.take();
        let output = self.output(results);
        if let Some(stack) = self.stacking.sum(&output.scale, &self.migrated.offsets) {
            output.all(&stack)?;
        }
        Ok(movie.map_or(Ok(()), |movie| movie.write(&output))?)
    }

    fn merge(&mut self, tasks: &TaskOutputs, results: &Results<'_>) -> Result<Vec<Done>, RunError> {
        self.stacking.take(tasks)?;
        self.write(results)?;
        Ok(Vec::new())
    }

    fn summary(&self, _: &Running<'_>, work: &Work, seconds: f64) -> String {
        format!(
            "{} migrated{} in {seconds:.3} s, {:.3} s of it stepping, and {} stacked",
            counted(work.pieces, "shot"),
            on(work.devices.len()),
            work.timings.stepping,
            self.stacking.stack.shots()
        )
    }
}
