//! Windowed-sinc second derivatives (Sadahiro 2014, appendix C, `makefir2`).

use super::{MAX_RADIUS, StencilError, taylor::with_centre};
use serde::Serialize;
use std::f64::consts::PI;

/// The taper of the sinc's second derivative along one axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Window {
    /// One-sided length L, cells.
    pub wing: usize,
    /// 0.5 is a Hann shape, 0.54 Hamming's, 1 no taper.
    pub alpha: f64,
    /// Twice the exponent of the taper.
    pub beta: f64,
}

impl Window {
    /// The default. With [`Window::BETA`] it has the least phase error at wings of 6 to 8 among the
    /// windows tried: below 1e-4 up to 0.7 of the Nyquist wavenumber at a wing of 8.
    pub const ALPHA: f64 = 0.5;
    /// The default.
    pub const BETA: f64 = 5.0;

    /// `c_j = 2 (-1)^(j+1) / j^2 w_j`, `w_j = [(2a-1) + 2(1-a) cos^2(pi j / (2(L+2)))]^(b/2)`,
    /// `c_0 = -2 sum c_j`, over h^2. Returns `c_0 ..= c_L`, 1/m^2.
    pub(crate) fn second(&self, h: f64) -> Result<Vec<f64>, StencilError> {
        let Window { wing, alpha, beta } = *self;
        if !(1..=MAX_RADIUS).contains(&wing) {
            return Err(StencilError::Wing(wing));
        }
        if !((0.5..=1.0).contains(&alpha) && (0.0..=8.0).contains(&beta)) {
            return Err(StencilError::Window { alpha, beta });
        }
        let taper = |j: usize| {
            let cos = (PI * j as f64 / (2.0 * (wing + 2) as f64)).cos();
            ((2.0 * alpha - 1.0) + 2.0 * (1.0 - alpha) * cos * cos).powf(beta / 2.0)
        };
        let coefficient = |j: usize| {
            let sign = if j % 2 == 1 { 1.0 } else { -1.0 };
            2.0 * sign / (j * j) as f64 * taper(j) / (h * h)
        };
        Ok(with_centre((1..=wing).map(coefficient).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_taper_it_is_the_sinc() {
        let window = Window { wing: 3, alpha: 1.0, beta: 2.0 };
        let c = window.second(10.0).expect("a valid window");
        assert!((c[1] - 2.0 / 100.0).abs() < 1e-15);
        assert!((c[2] + 0.5 / 100.0).abs() < 1e-15);
        assert!((c[3] - 2.0 / 9.0 / 100.0).abs() < 1e-15);
        assert!((c[0] + 2.0 * (c[1] + c[2] + c[3])).abs() < 1e-15);
    }

    #[test]
    fn an_invalid_window_is_refused() {
        let window = |wing, alpha, beta| Window { wing, alpha, beta }.second(1.0);
        assert_eq!(
            [0, 17].map(|wing| window(wing, 0.54, 2.0)),
            [0, 17].map(|wing| Err(StencilError::Wing(wing)))
        );
        assert!(window(8, 0.2, 2.0).is_err() && window(8, 0.54, f64::NAN).is_err());
    }

    #[test]
    fn a_hann_taper_is_a_power_of_a_cosine() {
        // cos(pi j / (2 (L + 2))) to the power of beta: here of 30 degrees.
        for (beta, taper) in [(0.0, 1.0), (2.0, 0.75), (4.0, 0.5625)] {
            let c = Window { wing: 1, alpha: 0.5, beta }.second(1.0).expect("a valid window");
            assert!((c[1] - 2.0 * taper).abs() < 1e-14, "{beta}: {c:?}");
        }
    }
}
