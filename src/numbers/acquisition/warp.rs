//! Series whose spectra are read at mapped frequencies.

use huygens_fourier::{self as fourier, Complex, Fft};
use std::{
    array,
    f64::consts::{PI, TAU},
    sync::Arc,
};

/// Maps series x to y with Y(phi) = X(map(phi)), phi in radians per sample from -pi to pi. If the
/// map is odd, two real series can be the real and the imaginary part of one.
///
/// The spectrum is sampled twice as finely as a series of its length needs, and interpolated with
/// the kernel `exp(beta (sqrt(1 - z^2) - 1))`, to 1e-10 of its largest value (Barnett, Magland and
/// af Klinteberg 2019, "A parallel nonuniform fast Fourier transform library", SIAM Journal on
/// Scientific Computing 41).
pub(super) struct Warp {
    /// Samples of a series.
    count: usize,
    /// The frequency that each frequency of an FFT reads, radians per sample; `None`: dropped.
    from: Vec<Option<f64>>,
    /// Factors per sample that compensate the kernel.
    gain: Vec<f64>,
    forward: Arc<dyn Fft<f64>>,
    inverse: Arc<dyn Fft<f64>>,
}

/// Interpolates a value between the samples of a spectrum.
struct Read {
    weights: [f64; TAPS],
    places: [usize; TAPS],
    /// The phase that moves time 0 from the middle sample to the first, over the length of the FFT.
    turn: Complex<f64>,
}

/// Samples of the spectrum per interpolated value, and the beta that the paper recommends for that.
const TAPS: usize = 12;
const BETA: f64 = 2.3 * TAPS as f64;

/// Half of the kernel's width, in samples of the spectrum.
const REACH: f64 = 0.5 * TAPS as f64;

/// Minimum ratio of samples of the spectrum to samples of the series.
const FINER: usize = 2;

/// The kernel at a distance, in samples of the spectrum.
fn kernel(x: f64) -> f64 {
    let inside = 1.0 - (x / REACH).powi(2);
    if inside < 0.0 { 0.0 } else { (BETA * (inside.sqrt() - 1.0)).exp() }
}

/// The integral of the kernel times cos(turn x). With x = REACH sin a it is smooth and vanishes at
/// its ends, so the rectangle rule is exact to rounding.
fn transform(turn: f64) -> f64 {
    const NODES: usize = 64;
    let at = |k: usize| {
        let (sin, cos) = (PI * ((k as f64 + 0.5) / NODES as f64 - 0.5)).sin_cos();
        kernel(REACH * sin) * (turn * REACH * sin).cos() * cos
    };
    // Even in a.
    let sum: f64 = (NODES / 2..NODES).map(at).sum();
    2.0 * sum * REACH * PI / NODES as f64
}

/// A length with a fast FFT, not much above the least.
fn fast(least: usize) -> usize {
    let sizes = [1, 3, 5, 9, 15].map(|odd| odd * least.div_ceil(odd).next_power_of_two());
    sizes.into_iter().min().unwrap_or(least)
}

impl Warp {
    /// For series of `count` samples, at least 1. The map is odd; `None` drops a frequency.
    pub(super) fn new(count: usize, map: impl Fn(f64) -> Option<f64>) -> Self {
        let size = fast(FINER * count);
        let phi = |k: usize| TAU * k as f64 / size as f64;
        let from = (0..size).map(|k| match 2 * k {
            // At the Nyquist frequency a warped spectrum need not be real.
            twice if twice == size => None,
            twice if twice < size => map(phi(k)),
            _ => map(phi(size - k)).map(|phi| -phi),
        });
        let middle = (count / 2) as f64;
        let gain = (0..count).map(|n| 1.0 / transform(TAU * (n as f64 - middle) / size as f64));
        Warp {
            count,
            from: from.collect(),
            gain: gain.collect(),
            forward: fourier::forward(size),
            inverse: fourier::inverse(size),
        }
    }

