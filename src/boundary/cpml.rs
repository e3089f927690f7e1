//! Convolutional PML for the second-order equation (Pasalic and McGarry 2010), with the frequency
//! shift of Komatitsch and Martin (2007):
//!
//! ```text
//! psi  <- b psi  + a dp/dx                      a = d/(d + alpha) (b - 1),  b = exp(-(d + alpha) dt)
//! zeta <- b zeta + a (d2p/dx2 + dpsi/dx)
//! d2p/dx2 is replaced by d2p/dx2 + dpsi/dx + zeta
//! ```
//!
//! d, the damping, rises with u, from 0 at the model to 1 at the outer edge, and the shift alpha falls by as
//! much, so that their sum is one rate beta for the whole layer:
//!
//! ```text
//! d = beta f(u),   alpha = beta (1 - f(u))
//! f(u) = m u^n sum_k C(n - 1 + k, k) (1 - u)^k,   k = 0 .. n - 1
//! beta = -v ln(R) / (m W),   for a layer of N cells, W metres wide, and a target reflection R
//! m = 1 - 1 / (2 N^2)
//! ```
//!
//! f is the smoothstep that leaves the model as u^n and levels off as smoothly; its mean is m/2, which gives beta.
//! A wave of angular frequency omega loses `int d omega^2 / (alpha^2 + omega^2) dx / v` each way: R where omega is well
//! above beta, and less below, where the layer is less than half a wavelength wide. Komatitsch and Martin choose alpha by
//! the frequency of the source; here it follows from d, so that a layer knows nothing of sources.
//!
//! What m leaves of the shift at the outer edge keeps a field that stands still from growing (Becache,
//! Petropoulos and Gedney 2004). Without it layers of 10 cells and fewer grow in random models within 20,000
//! steps, and the thinner the more must be left.
//!
//! Then b is a constant, a = f (b - 1), and the derivative of the first line is a recursion of its own, chi = dpsi/dx:
//!
//! ```text
//! chi  <- b chi + da/dx dp/dx + a d2p/dx2
//! zeta <- b zeta + a (d2p/dx2 + chi)
//! d2p/dx2 is replaced by d2p/dx2 + chi + zeta
//! ```
//!
//! What a node remembers is two numbers of its own: no stencil reads a memory variable, they are
//! updated where they stand, and there are none outside the layer, where chi is zero.

use super::{BoundaryError, Coefficients, Medium};
use serde::Serialize;

/// A convolutional perfectly matched layer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cpml {
    /// Width, cells.
    pub cells: usize,
    /// Target reflection R, at normal incidence and high frequencies.
    pub reflection: f64,
    /// n, the power of u with which the damping leaves the model.
    pub power: u32,
}

impl Cpml {
    /// The thinnest layer, cells. With fewer the damping rises so steeply from cell to cell that the field
    /// can grow (`tests/physics/stability.rs` looks at the thinnest).
    pub const THINNEST: usize = 5;
    /// The largest power. The damping of a higher one rises so steeply in thin layers that the field grows.
    pub const STEEPEST: u32 = 3;
    /// Target reflection where none is given.
    pub const REFLECTION: f64 = 1e-5;
    /// Power where none is given.
    pub const POWER: u32 = 3;

    /// A layer of so many cells, the rest as a user gets it who says no more.
    pub const fn new(cells: usize) -> Self {
        Cpml { cells, reflection: Self::REFLECTION, power: Self::POWER }
    }

    pub(super) fn check(&self) -> Result<(), BoundaryError> {
        if !(self.reflection > 0.0 && self.reflection < 1.0) {
            return Err(BoundaryError::Reflection(self.reflection));
        }
        if !(1..=Self::STEEPEST).contains(&self.power) {
            return Err(BoundaryError::Power(self.power));
        }
        Ok(())
    }

    pub(super) fn at(&self, depth: usize, medium: &Medium) -> Coefficients {
        let width = self.cells as f64 * medium.h;
        let most = 1.0 - 0.5 / (self.cells as f64).powi(2);
        let beta = -medium.v_max * self.reflection.ln() / (most * width);
        let decay = (-beta * medium.dt).exp();
        let u = depth as f64 / self.cells as f64;
        Coefficients {
            damping: 1.0,
            decay,
            gain: most * smoothstep(u, self.power) * (decay - 1.0),
            gain_slope: most * smoothstep_slope(u, self.power) * (decay - 1.0) / width,
        }
    }
}

