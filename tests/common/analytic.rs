//! The exact response of a homogeneous plane to a line source, from the Green's function
//! `-(i/4) H0^(2)(w r / v)` (Morse and Ingard 1968).

use complex_bessel::hankel2;
use num_complex::Complex64 as Complex;
use std::f64::consts::TAU;

/// Samples of the period after which the discrete spectrum repeats: long after the wave has passed.
const PERIOD: usize = 1 << 14;

/// p(n dt), n in 0..count, `r` metres from a source `s` sampled at `dt`, both zero before 0.
///
/// With `leapfrog` the frequency in the Green's function is `2/dt sin(w dt/2)`: the exact solution
/// of the equation that is discrete in time and continuous in space, so that what is left of an
/// error comes from the operator in space.
pub fn plane(s: &[f64], dt: f64, r: f64, v: f64, count: usize, leapfrog: bool) -> Vec<f64> {
    let green = |w: f64| {
        let w = frequency(w, dt, leapfrog);
        Complex::new(0.0, -0.25) * hankel(0.0, w * r / v)
    };
    response(s, dt, count, green)
}

/// The frequency in a Green's function.
fn frequency(w: f64, dt: f64, leapfrog: bool) -> f64 {
    if leapfrog { 2.0 / dt * (w * dt / 2.0).sin() } else { w }
}

/// [`plane`] for a dipole along an axis on which the receiver lies `along` further: the derivative
/// of the Green's function along it, `(i/4) (w/v) H1^(2)(w r / v) along / r`.
pub fn plane_dipole(
    s: &[f64],
    dt: f64,
    r: f64,
    along: f64,
    v: f64,
    count: usize,
    leapfrog: bool,
) -> Vec<f64> {
    let green = |w: f64| {
        let w = frequency(w, dt, leapfrog);
        Complex::new(0.0, 0.25 * w / v * along / r) * hankel(1.0, w * r / v)
    };
    response(s, dt, count, green)
}

/// The wave that a point scatters, to first order (Born): the Green's functions to it and on from
/// it, `to` and `on` metres long, times the term `strength p_tt` that the point adds to the
/// source's, (1/v0^2 - 1/v1^2) times its area.
pub fn plane_scattered(
    s: &[f64],
    dt: f64,
    (to, on): (f64, f64),
    v: f64,
    strength: f64,
    count: usize,
) -> Vec<f64> {
    let plane = |w: f64, r: f64| Complex::new(0.0, -0.25) * hankel(0.0, w * r / v);
    response(s, dt, count, |w| plane(w, to) * plane(w, on) * (-w * w * strength))
}

fn hankel(order: f64, x: f64) -> Complex {
    hankel2(order, Complex::new(x, 0.0)).expect("a positive argument")
}

/// `s` through a Green's function of the angular frequency.
fn response(s: &[f64], dt: f64, count: usize, green: impl Fn(f64) -> Complex) -> Vec<f64> {
    let df = 1.0 / (PERIOD as f64 * dt);
    let spectrum: Vec<(usize, Complex)> = (1..PERIOD / 2)
        .map(|k| {
            let phase = -TAU * df * k as f64 * dt;
            let sum = s.iter().enumerate().filter(|(_, v)| v.abs() > 1e-18);
            (k, sum.map(|(n, v)| Complex::from_polar(*v, phase * n as f64)).sum::<Complex>())
        })
        .take_while_inclusive_of_band()
        .map(|(k, s)| (k, green(TAU * df * k as f64) * s))
        .collect();
    (0..count)
        .map(|n| {
            let turn = |k: usize| {
                Complex::from_polar(1.0, TAU * ((k * n) % PERIOD) as f64 / PERIOD as f64)
            };
            2.0 / PERIOD as f64 * spectrum.iter().map(|(k, p)| (p * turn(*k)).re).sum::<f64>()
        })
        .collect()
}

/// Ends a spectrum once it has decayed to rounding, to save Hankel functions.
trait Band: Iterator<Item = (usize, Complex)> + Sized {
    fn take_while_inclusive_of_band(self) -> impl Iterator<Item = (usize, Complex)> {
        let mut largest = 0.0f64;
        self.take_while(move |(_, s)| {
            largest = largest.max(s.norm());
            s.norm() > 1e-15 * largest
        })
    }
}

impl<I: Iterator<Item = (usize, Complex)>> Band for I {}

/// A wavelet whose spectrum is far down at twice its peak, for convergence: the sixth derivative of
/// a Gaussian, normalised to about 1.
pub fn smooth_wavelet(peak_hz: f64, delay: f64, dt: f64, count: usize) -> Vec<f64> {
    // |S| ~ w^6 exp(-w^2/(4a)) peaks at w = sqrt(12 a).
    let a = (TAU * peak_hz).powi(2) / 12.0;
    (0..count)
        .map(|n| {
            let t = n as f64 * dt - delay;
            let x = a * t * t;
            // d^6/dt^6 exp(-a t^2) = 8 a^3 (8 x^3 - 60 x^2 + 90 x - 15) exp(-x)
            (8.0 * x.powi(3) - 60.0 * x * x + 90.0 * x - 15.0) / 15.0 * (-x).exp()
        })
        .collect()
}
