//! A perfectly matched layer for the second-order equation, in convolutional form as that of
//! Pasalic and McGarry (2010), whose stretching is that of a relaxing medium:
//!
//! ```text
//! d2p/dx2 is replaced by (1/S) d/dx ((1/S) dp/dx) = A d2p/dx2 + (1/2) dA/dx dp/dx
//! A = 1/S^2 = (i omega + alpha) / (i omega + alpha + a(x))
//! ```
//!
//! For waves well above a it damps like a PML with d = a/2. Below, a PML would take all of a wave
//! within a cell, and so reflect it; here S grows as the root of a / omega, and one a(x) serves waves
//! of any length in rock of any velocity. A is the modulus of a standard linear solid: it takes
//! energy at every frequency, so the equation lets no field grow, whatever a(x) is. Only the errors
//! of the derivatives do, by a factor of 3 in 25,000 steps in 5 cells at order 16. A Plan warns of
//! that ([`crate::plan::GrowingLayer`]).
//!
//! ```text
//! a = (v / W) (-ln R) (n + 1) u^n (1 - u)^(-3/2) j / (j + 2)
//! ```
//!
//! u is 0 at the model and 1 at the first node beyond the layer, where the field is zero. W is the
//! layer's width, and j the number of a node, from 1. By the factors up to u^n, waves of velocity v
//! and high frequency would lose ln(R). The next factor ends the layer for long waves. The last one
//! lets it begin as u^(n+1), which makes the errors of the derivatives smaller.
//!
//! v is the fastest velocity of all models of a Plan, to the nearest power of two, on all sides: S
//! along an axis depends on the place along that axis alone. So the operator is symmetric under the
//! weight of all S (reciprocity), and rock that varies along a layer does not make it reflect. For
//! slower rock beside a layer R is smaller than it need be, which costs little down to an eighth of
//! v.
//!
//! The shift alpha is a small constant. Without it, what a source leaves behind at zero frequency
//! stays for long.
//!
//! As a memory of dp/dx, chi, and one of the whole, zeta, with s = (a + alpha) dt:
//!
//! ```text
//! chi  <- chi  - e chi - g dp/dx                e = s / (1 + s)
//! zeta <- zeta - e (zeta + f (d2p/dx2 + chi))   f = a / (a + alpha)
//! d2p/dx2 is replaced by d2p/dx2 + chi + zeta   g = (1/2) (da/dx dt) / (1 + s)
//! ```
//!
//! With z = exp(i omega dt), their A is (1 - f e) (z - c) / (z - 1 + e), with one c = 1 / (1 + alpha dt)
//! for all nodes, and their factor of dp/dx is half of its slope: they are matched in discrete time
//! too, for steps of any length. Only the derivatives along x are approximate.
//!
//! A node's memory is two numbers: no stencil reads a memory variable, they are updated in place,
//! and there are none outside the layer.

use super::{BoundaryError, Coefficients, Scale};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// A perfectly matched layer.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Cpml {
    /// Its width, nodes.
    pub cells: usize,
    // R, at the fastest velocity.
    /// Amplitude of 1 that its damping alone sends back of high frequencies at normal incidence, 1e-12 to 0.5.
    pub reflection: f64,
    // n, the power of u with which the damping leaves the model.
    /// Of its profile of damping by depth.
    pub power: u32,
}

impl Default for Cpml {
    fn default() -> Self {
        Cpml::new(Cpml::CELLS)
    }
}

/// Exponent of the factor that ends a layer.
const END: f64 = -1.5;
/// Cells over which a layer begins with another power.
const BEGIN: f64 = 2.0;
/// alpha, in units of v / W.
const SHIFT: f64 = 0.003;

impl Cpml {
    /// The thinnest layer, cells.
    pub const THINNEST: usize = 5;
    /// The largest power.
    pub const STEEPEST: u32 = 3;
    /// Default power.
    pub(crate) const POWER: u32 = 3;
    /// Default width, cells.
    pub(crate) const CELLS: usize = 20;
    /// Default target reflection, good for all widths.
    pub(crate) const REFLECTION: f64 = 1e-3;

    /// A layer of `cells` cells, with defaults for the rest.
    pub const fn new(cells: usize) -> Self {
        Cpml { cells, reflection: Self::REFLECTION, power: Self::POWER }
    }

    /// Target reflections that are of use: a layer of less is steep for its cells, one of more hardly damps.
    pub(crate) const REFLECTIONS: RangeInclusive<f64> = 1e-12..=0.5;

    pub(super) fn check(&self) -> Result<(), BoundaryError> {
        if !Self::REFLECTIONS.contains(&self.reflection) {
            return Err(BoundaryError::Reflection(self.reflection));
        }
        if !(1..=Self::STEEPEST).contains(&self.power) {
            return Err(BoundaryError::Power(self.power));
        }
        Ok(())
    }

