//! Shots that several devices share: one thread per device.

mod queue;

pub use queue::Queue;

use crate::{Description, Engine, EngineError, Timings, locked};
use serde::Serialize;
use std::{
    ops::{ControlFlow, Range},
    panic::resume_unwind,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};
use web_time::Instant;

/// Work of one of the devices that share shots.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeviceWork {
    /// The device.
    pub(crate) engine: Description,
    /// Number of shots.
    pub shots: usize,
    /// Its own times.
    pub timings: Timings,
    /// Idle seconds, until the last device was done.
    pub idle: f64,
}

impl DeviceWork {
    /// Its work since an earlier state.
    pub fn since(began: Instant, engine: &dyn Engine, shots: usize, timings: Timings) -> Self {
        let idle = began.elapsed().as_secs_f64() - timings.setup - timings.stepping;
        DeviceWork { engine: engine.describe(), shots, timings, idle: idle.max(0.0) }
    }

    /// Adds later work of the same device.
    pub fn add(&mut self, later: DeviceWork) {
        self.shots += later.shots;
        self.timings += later.timings;
        self.idle += later.idle;
    }

    /// The work of two threads that took turns on a device.
    #[must_use]
    pub fn beside(mut self, other: DeviceWork) -> DeviceWork {
        self.shots += other.shots;
        self.timings += other.timings;
        self.idle = (self.idle - other.timings.setup - other.timings.stepping).max(0.0);
        self
    }

    /// Times of all devices together: the longest of each.
    pub fn total(all: &[DeviceWork]) -> Timings {
        let longest =
            |of: fn(&Timings) -> f64| all.iter().map(|did| of(&did.timings)).fold(0.0, f64::max);
        Timings {
            setup: longest(|timings| timings.setup),
            stepping: longest(|timings| timings.stepping),
            device: all.iter().filter_map(|did| did.timings.device).reduce(f64::max),
        }
    }
}

/// Receives a device's progress during a run.
pub type ShotProgress<'h> = dyn FnMut(&Range<usize>, usize) -> ControlFlow<()> + Send + 'h;

/// Runs a queue's shots on every device, one thread each. `run` is given the index of the device
/// and reports the current shots and their step; `progress` receives the steps done of every shot,
/// and their total. The first error ends all.
pub fn on_each<E: From<EngineError> + Send>(
    engines: &[&dyn Engine],
    queue: &Queue,
    progress: &mut (dyn FnMut(usize) -> ControlFlow<()> + Send),
    run: &(dyn Fn(usize, &mut ShotProgress<'_>) -> Result<Timings, E> + Sync),
) -> Result<Vec<DeviceWork>, E> {
    let began = Instant::now();
    let (failure, is_over) = (Mutex::new(None), AtomicBool::new(false));
    let heard = Mutex::new((0, progress));
    let failed = |error: E| {
        locked(&failure).get_or_insert(error);
        is_over.store(true, Ordering::Relaxed);
        queue.close();
    };
    let one = |device: usize| {
        let mut at = (usize::MAX, 0);
        let mut hear = |shots: &Range<usize>, step: usize| {
            let before = if at.0 == shots.start { at.1 } else { 0 };
            // Shots that are done again count once.
            at = (shots.start, step.max(before));
            let mut heard = locked(&heard);
            heard.0 += shots.len() * step.saturating_sub(before);
            let done = heard.0;
            match is_over.load(Ordering::Relaxed) {
                true => ControlFlow::Break(()),
                false => (heard.1)(done),
            }
        };
        run(device, &mut hear).unwrap_or_else(|error| {
            failed(error);
            Timings::default()
        })
    };
    let timings = thread::scope(|scope| {
        let one = &one;
        let begun = |device: usize| {
            let thread = thread::Builder::new().spawn_scoped(scope, move || one(device));
            let refused = |error: std::io::Error| {
                let (device, said) = (engines[device].describe().device, error.to_string());
                failed(EngineError::NoThread { device, said }.into());
            };
            thread.map_err(refused).ok()
        };
        let others: Vec<_> = (1..engines.len()).map(begun).collect();
        let mut timings = vec![one(0)];
        timings.extend(others.into_iter().flatten().map(|thread| {
            // Propagate the thread's panic.
            thread.join().unwrap_or_else(|panic| resume_unwind(panic))
        }));
        timings
    });
    if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let did = engines.iter().zip(timings).enumerate();
    Ok(did
        .map(|(device, (e, timings))| DeviceWork::since(began, *e, queue.done(device), timings))
        .collect())
}

/// An error with the number of the device, counted from 1, if there are several.
pub fn of_device(mut error: EngineError, number: usize, devices: usize) -> EngineError {
    use EngineError::{Device, Lost, OutOfMemory, Silent, TooLarge, Wrong};
    if let Device { device, .. }
    | Lost { device, .. }
    | Silent { device, .. }
    | OutOfMemory { device, .. }
    | TooLarge { device, .. }
    | Wrong { device, .. } = &mut error
        && devices > 1
    {
        *device = format!("{device}, device {} of {devices},", number + 1);
    }
    error
}
