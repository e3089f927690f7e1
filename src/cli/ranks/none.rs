//! Without the feature `mpi` there is one process.

use crate::{
    cli::failure::Failure,
    engine::{Engine, Fallback, tune::EnginesError},
    plan::Plan,
    run::{RunError, Task},
};
use serde_json::Value;
use std::{path::Path, process::ExitCode, sync::Arc};

/// Uninhabited.
pub(crate) enum Ranks {}

pub(crate) fn all() -> Option<&'static Ranks> {
    None
}

pub(crate) fn join(size: usize) -> Result<(), Failure> {
    Err(super::without_mpi(size))
}

pub(crate) fn end(
    done: Result<(), Failure>,
    _merge: impl FnOnce() -> Result<(), Failure>,
    report: impl Fn(Failure) -> ExitCode,
) -> ExitCode {
    done.map_or_else(report, |()| ExitCode::SUCCESS)
}

pub(crate) fn is_ended_elsewhere() -> bool {
    false
}

impl Ranks {
    pub(crate) fn check(&self, _survey: &Value, _out: &Path) -> Result<(), RunError> {
        match *self {}
    }

    pub(crate) fn task(&self, _out: &Path) -> Task {
        match *self {}
    }

    pub(crate) fn is_first(&self) -> bool {
        match *self {}
    }

    pub(crate) fn have_tasks(&self) -> bool {
        match *self {}
    }

    pub(crate) fn engine(
        &self,
        _engines: Vec<Box<dyn Engine>>,
        _named: Option<&str>,
        _plan: &Plan,
        _ghosts: usize,
        _fallback: Arc<Fallback>,
    ) -> Result<Box<dyn Engine>, EnginesError> {
        match *self {}
    }

    pub(crate) fn follow(
        &self,
        _engines: &[Box<dyn Engine>],
        _plan: &Plan,
    ) -> Result<(), RunError> {
        match *self {}
    }

    pub(crate) fn local(&self) -> usize {
        match *self {}
    }
}
