//! Blocks that sleep until a wave reaches them: all results have the bits of a run that steps every
//! block.

use crate::{
    common::{self, engines},
    kernels::is_tested,
    slabs::{boundaries, differences, results_by, setup},
};
use huygens::{
    engine::{
        Engine, Gathers,
        gpu::{Gpu, Sleep},
    },
    plan::{Plan, Setup},
};
use std::sync::Arc;

#[test]
fn blocks_that_sleep_change_no_bit() {
    for gpu in engines::opened(false) {
        for volume in [false, true] {
            let [zero, sponge, cpml, free] = boundaries();
            // An operator of order 16 reaches half of a block.
            let cases = [(2, zero), (8, sponge), (8, cpml), (16, cpml), (16, free)];
            for (order, boundary) in common::all_or(&cases, &[cases[1], cases[4]]) {
                let plan = Plan::new(setup(volume, order, boundary, 3.7)).expect("a valid setup");
                for kernel in gpu.kernels(&plan).into_iter().filter(|it| is_tested(it)) {
                    let of = |sleep| results_by(&gpu.with_kernel(kernel).with_sleep(sleep), &plan);
                    let (all, awake) = (of(Sleep::Never), of(Sleep::Always));
                    assert!(all.sounds());
                    let case = format!("{}, order {order}, {boundary:?}", kernel.name);
                    assert_eq!(differences(&all, &awake), [""; 0], "{case}");
                }
            }
        }
    }
}

/// The field of the first shot after 40 steps. Another run makes the first `others` of them.
fn field(gpu: &Gpu, plan: &Arc<Plan>, others: usize) -> ndarray::Array3<f32> {
    let mut run = gpu.start(plan.clone()).expect("it fits");
    run.advance(others, &mut ()).expect("a stable run");
    let state = run.state().expect("a state");
    let mut run = gpu.start(plan.clone()).expect("it fits");
    run.restore(&state).expect("a state of this job");
    run.advance(40 - others, &mut Gathers::new(plan)).expect("a stable run");
    run.field(0).expect("a field")
}

/// A state does not say which blocks are awake.
#[test]
fn a_restored_field_is_awake() {
    let plan = Plan::new(setup(true, 8, boundaries()[2], 3.7)).expect("a valid setup");
    let plan = Arc::new(plan);
    for gpu in engines::opened(false) {
        let expected = field(&gpu.with_sleep(Sleep::Never), &plan, 20);
        assert!(expected.iter().any(|p| *p != 0.0));
        assert!(field(&gpu.with_sleep(Sleep::Always), &plan, 20) == expected);
    }
}

/// A batch that follows another begins asleep.
#[test]
fn the_next_batch_of_a_survey_begins_asleep() {
    let one = setup(false, 8, boundaries()[3], 3.7);
    let other = Setup { shots: one.shots.iter().rev().cloned().collect(), ..one.clone() };
    let [one, other] = [one, other].map(|setup| Arc::new(Plan::new(setup).expect("a valid setup")));
    for gpu in engines::opened(false) {
        let field = |gpu: &Gpu| {
            let mut run = gpu.start(one.clone()).expect("it fits");
            run.advance(50, &mut ()).expect("a stable run");
            assert!(run.restart(&other).expect("another batch"));
            run.advance(30, &mut ()).expect("a stable run");
            run.field(1).expect("a field")
        };
        assert!(field(&gpu.with_sleep(Sleep::Always)) == field(&gpu.with_sleep(Sleep::Never)));
    }
}
