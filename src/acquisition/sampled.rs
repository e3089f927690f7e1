//! A wavelet given by its samples.

use super::{
    Wavelet, WaveletError, kaiser,
    spectrum::{Spectrum, peak_hz},
};
use pulp::{Arch, Simd, WithSimd};
use std::{f64::consts::PI, sync::Arc};

/// Samples at a fixed interval, the first at t = 0; zero after the last. For another time step they
/// are interpolated by a windowed sinc.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampled {
    /// s(n interval).
    pub values: Arc<[f64]>,
    /// Seconds between samples.
    pub interval: f64,
}

/// An interval this close to the time step, relatively, is the time step.
const SAME: f64 = 1e-9;
/// Largest fraction of the energy above the Nyquist frequency of the time step: 1 % in amplitude.
const LOST: f64 = 1e-4;
/// Zero crossings of the sinc on each side, and the window's beta: errors below 1e-6 up to 0.94 of
/// the lower Nyquist frequency, and as much is left of frequencies above 1.06 of it (Kaiser 1974).
const WING: f64 = 64.0;
const BETA: f64 = 12.0;

impl Sampled {
    pub(super) fn check(&self) -> Result<(), WaveletError> {
        let count = self.values.len();
        if count == 0 || !(self.interval.is_finite() && self.interval > 0.0) {
            return Err(WaveletError::Empty { count, interval: self.interval });
        }
        match self.values.iter().position(|v| !v.is_finite()) {
            Some(index) => Err(WaveletError::NotFinite { index, value: self.values[index] }),
            None => Ok(()),
        }
    }

    /// [`Self::samples_by`], with its own weights.
    #[cfg(test)]
    fn samples(&self, dt: f64, count: usize) -> Result<Vec<f64>, WaveletError> {
        Ok(self.samples_by(dt, count, &[])?.to_vec())
    }

    /// The samples themselves if the interval is the time step, otherwise s(n dt) between them. A
    /// larger step removes frequencies above its Nyquist frequency, and is an error if they have
    /// too much energy.
    pub(super) fn samples_by(
        &self,
        dt: f64,
        count: usize,
        shared: &[Interpolation],
    ) -> Result<Arc<[f64]>, WaveletError> {
        let interval = self.interval;
        if same(interval, dt) {
            if self.values.len() == count {
                return Ok(self.values.clone());
            }
            let given = self.values.iter().copied();
            return Ok(given.chain(std::iter::repeat(0.0)).take(count).collect());
        }
        let nyquist = 0.5 / dt;
        let above = if dt > interval { self.energy_above(nyquist) } else { 0.0 };
        if above > LOST {
            let (limit, recorded) = (LOST, false);
            return Err(WaveletError::Nyquist { above, limit, nyquist, dt, interval, recorded });
        }
        Ok(self.below_nyquist(dt, count, shared))
    }

    /// s(n dt) between the samples, without frequencies above the Nyquist frequency of the time step.
    pub(crate) fn below_nyquist(
        &self,
        dt: f64,
        count: usize,
        shared: &[Interpolation],
    ) -> Arc<[f64]> {
        let step = dt / self.interval;
        match shared.iter().find(|shared| shared.fits(step, count)) {
            Some(shared) => shared.of(&self.values).into(),
            None => resampled(&self.values, step, count).into(),
        }
    }

    /// Frequency of the largest amplitude, Hz, to a fraction of 1 over the wavelet's length.
    pub(super) fn peak_hz(&self) -> f64 {
        peak_hz(&self.values, self.interval)
    }

    /// Fraction of the energy above a frequency, Hz.
    fn energy_above(&self, hz: f64) -> f64 {
        Spectrum::of(&self.values, self.interval).energy_above(hz)
    }
}

