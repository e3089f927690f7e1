//! Adaptive waveform inversion: `J = 1/2 |T w|^2 / |w|^2` of each trace, in s^2, where w is the Wiener
//! filter between both traces, and T the lag of each of its samples (Warner and Guasch 2016, "Adaptive
//! waveform inversion: Theory", Geophysics 81(6)). A trace that comes late by t costs t^2/2 more than
//! one in time, however many periods that is. Neither a factor nor the polarity of a trace counts.
//!
//! It is the reverse form, in which w turns the observed trace into the modelled one. With P and D
//! their spectra, padded to at least twice their length, and G that of `dJ/dw`,
//!
//! ```text
//! W = conj(D) P / A,    A = |D|^2 + e sum |D|^4 / sum |D|^2
//! dJ/dw = (T^2 - 2 J) w / |w|^2,    dJ/dp = inverse transform of G D / A
//! ```
//!
//! The filter that turns modelled traces into observed ones depends on 1/P, and with it J fell where
//! the model made the band of P wider: a circle that delays waves by a quarter of a period was lost.
//!
//! The filter of equal traces is as narrow as their band allows: J is not 0 there, but half the
//! squared width of that filter.

use super::product;
use huygens_fourier::{self as fourier, Complex};

/// e: a filter at frequencies where D has no waves would be noise, at all lags.
const RIDGE: f64 = 0.1;

/// A silent trace has no filter: its J is 0.
pub(crate) fn of(modelled: &[f64], observed: &[f64], interval: f64) -> (f64, Vec<f64>) {
    let size = (2 * modelled.len().max(1)).next_power_of_two();
    let [p, mut d] = [modelled, observed].map(|trace| spectrum(trace, size));
    let power: Vec<f64> = d.iter().map(Complex::norm_sqr).collect();
    let ridge = RIDGE * product(&power, &power) / power.iter().sum::<f64>();
    // D / A.
    d.iter_mut().zip(power).for_each(|(d, power)| *d /= power + ridge);
    let w = series(p.iter().zip(&d).map(|(p, d)| d.conj() * p).collect());
    let energy = product(&w, &w);
    if !(energy > 0.0 && energy.is_finite()) {
        return (0.0, vec![0.0; modelled.len()]);
    }
    // The second half of the lags is negative.
    let lag = |n: usize| (n as f64 - if 2 * n < size { 0.0 } else { size as f64 }) * interval;
    let squares: Vec<f64> = (0..size).map(|n| lag(n).powi(2)).collect();
    let twice = squares.iter().zip(&w).map(|(square, w)| square * w * w).sum::<f64>() / energy;
    let by_w = squares.iter().zip(&w).map(|(square, w)| (square - twice) * w / energy);
    let g = spectrum(&by_w.collect::<Vec<_>>(), size);
    let mut by_sample = series(g.iter().zip(&d).map(|(g, d)| g * d).collect());
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
        assert!(in_time > 0.0 && in_time < 0.5 * (1.0 / HZ).powi(2), "{in_time}");
        for late in [-0.3, -0.1, 0.02, 0.1, 0.4] {
            let off = misfit(&trace(late), &observed) - in_time - 0.5 * late * late;
            assert!(off.abs() < 2e-3 * late * late, "{late}: {off:e}");
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
        assert!((slope / 1e-5 / late - 1.0).abs() < 4e-3, "{slope:e}");
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
