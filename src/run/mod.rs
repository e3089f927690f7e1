//! The life of a run: what an earlier run has left in its folder, the shares of tasks, and the record.

mod record;
pub mod survey;

pub use record::{Elapsed, Ended, Record, has_read, is_of};
