//! The results of all shots from those of the tasks.

use super::{
    Ended, Face, Identity, Operation, Order, RunError, TaskOutputs,
    life::{results, shown_by},
    words::counted,
};
use crate::{job::JobFile, render::FigureSize, results::ResultsError};
use serde_json::json;
use std::sync::atomic::Ordering;

/// Makes the results of all from what the tasks in the folder have written.
pub(super) fn merge(
    operation: &mut dyn Operation,
    identity: &Identity,
    order: &Order,
    file: &JobFile,
    size: FigureSize,
    face: &dyn Face,
) -> Result<Ended, RunError> {
    let (out, at) = (order.out.display(), order.out.clone());
    if let Some(record) = TaskOutputs::complete(&order.out)?.filter(|_| !order.force) {
        let summary = TaskOutputs::completed(&order.out);
        return Ok(Ended::Done { record: format!("{record:#}"), summary, folder: at });
    }
    let (outputs, stop) = (TaskOutputs::read(&order.out)?, face.stop());
    outputs.check(identity)?;
    let folder = outputs.to_merge(order.force)?;
    let show = shown_by(face);
    let results = results(file, &folder, size, face, &show);
    let merged = operation.merge(&outputs, &results)?;
    if stop.load(Ordering::Relaxed) {
        return Err(ResultsError::Stopped.into());
    }
    let mut record = outputs.record(&folder);
    let units = results.units();
    if !units.is_empty() {
        record["units"] = json!(units);
    }
    operation.add_to_merged(&mut record);
    drop(results);
    outputs.keep(folder, &merged, &record)?;
    let tasks = outputs.tasks.len();
    let summary = format!(
        "{} of {tasks} tasks merged; results in {out}",
        counted(operation.pieces(), operation.piece())
    );
    Ok(Ended::Done { record: format!("{record:#}"), summary, folder: at })
}
