//! A zero-offset section, or its migration, as a run.

use super::{
    ZeroOffset,
    files::{Frames, Output},
    image, section,
};
use crate::{
    engine::{Engine, EngineError, SnapshotView},
    job::{JobError, JobFile},
    operations::shot::{steps_of, summary},
    plan::Warning,
    render::{GatherFigure, LeastSize},
    run::{Activity, Demand, Operation, PreparedJob, RunError, Running, Work, by, steps},
};
use std::{path::Path, time::Instant};

/// A zero-offset run of a job.
pub struct ZeroOffsetRun<'a> {
    job: PreparedJob<'a>,
    direction: ZeroOffset,
    of_waves: Vec<Warning>,
}

impl<'a> ZeroOffsetRun<'a> {
    /// Reads what a job names, and the section that is to be migrated, if it is one.
    pub fn prepare(file: &'a JobFile, migrate: Option<&Path>) -> Result<Self, JobError> {
        ZeroOffsetRun::of(PreparedJob::new(file)?, migrate)
    }

    /// [`ZeroOffsetRun::prepare`] of a job that is read.
    pub fn of(mut job: PreparedJob<'a>, migrate: Option<&Path>) -> Result<Self, JobError> {
        let (direction, warnings) = job.file.zero_offset(migrate, &mut job.inputs)?;
        let of_waves = job.file.with_remedies_that_do(warnings, None);
        Ok(ZeroOffsetRun { job, direction, of_waves })
    }

    /// Warnings about the waves of a section.
    pub fn of_waves(&self) -> &[Warning] {
        &self.of_waves
    }
}

impl Operation for ZeroOffsetRun<'_> {
    fn command(&self) -> &'static str {
        "zero-offset"
    }

    fn sends_back(&self) -> bool {
        false
    }

    fn job(&self) -> &PreparedJob<'_> {
        &self.job
    }

    fn can_resume(&self) -> bool {
        false
    }

    /// A section that is migrated may be of the run whose results are replaced.
    fn keeps_what_it_reads(&self) -> bool {
        true
    }

    fn least_picture(&self) -> LeastSize {
        GatherFigure::LEAST
    }

    fn describe(&self) -> Vec<String> {
        let plan = self.plan();
        let what = match self.direction {
            ZeroOffset::Forward(_) => "exploding reflectors",
            ZeroOffset::Backward(..) => "a zero-offset section sent back",
        };
        let name = self.job.file.model_name();
        let nodes = by(&plan.model_grid, plan.model_grid.n, "");
        vec![format!("{name}: {what}, {nodes} nodes at half the velocities"), steps(&plan.time)]
    }

    fn warnings(&self) -> Vec<String> {
        let crowded = self.plan().crowded().map(Warning::Crowded);
        self.of_waves.iter().chain(&crowded).map(ToString::to_string).collect()
    }

    fn demand(&mut self, engines: &[&dyn Engine]) -> Result<Demand, EngineError> {
        Ok(Demand::of_zero_offset(&self.direction, &self.job.inputs.model, engines[0]))
    }

    fn work(&mut self, run: &Running<'_>) -> Result<Work, RunError> {
        let PreparedJob { file, inputs } = &self.job;
        let engine = run.engines[0];
        let (began, output) = (Instant::now(), Output { results: run.results, inputs });
        let mut frames = Frames::new(file, inputs, self.direction.section(), run.at)?;
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

    fn summary(&self, run: &Running<'_>, work: &Work, _seconds: f64) -> String {
        summary(run, work)
    }
}
