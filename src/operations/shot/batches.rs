//! Models the shots of a Plan on one engine, as many at once as it takes.

use crate::{
    engine::{
        Engine, EngineError, Observer, Prepared, Snapshot, SnapshotFilter, SnapshotView, Timings,
        TraceBlock, apply_unit,
        shots::{Queue, ShotProgress, of_device},
        with_retry,
    },
    operations::OnStep,
    plan::Plan,
};
use ndarray::{Array2, ArrayViewMut1, s};
use rayon::prelude::*;
use std::{
    ops::{ControlFlow, Range},
    sync::{Arc, Mutex, PoisonError},
};

/// The result of one shot.
#[derive(Clone, Debug, PartialEq)]
pub struct ShotResult {
    /// Index of the shot in the Plan.
    pub shot: usize,
    /// Pressure, shape `[receiver][time]`, corrected for time dispersion if the Plan says so and
    /// the run was complete.
    pub gather: Array2<f32>,
    /// In the order of their steps.
    pub snapshots: Vec<Snapshot>,
    /// The last step that the watchdog found valid, if the field blew up; the gather and the
    /// snapshots end there.
    pub until: Option<usize>,
}

/// Returns true to keep a snapshot.
pub(super) type Keep<'k> = dyn FnMut(usize, &SnapshotView<'_>) -> bool + Send + 'k;

/// Runs every shot of a Plan. `progress` receives the steps done and their total, and may stop the
/// run; `keep` receives each snapshot as it comes, with the number of its shot in the Plan, and
/// returns true to keep it in the result; `done` takes each shot's result as soon as its batch is
/// finished. If a field blows up, `done` also takes the earlier samples of that batch, if more than
/// the first was recorded; then the error follows.
pub fn model<E: From<EngineError>>(
    engine: &dyn Engine,
    plan: &Plan,
    progress: &mut OnStep<'_>,
    keep: &mut Keep<'_>,
    done: &mut dyn FnMut(ShotResult) -> Result<(), E>,
) -> Result<Timings, E> {
    if plan.shots.is_empty() {
        return Ok(Timings::default());
    }
    let (spare, sizes) = (BufferPool::default(), [engine.batch(plan)?]);
    let queue = Queue::new(plan.shots.len(), &sizes);
    let mut hear = of_batches(&sizes, plan, progress);
    let is_single = plan.shots.len() == 1;
    let batches = Batches { engine, plan, queue: &queue, device: 0, spare: &spare };
    batches.run(&mut hear, keep, &mut |recorded| {
        if is_single {
            // Nothing follows that could use its memory again.
            return done(recorded.only_result(plan));
        }
        let (result, buffer) = recorded.result(plan);
        spare.put(buffer);
        done(result)
    })
}

/// Reports the steps of batches of one size, one after the other.
pub(super) fn of_batches<'p>(
    sizes: &[usize],
    plan: &Plan,
    progress: &'p mut OnStep<'p>,
) -> impl FnMut(&Range<usize>, usize) -> ControlFlow<()> + Send + 'p {
    let (size, steps) = (sizes[0].max(1), plan.time.steps);
    move |shots, step| progress(shots.start / size * steps + step)
}

/// Steps that [`model`] counts: those of every batch.
pub fn total_steps(engine: &dyn Engine, plan: &Plan) -> Result<usize, EngineError> {
    match plan.shots.len() {
        0 => Ok(0),
        shots => Ok(shots.div_ceil(engine.batch(plan)?) * plan.time.steps),
    }
}

/// The batches that a device takes from a queue.
pub(super) struct Batches<'b> {
    pub(crate) engine: &'b dyn Engine,
    pub(crate) plan: &'b Plan,
    pub(crate) queue: &'b Queue,
    /// The place of the device in the queue.
    pub(crate) device: usize,
    pub(crate) spare: &'b BufferPool,
}

