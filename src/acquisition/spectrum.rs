//! The spectrum of a wavelet: where it is largest, and how high it reaches.

use super::fourier;

/// What is significant of an amplitude spectrum, of its peak: less adds less than a twentieth to what is
/// seen. A Ricker wavelet falls to it at 2.4 times its peak frequency.
const SIGNIFICANT: f64 = 0.05;
/// Samples below this part of the largest are none: a Ricker wavelet has no end.
const SILENCE: f64 = 1e-9;
/// Zeros after samples, in their lengths, so that their spectrum is sampled finely; long ones need none.
const PADDING: usize = 8;
/// What a spectrum is padded to at the most, samples.
const FINE: usize = 1 << 15;

/// |S|^2 of samples, from 0 Hz to the Nyquist frequency.
pub struct Spectrum {
    power: Vec<f64>,
    /// Hz from one to the next.
    df: f64,
}

impl Spectrum {
    /// Of samples `dt` seconds apart.
    pub fn of(samples: &[f64], dt: f64) -> Self {
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

    /// Where it is largest, Hz, above 0.
    pub fn peak_hz(&self) -> f64 {
        let power = |i: &usize| self.power[*i];
        let strongest = (1..self.power.len()).max_by(|a, b| power(a).total_cmp(&power(b)));
        strongest.unwrap_or(1) as f64 * self.df
    }

    /// The highest frequency, Hz, at which its root is still 5 % of its peak.
    pub fn highest_hz(&self) -> f64 {
        let most = self.power.iter().copied().fold(0.0, f64::max);
        let highest = self.power.iter().rposition(|p| *p >= SIGNIFICANT * SIGNIFICANT * most);
        highest.unwrap_or(0) as f64 * self.df
    }

    /// The part of the energy above a frequency, Hz.
    pub fn energy_above(&self, hz: f64) -> f64 {
        let above = self.power.iter().enumerate().filter(|(k, _)| *k as f64 * self.df > hz);
        let all: f64 = self.power.iter().sum();
        if all > 0.0 { above.map(|(_, power)| power).sum::<f64>() / all } else { 0.0 }
    }
}

/// The length at which the spectrum of so many samples is looked at.
fn size(samples: usize) -> usize {
    (PADDING * samples).min(FINE).max(samples).next_power_of_two()
}

/// The largest sample, without its sign.
fn largest(samples: &[f64]) -> f64 {
    samples.iter().fold(0.0f64, |largest, s| largest.max(s.abs()))
}

/// The samples from the first to the last that is heard; none of silence.
fn heard(samples: &[f64]) -> &[f64] {
    let peak = largest(samples);
    let heard = |s: &f64| s.abs() > SILENCE * peak;
    match (samples.iter().position(heard), samples.iter().rposition(heard)) {
        (Some(first), Some(last)) => &samples[first..=last],
        _ => &[],
    }
}

/// The highest frequency, in Hz, at which the amplitude spectrum of samples `dt` seconds apart is still 5 %
/// of its peak; 0 for silence.
pub fn highest_hz(samples: &[f64], dt: f64) -> f64 {
    match heard(samples) {
        [] => 0.0,
        heard => Spectrum::of(heard, dt).highest_hz(),
    }
}

/// The frequency of the largest amplitude and [`highest_hz`], by one transform where silence makes no difference to its length.
pub fn peak_and_highest_hz(samples: &[f64], dt: f64) -> (f64, f64) {
    let spectrum = Spectrum::of(samples, dt);
    let heard = heard(samples);
    let highest = match size(heard.len()) == size(samples.len()) {
        true => spectrum.highest_hz(),
        false => highest_hz(heard, dt),
    };
    (spectrum.peak_hz(), highest)
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
    fn one_transform_tells_what_two_do() {
        for (count, zeros) in [(3000, 0), (3000, 900), (300, 9000)] {
            let ricker = Wavelet::Ricker(Ricker { peak_hz: 15.0, delay: 0.1 });
            let mut samples = ricker.samples(1e-3, count).expect("a Ricker has samples");
            samples.resize(count + zeros, 0.0);
            let peak = Spectrum::of(&samples, 1e-3).peak_hz();
            assert_eq!(peak_and_highest_hz(&samples, 1e-3), (peak, highest_hz(&samples, 1e-3)));
        }
    }

    #[test]
    fn a_spike_reaches_to_the_nyquist_frequency_and_silence_nowhere() {
        assert_eq!(highest_hz(&[0.0, 0.0, 1.0, 0.0], 1e-3), 500.0);
        assert_eq!(highest_hz(&[0.0; 9], 1e-3), 0.0);
        assert_eq!(highest_hz(&[], 1e-3), 0.0);
    }
}
