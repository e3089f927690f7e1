//! The spectrum of a wavelet: its peak and its highest significant frequency.

use super::coarse::{Coarse, SIGNIFICANT, largest};
use huygens_fourier as fourier;

/// Samples below this fraction of the largest count as zero: a Ricker wavelet has no end.
const SILENCE: f64 = 1e-9;
/// Zero padding in multiples of the samples' length, for a fine spectrum; long ones need none.
const PADDING: usize = 8;
/// The longest padded length, samples.
const FINE: usize = 1 << 15;

/// |S|^2 of samples, from 0 Hz to the Nyquist frequency.
pub(crate) struct Spectrum {
    power: Vec<f64>,
    /// Hz between bins.
    df: f64,
}

impl Spectrum {
    /// For samples `dt` seconds apart.
    pub(crate) fn of(samples: &[f64], dt: f64) -> Self {
        let size = size(samples.len());
        let fourier = fourier::real(size);
        let mut padded = fourier.make_input_vec();
        // Scaled, so that no square overflows.
        let largest = largest(samples).max(f64::MIN_POSITIVE);
        padded.iter_mut().zip(samples).for_each(|(to, sample)| *to = sample / largest);
        let mut spectrum = fourier.make_output_vec();
        fourier.process(&mut padded, &mut spectrum).expect("vectors of its lengths");
        let power = spectrum.iter().map(|s| s.norm_sqr()).collect();
        Spectrum { power, df: 1.0 / (size as f64 * dt) }
    }

    /// The bin of the largest value above 0 Hz.
    fn peak(&self) -> usize {
        self.largest_of(|bin| self.power[bin])
    }

    /// The bin of the largest value of the samples' derivative.
    fn peak_of_derivative(&self) -> usize {
        self.largest_of(|bin| (bin as f64).powi(2) * self.power[bin])
    }

    /// The bin above 0 Hz of the largest of some values.
    fn largest_of(&self, value: impl Fn(usize) -> f64) -> usize {
        (1..self.power.len()).max_by(|a, b| value(*a).total_cmp(&value(*b))).unwrap_or(1)
    }

    /// The highest bin with at least 5 % of the peak amplitude.
    fn highest(&self) -> usize {
        let most = self.power.iter().copied().fold(0.0, f64::max);
        self.power.iter().rposition(|p| *p >= SIGNIFICANT * SIGNIFICANT * most).unwrap_or(0)
    }

    /// Fraction of the energy above a frequency, Hz.
    pub(crate) fn energy_above(&self, hz: f64) -> f64 {
        let above = self.power.iter().enumerate().filter(|(k, _)| *k as f64 * self.df > hz);
        let all: f64 = self.power.iter().sum();
        if all > 0.0 { above.map(|(_, power)| power).sum::<f64>() / all } else { 0.0 }
    }
}

/// The padded length for `samples` samples.
fn size(samples: usize) -> usize {
    (PADDING * samples).min(FINE).max(samples).next_power_of_two()
}

/// The samples from the first to the last significant one; empty if all are zero.
fn trimmed(samples: &[f64]) -> &[f64] {
    let peak = largest(samples);
    let trimmed = |s: &f64| s.abs() > SILENCE * peak;
    match (samples.iter().position(trimmed), samples.iter().rposition(trimmed)) {
        (Some(first), Some(last)) => &samples[first..=last],
        _ => &[],
    }
}

/// The highest frequency, in Hz, with at least 5 % of the peak amplitude, for samples `dt` seconds
/// apart; 0 for silence.
pub(crate) fn highest_hz(samples: &[f64], dt: f64) -> f64 {
    let trimmed = trimmed(samples);
    if trimmed.is_empty() {
        return 0.0;
    }
    let size = size(trimmed.len());
    let highest = Coarse::of(trimmed, size).and_then(|coarse| coarse.highest());
    hz(highest.unwrap_or_else(|| Spectrum::of(trimmed, dt).highest()), size, dt)
}

/// The frequency of the largest amplitude, Hz, above 0.
pub(crate) fn peak_hz(samples: &[f64], dt: f64) -> f64 {
    hz(Spectrum::of(samples, dt).peak(), size(samples.len()), dt)
}

/// The dominant frequency of a recording, Hz: that of the largest amplitude or, of pulses of one sign
/// ([`is_of_one_sign`]), that of the largest amplitude of their derivative.
pub(crate) fn dominant_hz(samples: &[f64], dt: f64) -> f64 {
    let (spectrum, size) = (Spectrum::of(samples, dt), size(samples.len()));
    let peak = hz(spectrum.peak(), size, dt);
    match is_below_a_period(peak, samples.len(), dt) {
        true => hz(spectrum.peak_of_derivative(), size, dt),
        false => peak,
    }
}

/// True for pulses of one sign, or samples with an offset, whose amplitude falls from 0 Hz on: they
/// hold less than a period of the frequency of their largest amplitude.
pub(crate) fn is_of_one_sign(samples: &[f64], dt: f64) -> bool {
    is_below_a_period(peak_hz(samples, dt), samples.len(), dt)
}

fn is_below_a_period(hz: f64, samples: usize, dt: f64) -> bool {
    samples > 0 && hz * (samples as f64 * dt) < 1.0
}

