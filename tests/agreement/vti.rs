//! VTI whose coefficients vary at random from node to node: every engine, edge and cut gives what the oracle
//! gives.

use crate::{
    common::{self, engines, gather_error, random},
    density,
    kernels::{FREE_SURFACE, boundaries},
    slabs, translated,
};
use huygens::{
    engine::{Engine, Gathers, cpu::Reference, gpu},
    model::{Anisotropy, Density, Thomsen},
    plan::{Plan, Setup},
    stencil::Family,
};
use ndarray::Array3;
use std::{collections::BTreeMap, sync::Arc};

/// Of a trace or a field: rounding of f32.
const ROUNDING: f64 = 5e-6;

/// epsilon to 0.2 and epsilon - delta to 0.2 at the nodes of a setup, with a density or without.
fn anisotropic(setup: Setup, has_density: bool) -> Setup {
    let mut number = random(29);
    let shape = setup.model.grid().shape();
    let mut values = |scale: f32| Array3::from_shape_simple_fn(shape, || scale * number() as f32);
    let (epsilon, apart) = (values(0.2), values(0.2));
    let delta = &epsilon - &apart;
    let both = Anisotropy::new(Thomsen::new(epsilon), Thomsen::new(delta), 0.32);
    let density = if has_density { setup.density.clone() } else { Density::default() };
    Setup { anisotropy: Some(both.expect("it is allowed")), density, ..setup }
}

fn plan(
    n: (usize, usize, usize),
    edges: huygens::boundary::Boundary,
    has_density: bool,
    off: f64,
) -> Plan {
    Plan::new(anisotropic(density::setup(n, edges, off), has_density)).expect("a valid setup")
}

#[test]
fn every_engine_on_every_boundary() {
    for n in [(1, 71, 93), (13, 19, 45)] {
        let all = boundaries().map(|(_, boundary)| boundary);
        for (index, boundary) in all.into_iter().enumerate() {
            let (has_density, off) = (index % 2 == 0, if index % 3 == 0 { 0.0 } else { 3.7 });
            let mut plan = plan(n, boundary, has_density, off);
            assert_eq!(plan.medium.vti().map(|vti| vti.has_density()), Some(has_density));
            for by_increments in if index == 2 { vec![false, true] } else { vec![false] } {
                plan.by_increments = by_increments;
                for engine in engines::fast() {
                    let error = density::error_of(engine.as_ref(), &plan);
                    let of = engine.describe().device;
                    assert!(
                        error < ROUNDING,
                        "{n:?}, {of}, {boundary:?}, {has_density}: {error:e}"
                    );
                }
            }
        }
    }
}

#[test]
fn every_order() {
    for order in common::all_or(&[2, 4, 6, 8, 10, 12, 14, 16], &[2, 16]) {
        for n in [(1, 41, 43), (33, 35, 37)] {
            let with = Setup {
                operator: Family::Taylor { order },
                ..anisotropic(density::setup(n, FREE_SURFACE, 3.7), order == 2)
            };
            let plan = Plan::new(with).expect("a valid setup");
            for engine in engines::fast() {
                let error = density::error_of(engine.as_ref(), &plan);
                assert!(error < ROUNDING, "order {order}, {n:?}: {error:e}");
            }
        }
    }
}

/// Slabs of a GPU give the same bits; a state saved half-way and restored gives those of an uninterrupted run.
#[test]
fn cuts_and_states_give_the_same_bits() {
    for volume in [false, true] {
        let with = slabs::setup(volume, 8, FREE_SURFACE, 3.7);
        let other = Arc::new(Plan::new(with.clone()).expect("a valid setup"));
        let plan = Arc::new(Plan::new(anisotropic(with, false)).expect("a valid setup"));
        for gpu in engines::opened(false) {
            let whole = slabs::results_by(&gpu.with_slabs(1), &plan);
            assert!(whole.sounds());
            let cut = slabs::results_by(&gpu.with_slabs(3), &plan);
            assert_eq!(slabs::differences(&whole, &cut), [""; 0]);
        }
        for engine in engines::fast_and_oracle() {
            let mut run = engine.start(plan.clone()).expect("it fits");
            run.advance(40, &mut ()).expect("a stable run");
            let state = run.state().expect("a state");
            let expected = slabs::results_of(run.as_mut(), &plan);
            let mut again = engine.start(plan.clone()).expect("it fits");
            again.restore(&state).expect("its own state");
            let results = slabs::results_of(again.as_mut(), &plan);
            assert_eq!(slabs::differences(&expected, &results), [""; 0]);
            let mut wrong = engine.start(other.clone()).expect("it fits");
            assert!(wrong.restore(&state).is_err(), "the state of another medium");
        }
    }
}

/// Parameters that are 0 but at a node far off give the waves of isotropic rock.
#[test]
fn no_anisotropy_gives_isotropic_waves() {
    for has_density in [false, true] {
        let mut base = density::setup((1, 71, 93), FREE_SURFACE, 3.7);
        if !has_density {
            base.density = Density::default();
        }
        let mut epsilon = Array3::zeros((1, 71, 93));
        epsilon[[0, 70, 92]] = 1e-6;
        let both = Anisotropy::new(Thomsen::new(epsilon), Thomsen::default(), 0.32);
        let isotropic = Plan::new(base.clone()).expect("a valid setup");
        let plan = Plan::new(Setup { anisotropy: both.ok(), ..base }).expect("a valid setup");
        assert!(plan.medium.vti().is_some());
        let gathers = |engine: &dyn Engine, plan: &Plan| {
            let mut gathers = Gathers::new(plan);
            engine.run(plan, &mut gathers).expect("a stable run");
            gathers.shots
        };
        // Between nodes the buoyancy is an arithmetic mean here, and a geometric one there.
        let limit = if has_density { 0.2 } else { ROUNDING };
        let exact = gathers(&Reference, &isotropic);
        for engine in engines::fast_and_oracle() {
            for (ours, exact) in gathers(engine.as_ref(), &plan).iter().zip(&exact) {
                let error = gather_error(ours.view(), exact.view());
                assert!(error < limit, "{}: {error:e}", engine.describe().backend);
            }
        }
    }
}

/// Every text is valid, and every backend has a translation of it.
#[test]
fn its_shaders_are_valid() {
    let mut distinct = BTreeMap::new();
    for n in [(1, 71, 93), (23, 27, 45)] {
        for (boundary, has_density) in [(common::cpml(5), false), (FREE_SURFACE, true)] {
            let plan = Arc::new(plan(n, boundary, has_density, 3.7));
            for slabs in [1, 2] {
                let shaders = gpu::shaders(&plan, slabs).expect("they can be cut");
                distinct.extend(shaders.into_iter().map(|(name, text)| (text, name)));
            }
        }
    }
    translated::check(&distinct);
    assert!(distinct.values().any(|name| *name == "vti"));
}
