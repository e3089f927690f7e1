//! Observers on the host during a run.

use super::{FocusMap, FocusSummary, layout};
use crate::{grid::Axis, plan::Plan};
use ndarray::{Array2, Array3, ArrayBase, ArrayView2, ArrayView3, DataMut, Dimension, s};
use std::ops::ControlFlow;

/// Receives progress and the output of the taps.
pub trait Observer: Send {
    /// A run has reached a step; `Break` stops it at the next opportunity.
    fn progress(&mut self, _step: usize) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Consecutive samples of every trace of one shot.
    fn traces(&mut self, _block: TraceBlock<'_>) {}

    /// A wavefield; if it is copied during the next steps, some steps later.
    fn snapshot(&mut self, _snapshot: SnapshotView<'_>) {}

    /// The image of a backward wave, at the end of the run.
    fn image(&mut self, _image: Image) {}

    /// The illumination by a source wavefield, at the end of the run that was correlated with it.
    fn illumination(&mut self, _illumination: Image) {}

    /// The correlations of two waves at several offsets, at the end of the run.
    fn offset_gathers(&mut self, _gathers: OffsetGathers) {}

    /// The focus map of a set of shots, at the end of the run.
    fn focus(&mut self, _map: FocusMap) {}

    /// The summary of a focus map, if only this was asked for.
    fn summary(&mut self, _summary: FocusSummary) {}
}

/// Ignores everything.
impl Observer for () {}

/// Samples `first ..` of every trace of a shot, over its [`unit`](crate::plan::PointShot::unit).
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
    /// p of shape `[y][x][z]`, without absorbing layers.
    pub field: Array3<f32>,
}

/// A view of a [`Snapshot`] in the engine's memory, over the [`unit`](crate::plan::PointShot::unit) of its shot.
#[derive(Clone, Copy, Debug)]
pub struct SnapshotView<'a> {
    /// Index of the shot in the batch.
    pub shot: usize,
    /// Step.
    pub step: usize,
    /// p of shape `[y][x][z]`, without absorbing layers.
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

    /// Copies its field to an array, which is replaced if it has another shape.
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
    /// Index in the batch of the imaged shot.
    pub of: usize,
    /// On the model's nodes, shape `[y][x][z]`.
    pub values: Array3<f32>,
}

/// Offset gathers of a shot, or of several, summed over the steps of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct OffsetGathers {
    /// Index in the batch of the shot, or of the first of the shots that are summed
    /// ([`Plan::summed`]).
    pub of: usize,
    /// The axis of the offsets.
    pub(crate) along: Axis,
    /// Shape `[offset][x][z]`.
    pub values: Array3<f32>,
}

/// Collects the gathers of a batch as recorded. [`Plan::correct`] removes their time dispersion;
/// `workflow::shot::run` returns corrected gathers.
#[derive(Clone, Debug, Default)]
pub struct Gathers {
    /// One per shot, shape `[receiver][time]`.
    pub shots: Vec<Array2<f32>>,
    units: Vec<f64>,
}

impl Gathers {
    /// Zeros of every gather's shape in a Plan.
    pub fn new(plan: &Plan) -> Self {
        let gather = |receivers| Array2::zeros((receivers, plan.time.samples));
        let shots = plan.shots.iter().map(|shot| gather(shot.receivers.len())).collect();
        Gathers { shots, units: plan.shots.iter().map(|shot| shot.unit).collect() }
    }
}

/// Multiplies values by the [`unit`](crate::plan::PointShot::unit) of their shot.
pub fn apply_unit<S: DataMut<Elem = f32>, D: Dimension>(values: &mut ArrayBase<S, D>, unit: f64) {
    if unit != 1.0 {
        values.mapv_inplace(|value| (f64::from(value) * unit) as f32);
    }
}

impl Observer for Gathers {
    fn traces(&mut self, block: TraceBlock<'_>) {
        let last = block.first + block.traces.ncols();
        let mut part = self.shots[block.shot].slice_mut(s![.., block.first..last]);
        part.assign(&block.traces);
        apply_unit(&mut part, self.units[block.shot]);
    }
}

/// Collects snapshots, in the units of their shots ([`crate::plan::PointShot::unit`]).
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
