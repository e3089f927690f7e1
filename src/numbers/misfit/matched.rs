//! The wavelet of observed traces, by least squares against modelled ones.
//!
//! With P the spectra of traces modelled with a wavelet S, and D those of the observed traces,
//!
//! ```text
//! A = sum conj(P) D / (sum |P|^2 + e max),    W = A S
//! ```
//!
//! where max is the largest sum |P|^2 of all frequencies (Pratt 1999, "Seismic waveform inversion in the frequency domain, Part
//! 1", Geophysics 64(3)). W is causal, has an end, and a band: frequencies that S does not have were not modelled.

use super::Likeness;
use crate::conditioning::taper::fade;
use huygens_fourier::{self as fourier, Complex};
use ndarray::Array2;
use rayon::prelude::*;

/// e: half of the amplitude is left where P has a thousandth of its largest.
const RIDGE: f64 = 1e-6;
/// The estimate falls to nothing at its highest frequency times this.
pub const FLANK: f64 = 4.0 / 3.0;
/// The part of the length over which its end falls to zero.
const TAPER: f64 = 0.25;
/// A given wavelet ends where it stays below this part of its largest sample.
const SILENCE: f64 = 1e-3;
/// The default length, times that of the given wavelet.
const LONGER: f64 = 2.0;
/// Amplitude of the given wavelet, over its largest, from which a frequency is in its band.
const IN_BAND: f64 = 0.05;
/// If a smaller part of the observed energy lies in that band, the traces are taken to hold no waves of the wavelet.
const FAINT: f64 = 1e-6;
/// Traces in a partial sum: always the same, so that the bits are.
const TOGETHER: usize = 32;

/// Reasons why traces do not give a wavelet.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum MatchError {
    #[error(
        "the observed traces are 0 wherever they count, so that they have no wavelet; give traces with waves, or a mute \
         and a taper that leave some"
    )]
    SilentObserved,
    #[error(
        "the modelled traces are 0 wherever the observed ones count, so that no wavelet can be estimated; simulate longer \
         (time.duration), or mute less"
    )]
    SilentModelled,
    #[error(
        "the observed traces have {part:.0e} of their energy from {from:.3} to {to:.3} Hz, the band of the job's wavelet, and an \
         estimate needs {FAINT:.0e}; give a wavelet of the band of the traces"
    )]
    OtherBand { part: f64, from: f64, to: f64 },
}

/// Modelled and observed traces of a shot, `[receiver][sample]`.
#[derive(Clone, Copy, Debug)]
pub struct TracePair<'a> {
    /// Modelled with the given wavelet.
    pub modelled: &'a Array2<f32>,
    /// Recorded.
    pub observed: &'a Array2<f32>,
    /// What each sample counts, if not all count alike.
    pub weights: Option<&'a Array2<f32>>,
}

/// The wavelet with which traces were modelled.
#[derive(Clone, Copy, Debug)]
pub struct GivenWavelet<'a> {
    /// s(n dt), as many as the run has steps.
    pub samples: &'a [f64],
    /// Seconds between them.
    pub dt: f64,
    /// Steps from a sample of the traces to the next.
    pub every: usize,
    /// The highest frequency of the estimate, Hz.
    pub highest: f64,
}

/// How an estimate is limited.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WaveletLimits {
    /// Seconds; by default twice the length of the given wavelet.
    pub length: Option<f64>,
    /// True for the energy and the polarity of the given wavelet.
    pub is_fixed: bool,
}

/// An estimated wavelet.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchedWavelet {
    /// At the times of the given one.
    pub samples: Vec<f64>,
    /// How traces modelled with the given wavelet compare with the observed ones.
    pub before: Likeness,
    /// The same with the estimate, predicted from its spectrum.
    pub after: Likeness,
}

/// The sums over traces that an estimate needs, from 0 Hz up.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchedSpectra {
    /// conj(P) D.
    cross: Vec<Complex<f64>>,
    /// |P|^2.
    modelled: Vec<f64>,
    /// |D|^2.
    observed: Vec<f64>,
}

