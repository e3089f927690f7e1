//! Models the shots of a Plan.

mod batches;
#[cfg(feature = "runs")]
pub mod files;
mod in_memory;
#[cfg(feature = "runs")]
mod memory;
#[cfg(feature = "runs")]
mod merge;
#[cfg(feature = "runs")]
mod operation;
#[cfg(test)]
mod over_devices;
mod stream;

pub(crate) use batches::of_shot;
pub use batches::{ShotResult, model, total_steps};
pub use in_memory::{Modelled, run};
#[cfg(feature = "runs")]
pub(crate) use memory::of_shots;
#[cfg(feature = "runs")]
pub use operation::ShotRun;
#[cfg(feature = "runs")]
pub(crate) use operation::summary;
pub use stream::{steps_of, stream, waiting};
