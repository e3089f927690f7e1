//! What is known of a job before it runs: a report, its pictures, and what its tasks need.

mod configured;
mod dispersion;
mod gathers;
mod report;
mod survey;
mod task;

pub(crate) use configured::Configured;
pub(crate) use dispersion::dispersion;
pub(crate) use gathers::RecordedSize;
pub(crate) use report::{Report, WindowReport};
pub(crate) use survey::over_the_model;
pub(crate) use task::TaskCommand;
