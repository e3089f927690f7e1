//! Convolutional PML for the second-order equation (Pasalic and McGarry 2010), with the frequency
//! shift of Komatitsch and Martin (2007):
//!
//! ```text
//! psi  <- b psi  + a dp/dx                      a = d/(d + alpha) (b - 1),  b = exp(-(d + alpha) dt)
//! zeta <- b zeta + a (d2p/dx2 + dpsi/dx)
//! d2p/dx2 is replaced by d2p/dx2 + dpsi/dx + zeta
//! ```
//!
//! with d = d0 (u)^power, alpha = pi f (1 - u), u from 0 at the model to 1 at the outer edge, and
//! d0 = -(power + 1) v ln(R) / (2 W) for a layer W metres wide and a target reflection R.
//!
//! Engines keep phi = b psi and expand dpsi/dx = dphi/dx + da/dx dp/dx + a d2p/dx2, so that a step
//! reads neighbours of the previous step only and needs one pass.

use super::{BoundaryError, Coefficients, Medium};
use serde::Serialize;
use std::f64::consts::PI;

/// A convolutional perfectly matched layer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cpml {
    /// Width, cells.
    pub cells: usize,
    /// Target reflection R at normal incidence.
    pub reflection: f64,
}

/// Grading of the damping; 2 to 3 is the literature's range.
const POWER: i32 = 2;

impl Cpml {
    /// The thinnest layer, cells. With 1 or 2 the damping rises so steeply from cell to cell that the field
    /// grows, whatever the time step (`tests/physics/stability.rs` looks at the thinnest).
    pub const THINNEST: usize = 5;

    /// Target reflection where none is given.
    pub const REFLECTION: f64 = 1e-4;

    pub(super) fn check(&self) -> Result<(), BoundaryError> {
        if self.reflection > 0.0 && self.reflection < 1.0 {
            Ok(())
        } else {
            Err(BoundaryError::Reflection(self.reflection))
        }
    }

    pub(super) fn at(&self, depth: usize, medium: &Medium) -> Coefficients {
        let cells = self.cells as f64;
        let u = depth as f64 / cells;
        let (decay, gain) = self.decay_and_gain(u, medium);
        // A difference far smaller than a cell; the profile goes on beyond the outer edge.
        let du = 1e-4;
        let rise = self.decay_and_gain(u + du, medium).1 - self.decay_and_gain(u - du, medium).1;
        let gain_slope = rise / (2.0 * du * cells * medium.h);
        Coefficients { damping: 1.0, decay, gain, gain_slope }
    }

    fn decay_and_gain(&self, u: f64, medium: &Medium) -> (f64, f64) {
        let width = self.cells as f64 * medium.h;
        let d0 = -f64::from(POWER + 1) * medium.v_max * self.reflection.ln() / (2.0 * width);
        let d = d0 * u.max(0.0).powi(POWER);
        let alpha = (PI * medium.frequency * (1.0 - u)).max(0.0);
        let rate = d + alpha;
        let decay = (-rate * medium.dt).exp();
        let gain = if rate > 0.0 { d / rate * (decay - 1.0) } else { 0.0 };
        (decay, gain)
    }
}

#[cfg(test)]
mod tests {
    use crate::boundary::{Absorber, Cpml, Medium};

    #[test]
    fn profiles_grow_outward_on_both_ends() {
        let medium = Medium { v_max: 4000.0, frequency: 10.0, dt: 1e-3, h: 10.0, radius: 4 };
        let layer = Absorber::Cpml(Cpml { cells: 20, reflection: Cpml::REFLECTION });
        let profile = layer.profile(100, true, true, &medium);
        assert_eq!(profile.memory, [24, 24]);
        for i in 0..20 {
            let (low, high) = (profile.nodes[i], profile.nodes[99 - i]);
            assert_eq!((low.gain, low.decay), (high.gain, high.decay));
            assert_eq!(low.gain_slope, -high.gain_slope);
            assert!(low.gain < 0.0 && low.decay > 0.0 && low.decay < 1.0);
        }
        assert!(profile.nodes[0].gain < profile.nodes[19].gain);
        assert_eq!(profile.nodes[50].gain, 0.0);
    }
}