    /// Samples of an output series: at least twice as many as in the input.
    pub(super) fn size(&self) -> usize {
        self.from.len()
    }

    /// Warps several series of `count` samples each, which share the kernel's values; each result
    /// has [`Warp::size`] samples.
    pub(super) fn apply(&self, series: &[Vec<Complex<f64>>]) -> Vec<Vec<Complex<f64>>> {
        let spectra: Vec<_> = series.iter().map(|series| self.spectrum(series)).collect();
        let mut warped = vec![vec![Complex::default(); self.size()]; series.len()];
        for (k, Read { weights, places, turn }) in self.reads() {
            for (spectrum, warped) in spectra.iter().zip(&mut warped) {
                let taps =
                    weights.iter().zip(places).map(|(weight, place)| spectrum[place] * weight);
                warped[k] = turn * taps.sum::<Complex<f64>>();
            }
        }
        warped.iter_mut().for_each(|warped| self.inverse.process(warped));
        warped
    }

    /// The adjoint of [`Warp::apply`] for several series of at most [`Warp::size`] samples; each
    /// result has `count` samples.
    pub(super) fn apply_adjoint(&self, series: &[Vec<Complex<f64>>]) -> Vec<Vec<Complex<f64>>> {
        // The adjoint of an FFT is its inverse, and that of interpolation is spreading.
        let spectra: Vec<_> = series
            .iter()
            .map(|series| {
                let mut spectrum = series.clone();
                spectrum.resize(self.size(), Complex::default());
                self.forward.process(&mut spectrum);
                spectrum
            })
            .collect();
        let mut spread = vec![vec![Complex::default(); self.size()]; series.len()];
        for (k, Read { weights, places, turn }) in self.reads() {
            for (spectrum, spread) in spectra.iter().zip(&mut spread) {
                let value = turn.conj() * spectrum[k];
                for (weight, place) in weights.iter().zip(places) {
                    spread[place] += value * weight;
                }
            }
        }
        spread
            .into_iter()
            .map(|mut spread| {
                self.inverse.process(&mut spread);
                let at = |n: usize| spread[self.place(n as isize - (self.count / 2) as isize)];
                self.gain.iter().enumerate().map(|(n, gain)| at(n) * gain).collect()
            })
            .collect()
    }

