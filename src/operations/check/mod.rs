//! What is known of a job before it runs: a report, its pictures, and what its tasks need.

mod dispersion;
mod gathers;
mod report;
mod survey;
mod task;

pub use dispersion::dispersion;
pub use gathers::{CheckedGathers, MissingGather};
pub use report::Report;
pub use survey::over_the_model;
pub use task::{TaskCommand, TaskNeeds};
