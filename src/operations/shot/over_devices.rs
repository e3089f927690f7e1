//! Tests of shots that several devices share.

use super::{ShotResult, steps_of, stream};
use crate::{
    acquisition::{Shot, Source, Wavelet},
    boundary::{Absorber, Boundary, Top},
    engine::{Description, DeviceWork, Engine, EngineError, Run, cpu::Parallel},
    grid::Axes,
    model::VelocityModel,
    plan::{Plan, Setup, Step, Time},
    stencil::Family,
};
use std::{
    ops::ControlFlow,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

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

type Streamed = (Result<Vec<DeviceWork>, EngineError>, Vec<ShotResult>, usize);

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
