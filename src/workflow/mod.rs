//! The uses of an engine, from a Plan to results; no files and no terminal.

mod devices;
pub mod gradient;
#[cfg(feature = "invert")]
pub mod invert;
#[cfg(feature = "ladder")]
pub mod ladder;
pub mod locate;
pub mod misfit;
mod queue;
pub mod rtm;
pub mod shot;
#[cfg(feature = "gpu")]
pub mod tune;
pub mod zero_offset;

pub use devices::Did;