impl Batches<'_> {
    /// Runs them one after the other, and passes the records of their shots to `done`.
    pub(crate) fn run<E: From<EngineError>>(
        &self,
        hear: &mut ShotProgress<'_>,
        keep: &mut Keep<'_>,
        done: &mut dyn FnMut(Recorded) -> Result<(), E>,
    ) -> Result<Timings, E> {
        let Batches { engine, plan, queue, device, spare } = *self;
        let mut timings = Timings::default();
        let mut prepared = Prepared::new(engine);
        while let Some(shots) = queue.take(device) {
            tracing::debug!(device, ?shots, "batch");
            let part = Arc::new(plan.batch(shots.clone()));
            let receivers = part.shots.iter().map(|shot| shot.receivers.len());
            let mut collect = Collect {
                gathers: receivers.map(|count| spare.take([count, plan.time.samples])).collect(),
                snapshots: vec![Vec::new(); part.shots.len()],
                plan: part.clone(),
                shots: shots.clone(),
                units: part.shots.iter().map(|shot| shot.unit).collect(),
                heard: SnapshotFilter::default(),
                hear,
                keep,
            };
            let batch = tracing::info_span!(target: "timeline", "batch", device, first = shots.start, shots = shots.len());
            let ended = batch.in_scope(|| with_retry(engine, || prepared.run(&part, &mut collect)));
            drop(batch);
            let of_this = |error| of_device(of_shot(error, shots.start), device, queue.devices());
            let until = match &ended {
                Ok(_) => None,
                Err(EngineError::BlowUp { healthy: Some(step), .. })
                    if *step >= plan.time.record_every =>
                {
                    Some(*step)
                }
                Err(error) => return Err(of_this(error.clone()).into()),
            };
            let results = collect.gathers.into_iter().zip(collect.snapshots);
            for (shot, (gather, snapshots)) in shots.clone().zip(results) {
                done(Recorded { shot, gather, snapshots, until })?;
            }
            timings += ended.map_err(of_this)?;
            queue.add(device, shots.len());
        }
        Ok(timings)
    }
}

/// The records of a shot, unprocessed.
pub(super) struct Recorded {
    shot: usize,
    /// Shape `[receiver][time]`.
    gather: Array2<f32>,
    snapshots: Vec<Snapshot>,
    until: Option<usize>,
}

impl Recorded {
    /// The result in the memory of the unprocessed traces.
    fn only_result(self, plan: &Plan) -> ShotResult {
        match self {
            Recorded { shot, mut gather, snapshots, until: None } => {
                plan.correct(&mut gather);
                apply_unit(&mut gather, plan.shots[shot].unit);
                ShotResult { shot, gather, snapshots, until: None }
            }
            blown_up => blown_up.result(plan).0,
        }
    }

    /// The result, and the memory of the unprocessed traces.
    pub(crate) fn result(self, plan: &Plan) -> (ShotResult, Array2<f32>) {
        let Recorded { shot, gather: recorded, mut snapshots, until } = self;
        let mut gather;
        match until {
            None => {
                gather = recorded.clone();
                plan.correct(&mut gather);
            }
            // An incomplete record is left uncorrected: a correction needs the whole trace. It is
            // at most as long as a whole gather.
            Some(until) => {
                let times = (until / plan.time.record_every + 1).min(plan.time.kept());
                gather = recorded.slice(s![.., ..times]).to_owned();
                snapshots.retain(|snapshot| snapshot.step <= until);
            }
        }
        apply_unit(&mut gather, plan.shots[shot].unit);
        (ShotResult { shot, gather, snapshots, until }, recorded)
    }
}

/// Fewest samples that are worth a thread of their own.
const PIECE: usize = 1 << 15;

/// Memory of traces that have become a result: a fresh page costs as much as the writes into it.
#[derive(Default)]
pub(super) struct BufferPool(Mutex<Vec<Vec<f32>>>);

impl BufferPool {
    pub(crate) fn put(&self, buffer: Array2<f32>) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(buffer.into_raw_vec_and_offset().0);
    }

    /// Memory of a shape, with earlier values or zeros: a run fills all of it that is read.
    fn take(&self, shape: [usize; 2]) -> Array2<f32> {
        let spare = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let Some(mut values) = spare else { return Array2::zeros(shape) };
        values.resize(shape[0] * shape[1], 0.0);
        Array2::from_shape_vec(shape, values).expect("it was made as long")
    }
}

/// An error of a batch with the number of the shot among all.
pub(crate) fn of_shot(mut error: EngineError, first: usize) -> EngineError {
    if let EngineError::BlowUp { shot, .. } = &mut error {
        *shot += first;
    }
    error
}

struct Collect<'a, 'h> {
    /// Per shot, shape `[receiver][time]`.
    gathers: Vec<Array2<f32>>,
    snapshots: Vec<Vec<Snapshot>>,
    /// The batch, and its shots.
    plan: Arc<Plan>,
    shots: Range<usize>,
    units: Vec<f64>,
    heard: SnapshotFilter,
    hear: &'a mut ShotProgress<'h>,
    keep: &'a mut Keep<'h>,
}