/// [`peak_hz`] and [`highest_hz`], by one transform if trimming zeros does not change its length.
pub(crate) fn peak_and_highest_hz(samples: &[f64], dt: f64) -> (f64, f64) {
    let size = size(samples.len());
    let told = Coarse::of(samples, size).and_then(|coarse| coarse.peak_and_highest());
    let (peak, highest) = told.unwrap_or_else(|| {
        let fine = Spectrum::of(samples, dt);
        (fine.peak(), fine.highest())
    });
    let trimmed = trimmed(samples);
    let same = self::size(trimmed.len()) == size;
    (hz(peak, size, dt), if same { hz(highest, size, dt) } else { highest_hz(trimmed, dt) })
}

/// The frequency of a bin of a transform of `size` samples.
fn hz(bin: usize, size: usize, dt: f64) -> f64 {
    bin as f64 * (1.0 / (size as f64 * dt))
}

/// The length of the fine transform, and the bins of its largest amplitude and its highest
/// significant frequency.
#[cfg(test)]
pub(super) fn fine_bins(samples: &[f64]) -> (usize, (usize, usize)) {
    let fine = Spectrum::of(samples, 1.0);
    (size(samples.len()), (fine.peak(), fine.highest()))
}

/// The largest amplitude of samples in their own unit.
#[cfg(test)]
pub(super) fn fine_most(samples: &[f64]) -> f64 {
    let power = Spectrum::of(samples, 1.0).power;
    largest(samples) * power.into_iter().fold(0.0, f64::max).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acquisition::{Gaussian, Ricker, Wavelet};

    #[test]
    fn a_pulse_of_one_sign_has_the_dominant_frequency_of_its_derivative() {
        // f exp(-(f / 10 Hz)^2) is largest at 10 Hz / sqrt(2).
        let gaussian = Wavelet::Gaussian(Gaussian { derivative: 0, peak_hz: 10.0, delay: 0.4 });
        let samples = gaussian.samples(1e-3, 1200).expect("a Gaussian has samples");
        let found = dominant_hz(&samples, 1e-3);
        assert!((found - 50f64.sqrt()).abs() < 0.1, "{found}");
        assert!(is_of_one_sign(&samples, 1e-3));
        // Waves that swing keep the bits of their peak.
        let ricker = Wavelet::Ricker(Ricker { peak_hz: 10.0, delay: 0.4 });
        let samples = ricker.samples(1e-3, 1200).expect("a Ricker has samples");
        assert_eq!(dominant_hz(&samples, 1e-3), peak_hz(&samples, 1e-3));
        assert!(!is_of_one_sign(&samples, 1e-3));
    }

    #[test]
    fn a_ricker_reaches_to_2_4_of_its_peak() {
        // x^2 exp(1 - x^2) = 0.05 at x = 2.3984.
        for (peak_hz, dt, count) in [(8.0, 2e-3, 2000), (25.0, 1e-4, 5000), (5.0, 3.5e-3, 400)] {
            let ricker = Wavelet::Ricker(Ricker { peak_hz, delay: 1.5 / peak_hz });
            let samples = ricker.samples(dt, count).expect("a Ricker has samples");
            let ratio = highest_hz(&samples, dt) / peak_hz;
            assert!((ratio - 2.3984).abs() < 0.03, "{ratio}");
            let found = super::peak_hz(&samples, dt) / peak_hz;
            assert!((found - 1.0).abs() < 0.02, "{found}");
        }
    }

    #[test]
    fn one_transform_tells_what_two_do() {
        for (count, zeros) in [(3000, 0), (3000, 900), (300, 9000)] {
            let ricker = Wavelet::Ricker(Ricker { peak_hz: 15.0, delay: 0.1 });
            let mut samples = ricker.samples(1e-3, count).expect("a Ricker has samples");
            samples.resize(count + zeros, 0.0);
            let both = peak_and_highest_hz(&samples, 1e-3);
            let bins = [&samples[..], trimmed(&samples)].map(fine_bins);
            let [(size, (peak, _)), (trimmed, (_, highest))] = bins;
            assert_eq!(both, (hz(peak, size, 1e-3), hz(highest, trimmed, 1e-3)));
            assert_eq!(both.1, highest_hz(&samples, 1e-3));
        }
    }

    #[test]
    fn a_spike_reaches_to_the_nyquist_frequency_and_silence_nowhere() {
        assert_eq!(highest_hz(&[0.0, 0.0, 1.0, 0.0], 1e-3), 500.0);
        assert_eq!(highest_hz(&[0.0; 9], 1e-3), 0.0);
        assert_eq!(highest_hz(&[], 1e-3), 0.0);
    }

    #[test]
    fn energy_above_a_frequency_is_without_that_of_the_frequency() {
        // A spike has as much at each of five frequencies.
        let spectrum = Spectrum::of(&[1.0], 1e-3);
        for (hz, part) in [(-1.0, 1.0), (0.0, 0.8), (250.0, 0.4), (500.0, 0.0)] {
            assert!((spectrum.energy_above(hz) - part).abs() < 1e-12, "{hz}");
        }
    }
}
