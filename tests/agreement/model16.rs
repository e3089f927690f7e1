//! With the model in 16 bits every kernel gives the field that the oracle gives in the rounded model.

use crate::{
    common,
    kernels::{boundaries, with_each_kernel_and},
    volume::{TOLERANCE, error_against, plan},
};
use huygens::{
    engine::gpu::ModelStorage::{self, Unorm16},
    plan::Plan,
    stencil::Family,
};

const ORDER_8: Family = Family::Taylor { order: 8 };

fn is_plane(kernel: &str) -> bool {
    kernel.starts_with("plane")
}

#[test]
fn every_kernel_on_every_boundary() {
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
        for n in sizes {
            for layers in [common::NO_LAYER, common::cpml(5)] {
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
        plan.velocity = vec![2345.0; plan.velocity.len()].into();
        let error = error_against(&plan, &engines, &plan);
        assert!(error <= TOLERANCE, "{kernel}: {error:e}");
    }
}

/// A test of the test: a model that is not rounded, one whose values are a step off, one whose extremes
/// are, and sources that fire in another medium must not pass.
#[test]
fn a_wrong_model_is_seen() {
    let (low, high) = (1500.0f64.powi(2), 4500.0f64.powi(2));
    let step = (high - low) / 65_534.0;
    let changed = |plan: &Plan, change: &dyn Fn(f64) -> f64| {
        let mut wrong = Unorm16.stored(plan);
        let velocity = wrong.velocity.iter().map(|v| change(f64::from(*v).powi(2)).sqrt() as f32);
        wrong.velocity = velocity.collect();
        wrong
    };
    for (kernel, engines) in with_each_kernel_and(Unorm16, &[false]) {
        let n = if is_plane(&kernel) { (1, 31, 45) } else { (11, 13, 45) };
        let plan = plan(n, ORDER_8, common::cpml(5), 11);
        let mut silent = plan.clone();
        silent.initial = None;
        let mut loud = Unorm16.stored(&silent);
        loud.shots[0].sources.iter_mut().for_each(|source| source.scale *= 1.0001);
        let cases = [
            ("not rounded", ModelStorage::F32.stored(&plan), &plan),
            ("a step off", changed(&plan, &|v2| v2 + step), &plan),
            ("base off", changed(&plan, &|v2| v2 + 1e-4 * low), &plan),
            ("scale off", changed(&plan, &|v2| low + 1.0001 * (v2 - low)), &plan),
            ("sources", loud, &silent),
        ];
        for (mistake, wrong, plan) in cases {
            let error = error_against(&wrong, &engines, plan);
            assert!(error > 2.0 * TOLERANCE, "{kernel}, {mistake}: {error:e}");
        }
    }
}
