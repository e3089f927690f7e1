//! A survey in its folder, and the tasks that do shares of it.

mod error;
pub mod task;

pub use error::SurveyError;