/// A trace's transform is padded by its own length, so that its end does not wrap around.
fn padded(samples: usize) -> usize {
    (2 * samples.max(1)).next_power_of_two()
}

impl MatchedSpectra {
    /// Of no traces of so many samples.
    pub fn new(samples: usize) -> Self {
        let bins = padded(samples) / 2 + 1;
        let (modelled, observed) = (vec![0.0; bins], vec![0.0; bins]);
        MatchedSpectra { cross: vec![Complex::default(); bins], modelled, observed }
    }

    /// Bytes of the sums over traces of so many samples.
    pub fn bytes(samples: usize) -> u64 {
        (padded(samples) as u64 / 2 + 1) * 32
    }

    /// Of the traces of a shot, both weighed alike, and faded out over the last quarter: a wave that the end cuts has
    /// another spectrum with another wavelet.
    pub fn of(pair: TracePair<'_>) -> Self {
        let samples = pair.observed.ncols().min(pair.modelled.ncols());
        let window: Vec<f64> =
            (0..samples).map(|k| fade((samples - k) as f64, 0.25 * samples as f64)).collect();
        let rows: Vec<usize> = (0..pair.observed.nrows()).collect();
        let sums = |rows: &[usize]| {
            let mut sums = MatchedSpectra::new(samples);
            rows.iter().for_each(|row| sums.add_trace(pair, *row, &window));
            sums
        };
        let parts: Vec<_> = rows.par_chunks(TOGETHER).map(sums).collect();
        let mut all = MatchedSpectra::new(samples);
        parts.iter().for_each(|part| all.add(part));
        all
    }

    fn add_trace(&mut self, pair: TracePair<'_>, row: usize, window: &[f64]) {
        let weight = |k: usize| pair.weights.map_or(1.0, |of| f64::from(of[[row, k]]));
        let spectrum = |of: &Array2<f32>| {
            let transform = fourier::real(padded(window.len()));
            let mut padded = transform.make_input_vec();
            let samples = padded.iter_mut().zip(window).enumerate();
            samples.for_each(|(k, (to, fade))| *to = fade * weight(k) * f64::from(of[[row, k]]));
            let mut spectrum = transform.make_output_vec();
            transform.process(&mut padded, &mut spectrum).expect("vectors of its lengths");
            spectrum
        };
        let both = spectrum(pair.modelled).into_iter().zip(spectrum(pair.observed));
        for (k, (p, d)) in both.enumerate() {
            self.cross[k] += p.conj() * d;
            self.modelled[k] += p.norm_sqr();
            self.observed[k] += d.norm_sqr();
        }
    }

    /// Adds the sums of other traces of as many samples.
    pub fn add(&mut self, other: &Self) {
        self.cross.iter_mut().zip(&other.cross).for_each(|(to, of)| *to += of);
        self.modelled.iter_mut().zip(&other.modelled).for_each(|(to, of)| *to += of);
        self.observed.iter_mut().zip(&other.observed).for_each(|(to, of)| *to += of);
    }

    /// The wavelet with which the modelled traces come nearest to the observed ones.
    ///
    /// # Errors
    ///
    /// If either traces are silent, or the observed ones in the band of the given wavelet.
    pub fn wavelet(
        &self,
        given: GivenWavelet<'_>,
        limits: WaveletLimits,
    ) -> Result<MatchedWavelet, MatchError> {
        let largest = |of: &[f64]| of.iter().copied().fold(0.0, f64::max);
        if largest(&self.observed) == 0.0 {
            return Err(MatchError::SilentObserved);
        }
        let most = largest(&self.modelled);
        if most == 0.0 {
            return Err(MatchError::SilentModelled);
        }
        let spectrum = self.spectrum_of(given.samples, given.every);
        self.check_band(&spectrum, given)?;
        let filter: Vec<Complex<f64>> = (0..self.cross.len())
            .map(|k| self.cross[k] / (self.modelled[k] + RIDGE * most) * self.gain(k, given))
            .collect();
        let mut samples = self.filtered(&filter, &spectrum, given);
        limit(&mut samples, given, limits.length);
        if limits.is_fixed {
            scale_as(&mut samples, given.samples);
        }
        let ridge = RIDGE * largest(&spectrum.iter().map(Complex::norm_sqr).collect::<Vec<_>>());
        let limited = self.spectrum_of(&samples, given.every);
        let ratio = limited.iter().zip(&spectrum);
        let ratio: Vec<_> = ratio.map(|(w, s)| w * s.conj() / (s.norm_sqr() + ridge)).collect();
        let none = vec![Complex::from(1.0); ratio.len()];
        let (before, after) = (self.likeness(&none), self.likeness(&ratio));
        Ok(MatchedWavelet { samples, before, after })
    }

