//! Merges the results for the observers of shares into those for the observer of a split run.

use crate::{
    FocusMap, Image, Observer, OffsetGathers, SnapshotView, TraceBlock, locked,
    plan::{FocusOutput, Plan, Tap},
    share::{Share, piece_of},
};
use ndarray::{Array2, Array3, ArrayView3, Axis};
use std::{
    collections::BTreeMap,
    ops::{ControlFlow, Range},
    sync::{Mutex, MutexGuard},
};

/// The constants of a run's shares.
pub(crate) struct Shared {
    /// The range of each share's model nodes along the slowest axis.
    model: Vec<Range<usize>>,
    shape: (usize, usize, usize),
    axis: Axis,
    /// The receivers of a shot in each share, `[shot][share]`.
    receivers: Vec<Vec<Vec<usize>>>,
    /// The requested results of a focus.
    output: FocusOutput,
    /// The kinds of offset gathers that each share reports in turn, and the shots of each kind.
    kinds: Vec<Vec<usize>>,
    shots: usize,
    /// Snapshots that not all shares have reported: a device copies one while it steps on, and may
    /// report it in the next call.
    snapshots: Mutex<Partial<(usize, usize), f32>>,
}

/// The results of a run's shares during one call.
pub(crate) struct Merged<'o> {
    shared: &'o Shared,
    all: Mutex<All<'o>>,
}

struct All<'o> {
    observer: &'o mut dyn Observer,
    /// Steps that each share has done, and that were reported.
    steps: Vec<usize>,
    reported: usize,
    stopped: bool,
    traces: Vec<Traces>,
    /// Images, illuminations and the largest values of a focus, by their index.
    images: Partial<(Kind, usize), f32>,
    /// The steps of these values.
    when: Partial<usize, u32>,
    /// By kind and shot. Complete gathers wait for all others, to keep an unsplit run's order.
    gathers: Partial<(usize, usize), f32>,
    whole: BTreeMap<(usize, usize), OffsetGathers>,
    /// How many each share has reported.
    reported_by: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Image,
    Illumination,
    Focus,
}

/// The samples of a shot that not all shares have reported.
struct Traces {
    /// Index of the first sample.
    first: usize,
    /// `[sample][receiver]`
    samples: Vec<f32>,
    /// The end of each share's reported samples; `None` before it begins.
    until: Vec<Option<usize>>,
}

/// Arrays of the model that are still incomplete, with the number of missing parts.
struct Partial<K, T>(Vec<(K, Array3<T>, usize)>);

/// The observer of a share.
pub(crate) struct ShareObserver<'h, 'o> {
    pub(crate) merged: &'h Merged<'o>,
    pub(crate) share: usize,
}

impl Shared {
    pub(crate) fn new(plan: &Plan, shares: &[Share]) -> Self {
        let model = |share: &Share| plan.in_model(&share.pieces);
        let receivers = |shot: usize| {
            let all = &plan.shots[shot].receivers;
            let pieces: Vec<_> = all.iter().map(|receiver| piece_of(receiver, plan)).collect();
            let of = |share: &Share| {
                (0..all.len()).filter(|i| share.pieces.contains(&pieces[*i])).collect()
            };
            shares.iter().map(of).collect()
        };
        let output = plan.taps.iter().find_map(|tap| match tap {
            Tap::Focus { output, .. } => Some(output.clone()),
            _ => None,
        });
        let offsets = || {
            plan.taps.iter().filter_map(|tap| match tap {
                Tap::OffsetGathers(_, offsets) => Some(offsets),
                _ => None,
            })
        };
        let kinds = |share: &Share| {
            let all = offsets().enumerate();
            all.filter(|(_, of)| plan.makes_offsets(&share.pieces, of))
                .map(|(kind, _)| kind)
                .collect()
        };
        Shared {
            kinds: shares.iter().map(kinds).collect(),
            shots: plan.summed.left(plan.shots.len()).count(),
            model: shares.iter().map(model).collect(),
            shape: plan.model_grid.shape(),
            axis: plan.cut_axis(),
            receivers: (0..plan.shots.len()).map(receivers).collect(),
            output: output.unwrap_or(FocusOutput::Maps),
            snapshots: Mutex::new(Partial(Vec::new())),
        }
    }

