//! The 3-D ladder: every order, odd sizes, single columns and pairs of planes, several workgroups,
//! with run-time checks and without.

use super::{
    STEPS, Step, TOLERANCE, compare, compare_with_heavy_tips, error, oracle, run, stays_finite,
};
use crate::common::{all_or, engines, full, left_to_full};
use huygens::{
    engine::{
        Engine,
        cpu::Reference,
        gpu::bench::{
            ACROSS, Bench, BenchError, FRONT, FRONT_DOUBLE, FRONT_STEPS, FRONT_WIDE, Kernel,
            MARCH_4, NAIVE, NAIVE_4, PLANE, QUEUE_4, SLICES_4, UNIFORM, Update, Workgroup,
        },
    },
    ladder::{Case, Operator, VOLUME_RUNGS},
};

/// 33 x 29 x 19 nodes, no multiple of anything.
fn odd(operator: Operator) -> Case {
    Case::volume([33, 29, 19], operator)
}

/// Every kernel with its usual workgroup.
fn usual_steps() -> Vec<Step> {
    let one = |kernel: &'static Kernel| vec![(kernel, kernel.workgroup)];
    let mut steps: Vec<Step> =
        [&NAIVE, &NAIVE_4, &FRONT, &FRONT_WIDE, &FRONT_DOUBLE, &QUEUE_4, &SLICES_4, &MARCH_4]
            .map(one)
            .into();
    steps.push(vec![(&PLANE, PLANE.workgroup), (&ACROSS, ACROSS.workgroup)]);
    steps.extend(FRONT_STEPS.iter().map(one));
    steps
}

/// All workgroups that the ladder tries.
fn tried_steps() -> Vec<Step> {
    VOLUME_RUNGS
        .iter()
        .filter(|rung| !rung.part)
        .flat_map(|rung| rung.kernels(Workgroup::ALL))
        .collect()
}

/// Workgroups that it does not: tiles smaller than the wing, marches that end within the grid.
fn unusual_steps() -> Vec<Step> {
    let group = Workgroup::new;
    let one = |kernel: &'static Kernel, groups: &[Workgroup]| -> Vec<Step> {
        groups.iter().map(|group| vec![(kernel, *group)]).collect()
    };
    let fronts = [group(10, 20).over(5), group(12, 35).over(1), group(9, 34).over(7)];
    let marches = [group(8, 2).over(5), group(4, 16).over(1), group(64, 1).over(7)];
    [
        one(&NAIVE, &[group(8, 8).deep(8), group(1, 1).deep(32)]),
        one(&NAIVE_4, &[group(1, 32), group(2, 2).deep(16)]),
        one(&FRONT, &marches),
        one(&FRONT_WIDE, &marches),
        one(&FRONT_WIDE, &[group(8, 4).columns(3).over(5), group(4, 2).columns(8).over(19)]),
        one(&FRONT_DOUBLE, &marches),
        one(&QUEUE_4, &marches),
        one(&SLICES_4, &[group(4, 4), group(8, 4).over(3), group(2, 8).over(Workgroup::ALL)]),
        one(&MARCH_4, &[group(4, 4), group(8, 4).over(3), group(2, 8).over(Workgroup::ALL)]),
        vec![vec![(&PLANE, group(4, 4)), (&ACROSS, group(8, 4).over(3))]],
        FRONT_STEPS.iter().flat_map(|kernel| one(kernel, &fronts)).collect(),
    ]
    .concat()
}

#[test]
fn every_order_on_an_odd_size() {
    for order in all_or(&[2, 4, 6, 8, 10, 12, 14, 16], &[8, 16]) {
        compare(odd(Operator::Order(order)), &usual_steps(), order == 8 && full());
    }
}

#[test]
fn every_workgroup_and_others() {
    if left_to_full("all workgroups of the ladder in a volume") {
        return;
    }
    let steps = [tried_steps(), unusual_steps()].concat();
    compare(odd(Operator::Order(8)), &steps, false);
}

/// Tiles and marches that end within the grid, and an operator that tells a halo that is a node
/// short.
#[test]
fn halos_of_several_steps_are_wide_enough() {
    let groups = [Workgroup::new(11, 40).over(7), Workgroup::new(10, 36).over(19)];
    let with = |kernel: &'static Kernel| groups.map(|group| vec![(kernel, group)]);
    let steps: Vec<Step> = FRONT_STEPS.iter().flat_map(with).collect();
    for order in all_or(&[2, 4, 6, 8], &[4]) {
        compare_with_heavy_tips(Case::volume([41, 47, 19], Operator::Order(order)), &steps);
    }
}

#[test]
fn slivers_along_each_axis() {
    for size in all_or(&[[1, 29, 19], [33, 1, 19], [33, 29, 2], [65, 17, 33]], &[[33, 1, 19]]) {
        compare(Case::volume(size, Operator::Wing(3)), &usual_steps(), false);
    }
}

#[test]
fn the_timed_field_stays_finite() {
    stays_finite(odd(Operator::Order(8)), &usual_steps(), 300);
}

/// The twin of the ladder's kernels steps as the oracle of the engines does.
#[test]
fn the_scalar_twin_is_the_reference() {
    let mut plan = odd(Operator::Wing(7)).plan().expect("a case that can be");
    plan.shots[0].sources = Default::default();
    let mut run = Reference.start(plan.clone().into()).expect("the oracle starts");
    run.advance(STEPS, &mut ()).expect("ten steps are stable");
    let field = run.field(0).expect("the field comes back");
    let error = error(&field, &oracle(&plan, Update::Wave));
    // The Reference's field comes back as f32.
    assert!(error < 1e-7, "{error:e}");
}

/// Tests the test: one coefficient of any axis off by 1 % must not pass.
#[test]
fn a_wrong_coefficient_is_seen() {
    let plan = odd(Operator::Order(8)).plan().expect("a case that can be");
    for gpu in engines::opened(false) {
        for update in [Update::Laplacian, Update::Wave] {
            let oracle = oracle(&plan, update);
            for (index, step) in usual_steps().into_iter().enumerate() {
                let mut wrong = plan.clone();
                let operator = &mut wrong.operator;
                let axis = match index % 3 {
                    0 => &mut operator.x,
                    1 => &mut operator.y,
                    _ => &mut operator.z,
                };
                axis.second[index % 2] *= 1.01;
                let bench = Bench::new(&gpu, &wrong).expect("a small field fits");
                let Ok(field) = run(&bench, &step, update, false) else { continue };
                assert!(error(&field, &oracle) > 2.0 * TOLERANCE, "{}", step[0].0.name);
            }
        }
    }
}

/// A shape that would miss nodes, or is of the other ladder, is rejected.
#[test]
fn misfits_of_a_volume_are_refused() {
    let plan = odd(Operator::Order(4)).plan().expect("a case that can be");
    for gpu in engines::opened(false) {
        let bench = Bench::new(&gpu, &plan).expect("a small field fits");
        for (kernel, group) in [
            (&UNIFORM, UNIFORM.workgroup),
            (&FRONT, FRONT.workgroup.columns(2)),
            (&FRONT, FRONT.workgroup.deep(2)),
            (&NAIVE, NAIVE.workgroup.over(2)),
            (&QUEUE_4, QUEUE_4.workgroup.over(0)),
            (&SLICES_4, Workgroup::new(1 << 40, 1 << 40)),
        ] {
            let refused = bench.chain(&[(kernel, group)], Update::Wave, false);
            assert!(matches!(refused, Err(BenchError::Refused { .. })), "{} {group}", kernel.name);
        }
    }
}
