//! A survey in its folder: an interrupted run goes on, tasks model shares of the shots, and their
//! outputs are merged.

mod earlier;
mod error;
mod identity;
mod merge;
mod place;
mod remaining;
mod task;
mod task_output;

pub use earlier::TaskState;
pub use error::SurveyError;
pub use identity::Identity;
pub use place::Place;
pub use remaining::Remaining;
pub use task::{Task, TaskError, other_than_tasks, tasks};
pub use task_output::{TaskOutput, TaskOutputs};

pub(crate) use earlier::compare_engines;
