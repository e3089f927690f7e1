//! Shots over several devices: one thread per device.

use super::queue::Queue;
use crate::engine::{Description, Engine, EngineError, Timings};
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
pub struct Did {
    /// The device.
    pub engine: Description,
    /// Number of shots.
    pub shots: usize,
    /// Its own times.
    pub timings: Timings,
    /// Idle seconds, until the last device was done.
    pub idle: f64,
}

impl Did {
    /// Its work since an earlier state.
    pub(super) fn since(
        began: Instant,
        engine: &dyn Engine,
        shots: usize,
        timings: Timings,
    ) -> Self {
        let idle = began.elapsed().as_secs_f64() - timings.setup - timings.stepping;
        Did { engine: engine.describe(), shots, timings, idle: idle.max(0.0) }
    }

    /// Times of all devices together: the longest of each.
    pub fn total(all: &[Did]) -> Timings {
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
pub(super) type Tell<'h> = dyn FnMut(&Range<usize>, usize) -> ControlFlow<()> + Send + 'h;

/// Runs a queue's shots on every device, one thread each. `run` is given the index of the device
/// and reports the current shots and their step; `progress` receives the steps done of every shot,
/// and their total. The first error ends all.
pub(super) fn on_each<E: From<EngineError> + Send>(
    engines: &[&dyn Engine],
    queue: &Queue,
    progress: &mut (dyn FnMut(usize) -> ControlFlow<()> + Send),
    run: &(dyn Fn(usize, &mut Tell<'_>) -> Result<Timings, E> + Sync),
) -> Result<Vec<Did>, E> {
    let began = Instant::now();
    let (failure, is_over) = (Mutex::new(None), AtomicBool::new(false));
    let heard = Mutex::new((0, progress));
    let failed = |error: E| {
        failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        is_over.store(true, Ordering::Relaxed);
        queue.close();
    };
    let one = |device: usize| {
        let mut at = (usize::MAX, 0);
        let mut hear = |shots: &Range<usize>, step: usize| {
            let before = if at.0 == shots.start { at.1 } else { 0 };
            // Shots that are done again count once.
            at = (shots.start, step.max(before));
            let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
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
        .map(|(device, (e, timings))| Did::since(began, *e, queue.done(device), timings))
        .collect())
}

/// An error with the number of the device, counted from 1, if there are several.
pub(super) fn of_device(mut error: EngineError, number: usize, queue: &Queue) -> EngineError {
    use EngineError::{Device, Lost, OutOfMemory, Silent, TooLarge, Wrong};
    if let Device { device, .. }
    | Lost { device, .. }
    | Silent { device, .. }
    | OutOfMemory { device, .. }
    | TooLarge { device, .. }
    | Wrong { device, .. } = &mut error
        && queue.devices() > 1
    {
        *device = format!("{device}, device {} of {},", number + 1, queue.devices());
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        acquisition::{Shot, Source, Wavelet},
        boundary::{Absorber, Boundary, Top},
        engine::{Run, cpu::Parallel},
        grid::Axes,
        model::VelocityModel,
        plan::{Plan, Setup, Step, Time},
        shot::{ShotResult, steps_of, stream},
        stencil::Family,
    };
    use std::sync::{Arc, atomic::AtomicUsize};

    /// A CPU engine that waits for a condition before each batch, or fails there.
    struct Fake<'f> {
        batch: usize,
        may_begin: &'f (dyn Fn() -> bool + Sync),
        fails: bool,
    }

    impl Engine for Fake<'_> {
        fn describe(&self) -> Description {
            Description { device: "fake".into(), ..Parallel.describe() }
        }

        fn batch(&self, _plan: &Plan) -> Result<usize, EngineError> {
            Ok(self.batch)
        }

        fn start(&self, plan: Arc<Plan>) -> Result<Box<dyn Run>, EngineError> {
            while !(self.may_begin)() {
                thread::yield_now();
            }
            match self.fails {
                false => Parallel.start(plan),
                true => {
                    let (device, message) = ("fake".into(), "it is lost".into());
                    Err(EngineError::Device { device, message })
                }
            }
        }
    }

    /// Shots side by side.
    fn plan(shots: usize) -> Plan {
        let shot = |number: usize| Shot {
            sources: vec![Source::new(Axes::xz(50.0 + number as f64, 50.0), Wavelet::ricker(10.0))],
            receivers: vec![Axes::xz(50.0, 60.0)].into(),
        };
        let velocity = ndarray::Array2::from_elem((20, 20), 1500.0);
        let model = VelocityModel::new(velocity, 10.0, 10.0).expect("a model");
        let shots = (0..shots).map(shot).collect();
        let plan = Plan::new(Setup {
            operator: Family::Taylor { order: 2 },
            boundary: Boundary { top: Top::Zero, sides: Absorber::Zero },
            time: Time { step: Step::Seconds(1e-3), ..Time::new(0.2) },
            ..Setup::new(model, shots, 0.2)
        });
        plan.expect("a valid setup")
    }

    type Streamed = (Result<Vec<Did>, EngineError>, Vec<ShotResult>, usize);

    /// The outcome of a run, its results in the order of their shots, and the last reported steps.
    /// `count` counts results.
    fn streamed(engines: &[&dyn Engine], plan: &Plan, count: &AtomicUsize) -> Streamed {
        let (results, mut last) = (Mutex::new(Vec::new()), 0);
        let mut progress = |step| {
            assert!(step >= last);
            last = step;
            ControlFlow::Continue(())
        };
        let did = stream(engines, plan, &mut progress, &mut |_, _| false, &|result| {
            results.lock().expect("no panic").push(result);
            count.fetch_add(1, Ordering::SeqCst);
            Ok(())
        });
        let mut results = results.into_inner().expect("no panic");
        results.sort_by_key(|result: &ShotResult| result.shot);
        (did, results, last)
    }

    /// The results equal those of one device, however shots are shared and whichever device is
    /// slow.
    #[test]
    fn a_slow_device_does_its_part_and_no_more() {
        let (plan, at_once) = (plan(10), || true);
        let one = Fake { batch: 3, may_begin: &at_once, fails: false };
        let (did, expected, steps) = streamed(&[&one], &plan, &AtomicUsize::new(0));
        assert_eq!(did.expect("it ran")[0].shots, 10);
        assert_eq!((expected.len(), steps), (10, steps_of(&[&one], &plan).expect("a batch")));
        for (batches, slow) in [([1, 1], 1), ([2, 3], 3), ([10, 10], 5)] {
            // Until the other device has done all the rest.
            let count = AtomicUsize::new(0);
            let others_are_done = || count.load(Ordering::SeqCst) >= 10 - slow;
            let [quick, waits] = [
                Fake { batch: batches[0], may_begin: &at_once, fails: false },
                Fake { batch: batches[1], may_begin: &others_are_done, fails: false },
            ];
            let engines: [&dyn Engine; 2] = [&quick, &waits];
            let (did, results, steps) = streamed(&engines, &plan, &count);
            let did = did.expect("it ran");
            let shots: Vec<_> = did.iter().map(|did| did.shots).collect();
            assert_eq!(shots, [10 - slow, slow], "{batches:?}");
            assert!(results == expected, "{batches:?}");
            assert_eq!(steps, 10 * plan.time.steps);
            assert_eq!(steps, steps_of(&engines, &plan).expect("a batch"));
            assert!(did.iter().all(|did| did.idle >= 0.0 && did.timings.stepping > 0.0));
        }
    }

    #[test]
    fn a_device_that_fails_ends_all_and_is_named() {
        let (plan, at_once, count) = (plan(40), || true, AtomicUsize::new(0));
        let two_are_done = || count.load(Ordering::SeqCst) >= 2;
        let [sound, fails] = [
            Fake { batch: 1, may_begin: &at_once, fails: false },
            Fake { batch: 1, may_begin: &two_are_done, fails: true },
        ];
        let (did, results, _) = streamed(&[&sound, &fails], &plan, &count);
        let said = did.expect_err("one fails").to_string();
        assert!(said.starts_with("fake, device 2 of 2, failed: it is lost; "), "{said}");
        // Earlier results are there.
        assert!((2..40).contains(&results.len()), "{}", results.len());
        // An error of the receiver of the results is returned too.
        let refused = EngineError::Unsound;
        let ended = stream(
            &[&sound, &sound],
            &plan,
            &mut |_| ControlFlow::Continue(()),
            &mut |_, _| false,
            &|_| Err(refused.clone()),
        );
        assert_eq!(ended.expect_err("nobody takes it"), refused);
    }
}
