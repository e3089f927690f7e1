//! The remedies of dispersion that a job can take.

use super::{Inputs, JobFile, OneOrEach, Step, model::BUILTIN};
use crate::{
    acquisition::Shot,
    grid::Position,
    plan::{Remedy, Warning},
};

/// A finer grid with more nodes is neither tried nor suggested.
const MOST_NODES: usize = 1 << 24;

impl JobFile {
    /// Warnings before the job runs.
    pub fn warnings(&self, inputs: &Inputs) -> Vec<Warning> {
        self.with_remedies_that_do(inputs.plan.warnings(), Some(&inputs.setup.shots))
    }

    /// Warnings without the remedies that the job, or these shots, would not take.
    pub(crate) fn with_remedies_that_do(
        &self,
        mut warnings: Vec<Warning>,
        shots: Option<&[Shot]>,
    ) -> Vec<Warning> {
        for warning in &mut warnings {
            if let Warning::Dispersion { remedies, .. } = warning {
                remedies.retain(|remedy| self.takes(remedy, shots));
            }
        }
        warnings
    }

    /// True if the job would run with a remedy, with its waves in step. A spacing samples a
    /// built-in model anew, including the faster or slower rock between its nodes; for a file it
    /// would be a stretch.
    fn takes(&self, remedy: &Remedy, shots: Option<&[Shot]>) -> bool {
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
        // The outermost receivers of each shot lie in the model, and as far, as all do: a survey may
        // have more than the memory holds twice.
        finer.supplied.shots = shots.map(|shots| shots.iter().map(outermost).collect());
        let in_step =
            |inputs: Inputs| inputs.plan.dispersion().is_none_or(|dispersion| dispersion.is_fine());
        finer.inputs().is_ok_and(in_step)
    }
}

/// A shot with those of its receivers that are first or last along an axis, or the farthest from a
/// source.
fn outermost(shot: &Shot) -> Shot {
    let last = |of: &dyn Fn(&Position) -> f64| {
        shot.receivers.iter().max_by(|a, b| of(a).total_cmp(&of(b))).copied()
    };
    let along: [fn(&Position) -> f64; 6] =
        [|at| at.z, |at| -at.z, |at| at.x, |at| -at.x, |at| at.y, |at| -at.y];
    let along = along.iter().filter_map(|of| last(of));
    let far = shot.sources.iter().filter_map(|source| last(&|at| source.at.distance(at)));
    let receivers: Vec<_> = along.chain(far).collect();
    Shot { sources: shot.sources.clone(), receivers: receivers.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        acquisition::{Source, Wavelet},
        grid::Axes,
    };

    #[test]
    fn the_outermost_receivers_stand_for_all() {
        let at = |x: f64, z: f64| Axes::xz(x, z);
        let receivers = [at(5.0, 1.0), at(4.0, 4.0), at(0.0, 3.0), at(9.0, 2.0), at(8.0, 9.0)];
        let shot = Shot::new(Source::new(at(1.0, 0.0), Wavelet::ricker(10.0)), receivers);
        let some = outermost(&shot);
        assert!(receivers.iter().all(|of| some.receivers.contains(of) == (*of != receivers[1])));
    }
}
