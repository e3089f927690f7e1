//! What a face of the program supplies to a run: a command line, Python or a page.

use super::{Identity, Order, RunError};
use crate::{
    engine::Engine,
    io::folder::{Earlier, OutputFolder},
    plan::Plan,
    render::{FigureSize, LeastSize},
    results::Shown,
};
use std::{
    fmt::Display,
    sync::{Arc, atomic::AtomicBool},
};

/// Work whose progress is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Activity<'w> {
    /// Without a count: "reading".
    Doing(&'w str),
    /// A count of things: "picture".
    Counting(&'w str, usize),
    /// The steps of shots on devices: `steps` in all, each of which updates `updates` nodes where there is one device.
    Steps {
        /// Devices that share the shots.
        devices: usize,
        /// Shots.
        shots: usize,
        /// Steps of shots that advance together.
        lap: usize,
        /// Steps of all shots.
        steps: usize,
        /// Nodes that a step updates.
        updates: f64,
    },
    /// Shots that one device models, a few at once.
    Shots {
        /// Shots.
        shots: usize,
        /// How many advance together.
        at_once: usize,
        /// Their steps.
        lap: usize,
        /// Steps of all shots.
        steps: usize,
    },
}

impl Activity<'_> {
    /// The steps of a Plan's shots on one device, batch by batch.
    pub(crate) fn of_run(plan: &Plan, steps: usize) -> Self {
        let updates = plan.updates() / steps.max(1) as f64;
        Activity::Steps { devices: 1, shots: 1, lap: plan.time.steps, steps, updates }
    }
}

/// What the engines of a run are for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Need<'p> {
    /// The shots of the job.
    pub(crate) plan: &'p Plan,
    /// Pieces of the run.
    pub(crate) pieces: usize,
    /// Whether waves are sent back too.
    pub(crate) sends_back: bool,
}

/// A face of the program.
pub(crate) trait Face: Sync {
    /// Says something to the user.
    fn tell(&self, line: &dyn Display);

    /// Starts the display of some work; it is shown until dropped.
    fn show(&self, work: Activity<'_>) -> Box<dyn Shown>;

    /// The flag that a request to stop sets. Before the first call such a request ends the process.
    fn stop(&self) -> Arc<AtomicBool>;

    /// Opens the engines.
    ///
    /// # Errors
    ///
    /// If one does not open, or does not run the Plan.
    fn engines(&self, need: Need<'_>) -> Result<Vec<Box<dyn Engine>>, RunError>;

    /// The size of pictures, which have room for this many pixels at least.
    fn size(&self, least: LeastSize) -> Result<FigureSize, RunError>;

    /// The command line, repeated in pictures.
    fn command(&self) -> String;

    /// Does the part of this process in a shot that another process controls; true if there is one, and it is done.
    fn follow_rank(&self, _need: Need<'_>) -> Result<bool, RunError> {
        Ok(false)
    }

    /// True if the kernel, the slabs and the checks are the usual ones: then the speed of the run is remembered.
    fn is_usual(&self) -> bool {
        false
    }

    /// Takes the share of this process among several that were started together; `shares` is true if the pieces can be shared.
    ///
    /// # Errors
    ///
    /// If they do not run the same.
    fn join_ranks(
        &self,
        _identity: &Identity,
        _order: &mut Order,
        _existing: Earlier,
        _shares: bool,
    ) -> Result<(), RunError> {
        Ok(())
    }

    /// How a run that did not end goes on: "go on with --resume".
    fn resume_hint(&self, order: &Order) -> String;

    /// Adds the timeline of the run to its files, if one was asked for, and its picture if a size is given.
    fn timeline(&self, _folder: &OutputFolder, _size: Option<FigureSize>) -> Result<(), RunError> {
        Ok(())
    }
}
