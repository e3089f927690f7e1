//! Warnings of a migration before it runs.

use super::{Migrated, NotUniform};
use crate::{job::Direct, plan::Setup};

/// What makes the image of a migration worse than it could be.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MigrationWarning {
    /// Imaging steps too far apart for the highest frequency.
    #[error(
        "imaging steps {apart:.4} s apart alias frequencies up to {highest:.1} Hz; the longest interval without aliasing is \
         rtm.interval = {longest:.4}"
    )]
    Aliased {
        /// Seconds between imaging steps.
        apart: f64,
        /// The highest frequency of the wavelets, Hz.
        highest: f64,
        /// The longest interval without aliasing, s.
        longest: f64,
    },
    /// A modelled direct wave that is not quite that of the model.
    #[error(transparent)]
    NotUniform(#[from] NotUniform),
}

impl Migrated {
    /// Its warnings, for the shots of the setup that it was made from.
    pub fn warnings(&self, setup: &Setup) -> Vec<MigrationWarning> {
        let (dt, highest) = (self.plan.time.dt, self.plan.highest);
        let aliased = (self.every > self.most).then_some(MigrationWarning::Aliased {
            apart: self.every as f64 * dt,
            highest,
            longest: self.most as f64 * dt,
        });
        let uniform = match self.rtm.direct {
            Direct::Modelled => NotUniform::find(setup).map(MigrationWarning::NotUniform),
            _ => None,
        };
        aliased.into_iter().chain(uniform).collect()
    }
}