/// The samples of several wavelets, with the same bits as [`Wavelet::samples_by`].
pub(crate) fn samples_of(
    wavelets: &[&Wavelet],
    dt: f64,
    count: usize,
    shared: &[Interpolation],
) -> Vec<Result<Arc<[f64]>, WaveletError>> {
    let one = |wavelet: &&Wavelet| wavelet.samples_by(dt, count, shared);
    interpolated(wavelets, dt, count, shared).unwrap_or_else(|| wavelets.iter().map(one).collect())
}

/// The samples of a group of wavelets, if they are alike and none can be rejected.
fn interpolated(
    wavelets: &[&Wavelet],
    dt: f64,
    count: usize,
    shared: &[Interpolation],
) -> Option<Vec<Result<Arc<[f64]>, WaveletError>>> {
    let wavelets: &[&Wavelet; TOGETHER] = wavelets.try_into().ok()?;
    let Wavelet::Sampled(Sampled { values, interval }) = wavelets[0] else { return None };
    let shared = shared.iter().find(|shared| shared.fits(dt / interval, count))?;
    let mut traces: [&[f64]; TOGETHER] = [&[]; TOGETHER];
    for (trace, wavelet) in traces.iter_mut().zip(wavelets) {
        *trace = match wavelet {
            Wavelet::Sampled(other) if other.interval == *interval => &other.values,
            _ => return None,
        };
    }
    if traces.iter().any(|trace| trace.len() != values.len()) {
        return None;
    }
    (dt <= *interval).then(|| shared.of_all(&traces).into_iter().map(Ok).collect())
}

/// True if an interval is the time step.
fn same(interval: f64, dt: f64) -> bool {
    (interval - dt).abs() <= SAME * interval
}

/// The values at n `step`, n in 0..count, in units of their interval:
/// `sum_j v_j c sinc(c (n step - j))` under a Kaiser window, c = min(1, 1 / step) being the lower
/// of the two Nyquist frequencies. Steps that are each other's inverse give adjoint operators.
fn resampled(values: &[f64], step: f64, count: usize) -> Vec<f64> {
    let sinc = Sinc::new(0.0, step);
    let at = |n: usize| {
        let (t, first, last) = sinc.reach(n);
        let last = last.min(values.len() - 1);
        (first..=last).map(|j| values[j] * sinc.weight(t, j)).sum()
    };
    (0..count).map(at).collect()
}

/// The windowed sinc between samples a step apart, in units of their interval.
struct Sinc {
    /// The time of step 0.
    first: f64,
    step: f64,
    c: f64,
    /// The window's value in the middle.
    peak: f64,
}

impl Sinc {
    fn new(first: f64, step: f64) -> Self {
        Sinc { first, step, c: (1.0 / step).min(1.0), peak: kaiser::window(BETA, 0.0) }
    }

    /// The time of step n, and the first and the last sample that contribute to it.
    fn reach(&self, n: usize) -> (f64, usize, usize) {
        let (t, reach) = (self.first + n as f64 * self.step, WING / self.c);
        // Casts from floats to integers saturate, so no time is too late.
        (t, (t - reach).ceil().max(0.0) as usize, (t + reach).floor() as usize)
    }

    /// The weight of sample j at a time.
    fn weight(&self, t: f64, j: usize) -> f64 {
        let x = self.c * (t - j as f64);
        let sinc = if x == 0.0 { 1.0 } else { (PI * x).sin() / (PI * x) };
        self.c * sinc * kaiser::window(BETA, x / WING) / self.peak
    }
}

/// Wavelets that are interpolated side by side, each with its own sum: they fill the widest
/// vectors, and there are as many sums as an addition takes cycles.
pub(crate) const TOGETHER: usize = 32;
/// Steps after which results are written to each wavelet: these fit in the first-level cache.
const STEPS: usize = 32;

/// The weights between samples at an interval, shared by all wavelets with that interval: a
/// recording has thousands.
pub(crate) struct Interpolation {
    step: f64,
    /// For each step the first sample, and the end of its weights.
    steps: Vec<(usize, usize)>,
    weights: Vec<f64>,
}

impl Interpolation {
    /// The fewest wavelets whose weights are worth keeping: the weights take as much memory.
    pub const WORTH: usize = 2 * WING as usize;

