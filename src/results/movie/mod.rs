//! Movies of a field: frames as they come out of a run, kept on disk, and drawn once all of them are known.

mod planes;
mod reel;

pub use planes::{joined, parted};
pub use reel::{Colours, Film, Reel};
