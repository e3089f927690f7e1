//! The oracle converges as its orders say, against the exact solution of a homogeneous plane.

use crate::common::{
    self,
    analytic::{plane, smooth_wavelet},
    figures::{figure, percent},
    relative_error,
};
use huygens::{
    acquisition::{Sampled, Shot, Source, Wavelet},
    engine::cpu::Reference,
    grid::Axes,
    stencil::{Family, ete::Points},
};
use ndarray::ArrayView1;

const V: f64 = 1500.0;
const PEAK: f64 = 15.0;
const DELAY: f64 = 0.25;
/// Source to receiver along x, where an axis' dispersion is largest, m.
const DISTANCE: f64 = 480.0;
/// From both to the edges, so that nothing returns within the duration, m.
const MARGIN: f64 = 480.0;
const DURATION: f64 = 0.75;

/// Relative error at a spacing and a step; with `leapfrog` against the solution that is discrete in
/// time, so that only the operator's error is left.
fn error(order: usize, h: f64, dt: f64, leapfrog: bool) -> f64 {
    error_with(Family::Taylor { order }, h, dt, leapfrog)
}

fn error_with(operator: Family, h: f64, dt: f64, leapfrog: bool) -> f64 {
    let samples = (DURATION / dt).round() as usize + 1;
    let s = smooth_wavelet(PEAK, DELAY, dt, samples);
    let wavelet = Sampled { values: s.clone().into(), interval: dt };
    let source = Source {
        wavelet: Wavelet::Sampled(wavelet),
        ..common::ricker(MARGIN, MARGIN, PEAK, DELAY)
    };
    let receivers = vec![Axes::xz(MARGIN + DISTANCE, MARGIN)];
    let nodes = |length: f64| (length / h).round() as usize + 1;
    let size = (nodes(2.0 * MARGIN + DISTANCE), nodes(2.0 * MARGIN));
    let time = common::every_step(dt, DURATION);
    let shot = Shot { sources: vec![source], receivers: receivers.into() };
    let mut setup = common::homogeneous(size, h, V as f32, time, shot);
    setup.operator = operator;
    setup.boundary = common::NO_LAYER;
    let gather = common::gathers(&Reference, setup).remove(0);
    let ours: Vec<f64> = gather.row(0).iter().map(|p| f64::from(*p)).collect();
    let exact = plane(&s, dt, DISTANCE, V, samples, leapfrog);
    relative_error(ArrayView1::from(&ours), ArrayView1::from(&exact))
}

#[test]
fn space_converges_at_every_order() {
    // Two spacings an order: fine enough for the leading term, coarse enough to stay above f32.
    let cases = [
        (2, 3.0, 2.0, 0.1),
        (4, 6.0, 4.0, 0.1),
        (6, 8.0, 6.0, 0.1),
        (8, 10.0, 8.0, 0.1),
        (10, 12.0, 10.0, 0.2),
        (12, 12.0, 10.0, 0.2),
    ];
    for (order, coarse, fine, tolerance) in cases {
        let errors = [coarse, fine].map(|h| error(order, h, 0.5e-3, true));
        let slope = (errors[0] / errors[1]).ln() / f64::ln(coarse / fine);
        let [first, second] = errors.map(percent);
        let case = format!("space, order {order}: {first} at {coarse} m, {second} at {fine} m");
        let bar = format!("{order} to {:.0} %", 100.0 * tolerance);
        figure("convergence", &case, &Reference, &format!("slope {slope:.2}"), &bar, "");
        let off = (slope - order as f64).abs() / order as f64;
        assert!(off <= tolerance, "order {order}: slope {slope}");
    }
}

#[test]
fn time_converges_at_second_order() {
    let errors = [2e-3, 1e-3].map(|dt| error(16, 8.0, dt, false));
    let slope = (errors[0] / errors[1]).log2();
    let [first, second] = errors.map(percent);
    let case = format!("time: {first} at 2 ms, {second} at 1 ms");
    figure("convergence", &case, &Reference, &format!("slope {slope:.2}"), "2 to 10 %", "");
    assert!((slope - 2.0).abs() <= 0.2, "slope {slope}");
}

/// With the step as much shorter as the grid is finer.
#[test]
fn explicit_time_evolution_converges_at_fourth_order() {
    for points in [Points::Few, Points::Many] {
        let of = |h: f64| error_with(Family::Ete { points }, h, h * 1e-4, false);
        let (coarse, fine) = (5.0, 3.0);
        let errors = [coarse, fine].map(of);
        let slope = (errors[0] / errors[1]).ln() / f64::ln(coarse / fine);
        let [first, second] = errors.map(percent);
        let points = points.count();
        let case = format!("ETE, {points} points: {first} at {coarse} m, {second} at {fine} m");
        figure("convergence", &case, &Reference, &format!("slope {slope:.2}"), "4 to 10 %", "");
        assert!((slope - 4.0).abs() <= 0.4, "{points}: slope {slope}");
    }
}
