//! The CPU engines: the oracle and the one that users run.

mod columns;
mod layers;
mod parallel;
mod reference;
mod tap;

pub use parallel::Parallel;
pub use reference::Reference;
