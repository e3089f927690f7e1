//! Points between nodes, by the Kaiser-windowed sinc of Hicks (2002), "Arbitrary source and
//! receiver positioning in finite-difference schemes using Kaiser windowed sinc functions",
//! Geophysics 67, 156-166.
//!
//! Along each axis a point at u, in units of the spacing, is spread over the nodes n nearer than r:
//!
//! ```text
//! w(x) = sinc(pi x) I0(b sqrt(1 - (x/r)^2)) / I0(b),    x = n - u
//! ```
//!
//! A band-limited field is p(u) = sum_n w(n - u) p(n), and a delta at u is w(n - u) over the
//! spacing: with the same weights, recording and injection are adjoint to each other. On a node the
//! weights are a single 1.
//!
//! r is 4, and b is the optimum of the paper's tables for wavenumbers up to pi/2, four nodes per
//! wavelength: an error of at most 1.34e-3; for a constant field at most 4.2e-4. The derivative of
//! a delta, which is a dipole, has separate weights along its axis: w' would have the strength of
//! long waves wrong by up to 3e-2, and a monopole beside it.

use super::{derivative, kaiser::bessel};
use std::{collections::BTreeMap, f64::consts::PI};

/// r: the nodes on either side of a point that have weights.
pub const HALF_WIDTH: usize = 4;
/// Nodes along an axis that have weights.
pub(crate) const WIDTH: usize = 2 * HALF_WIDTH;

const B: f64 = 6.31;

/// An axis of nodes 0..n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Nodes.
    pub n: usize,
    /// Whether node 0 is a free surface, with the negative image of the field above. Otherwise the
    /// field is zero beyond the ends.
    pub free: bool,
}

/// A point's weights along an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The first node.
    pub first: usize,
    /// The weights of the nodes from there on; past the end of the axis they are 0.
    pub weights: [f64; WIDTH],
}

impl Line {
    /// Number of nodes in a point's window.
    pub fn width(&self) -> usize {
        WIDTH.min(self.n)
    }

    /// The weights of a point at `u`, in units of the spacing, also across the axis of a dipole; to
    /// inject a delta, divide by the spacing.
    pub(crate) fn monopole(&self, u: f64) -> Spread {
        let below = u.floor() as i64 - (HALF_WIDTH as i64 - 1);
        // The window is clamped to the axis, so no reader asks for a node outside it.
        let first = below.clamp(0, (self.n - self.width()) as i64) as usize;
        let (mut weights, middle) = ([0.0; WIDTH], bessel(B, 0));
        for n in below..below + WIDTH as i64 {
            if let Some((node, sign)) = self.node(n) {
                weights[node - first] += sign * kernel(n as f64 - u, middle);
            }
        }
        Spread { first, weights }
    }

    /// The nodes of the derivative along the axis of a delta at `u`, ascending, and their weights;
    /// divide by the spacing squared.
    pub(crate) fn dipole(&self, u: f64) -> Vec<(usize, f64)> {
        let mut nodes = BTreeMap::new();
        for (n, weight) in derivative::weights(u) {
            if let Some((node, sign)) = self.node(n) {
                *nodes.entry(node).or_insert(0.0) += sign * weight;
            }
        }
        nodes.into_iter().collect()
    }

    /// The node that represents an index, also beyond the axis, and its sign: p(-n) = -p(n) above a
    /// free surface; `None` at other indices outside.
    fn node(&self, n: i64) -> Option<(usize, f64)> {
        let node = n.unsigned_abs() as usize;
        let is = (n >= 0 || self.free) && node < self.n;
        is.then_some((node, if n < 0 { -1.0 } else { 1.0 }))
    }
}

impl Spread {
    /// The same weights on the axis of a window: `n` nodes, of which the first is `first` here. The
    /// window holds every node with a weight.
    pub(crate) fn within(&self, first: usize, n: usize) -> Self {
        let line = Line { n, free: false };
        let begin = self.first.saturating_sub(first).min(n - line.width());
        let mut weights = [0.0; WIDTH];
        for (node, weight) in self.nodes() {
            weights[node - first - begin] = weight;
        }
        Spread { first: begin, weights }
    }

    /// The nodes with nonzero weights.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = (usize, f64)> {
        let weights = self.weights.iter().enumerate();
        weights.filter(|(_, w)| **w != 0.0).map(|(n, w)| (self.first + n, *w))
    }
}