    fn snapshots(&self) -> MutexGuard<'_, Partial<(usize, usize), f32>> {
        locked(&self.snapshots)
    }

    /// Forgets the snapshots that some shares have reported, as the run goes on from elsewhere.
    pub(crate) fn forget(&self) {
        self.snapshots().0.clear();
    }
}

impl<'o> Merged<'o> {
    /// For shares that have done `step` steps.
    pub(crate) fn new(shared: &'o Shared, step: usize, observer: &'o mut dyn Observer) -> Self {
        let shares = shared.model.len();
        let traces = shared.receivers.iter();
        let traces =
            traces.map(|_| Traces { first: 0, samples: vec![], until: vec![None; shares] });
        let all = All {
            observer,
            steps: vec![step; shares],
            reported: step,
            stopped: false,
            traces: traces.collect(),
            images: Partial(Vec::new()),
            when: Partial(Vec::new()),
            gathers: Partial(Vec::new()),
            whole: BTreeMap::new(),
            reported_by: vec![0; shares],
        };
        Merged { shared, all: Mutex::new(all) }
    }

    fn all(&self) -> MutexGuard<'_, All<'o>> {
        // A panic of another share ends this one soon.
        locked(&self.all)
    }
}

/// An array that is put together from parts.
struct Whole<K> {
    key: K,
    /// Its length along y, x and z.
    shape: (usize, usize, usize),
    parts: usize,
}

impl<K: PartialEq, T: Clone + Default> Partial<K, T> {
    /// Copies the part of a share to its place; returns the whole after the last part.
    fn put(
        &mut self,
        key: K,
        shared: &Shared,
        share: usize,
        part: ArrayView3<'_, T>,
    ) -> Option<Array3<T>> {
        let place = Whole { key, shape: shared.shape, parts: shared.model.len() };
        self.put_in(place, shared, share, part)
    }

    /// [`Self::put`] for an array of another shape or another number of parts.
    fn put_in(
        &mut self,
        Whole { key, shape, parts }: Whole<K>,
        shared: &Shared,
        share: usize,
        part: ArrayView3<'_, T>,
    ) -> Option<Array3<T>> {
        let known = self.0.iter().position(|(known, ..)| *known == key);
        let at = known.unwrap_or_else(|| {
            self.0.push((key, Array3::default(shape), parts));
            self.0.len() - 1
        });
        let (_, whole, left) = &mut self.0[at];
        let place = shared.model[share].clone();
        whole.slice_axis_mut(shared.axis, place.into()).assign(&part);
        *left -= 1;
        (*left == 0).then(|| self.0.remove(at).1)
    }
}

impl Traces {
    /// Copies the samples of a share to their places; returns those that all shares have reported
    /// by now, `[receiver][sample]`, and the index of the first.
    fn put(
        &mut self,
        mine: &[Vec<usize>],
        share: usize,
        block: &TraceBlock<'_>,
    ) -> Option<(usize, Array2<f32>)> {
        let receivers: usize = mine.iter().map(Vec::len).sum();
        if mine[share].is_empty() {
            return None;
        }
        if self.until.iter().all(Option::is_none) {
            self.first = block.first;
        }
        let end = block.first + block.traces.ncols();
        let len = receivers * (end - self.first);
        self.samples.resize(len.max(self.samples.len()), 0.0);
        for (sample, values) in (block.first..end).zip(block.traces.columns()) {
            let row = &mut self.samples[(sample - self.first) * receivers..][..receivers];
            mine[share].iter().zip(values).for_each(|(receiver, value)| row[*receiver] = *value);
        }
        self.until[share] = Some(end);
        let tell = self.until.iter().zip(mine).filter(|(_, mine)| !mine.is_empty());
        let until =
            tell.map(|(until, _)| *until).min().flatten().filter(|end| *end > self.first)?;
        let samples: Vec<_> = self.samples.drain(..receivers * (until - self.first)).collect();
        let first = std::mem::replace(&mut self.first, until);
        let reported = Array2::from_shape_vec((until - first, receivers), samples);
        Some((first, reported.expect("as many as were taken").reversed_axes()))
    }
}

