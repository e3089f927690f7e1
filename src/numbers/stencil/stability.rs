//! The largest stable time step, from the operators' own symbols.

use super::AxisOperator;
use std::{
    f64::consts::PI,
    sync::{Mutex, PoisonError},
};

/// Phases at which a symbol is sampled, 0 and the Nyquist wavelength among them; an extreme between
/// two is flat, so the step is exact to about 1e-7.
const SAMPLES: usize = 8192;

/// `dt = 2 / (v_max sqrt(sum_axes s))`, s the largest value of minus an axis' symbol (von Neumann,
/// leapfrog in time): the largest step, in seconds, at which no wavelength grows.
pub(crate) fn largest_step<'a>(
    v_max: f64,
    axes: impl IntoIterator<Item = &'a AxisOperator>,
) -> f64 {
    let sum: f64 = axes.into_iter().map(|axis| extremes(axis).1).sum();
    2.0 / (v_max * sum.sqrt())
}

/// True if some wavelength has a positive symbol, beyond rounding.
pub(super) fn amplifies(axis: &AxisOperator) -> bool {
    let (least, most) = extremes(axis);
    least < -1e-9 * most
}

/// So many operators are kept with their extremes.
const KNOWN: usize = 16;

/// A scanned operator.
struct Scanned {
    second: Vec<f64>,
    extremes: (f64, f64),
}

/// Least and largest value of minus the symbol, 1/m^2. The axes of a Plan, and Plans one after another, have the
/// same few operators: each is scanned once.
fn extremes(axis: &AxisOperator) -> (f64, f64) {
    static SCANNED: Mutex<Vec<Scanned>> = Mutex::new(Vec::new());
    let mut scanned = SCANNED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = scanned.iter().find(|known| known.second == axis.second) {
        return known.extremes;
    }
    let extremes = scan(axis);
    if scanned.len() == KNOWN {
        scanned.remove(0);
    }
    scanned.push(Scanned { second: axis.second.clone(), extremes });
    extremes
}

fn scan(axis: &AxisOperator) -> (f64, f64) {
    (0..=SAMPLES)
        .map(|i| -axis.symbol(PI * i as f64 / SAMPLES as f64))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), s| (lo.min(s), hi.max(s)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{grid::Axes, stencil::Family};

    #[test]
    fn courant_numbers_of_the_taylor_family() {
        // v dt sqrt(sum 1/h^2) at orders 2 to 12, the acceptance figures.
        let h = Axes { z: 10.0, x: 10.0, y: 10.0 };
        let bounds = [(2, 1.0), (4, 0.866), (6, 0.8135), (8, 0.7844), (10, 0.7655), (12, 0.7520)];
        for (order, bound) in bounds {
            let axes = Family::Taylor { order }.on(h).expect("a valid order");
            let dt = largest_step(2000.0, [&axes.z, &axes.x]);
            let courant = 2000.0 * dt * (2.0f64 / 100.0).sqrt();
            assert!((courant - bound).abs() < 5e-5, "order {order}: {courant} for {bound}");
        }
    }

    #[test]
    fn an_interior_maximum_is_found() {
        // -symbol = 2 - 2 cos t + (2 - 2 cos 2t) is 6.25 at cos t = -1/4, 4 at the Nyquist
        // wavelength.
        let axis = AxisOperator { second: vec![-4.0, 1.0, 1.0], first: vec![0.5, 0.0] };
        assert!((extremes(&axis).1 - 6.25).abs() < 1e-6);
        assert!((largest_step(1.0, [&axis]) - 0.8).abs() < 1e-6);
        assert!(!amplifies(&axis));
    }

    #[test]
    fn an_operator_that_amplifies_is_seen() {
        // Order 4 with the sign of its outer coefficient wrong.
        let axis =
            AxisOperator { second: vec![-1.5, 4.0 / 3.0, 1.0 / 12.0], first: vec![0.5, 0.0] };
        assert!(amplifies(&axis));
    }
}