/// w(x), |x| up to [`HALF_WIDTH`], with I0(b).
fn kernel(x: f64, middle: f64) -> f64 {
    let inside = 1.0 - (x / HALF_WIDTH as f64).powi(2);
    if inside <= 0.0 {
        return 0.0;
    }
    let window = bessel(B * inside.sqrt(), 0) / middle;
    // Exact on nodes, where sin(pi x) would not quite be 0.
    let sinc = match (x == 0.0, x.fract() == 0.0) {
        (true, _) => 1.0,
        (_, true) => 0.0,
        _ => (PI * x).sin() / (PI * x),
    };
    sinc * window
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: Line = Line { n: 40, free: false };

    fn points() -> impl Iterator<Item = f64> {
        (0..50).map(|i| 17.0 + f64::from(i) / 50.0)
    }

    /// `sum_n w_n f(n)`.
    fn of(spread: &Spread, f: impl Fn(f64) -> f64) -> f64 {
        spread.nodes().map(|(n, w)| w * f(n as f64)).sum()
    }

    #[test]
    fn a_point_on_a_node_is_that_node() {
        for n in [1, 3, 8, 40] {
            for at in [0, n / 2, n - 1] {
                for free in [false, true] {
                    let spread = Line { n, free }.monopole(at as f64);
                    assert_eq!(spread.nodes().collect::<Vec<_>>(), [(at, 1.0)]);
                    assert!(spread.first + Line { n, free }.width() <= n);
                }
            }
        }
    }

    /// The error is that of the paper's tables.
    #[test]
    fn a_band_limited_field_is_interpolated_as_the_paper_says() {
        let mut value = 0.0f64;
        for u in points() {
            assert!((of(&LINE.monopole(u), |_| 1.0) - 1.0).abs() < 4.2e-4);
            for k in (0..=50).map(|k| f64::from(k) / 50.0 * PI / 2.0) {
                let (cos, sin) = (|x: f64| (k * (x - u)).cos(), |x: f64| (k * (x - u)).sin());
                let (re, im) = (of(&LINE.monopole(u), cos), of(&LINE.monopole(u), sin));
                value = value.max((re - 1.0).hypot(im));
            }
        }
        println!("largest error up to pi/2: {value:.2e}");
        assert!(value <= 1.36e-3, "{value:e}");
    }

    /// Beyond an end weights are dropped, or folded back with the opposite sign, as if the field
    /// continued as its image.
    #[test]
    fn ends_drop_and_a_free_surface_mirrors() {
        let field = |x: f64| (0.9 * x).sin() + 0.3 * x;
        // Positions that are exact a hundred nodes further too.
        for u in [0.25, 1.75, 2.0, 3.125, 37.375, 38.875] {
            let inside = |n: f64| if (0.0..=39.0).contains(&n) { field(n) } else { 0.0 };
            let image = |n: f64| if n <= 39.0 { field(n) } else { 0.0 };
            let far = Line { n: 200, free: false };
            for (free, whole) in [(false, &inside as &dyn Fn(f64) -> f64), (true, &image)] {
                let line = Line { n: 40, free };
                // The same point far from any end; the field is odd, so it is its own image.
                let wanted = of(&far.monopole(u + 100.0), |n| whole(n - 100.0));
                let spread = line.monopole(u);
                assert!((of(&spread, field) - wanted).abs() < 1e-12, "{u}, {free}");
                assert!(spread.first + WIDTH <= 40);
                let sum = |nodes: Vec<(usize, f64)>, f: &dyn Fn(f64) -> f64| -> f64 {
                    nodes.into_iter().map(|(n, w)| w * f(n as f64)).sum()
                };
                let wanted = sum(far.dipole(u + 100.0), &|n| whole(n - 100.0));
                let dipole = sum(line.dipole(u), &field);
                assert!((dipole - wanted).abs() < 1e-11, "{u}, {free}: {dipole} {wanted}");
            }
        }
    }

    #[test]
    fn short_axes_have_short_windows() {
        for n in 1..WIDTH {
            let spread = Line { n, free: false }.monopole(0.4 * (n - 1) as f64);
            assert_eq!(spread.first, 0);
            assert!(spread.weights[n..].iter().all(|w| *w == 0.0));
        }
    }
}
