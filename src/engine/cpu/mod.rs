//! The CPU engines: the oracle and the fast engine that users run.

mod aligned;
mod bands;
mod cache;
mod coefficients;
mod columns;
mod cpml;
mod fourth;
mod front;
mod layers;
mod memory;
mod padded;
mod parallel;
mod reference;
mod run;
mod scatter;
mod share;
mod stations;
mod surface;
mod tap;
mod transposed;
mod vectors;
mod wavefield;

pub use parallel::Parallel;
pub use reference::Reference;
