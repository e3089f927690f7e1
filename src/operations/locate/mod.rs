//! Time reversal: a gather is sent back into the ground from its receivers, and its waves focus at
//! the place and time of their origin (Fink 1992; McMechan 1982).

mod doubt;
mod ellipse;
mod explained;
#[cfg(feature = "runs")]
pub mod files;
mod fit;
mod illumination;
#[cfg(feature = "runs")]
mod memory;
#[cfg(feature = "jobs")]
mod models;
#[cfg(feature = "runs")]
pub mod operation;
mod peaks;
#[cfg(feature = "jobs")]
mod recordings;
mod scan;
#[cfg(feature = "jobs")]
mod search;
#[cfg(feature = "jobs")]
mod search_doubts;
mod whitening;

pub(crate) use doubt::{AllMasked, FEWEST_TRACES, LEAST_EXPLAINED, LEAST_POINTS};
pub use doubt::{Doubt, Weakness};
pub use ellipse::Ellipse;
pub(crate) use fit::TOLD;
pub use fit::{Fit, Fits, Fitting, Trial};
pub use illumination::weights;
#[cfg(feature = "runs")]
pub use operation::LocationRun;
pub(crate) use peaks::Beside;
pub use peaks::{Peak, Sharpness, peaks, refined};
#[cfg(feature = "jobs")]
pub(crate) use recordings::Back;
pub use scan::{contenders, strength};
#[cfg(feature = "jobs")]
pub(crate) use search::PreparedSearch;
#[cfg(feature = "jobs")]
pub use search::Search;

use crate::{
    engine::{
        Engine, EngineError, FocusMap, FocusSummary, Observer, Prepared, Snapshot, SnapshotFilter,
        SnapshotView, Timings, with_retry,
    },
    operations::OnStep,
    plan::Plan,
};
use std::{ops::ControlFlow, sync::Arc};

/// The result of sending back through a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Focused {
    /// Index of the model.
    pub model: usize,
    /// Peak strength of the field, and its time.
    pub map: FocusMap,
    /// Of each group of receivers, in the order of their steps.
    pub snapshots: Vec<Snapshot>,
}

/// Returns true to keep a snapshot.
pub(crate) type Keep<'k> = dyn FnMut(&SnapshotView<'_>) -> bool + Send + 'k;

/// Runs a Plan with a focus backward through each of its models, as many at once as the engine
/// takes. `progress` receives the steps done and their total, and may stop the run; `keep` receives
/// each snapshot as it comes and returns true to keep it in the result; `done` takes the result of
/// each model.
pub fn run<E: From<EngineError>>(
    engine: &dyn Engine,
    plan: &Plan,
    progress: &mut OnStep<'_>,
    keep: &mut Keep<'_>,
    done: &mut dyn FnMut(Focused) -> Result<(), E>,
) -> Result<Timings, E> {
    let set_size = plan.set_size();
    batches(engine, plan, progress, keep, &mut |part, heard| {
        for (map, snapshots) in heard.maps.into_iter().zip(heard.snapshots) {
            done(Focused { model: part.shots[map.set * set_size].window.model, map, snapshots })?;
        }
        Ok(())
    })
}

/// [`run`] for a Plan of one model.
pub fn run_one(
    engine: &dyn Engine,
    plan: &Plan,
    progress: &mut OnStep<'_>,
    keep: &mut Keep<'_>,
) -> Result<(Focused, Timings), EngineError> {
    let mut focused = None;
    let timings = run(engine, plan, progress, keep, &mut |found| {
        focused = Some(found);
        Ok::<_, EngineError>(())
    })?;
    Ok((focused.ok_or(EngineError::Unsound)?, timings))
}

/// [`run`] for a Plan whose maps are summarised: only the summaries leave the engine, and `done`
/// takes each with the index of its model.
pub fn scan<E: From<EngineError>>(
    engine: &dyn Engine,
    plan: &Plan,
    progress: &mut OnStep<'_>,
    done: &mut dyn FnMut(usize, FocusSummary) -> Result<(), E>,
) -> Result<Timings, E> {
    let set_size = plan.set_size();
    batches(engine, plan, progress, &mut |_| false, &mut |part, heard| {
        let mut summaries = heard.summaries.into_iter();
        summaries.try_for_each(|found| done(part.shots[found.set * set_size].window.model, found))
    })
}

/// Time in the recording of a step of a Plan's backward run, s.
pub fn recorded_at(plan: &Plan, step: usize) -> f64 {
    plan.time.at(plan.time.steps - step.min(plan.time.steps))
}

/// Runs the batches of a Plan one after the other; `each` takes the observer of one.
fn batches<E: From<EngineError>>(
    engine: &dyn Engine,
    plan: &Plan,
    progress: &mut OnStep<'_>,
    keep: &mut Keep<'_>,
    each: &mut dyn FnMut(&Plan, Collect<'_>) -> Result<(), E>,
) -> Result<Timings, E> {
    let mut timings = Timings::default();
    let (size, set_size) = (engine.batch(plan)?, plan.set_size());
    tracing::debug!(models = plan.velocities.len(), shots_at_once = size, "batches");
    let mut prepared = Prepared::new(engine);
    for (batch, first) in (0..plan.shots.len()).step_by(size).enumerate() {
        let part = Arc::new(plan.batch(first..(first + size).min(plan.shots.len())));
        let mut collect = Collect {
            maps: Vec::new(),
            summaries: Vec::new(),
            snapshots: vec![Vec::new(); part.shots.len() / set_size],
            heard: SnapshotFilter::default(),
            set_size,
            before: batch * plan.time.steps,
            progress: &mut *progress,
            keep: &mut *keep,
        };
        let span = tracing::info_span!(target: "timeline", "batch", device = 0_u64, first, shots = part.shots.len());
        let mut run = || {
            collect.maps.clear();
            collect.summaries.clear();
            prepared.run(&part, &mut collect)
        };
        timings += span.in_scope(|| with_retry(engine, &mut run))?;
        drop(span);
        each(&part, collect)?;
    }
    Ok(timings)
}

struct Collect<'a> {
    maps: Vec<FocusMap>,
    summaries: Vec<FocusSummary>,
    snapshots: Vec<Vec<Snapshot>>,
    heard: SnapshotFilter,
    set_size: usize,
    /// Steps of the batches before.
    before: usize,
    progress: &'a mut OnStep<'a>,
    keep: &'a mut Keep<'a>,
}

impl Observer for Collect<'_> {
    fn progress(&mut self, step: usize) -> ControlFlow<()> {
        (self.progress)(self.before + step)
    }

    fn snapshot(&mut self, snapshot: SnapshotView<'_>) {
        if self.heard.is_new(&snapshot) && (self.keep)(&snapshot) {
            self.snapshots[snapshot.shot / self.set_size].push(snapshot.to_owned());
        }
    }

    fn focus(&mut self, map: FocusMap) {
        self.maps.push(map);
    }

    fn summary(&mut self, summary: FocusSummary) {
        self.summaries.push(summary);
    }
}
