//! Models the shots of a Plan.

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

pub use in_memory::{Modelled, run};
#[cfg(feature = "runs")]
pub(crate) use memory::of_shots;
#[cfg(feature = "runs")]
pub use operation::ShotRun;
#[cfg(feature = "runs")]
pub(crate) use operation::summary;
pub(crate) use stream::of_shot;
pub use stream::{ShotResult, model, steps_of, stream, total_steps, waiting};
