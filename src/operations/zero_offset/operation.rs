//! A zero-offset section, or its migration, as a run.

use super::{
    Section, ZeroOffset,
    files::{Frames, Output},
    image, section,
};
use crate::{
    engine::{Engine, EngineError, SnapshotView, Timings},
    job::{JobError, JobFile},
    operations::{
        OnSnapshot, OnStep,
        shot::{steps_of, summary},
    },
    plan::Warning,
    render::{GatherFigure, LeastSize},
    run::{Activity, Demand, Operation, PreparedJob, RunError, Running, Work, by, steps},
};
use ndarray::{Array2, Array3};
use std::{path::Path, time::Instant};

/// What a zero-offset run makes.
pub enum ZeroOffsetResult {
    /// A section, shape `[receiver][time]`.
    Section(Array2<f32>),
    /// The image of one on the model's nodes, shape `[y][x][z]`.
    Image(Array3<f32>),
}

/// A zero-offset run of a job.
pub struct ZeroOffsetRun<'a> {
    job: PreparedJob<'a>,
    direction: ZeroOffset,
    of_waves: Vec<Warning>,
}

impl<'a> ZeroOffsetRun<'a> {
    /// Reads what a job names, and the section that is to be migrated, if it is one.
    pub(crate) fn prepare(file: &'a JobFile, migrate: Option<&Path>) -> Result<Self, JobError> {
        ZeroOffsetRun::of(PreparedJob::new(file)?, migrate)
    }

    /// [`ZeroOffsetRun::prepare`] of a job that is read.
    pub(crate) fn of(mut job: PreparedJob<'a>, migrate: Option<&Path>) -> Result<Self, JobError> {
        let section = migrate.map(|path| job.file.section(path, &mut job.inputs)).transpose()?;
        ZeroOffsetRun::of_section(job, section)
    }

    /// The section of a job that is read or, if one is given, its migration.
    pub fn of_section(
        mut job: PreparedJob<'a>,
        section: Option<Section>,
    ) -> Result<Self, JobError> {
        let (direction, warnings) = job.file.zero_offset(section, &mut job.inputs)?;
        let of_waves = job.file.with_remedies_that_do(warnings, None);
        Ok(ZeroOffsetRun { job, direction, of_waves })
    }

    /// Warnings about the waves of a section.
    pub(crate) fn of_waves(&self) -> &[Warning] {
        &self.of_waves
    }

    /// Samples of a trace of the section.
    pub fn samples(&self) -> usize {
        match &self.direction {
            ZeroOffset::Forward(forward) => forward.samples(),
            ZeroOffset::Backward(_, section) => section.gather.ncols(),
        }
    }

    /// Seconds between them.
    pub fn interval(&self) -> f64 {
        match &self.direction {
            ZeroOffset::Forward(forward) => forward.interval(),
            ZeroOffset::Backward(_, section) => section.interval,
        }
    }

    /// Makes the section or the image. `progress` receives the steps done and may stop the run;
    /// `heard` receives each snapshot as it comes.
    pub fn make(
        &self,
        engine: &dyn Engine,
        progress: &mut OnStep<'_>,
        heard: &mut OnSnapshot<'_>,
    ) -> Result<(ZeroOffsetResult, Timings), EngineError> {
        Ok(match &self.direction {
            ZeroOffset::Forward(forward) => {
                let (made, timings) = section(engine, forward, progress, heard)?;
                (ZeroOffsetResult::Section(made), timings)
            }
            ZeroOffset::Backward(backward, _) => {
                let (made, timings) = image(engine, backward, progress, heard)?;
                (ZeroOffsetResult::Image(made), timings)
            }
        })
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
        let (began, output) = (Instant::now(), Output { results: run.results, inputs });
        let mut frames = Frames::new(file, inputs, self.direction.section(), run.at)?;
        let steps = steps_of(run.engines, &inputs.plan)?;
        let updates = inputs.plan.updates();
        let shown = run.face.show(Activity::of_run(&inputs.plan, steps));
        let mut hear = |step| shown.hear(step);
        let mut heard = |snapshot: &SnapshotView<'_>| frames.record(snapshot);
        let (made, timings) = self.make(run.engines[0], &mut hear, &mut heard)?;
        match made {
            ZeroOffsetResult::Section(made) => output.section(&made, self.interval())?,
            ZeroOffsetResult::Image(made) => output.image(&made)?,
        }
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