impl Observer for Collect<'_, '_> {
    fn progress(&mut self, step: usize) -> ControlFlow<()> {
        (self.hear)(&self.shots, step)
    }

    fn traces(&mut self, TraceBlock { shot, first, traces }: TraceBlock<'_>) {
        let gather = &mut self.gathers[shot];
        let (samples, length) = (traces.ncols(), gather.ncols());
        let to = gather.as_slice_mut().expect("it is made in standard layout");
        // One core copies more slowly than a device delivers.
        let least = PIECE / samples.max(1) + 1;
        to.par_chunks_mut(length.max(1)).with_min_len(least).enumerate().for_each(|(index, to)| {
            ArrayViewMut1::from(&mut to[first..first + samples]).assign(&traces.row(index));
        });
    }

    fn snapshot(&mut self, snapshot: SnapshotView<'_>) {
        if !self.heard.is_new(&snapshot) {
            return;
        }
        let (number, unit) = (self.shots.start + snapshot.shot, self.units[snapshot.shot]);
        if unit == 1.0 && self.plan.windows.is_none() {
            if (self.keep)(number, &snapshot) {
                self.snapshots[snapshot.shot].push(snapshot.to_owned());
            }
            return;
        }
        let mut own = snapshot.to_owned();
        if self.plan.windows.is_some() {
            own.field = self.plan.in_survey(snapshot.shot, own.field.view());
        }
        apply_unit(&mut own.field, unit);
        if (self.keep)(number, &SnapshotView { field: own.field.view(), ..snapshot }) {
            self.snapshots[snapshot.shot].push(own);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        acquisition::{Shot, Source, TimeDispersion, Wavelet},
        boundary::{Absorber, Boundary, Top},
        engine::{Cause, Description, Run},
        grid::Axes,
        model::VelocityModel,
        plan::{Setup, Step, Time},
        stencil::Family,
    };

    /// Blows up without a step, valid up to step `healthy`.
    struct BlowsUp(usize);

    impl Engine for BlowsUp {
        fn describe(&self) -> Description {
            let [backend, device, driver, kernel] = ["", "", "", ""].map(String::from);
            Description { backend, device, driver, kernel }
        }

        fn batch(&self, _plan: &Plan) -> Result<usize, EngineError> {
            Ok(1)
        }

        fn start(&self, plan: Arc<Plan>) -> Result<Box<dyn Run>, EngineError> {
            let (step, healthy) = (self.0 + 1, Some(self.0));
            let (time, value, cause) = (plan.time.at(step), f32::INFINITY, Cause::Unknown);
            Err(EngineError::BlowUp { step, time, healthy, shot: 0, at: None, value, cause })
        }
    }

    #[test]
    fn what_is_kept_is_no_longer_than_a_whole_gather() {
        let source = Source::new(Axes::xz(50.0, 50.0), Wavelet::ricker(10.0));
        let velocity = ndarray::Array2::from_elem((20, 20), 1500.0);
        let rock = VelocityModel::new(velocity, 10.0, 10.0).expect("a model");
        let shots =
            vec![Shot { sources: vec![source], receivers: vec![Axes::xz(50.0, 60.0)].into() }];
        let plan = Plan::new(Setup {
            operator: Family::Taylor { order: 2 },
            boundary: Boundary { top: Top::Zero, sides: Absorber::Zero },
            time: Time {
                step: Step::Seconds(1e-3),
                dispersion: TimeDispersion::Corrected,
                ..Time::new(1.0)
            },
            ..Setup::new(rock, shots, 1.0)
        });
        let plan = plan.expect("a valid setup");
        assert_eq!((plan.time.kept(), plan.time.samples), (1001, 1026));
        for (healthy, samples) in [(300, 301), (1000, 1001), (1020, 1001)] {
            let mut lengths = Vec::new();
            let ended = model(
                &BlowsUp(healthy),
                &plan,
                &mut |_| ControlFlow::Continue(()),
                &mut |_, _| true,
                &mut |result: ShotResult| {
                    lengths.push(result.gather.ncols());
                    Ok::<_, EngineError>(())
                },
            );
            assert!(matches!(ended, Err(EngineError::BlowUp { .. })));
            assert_eq!(lengths, [samples]);
        }
    }
}
