//! What unit tests share: setups, series without a pattern, and their comparison.

use crate::{
    acquisition::{Shot, Source, Wavelet},
    boundary::{Absorber, Boundary, Top},
    grid::{Axes, Position},
    model::VelocityModel,
    plan::{Plan, Setup, Step, Time},
    stencil::Family,
};
use ndarray::Array2;

/// A model of one velocity in m/s: nodes along x and z, and metres between them.
pub(crate) fn rock([nx, nz]: [usize; 2], [hx, hz]: [f64; 2], velocity: f32) -> VelocityModel {
    VelocityModel::new(Array2::from_elem((nx, nz), velocity), hx, hz).expect("a model")
}

/// A Ricker wavelet of 10 Hz at a position, recorded at some others.
pub(crate) fn shot(x: f64, z: f64, receivers: Vec<Position>) -> Shot {
    Shot::new(Source::new(Axes::xz(x, z), Wavelet::ricker(10.0)), receivers)
}

/// Half a second of some shots, with a stencil of order 4 and no layers.
pub(crate) fn setup(model: VelocityModel, shots: Vec<Shot>) -> Setup {
    Setup {
        operator: Family::Taylor { order: 4 },
        boundary: Boundary { top: Top::Zero, sides: Absorber::Zero },
        ..Setup::new(model, shots, 0.5)
    }
}

/// A duration in steps of so many seconds.
pub(crate) fn steps(duration: f64, step: f64) -> Time {
    Time { step: Step::Seconds(step), ..Time::new(duration) }
}

/// One shot and one receiver in a square of 300 m.
pub(crate) fn square(duration: f64, step: f64) -> Plan {
    let shots = vec![shot(100.0, 150.0, vec![Axes::xz(200.0, 150.0)])];
    let setup = setup(rock([30; 2], [10.0; 2], 2000.0), shots);
    Plan::new(Setup { time: steps(duration, step), ..setup }).expect("a valid setup")
}

/// Values between -0.5 and 0.5.
pub(crate) fn random(seed: u64, count: usize) -> Vec<f64> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| random.f64() - 0.5).collect()
}

/// The sum of the products of two series.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The relative L2 error.
pub(crate) fn error(ours: &[f64], exact: &[f64]) -> f64 {
    assert_eq!(ours.len(), exact.len());
    let off: Vec<f64> = ours.iter().zip(exact).map(|(a, b)| a - b).collect();
    (dot(&off, &off) / dot(exact, exact)).sqrt()
}

/// Asserts that `<A x, y> = <x, A' y>` to rounding, of x with A x and of y with A' y.
pub(crate) fn assert_adjoint([x, of_x]: [&[f64]; 2], [y, of_y]: [&[f64]; 2]) {
    let (there, back) = (dot(of_x, y), dot(x, of_y));
    let size = (dot(of_x, of_x) * dot(y, y)).sqrt();
    assert!((there - back).abs() < 1e-12 * size && size > 0.0, "{there} {back}");
}