    /// Hz of a frequency.
    fn hz(&self, bin: usize, given: GivenWavelet<'_>) -> f64 {
        bin as f64 / (2.0 * (self.cross.len() - 1) as f64 * given.every as f64 * given.dt)
    }

    /// 1 up to the highest frequency, 0 above its flank and at the Nyquist frequency of the traces.
    fn gain(&self, bin: usize, given: GivenWavelet<'_>) -> f64 {
        let GivenWavelet { highest, .. } = given;
        match bin + 1 < self.cross.len() {
            true => fade(FLANK * highest - self.hz(bin, given), (FLANK - 1.0) * highest),
            false => 0.0,
        }
    }

    /// The spectrum of a wavelet at the frequencies of the traces.
    fn spectrum_of(&self, samples: &[f64], every: usize) -> Vec<Complex<f64>> {
        let mut spectrum = self.transform_of(samples, every);
        spectrum.truncate(self.cross.len());
        spectrum
    }

    /// The whole transform of a wavelet that has so many samples for each of the traces.
    fn transform_of(&self, samples: &[f64], every: usize) -> Vec<Complex<f64>> {
        let size = 2 * (self.cross.len() - 1) * every;
        let mut spectrum: Vec<_> = samples.iter().take(size).map(Complex::from).collect();
        spectrum.resize(size, Complex::default());
        fourier::forward(size).process(&mut spectrum);
        spectrum
    }

    /// A wavelet from its spectrum and a filter.
    fn filtered(
        &self,
        filter: &[Complex<f64>],
        spectrum: &[Complex<f64>],
        given: GivenWavelet<'_>,
    ) -> Vec<f64> {
        let size = 2 * (self.cross.len() - 1) * given.every;
        let mut whole = vec![Complex::default(); size];
        for (k, (a, s)) in filter.iter().zip(spectrum).enumerate() {
            let value = a * s / size as f64;
            whole[k] = value;
            if k > 0 {
                whole[size - k] = value.conj();
            }
        }
        fourier::inverse(size).process(&mut whole);
        whole.iter().take(given.samples.len()).map(|value| value.re).collect()
    }

    /// Returns an error for observed traces without waves in the band of a wavelet.
    fn check_band(
        &self,
        spectrum: &[Complex<f64>],
        given: GivenWavelet<'_>,
    ) -> Result<(), MatchError> {
        let most = spectrum.iter().map(|s| s.norm()).fold(0.0, f64::max);
        let is_in = |s: &Complex<f64>| s.norm() >= IN_BAND * most;
        let first = spectrum.iter().position(is_in).unwrap_or(0);
        let last = spectrum.iter().rposition(is_in).unwrap_or(0);
        let all: f64 = self.observed.iter().sum();
        let part = self.observed[first..=last].iter().sum::<f64>() / all;
        match part < FAINT {
            true => {
                let [from, to] = [first, last].map(|bin| self.hz(bin, given));
                Err(MatchError::OtherBand { part, from, to })
            }
            false => Ok(()),
        }
    }

