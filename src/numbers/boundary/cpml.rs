//! Convolutional PML for the second-order equation (Pasalic and McGarry 2010), with the frequency
//! shift of Komatitsch and Martin (2007):
//!
//! ```text
//! psi  <- b psi  + a dp/dx                      a = d/(d + alpha) (b - 1),  b ~ exp(-(d + alpha) dt)
//! zeta <- b zeta + a (d2p/dx2 + dpsi/dx)
//! d2p/dx2 is replaced by d2p/dx2 + dpsi/dx + zeta
//! ```
//!
//! The damping d rises with u, which is 0 at the model and 1 at the outer edge, and the shift alpha
//! falls by as much, so that their sum is a constant rate beta across the layer:
//!
//! ```text
//! d = beta f(u),   alpha = beta (1 - f(u))
//! f(u) = m u^n sum_k C(n - 1 + k, k) (1 - u)^k,   k = 0 .. n
//! beta = -v ln(R) / (2 M m W),   for a layer of N cells, W metres wide, and a target reflection R
//! M = (n + 1) / (2 n + 1),   m = 1 - 1 / (2 N^2)
//! ```
//!
//! f is the smoothstep that leaves the model as u^n and levels off by one power more; its mean is M
//! m, which gives beta. A wave of angular frequency omega loses
//! `int d omega^2 / (alpha^2 + omega^2) dx / v` each way: R if omega is well above beta, and less
//! below, where the layer is less than half a wavelength wide. Komatitsch and Martin choose alpha
//! by the frequency of the source; here it follows from d, so that a layer does not depend on
//! sources.
//!
//! v is the velocity of the node itself, which is that of the model's edge beside it: a rate for a
//! faster velocity has a shift above the frequencies of the waves, and reflects them. Along the
//! layer beta then changes with the rock; across it, where beta must be constant, the velocity does
//! not change.
//!
//! The rest of the shift that m leaves at the outer edge keeps a static field from growing
//! (Becache, Petropoulos and Gedney 2004). Without it layers of 10 cells and fewer grow in random
//! models within 20,000 steps, and the thinner the layer the more is needed.
//!
//! As a = f (b - 1), and b does not change with x, the derivative of the first line is a separate
//! recursion, chi = dpsi/dx. With the loss e = 1 - b:
//!
//! ```text
//! chi  <- chi  - e (chi  + df/dx dp/dx + f d2p/dx2)
//! zeta <- zeta - e (zeta + f (d2p/dx2 + chi))
//! d2p/dx2 is replaced by d2p/dx2 + chi + zeta
//! e = s / (1 + s/2),   s = beta dt
//! ```
//!
//! The last line is 1 - exp(-s) to second order, without a function that devices round differently.
//! beta/v, f and df/dx depend on a node's depth, and v dt is the root of a value that a step has
//! anyway.
//!
//! A node's memory is two numbers: no stencil reads a memory variable, they are updated in place,
//! and there are none outside the layer, where chi is zero.

use super::{BoundaryError, Coefficients};
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
    /// The thinnest layer, cells. With fewer the damping rises so steeply from cell to cell that
    /// the field can grow (tested by `tests/physics/stability.rs`).
    pub const THINNEST: usize = 5;
    /// The largest power. Higher ones rise so steeply in thin layers that the field grows.
    pub const STEEPEST: u32 = 3;
    /// Default power.
    pub const POWER: u32 = 3;
    /// Default width, cells.
    pub const CELLS: usize = 20;

    /// A layer of `cells` cells, with defaults for the rest.
    pub const fn new(cells: usize) -> Self {
        Cpml { cells, reflection: Self::reflection(cells), power: Self::POWER }
    }

    /// Default target reflection, 10^-(3 + N/5) for N cells: as in Collino and Tsogka (2001) it
    /// falls with the width, since a thin layer is too steep for a small one. From 40 cells on
    /// 1e-11, far below the rounding of f32.
    pub const fn reflection(cells: usize) -> f64 {
        const DECADES: [f64; 9] = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11];
        /// 10^(-k/5).
        const FIFTHS: [f64; 5] = [
            1.0,
            0.630_957_344_480_193_2,
            0.398_107_170_553_497_25,
            0.251_188_643_150_958,
            0.158_489_319_246_111_35,
        ];
        let cells = if cells < 40 { cells } else { 40 };
        DECADES[cells / 5] * FIFTHS[cells % 5]
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

    pub(super) fn at(&self, depth: usize, h: f64) -> Coefficients {
        let (cells, power) = (self.cells as f64, f64::from(self.power));
        let width = cells * h;
        let most = 1.0 - 0.5 / cells.powi(2);
        let mean = most * (power + 1.0) / (2.0 * power + 1.0);
        let u = depth as f64 / cells;
        Coefficients {
            damping: 1.0,
            rate: -self.reflection.ln() / (2.0 * mean * width),
            share: most * smoothstep(u, self.power),
            slope: most * smoothstep_slope(u, self.power) / width,
        }
    }
}

/// f(u) / m.
fn smoothstep(u: f64, n: u32) -> f64 {
    let (mut sum, mut term) = (0.0, 1.0);
    for k in 0..=n {
        sum += term;
        // C(n + k, k + 1) (1 - u)^(k + 1) from the one before.
        term *= (1.0 - u) * f64::from(n + k) / f64::from(k + 1);
    }
    u.powi(n as i32) * sum
}