    /// How the spectrum is read for each frequency of an FFT that is kept.
    fn reads(&self) -> impl Iterator<Item = (usize, Read)> + '_ {
        let all = self.from.iter().enumerate();
        all.filter_map(|(k, from)| Some((k, self.read((*from)?))))
    }

    /// How the spectrum is read at a frequency.
    fn read(&self, phi: f64) -> Read {
        let x = phi / TAU * self.size() as f64;
        let first = (x - REACH).ceil();
        Read {
            weights: array::from_fn(|j| kernel(x - first - j as f64)),
            places: array::from_fn(|j| self.place(first as isize + j as isize)),
            turn: Complex::from_polar(1.0 / self.size() as f64, -phi * (self.count / 2) as f64),
        }
    }

    /// The fine spectrum of a series, with its middle sample at 0.
    fn spectrum(&self, series: &[Complex<f64>]) -> Vec<Complex<f64>> {
        let mut spectrum = vec![Complex::default(); self.size()];
        for (n, (value, gain)) in series.iter().zip(&self.gain).enumerate() {
            let place = self.place(n as isize - (self.count / 2) as isize);
            spectrum[place] = value * gain;
        }
        self.forward.process(&mut spectrum);
        spectrum
    }

    /// The index in an FFT of an index that may be negative.
    fn place(&self, index: isize) -> usize {
        index.rem_euclid(self.size() as isize) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pulse(count: usize, middle: f64) -> Vec<Complex<f64>> {
        let at = |n: usize| (-((n as f64 - middle) / 6.0).powi(2)).exp() * (0.4 * n as f64).cos();
        (0..count).map(|n| Complex::new(at(n), -2.0 * at(n))).collect()
    }

    /// Y(phi) by its definition.
    fn exact(series: &[Complex<f64>], size: usize, map: impl Fn(f64) -> f64) -> Vec<Complex<f64>> {
        let spectrum: Vec<(f64, Complex<f64>)> = (0..size)
            .filter(|k| 2 * k != size)
            .map(|k| {
                let phi = TAU * k as f64 / size as f64;
                let phi = if 2 * k < size { phi } else { phi - TAU };
                let turn = |n: usize| Complex::from_polar(1.0, -map(phi) * n as f64);
                (phi, series.iter().enumerate().map(|(n, x)| x * turn(n)).sum())
            })
            .collect();
        let at = |n: usize| -> Complex<f64> {
            let turn = |phi: f64| Complex::from_polar(1.0 / size as f64, phi * n as f64);
            spectrum.iter().map(|(phi, y)| y * turn(*phi)).sum()
        };
        (0..size).map(at).collect()
    }

    #[test]
    fn a_warped_spectrum_follows_its_definition() {
        for (count, slope) in [(100, 1.0), (100, 0.93), (73, 1.04), (1, 1.0)] {
            let series = pulse(count, 40.0);
            let warp = Warp::new(count, |phi| Some(slope * phi));
            let ours = warp.apply(std::slice::from_ref(&series)).remove(0);
            let exact = exact(&series, warp.size(), |phi| slope * phi);
            let error = ours.iter().zip(&exact).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
            println!("{count} samples, slope {slope}: {error:.1e}");
            assert!(error < 1e-9, "{count} samples, slope {slope}: {error:e}");
        }
    }

    /// <W x, y> = <x, W' y>, for any x and y.
    #[test]
    fn a_warp_has_its_adjoint() {
        let warp = Warp::new(73, |phi| (phi < 2.5).then_some(1.04 * phi));
        let series = |count: usize, turn: f64| -> Vec<Complex<f64>> {
            (0..count).map(|n| Complex::from_polar(1.0, turn * (n * n) as f64)).collect()
        };
        let (x, y) = (series(73, 0.7), series(warp.size(), 1.1));
        let there = warp.apply(std::slice::from_ref(&x)).remove(0);
        let back = warp.apply_adjoint(std::slice::from_ref(&y)).remove(0);
        let product = |a: &[Complex<f64>], b: &[Complex<f64>]| -> Complex<f64> {
            a.iter().zip(b).map(|(a, b)| a.conj() * b).sum()
        };
        let (forward, adjoint) = (product(&there, &y), product(&x, &back));
        assert!((forward - adjoint).norm() < 1e-13 * forward.norm(), "{forward} {adjoint}");
    }

    #[test]
    fn sizes_are_of_small_factors() {
        for (least, size) in [(1, 1), (2, 2), (3, 3), (5002, 5120), (6000, 6144), (8193, 9216)] {
            assert_eq!(fast(least), size);
        }
    }

    #[test]
    fn real_series_ride_together() {
        let series = pulse(80, 30.0);
        let warp = Warp::new(80, |phi| Some(2.0 * (0.5 * phi).sin()));
        let real = |part: fn(&Complex<f64>) -> f64| -> Vec<f64> {
            let alone: Vec<Complex<f64>> = series.iter().map(|x| part(x).into()).collect();
            let out = warp.apply(&[alone]).remove(0);
            assert!(out.iter().all(|y| y.im.abs() < 1e-9));
            out.iter().map(|y| y.re).collect()
        };
        let together = warp.apply(std::slice::from_ref(&series)).remove(0);
        let parts = real(|x| x.re).into_iter().zip(real(|x| x.im));
        for (y, (re, im)) in together.iter().zip(parts) {
            assert!((y - Complex::new(re, im)).norm() < 1e-9);
        }
    }
}
