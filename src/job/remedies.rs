//! Of the changes that would keep waves in step, those that a job takes.

use super::{Inputs, JobFile, OneOrEach, Step, model::BUILTIN};
use crate::{plan::Warning, remedy::Remedy};

/// Nodes of a finer grid beyond which it is not tried, and so not told.
const MOST_NODES: usize = 1 << 24;

impl JobFile {
    /// What a user should know before the job runs.
    pub fn warnings(&self, inputs: &Inputs) -> Vec<Warning> {
        self.with_remedies_that_do(inputs.plan.warnings())
    }

    /// Warnings without the remedies that the job would not take.
    pub fn with_remedies_that_do(&self, mut warnings: Vec<Warning>) -> Vec<Warning> {
        for warning in &mut warnings {
            if let Warning::Dispersion { remedies, .. } = warning {
                remedies.retain(|remedy| self.takes(remedy));
            }
        }
        warnings
    }

    /// Whether the job would run with a remedy, and its waves keep in step. A spacing samples a built-in model anew,
    /// and with it what is faster or slower between its nodes; of a file it would be a stretch.
    fn takes(&self, remedy: &Remedy) -> bool {
        let Remedy::Spacing { spacing, nodes, volume, step } = *remedy else { return true };
        let built_in =
            self.job.model.velocity.as_ref().is_some_and(|name| name.starts_with(BUILTIN));
        let many = nodes.x.checked_mul(nodes.y).and_then(|columns| columns.checked_mul(nodes.z));
        if !built_in || many.is_none_or(|nodes| nodes > MOST_NODES) {
            return false;
        }
        let mut finer = self.clone();
        finer.job.model.spacing = Some(OneOrEach::Each(spacing.in_model(volume)));
        finer.job.model.nodes = Some(nodes.in_model(volume));
        if let Some(step) = step {
            finer.job.time.step = Step::Seconds(step.seconds);
        }
        let in_step = |inputs: Inputs| {
            let dispersion = inputs.plan.dispersion();
            dispersion.is_none_or(|waves| !waves.is_out_of_step() && !waves.is_sparse())
        };
        finer.inputs(false).is_ok_and(in_step)
    }
}
