//! Field gathers made ready for location and migration: mutes, a band-pass, tapers, gain, another
//! sampling interval, the shot at the first sample.
//!
//! A gather is an array `[receiver][time]`. Times are in seconds, offsets in metres, frequencies in
//! hertz. Traces are worked on in parallel. An operation that keeps the shape changes the gather in
//! place, unless it returns an error.
//!
//! To add an operation: a file here with a function of the array, tested against a formula; its
//! errors in `error.rs`; a command in `src/cli/command/gather/` and its section in
//! `docs/commands/gather.md`.

pub(crate) mod band_pass;
mod error;
pub mod gain;
mod interpolated;
pub mod mute;
pub mod resample;
pub mod shift;
pub mod taper;

pub use band_pass::BandPass;
pub use error::ConditioningError;
pub use mute::Mute;

use ndarray::{Array2, ArrayViewMut1};
use rayon::prelude::*;

/// The most samples of a trace that is made: an hour at 4 kHz.
pub(crate) const MOST_SAMPLES: usize = 1 << 24;

/// Changes each trace, which it gets with its number.
fn each(traces: &mut Array2<f32>, change: impl Fn(usize, ArrayViewMut1<'_, f32>) + Sync) {
    let rows: Vec<_> = traces.outer_iter_mut().collect();
    rows.into_par_iter().enumerate().for_each(|(trace, row)| change(trace, row));
}

/// The gathers of the tests.
#[cfg(test)]
mod tests {
    use crate::acquisition::Ricker;
    use ndarray::Array2;

    /// A Ricker wavelet of a peak frequency in each trace, at a time of its own; the first sample is
    /// at `start`.
    pub(crate) fn rickers(
        hz: f64,
        at: &[f64],
        count: usize,
        interval: f64,
        start: f64,
    ) -> Array2<f32> {
        Array2::from_shape_fn((at.len(), count), |(trace, k)| {
            let ricker = Ricker { peak_hz: hz, delay: at[trace] };
            ricker.at(start + k as f64 * interval) as f32
        })
    }

    /// The relative L2 error.
    pub(crate) fn error(ours: &Array2<f32>, reference: &Array2<f32>) -> f64 {
        let square =
            |values: Array2<f32>| values.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>();
        (square(ours - reference) / square(reference.clone())).sqrt()
    }
}
