//! Models the shots of a Plan, as many at once as the engine takes.

use crate::{
    acquisition::TimeDispersion,
    engine::{
        Engine, EngineError, Observer, Prepared, Snapshot, SnapshotFilter, SnapshotView, Timings,
        TraceBlock, apply_unit,
        shots::{DeviceWork, Queue, ShotProgress, of_device, on_each},
        with_retry,
    },
    plan::Plan,
};
use ndarray::{Array2, ArrayViewMut1, s};
use rayon::prelude::*;
use std::{
    ops::{ControlFlow, Range},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
};
use web_time::Instant;

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

/// Most threads that write results.
const MOST_WRITERS: usize = 16;

/// Bytes of the gathers that threads turn into results and files at once, or those of one.
const WRITTEN: u64 = 1 << 30;

/// Writer threads for the shots of a Plan: half of the cores, so that the stepping threads have the
/// others, and fewer for gathers that would fill the memory.
fn writers(plan: &Plan) -> usize {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let room = WRITTEN / (copies(plan) * gather(plan)).max(1);
    (cores / 2).clamp(1, MOST_WRITERS).min(room.max(1) as usize).min(plan.shots.len())
}

/// Bytes of the largest gather.
fn gather(plan: &Plan) -> u64 {
    4 * plan.most_receivers() as u64 * plan.time.samples as u64
}

/// Gathers that are held while a record becomes a result: itself and, beside it, what a correction
/// of time dispersion makes of it.
fn copies(plan: &Plan) -> u64 {
    match plan.time.dispersion {
        TimeDispersion::Kept => 1,
        TimeDispersion::Corrected => 3,
    }
}

/// Most bytes that [`stream`] keeps on the host for `at_once` shots: the traces of a batch that
/// advances and of one that waits, and those that threads turn into gathers and files.
pub fn waiting(plan: &Plan, at_once: usize) -> u64 {
    let gathers = match plan.shots.len() {
        0 | 1 => copies(plan),
        _ => 2 * at_once as u64 + writers(plan) as u64 * (1 + copies(plan)),
    };
    gathers * gather(plan)
}

/// Runs every shot of a Plan as [`model`] does, over one or more devices, and passes each result to
/// `done` on a thread of its own while the next batch advances. Waiting results are bounded: a
/// batch of every device, besides those that advance and one per thread. `progress` receives the
/// steps done of [`steps_of`]. If `done` or a device fails, the run stops and returns the first
/// error. On devices of one kind results have the same bits whichever device ran a shot.
pub fn stream<E: From<EngineError> + Send>(
    engines: &[&dyn Engine],
    plan: &Plan,
    progress: &mut (dyn FnMut(usize) -> ControlFlow<()> + Send),
    keep: &mut (dyn FnMut(usize, &SnapshotView<'_>) -> bool + Send),
    done: &(dyn Fn(ShotResult) -> Result<(), E> + Sync),
) -> Result<Vec<DeviceWork>, E> {
    let (began, engines) = (Instant::now(), sharing(engines, plan));
    let one = |timings| vec![DeviceWork::since(began, engines[0], plan.shots.len(), timings)];
    let writers = writers(plan);
    let batches_of = |engine: &&dyn Engine| match plan.shots.len() {
        0 => Ok(0),
        _ => engine.batch(plan),
    };
    let sizes: Vec<usize> = engines.iter().map(batches_of).collect::<Result<_, _>>()?;
    let queue = Queue::new(plan.shots.len(), &sizes);
    let (send, receive) = mpsc::sync_channel::<Recorded>(sizes.iter().sum());
    let (receive, failed) = (Arc::new(Mutex::new(receive)), AtomicBool::new(false));
    let (failure, spare) = (Mutex::new(None), BufferPool::default());
    let done = |result: ShotResult| {
        let shot = result.shot;
        tracing::info_span!(target: "timeline", "writing files", shot).in_scope(|| done(result))
    };
    let write = |receive: Arc<Mutex<mpsc::Receiver<Recorded>>>| {
        let next = || receive.lock().unwrap_or_else(PoisonError::into_inner).recv();
        while let Ok(recorded) = next() {
            // After a failure, drop results, so that nothing waits for room.
            if failed.load(Ordering::Relaxed) {
                continue;
            }
            let (result, buffer) = recorded.result(plan);
            spare.put(buffer);
            if let Err(error) = done(result) {
                failed.store(true, Ordering::Relaxed);
                failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        }
    };
    let ran = thread::scope(|scope| {
        let write = &write;
        let spawned = |number: &usize| {
            let receive = receive.clone();
            let thread = thread::Builder::new().name(format!("writer {}", number + 1));
            thread.spawn_scoped(scope, move || write(receive)).is_ok()
        };
        // A single shot has no other to be written beside; and memory for a thread may be lacking.
        if plan.shots.len() < 2 || (0..writers).filter(spawned).count() == 0 {
            return model(engines[0], plan, progress, keep, &mut |result| done(result)).map(one);
        }
        // If all receivers have panicked, nobody waits for room.
        drop(receive);
        let mut progress = |step| match failed.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => progress(step),
        };
        let hand_over = |recorded| {
            let sent = send.send(recorded);
            sent.map_err(|_| EngineError::Stopped { step: 0, steps: plan.time.steps }.into())
        };
        let ran = match engines {
            [engine] => {
                let mut hear = of_batches(&sizes, plan, &mut progress);
                let mut hand_over = hand_over;
                batches(*engine, plan, (&queue, 0), (&mut hear, keep), &spare, &mut hand_over)
                    .map(one)
            }
            _ => {
                let keep = Mutex::new(keep);
                on_each(engines, &queue, &mut progress, &|device, hear| {
                    let mut keep = |shot, snapshot: &SnapshotView<'_>| {
                        keep.lock().unwrap_or_else(PoisonError::into_inner)(shot, snapshot)
                    };
                    let (of, heard) = ((&queue, device), (hear, &mut keep as &mut Keep<'_>));
                    let mut hand_over = |recorded| hand_over(recorded);
                    batches(engines[device], plan, of, heard, &spare, &mut hand_over)
                })
            }
        };
        drop(send);
        ran
    });
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => ran,
    }
}

/// The devices that share the shots of a Plan: one if sets of shots must advance together.
fn sharing<'s, 'e>(engines: &'s [&'e dyn Engine], plan: &Plan) -> &'s [&'e dyn Engine] {
    if plan.set_size() > 1 { &engines[..1] } else { engines }
}