    /// How the observed traces compare with the modelled ones after a filter.
    fn likeness(&self, filter: &[Complex<f64>]) -> Likeness {
        let modelled = filter.iter().zip(&self.modelled).map(|(a, p)| a.norm_sqr() * p).sum();
        let both = filter.iter().zip(&self.cross).map(|(a, c)| (a.conj() * c).re).sum();
        Likeness { modelled, observed: self.observed.iter().sum(), both }
    }
}

/// Makes the end of a wavelet zero.
fn limit(samples: &mut [f64], given: GivenWavelet<'_>, length: Option<f64>) {
    let GivenWavelet { samples: of, dt, .. } = given;
    let largest = of.iter().fold(0.0f64, |most, s| most.max(s.abs()));
    let last = of.iter().rposition(|s| s.abs() > SILENCE * largest).unwrap_or(0);
    let whole = samples.len() as f64 * dt;
    let length = length.unwrap_or(LONGER * (last + 1) as f64 * dt).min(whole);
    for (n, sample) in samples.iter_mut().enumerate() {
        *sample *= fade(length - n as f64 * dt, TAPER * length);
    }
}

/// Gives a wavelet the energy and the polarity of another.
fn scale_as(samples: &mut [f64], given: &[f64]) {
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let energy = product(samples, samples);
    if energy > 0.0 {
        let size = (product(given, given) / energy).sqrt();
        let factor = if product(samples, given) < 0.0 { -size } else { size };
        samples.iter_mut().for_each(|sample| *sample *= factor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    const DT: f64 = 1e-3;
    const EVERY: usize = 4;
    const SAMPLES: usize = 500;
    const FACTOR: f64 = 100.0;
    /// 3 % of the largest amplitude are left there.
    const HIGHEST: f64 = 18.0;

    /// A wavelet of 10 Hz by the sum of its frequencies, whose amplitude is `x^6 exp(-3 x^2)` at 10 x Hz, turned by an angle.
    fn wavelet(at: f64, angle: f64) -> Vec<f64> {
        let (dx, peak_hz) = (1e-2, 10.0);
        let all: Vec<(f64, f64)> = (0..350)
            .map(|k| k as f64 * dx)
            .map(|x| (x, x.powi(6) * (-3.0 * x * x).exp()))
            .collect();
        let sum: f64 = all.iter().map(|(_, amplitude)| amplitude).sum();
        let value = |t: f64| {
            let phase = |x: f64| (2.0 * PI * peak_hz * x * t + angle).cos();
            all.iter().map(|(x, amplitude)| amplitude * phase(*x)).sum::<f64>() / sum
        };
        (0..SAMPLES * EVERY).map(|n| value(n as f64 * DT - at)).collect()
    }

    fn given(at: f64) -> Vec<f64> {
        wavelet(at, 0.0)
    }

    /// 100 times as strong, and turned by 30 degrees.
    fn turned(at: f64) -> Vec<f64> {
        wavelet(at, PI / 6.0).into_iter().map(|sample| FACTOR * sample).collect()
    }

    /// Traces of a source with an echo each, every fourth sample.
    fn traces(wavelet: impl Fn(f64) -> Vec<f64>) -> Array2<f32> {
        let row = |r: usize| {
            let [direct, echo] = [wavelet(0.4 + 0.05 * r as f64), wavelet(0.7 + 0.03 * r as f64)];
            (0..SAMPLES).map(move |k| (direct[k * EVERY] - 0.4 * echo[k * EVERY]) as f32)
        };
        let all: Vec<f32> = (0..4).flat_map(row).collect();
        Array2::from_shape_vec((4, SAMPLES), all).expect("as many")
    }

    fn estimate(pair: TracePair<'_>, limits: WaveletLimits) -> Result<MatchedWavelet, MatchError> {
        let samples = &given(0.3);
        let given = GivenWavelet { samples, dt: DT, every: EVERY, highest: HIGHEST };
        MatchedSpectra::of(pair).wavelet(given, limits)
    }

    fn of_observed(
        observed: &Array2<f32>,
        limits: WaveletLimits,
    ) -> Result<MatchedWavelet, MatchError> {
        let modelled = &traces(given);
        estimate(TracePair { modelled, observed, weights: None }, limits)
    }

    /// The largest difference of the spectra of two wavelets in the band, over the largest of the second.
    fn off(one: &[f64], other: &[f64]) -> f64 {
        let sums = MatchedSpectra::new(SAMPLES);
        let given = GivenWavelet { samples: one, dt: DT, every: EVERY, highest: HIGHEST };
        let [one, other] = [one, other].map(|of| sums.spectrum_of(of, EVERY));
        let most = other.iter().map(|s| s.norm()).fold(0.0, f64::max);
        let in_band = (0..one.len()).filter(|bin| sums.hz(*bin, given) <= HIGHEST);
        in_band.map(|bin| (one[bin] - other[bin]).norm() / most).fold(0.0, f64::max)
    }

    #[test]
    fn a_wavelet_of_another_phase_and_size_is_found() {
        let found = of_observed(&traces(turned), WaveletLimits::default()).expect("waves");
        let error = off(&found.samples, &turned(0.3));
        println!("{error:.1e}");
        assert!(error < 1e-3, "{error:e}");
        let (before, after) = (found.before, found.after);
        // The cosine of 30 degrees.
        let correlation = before.correlation().expect("both traces have energy");
        assert!((correlation - 0.866).abs() < 1e-3, "{before}");
        assert!(
            (after.correlation().expect("both traces have energy") - 1.0).abs() < 1e-4,
            "{after}"
        );
        assert!((after.factor().expect("both traces have energy") - 1.0).abs() < 1e-3, "{after}");
        // Tests the test: one that is turned the other way is far off.
        let other: Vec<_> = wavelet(0.3, -PI / 6.0).iter().map(|sample| FACTOR * sample).collect();
        assert!(off(&other, &turned(0.3)) > 0.9);
    }

    #[test]
    fn its_energy_and_polarity_may_be_those_of_the_given_one() {
        let observed = traces(turned).mapv(|sample| -sample);
        let limits = WaveletLimits { is_fixed: true, ..WaveletLimits::default() };
        let found = of_observed(&observed, limits).expect("waves").samples;
        assert!(off(&found, &wavelet(0.3, PI / 6.0)) < 2e-3);
    }

    #[test]
    fn samples_count_by_their_weights_and_an_estimate_has_an_end() {
        let (modelled, mut observed) = (traces(given), traces(turned));
        observed.row_mut(2).fill(1e5);
        let mut weights = Array2::ones(observed.dim());
        weights.row_mut(2).fill(0.0);
        let pair = TracePair { modelled: &modelled, observed: &observed, weights: Some(&weights) };
        let limits = WaveletLimits { length: Some(0.6), is_fixed: false };
        let found = estimate(pair, limits).expect("waves").samples;
        assert!(off(&found, &turned(0.3)) < 5e-3, "{}", off(&found, &turned(0.3)));
        assert!(found[600..].iter().all(|sample| *sample == 0.0) && found[590] != 0.0);
    }

    #[test]
    fn silence_and_another_band_are_refused() {
        let (none, silent, sound) =
            (WaveletLimits::default(), Array2::zeros((4, SAMPLES)), traces(given));
        assert_eq!(of_observed(&silent, none), Err(MatchError::SilentObserved));
        let pair = TracePair { modelled: &silent, observed: &sound, weights: None };
        assert_eq!(estimate(pair, none), Err(MatchError::SilentModelled));
        let high = |at: f64| -> Vec<f64> {
            let of = |n: usize| {
                let t = n as f64 * DT - at;
                (2.0 * PI * 90.0 * t).cos() * (-(t / 0.05).powi(2)).exp()
            };
            (0..SAMPLES * EVERY).map(of).collect()
        };
        let refused = of_observed(&traces(high), none).expect_err("another band").to_string();
        assert!(refused.contains("the band of the job's wavelet"), "{refused}");
    }
}
