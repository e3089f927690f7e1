//! Numerical dispersion, from the operators' own symbols.
//!
//! On a grid a wave of frequency f does not travel at v but at a phase velocity c that depends on
//! the direction: coarse spacing delays it, long time steps advance it. The scheme's dispersion
//! relation (Alford et al. 1974, for any symmetric operator)
//!
//! `sin^2(w dt / 2) = (v dt / 2)^2 sum_axes S_axis(k_axis h_axis)`,
//!
//! S minus an axis' symbol, is solved for the wavenumber k that belongs to w; then c = w / k.

use super::{AxisOperator, Fourth};
use crate::grid::Axes;
use serde::Serialize;
use std::f64::consts::{PI, TAU};

/// Intervals up to the Nyquist wavenumber that are searched for the first root.
const PIECES: usize = 128;
/// Bisections of an interval: down to the rounding of f64.
const HALVINGS: usize = 50;

/// A direction in which plane waves travel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Direction {
    /// Its name, by the axes between which it lies.
    pub name: &'static str,
    /// Unit vector.
    #[serde(skip)]
    pub(crate) along: Axes<f64>,
}

/// One over the square roots of 2 and of 3.
const HALF: f64 = std::f64::consts::FRAC_1_SQRT_2;
const THIRD: f64 = 0.577_350_269_189_625_8;

const fn direction(name: &'static str, x: f64, y: f64, z: f64) -> Direction {
    Direction { name, along: Axes { z, x, y } }
}

const PLANE: [Direction; 3] = [
    direction("x", 1.0, 0.0, 0.0),
    direction("z", 0.0, 0.0, 1.0),
    direction("xz", HALF, 0.0, HALF),
];
const VOLUME: [Direction; 7] = [
    direction("x", 1.0, 0.0, 0.0),
    direction("y", 0.0, 1.0, 0.0),
    direction("z", 0.0, 0.0, 1.0),
    direction("xz", HALF, 0.0, HALF),
    direction("xy", HALF, HALF, 0.0),
    direction("yz", 0.0, HALF, HALF),
    direction("xyz", THIRD, THIRD, THIRD),
];

/// The axes and all diagonals between them, which include the fastest and the slowest wave.
pub fn directions(volume: bool) -> &'static [Direction] {
    if volume { &VOLUME } else { &PLANE }
}

/// The scheme in a homogeneous medium: leapfrog in time, one operator per axis.
#[derive(Clone, Copy, Debug)]
pub struct Scheme<'a> {
    /// The operator of each axis; ignored for an axis along which nothing travels.
    pub operator: &'a Axes<AxisOperator>,
    /// The operator of explicit time evolution, times `(v dt)^2`.
    pub fourth: Option<&'a Fourth>,
    /// Spacing along each axis, m.
    pub h: Axes<f64>,
    /// Velocity of the medium, m/s.
    pub velocity: f64,
    /// Time step, s; 0 for the error of the operators in space alone.
    pub dt: f64,
}