/// Its derivative, `(2n)! / (n! (n - 1)!) u^(n - 1) (1 - u)^n`.
fn smoothstep_slope(u: f64, n: u32) -> f64 {
    let factorial = |n: u32| (1..=n).map(f64::from).product::<f64>();
    let most = factorial(2 * n) / (factorial(n) * factorial(n - 1));
    most * u.powi(n as i32 - 1) * (1.0 - u).powi(n as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::Absorber;

    #[test]
    fn profiles_grow_outward_on_both_ends() {
        let layer = Absorber::Cpml(Cpml::new(20));
        let profile = layer.profile(100, true, true, 10.0);
        assert_eq!(profile.memory, [20, 20]);
        for i in 0..20 {
            let (low, high) = (profile.nodes[i], profile.nodes[99 - i]);
            assert_eq!((low.share, low.rate), (high.share, high.rate));
            assert_eq!(low.slope, -high.slope);
            assert!(low.share > 0.0 && low.share < 1.0 && low.rate > 0.0);
        }
        assert!(profile.nodes[0].share > profile.nodes[19].share);
        assert_eq!(profile.nodes[50].share, 0.0);
    }

    #[test]
    fn smoothsteps_are_those_of_the_textbooks() {
        for u in [0.0, 0.2, 0.5, 0.9, 1.0f64] {
            // The regularised incomplete beta functions of n and n + 1.
            let known = [
                u * (2.0 - u),
                u * u * (6.0 - 8.0 * u + 3.0 * u * u),
                u.powi(3) * (20.0 - 45.0 * u + 36.0 * u * u - 10.0 * u.powi(3)),
            ];
            for (n, known) in (1..).zip(known) {
                assert!((smoothstep(u, n) - known).abs() < 1e-14);
                let du = 1e-5;
                let slope = (smoothstep(u + du, n) - smoothstep(u - du, n)) / (2.0 * du);
                assert!((smoothstep_slope(u, n) - slope).abs() < 1e-8, "{u}, {n}");
            }
        }
    }

    #[test]
    fn the_target_falls_with_the_width() {
        for cells in 5..=40 {
            let target = 10f64.powf(-3.0 - f64::from(cells) / 5.0);
            assert!((Cpml::reflection(cells as usize) / target - 1.0).abs() < 1e-12, "{cells}");
        }
        assert_eq!([10, 20, 1000].map(Cpml::reflection), [1e-5, 1e-7, 1e-11]);
    }

    /// A wave that every node damps by d loses ln(R) on the way there and back.
    #[test]
    fn the_mean_damping_gives_the_target() {
        for (cells, power) in [(5, 3), (10, 2), (20, 1), (40, 3)] {
            let layer = Cpml { power, ..Cpml::new(cells) };
            // The mean of the profile, by the trapezoidal rule on a fine grid.
            let fine = Cpml { cells: 4000, ..layer };
            let most = 1.0 - 0.5 / (cells as f64).powi(2);
            let mean = (1..=4000).map(|i| fine.at(i, 1.0).share).sum::<f64>() / 4000.0;
            let lost = 2.0 * layer.at(1, 10.0).rate * most * mean * 10.0 * cells as f64;
            assert!((lost + layer.reflection.ln()).abs() < 1e-2, "{lost}");
        }
    }

    #[test]
    fn the_loss_follows_the_rate_and_is_zero_at_rest() {
        let node = Cpml::new(20).at(10, 10.0);
        assert_eq!(node.loss(0.0), 0.0);
        for moved in [0.1, 1.0, 3.0] {
            let s: f64 = node.rate * moved;
            assert!((node.loss(moved) - (1.0 - (-s).exp())).abs() < s.powi(3) / 6.0);
        }
    }

    /// chi, which needs no neighbour, is the derivative of the textbook's psi.
    #[test]
    fn chi_is_the_derivative_of_psi() {
        let (layer, v, dt) = (Cpml::new(20), 2000.0, 1e-3);
        let edge = layer.at(20, 10.0);
        let loss = edge.loss(v * dt);
        let share = |x: f64| edge.share * smoothstep(x / 200.0, layer.power);
        // The first two derivatives of a wave of 15 Hz, x metres into the layer.
        let wave = |x: f64, t: f64| {
            let (w, k) = (94.0, 94.0 / v);
            let phase: f64 = k * x - w * t;
            (k * phase.cos(), -k * k * phase.sin())
        };
        for depth in [3, 10, 19] {
            let Coefficients { share: f, slope, .. } = layer.at(depth, 10.0);
            let (x, dx) = (10.0 * depth as f64, 1e-3);
            let (mut before, mut after, mut chi, mut largest) = (0.0, 0.0, 0.0f64, 0.0f64);
            for n in 0..400 {
                let t = dt * f64::from(n);
                before -= loss * (before + share(x - dx) * wave(x - dx, t).0);
                after -= loss * (after + share(x + dx) * wave(x + dx, t).0);
                let (first, second) = wave(x, t);
                chi -= loss * (chi + slope * first + f * second);
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
