//! Points between nodes, by the Kaiser-windowed sinc of Hicks (2002), "Arbitrary source and receiver positioning
//! in finite-difference schemes using Kaiser windowed sinc functions", Geophysics 67, 156-166.
//!
//! Along each axis a point at u, in units of the spacing, is spread over the nodes n nearer than r:
//!
//! ```text
//! w(x) = sinc(pi x) I0(b sqrt(1 - (x/r)^2)) / I0(b),    x = n - u
//! ```
//!
//! A band-limited field is p(u) = sum_n w(n - u) p(n), and a delta at u is w(n - u) over the spacing: with the
//! same weights, recording and injection are adjoint to each other. On a node the weights are a single 1. The
//! derivative of a delta, which is a dipole, is w'(n - u) over the spacing squared.
//!
//! r is 4, and b is the optimum of the paper's tables for wavenumbers up to pi/2, four nodes per wavelength: an
//! error of 1.34e-3 at the most for a monopole, and of 6.81e-3 of 1/spacing for a dipole.

use super::kaiser::bessel;
use std::f64::consts::PI;

/// r: the nodes on either side of a point that it is spread over.
pub const HALF_WIDTH: usize = 4;
/// Nodes that a point is spread over along an axis.
pub const WIDTH: usize = 2 * HALF_WIDTH;

/// b for a monopole, and across the axis of a dipole.
const MONOPOLE: f64 = 6.31;
/// b along the axis of a dipole.
const DIPOLE: f64 = 6.42;

/// An axis of nodes 0..n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Nodes.
    pub n: usize,
    /// Whether node 0 is a free surface, above which lies the negative image of the field. Elsewhere the field
    /// is zero beyond the ends.
    pub free: bool,
}

/// A point's weights along an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The first node.
    pub first: usize,
    /// Of the nodes from there on; past the end of the axis they are 0.
    pub weights: [f64; WIDTH],
}

impl Line {
    /// The nodes that the weights of a point stand for.
    pub fn width(&self) -> usize {
        WIDTH.min(self.n)
    }

    /// The weights of a point at `u`, in units of the spacing; to inject a delta, divide by the spacing.
    pub fn monopole(&self, u: f64) -> Spread {
        self.spread(u, |x| kernel(x, MONOPOLE)[0])
    }

    /// The weights of the derivative along the axis of a delta at `u`; divide by the spacing squared.
    pub fn dipole(&self, u: f64) -> Spread {
        self.spread(u, |x| kernel(x, DIPOLE)[1])
    }

    fn spread(&self, u: f64, w: impl Fn(f64) -> f64) -> Spread {
        let below = u.floor() as i64 - (HALF_WIDTH as i64 - 1);
        // The window lies on the axis, so that who reads it asks for no node that there is not.
        let first = below.clamp(0, (self.n - self.width()) as i64) as usize;
        let mut weights = [0.0; WIDTH];
        for n in below..below + WIDTH as i64 {
            let weight = w(n as f64 - u);
            // p(-n) = -p(n) above a free surface; elsewhere there is nothing.
            let weight = if n < 0 { -weight } else { weight };
            let node = n.unsigned_abs() as usize;
            if (n >= 0 || self.free) && node < self.n {
                weights[node - first] += weight;
            }
        }
        Spread { first, weights }
    }
}

impl Spread {
    /// The node that all of it lies on, where there is one.
    pub fn node(&self) -> Option<usize> {
        let single = self.weights.iter().filter(|w| **w != 0.0).count() == 1;
        let at = self.weights.iter().position(|w| *w == 1.0);
        at.filter(|_| single).map(|at| self.first + at)
    }

    /// The nodes with a weight, and it.
    pub fn nodes(&self) -> impl Iterator<Item = (usize, f64)> {
        let weights = self.weights.iter().enumerate();
        weights.filter(|(_, w)| **w != 0.0).map(|(n, w)| (self.first + n, *w))
    }
}