    pub(super) fn at(&self, depth: usize, scale: &Scale) -> Coefficients {
        let (n, cells) = (f64::from(self.power), self.cells as f64);
        let (edge, u) = ((cells + 1.0) * scale.h, depth as f64 / (cells + 1.0));
        // v dt / W, so that a and alpha are those of a step.
        let rate = scale.fastest.log2().round().exp2() * scale.dt / (cells * scale.h);
        let depth = depth as f64;
        let begin = depth / (depth + BEGIN);
        let a = -rate * self.reflection.ln() * (n + 1.0) * u.powf(n) * (1.0 - u).powf(END) * begin;
        let slope = a * ((n / u - END / (1.0 - u)) / edge + (1.0 - begin) / (depth * scale.h));
        let s = a + SHIFT * rate;
        Coefficients {
            damping: 1.0,
            loss: s / (1.0 + s),
            share: a / s,
            slope: 0.5 * slope / (1.0 + s),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::Absorber;
    use huygens_fourier::Complex;

    const SCALE: Scale = Scale { h: 10.0, fastest: 3000.0, dt: 1e-3 };

    #[test]
    fn profiles_grow_outward_on_both_ends() {
        let profile = Absorber::Cpml(Cpml::new(20)).profile(100, [true, true], &SCALE);
        assert_eq!(profile.memory, [20, 20]);
        for i in 0..20 {
            let (low, high) = (profile.nodes[i], profile.nodes[99 - i]);
            assert_eq!((low.share, low.loss), (high.share, high.loss));
            assert_eq!(low.slope, -high.slope);
            assert!(high.slope > 0.0 && low.loss > 0.0 && low.loss < 1.0);
        }
        assert!(profile.nodes.windows(2).take(19).all(|two| two[0].loss > two[1].loss));
        assert_eq!(profile.nodes[50], Coefficients::INTERIOR);
    }

    /// A layer changes only where the fastest velocity is nearer to another power of two.
    #[test]
    fn a_layer_depends_on_the_magnitude_of_the_velocity() {
        let at = |fastest| Cpml::new(10).at(7, &Scale { fastest, ..SCALE });
        assert_eq!(at(3000.0), at(4096.0));
        assert_eq!(at(3000.0), at(5700.0));
        assert!(at(5900.0).loss > at(5700.0).loss);
    }

    /// Before the factor that ends the layer, the fastest waves lose R both ways.
    #[test]
    fn the_damping_gives_the_target() {
        for (reflection, power) in [(1e-3, 3), (1e-5, 1)] {
            let layer = Cpml { cells: 4000, reflection, power };
            let lost: f64 = (1..=4000)
                .map(|depth| {
                    let Coefficients { loss, share, .. } = layer.at(depth, &SCALE);
                    let a = share * loss / (1.0 - loss) / SCALE.dt;
                    let end = (1.0 - depth as f64 / 4001.0).powf(END);
                    a / end * SCALE.h / 4096.0
                })
                .sum();
            assert!((lost + reflection.ln()).abs() < 1e-2 * lost, "{lost}");
        }
    }

    /// The recursions are a relaxing medium, perfectly matched: d2p/dx2 is multiplied by A and
    /// dp/dx by half of its slope, in discrete time, and A takes energy at every frequency.
    #[test]
    fn a_layer_is_matched_and_passive() {
        let layer = Cpml::new(10);
        let rate = 4096.0 * SCALE.dt / 100.0;
        let modulus = |depth: f64, z: Complex<f64>| {
            let u = depth / 11.0;
            let begin = depth / (depth + BEGIN);
            let a = -rate * layer.reflection.ln() * 4.0 * u.powi(3) * (1.0 - u).powf(END) * begin;
            // i omega in discrete time.
            let shifted = 1.0 - 1.0 / z + SHIFT * rate;
            shifted / (shifted + a)
        };
        for depth in 1..=10 {
            let Coefficients { loss, share, slope, .. } = layer.at(depth, &SCALE);
            for omega in [1e-3, 0.1, 0.5, 3.0] {
                let z = Complex::cis(omega);
                // What a memory variable makes of its input.
                let memory = z / (z - 1.0 + loss);
                let (chi, whole) = (-slope * memory, 1.0 - share * loss * memory);
                let depth = depth as f64;
                assert!((whole - modulus(depth, z)).norm() < 1e-12, "{depth} {omega}");
                assert!(whole.im > 0.0, "{depth} {omega}");
                let dx = 1e-4;
                let rise = modulus(depth + dx, z) - modulus(depth - dx, z);
                let half_slope = 0.5 * rise / (2.0 * dx * SCALE.h);
                let error = (chi * whole - half_slope).norm();
                assert!(error < 1e-6 * half_slope.norm(), "{depth} {omega}");
            }
        }
    }
}
