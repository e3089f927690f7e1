//! What is particular to an operation.

use super::{
    Checkpoint, Demand, EarlierWork, Face, Made, PreparedJob, Record, RunError, TaskOutputs,
};
use crate::{
    engine::{DeviceWork, Engine, EngineError, Timings},
    imaging::Estimate,
    io::{
        dir::FolderPath,
        folder::RUN,
        journal::{Done, Piece},
    },
    plan::{Array, Plan},
    render::LeastSize,
    results::Results,
};
use serde_json::Value;
use std::{ops::Range, path::Path};

/// An operation on the shots of a job; [`run`](super::run) does what all have in common.
pub trait Operation {
    /// The command: "rtm".
    fn command(&self) -> &'static str;

    /// The name of its record.
    fn record_name(&self) -> &'static str {
        RUN
    }

    /// The unit that is counted and resumed: shot or iteration.
    fn piece(&self) -> &'static str {
        "shot"
    }

    /// Whether waves are sent back too.
    fn sends_back(&self) -> bool {
        true
    }

    /// The job and what it reads.
    fn job(&self) -> &PreparedJob<'_>;

    /// The Plan by which engines are chosen.
    fn plan(&self) -> &Plan {
        &self.job().inputs.plan
    }

    /// How many pieces there are.
    fn pieces(&self) -> usize {
        self.plan().shots.len()
    }

    /// False if the run is done at once or not at all: it has no checkpoint and no tasks.
    fn can_resume(&self) -> bool {
        true
    }

    /// True if the run may read results that it replaces; those files are kept.
    fn keeps_what_it_reads(&self) -> bool {
        false
    }

    /// The smallest picture that has room for its content, pixels.
    fn least_picture(&self) -> LeastSize;

    /// What is run, in a few lines.
    fn describe(&self) -> Vec<String>;

    /// Warnings before it begins.
    fn warnings(&self) -> Vec<String> {
        self.job().warnings()
    }

    /// What it holds of the host's memory. Source wavefields get what the rest leaves.
    fn demand(&mut self, engines: &[&dyn Engine]) -> Result<Demand, EngineError>;

    /// What source wavefields cost, if there are any, where modelling the shots takes so many seconds.
    fn estimate(
        &self,
        _engine: &dyn Engine,
        _seconds: Option<f64>,
    ) -> Result<Option<Estimate>, EngineError> {
        Ok(None)
    }

    /// The beginnings of the files that all pieces share.
    fn headers(&mut self) -> Result<Vec<Piece>, RunError> {
        Ok(Vec::new())
    }

    /// Restores the work of an earlier run, if there is any; returns how many pieces are done.
    fn resume(&mut self, _run: &Running<'_>, _earlier: EarlierWork) -> Result<usize, RunError> {
        Ok(0)
    }

    /// Does what is left.
    fn work(&mut self, run: &Running<'_>) -> Result<Work, RunError>;

    /// Writes what is done to the checkpoint, unless each piece was written there when it was done.
    fn save(&mut self, run: &Running<'_>) -> SavedWork {
        SavedWork { pieces: run.checkpoint.done(), saved: Ok(()) }
    }

    /// Writes the results of all pieces, unless they were written as soon as they were there.
    fn write(&mut self, _results: &Results<'_>) -> Result<(), RunError> {
        Ok(())
    }

    /// Writes the results of all pieces from what tasks have written, and returns the entries of their journal.
    fn merge(
        &mut self,
        _tasks: &TaskOutputs,
        results: &Results<'_>,
    ) -> Result<Vec<Done>, RunError> {
        self.write(results).map(|()| Vec::new())
    }

    /// What is kept of a run whose field blew up, with these files in a folder.
    fn kept_of_blow_up(&self, _error: &EngineError, _files: &[String], out: &Path) -> String {
        format!("what was done before is kept in {}", out.display())
    }

    /// The record, as JSON.
    fn record(&mut self, made: Made) -> serde_json::Result<String> {
        Record::new(self.command(), self.job(), made).json()
    }

    /// Adds its own to the record of a merge.
    fn add_to_merged(&self, _record: &mut Value) {}

    /// What was done in so many seconds, in a line.
    fn summary(&self, run: &Running<'_>, work: &Work, seconds: f64) -> String;
}

/// A run that is under way.
pub struct Running<'r> {
    /// The engines that share the pieces.
    pub(crate) engines: &'r [&'r dyn Engine],
    /// Where results go.
    pub(crate) results: &'r Results<'r>,
    /// The folder of the run.
    pub(crate) at: &'r FolderPath,
    /// What is kept to go on from.
    pub(crate) checkpoint: &'r Checkpoint<'r>,
    /// The pieces of the run: all, or those of a task.
    pub(crate) share: Range<usize>,
    /// True if the run is that of all pieces.
    pub(crate) is_whole: bool,
    /// Shows progress.
    pub(crate) face: &'r dyn Face,
}

/// What a run has done.
#[derive(Clone, Debug, Default)]
pub struct Work {
    /// Pieces.
    pub(crate) pieces: usize,
    /// Each device's work.
    pub(crate) devices: Vec<DeviceWork>,
    /// Times of all devices together.
    pub(crate) timings: Timings,
    /// Seconds of writing meanwhile.
    pub(crate) writing: f64,
    /// Nodes that were updated.
    pub(crate) updates: f64,
    /// The arrays of a batch.
    pub(crate) memory: Vec<Array>,
    /// The error of a field that blew up, if what was done before is a result.
    pub(crate) blown_up: Option<EngineError>,
}

/// What is kept of a run that did not end.
#[derive(Debug)]
pub struct SavedWork {
    /// Pieces that the folder holds.
    pub(crate) pieces: usize,
    /// The error of the last save.
    pub(crate) saved: Result<(), RunError>,
}
