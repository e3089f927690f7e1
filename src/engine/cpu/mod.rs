//! The CPU engines: the oracle and the one that users run; and the ladder's first rung.

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
