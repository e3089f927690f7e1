//! Whitening: noise of uneven spectrum made equal at all frequencies.

use huygens_fourier::{self as fourier, Complex};
use ndarray::{Array2, ArrayView1};
use rayon::prelude::*;

/// Floor added to the noise's power, as a fraction of the recording's largest power, so that
/// frequencies without noise have a finite weight.
const FLOOR: f64 = 0.1;
/// Half the width over which spectra are smoothed, as a fraction of the dominant frequency.
const WIDTH: f64 = 0.3;

/// A zero-phase filter that whitens a noise (Aitken 1935: least squares then weigh data by their
/// accuracy).
#[derive(Clone, Debug)]
pub(super) struct Whitening {
    /// Factors by frequency, for a transform of that many samples.
    gain: Vec<f64>,
    /// Independent samples per trace of the whitened noise.
    pub(crate) independent: f64,
}

impl Whitening {
    /// From the spectrum of a noise, the mean of its traces, and that of the recording, both of
    /// shape `[receiver][time]`; `hz` is the dominant frequency, and samples are `interval` s
    /// apart.
    pub(crate) fn new(noise: &Array2<f32>, recorded: &Array2<f32>, hz: f64, interval: f64) -> Self {
        let samples = noise.ncols();
        let size = (2 * samples).next_power_of_two();
        let width = (WIDTH * hz * interval * size as f64).ceil() as usize;
        let [noise, all] = [noise, recorded].map(|gather| smoothed(&power(gather, size), width));
        let floor = FLOOR * all.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let gain: Vec<f64> = noise.iter().map(|noise| (noise + floor).sqrt().recip()).collect();
        let white = || noise.iter().zip(&gain).map(|(noise, gain)| noise * gain * gain);
        let (sum, squares) = white().fold((0.0, 0.0), |(a, b), w| (a + w, b + w * w));
        let part = if squares > 0.0 { sum * sum / squares / size as f64 } else { 1.0 };
        Whitening { gain, independent: part * samples as f64 }
    }

    /// A whitened gather, shape `[receiver][time]`.
    pub(crate) fn of(&self, gather: &Array2<f32>) -> Array2<f32> {
        let size = self.gain.len();
        let white = |trace: usize| -> Vec<f32> {
            let mut spectrum = spectrum(gather.row(trace), size);
            spectrum.iter_mut().zip(&self.gain).for_each(|(value, gain)| *value *= *gain);
            fourier::inverse(size).process(&mut spectrum);
            spectrum.iter().take(gather.ncols()).map(|v| (v.re / size as f64) as f32).collect()
        };
        let traces: Vec<f32> = (0..gather.nrows()).into_par_iter().flat_map_iter(white).collect();
        Array2::from_shape_vec(gather.dim(), traces).expect("as many samples as before")
    }
}

fn spectrum(trace: ArrayView1<'_, f32>, size: usize) -> Vec<Complex<f64>> {
    let mut values: Vec<_> = trace.iter().map(|v| Complex::from(f64::from(*v))).collect();
    values.resize(size, Complex::default());
    fourier::forward(size).process(&mut values);
    values
}

/// Power by frequency, summed over the traces in their order.
fn power(gather: &Array2<f32>, size: usize) -> Vec<f64> {
    let mut power = vec![0.0; size];
    for trace in gather.outer_iter() {
        let spectrum = spectrum(trace, size);
        power.iter_mut().zip(&spectrum).for_each(|(power, value)| *power += value.norm_sqr());
    }
    power
}

/// The mean over `width` frequencies to each side, cyclic.
fn smoothed(power: &[f64], width: usize) -> Vec<f64> {
    let (size, span) = (power.len(), 2 * width.min(power.len() / 2) + 1);
    let at = |k: usize| power[(k + size - span / 2) % size];
    let mut sum: f64 = (0..span).map(at).sum();
    let mut next = |k: usize| {
        let mean = sum / span as f64;
        sum += at(k + span) - at(k);
        mean.max(0.0)
    };
    (0..size).map(&mut next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acquisition::Recording;

    #[test]
    fn a_coloured_noise_becomes_white_down_to_the_floor() {
        let mut gather = Array2::zeros((40, 512));
        gather.column_mut(100).fill(1e-3);
        let recording = Recording { gather, interval: 4e-3, receivers: Vec::new() };
        let mut wave = recording.clone();
        wave.gather.outer_iter_mut().for_each(|mut trace| {
            trace.iter_mut().enumerate().for_each(|(n, v)| *v = (0.25 * n as f32).sin());
        });
        let noise = wave.with_noise(0.5).expect("a ratio").gather - &wave.gather;
        let whitening = Whitening::new(&noise, &noise, 10.0, 4e-3);
        let size = whitening.gain.len();
        let [before, after] =
            [&noise, &whitening.of(&noise)].map(|g| smoothed(&power(g, size), 20));
        // From 3 to 20 Hz.
        let band = 12..82;
        let spread = |power: &[f64]| {
            let band = &power[band.clone()];
            let most = band.iter().copied().fold(0.0, f64::max);
            most / band.iter().copied().fold(f64::INFINITY, f64::min)
        };
        assert!(spread(&before) > 4.0, "{}", spread(&before));
        assert!(spread(&after) < 0.6 * spread(&before), "{} {}", spread(&before), spread(&after));
        // A trace of 2 s and a band of some 20 Hz.
        assert!((30.0..120.0).contains(&whitening.independent), "{}", whitening.independent);
    }

    #[test]
    fn silence_stays_silent() {
        let silence = Array2::zeros((3, 100));
        let whitening = Whitening::new(&silence, &silence, 10.0, 4e-3);
        assert!(whitening.of(&silence).iter().all(|v| *v == 0.0));
    }
}
