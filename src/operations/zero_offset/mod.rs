//! Zero-offset sections by exploding reflectors (Loewenthal, Lu, Roberson and Sherwood 1976, "The
//! wave equation applied to migration", Geophysical Prospecting 24, 380-399).
//!
//! At normal incidence a wave returns along its path. A source and a receiver at one place
//! therefore record, but for amplitudes, the field of reflectors that all explode at t = 0 in a
//! medium of half the velocity: one simulation whose field at t = 0 is the reflectivity gives the
//! whole section, and the section sent back has the reflectivity as its field at t = 0.
//!
//! Both directions run with an absorbing surface. A reflecting one would send the waves down again,
//! for multiples that no zero-offset section has, and record a derivative of the field instead of
//! the field.

mod backward;
#[cfg(feature = "runs")]
pub(crate) mod files;
mod forward;
#[cfg(feature = "runs")]
mod memory;
#[cfg(feature = "runs")]
mod operation;
#[cfg(feature = "jobs")]
mod prepare;
#[cfg(feature = "jobs")]
mod section;

pub use backward::{Backward, backward, image};
pub use forward::{Forward, forward, section};
#[cfg(feature = "runs")]
pub use operation::{ZeroOffsetResult, ZeroOffsetRun};
#[cfg(feature = "jobs")]
pub(crate) use prepare::ZeroOffset;
#[cfg(feature = "jobs")]
pub use section::Section;

use crate::{
    acquisition::{RecordingError, TimeDispersion},
    boundary::{Absorber, Boundary, Top},
    plan::{PlanError, Setup, Time},
};

/// An error of a section or its image.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ZeroOffsetError {
    #[error("a zero-offset section takes the band of the first source's wavelet; give a source")]
    NoWavelet,
    #[error("the wavelet is silent, and a section in its band would be; give another wavelet")]
    Silent,
    #[error("a zero-offset section is recorded by receivers, and there are none; give a line")]
    NoReceivers,
    #[error(
        "exploding reflectors need edges that absorb, and sides of kind \"zero\" reflect; choose \"cpml\" or \
         \"sponge\""
    )]
    Reflecting,
    #[error(transparent)]
    Recording(#[from] RecordingError),
    #[error(transparent)]
    Plan(#[from] PlanError),
}

/// The setup of a simulation of exploding reflectors: velocities halved, every edge absorbing, one
/// shot.
fn exploding(setup: Setup) -> Result<Setup, ZeroOffsetError> {
    if setup.boundary.sides == Absorber::Zero {
        return Err(ZeroOffsetError::Reflecting);
    }
    let shot = setup.shots.first().ok_or(ZeroOffsetError::NoReceivers)?.clone();
    if shot.receivers.is_empty() {
        return Err(ZeroOffsetError::NoReceivers);
    }
    Ok(Setup {
        model: setup.model.halved(),
        boundary: Boundary { top: Top::Absorb, ..setup.boundary },
        // A correction applies to the wavelet of a source.
        time: Time { dispersion: TimeDispersion::Kept, ..setup.time },
        shots: vec![shot],
        initial: None,
        ..setup
    })
}
