//! Without the feature `mpi` there is one process.

use crate::cli::failure::Failure;
use huygens::{
    engine::{Engine, Fallback, tune::EnginesError},
    plan::Plan,
    run::{RunError, Task},
};
use serde_json::Value;
use std::{path::Path, process::ExitCode, sync::Arc};

/// Uninhabited.
pub enum Ranks {}

pub fn all() -> Option<&'static Ranks> {
    None
}

pub fn join(size: usize) -> Result<(), Failure> {
    Err(super::without_mpi(size))
}

pub fn end(
    done: Result<(), Failure>,
    _merge: impl FnOnce() -> Result<(), Failure>,
    report: impl Fn(Failure) -> ExitCode,
) -> ExitCode {
    done.map_or_else(report, |()| ExitCode::SUCCESS)
}

pub fn is_ended_elsewhere() -> bool {
    false
}

impl Ranks {
    pub fn check(&self, _survey: &Value, _out: &Path) -> Result<(), RunError> {
        match *self {}
    }

    pub fn task(&self, _out: &Path) -> Task {
        match *self {}
    }

    pub fn is_first(&self) -> bool {
        match *self {}
    }

    pub fn have_tasks(&self) -> bool {
        match *self {}
    }

    pub fn engine(
        &self,
        _engines: Vec<Box<dyn Engine>>,
        _named: Option<&str>,
        _of: (&Plan, usize),
        _fallback: Arc<Fallback>,
    ) -> Result<Box<dyn Engine>, EnginesError> {
        match *self {}
    }

    pub fn follow(&self, _engines: &[Box<dyn Engine>], _plan: &Plan) -> Result<(), RunError> {
        match *self {}
    }

    pub fn local(&self) -> usize {
        match *self {}
    }
}
