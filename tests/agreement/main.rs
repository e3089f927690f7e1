//! Every engine against the oracle, and the shaders against a validator.

#[path = "../common/mod.rs"]
mod common;

mod batch;
mod density;
mod driven;
mod ete;
mod focus;
mod kernels;
mod ladder;
mod memory;
mod oracle;
mod own_device;
mod scan;
mod shaders;
mod slabs;
mod sleep;
mod sources;
mod split;
mod state;
mod taps;
mod translated;
mod validators;
mod volume;
mod vti;
mod windows;
