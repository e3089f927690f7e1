//! A job held against an engine and the memory.

use crate::{
    cli::failure::Failure,
    engine::{
        Engine,
        tune::{Choices, Runner},
    },
    operations::check::{Configured, Report},
    run::{Operation, PreparedJob},
};

/// The report on a job, and why it cannot run.
pub(crate) struct Weighed<'a> {
    pub(crate) report: Report<'a>,
    /// The refusal of the engine or for memory.
    pub(crate) refused: Option<Failure>,
}

impl<'a> Weighed<'a> {
    /// Of a job on an engine, chosen by the program if `auto`.
    pub(crate) fn new(
        job: &'a PreparedJob<'_>,
        configured: &mut Configured<'_>,
        engine: &dyn Engine,
        auto: bool,
    ) -> Self {
        let (file, inputs) = (job.file, &job.inputs);
        let plan = &inputs.plan;
        let (at_once, mut refused) = match engine.batch(plan) {
            Ok(shots) => (shots, None),
            Err(error) => (1, Some(error)),
        };
        let batch = plan.batch(0..at_once.min(plan.shots.len()));
        let runner = Runner::new(engine, auto, &batch, &Choices::load());
        let mut report = Report::new(file, inputs, runner, at_once);
        if configured.shots.is_none() {
            // Doubts about the recording are printed before; warnings about waves do not apply to its noise.
            report.warnings.clear();
        }
        let shots = configured.shots.iter();
        let mut demands: Vec<_> = shots.map(|shots| shots.demand_of(engine, at_once)).collect();
        if refused.is_none() {
            let mut add = |operation: &mut dyn Operation| {
                demands.push(operation.demand(&[engine])?);
                let estimate = operation.estimate(engine, report.seconds)?;
                report.migration = report.migration.take().or(estimate);
                Ok(())
            };
            refused = configured.others.iter_mut().try_for_each(|of| add(of.as_mut())).err();
        }
        let unheld = demands.iter().find_map(|demand| demand.check(plan).err());
        report.add_demands(demands, engine, &batch);
        let message = refused.as_ref().map(ToString::to_string);
        report.refused = message.or_else(|| unheld.as_ref().map(ToString::to_string));
        let refused = refused.map(Failure::from).or(unheld.map(Failure::input));
        Weighed { report, refused }
    }
}
