//! The uses of an engine, from a Plan to results; no files and no terminal.

mod devices;
pub mod gradient;
#[cfg(feature = "invert")]
pub mod invert;
pub mod locate;
pub mod misfit;
mod queue;
pub mod rtm;
pub mod shot;
#[cfg(feature = "gpu")]
pub mod tune;
pub mod zero_offset;

pub use devices::Did;

use huygens_engine as engine;
#[cfg(feature = "files")]
use huygens_io as io;
use huygens_numbers::{
    acquisition, boundary, conditioning, grid, host, model, plan, remedy, rounded, single, stencil,
};
