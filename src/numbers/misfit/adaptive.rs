//! Adaptive waveform inversion: `J = 1/2 |T w|^2 / |w|^2` of each trace, in s^2, where w is the Wiener
//! filter that turns the modelled trace into the observed one, and T the lag of each of its samples
//! (Warner and Guasch 2016, "Adaptive waveform inversion: Theory", Geophysics 81(6)). A trace that
//! comes late by t costs t^2/2 more than one in time, however many periods that is. Neither a factor
//! nor the polarity of a trace counts.
//!
//! With P and D the spectra of both traces, padded to at least twice their length, the filter is
//!
//! ```text
//! W = conj(P) D / A,    A = |P|^2 + e M,    M = sum |P|^4 / sum |P|^2
//! ```
//!
//! and dJ = Re sum conj(Q) dP / N, where G is the spectrum of `dJ/dw = (T^2 - 2 J) w / |w|^2`:
//!
//! ```text
//! Q = conj(G) D / A - 2 P (r + e (2 |P|^2 - M) sum r / sum |P|^2),    r = Re(conj(G) W) / A
//! ```
//!
//! The filter of equal traces is as narrow as their band allows: J is not 0 there, but half the
//! squared width of that filter.

use super::product;
use huygens_fourier::{self as fourier, Complex};

/// e: a filter at frequencies where P has no waves would be noise, at all lags.
const RIDGE: f64 = 0.05;

/// A silent trace has no filter: its J is 0.
pub(crate) fn of(modelled: &[f64], observed: &[f64], interval: f64) -> (f64, Vec<f64>) {
    let size = (2 * modelled.len().max(1)).next_power_of_two();
    let [p, d] = [modelled, observed].map(|trace| spectrum(trace, size));
    let power: Vec<f64> = p.iter().map(Complex::norm_sqr).collect();
    let energy: f64 = power.iter().sum();
    let mean = product(&power, &power) / energy;
    let below: Vec<f64> = power.iter().map(|power| power + RIDGE * mean).collect();
    let all = p.iter().zip(&d).zip(&below);
    let filter: Vec<_> = all.map(|((p, d), below)| p.conj() * d / below).collect();
    let w = series(filter.clone());
    let of_w = product(&w, &w);
    if !(of_w > 0.0 && of_w.is_finite()) {
        return (0.0, vec![0.0; modelled.len()]);
    }
    // The second half of the lags is negative.
    let lag = |n: usize| (n as f64 - if 2 * n < size { 0.0 } else { size as f64 }) * interval;
    let squares: Vec<f64> = (0..size).map(|n| lag(n).powi(2)).collect();
    let twice = squares.iter().zip(&w).map(|(square, w)| square * w * w).sum::<f64>() / of_w;
    let by_w = squares.iter().zip(&w).map(|(square, w)| (square - twice) * w / of_w);
    let g = spectrum(&by_w.collect::<Vec<_>>(), size);
    let both = g.iter().zip(&filter).zip(&below);
    let r: Vec<f64> = both.map(|((g, w), below)| (g.conj() * w).re / below).collect();
    let of_ridge = RIDGE * r.iter().sum::<f64>() / energy;
    let by_p = (0..size).map(|k| {
        let of_mean = of_ridge * (2.0 * power[k] - mean);
        g[k].conj() * d[k] / below[k] - p[k] * (2.0 * (r[k] + of_mean))
    });
    let mut by_sample = series(by_p.collect());
    by_sample.truncate(modelled.len());
    (0.5 * twice, by_sample)
}

/// With zeros behind the trace.
fn spectrum(trace: &[f64], size: usize) -> Vec<Complex<f64>> {
    let mut spectrum = vec![Complex::default(); size];
    spectrum.iter_mut().zip(trace).for_each(|(to, value)| to.re = *value);
    fourier::forward(size).process(&mut spectrum);
    spectrum
}

/// Of the spectrum of a real one.
fn series(mut spectrum: Vec<Complex<f64>>) -> Vec<f64> {
    let size = spectrum.len();
    fourier::inverse(size).process(&mut spectrum);
    spectrum.iter().map(|of| of.re / size as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: f64 = 0.004;
    const HZ: f64 = 8.0;

    /// Three reflections, all late by so many seconds.
    fn trace(late: f64) -> Vec<f64> {
        let of = |k: usize| {
            let pulse = |at: f64| {
                let t = std::f64::consts::PI * HZ * (k as f64 * INTERVAL - at - late);
                (1.0 - 2.0 * t * t) * (-t * t).exp()
            };
            pulse(0.5) - 0.5 * pulse(0.8) + 0.3 * pulse(0.95)
        };
        (0..500).map(of).collect()
    }

    fn misfit(modelled: &[f64], observed: &[f64]) -> f64 {
        of(modelled, observed, INTERVAL).0
    }

    /// By hand: a filter that is late by t has the squared lag of the one in time, and t^2.
    #[test]
    fn a_late_trace_costs_half_the_square_of_its_time() {
        let observed = trace(0.0);
        let in_time = misfit(&observed, &observed);
        assert!(in_time > 0.0 && in_time < 0.5 * (0.5 / HZ).powi(2), "{in_time}");
        for late in [-0.3, -0.1, 0.02, 0.1, 0.4] {
            let off = misfit(&trace(late), &observed) - in_time - 0.5 * late * late;
            assert!(off.abs() < 1e-3 * late * late, "{late}: {off:e}");
        }
    }

    /// The derivative by the time has the right size from 3 periods away.
    #[test]
    fn a_trace_is_drawn_from_three_periods_away() {
        let (observed, late) = (trace(0.0), 3.0 / HZ);
        let (now, next) = (trace(late), trace(late + 1e-5));
        let by = of(&now, &observed, INTERVAL).1;
        let slope: f64 =
            by.iter().zip(now.iter().zip(&next)).map(|(by, (p, q))| by * (q - p)).sum();
        assert!((slope / 1e-5 / late - 1.0).abs() < 1e-3, "{slope:e}");
    }

    #[test]
    fn neither_a_factor_nor_the_polarity_counts() {
        let (modelled, observed) = (trace(0.1), trace(0.0));
        let known = misfit(&modelled, &observed);
        for factor in [-1.0, 1e-9, -3e7] {
            let scaled: Vec<f64> = modelled.iter().map(|p| factor * p).collect();
            let found = misfit(&scaled, &observed);
            assert!((found / known - 1.0).abs() < 1e-9, "{factor}: {found} {known}");
        }
    }
}