    /// The longest step, in intervals, whose weights are kept: they are as many as the step is long.
    const LONGEST: f64 = 16.0;

    /// From samples at an interval to `count` steps of `dt`; `None` if no interpolation is needed,
    /// or its weights are not worth keeping.
    pub fn new(interval: f64, dt: f64, count: usize) -> Option<Self> {
        let step = dt / interval;
        let kept = !same(interval, dt) && step <= Self::LONGEST;
        kept.then(|| Interpolation::at(0.0, step, count))
    }

    /// To `count` steps from a time on, in units of the interval; zero before the first sample and
    /// after the last.
    pub fn at(first: f64, step: f64, count: usize) -> Self {
        let sinc = Sinc::new(first, step);
        let (mut steps, mut weights) = (Vec::with_capacity(count), Vec::new());
        for n in 0..count {
            let (t, first, last) = sinc.reach(n);
            weights.extend((first..=last).map(|j| sinc.weight(t, j)));
            steps.push((first, weights.len()));
        }
        Interpolation { step, steps, weights }
    }

    /// How far from a step the samples are that contribute to it, in units of their interval.
    pub fn reach(step: f64) -> f64 {
        WING * step.max(1.0)
    }

    /// True if it is for `count` steps of this length.
    fn fits(&self, step: f64, count: usize) -> bool {
        self.step == step && self.steps.len() == count
    }

    /// [`resampled`] values, with the same bits.
    pub fn of(&self, values: &[f64]) -> Vec<f64> {
        let mut start = 0;
        let at = |(first, end): &(usize, usize)| {
            let weights = &self.weights[start..*end];
            start = *end;
            let values = values.get(*first..).unwrap_or_default();
            values.iter().zip(weights).map(|(value, weight)| value * weight).sum()
        };
        self.steps.iter().map(at).collect()
    }

    /// [`Self::of`] for traces of equal length.
    pub fn of_all(&self, traces: &[&[f64]; TOGETHER]) -> Vec<Arc<[f64]>> {
        let values: Vec<_> = (0..traces[0].len()).map(|n| traces.map(|trace| trace[n])).collect();
        let zeros = || std::iter::repeat_n(0.0, self.steps.len()).collect();
        let mut all: Vec<Arc<[f64]>> = traces.iter().map(|_| zeros()).collect();
        let mut rows: Vec<_> = (all.iter_mut())
            .map(|row| Arc::get_mut(row).expect("nobody else has it yet").chunks_mut(STEPS))
            .collect();
        let (arch, mut start) = (Arch::new(), 0);
        for steps in self.steps.chunks(STEPS) {
            let weights = &self.weights;
            let sums = arch.dispatch(Sums { values: &values, weights, steps, start });
            start = steps.last().map_or(start, |(_, end)| *end);
            for (trace, row) in rows.iter_mut().enumerate() {
                let row = row.next().expect("as many steps in each");
                row.iter_mut().zip(&sums).for_each(|(to, sums)| *to = sums[trace]);
            }
        }
        drop(rows);
        all
    }
}

/// Sums of values times weights in order, for each trace; they start from -0.0, as the standard
/// library's do. Compiled for the instructions of each [`Arch`].
struct Sums<'a> {
    values: &'a [[f64; TOGETHER]],
    weights: &'a [f64],
    /// As in an [`Interpolation`].
    steps: &'a [(usize, usize)],
    /// The start of the weights of the first of these steps.
    start: usize,
}

