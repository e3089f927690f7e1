//! The band of a wavelet, as a filter that delays nothing.

use super::fourier;
use rustfft::num_complex::Complex;

/// A filter with the amplitude spectrum of a wavelet and no phase: a spike becomes the wavelet without its delay where
/// that is symmetric, as a Ricker wavelet is, and else the symmetric wavelet of the same spectrum. Its gain is 1 where
/// the spectrum is largest, so that what is filtered keeps its unit and does not depend on the sampling.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    /// Of each frequency of a transform as long as this.
    gain: Vec<f64>,
    /// Samples of the traces.
    count: usize,
}

impl Band {
    /// Of a wavelet's samples, for traces of `count` samples at the same interval; `None` of silence.
    pub fn new(wavelet: &[f64], count: usize) -> Option<Self> {
        // So much longer that what leaves a trace at one end does not come in at the other.
        let size = (count + wavelet.len().max(count)).next_power_of_two();
        let mut spectrum: Vec<Complex<f64>> = wavelet.iter().map(|s| s.into()).collect();
        spectrum.resize(size, Complex::default());
        fourier::forward(size).process(&mut spectrum);
        let gain: Vec<f64> = spectrum.iter().map(|s| s.norm()).collect();
        let largest = gain.iter().copied().fold(0.0, f64::max);
        let sound = largest > 0.0 && largest.is_finite();
        sound.then(|| Band { gain: gain.iter().map(|g| g / largest).collect(), count })
    }

    /// A trace within the band, as long as before.
    pub fn pass(&self, trace: impl IntoIterator<Item = f64>) -> Vec<f64> {
        let size = self.gain.len();
        let mut spectrum: Vec<Complex<f64>> =
            trace.into_iter().take(self.count).map(Complex::from).collect();
        let kept = spectrum.len();
        spectrum.resize(size, Complex::default());
        fourier::forward(size).process(&mut spectrum);
        // The transform there and back is not normalised.
        let scaled = spectrum.iter_mut().zip(&self.gain);
        scaled.for_each(|(value, gain)| *value *= gain / size as f64);
        fourier::inverse(size).process(&mut spectrum);
        spectrum[..kept].iter().map(|value| value.re).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acquisition::{Ormsby, Ricker, Wavelet};

    const DT: f64 = 2e-3;

    fn spike_through(wavelet: &Wavelet) -> Vec<f64> {
        let samples = wavelet.samples(DT, 400).expect("samples");
        let spike = |n| if n == 200 { 1.0 } else { 0.0 };
        Band::new(&samples, 500).expect("it sounds").pass((0..500).map(spike))
    }

    #[test]
    fn a_spike_becomes_the_wavelet_without_its_delay() {
        let ricker = Ricker { peak_hz: 12.0, delay: 0.13 };
        let passed = spike_through(&Wavelet::Ricker(ricker));
        let largest = passed[200];
        for (n, value) in passed.iter().enumerate() {
            let expected = ricker.at((n as f64 - 200.0) * DT + ricker.delay);
            assert!((value / largest - expected).abs() < 1e-4, "{n}: {value}");
        }
        // The integral of a Ricker wavelet times its phase is 2 / (sqrt(pi) e f) at the peak.
        let gain = 2.0 / (std::f64::consts::PI.sqrt() * std::f64::consts::E * 12.0);
        assert!((largest - DT / gain).abs() < 1e-3 * largest, "{largest}");
    }

    #[test]
    fn a_band_has_its_largest_value_at_the_spike_and_is_symmetric() {
        let corners_hz = [4.0, 8.0, 20.0, 30.0];
        let ormsby = Ormsby { corners_hz, delay: Ormsby::delay(corners_hz) };
        let passed = spike_through(&Wavelet::Ormsby(ormsby));
        assert!(passed.iter().all(|value| *value <= passed[200]));
        assert!((1..200).all(|n| (passed[200 + n] - passed[200 - n]).abs() < 1e-9));
        assert_eq!(Band::new(&[0.0; 9], 9), None);
    }
}
