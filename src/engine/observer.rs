//! Who listens on the host while a run goes on.

use super::{FocusMap, FocusSummary, layout};
use crate::{grid::Axis, plan::Plan};
use ndarray::{Array2, Array3, ArrayView2, ArrayView3, s};
use std::ops::ControlFlow;

/// Hears progress and what the taps bring out.
pub trait Observer: Send {
    /// A run has done so many steps; `Break` stops it at the next opportunity.
    fn progress(&mut self, _step: usize) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Consecutive samples of every trace of one shot.
    fn traces(&mut self, _block: TraceBlock<'_>) {}

    /// A wavefield; where the next steps need not wait for it, some steps later.
    fn snapshot(&mut self, _snapshot: SnapshotView<'_>) {}

    /// Where two waves meet, at the end of the run.
    fn image(&mut self, _image: Image) {}

    /// What a source wavefield lights, at the end of the run that met it.
    fn illumination(&mut self, _illumination: Image) {}

    /// Where two waves meet at points apart, at the end of the run.
    fn offset_gathers(&mut self, _gathers: OffsetGathers) {}

    /// Where a set of shots was strongest, at the end of the run.
    fn focus(&mut self, _map: FocusMap) {}

    /// What matters of that, where only this was asked for.
    fn summary(&mut self, _summary: FocusSummary) {}
}

/// Hears nothing.
impl Observer for () {}

/// Samples `first ..` of every trace of a shot.
pub struct TraceBlock<'a> {
    /// Index of the shot in the batch.
    pub shot: usize,
    /// Index of the first sample.
    pub first: usize,
    /// Shape `[receiver][sample]`.
    pub traces: ArrayView2<'a, f32>,
}

/// The wavefield on the model's nodes at one step.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Index of the shot in the batch.
    pub shot: usize,
    /// Step.
    pub step: usize,
    /// p of shape `[y][x][z]`, absorbing layers cut off.
    pub field: Array3<f32>,
}

/// The same where an engine has it.
#[derive(Clone, Copy, Debug)]
pub struct SnapshotView<'a> {
    /// Index of the shot in the batch.
    pub shot: usize,
    /// Step.
    pub step: usize,
    /// p of shape `[y][x][z]`, absorbing layers cut off.
    pub field: ArrayView3<'a, f32>,
}

impl SnapshotView<'_> {
    /// A copy.
    pub fn to_owned(&self) -> Snapshot {
        let SnapshotView { shot, step, .. } = *self;
        let mut field = Array3::default((0, 0, 0));
        self.copy_to(&mut field);
        Snapshot { shot, step, field }
    }

    /// A copy of its field, in an array that is made another where it has not that shape.
    pub fn copy_to(&self, field: &mut Array3<f32>) {
        if field.dim() != self.field.dim() {
            *field = Array3::zeros(self.field.dim());
        }
        layout::copy(self.field, field.view_mut());
    }
}

/// A sum over the steps of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Index in the batch of the pair of shots whose waves are correlated, or of the shot that is imaged.
    pub of: usize,
    /// On the model's nodes, shape `[y][x][z]`.
    pub values: Array3<f32>,
}

/// Offset gathers of a shot, or of several, summed over the steps of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct OffsetGathers {
    /// Index in the batch of the shot, or of the first of those that are summed ([`Plan::summed`]).
    pub of: usize,
    /// The axis that the waves are apart along.
    pub along: Axis,
    /// Shape `[offset][x][z]`.
    pub values: Array3<f32>,
}

/// Collects the gathers of a batch as they are recorded: [`Plan::correct`] rids them of time dispersion, and `workflow::shot::run` gives
/// them without it.
#[derive(Clone, Debug, Default)]
pub struct Gathers {
    /// One a shot, shape `[receiver][time]`.
    pub shots: Vec<Array2<f32>>,
}

impl Gathers {
    /// Room for every gather of a Plan.
    pub fn new(plan: &Plan) -> Self {
        let gather = |receivers| Array2::zeros((receivers, plan.time.samples));
        Gathers { shots: plan.shots.iter().map(|shot| gather(shot.receivers.len())).collect() }
    }
}

impl Observer for Gathers {
    fn traces(&mut self, block: TraceBlock<'_>) {
        let last = block.first + block.traces.ncols();
        let gather = &mut self.shots[block.shot];
        gather.slice_mut(s![.., block.first..last]).assign(&block.traces);
    }
}

/// Collects snapshots.
#[derive(Clone, Debug, Default)]
pub struct Snapshots(
    /// In the order of their steps.
    pub Vec<Snapshot>,
);

impl Observer for Snapshots {
    fn snapshot(&mut self, snapshot: SnapshotView<'_>) {
        self.0.push(snapshot.to_owned());
    }
}
