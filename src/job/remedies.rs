//! The remedies of dispersion that a job can take.

use super::{Inputs, JobFile, OneOrEach, Step, model::BUILTIN};
use crate::{plan::Warning, remedy::Remedy};

/// A finer grid with more nodes is neither tried nor suggested.
const MOST_NODES: usize = 1 << 24;

impl JobFile {
    /// Warnings before the job runs.
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

    /// True if the job would run with a remedy, with its waves in step. A spacing samples a
    /// built-in model anew, including the faster or slower rock between its nodes; for a file it
    /// would be a stretch.
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
        let in_step =
            |inputs: Inputs| inputs.plan.dispersion().is_none_or(|dispersion| dispersion.is_fine());
        finer.inputs(false).is_ok_and(in_step)
    }
}