impl Scheme<'_> {
    /// Ratio of the phase velocity to the true velocity of a wave of `frequency` Hz. `None` if no
    /// such wave travels on the grid: there are fewer than two to three points per wavelength, or
    /// two steps per period.
    pub fn velocity_ratio(&self, frequency: f64, direction: &Direction) -> Option<f64> {
        let wavenumber = self.wavenumber(frequency, direction)?;
        Some(TAU * frequency / (self.velocity * wavenumber))
    }

    /// The wavenumber, 1/m, of a wave of `frequency` Hz: the dispersion relation's first root.
    pub fn wavenumber(&self, frequency: f64, direction: &Direction) -> Option<f64> {
        let w = TAU * frequency;
        let target = (self.leapfrog(w)? / self.velocity).powi(2);
        let excess = |k: f64| self.minus_symbol(k, direction) - target;
        let nyquist = self.nyquist(direction);
        let end = |piece: usize| nyquist * piece as f64 / PIECES as f64;
        let piece = (1..=PIECES).find(|piece| excess(end(*piece)) >= 0.0)?;
        let (mut low, mut high) = (end(piece - 1), end(piece));
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if excess(middle) < 0.0 { low = middle } else { high = middle }
        }
        Some(f64::midpoint(low, high))
    }

    /// `2/dt sin(w dt/2)`: the frequency, in 1/s, whose square is the leapfrog's second difference
    /// in time of a wave of `w`; `None` above the Nyquist frequency of the steps.
    fn leapfrog(&self, w: f64) -> Option<f64> {
        let phase = 0.5 * w * self.dt;
        match phase {
            0.0 => Some(w),
            _ => (phase <= 0.5 * PI).then(|| 2.0 / self.dt * phase.sin()),
        }
    }

    /// `sum_axes S_axis` at a wavenumber, minus the term of explicit time evolution, 1/m^2.
    fn minus_symbol(&self, k: f64, direction: &Direction) -> f64 {
        let along = |operator: &AxisOperator, along: f64, h: f64| match along {
            0.0 => 0.0,
            _ => -operator.symbol(k * along * h),
        };
        let (operator, n, h) = (self.operator, direction.along, self.h);
        let second = along(&operator.z, n.z, h.z)
            + along(&operator.x, n.x, h.x)
            + along(&operator.y, n.y, h.y);
        let theta = Axes { z: k * n.z * h.z, x: k * n.x * h.x, y: k * n.y * h.y };
        let fourth = self.fourth.map_or(0.0, |fourth| fourth.symbol(theta));
        second - (self.velocity * self.dt).powi(2) * fourth
    }

    /// The wavenumber at which an axis first has two points per wavelength, 1/m.
    fn nyquist(&self, direction: &Direction) -> f64 {
        let (n, h) = (direction.along, self.h);
        let steepest = (n.z * h.z).max(n.x * h.x).max(n.y * h.y);
        PI / steepest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stencil::{Evolution, Media, ete::Points, largest_step, taylor as weights};

    const H: Axes<f64> = Axes { z: 10.0, x: 10.0, y: 10.0 };
    const V: f64 = 2000.0;

    /// Without rounding the weights to f32.
    fn taylor(order: usize) -> Axes<AxisOperator> {
        let axis = |h| AxisOperator {
            second: weights::second(order, h).expect("a valid order"),
            first: weights::first(order / 2, h),
        };
        Axes { z: axis(H.z), x: axis(H.x), y: axis(H.y) }
    }

    fn ratio(operator: &Axes<AxisOperator>, dt: f64, points: f64, direction: usize) -> f64 {
        let scheme = Scheme { operator, fourth: None, h: H, velocity: V, dt };
        let frequency = V / (points * H.x);
        scheme.velocity_ratio(frequency, &VOLUME[direction]).expect("it travels")
    }

    #[test]
    fn the_second_order_has_its_closed_form() {
        // Along an axis sin(w dt/2) = C sin(k h/2), C = v dt / h (Alford et al. 1974, equation 5).
        let operator = taylor(2);
        for courant in [0.1, 0.5, 0.9] {
            let dt = courant * H.x / V;
            for points in [4.0, 10.0, 25.0] {
                let w = TAU * V / (points * H.x);
                let k = 2.0 / H.x * ((0.5 * w * dt).sin() / courant).asin();
                let known = w / k / V;
                assert!((ratio(&operator, dt, points, 0) / known - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn small_errors_are_those_of_the_series() {
        // S = k^2 (1 - a theta^2L sum n^(2L+2)), a = 2 (L!)^2 / (2L+2)!: the first term left out of
        // a Taylor operator (Fornberg 1988). So c/v = 1 - a/2 theta^2L sum n^(2L+2) + (w dt)^2 /
        // 24.
        let factorial = |n: usize| (1..=n).map(|i| i as f64).product::<f64>();
        for radius in 1..=5 {
            let operator = taylor(2 * radius);
            let a = 2.0 * factorial(radius).powi(2) / factorial(2 * radius + 2);
            // So coarse that the term is above rounding, so fine that the next one is negligible.
            let points = [200.0, 60.0, 35.0, 24.0, 18.0][radius - 1];
            let theta = TAU / points;
            for (direction, axes) in [(0, 1.0), (3, 2.0), (6, 3.0)] {
                let slope = axes * (1.0f64 / axes).powi(radius as i32 + 1);
                let space = -0.5 * a * theta.powi(2 * radius as i32) * slope;
                let found = ratio(&operator, 0.0, points, direction) - 1.0;
                assert!(
                    (found / space - 1.0).abs() < 0.06,
                    "{radius} {direction}: {found} {space}"
                );
            }
            let dt = 1e-4;
            let time = (TAU * V / (points * H.x) * dt).powi(2) / 24.0;
            let both = ratio(&operator, dt, points, 0) - ratio(&operator, 0.0, points, 0);
            assert!((both / time - 1.0).abs() < 0.01, "{radius}: {both} {time}");
        }
    }

    #[test]
    fn a_coefficient_off_by_a_per_cent_is_seen() {
        let right = taylor(8);
        let mut wrong = right.clone();
        wrong.x.second[1] *= 1.01;
        wrong.x.second[0] -= 0.02 * right.x.second[1];
        let (right, wrong) = (ratio(&right, 0.0, 10.0, 0), ratio(&wrong, 0.0, 10.0, 0));
        assert!((right - 1.0).abs() < 1e-5 && (wrong - 1.0).abs() > 1e-3, "{right} {wrong}");
    }

    #[test]
    fn waves_of_too_few_points_do_not_travel() {
        let operator = taylor(8);
        let scheme = Scheme { operator: &operator, fourth: None, h: H, velocity: V, dt: 1e-3 };
        let ratio =
            |points, direction: &Direction| scheme.velocity_ratio(V / (points * H.x), direction);
        for (direction, axes) in VOLUME.iter().zip([1.0f64, 1.0, 1.0, 2.0, 2.0, 2.0, 3.0]) {
            // Along a diagonal the points of each axis are further apart.
            let points = |points: f64| points / axes.sqrt();
            assert_eq!(ratio(points(1.9), direction), None, "{}", direction.name);
            assert!(ratio(points(2.5), direction).is_some(), "{}", direction.name);
        }
        // Above the Nyquist frequency of the steps.
        assert_eq!(Scheme { dt: 0.5, ..scheme }.velocity_ratio(1.1, &VOLUME[0]), None);
    }

    #[test]
    fn the_velocity_is_bounded_at_the_largest_step() {
        // At the largest stable step the velocity ratio is bounded for every frequency and
        // direction, and waves of four points per wavelength and more travel.
        for order in [2, 4, 8, 16] {
            let operator = taylor(order);
            let dt = largest_step(V, [&operator.z, &operator.x]);
            let scheme = Scheme { operator: &operator, fourth: None, h: H, velocity: V, dt };
            for direction in directions(false) {
                for points in (20..400).map(|points| 0.1 * f64::from(points)) {
                    let found = scheme.velocity_ratio(V / (points * H.x), direction);
                    assert!(found.is_some() || points < 4.0, "{order}, {points}: {found:?}");
                    let bounded = found.is_none_or(|found| (0.6..1.4).contains(&found));
                    assert!(bounded, "{order}, {points} along {}: {found:?}", direction.name);
                }
            }
        }
    }

    #[test]
    fn every_operator_needs_three_points() {
        // The figures in plan::dispersion's warnings: the widest operator is good to 1 % at three
        // points, not at 2.5, and carries nothing at 2.2.
        let operator = taylor(16);
        let scheme = Scheme { operator: &operator, fourth: None, h: H, velocity: V, dt: 0.0 };
        let ratio = |points: f64| scheme.velocity_ratio(V / (points * H.x), &VOLUME[0]);
        assert!(ratio(3.0).is_some_and(|c| (c - 1.0).abs() < 0.01), "{:?}", ratio(3.0));
        assert!(ratio(2.5).is_some_and(|c| (c - 1.0).abs() > 0.02), "{:?}", ratio(2.5));
        assert_eq!(ratio(2.2), None);
    }

    #[test]
    fn explicit_time_evolution_takes_the_error_of_a_long_step_away() {
        let media = Media { spacing: H, volume: false, slowest: V, fastest: V };
        let dt = 0.4 * H.x / V;
        let Evolution { axes, fourth } =
            Evolution::fitted(Points::Few, &media, dt).expect("a step to fit to");
        let frequency = V / (8.0 * H.x);
        for direction in &PLANE {
            let ratio = |fourth| {
                let scheme = Scheme { operator: &axes, fourth, h: H, velocity: V, dt };
                scheme.velocity_ratio(frequency, direction).expect("it travels")
            };
            let [with, without] = [ratio(Some(&fourth)), ratio(None)].map(|c| (c - 1.0).abs());
            assert!(with < 0.1 * without, "{}: {with:e} {without:e}", direction.name);
        }
    }
}
