//! VTI whose coefficients vary at random from node to node: every engine, edge and cut gives what the oracle
//! gives.

use crate::{
    common::{self, engines, gather_error, random},
    density,
    kernels::{FREE_SURFACE, boundaries},
    slabs, translated,
};
use huygens::{
    engine::{Engine, Gathers, Image, Observer, cpu::Reference, gpu},
    model::{Anisotropy, Density, Thomsen},
    plan::{Imaging, Plan, Scattering, Setup},
    stencil::Family,
};
use ndarray::{Array2, Array3, Axis};
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

/// What a run reports of its waves.
#[derive(Default)]
struct Images(Vec<Array3<f32>>);

impl Observer for Images {
    fn image(&mut self, image: Image) {
        self.0.push(image.values);
    }

    fn illumination(&mut self, image: Image) {
        self.0.push(image.values);
    }
}

/// Of both fields: waves that are stored, sent back through the transposed layers and scattered.
#[test]
fn images_and_scattered_waves_are_those_of_the_oracle() {
    let volume = (13, 19, 45);
    for (n, edges, has_density, by_increments) in
        [((1, 71, 93), FREE_SURFACE, false, false), (volume, common::cpml(5), true, true)]
    {
        let mut plan = plan(n, edges, has_density, 3.7);
        plan.by_increments = by_increments;
        let imaging = Imaging { every: 2, slots: plan.time.steps / 2 + 1 };
        let mut number = random(3);
        let perturbation = Array3::from_shape_simple_fn(plan.model_grid.shape(), || number() - 0.5);
        let gather = |receivers: usize| {
            let mut sample = random(5);
            let shape = (receivers, plan.time.samples);
            Array2::from_shape_simple_fn(shape, || (sample() - 0.5) as f32)
        };
        let gathers: Vec<_> = plan.shots.iter().map(|shot| gather(shot.receivers.len())).collect();
        let back = Arc::new(plan.sent_back(&gathers, imaging).expect("gathers that fit"));
        let scattered = Arc::new(plan.scattered(Scattering { imaging, perturbation }));
        let results = |engine: &dyn Engine| {
            let mut source = engine.start(Arc::new(plan.stored(imaging))).expect("it fits");
            source.advance(plan.time.steps, &mut ()).expect("a stable run");
            source.finish(&mut ()).expect("a stable run");
            let wave = source.source_wavefield().expect("it is kept");
            let run = |plan: &Arc<Plan>, observer: &mut dyn Observer| {
                let mut run = engine.start_with(plan.clone(), &wave).expect("it fits");
                run.advance(plan.time.steps, observer).expect("a stable run");
                run.finish(observer).expect("a stable run");
            };
            let (mut images, mut traces) = (Images::default(), Gathers::new(&scattered));
            run(&back, &mut images);
            run(&scattered, &mut traces);
            let traces = traces.shots.into_iter().map(|gather| gather.insert_axis(Axis(0)));
            images.0.into_iter().chain(traces).collect::<Vec<_>>()
        };
        let exact = results(&Reference);
        for engine in engines::fast() {
            for (ours, exact) in results(engine.as_ref()).iter().zip(&exact) {
                let norm = |of: &Array3<f32>| of.mapv(|v| f64::from(v).powi(2)).sum().sqrt();
                let error = norm(&(ours - exact)) / norm(exact);
                assert!(error < 2e-5, "{}, {n:?}: {error:e}", engine.describe().device);
            }
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
            let imaging = Imaging { every: 1, slots: 2 };
            let empty = plan.shots.iter().map(|shot| (shot.receivers.len(), plan.time.samples));
            let gathers: Vec<_> = empty.map(Array2::zeros).collect();
            let back = Arc::new(plan.sent_back(&gathers, imaging).expect("gathers that fit"));
            for (plan, slabs) in [(&plan, 1), (&plan, 2), (&back, 1)] {
                let shaders = gpu::shaders(plan, slabs).expect("they can be cut");
                distinct.extend(shaders.into_iter().map(|(name, text)| (text, name)));
            }
        }
    }
    translated::check(&distinct);
    for name in ["vti", "transposed_vti", "imaging"] {
        assert!(distinct.values().any(|of| *of == name), "{name}");
    }
}
