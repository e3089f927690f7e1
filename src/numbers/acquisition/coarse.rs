//! The peak of a fine spectrum and its highest significant frequency, from a transform of a quarter
//! or half its length.
//!
//! If samples fill at most half of a transform, their spectrum is smooth from bin to bin: between
//! two bins it is a sum over the nearest ones on both sides, by a sinc under a Kaiser window
//! (Kaiser 1974), to [`ERROR`]. So a fine bin can be computed, or bounded by its neighbours. If
//! that does not decide, the result is `None`, and the caller uses the fine transform.

use super::kaiser;
use crate::simd::dispatch;
use huygens_fourier::{self as fourier, Complex};
use pulp::{Arch, Simd, WithSimd};
use std::sync::OnceLock;

/// Bins on each side for interpolation, and the window's beta.
const WING: usize = 12;
const BETA: f64 = 18.8;
/// Error of an interpolated bin, relative to the sum of the samples' absolute values. The test
/// below finds 2.9e-9; the difference is more than the rounding of two transforms.
const ERROR: f64 = 4e-9;
/// Coarse bins that are computed or skipped as a block; the wing of one ends in the next block.
const BLOCK: usize = 16;
/// Real and imaginary parts of the bins that a block is interpolated from.
const NEAR: usize = 2 * (BLOCK + 2 * WING - 1);
/// The most blocks to compute: more take as long as the fine transform.
const MOST_BLOCKS: usize = 64;
/// The smallest significant amplitude, relative to the peak: anything less is under a twentieth of
/// the visible signal. A Ricker wavelet falls to it at 2.4 times its peak frequency.
pub(super) const SIGNIFICANT: f64 = 0.05;
/// The most fine bins per coarse one.
const MOST_BETWEEN: usize = 4;

/// Error bounds of the interpolation.
#[derive(Clone, Copy)]
struct Tolerance {
    /// [`ERROR`].
    error: f64,
    /// The largest ratio of an interpolated bin to all bins around it.
    swell: f64,
}

/// The coarse spectrum.
pub(super) struct Coarse {
    arch: Arch,
    /// From a wing below 0 Hz to a wing above the Nyquist frequency.
    bins: Vec<Complex<f64>>,
    /// For each block, an upper bound of the amplitude of its fine bins.
    bounds: Vec<f64>,
    /// The largest bin.
    largest: f64,
    /// Fine bins per coarse one.
    between: usize,
    /// Error of each fine bin.
    error: f64,
}

impl Coarse {
    /// For samples whose fine spectrum has `size` bins; `None` if that is not much more than the
    /// samples.
    pub(crate) fn of(samples: &[f64], size: usize) -> Option<Self> {
        let trust = Tolerance { error: ERROR, swell: weights().swell };
        Coarse::trusting(samples, size, trust)
    }

    fn trusting(samples: &[f64], size: usize, trust: Tolerance) -> Option<Self> {
        let length = (2 * samples.len()).next_power_of_two();
        let between = size / length;
        if !(2..=MOST_BETWEEN).contains(&between) || length < 4 * BLOCK {
            return None;
        }
        let fourier = fourier::real(length);
        let mut padded = fourier.make_input_vec();
        // Scaled as for the fine one, and centred at t = 0, where the phase changes least by bin.
        let scale = largest(samples).max(f64::MIN_POSITIVE);
        let (early, late) = samples.split_at(samples.len() / 2);
        let (after, before) = padded.split_at_mut(length - early.len());
        for (to, samples) in [(before, early), (after, late)] {
            to.iter_mut().zip(samples).for_each(|(to, sample)| *to = sample / scale);
        }
        let error = trust.error * sum(&padded);
        let nyquist = length / 2;
        let mut bins = vec![Complex::default(); nyquist + 1 + 2 * WING];
        let inside = WING..WING + nyquist + 1;
        fourier.process(&mut padded, &mut bins[inside.clone()]).expect("vectors of its lengths");
        for away in 1..=WING {
            bins[WING - away] = bins[WING + away].conj();
            bins[WING + nyquist + away] = bins[WING + nyquist - away].conj();
        }
        let most = |bins: &[Complex<f64>]| {
            let power = bins.iter().map(Complex::norm_sqr);
            power.fold(0.0, |most, power| if power > most { power } else { most })
        };
        let mut powers: Vec<f64> = bins[inside].chunks(BLOCK).map(most).collect();
        // The Nyquist frequency is a separate chunk, and belongs to the last block.
        let last = powers.pop().unwrap_or(0.0);
        *powers.last_mut()? = powers.last()?.max(last);
        let bound = |block: usize| {
            let around = &powers[block.saturating_sub(1)..(block + 2).min(powers.len())];
            trust.swell * around.iter().copied().fold(0.0, f64::max).sqrt() + error
        };
        let bounds = (0..powers.len()).map(bound).collect();
        let largest = powers.iter().copied().fold(0.0, f64::max).sqrt();
        let arch = Arch::new();
        // Without finite samples nothing is known.
        error.is_finite().then_some(Coarse { arch, bins, bounds, largest, between, error })
    }

