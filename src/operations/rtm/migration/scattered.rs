//! Migration of scattered waves: what is sent back is made of the traces of the wave that a
//! perturbation of the model scatters, so that the images are those of the normal operator F'F.

use super::{Batch, BatchObserver, Migration, Residual};
use crate::{
    engine::{EngineError, Run},
    plan::{Plan, Scattering},
};
use ndarray::Array3;
use std::sync::Arc;

/// The waves of all shots that come before those sent back.
pub(super) struct Waves {
    /// That of the sources.
    pub(crate) forward: Plan,
    /// That which scatters from it, if there is a perturbation.
    pub(crate) scattered: Option<Plan>,
}

/// The wave of the sources, and the wave that scatters from it.
pub(super) struct SourceWave {
    pub(crate) forward: Box<dyn Run>,
    pub(crate) scattered: Option<Box<dyn Run>>,
}

impl<'a> Migration<'a> {
    /// The migration of what a perturbation e scatters, `[y][x][z]`: its traces go through `residual`
    /// and are sent back, in place of given gathers. Every imaging step scatters as much as the steps
    /// up to the next, so that traces of the wavelets' band are those of every step.
    #[must_use]
    pub fn of_scattered(self, e: &Array3<f64>, residual: &'a Residual<'a>) -> Self {
        let perturbation = Some(Arc::new(e * self.imaging.every as f64));
        Migration { perturbation, residual: Some(residual), ..self }
    }
}

impl Migration<'_> {
    /// The waves of the shots of a Plan before those sent back.
    pub(super) fn waves(&self, plan: &Plan) -> Waves {
        let forward = plan.stored(self.imaging);
        match (&self.perturbation, self.residual) {
            (Some(e), _) => {
                let perturbation = Array3::clone(e);
                let scattering = Scattering { imaging: self.imaging, perturbation };
                Waves { forward, scattered: Some(plan.scattered(scattering)) }
            }
            (None, Some(_)) => Waves { forward: plan.with_traces(forward), scattered: None },
            (None, None) => Waves { forward, scattered: None },
        }
    }
}

impl SourceWave {
    /// Runs to a step, the beginning of a part or the last. The scattered wave follows through each
    /// part while its imaging steps are stored, up to the step before the last; `parts` are their
    /// first steps.
    pub(super) fn advance_to(
        &mut self,
        step: usize,
        parts: &[usize],
        hear: &mut BatchObserver<'_>,
    ) -> Result<(), EngineError> {
        let SourceWave { forward, scattered } = self;
        let forward = forward.as_mut();
        // Parts that are run again have scattered already.
        let Some(scattered) = scattered.as_mut().filter(|wave| wave.step() <= forward.step())
        else {
            return hear.advance_to(forward, step);
        };
        let between = parts.iter().copied().filter(|first| *first < step);
        for end in between.chain([step]).filter(|end| *end > 0) {
            let from = forward.step();
            if end <= from {
                continue;
            }
            // A step into a part stores its first imaging step, which scatters together with the last of
            // the part before.
            hear.advance_to(forward, from + 1)?;
            hear.advance_to(scattered.as_mut(), from)?;
            hear.advance_to(forward, end)?;
            hear.advance_to(scattered.as_mut(), end - 1)?;
        }
        Ok(())
    }

    /// Restarts with a batch; false if it cannot.
    pub(super) fn restart(&mut self, batch: &Batch) -> Result<bool, EngineError> {
        let Batch { forward, scattered, .. } = batch;
        let restarted = match (&mut self.scattered, scattered) {
            (Some(run), Some(plan)) => run.restart(plan)?,
            (None, None) => true,
            _ => false,
        };
        Ok(restarted && self.forward.restart(forward)?)
    }

    /// Ends both waves; their traces are in what `hear` has recorded.
    pub(super) fn finish(
        &mut self,
        steps: usize,
        hear: &mut BatchObserver<'_>,
    ) -> Result<(), EngineError> {
        self.forward.finish(&mut hear.recorded)?;
        let Some(scattered) = &mut self.scattered else { return Ok(()) };
        hear.advance_to(scattered.as_mut(), steps)?;
        scattered.finish(&mut hear.recorded)?;
        Ok(())
    }
}
