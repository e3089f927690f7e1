//! The normalised zero-lag correlation: `J = 1 - <p, d> / (|p| |d|)` of each trace, which amplitudes
//! do not change (Choi and Alkhalifah 2012, "Application of multi-source waveform inversion to
//! marine streamer data using the global correlation norm", Geophysical Prospecting 60(4)).

use super::product;

/// A trace without signal has no direction: its J is 0.
pub(crate) fn of(modelled: &[f64], observed: &[f64], _interval: f64) -> (f64, Vec<f64>) {
    let [p, d] = [modelled, observed].map(|trace| product(trace, trace).sqrt());
    if !(p > 0.0 && d > 0.0) {
        return (0.0, vec![0.0; modelled.len()]);
    }
    let cosine = product(modelled, observed) / (p * d);
    let by = |(one, other): (&f64, &f64)| (cosine * one / p - other / d) / p;
    (1.0 - cosine, modelled.iter().zip(observed).map(by).collect())
}
