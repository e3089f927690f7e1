//! Every engine against the oracle, and the shaders against a validator.

#[path = "../common/mod.rs"]
mod common;

mod batch;
mod kernels;
mod ladder;
mod memory;
mod oracle;
mod shaders;
mod taps;
mod volume;