impl Observer for ShareObserver<'_, '_> {
    fn progress(&mut self, step: usize) -> ControlFlow<()> {
        let mut all = self.merged.all();
        all.steps[self.share] = step;
        let slowest = all.steps.iter().copied().min().unwrap_or(step);
        if slowest > all.reported {
            all.reported = slowest;
            all.stopped |= all.observer.progress(slowest).is_break();
        }
        if all.stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn traces(&mut self, block: TraceBlock<'_>) {
        let mut all = self.merged.all();
        let (shot, mine) = (block.shot, &self.merged.shared.receivers[block.shot]);
        if let Some((first, traces)) = all.traces[shot].put(mine, self.share, &block) {
            all.observer.traces(TraceBlock { shot, first, traces: traces.view() });
        }
    }

    fn snapshot(&mut self, SnapshotView { shot, step, field }: SnapshotView<'_>) {
        let shared = self.merged.shared;
        let whole = shared.snapshots().put((step, shot), shared, self.share, field);
        if let Some(field) = whole {
            self.merged.all().observer.snapshot(SnapshotView { shot, step, field: field.view() });
        }
    }

    fn image(&mut self, Image { of, values }: Image) {
        let (mut all, kind) = (self.merged.all(), Kind::Image);
        let whole = all.images.put((kind, of), self.merged.shared, self.share, values.view());
        if let Some(values) = whole {
            all.observer.image(Image { of, values });
        }
    }

    fn illumination(&mut self, Image { of, values }: Image) {
        let (mut all, kind) = (self.merged.all(), Kind::Illumination);
        let whole = all.images.put((kind, of), self.merged.shared, self.share, values.view());
        if let Some(values) = whole {
            all.observer.illumination(Image { of, values });
        }
    }

    fn offset_gathers(&mut self, OffsetGathers { of, along, values }: OffsetGathers) {
        let (mut guard, shared) = (self.merged.all(), self.merged.shared);
        let all = &mut *guard;
        let reported = &mut all.reported_by[self.share];
        let kind = shared.kinds[self.share][*reported / shared.shots];
        *reported += 1;
        let parts = shared.kinds.iter().filter(|kinds| kinds.contains(&kind)).count();
        let whole = match parts {
            1 => Some(values),
            _ => {
                let shape = (values.dim().0, shared.shape.1, shared.shape.2);
                let whole = Whole { key: (kind, of), shape, parts };
                all.gathers.put_in(whole, shared, self.share, values.view())
            }
        };
        all.whole.extend(whole.map(|values| ((kind, of), OffsetGathers { of, along, values })));
        let kinds = shared.kinds.iter().flatten().max().map_or(0, |last| last + 1);
        if all.whole.len() == kinds * shared.shots {
            std::mem::take(&mut all.whole)
                .into_values()
                .for_each(|of| all.observer.offset_gathers(of));
        }
    }

    fn focus(&mut self, FocusMap { set, largest, step }: FocusMap) {
        let (mut all, shared) = (self.merged.all(), self.merged.shared);
        let largest = all.images.put((Kind::Focus, set), shared, self.share, largest.view());
        let step = all.when.put(set, shared, self.share, step.view());
        if let (Some(largest), Some(step)) = (largest, step) {
            let map = FocusMap { set, largest, step };
            match &shared.output {
                FocusOutput::Maps => all.observer.focus(map),
                FocusOutput::Summaries(mask) => all.observer.summary(map.summary(mask)),
            }
        }
    }
}
