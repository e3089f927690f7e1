//! Explicit time evolution: every engine, kernel, boundary and cut gives the oracle's field.

use crate::{
    common::{all_or, engines},
    kernels::{FREE_SURFACE, boundaries, with_each_kernel},
    slabs::{self, differences, results_by},
    volume::{TOLERANCE, error_of, plan},
};
use huygens::{
    engine::{Engine, cpu::Parallel},
    plan::{Plan, Setup},
    stencil::{Family, ete::Points},
};

const STENCILS: [Points; 2] = [Points::Few, Points::Many];

#[test]
fn every_kernel_evolves_on_every_boundary() {
    let mut all = with_each_kernel(&[false]);
    all.push(("plane, CPU".into(), vec![Box::new(Parallel)]));
    all.push(("CPU".into(), vec![Box::new(Parallel)]));
    for (kernel, engines) in all {
        let deep = kernel.starts_with("march");
        let n = match kernel.starts_with("plane") {
            true => (1, 71, 93),
            false => (23, 27, if deep { 139 } else { 75 }),
        };
        let boundaries = boundaries();
        for (boundary, layers) in
            all_or(&boundaries, &[boundaries[1], boundaries[2], boundaries[4]])
        {
            // The wider one where everything meets.
            let all = if boundary == "CPML, free surface" { 2 } else { 1 };
            for points in &STENCILS[..all] {
                let mut plan = plan(n, Family::Ete { points: *points }, layers, 5);
                plan.by_increments = boundary == "CPML";
                let error = error_of(&engines, &plan);
                assert!(error <= TOLERANCE, "{kernel}, {points:?}, {boundary}: {error:e}");
            }
        }
    }
}

#[test]
fn on_slivers() {
    let mut engines = engines::under_test();
    engines.push(Box::new(Parallel));
    for points in all_or(&STENCILS, &STENCILS[..1]) {
        // Columns and planes that fill their blocks, too.
        for n in [(1, 32, 20), (1, 48, 32), (16, 16, 28)] {
            let plan = plan(n, Family::Ete { points }, crate::common::NO_LAYER, 7);
            let error = error_of(&engines, &plan);
            assert!(error <= TOLERANCE, "{points:?}, {n:?}: {error:e}");
        }
        for n in [(2, 1, 1), (2, 1, 40), (3, 50, 1), (70, 2, 3), (1, 1, 50), (1, 40, 1), (1, 2, 3)]
        {
            let plan = plan(n, Family::Ete { points }, crate::common::cpml(5), 7);
            let error = error_of(&engines, &plan);
            assert!(error <= TOLERANCE, "{points:?}, {n:?}: {error:e}");
        }
    }
}

/// The transposed layers take along an axis what the layers stretch there.
#[test]
fn a_wave_that_goes_back_agrees_too() {
    let mut engines = engines::under_test();
    engines.push(Box::new(Parallel));
    for n in [(1, 71, 93), (23, 27, 35)] {
        for layers in all_or(&[crate::common::cpml(5), FREE_SURFACE], &[FREE_SURFACE]) {
            let plan = plan(n, Family::Ete { points: Points::Few }, layers, 5).adjoint();
            let error = error_of(&engines, &plan);
            assert!(error <= TOLERANCE, "{n:?}: {error:e}");
        }
    }
}

/// One weight off by 1 % is an error that the comparison sees.
#[test]
fn a_wrong_weight_is_seen() {
    let engines: Vec<Box<dyn Engine>> = vec![Box::new(Parallel)];
    for n in [(1, 71, 93), (23, 27, 75)] {
        let right = plan(n, Family::Ete { points: Points::Few }, FREE_SURFACE, 5);
        let changes: [fn(&mut Plan); 3] = [
            |plan| wrong(plan).diagonal.zx[1] *= 1.01,
            |plan| wrong(plan).star.z[2] *= 1.01,
            |plan| wrong(plan).star.x[1] *= 1.01,
        ];
        for change in changes {
            let mut off = right.clone();
            change(&mut off);
            let error = crate::volume::error_against(&right, &engines, &off);
            assert!(error > 10.0 * TOLERANCE, "{n:?}: {error:e}");
        }
    }
}

fn wrong(plan: &mut Plan) -> &mut huygens::stencil::Fourth {
    plan.fourth.as_mut().expect("it evolves")
}

#[test]
fn slabs_give_the_same_bits() {
    for gpu in engines::opened(false) {
        for volume in all_or(&[false, true], &[true]) {
            let cuts: Vec<_> = slabs::boundaries().into_iter().zip([2, 3, 2, 3]).collect();
            for (boundary, slabs) in all_or(&cuts, &cuts[3..]) {
                let operator = Family::Ete { points: Points::Many };
                let setup = Setup { operator, ..slabs::setup(volume, 8, boundary, 3.7) };
                let plan = Plan::new(setup).expect("a valid setup");
                let whole = results_by(&gpu.with_slabs(1), &plan);
                let cut = results_by(&gpu.with_slabs(slabs), &plan);
                assert_eq!(differences(&whole, &cut), [""; 0], "{volume}, {slabs} slabs");
            }
        }
    }
}
