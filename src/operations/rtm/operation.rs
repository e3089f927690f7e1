//! The migration of a job's shots as a run.

use super::{
    Migrated, Migrating, Partial, Stage,
    files::{InOrder, Movie, Output, memory},
    scale,
};
use crate::{
    engine::{DeviceWork, Engine, EngineError},
    io::journal::Done,
    job::{Inputs, JobError, JobFile},
    operations::{Hear, recorded::Recorded, shot, stacking::Stacking},
    plan::Plan,
    render::GatherFigure,
    results::Results,
    rounded::rounded,
    run::{
        Activity, Demand, Kept, Made, Operation, Record, RunError, Running, Taken, TaskOutputs,
        Work, by, counted, on,
    },
};

/// The migration of the shots of a job.
pub struct MigrationRun<'a> {
    file: &'a JobFile,
    inputs: Inputs,
    migrated: Migrated,
    /// Those that are not modelled.
    recorded: Option<Recorded>,
    stacking: Stacking,
    movie: Option<Movie>,
    left: Vec<usize>,
}

impl<'a> MigrationRun<'a> {
    /// Reads what a job names for its migration.
    ///
    /// # Errors
    ///
    /// A mistake in the job or in its files.
    pub fn prepare(file: &'a JobFile) -> Result<Self, JobError> {
        let mut inputs = file.inputs()?;
        file.check_heard(&inputs.plan)?;
        let migrated = file.migrated(&inputs.setup, inputs.plan.time.dt)?;
        let recorded = file.recorded(&migrated.plan, &mut inputs)?;
        inputs.files.extend(recorded.iter().filter_map(|recorded| recorded.file.clone()));
        let stacking = Stacking::new(Partial::shapes(&migrated.plan, &migrated.offsets));
        let (movie, left) = (None, Vec::new());
        Ok(MigrationRun { file, inputs, migrated, recorded, stacking, movie, left })
    }

    fn output<'r>(&'r self, results: &'r Results<'r>) -> Output<'r> {
        let scale = scale(&self.migrated.plan, self.migrated.every);
        Output { results, migrated: &self.migrated, scale }
    }
}

impl<'a> Operation<'a> for MigrationRun<'a> {
    const COMMAND: &'static str = "rtm";

    fn file(&self) -> &'a JobFile {
        self.file
    }

    fn plan(&self) -> &Plan {
        &self.inputs.plan
    }

    fn files(&self) -> &[(String, String)] {
        &self.inputs.files
    }

    fn least_picture(&self) -> (u32, u32) {
        GatherFigure::LEAST
    }

    fn describe(&self) -> Vec<String> {
        let (plan, time) = (&self.migrated.plan, &self.migrated.plan.time);
        let smoothed = self.migrated.rtm.smooth;
        let what = format!(
            "{}: {} migrated through {} nodes of {}{}",
            self.file.model_name(),
            counted(plan.shots.len(), "shot"),
            by(&plan.model_grid, plan.model_grid.n, ""),
            by(&plan.grid, plan.grid.h.map(rounded), " m"),
            smoothed.map_or_else(String::new, |length| format!(", smoothed over {length} m")),
        );
        let (every, ms) = (rounded(self.migrated.every as f64 * time.dt), rounded(1e3 * time.dt));
        vec![what, format!("{} steps of {ms} ms, imaged every {every} s", time.steps)]
    }

    fn warnings(&self) -> Vec<String> {
        let warnings = self.file.warnings(&self.inputs).into_iter();
        let of_migration = self.migrated.warnings(&self.inputs.setup).into_iter();
        let warnings = warnings.map(|warning| warning.to_string());
        warnings.chain(of_migration.map(|warning| warning.to_string())).collect()
    }

    fn demand(&mut self, engines: &[&dyn Engine]) -> Result<Demand, EngineError> {
        let recorded = self.recorded.as_ref().map(Recorded::size);
        Demand::of_rtm(&self.inputs, &mut self.migrated, recorded, engines[0], engines.len())
    }

    fn resume(&mut self, run: &Running<'_>, taken: Taken) -> Result<usize, RunError> {
        let done = self.stacking.resume(run, taken)?;
        self.left = self.stacking.left(&run.share);
        Ok(done)
    }

    fn work(&mut self, run: &Running<'_>) -> Result<Work, RunError> {
        let wants_movie = self.migrated.rtm.movie.is_some();
        if wants_movie && !run.is_whole {
            tracing::warn!("rtm.movie is ignored: a task makes no movie");
        }
        let recorded = self.recorded.take();
        let MigrationRun { inputs, migrated, stacking, left, .. } = self;
        let output =
            Output { results: run.results, migrated, scale: scale(&migrated.plan, migrated.every) };
        let mut movie =
            if run.is_whole { Movie::new(&output, run.at, run.share.len()) } else { None };
        let mut order = InOrder::new(left);
        let begin = &mut |stage: Stage<'_>| -> Result<Box<Hear<'_>>, RunError> {
            let (devices, shots) = (run.engines.len(), left.len());
            let shown = run.face.show(match stage {
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
        };
        let migrating = Migrating { engines: run.engines, inputs, migrated, left };
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

    fn save(&mut self, run: &Running<'_>) -> Kept {
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

    fn record(&self, made: Made) -> serde_json::Result<String> {
        Record::new(Self::COMMAND, &self.file.job, &self.inputs, made).json()
    }

    fn summary(&self, _: &Running<'_>, work: &Work, seconds: f64) -> String {
        format!(
            "{} migrated{} in {seconds:.3} s, {:.3} s of them stepping, and {} stacked",
            counted(work.pieces, "shot"),
            on(work.devices.len()),
            work.timings.stepping,
            self.stacking.stack.shots()
        )
    }
}