/// Returns true to keep a snapshot.
type Keep<'k> = dyn FnMut(usize, &SnapshotView<'_>) -> bool + Send + 'k;

/// Runs every shot of a Plan. `progress` receives the steps done and their total, and may stop the
/// run; `keep` receives each snapshot as it comes, with the number of its shot in the Plan, and
/// returns true to keep it in the result; `done` takes each shot's result as soon as its batch is
/// finished. If a field blows up, `done` also takes the earlier samples of that batch, if more than
/// the first was recorded; then the error follows.
pub fn model<E: From<EngineError>>(
    engine: &dyn Engine,
    plan: &Plan,
    progress: &mut (dyn FnMut(usize) -> ControlFlow<()> + Send),
    keep: &mut (dyn FnMut(usize, &SnapshotView<'_>) -> bool + Send),
    done: &mut dyn FnMut(ShotResult) -> Result<(), E>,
) -> Result<Timings, E> {
    if plan.shots.is_empty() {
        return Ok(Timings::default());
    }
    let (spare, sizes) = (BufferPool::default(), [engine.batch(plan)?]);
    let queue = Queue::new(plan.shots.len(), &sizes);
    let mut hear = of_batches(&sizes, plan, progress);
    let is_single = plan.shots.len() == 1;
    batches(engine, plan, (&queue, 0), (&mut hear, keep), &spare, &mut |recorded| {
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
fn of_batches<'p>(
    sizes: &[usize],
    plan: &Plan,
    progress: &'p mut (dyn FnMut(usize) -> ControlFlow<()> + Send),
) -> impl FnMut(&Range<usize>, usize) -> ControlFlow<()> + Send + 'p {
    let (size, steps) = (sizes[0].max(1), plan.time.steps);
    move |shots, step| progress(shots.start / size * steps + step)
}

/// Runs the batches of a device, one after the other, and returns the records of their shots.
fn batches<E: From<EngineError>>(
    engine: &dyn Engine,
    plan: &Plan,
    (queue, device): (&Queue, usize),
    (hear, keep): (&mut ShotProgress<'_>, &mut Keep<'_>),
    spare: &BufferPool,
    done: &mut dyn FnMut(Recorded) -> Result<(), E>,
) -> Result<Timings, E> {
    let mut timings = Timings::default();
    let mut prepared = Prepared::new(engine);
    while let Some(shots) = queue.take(device) {
        tracing::debug!(device, ?shots, "batch");
        let part = Arc::new(plan.batch(shots.clone()));
        let receivers = part.shots.iter().map(|shot| shot.receivers.len());
        let mut collect = Collect {
            gathers: receivers.map(|count| spare.take((count, plan.time.samples))).collect(),
            snapshots: vec![Vec::new(); part.shots.len()],
            shots: shots.clone(),
            units: part.shots.iter().map(|shot| shot.unit).collect(),
            heard: SnapshotFilter::default(),
            hear,
            keep,
        };
        let batch = tracing::info_span!(target: "timeline", "batch", device, first = shots.start, shots = shots.len());
        let ended = batch.in_scope(|| with_retry(engine, || prepared.run(&part, &mut collect)));
        drop(batch);
        let of_this = |error| of_device(of_shot(error, shots.start), device, queue);
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

/// The records of a shot, unprocessed.
struct Recorded {
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
    fn result(self, plan: &Plan) -> (ShotResult, Array2<f32>) {
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
struct BufferPool(Mutex<Vec<Vec<f32>>>);

impl BufferPool {
    fn put(&self, buffer: Array2<f32>) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(buffer.into_raw_vec_and_offset().0);
    }

    /// Memory of a shape, with earlier values or zeros: a run fills all of it that is read.
    fn take(&self, shape: (usize, usize)) -> Array2<f32> {
        let spare = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let Some(mut values) = spare else { return Array2::zeros(shape) };
        values.resize(shape.0 * shape.1, 0.0);
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

/// Steps that [`stream`] counts: those of every batch or, if several devices share the shots, of
/// every shot.
pub fn steps_of(engines: &[&dyn Engine], plan: &Plan) -> Result<usize, EngineError> {
    match sharing(engines, plan) {
        [engine] => total_steps(*engine, plan),
        _ => Ok(plan.shots.len() * plan.time.steps),
    }
}

/// Steps that [`model`] counts: those of every batch.
pub fn total_steps(engine: &dyn Engine, plan: &Plan) -> Result<usize, EngineError> {
    match plan.shots.len() {
        0 => Ok(0),
        shots => Ok(shots.div_ceil(engine.batch(plan)?) * plan.time.steps),
    }
}

struct Collect<'a, 'h> {
    /// Per shot, shape `[receiver][time]`.
    gathers: Vec<Array2<f32>>,
    snapshots: Vec<Vec<Snapshot>>,
    /// Shots of the batch.
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
        if unit == 1.0 {
            if (self.keep)(number, &snapshot) {
                self.snapshots[snapshot.shot].push(snapshot.to_owned());
            }
            return;
        }
        let mut own = snapshot.to_owned();
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
