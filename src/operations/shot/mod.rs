//! Models the shots of a Plan.

#[cfg(all(feature = "jobs", feature = "render"))]
pub mod files;
mod in_memory;
#[cfg(test)]
mod over_devices;
mod stream;

pub use in_memory::{Modelled, run};
pub(crate) use stream::of_shot;
pub use stream::{ShotResult, model, steps_of, stream, total_steps, waiting};
