//! Files: arrays in and out, and output that is whole or absent. A new format is one file here.

pub mod cache;
pub mod columns;
pub mod digest;
pub mod folder;
pub mod npy;
pub mod png;
pub mod segy;