/// w(x) and w'(x), |x| up to [`HALF_WIDTH`].
fn kernel(x: f64, b: f64) -> [f64; 2] {
    let r = HALF_WIDTH as f64;
    let inside = 1.0 - (x / r).powi(2);
    if inside <= 0.0 {
        return [0.0; 2];
    }
    let s = b * inside.sqrt();
    let window = bessel(s, 0) / bessel(b, 0);
    // dI0/ds = I1, and s ds/dx = -b^2 x / r^2.
    let slope = -b * b * x / (r * r) * bessel(s, 1) / bessel(b, 0);
    // Exact on nodes, where sin(pi x) would not quite be 0.
    let (sinc, sinc_slope) = match (x == 0.0, x.fract() == 0.0) {
        (true, _) => (1.0, 0.0),
        (_, true) => (0.0, (PI * x).cos() / x),
        _ => {
            let sinc = (PI * x).sin() / (PI * x);
            (sinc, ((PI * x).cos() - sinc) / x)
        }
    };
    [sinc * window, sinc_slope * window + sinc * slope]
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
    fn the_bessel_functions_are_those_of_the_tables() {
        // Abramowitz and Stegun 1964, table 9.8 (times e^x): I0(5) = 27.239871824, I1(5) = 24.335642142.
        assert!((bessel(5.0, 0) - 27.239_871_823_6).abs() < 1e-9);
        assert!((5.0 * bessel(5.0, 1) - 24.335_642_142_5).abs() < 1e-9);
        assert_eq!([bessel(0.0, 0), bessel(0.0, 1)], [1.0, 0.5]);
    }

    #[test]
    fn a_point_on_a_node_is_that_node() {
        for n in [1, 3, 8, 40] {
            for at in [0, n / 2, n - 1] {
                for free in [false, true] {
                    let spread = Line { n, free }.monopole(at as f64);
                    assert_eq!(spread.node(), Some(at));
                    assert_eq!(spread.nodes().count(), 1);
                    assert!(spread.first + Line { n, free }.width() <= n);
                }
            }
        }
    }

    /// The errors are those of the paper's tables.
    #[test]
    fn a_band_limited_field_is_interpolated_as_the_paper_says() {
        let (mut value, mut slope) = (0.0f64, 0.0f64);
        for u in points() {
            assert!((of(&LINE.monopole(u), |_| 1.0) - 1.0).abs() < 1e-3);
            for k in (0..=50).map(|k| f64::from(k) / 50.0 * PI / 2.0) {
                let (cos, sin) = (|x: f64| (k * (x - u)).cos(), |x: f64| (k * (x - u)).sin());
                let (re, im) = (of(&LINE.monopole(u), cos), of(&LINE.monopole(u), sin));
                value = value.max((re - 1.0).hypot(im));
                // The derivative of a delta takes -df/du: of exp(i k (x - u)) that is -i k.
                let (re, im) = (of(&LINE.dipole(u), cos), of(&LINE.dipole(u), sin));
                slope = slope.max(re.hypot(im + k));
            }
        }
        println!("largest errors up to pi/2: {value:.2e}, and of the derivative {slope:.2e}");
        assert!(value <= 1.36e-3, "{value:e}");
        assert!(slope <= 7.0e-3, "{slope:e}");
    }

    #[test]
    fn the_derivative_is_the_derivative() {
        for x in (1..400).map(|i| -3.995 + 0.02 * f64::from(i)) {
            for b in [MONOPOLE, DIPOLE] {
                let e = 1e-5;
                let difference = (kernel(x + e, b)[0] - kernel(x - e, b)[0]) / (2.0 * e);
                assert!((kernel(x, b)[1] - difference).abs() < 1e-8, "{x}");
            }
        }
    }

    /// Beyond an end weights are dropped, or folded back with the other sign: as if the field went on as its
    /// image.
    #[test]
    fn ends_drop_and_a_free_surface_mirrors() {
        let field = |x: f64| (0.9 * x).sin() + 0.3 * x;
        for u in [0.3, 1.7, 2.0, 3.2, 37.4, 38.9] {
            let inside = |n: f64| if (0.0..=39.0).contains(&n) { field(n) } else { 0.0 };
            let image = |n: f64| if n <= 39.0 { field(n) } else { 0.0 };
            let far = Line { n: 200, free: false };
            for (free, whole) in [(false, &inside as &dyn Fn(f64) -> f64), (true, &image)] {
                for dipole in [false, true] {
                    let at = |line: Line, u| if dipole { line.dipole(u) } else { line.monopole(u) };
                    let spread = at(Line { n: 40, free }, u);
                    // The same point in the middle of nowhere; field is odd, so that it is its own image.
                    let wanted = of(&at(far, u + 100.0), |n| whole(n - 100.0));
                    assert!((of(&spread, field) - wanted).abs() < 1e-12, "{u}, {free}");
                    assert!(spread.first + WIDTH <= 40);
                }
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
