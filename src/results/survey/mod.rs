//! A survey in its folder, and the tasks that do shares of it.

pub mod task;
