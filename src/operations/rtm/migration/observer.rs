//! The observer of a batch that is migrated.

use super::turns::{HeldTurn, Turn};
use crate::{
    engine::{EngineError, Gathers, Image, Observer, OffsetGathers, Run, TraceBlock},
    operations::OnStep,
    plan::Plan,
};
use ndarray::Array3;
use std::{collections::BTreeMap, ops::ControlFlow};

/// Receives the steps of a batch and its images.
pub(super) struct BatchObserver<'p> {
    /// The image and the illumination of each shot.
    pub(crate) images: Vec<[Array3<f32>; 2]>,
    /// Of shots, or of the first of those that are summed, by kind of offsets.
    pub(crate) gathers: BTreeMap<usize, Vec<Array3<f32>>>,
    /// What the source wave's receivers record, if they do.
    pub(crate) recorded: Gathers,
    /// Steps of the batches before.
    pub(crate) before: usize,
    /// Held while the run advances, if batches take turns on a device.
    pub(crate) turn: Option<&'p Turn>,
    pub(crate) progress: &'p mut OnStep<'p>,
}

impl<'p> BatchObserver<'p> {
    /// Without results.
    pub(crate) fn new(turn: Option<&'p Turn>, progress: &'p mut OnStep<'p>) -> Self {
        let (images, gathers, recorded) = (Vec::new(), BTreeMap::new(), Gathers::default());
        BatchObserver { images, gathers, recorded, before: 0, turn, progress }
    }

    /// Begins a batch, or begins it again.
    pub(crate) fn begin(&mut self, forward: &Plan) {
        self.images.clear();
        self.gathers.clear();
        self.recorded = Gathers::new(forward);
        self.before = 0;
    }

    /// Runs to a step.
    pub(crate) fn advance_to(&mut self, run: &mut dyn Run, step: usize) -> Result<(), EngineError> {
        let turn = self.turn.map(Turn::take);
        let _computing = tracing::info_span!(target: "timeline", "computing").entered();
        let first = run.step();
        let (before, recorded) = (self.before, &mut self.recorded);
        let (over, progress) = (step.saturating_sub(LAST), &mut *self.progress);
        let mut steps_of_run = Steps { first, before, recorded, turn, over, progress };
        run.advance(step.saturating_sub(first), &mut steps_of_run)?;
        self.before += run.step() - first;
        Ok(())
    }
}

/// The last steps of a run, which a device has been sent when those before are done: another run may
/// send its own.
const LAST: usize = 400;

impl Observer for BatchObserver<'_> {
    fn image(&mut self, image: Image) {
        let none = Array3::zeros(image.values.dim());
        self.images.push([image.values, none]);
    }

    fn offset_gathers(&mut self, gathers: OffsetGathers) {
        self.gathers.entry(gathers.of).or_default().push(gathers.values);
    }

    fn illumination(&mut self, illumination: Image) {
        if let Some([_, of_shot]) = self.images.get_mut(illumination.of) {
            *of_shot = illumination.values;
        }
    }
}

/// Receives the steps of a run, from one on, and its traces.
struct Steps<'p> {
    first: usize,
    before: usize,
    recorded: &'p mut Gathers,
    /// Held until a step.
    turn: Option<HeldTurn<'p>>,
    over: usize,
    progress: &'p mut OnStep<'p>,
}

impl Observer for Steps<'_> {
    fn progress(&mut self, step: usize) -> ControlFlow<()> {
        if step >= self.over {
            self.turn = None;
        }
        (self.progress)(self.before + step.saturating_sub(self.first))
    }

    fn traces(&mut self, block: TraceBlock<'_>) {
        self.recorded.traces(block);
    }
}
