//! Files: arrays in and out, and output that is complete or absent. A new format is one file here.

pub mod access;
mod byte_order;
pub mod cache;
pub mod column_stream;
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
pub mod npy;
pub mod npz;
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
mod synced;
pub mod velocity_unit;
pub mod vti;
pub mod whole;

pub use byte_order::ByteOrder;

#[cfg(feature = "render")]
use huygens_numbers::picture;
use huygens_numbers::{conditioning, fault, grid, host, message, model, program, rounded};
