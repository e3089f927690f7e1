//! The CPU engines: the oracle and the fast engine that users run.

mod aligned;
mod bands;
mod blocks;
mod cache;
mod coefficients;
mod columns;
mod cpml;
mod denormal;
mod fourth;
mod front;
mod layers;
mod memory;
mod padded;
mod parallel;
mod pool;
mod potential;
mod reference;
mod reference_vti;
mod run;
mod scatter;
mod schedule;
mod share;
mod shared;
mod stations;
mod surface;
mod tap;
mod transposed;
mod vectors;
mod vti;
mod wavefield;

pub use parallel::Parallel;
pub use reference::Reference;