/// f(u) / m.
fn smoothstep(u: f64, n: u32) -> f64 {
    let (mut sum, mut term) = (0.0, 1.0);
    for k in 0..n {
        sum += term;
        // C(n + k, k + 1) (1 - u)^(k + 1) from the one before.
        term *= (1.0 - u) * f64::from(n + k) / f64::from(k + 1);
    }
    u.powi(n as i32) * sum
}

/// Its derivative, `(2n - 1)! / ((n - 1)!)^2 (u (1 - u))^(n - 1)`.
fn smoothstep_slope(u: f64, n: u32) -> f64 {
    let factorial = |n: u32| (1..=n).map(f64::from).product::<f64>();
    factorial(2 * n - 1) / factorial(n - 1).powi(2) * (u * (1.0 - u)).powi(n as i32 - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::Absorber;

    #[test]
    fn profiles_grow_outward_on_both_ends() {
        let medium = Medium { v_max: 4000.0, dt: 1e-3, h: 10.0 };
        let layer = Absorber::Cpml(Cpml::new(20));
        let profile = layer.profile(100, true, true, &medium);
        assert_eq!(profile.memory, [20, 20]);
        for i in 0..20 {
            let (low, high) = (profile.nodes[i], profile.nodes[99 - i]);
            assert_eq!((low.gain, low.decay), (high.gain, high.decay));
            assert_eq!(low.gain_slope, -high.gain_slope);
            assert!(low.gain < 0.0 && low.decay > 0.0 && low.decay < 1.0);
        }
        assert!(profile.nodes[0].gain < profile.nodes[19].gain);
        assert_eq!(profile.nodes[50].gain, 0.0);
    }

    #[test]
    fn smoothsteps_are_those_of_the_textbooks() {
        for u in [0.0, 0.2, 0.5, 0.9, 1.0f64] {
            let known = [u, u * u * (3.0 - 2.0 * u), u.powi(3) * (10.0 - 15.0 * u + 6.0 * u * u)];
            for (n, known) in (1..).zip(known) {
                assert!((smoothstep(u, n) - known).abs() < 1e-14);
                let du = 1e-5;
                let slope = (smoothstep(u + du, n) - smoothstep(u - du, n)) / (2.0 * du);
                assert!((smoothstep_slope(u, n) - slope).abs() < 1e-8, "{u}, {n}");
            }
        }
    }

    /// chi, which asks no neighbour, is the derivative of the textbook's psi.
    #[test]
    fn chi_is_the_derivative_of_psi() {
        let (layer, medium) = (Cpml::new(20), Medium { v_max: 2000.0, dt: 1e-3, h: 10.0 });
        let at_edge = layer.at(20, &medium);
        let gain = |x: f64| at_edge.gain * smoothstep(x / 200.0, layer.power);
        // The first two derivatives of a wave of 15 Hz, x metres into the layer.
        let wave = |x: f64, t: f64| {
            let (w, k) = (94.0, 94.0 / 2000.0);
            let phase: f64 = k * x - w * t;
            (k * phase.cos(), -k * k * phase.sin())
        };
        for depth in [3, 10, 19] {
            let Coefficients { decay, gain: a, gain_slope, .. } = layer.at(depth, &medium);
            let (x, dx) = (10.0 * depth as f64, 1e-3);
            let (mut before, mut after, mut chi, mut largest) = (0.0, 0.0, 0.0f64, 0.0f64);
            for n in 0..400 {
                let t = 1e-3 * f64::from(n);
                before = decay * before + gain(x - dx) * wave(x - dx, t).0;
                after = decay * after + gain(x + dx) * wave(x + dx, t).0;
                let (first, second) = wave(x, t);
                chi = decay * chi + gain_slope * first + a * second;
                largest = largest.max(chi.abs());
                let derivative = (after - before) / (2.0 * dx);
                assert!(
                    (chi - derivative).abs() < 1e-6 * largest,
                    "{depth}, {n}: {chi} {derivative}"
                );
            }
        }
    }
}