    /// The fine bins of the largest amplitude above 0 Hz and of the highest significant frequency.
    pub(crate) fn peak_and_highest(&self) -> Option<(usize, usize)> {
        let (peak, most) = self.peak()?;
        Some((peak?, self.highest_below(most)?))
    }

    /// The fine bin of the highest significant frequency.
    pub(crate) fn highest(&self) -> Option<usize> {
        self.highest_below(self.peak()?.1)
    }

    /// The Nyquist frequency's fine bin, and its amplitude.
    fn nyquist(&self) -> (usize, f64) {
        let bin = self.bins.len() - 1 - 2 * WING;
        (bin * self.between, self.bins[WING + bin].norm())
    }

    /// The fine bin of the largest amplitude above 0 Hz, unless another is close; and the
    /// amplitude.
    fn peak(&self) -> Option<(Option<usize>, f64)> {
        let blocks = || {
            let bounds = self.bounds.iter().enumerate();
            bounds.filter(|(_, bound)| **bound >= self.largest - 2.0 * self.error)
        };
        if blocks().count() > MOST_BLOCKS {
            return None;
        }
        let (mut top, mut second) = ((0, 0.0), self.nyquist().1);
        let mut most = second;
        for (block, _) in blocks() {
            let amplitudes = self.fine(block);
            for (place, amplitude) in amplitudes.as_flattened().iter().copied().enumerate() {
                let bin = self.bin(block, place);
                most = if amplitude > most { amplitude } else { most };
                if bin > 0 && amplitude > top.1 {
                    (second, top) = (top.1.max(second), (bin, amplitude));
                } else if bin > 0 && amplitude > second {
                    second = amplitude;
                }
            }
        }
        // If 0 Hz is the largest, others may be in a skipped block.
        let known = top.1 >= self.largest - self.error;
        let alone = known && top.1 - second > 2.0 * self.error;
        Some((alone.then_some(top.0), most))
    }

    /// The fine bin of the highest frequency that is significant relative to the largest amplitude.
    fn highest_below(&self, most: f64) -> Option<usize> {
        let (least, unsure) = (SIGNIFICANT * most, 2.0 * self.error);
        let (bin, amplitude) = self.nyquist();
        if amplitude > least - unsure {
            return (amplitude > least + unsure).then_some(bin);
        }
        let blocks = self.bounds.iter().enumerate().rev();
        for (block, _) in blocks.filter(|(_, bound)| **bound > least - unsure).take(MOST_BLOCKS) {
            let amplitudes = self.fine(block);
            let significant = |amplitude: &f64| *amplitude > least - unsure;
            if let Some(place) = amplitudes.as_flattened().iter().rposition(significant) {
                let sure = amplitudes.as_flattened()[place] > least + unsure;
                return sure.then(|| self.bin(block, place));
            }
        }
        None
    }

    /// The fine bin at a place in the result of [`Self::fine`].
    fn bin(&self, block: usize, place: usize) -> usize {
        (block * BLOCK + place / MOST_BETWEEN) * self.between + place % MOST_BETWEEN
    }

    /// The amplitudes of a block's fine bins: for each coarse bin, those up to the next; 0 beyond.
    fn fine(&self, block: usize) -> [[f64; MOST_BETWEEN]; BLOCK] {
        let mut near = [0.0; NEAR];
        let bins = &self.bins[block * BLOCK + 1..];
        for (near, bin) in near.as_chunks_mut().0.iter_mut().zip(bins) {
            *near = [bin.re, bin.im];
        }
        let mut fine = [[0.0; MOST_BETWEEN]; BLOCK];
        for (fine, bin) in fine.iter_mut().zip(&bins[WING - 1..]) {
            fine[0] = bin.norm_sqr().sqrt();
        }
        for between in 1..self.between {
            let weights = &weights().of[between * MOST_BETWEEN / self.between];
            let amplitudes = dispatch(self.arch, Amplitudes { near: &near, weights });
            fine.iter_mut().zip(amplitudes).for_each(|(fine, amplitude)| fine[between] = amplitude);
        }
        fine
    }
}

