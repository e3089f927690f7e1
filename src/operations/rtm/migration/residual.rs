//! Migration of residuals: what is sent back is made of the traces that the source wave records.

use super::{Back, Batch, BatchObserver, Migration, SourceWave};
use crate::{
    engine::{EngineError, Gathers, Run},
    misfit::Likeness,
    single::Single,
};
use ndarray::{Array2, Ix2};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// How the modelled traces of a shot compare with the observed ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ShotMisfit {
    /// J of the shot.
    pub misfit: f64,
    /// The scale and polarity of the traces, if observed ones are known.
    pub likeness: Likeness,
}

/// The misfit of a shot of the Plan, by its index, and the traces to send back for it, from those that it recorded; both
/// `[receiver][sample]` of the Plan's record, corrected for time dispersion if the Plan's are.
pub type Residual<'r> = dyn Fn(usize, Array2<f32>) -> (ShotMisfit, Single<Ix2>) + Sync + 'r;

impl<'a> Migration<'a> {
    /// The migration of residuals: the source wave of each shot records its traces, and what
    /// `residual` makes of them is sent back, in place of given gathers.
    #[must_use]
    pub fn of_residuals(self, residual: &'a Residual<'a>) -> Self {
        Migration { residual: Some(residual), ..self }
    }
}

impl Migration<'_> {
    /// Ends the source wave of a batch; the residuals of its traces, if they are sent back, go into
    /// the backward run.
    pub(super) fn answer(
        &self,
        source: &mut SourceWave,
        backward: &mut dyn Run,
        batch: &mut Batch,
        hear: &mut BatchObserver<'_>,
    ) -> Result<(), EngineError> {
        source.finish(self.plan.time.steps, hear)?;
        let Some(residual) = self.residual else { return Ok(()) };
        let recorded = std::mem::take(&mut hear.recorded.shots);
        let numbered = batch.shots.clone().into_par_iter().zip(recorded);
        let residuals = numbered.map(|(shot, mut gather)| {
            self.plan.correct(&mut gather);
            let shape = gather.dim();
            let (misfit, mut traces) = residual(shot, gather);
            if traces.values.dim() != shape {
                return Err(EngineError::Unsound);
            }
            self.plan.correct_adjoint(&mut traces.values);
            Ok((misfit, traces))
        });
        let comparing = tracing::info_span!(target: "timeline", "comparing traces");
        let residuals = comparing.in_scope(|| residuals.collect::<Result<Vec<_>, _>>())?;
        drop(comparing);
        let _span = tracing::info_span!(target: "timeline", "setting up").entered();
        let (misfits, traces) = residuals.into_iter().unzip();
        let back = Back { misfits, ..self.back(&batch.shots, traces)? };
        // For parts of the source wave that are run again.
        hear.recorded = Gathers::new(batch.recording());
        match backward.restart(&batch.back.insert(back).plan)? {
            true => Ok(()),
            false => Err(EngineError::Unsound),
        }
    }
}
