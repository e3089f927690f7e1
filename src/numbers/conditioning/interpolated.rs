//! Band-limited interpolation of gathers.

use crate::acquisition::{Interpolation, TOGETHER};
use ndarray::{Array2, Axis, s};
use rayon::prelude::*;

/// Steps whose weights are kept at once, of up to so many intervals each: some megabytes.
const BLOCK: usize = 4096;
const LONG: f64 = 16.0;

/// Traces `[receiver][time]` at `count` times, `step` apart from `first` on, in units of their
/// interval. They are zero before their first sample and after their last. A windowed sinc
/// interpolates: errors below 1e-6 up to 0.94 of the lower of the two Nyquist frequencies.
pub(super) fn interpolated(
    traces: &Array2<f32>,
    first: f64,
    step: f64,
    count: usize,
) -> Array2<f32> {
    let mut made = Array2::zeros((traces.nrows(), count));
    let length = (BLOCK as f64 / (step / LONG).max(1.0)).max(1.0) as usize;
    for (block, mut columns) in made.axis_chunks_iter_mut(Axis(1), length).enumerate() {
        let at = first + (block * length) as f64 * step;
        let last = at + columns.ncols() as f64 * step;
        // The samples that contribute; casts from floats to integers saturate.
        let reach = Interpolation::reach(step);
        let from = ((at - reach).max(0.0) as usize).min(traces.ncols());
        let to = ((last + reach).max(0.0) as usize + 1).clamp(from, traces.ncols());
        let weights = Interpolation::at(at - from as f64, step, columns.ncols());
        let rows: Vec<_> = columns.axis_chunks_iter_mut(Axis(0), TOGETHER).collect();
        rows.into_par_iter().enumerate().for_each(|(chunk, mut rows)| {
            let trace = |n: usize| -> Vec<f64> {
                let row = traces.slice(s![chunk * TOGETHER + n, from..to]);
                row.iter().map(|sample| f64::from(*sample)).collect()
            };
            let given: Vec<_> = (0..rows.nrows()).map(trace).collect();
            let given: Vec<&[f64]> = given.iter().map(Vec::as_slice).collect();
            let mut put = |n: usize, values: &[f64]| {
                rows.row_mut(n).iter_mut().zip(values).for_each(|(to, value)| *to = *value as f32);
            };
            match <&[&[f64]; TOGETHER]>::try_from(given.as_slice()) {
                Ok(all) => {
                    let made = weights.of_all(all);
                    made.iter().enumerate().for_each(|(n, values)| put(n, values));
                }
                Err(_) => {
                    given.iter().enumerate().for_each(|(n, trace)| put(n, &weights.of(trace)));
                }
            }
        });
    }
    made
}

/// The number of samples from t = 0 to an end, both included, at an interval.
pub(super) fn samples_to(end: f64, interval: f64) -> f64 {
    // Intervals are printed with a few digits.
    (end / interval + TOLERANCE).floor() + 1.0
}

/// Fraction of an interval that counts as none: it changes no wave by more than rounding does.
pub(super) const TOLERANCE: f64 = 1e-6;

/// How far a sample reaches, in samples of the longer interval: what lies beyond changes waves of up to 0.8 of its Nyquist
/// frequency by less than a thousandth. Finer samples need 39 of them, and coarser ones, which a high cut prepares, 31.
pub(super) const REACH: f64 = 40.0;
