//! The CPU engines: the oracle, the fast engine that users run, and the first rung of the ladder.

mod aligned;
mod cache;
mod columns;
mod cpml;
pub mod evolved;
mod fourth;
mod front;
mod layers;
mod memory;
mod padded;
mod parallel;
mod rebuilt;
mod reference;
mod scalar;
mod scatter;
mod share;
mod stations;
mod surface;
mod tap;
mod transposed;
mod wavefield;

pub use parallel::Parallel;
pub use reference::Reference;
pub use scalar::Scalar;
