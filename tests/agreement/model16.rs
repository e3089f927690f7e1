//! With the model in 16 bits every kernel gives the field that the oracle gives in the rounded
//! model.

use crate::{
    common,
    kernels::{boundaries, with_each_kernel_and},
    volume::{TOLERANCE, error_against, plan},
};
use huygens::{engine::gpu::ModelStorage::Unorm16, plan::Plan, stencil::Family};
use ndarray::Array3;

const ORDER_8: Family = Family::Taylor { order: 8 };

// v^2 in models from 1500 to 4500 m/s; (v dt)^2 is proportional.
const LOW: f64 = 1500.0 * 1500.0;
const STEP: f64 = (4500.0 * 4500.0 - LOW) / 65_534.0;

fn is_plane(kernel: &str) -> bool {
    kernel.starts_with("plane")
}

#[test]
fn every_kernel_on_every_boundary() {
    if common::left_to_full("the 16-bit model on every boundary") {
        return;
    }
    for (kernel, engines) in with_each_kernel_and(Unorm16, &[false, true]) {
        let n = if is_plane(&kernel) { (1, 71, 93) } else { (23, 27, 75) };
        let mut worst = 0.0f32;
        for (boundary, layers) in boundaries() {
            let plan = plan(n, ORDER_8, layers, 5);
            let error = error_against(&Unorm16.stored(&plan), &engines, &plan);
            assert!(error <= TOLERANCE, "{kernel}, {boundary}: {error:e}");
            worst = worst.max(error);
        }
        println!("{kernel}: {worst:.1e} of the maximum");
    }
}

/// Past the last node of a column, inside its last four, p stays zero; and so it does in slivers.
#[test]
fn every_kernel_at_every_remainder_and_on_slivers() {
    for (kernel, engines) in with_each_kernel_and(Unorm16, &[false]) {
        let sizes = match is_plane(&kernel) {
            true => [(1, 9, 36), (1, 9, 37), (1, 9, 38), (1, 9, 39), (1, 1, 50), (1, 2, 3)],
            false => [(9, 9, 36), (9, 9, 37), (9, 9, 38), (9, 9, 39), (2, 1, 70), (19, 40, 1)],
        };
        for n in common::all_or(&sizes, &[sizes[1], sizes[5]]) {
            for layers in common::all_or(&[common::NO_LAYER, common::cpml(5)], &[common::cpml(5)]) {
                let plan = plan(n, ORDER_8, layers, 7);
                let error = error_against(&Unorm16.stored(&plan), &engines, &plan);
                assert!(error <= TOLERANCE, "{kernel}, {n:?}: {error:e}");
            }
        }
    }
}

/// One value has no extremes.
#[test]
fn a_homogeneous_model_loses_nothing() {
    for (kernel, engines) in with_each_kernel_and(Unorm16, &[false]) {
        let n = if is_plane(&kernel) { (1, 21, 37) } else { (9, 11, 37) };
        let mut plan = plan(n, ORDER_8, common::cpml(5), 3);
        plan.velocities[0] = Array3::from_elem(plan.grid.shape(), 2345.0).into();
        let error = error_against(&plan, &engines, &plan);
        assert!(error <= TOLERANCE, "{kernel}: {error:e}");
    }
}

/// Sources where rounding changes most, half a step from the next value, in a field that they alone
/// make.
#[test]
fn sources_fire_in_the_rounded_medium() {
    let between = (LOW + 0.5 * STEP).sqrt() as f32;
    for (kernel, engines) in with_each_kernel_and(Unorm16, &[false]) {
        let n = if is_plane(&kernel) { (1, 31, 45) } else { (11, 13, 45) };
        let mut plan = plan(n, ORDER_8, common::NO_LAYER, 13);
        plan.initial = None;
        let mut velocity = Array3::from_elem(plan.grid.shape(), between);
        (velocity[[0, 0, 0]], velocity[[0, 0, 1]]) = (1500.0, 4500.0);
        plan.velocities[0] = velocity.into();
        let rounded = Unorm16.stored(&plan);
        let error = error_against(&rounded, &engines, &plan);
        assert!(error <= TOLERANCE, "{kernel}: {error:e}");

        let sources = |plan: &Plan| plan.shots[0].sources.clone();
        let mut exact = rounded.clone();
        exact.shots[0].sources = sources(&plan);
        assert_ne!(sources(&rounded), sources(&plan));
        let error = error_against(&exact, &engines, &plan);
        assert!(error > 2.0 * TOLERANCE, "{kernel}, sources of the exact medium: {error:e}");
    }
}

/// Tests the test: a model that is not rounded, one whose values are a step off, and one whose
/// extremes are must not pass.
#[test]
fn a_wrong_model_is_seen() {
    let changed = |plan: &Plan, change: &dyn Fn(f64) -> f64| {
        let mut wrong = Unorm16.stored(plan);
        let velocity = wrong.velocities[0].to_array();
        wrong.velocities[0] = velocity.mapv(|v| change(f64::from(v).powi(2)).sqrt() as f32).into();
        wrong
    };
    for (kernel, engines) in with_each_kernel_and(Unorm16, &[false]) {
        let n = if is_plane(&kernel) { (1, 31, 45) } else { (11, 13, 45) };
        let plan = plan(n, ORDER_8, common::cpml(5), 11);
        let cases = [
            ("not rounded", plan.clone()),
            ("a step off", changed(&plan, &|v2| v2 + STEP)),
            ("base off", changed(&plan, &|v2| v2 + 1e-4 * LOW)),
            ("scale off", changed(&plan, &|v2| LOW + 1.0001 * (v2 - LOW))),
        ];
        for (mistake, wrong) in cases {
            let error = error_against(&wrong, &engines, &plan);
            assert!(error > 2.0 * TOLERANCE, "{kernel}, {mistake}: {error:e}");
        }
    }
}
