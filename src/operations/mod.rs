//! What an engine is used for: one folder for each operation.
//!
//! The numbers of an operation take arrays and engines. With job files come its preparation from a
//! job, and with pictures the files that it writes.
//!
//! To add an operation: a folder here with its preparation, its work and its files, and its `pub
//! mod`; a struct that is an `Operation` (`src/run/operation.rs`); its keys in `src/job/`; a
//! command in `src/cli/command/`; a case in `xtask/src/golden/cases.rs`. Files and pictures of a
//! run are in `files/` of the operation, the pictures of stored results in its `stored.rs`.

use crate::engine::SnapshotView;
#[cfg(feature = "cli")]
use crate::results::ResultPicture;
use std::ops::ControlFlow;

#[cfg(feature = "runs")]
pub(crate) mod check;
pub mod gradient;
#[cfg(feature = "invert")]
pub mod invert;
#[cfg(feature = "jobs")]
mod keys;
pub mod locate;
#[cfg(feature = "jobs")]
pub mod lsrtm;
#[cfg(feature = "jobs")]
pub mod recorded;
pub mod rtm;
pub mod shot;
#[cfg(feature = "invert")]
mod smoothing;
pub mod zero_offset;

#[cfg(feature = "runs")]
pub(crate) use {
    gradient::GradientRun, invert::InversionRun, locate::LocationRun, lsrtm::LeastSquaresRun,
    rtm::MigrationRun, shot::ShotRun, zero_offset::ZeroOffsetRun,
};

/// How each operation draws its results again.
#[cfg(feature = "cli")]
pub(crate) const PICTURES: [&[ResultPicture]; 6] = [
    locate::files::PICTURES,
    shot::files::PICTURES,
    zero_offset::files::PICTURES,
    gradient::PICTURES,
    invert::PICTURES,
    rtm::files::PICTURES,
];

/// Receives the steps that are done, and may stop the work.
pub type OnStep<'h> = dyn FnMut(usize) -> ControlFlow<()> + Send + 'h;

/// Receives snapshots as they come.
pub(crate) type OnSnapshot<'h> = dyn FnMut(&SnapshotView<'_>) + Send + 'h;

/// Receives the steps that are done and all of them, and may stop the work.
pub(crate) type OnSteps<'h> = dyn FnMut(usize, usize) -> ControlFlow<()> + Send + 'h;
