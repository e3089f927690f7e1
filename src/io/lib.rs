//! Files: arrays in and out, and output that is complete or absent.
//!
//! To add a format: a file here, opened by `access::open`, with its own errors; tests in
//! `tests/formats/` and `tests/hostile/`; a section of `docs/formats.md`; a target in `fuzz/` and
//! its `[[bin]]`. If it holds models, a variant of `Format` in `model_file/`. To add a value in
//! place of a header: a field of `segy::Overrides` or `gather_file::Given`, a key in
//! `src/job/headers.rs`, a flag in `src/cli/command/gather/headers.rs`, and a line in
//! `docs/your-data.md`.

#![warn(unreachable_pub)]

pub mod access;
mod behind;
mod byte_order;
pub mod cache;
pub(crate) mod column_stream;
pub mod columns;
mod commit;
pub mod digest;
pub mod dir;
pub mod earlier_runs;
pub mod file_axis;
mod floats;
pub mod folder;
mod folder_error;
pub mod gather_arrays;
pub mod gather_file;
#[cfg(feature = "render")]
pub mod gif;
mod gzip;
pub mod hdf5;
pub mod journal;
mod lock;
mod made;
pub mod model_file;
pub mod model_unit;
pub mod npy;
pub mod npz;
#[cfg(feature = "render")]
pub mod pdf;
mod piece;
#[doc(hidden)]
pub mod placement;
#[cfg(feature = "render")]
pub mod png;
#[cfg(feature = "jobs")]
pub mod positions;
pub mod raw;
mod room;
pub mod rsf;
pub mod segy;
pub mod spool;
mod staging;
#[cfg(feature = "render")]
pub mod svg;
mod synced;
pub mod vti;
pub mod whole;

pub use byte_order::ByteOrder;

#[cfg(feature = "render")]
use huygens_numbers::picture;
use huygens_numbers::{conditioning, fault, grid, host, message, model, program, rounded};
