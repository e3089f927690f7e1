//! Models the shots of a Plan.

mod in_memory;
mod stream;

pub use in_memory::{Modelled, run};
pub(crate) use stream::of_shot;
pub use stream::{ShotResult, model, steps_of, stream, total_steps, waiting};
