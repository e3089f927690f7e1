//! Shared by the test crates: setups, errors, analytic solutions.

#![allow(dead_code, reason = "each test crate uses a part")]

pub mod analytic;
pub mod engines;
pub mod figures;

use huygens::{
    acquisition::{Ricker, Shot, Source, SourceKind, TimeDispersion, Wavelet},
    boundary::{Absorber, Boundary, Cpml, Sponge, Top},
    engine::{Engine, Gathers},
    grid::Axes,
    model::{Density, VelocityModel},
    plan::{Plan, Setup, Step, Time},
    stencil::Family,
};
use ndarray::{Array2, ArrayView1, ArrayView2};

/// True if all cases and long studies are wanted: `cargo xtask test --full` sets `HUYGENS_FULL`.
/// Without it a test does the cases that a landing waits for.
pub fn full() -> bool {
    std::env::var_os("HUYGENS_FULL").is_some()
}

/// True, with a message, if a long study is left to `cargo xtask test --full`.
pub fn left_to_full(study: &str) -> bool {
    if !full() {
        println!("NOT RUN: {study}; `cargo xtask test --full` runs it");
    }
    !full()
}

/// All values, or without [`full`] some of them.
pub fn all_or<T: Clone>(all: &[T], some: &[T]) -> Vec<T> {
    if full() { all.to_vec() } else { some.to_vec() }
}

/// `||ours - reference|| / ||reference||`, with no rescaling.
pub fn relative_error(ours: ArrayView1<f64>, reference: ArrayView1<f64>) -> f64 {
    assert_eq!(ours.len(), reference.len());
    let norm = |v: &mut dyn Iterator<Item = f64>| v.map(|x| x * x).sum::<f64>().sqrt();
    let difference = norm(&mut ours.iter().zip(&reference).map(|(a, b)| a - b));
    difference / norm(&mut reference.iter().copied())
}

/// The relative error over all traces of two gathers.
pub fn gather_error(ours: ArrayView2<f32>, reference: ArrayView2<f32>) -> f64 {
    assert_eq!(ours.dim(), reference.dim());
    let flat = |gather: ArrayView2<f32>| gather.iter().map(|v| f64::from(*v)).collect::<Vec<_>>();
    let (ours, reference) = (flat(ours), flat(reference));
    relative_error(ArrayView1::from(&ours), ArrayView1::from(&reference))
}

pub const CPML_20: Boundary = cpml(20);

pub const fn cpml(cells: usize) -> Boundary {
    let sides = Absorber::Cpml(Cpml::new(cells));
    Boundary { top: Top::Absorb, sides }
}

pub const SPONGE_30: Boundary = Boundary {
    top: Top::Zero,
    sides: Absorber::Sponge(Sponge { cells: 30, strength: Sponge::STRENGTH }),
};

pub const NO_LAYER: Boundary = Boundary { top: Top::Zero, sides: Absorber::Zero };

/// A Ricker source of amplitude 1.
pub fn ricker(x: f64, z: f64, peak_hz: f64, delay: f64) -> Source {
    let wavelet = Wavelet::Ricker(Ricker { peak_hz, delay });
    Source { kind: SourceKind::Monopole, at: Axes::xz(x, z), wavelet, amplitude: 1.0 }
}

/// One shot in a homogeneous model.
pub fn homogeneous(
    (nx, nz): (usize, usize),
    h: f64,
    velocity: f32,
    time: Time,
    shot: Shot,
) -> Setup {
    let velocity = Array2::from_elem((nx, nz), velocity);
    Setup {
        model: VelocityModel::new(velocity, h, h).expect("a valid model"),
        operator: Family::Taylor { order: 8 },
        boundary: CPML_20,
        time,
        shots: vec![shot],
        snapshots: Vec::new(),
        initial: None,
        window: None,
        anisotropy: None,
        density: Density::default(),
        allow_unstable: false,
    }
}

/// Every step recorded.
pub fn every_step(step: f64, duration: f64) -> Time {
    Time { duration, step: Step::Seconds(step), record: None, dispersion: TimeDispersion::Kept }
}

/// Three gathers that are wrong in ways that a test must see: silence, one coefficient off by 1 %,
/// one sample late.
pub fn wrong_gathers(engine: &dyn Engine, setup: Setup) -> [(&'static str, Array2<f32>); 3] {
    let right = gathers(engine, setup.clone()).remove(0);
    let silence = Array2::zeros(right.dim());
    let mut late = right.clone();
    late.slice_mut(ndarray::s![.., 1..]).assign(&right.slice(ndarray::s![.., ..-1]));

    let mut plan = Plan::new(setup).expect("a valid setup");
    // c_2 is negative, so that the mistake damps; c_1 off would make the field grow.
    plan.operator.x.second[2] *= 1.01;
    let mut off = Gathers::new(&plan);
    engine.run(&plan, &mut off).expect("a stable run");
    off.shots.iter_mut().for_each(|gather| plan.correct(gather));
    [("silence", silence), ("one coefficient", off.shots.remove(0)), ("one sample late", late)]
}

/// The gathers of a setup on an engine, with time dispersion removed if the setup says so.
pub fn gathers(engine: &dyn Engine, setup: Setup) -> Vec<Array2<f32>> {
    let plan = Plan::new(setup).expect("a valid setup");
    let mut gathers = Gathers::new(&plan);
    engine.run(&plan, &mut gathers).expect("a stable run");
    gathers.shots.iter_mut().for_each(|gather| plan.correct(gather));
    gathers.shots
}

/// A small deterministic generator for random models and fields: numbers in 0..1.
pub fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move || {
        // Marsaglia's xorshift64*.
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64
    }
}