impl WithSimd for Sums<'_> {
    type Output = [[f64; TOGETHER]; STEPS];

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) -> [[f64; TOGETHER]; STEPS] {
        let mut all = [[-0.0; TOGETHER]; STEPS];
        for (sums, (first, end)) in all.iter_mut().zip(self.steps) {
            let values = self.values.get(*first..).unwrap_or_default();
            // Kept in registers while they accumulate.
            let mut grown = *sums;
            for (values, weight) in values.iter().zip(&self.weights[self.start..*end]) {
                for (sum, value) in grown.iter_mut().zip(values) {
                    *sum += value * weight;
                }
            }
            (*sums, self.start) = (grown, *end);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acquisition::{Ricker, Wavelet};

    fn ricker(peak_hz: f64, interval: f64, count: usize) -> Vec<f64> {
        let ricker = Wavelet::Ricker(Ricker { peak_hz, delay: Ricker::delay(peak_hz) });
        ricker.samples(interval, count).expect("a Ricker has samples")
    }

    #[test]
    fn samples_are_taken_as_they_are_and_padded() {
        let values = ricker(20.0, 1e-3, 150);
        let wavelet = Sampled { values: values.clone().into(), interval: 1e-3 };
        // The same bits, also for an interval that was printed and read again.
        for dt in [1e-3, 1e-3 * (1.0 + 1e-12)] {
            let samples = wavelet.samples(dt, 200).expect("the same interval");
            assert_eq!(
                (&samples[..150], &samples[150..]),
                (values.as_slice(), [0.0; 50].as_slice())
            );
        }
        assert_eq!(wavelet.samples(1e-3, 2), Ok(values[..2].to_vec()));
    }

    /// The relative error of a 25 Hz Ricker wavelet resampled from one interval to another.
    fn error(interval: f64, dt: f64, mistake: impl Fn(&mut Sampled)) -> f64 {
        let mut wavelet =
            Sampled { values: ricker(25.0, interval, (0.12 / interval) as usize).into(), interval };
        mistake(&mut wavelet);
        let count = (0.2 / dt) as usize;
        let ours = wavelet.samples(dt, count).expect("its band fits");
        let exact = ricker(25.0, dt, count);
        let norm = |v: &mut dyn Iterator<Item = f64>| v.map(|v| v * v).sum::<f64>().sqrt();
        norm(&mut ours.iter().zip(&exact).map(|(a, b)| a - b)) / norm(&mut exact.iter().copied())
    }

    #[test]
    fn resampling_gives_the_analytic_wavelet() {
        for (interval, dt) in [
            (4e-3, 1e-3),
            (4e-3, 7.3e-4),
            (2e-3, 1.999e-3),
            (5e-4, 2e-3),
            (1e-3, 3.1e-3),
            (2e-3, 5e-5),
        ] {
            let error = error(interval, dt, |_| ());
            println!("from {interval} s to {dt} s: {error:.1e}");
            assert!(error < 2e-6, "{interval} s to {dt} s: {error:e}");
        }
    }

    /// Tests the test.
    #[test]
    fn mistakes_in_resampling_are_seen() {
        let late = |wavelet: &mut Sampled| {
            wavelet.values = std::iter::once(0.0).chain(wavelet.values.iter().copied()).collect();
        };
        let slow = |wavelet: &mut Sampled| wavelet.interval *= 1.01;
        let silent = |wavelet: &mut Sampled| wavelet.values = vec![0.0; 30].into();
        for error in [error(4e-3, 1e-3, late), error(4e-3, 1e-3, slow), error(4e-3, 1e-3, silent)] {
            assert!(error > 0.05, "{error}");
        }
    }

    #[test]
    fn shared_weights_give_the_same_bits() {
        let values = ricker(25.0, 2e-3, 150);
        for (dt, count) in [(1e-3, 700), (7.3e-4, 40), (3.1e-3, 90)] {
            let shared = Interpolation::new(2e-3, dt, count).expect("steps between samples");
            assert_eq!(shared.of(&values), resampled(&values, dt / 2e-3, count));
            assert_ne!(shared.of(&values[1..]), resampled(&values, dt / 2e-3, count));
        }
        assert!(Interpolation::new(2e-3, 2e-3, 9).is_none());
        // Its weights would fill any memory.
        assert!(Interpolation::new(1e-15, 2e-3, 9).is_none());
    }

    #[test]
    fn wavelets_together_have_the_bits_of_each_alone() {
        let wavelet = |late: usize| {
            let mut values = ricker(25.0, 2e-3, 150);
            values.rotate_right(late);
            values[late] = [0.0, -0.0][late % 2];
            Wavelet::Sampled(Sampled { values: values.into(), interval: 2e-3 })
        };
        let wavelets: Vec<_> = (0..TOGETHER).map(wavelet).collect();
        let all: Vec<_> = wavelets.iter().collect();
        let bits = |samples: Result<Arc<[f64]>, _>| {
            samples.map(|samples| samples.iter().map(|s| s.to_bits()).collect::<Vec<_>>())
        };
        for (dt, count) in [(1e-3, 700), (7.3e-4, 40), (3.1e-3, 90), (2e-3, 150)] {
            let shared: Vec<_> = Interpolation::new(2e-3, dt, count).into_iter().collect();
            for wavelets in [&all[..], &all[..5]] {
                let samples = samples_of(wavelets, dt, count, &shared);
                assert_eq!(samples.len(), wavelets.len());
                for (samples, wavelet) in samples.into_iter().zip(wavelets) {
                    assert_eq!(bits(samples), bits(wavelet.samples_by(dt, count, &[])), "{dt}");
                }
            }
        }
    }

    #[test]
    fn finer_and_coarser_are_adjoint() {
        let mut seed = 7u64;
        let mut random = |count: usize| -> Vec<f64> {
            let mut number = || {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
            };
            (0..count).map(|_| number()).collect()
        };
        for step in [0.25, 0.73, 1.0 / 3.0] {
            let (coarse, fine) = (random(300), random(700));
            let up = resampled(&coarse, step, fine.len());
            let down = resampled(&fine, 1.0 / step, coarse.len());
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            // As integrals over time.
            let (one, other) = (dot(&up, &fine) * step, dot(&coarse, &down));
            let scale = (dot(&up, &up) * dot(&fine, &fine)).sqrt() * step;
            assert!((one - other).abs() < 1e-12 * scale, "{one} and {other}");
        }
    }

    #[test]
    fn energy_above_the_new_nyquist_is_refused() {
        let wavelet = Sampled { values: ricker(100.0, 5e-4, 800).into(), interval: 5e-4 };
        let refused = wavelet.samples(4e-3, 50);
        let Err(WaveletError::Nyquist { above, nyquist, .. }) = refused else {
            panic!("{refused:?}")
        };
        assert_eq!(nyquist, 125.0);
        // The power of a Ricker wavelet is f^4 exp(-2 (f / f0)^2).
        let power = |x: f64| x.powi(4) * (-2.0 * x * x).exp();
        let sum = |from: i32, to: i32| {
            (from..to).map(|k| power(1e-3 * (f64::from(k) + 0.5))).sum::<f64>()
        };
        let exact = sum(1250, 8000) / sum(0, 8000);
        assert!((above / exact - 1.0).abs() < 0.02, "{above} and {exact}");
        assert!(wavelet.samples(1e-3, 50).is_ok());
    }

    #[test]
    fn any_finite_wavelet_is_resampled_to_finite_samples() {
        for values in [vec![1.0], vec![1e300; 40], vec![0.0; 10], vec![-1e-300, 1e-300]] {
            let wavelet = Sampled { values: values.into(), interval: 1e-3 };
            for dt in [1e-9, 7e-4, 1e3] {
                if let Ok(samples) = wavelet.samples(dt, 5) {
                    assert!(samples.iter().all(|s| s.is_finite()), "{dt}: {samples:?}");
                }
            }
        }
    }

    #[test]
    fn the_peak_of_a_sampled_ricker_is_its_peak() {
        for (peak_hz, interval) in [(20.0, 1e-3), (6.0, 1e-4)] {
            let count = (4.0 / peak_hz / interval) as usize;
            let sampled = Sampled { values: ricker(peak_hz, interval, count).into(), interval };
            assert!((sampled.peak_hz() / peak_hz - 1.0).abs() < 0.02, "{}", sampled.peak_hz());
        }
    }
}
