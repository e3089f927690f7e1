//! Common parts of commands.

use crate::cli::{
    failure::Failure,
    terminal::progress::{self, Progress, tell},
};
use serde::Serialize;
use std::path::Path;
use tracing::span::EnteredSpan;

/// The JSON text of a record.
pub(crate) fn json(record: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(record).map_err(Failure::run)
}

/// Displays reading and planning, until dropped.
pub(crate) fn planning() -> (Progress, EnteredSpan) {
    let span = tracing::info_span!(target: "timeline", "reading and planning").entered();
    (progress::doing("reading and planning"), span)
}

/// Prints the location of the results.
pub(crate) fn tell_where(out: &Path) {
    tell(format_args!("results in {}", out.display()));
}
