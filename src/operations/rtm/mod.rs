//! Reverse time migration: the wave of each shot runs forward and is stored, its recording is sent
//! back, and both are correlated to the image.
//!
//! It is the adjoint of Born modelling ([`crate::plan::Plan::sent_back`], [`crate::plan::Scattering`]), shot by
//! shot: at each node x
//!
//! ```text
//! I(x) = -k V / v^2(x) sum_t p_tt(x, t) b(x, t) = k V / v^2(x) sum_t p_t(x, t) b_t(x, t)
//! ```
//!
//! over imaging steps k steps apart, with V the volume of a cell, p the wave of the source and b that
//! of point sources at the receivers, which send the traces back in time: the cross-correlation of
//! Claerbout (1971, "Toward a unified theory of reflector mapping", Geophysics 36(3)), and the
//! gradient of Tarantola (1984), in units of the relative change of the squared slowness.

mod angles;
#[cfg(feature = "runs")]
mod check;
mod direct;
#[cfg(feature = "runs")]
pub mod files;
mod image;
#[cfg(feature = "runs")]
mod memory;
mod migration;
#[cfg(feature = "runs")]
mod operation;
#[cfg(feature = "jobs")]
mod prepare;
#[cfg(feature = "runs")]
mod stacking;
#[cfg(feature = "jobs")]
mod survey;
mod traces;
#[cfg(feature = "jobs")]
mod warning;

pub use crate::{
    conditioning::Mute,
    imaging::{Condition, Cost, Estimate, Wavefield, WavefieldReason},
};
pub use angles::angle_gathers;
pub use direct::{NotUniform, direct_waves, without_direct};
pub use image::{Stacked, laplacian};
#[cfg(feature = "runs")]
pub(crate) use memory::{Residuals, Waves, observed, of_migration, of_recordings};
pub(crate) use migration::OnPartial;
pub use migration::{
    Migration, Partial, Residual, ShotMisfit, Stack, Units, limit, most, over, scale, steps_of,
};
#[cfg(feature = "runs")]
pub use operation::MigrationRun;
#[cfg(feature = "jobs")]
pub(crate) use prepare::Migrated;
#[cfg(feature = "runs")]
pub(crate) use stacking::Stacking;
#[cfg(feature = "jobs")]
pub(crate) use survey::Begin;
#[cfg(feature = "jobs")]
pub use survey::{Migrating, MigrationWork, Stage};
pub use traces::{Conditioning, RecordedTraces, Resampling};
#[cfg(feature = "jobs")]
pub use warning::MigrationWarning;
