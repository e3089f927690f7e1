//! What is known of a job before it runs: a report, its pictures, and what its tasks need.

mod configured;
mod dispersion;
mod gathers;
mod report;
mod survey;
mod task;

pub use configured::Configured;
pub use dispersion::dispersion;
pub(crate) use gathers::RecordedSize;
pub use report::{Report, WindowReport};
pub use survey::over_the_model;
pub use task::{TaskCommand, TaskNeeds};
