//! A zero-offset section, or its migration, as a run.

use super::{
    ZeroOffset,
    files::{Frames, Output},
    image, section,
};
use crate::{
    engine::{Engine, EngineError, SnapshotView},
    job::{Inputs, JobError, JobFile},
    operations::shot::{steps_of, summary},
    plan::{Plan, Warning},
    render::GatherFigure,
    run::{Activity, Demand, Made, Operation, Record, RunError, Running, Work, by, steps},
};
use std::{path::Path, time::Instant};

/// A zero-offset run of a job.
pub struct ZeroOffsetRun<'a> {
    file: &'a JobFile,
    inputs: Inputs,
    direction: ZeroOffset,
    warnings: Vec<Warning>,
}

impl<'a> ZeroOffsetRun<'a> {
    /// Reads what a job names, and the section that is to be migrated, if it is one.
    ///
    /// # Errors
    ///
    /// A mistake in the job or in its files.
    pub fn prepare(file: &'a JobFile, migrate: Option<&Path>) -> Result<Self, JobError> {
        let mut inputs = file.inputs()?;
        let (direction, warnings) = file.zero_offset(migrate, &mut inputs)?;
        Ok(ZeroOffsetRun { file, inputs, direction, warnings })
    }
}

impl<'a> Operation<'a> for ZeroOffsetRun<'a> {
    const COMMAND: &'static str = "zero-offset";
    const SENDS_BACK: bool = false;

    fn file(&self) -> &'a JobFile {
        self.file
    }

    fn plan(&self) -> &Plan {
        &self.inputs.plan
    }

    fn files(&self) -> &[(String, String)] {
        &self.inputs.files
    }

    fn can_resume(&self) -> bool {
        false
    }

    /// A section that is migrated may be of the run whose results are replaced.
    fn keeps_what_it_reads(&self) -> bool {
        true
    }

    fn least_picture(&self) -> (u32, u32) {
        GatherFigure::LEAST
    }

    fn describe(&self) -> Vec<String> {
        let plan = &self.inputs.plan;
        let what = match self.direction {
            ZeroOffset::Forward(_) => "exploding reflectors",
            ZeroOffset::Backward(..) => "a zero-offset section sent back",
        };
        let (name, nodes) = (self.file.model_name(), by(&plan.model_grid, plan.model_grid.n, ""));
        vec![format!("{name}: {what}, {nodes} nodes at half the velocities"), steps(&plan.time)]
    }

    fn warnings(&self) -> Vec<String> {
        let crowded = self.inputs.plan.crowded().map(Warning::Crowded);
        let warnings = self.file.with_remedies_that_do(self.warnings.clone(), None);
        warnings.into_iter().chain(crowded).map(|warning| warning.to_string()).collect()
    }

    fn demand(&mut self, engines: &[&dyn Engine]) -> Result<Demand, EngineError> {
        Ok(Demand::of_zero_offset(&self.direction, &self.inputs.model, engines[0]))
    }

    fn work(&mut self, run: &Running<'_>) -> Result<Work, RunError> {
        let (inputs, engine) = (&self.inputs, run.engines[0]);
        let (began, output) = (Instant::now(), Output { results: run.results, inputs });
        let mut frames = Frames::new(self.file, inputs, self.direction.section(), run.at)?;
        let steps = steps_of(run.engines, &inputs.plan)?;
        let updates = inputs.plan.updates();
        let shown = run.face.show(Activity::of_run(&inputs.plan, steps));
        let mut hear = |step| shown.hear(step);
        let mut heard = |snapshot: &SnapshotView<'_>| frames.record(snapshot);
        let timings = match &self.direction {
            ZeroOffset::Forward(forward) => {
                let (made, timings) = section(engine, forward, &mut hear, &mut heard)?;
                output.section(&made, forward.interval())?;
                timings
            }
            ZeroOffset::Backward(backward, _) => {
                let (made, timings) = image(engine, backward, &mut hear, &mut heard)?;
                output.image(&made)?;
                timings
            }
        };
        drop(shown);
        output.field(frames)?;
        let writing = (began.elapsed().as_secs_f64() - timings.stepping).max(0.0);
        let memory = inputs.plan.memory();
        Ok(Work { pieces: 1, timings, writing, updates, memory, ..Work::default() })
    }

    fn record(&self, made: Made) -> serde_json::Result<String> {
        Record::new(Self::COMMAND, &self.file.job, &self.inputs, made).json()
    }

    fn summary(&self, run: &Running<'_>, work: &Work, _seconds: f64) -> String {
        summary(run, work)
    }
}
