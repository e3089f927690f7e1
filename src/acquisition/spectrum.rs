//! How high a wavelet's spectrum reaches.

use super::fourier;
use rustfft::num_complex::Complex;

/// What is significant of an amplitude spectrum, of its peak: less adds less than a twentieth to what is
/// seen. A Ricker wavelet falls to it at 2.4 times its peak frequency.
const SIGNIFICANT: f64 = 0.05;
/// Samples below this part of the largest are none: a Ricker wavelet has no end.
const SILENCE: f64 = 1e-9;
/// Zeros after samples, in their lengths, so that their spectrum is sampled finely; long ones need none.
const PADDING: usize = 8;
/// What a spectrum is padded to at the most, samples.
const FINE: usize = 1 << 15;

/// The length at which the spectrum of so many samples is looked at.
pub(super) fn size(samples: usize) -> usize {
    (PADDING * samples).min(FINE).max(samples).next_power_of_two()
}

/// The highest frequency, in Hz, at which the amplitude spectrum of samples `dt` seconds apart is still 5 %
/// of its peak; 0 for silence.
pub fn highest_hz(samples: &[f64], dt: f64) -> f64 {
    let peak = samples.iter().fold(0.0f64, |peak, s| peak.max(s.abs()));
    let heard = |s: &f64| s.abs() > SILENCE * peak;
    let (Some(first), Some(last)) =
        (samples.iter().position(heard), samples.iter().rposition(heard))
    else {
        return 0.0;
    };
    let length = last + 1 - first;
    let size = size(length);
    let mut spectrum: Vec<Complex<f64>> = samples[first..=last].iter().map(|s| s.into()).collect();
    spectrum.resize(size, Complex::default());
    fourier::forward(size).process(&mut spectrum);
    let power = |i: usize| spectrum[i].norm_sqr();
    let most = (0..=size / 2).map(power).fold(0.0, f64::max);
    let highest = (0..=size / 2).rev().find(|i| power(*i) >= SIGNIFICANT * SIGNIFICANT * most);
    highest.unwrap_or(0) as f64 / (size as f64 * dt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acquisition::{Ricker, Wavelet};

    #[test]
    fn a_ricker_reaches_to_2_4_of_its_peak() {
        // x^2 exp(1 - x^2) = 0.05 at x = 2.3984.
        for (peak_hz, dt, count) in [(8.0, 2e-3, 2000), (25.0, 1e-4, 5000), (5.0, 3.5e-3, 400)] {
            let ricker = Wavelet::Ricker(Ricker { peak_hz, delay: 1.5 / peak_hz });
            let samples = ricker.samples(dt, count).expect("a Ricker has samples");
            let ratio = highest_hz(&samples, dt) / peak_hz;
            assert!((ratio - 2.3984).abs() < 0.03, "{ratio}");
        }
    }

    #[test]
    fn a_spike_reaches_to_the_nyquist_frequency_and_silence_nowhere() {
        assert_eq!(highest_hz(&[0.0, 0.0, 1.0, 0.0], 1e-3), 500.0);
        assert_eq!(highest_hz(&[0.0; 9], 1e-3), 0.0);
        assert_eq!(highest_hz(&[], 1e-3), 0.0);
    }
}