/// Sums over the bins around each place of a block, compiled for the instructions of each [`Arch`].
struct Amplitudes<'a> {
    near: &'a [f64; NEAR],
    weights: &'a [f64; 2 * WING],
}

impl WithSimd for Amplitudes<'_> {
    type Output = [f64; BLOCK];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> [f64; BLOCK] {
        let mut sums = [0.0; 2 * BLOCK];
        for (j, weight) in self.weights.iter().enumerate() {
            for (sum, bin) in sums.iter_mut().zip(&self.near[2 * j..2 * (j + BLOCK)]) {
                *sum += weight * bin;
            }
        }
        std::array::from_fn(|k| (sums[2 * k].powi(2) + sums[2 * k + 1].powi(2)).sqrt())
    }
}

/// The sum of absolute values, by eight partial sums, which are faster than one.
fn sum(values: &[f64]) -> f64 {
    let (eights, rest) = values.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for eight in eights {
        sums.iter_mut().zip(eight).for_each(|(sum, value)| *sum += value.abs());
    }
    sums.iter().chain(rest).map(|value| value.abs()).sum()
}

/// The interpolation weights between two bins.
struct Weights {
    /// At each quarter of the distance between them.
    of: [[f64; 2 * WING]; MOST_BETWEEN],
    /// The largest sum of their absolute values.
    swell: f64,
}

fn weights() -> &'static Weights {
    static WEIGHTS: OnceLock<Weights> = OnceLock::new();
    WEIGHTS.get_or_init(|| {
        let weight = |between: usize, j: usize| {
            let x = between as f64 / MOST_BETWEEN as f64 - (j as f64 - (WING - 1) as f64);
            let phase = std::f64::consts::PI * x;
            let sinc = if x == 0.0 { 1.0 } else { phase.sin() / phase };
            sinc * kaiser::window(BETA, x / WING as f64) / kaiser::window(BETA, 0.0)
        };
        let of = std::array::from_fn(|between| std::array::from_fn(|j| weight(between, j)));
        let swell = of.iter().map(|weights| sum(weights)).fold(0.0, f64::max);
        Weights { of, swell }
    })
}

