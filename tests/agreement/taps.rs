//! The results of the taps: the same on every engine, and correct for the field.

use crate::common::{self, engines, gather_error};
use huygens::{
    acquisition::{Shot, TimeDispersion},
    engine::{EngineError, Gathers, Observer, Snapshots, cpu::Reference},
    grid::Axes,
    plan::{Initial, Plan, Setup, Step, Time},
};
use ndarray::Array3;
use std::ops::ControlFlow;

fn setup(record: Option<f64>) -> Setup {
    let shot = Shot {
        sources: vec![common::ricker(300.0, 200.0, 20.0, 0.05)],
        receivers: (0..30).map(|i| Axes::xz(20.0 * f64::from(i), 100.0)).collect(),
    };
    let time =
        Time { duration: 0.4, step: Step::Seconds(1e-3), record, dispersion: TimeDispersion::Kept };
    common::homogeneous((61, 51), 10.0, 2000.0, time, shot)
}

#[test]
fn gathers_agree_with_the_oracle() {
    for record in [None, Some(4e-3), Some(7e-3)] {
        let oracle = common::gathers(&Reference, setup(record)).remove(0);
        for engine in engines::under_test() {
            let ours = common::gathers(engine.as_ref(), setup(record)).remove(0);
            let error = gather_error(ours.view(), oracle.view());
            assert!(error < 1e-5, "{:?}, every {record:?}: {error:e}", engine.describe());
        }
    }
}

#[test]
fn a_sample_is_the_field_at_its_time() {
    let every_step = setup(None);
    let snapshots = Setup { snapshots: vec![0.0, 0.004, 0.13, 0.4], ..every_step.clone() };
    for engine in engines::all() {
        let gather = common::gathers(engine.as_ref(), every_step.clone()).remove(0);
        let sparse = common::gathers(engine.as_ref(), setup(Some(4e-3))).remove(0);
        let plan = Plan::new(snapshots.clone()).expect("a valid setup");
        let mut seen = Snapshots::default();
        engine.run(&plan, &mut seen).expect("a stable run");
        assert_eq!(seen.0.len(), 4);
        for snapshot in &seen.0 {
            for (receiver, trace) in gather.rows().into_iter().enumerate() {
                assert_eq!(trace[snapshot.step], snapshot.field[[0, 2 * receiver, 10]]);
            }
        }
        for (sample, column) in sparse.columns().into_iter().enumerate() {
            assert_eq!(column, gather.column(4 * sample));
        }
    }
}

/// The initial field is the first sample, where there is one.
#[test]
fn the_first_sample_is_the_initial_field() {
    let mut with_field = setup(None);
    let grid = Plan::new(with_field.clone()).expect("a valid setup").grid;
    let now = Array3::from_shape_fn(grid.shape(), |(_, x, z)| (x * 100 + z) as f32);
    with_field.initial = Some(Initial { before: now.clone(), now });
    for engine in engines::all() {
        let gather = common::gathers(engine.as_ref(), with_field.clone()).remove(0);
        for (receiver, trace) in gather.rows().into_iter().enumerate() {
            // 20 cells of layer, receivers every second column at row 10.
            assert_eq!(trace[0], ((20 + 2 * receiver) * 100 + 30) as f32);
        }
    }
}

struct StopAt(usize);

impl Observer for StopAt {
    fn progress(&mut self, step: usize) -> ControlFlow<()> {
        if step >= self.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn an_observer_can_stop_a_run() {
    let plan = Plan::new(setup(None)).expect("a valid setup");
    for engine in engines::all() {
        // A GPU stops at the end of a submit, which may be as long as this run.
        let stopped = engine.run(&plan, &mut StopAt(40));
        assert!(
            matches!(stopped, Err(EngineError::Stopped { step, .. }) if step >= 40),
            "{stopped:?}"
        );
    }
}

#[test]
fn a_run_never_goes_past_its_end() {
    let plan = Plan::new(setup(None)).expect("a valid setup");
    for engine in engines::all() {
        let mut gathers = Gathers::new(&plan);
        let mut run = engine.start(plan.clone().into()).expect("the engine starts");
        run.advance(10 * plan.time.steps, &mut gathers).expect("a stable run");
        assert_eq!(run.step(), plan.time.steps);
        run.finish(&mut gathers).expect("a stable run");
        assert!(gathers.shots[0].column(plan.time.samples - 1).iter().any(|p| *p != 0.0));
    }
}
