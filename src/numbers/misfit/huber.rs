//! Huber's misfit, in which spikes count by their size and not its square: `J = dt sum h(p - d)`,
//! with `h(r) = r^2 / 2` up to the threshold s, and `s |r| - s^2 / 2` beyond (Guitton and Symes
//! 2003, "Robust inversion of seismic data using the Huber norm", Geophysics 68(4)).

use super::product;

/// The threshold, as a fraction of the observed trace's root mean square.
const THRESHOLD: f64 = 1.0;

pub(crate) fn of(modelled: &[f64], observed: &[f64], interval: f64) -> (f64, Vec<f64>) {
    let mean = product(observed, observed) / observed.len().max(1) as f64;
    let most = THRESHOLD * mean.sqrt();
    let residual = modelled.iter().zip(observed).map(|(p, d)| p - d);
    let h = |r: f64| if r.abs() <= most { 0.5 * r * r } else { most * (r.abs() - 0.5 * most) };
    let misfit: f64 = residual.clone().map(h).sum();
    (interval * misfit, residual.map(|r| interval * r.clamp(-most, most)).collect())
}