/// The largest absolute value; eight side by side, which is faster.
pub(crate) fn largest(samples: &[f64]) -> f64 {
    let (eights, rest) = samples.as_chunks::<8>();
    let mut largest = [0.0f64; 8];
    for eight in eights {
        largest.iter_mut().zip(eight).for_each(|(largest, s)| *largest = largest.max(s.abs()));
    }
    largest.iter().chain(rest).fold(0.0f64, |largest, s| largest.max(s.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acquisition::{Ricker, Wavelet, spectrum};
    use std::f64::consts::TAU;

    /// Awkward samples, whose peak or highest frequency is hard to determine or ambiguous.
    fn awkward() -> Vec<Vec<f64>> {
        let mut random = fastrand::Rng::with_seed(5);
        let mut random = || random.f64() - 0.5;
        let mut all = Vec::new();
        for count in [3, 20, 64, 65, 700, 2048, 4001, 4096, 4097, 8001] {
            let of = |s: &dyn Fn(f64) -> f64| (0..count).map(|n| s(n as f64)).collect::<Vec<_>>();
            let middle = 0.5 * count as f64;
            let bump = |n: f64| (-((n - middle) / (0.2 * middle)).powi(2)).exp();
            for hz in [0.0, 0.031, 0.1003, 0.25, 0.4999, 0.5] {
                all.push(of(&|n| (TAU * hz * n).cos()));
                all.push(of(&|n| bump(n) * (TAU * hz * n).sin()));
                all.push(of(&|n| bump(n) * ((TAU * hz * n).sin() + 0.05 * (TAU * 0.4 * n).cos())));
            }
            for parts in [1.0, 1.0 - 1e-3, 1.0 + 1e-7, 1.0 - 1e-9, 0.05, 0.05 + 1e-9] {
                let [one, other] = [0.5 * (random() + 0.5), 0.5 * (random() + 0.5)];
                let two = |n: f64| (TAU * one * n).sin() + parts * (TAU * other * n).sin();
                all.push(of(&two));
                all.push(of(&|n| bump(n) * two(n)));
            }
            all.push(of(&|n| if n == middle.floor() { 1.0 } else { 0.0 }));
            all.push(of(&|n| n * 1e-300));
            all.push(of(&|n| 1e300 * bump(n)));
            all.push(of(&|n| 1e-3 * (n - middle)));
            all.push(vec![0.0; count]);
            for _ in 0..5 {
                all.push((0..count).map(|_| random()).collect());
                // Like a recording: some waves, and some noise.
                let mut trace: Vec<f64> = (0..count).map(|_| 1e-3 * random()).collect();
                for _ in 0..9 {
                    let (peak_hz, delay) = (0.02 + 0.03 * random(), (0.5 + random()) * middle);
                    let ricker = Wavelet::Ricker(Ricker { peak_hz, delay });
                    let ricker = ricker.samples(1.0, count).expect("a Ricker has samples");
                    trace.iter_mut().zip(ricker).for_each(|(t, s)| *t += s);
                }
                all.push(trace);
            }
        }
        all
    }

    /// The number of decided spectra, and of those that differ from the fine transform's result.
    fn decided_and_wrong(all: &[Vec<f64>], trust: Tolerance) -> (usize, usize) {
        let (mut decided, mut wrong) = (0, 0);
        for samples in all {
            let (size, fine) = spectrum::fine_bins(samples);
            let Some(coarse) = Coarse::trusting(samples, size, trust) else { continue };
            let both = coarse.peak_and_highest();
            decided += usize::from(both.is_some());
            let other = coarse.highest().is_some_and(|highest| highest != fine.1);
            wrong += usize::from(both.is_some_and(|both| both != fine) || other);
        }
        (decided, wrong)
    }

    /// Two waves whose fine bins are nearly equally large.
    fn nearly_equal() -> Vec<Vec<f64>> {
        let count = 3000;
        // Near an end, where the error is largest, and smooth, to keep them apart.
        let bump = |n: f64| (-((n - 210.0) / 36.0).powi(2)).exp();
        let pair = |i: usize| {
            let (one, other) = (0.1 + 1e-5 * i as f64, 0.35 - 1.3e-5 * i as f64);
            let wave =
                |hz: f64| (0..count).map(move |n| bump(n as f64) * (TAU * hz * n as f64).sin());
            let (one, other): (Vec<_>, Vec<_>) = (wave(one).collect(), wave(other).collect());
            let most = |samples: &[f64]| spectrum::fine_most(samples);
            // The second as large as the first, to some parts in 1e9.
            let factor = most(&one) / most(&other) * (1.0 + 1e-10 * (i as f64 - 20.0));
            one.iter().zip(other).map(|(a, b)| a + factor * b).collect()
        };
        (0..40).map(pair).collect()
    }

    #[test]
    fn decided_spectra_agree_with_the_fine_transform() {
        let trust = Tolerance { error: ERROR, swell: weights().swell };
        let all = awkward();
        let (decided, wrong) = decided_and_wrong(&all, trust);
        println!("{decided} of {} are decided", all.len());
        assert_eq!(wrong, 0);
        assert!(3 * decided > all.len(), "{decided} of {}", all.len());
        assert_eq!(decided_and_wrong(&nearly_equal(), trust).1, 0);
    }

    /// Tests the test: with smaller bounds some results are wrong.
    #[test]
    fn bounds_that_are_too_small_are_seen() {
        let swell = weights().swell;
        assert!(decided_and_wrong(&nearly_equal(), Tolerance { error: 0.0, swell }).1 > 0);
        let trust = Tolerance { error: ERROR, swell: 0.9 };
        assert!(decided_and_wrong(&awkward(), trust).1 > 0);
    }

    /// The error is linear in the samples, so spikes are the worst samples of a given sum.
    #[test]
    fn the_error_between_bins_is_bounded() {
        let count = 256;
        let mut most = 0.0f64;
        for at in 0..count {
            let mut spike = vec![0.0; count];
            spike[at] = 1.0;
            let coarse = Coarse::of(&spike, 8 * count).expect("short samples");
            let turn = |bin: f64| {
                let n = at as f64 - 0.5 * count as f64;
                Complex::from_polar(1.0, -TAU * bin * n / (2 * count) as f64)
            };
            for (between, weights) in weights().of.iter().enumerate() {
                for k in 0..=count {
                    let bins = &coarse.bins[k + 1..];
                    let sum: Complex<f64> = bins.iter().zip(weights).map(|(b, w)| b * w).sum();
                    let error = sum - turn(k as f64 + between as f64 / MOST_BETWEEN as f64);
                    most = most.max(error.norm());
                }
            }
        }
        assert!(most > 0.5 * ERROR && most < 0.9 * ERROR, "{most:e}");
    }
}
