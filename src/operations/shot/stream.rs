//! Models the shots of a Plan on one or more engines, and writes their results meanwhile.

use super::batches::{
    Batches, BufferPool, Keep, Recorded, ShotResult, model, of_batches, total_steps,
};
use crate::{
    acquisition::TimeDispersion,
    engine::{
        Engine, EngineError, SnapshotView,
        shots::{DeviceWork, Queue, on_each},
    },
    operations::OnStep,
    plan::Plan,
};
use std::{
    ops::ControlFlow,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
};
use web_time::Instant;

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
    progress: &mut OnStep<'_>,
    keep: &mut Keep<'_>,
    done: &OnResult<'_, E>,
) -> Result<Vec<DeviceWork>, E> {
    let (began, engines) = (Instant::now(), sharing(engines, plan));
    let one = |timings| vec![DeviceWork::since(began, engines[0], plan.shots.len(), timings)];
    let sizes = batch_sizes(engines, plan)?;
    let queue = Queue::new(plan.shots.len(), &sizes);
    let (send, receive) = mpsc::sync_channel::<Recorded>(sizes.iter().sum());
    let receive = Arc::new(Mutex::new(receive));
    let writing = Writing::new(plan, done);
    let batches_of_device =
        |engine, device| Batches { engine, plan, queue: &queue, device, spare: &writing.spare };
    let ran = thread::scope(|scope| {
        // A single shot has no other to be written beside; and memory for a thread may be lacking.
        if plan.shots.len() < 2 || writing.spawn(scope, &receive) == 0 {
            let mut done = |result| writing.done(result);
            return model(engines[0], plan, progress, keep, &mut done).map(one);
        }
        // If all receivers have panicked, nobody waits for room.
        drop(receive);
        let mut progress = |step| match writing.failed.load(Ordering::Relaxed) {
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
                batches_of_device(*engine, 0).run(&mut hear, keep, &mut hand_over).map(one)
            }
            _ => {
                let keep = Mutex::new(keep);
                on_each(engines, &queue, &mut progress, &|device, hear| {
                    let mut keep = |shot, snapshot: &SnapshotView<'_>| {
                        keep.lock().unwrap_or_else(PoisonError::into_inner)(shot, snapshot)
                    };
                    let mut hand_over = |recorded| hand_over(recorded);
                    batches_of_device(engines[device], device).run(hear, &mut keep, &mut hand_over)
                })
            }
        };
        drop(send);
        ran
    });
    match writing.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => ran,
    }
}

/// The batch of each engine.
fn batch_sizes(engines: &[&dyn Engine], plan: &Plan) -> Result<Vec<usize>, EngineError> {
    let size = |engine: &&dyn Engine| match plan.shots.len() {
        0 => Ok(0),
        _ => engine.batch(plan),
    };
    engines.iter().map(size).collect()
}

/// Takes the results of shots, on several threads.
pub(crate) type OnResult<'h, E> = dyn Fn(ShotResult) -> Result<(), E> + Sync + 'h;

/// The work of the writer threads.
struct Writing<'w, E> {
    plan: &'w Plan,
    done: &'w OnResult<'w, E>,
    spare: BufferPool,
    failed: AtomicBool,
    /// The first failure.
    failure: Mutex<Option<E>>,
}

impl<'w, E> Writing<'w, E> {
    fn new(plan: &'w Plan, done: &'w OnResult<'w, E>) -> Self {
        let (spare, failed) = (BufferPool::default(), AtomicBool::new(false));
        Writing { plan, done, spare, failed, failure: Mutex::new(None) }
    }

    /// Starts the threads, and returns their number.
    fn spawn<'s>(
        &'s self,
        scope: &'s thread::Scope<'s, '_>,
        receive: &Arc<Mutex<mpsc::Receiver<Recorded>>>,
    ) -> usize
    where
        E: Send,
    {
        let spawned = |number: &usize| {
            let receive = receive.clone();
            let thread = thread::Builder::new().name(format!("writer {}", number + 1));
            thread.spawn_scoped(scope, move || self.receive(&receive)).is_ok()
        };
        (0..writers(self.plan)).filter(spawned).count()
    }

    /// Passes a result on.
    fn done(&self, result: ShotResult) -> Result<(), E> {
        let shot = result.shot;
        let span = tracing::info_span!(target: "timeline", "writing files", shot);
        span.in_scope(|| (self.done)(result))
    }

    /// Passes on what arrives.
    fn receive(&self, receive: &Mutex<mpsc::Receiver<Recorded>>) {
        let next = || receive.lock().unwrap_or_else(PoisonError::into_inner).recv();
        while let Ok(recorded) = next() {
            // After a failure, drop results, so that nothing waits for room.
            if self.failed.load(Ordering::Relaxed) {
                continue;
            }
            let (result, buffer) = recorded.result(self.plan);
            self.spare.put(buffer);
            if let Err(error) = self.done(result) {
                self.failed.store(true, Ordering::Relaxed);
                let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
                failure.get_or_insert(error);
            }
        }
    }
}

/// The devices that share the shots of a Plan: one if sets of shots must advance together.
fn sharing<'s, 'e>(engines: &'s [&'e dyn Engine], plan: &Plan) -> &'s [&'e dyn Engine] {
    if plan.set_size() > 1 { &engines[..1] } else { engines }
}

/// Steps that [`stream`] counts: those of every batch or, if several devices share the shots, of
/// every shot.
pub fn steps_of(engines: &[&dyn Engine], plan: &Plan) -> Result<usize, EngineError> {
    match sharing(engines, plan) {
        [engine] => total_steps(*engine, plan),
        _ => Ok(plan.shots.len() * plan.time.steps),
    }
}
