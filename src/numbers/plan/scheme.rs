//! The operators and the steps of a Plan, for its medium.

use super::{ModelValues, PlanError, Setup, medium, time::TimeAxis};
use crate::{
    acquisition::TimeDispersion,
    medium::Medium,
    stencil::{Family, Media, Operators},
};

/// How a Plan steps.
pub(super) struct Scheme {
    pub time: TimeAxis,
    pub operators: Operators,
    pub medium: Medium,
}

impl Scheme {
    /// The time axis of a setup, the operators for its step, and its medium; `all` are the velocities of
    /// each model.
    pub(crate) fn new(
        setup: &Setup,
        media: &Media,
        all: &[ModelValues],
    ) -> Result<Self, PlanError> {
        let steps = setup.operator.steps(media)?;
        let is_fitted = matches!(setup.operator, Family::Ete { .. });
        if is_fitted && setup.time.dispersion == TimeDispersion::Corrected {
            return Err(PlanError::NothingToCorrect);
        }
        if let Some(vti) = medium::vti(setup, media, &all[0])? {
            let steps = medium::vti_steps(&vti, steps, all);
            let time = TimeAxis::new(&setup.time, steps, setup.allow_unstable)?;
            let operators = setup.operator.operators(media, time.dt)?;
            return Ok(Scheme { time, operators, medium: Medium::Vti(Box::new(vti)) });
        }
        let Some(density) = medium::density(setup, media, &all[0])? else {
            let time = TimeAxis::new(&setup.time, steps, setup.allow_unstable)?;
            let operators = setup.operator.operators(media, time.dt)?;
            return Ok(Scheme { time, operators, medium: Medium::Velocity });
        };
        let steps = medium::steps(&density, steps, media.fastest, all);
        let time = TimeAxis::new(&setup.time, steps, setup.allow_unstable)?;
        let operators = setup.operator.operators(media, time.dt)?;
        Ok(Scheme { time, operators, medium: Medium::Density(density) })
    }
}
