//! Samples at other times, by a windowed sinc.

use super::kaiser;
use crate::simd::dispatch;
use pulp::{Arch, Simd, WithSimd};
use std::{f64::consts::PI, sync::Arc};

/// An interval this close to the time step, relatively, is the time step.
const SAME: f64 = 1e-9;
/// Zero crossings of the sinc on each side, and the window's beta: errors below 1e-6 up to 0.94 of
/// the lower Nyquist frequency, and as much is left of frequencies above 1.06 of it (Kaiser 1974).
const WING: f64 = 64.0;
const BETA: f64 = 12.0;

/// True if an interval is the time step.
pub(super) fn same(interval: f64, dt: f64) -> bool {
    (interval - dt).abs() <= SAME * interval
}

/// The values at n `step`, n in 0..count, in units of their interval:
/// `sum_j v_j c sinc(c (n step - j))` under a Kaiser window, c = min(1, 1 / step) being the lower
/// of the two Nyquist frequencies. Steps that are each other's inverse give adjoint operators.
pub(super) fn resampled(values: &[f64], step: f64, count: usize) -> Vec<f64> {
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
pub const TOGETHER: usize = 32;
/// Steps after which results are written to each wavelet: these fit in the first-level cache.
const STEPS: usize = 32;

/// The weights between samples at an interval, shared by all wavelets with that interval: a
/// recording has thousands.
pub struct Interpolation {
    step: f64,
    /// For each step the first sample, and the end of its weights.
    steps: Vec<(usize, usize)>,
    weights: Vec<f64>,
}

impl Interpolation {
    /// The fewest wavelets whose weights are worth keeping: the weights take as much memory.
    pub(crate) const WORTH: usize = 2 * WING as usize;

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
    pub(crate) fn at(first: f64, step: f64, count: usize) -> Self {
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
    pub(crate) fn reach(step: f64) -> f64 {
        WING * step.max(1.0)
    }

    /// True if it is for `count` steps of this length.
    pub(super) fn fits(&self, step: f64, count: usize) -> bool {
        self.step == step && self.steps.len() == count
    }

    /// Resampled values, with the same bits.
    pub(crate) fn of(&self, values: &[f64]) -> Vec<f64> {
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
    pub(crate) fn of_all(&self, traces: &[&[f64]; TOGETHER]) -> Vec<Arc<[f64]>> {
        let values: Vec<_> = (0..traces[0].len()).map(|n| traces.map(|trace| trace[n])).collect();
        let zeros = || std::iter::repeat_n(0.0, self.steps.len()).collect();
        let mut all: Vec<Arc<[f64]>> = traces.iter().map(|_| zeros()).collect();
        let mut rows: Vec<_> = (all.iter_mut())
            .map(|row| Arc::get_mut(row).expect("nobody else has it yet").chunks_mut(STEPS))
            .collect();
        let (arch, mut start) = (Arch::new(), 0);
        for steps in self.steps.chunks(STEPS) {
            let weights = &self.weights;
            let sums = dispatch(arch, Sums { values: &values, weights, steps, start });
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
