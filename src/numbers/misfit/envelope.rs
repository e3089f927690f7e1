//! Envelopes: `J = 1/2 dt sum (E_p - E_d)^2` with `E = |p + i H p|`, H the Hilbert transform; lower
//! frequencies than the traces have (Wu, Luo and Wu 2014, "Seismic envelope inversion and modulation
//! signal model", Geophysics 79(3)).

use crate::acquisition::hilbert;

/// Of the largest envelope of both: below it, the derivative of the modulus is smoothed.
const LEAST: f64 = 1e-3;

pub(crate) fn of(modelled: &[f64], observed: &[f64], interval: f64) -> (f64, Vec<f64>) {
    let [across, observed_across] = [modelled, observed].map(hilbert);
    let squares = |trace: &[f64], across: &[f64]| -> Vec<f64> {
        trace.iter().zip(across).map(|(p, h)| p * p + h * h).collect()
    };
    let observed = squares(observed, &observed_across);
    // Of the observed trace, so that it does not change with the modelled one.
    let least = LEAST * LEAST * observed.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let modulus = |square: &f64| (square + least).sqrt();
    let own: Vec<f64> = squares(modelled, &across).iter().map(modulus).collect();
    let residual: Vec<f64> =
        own.iter().zip(&observed).map(|(own, observed)| own - modulus(observed)).collect();
    let energy: f64 = residual.iter().map(|r| r * r).sum();
    // dE = (p dp + H p H dp) / E, and the transpose of H is -H.
    let over = |trace: &[f64]| -> Vec<f64> {
        let scaled = residual.iter().zip(&own).map(|(r, own)| interval * r / own);
        scaled.zip(trace).map(|(scale, of)| scale * of).collect()
    };
    let (along, back) = (over(modelled), hilbert(&over(&across)));
    (0.5 * interval * energy, along.iter().zip(back).map(|(along, back)| along - back).collect())
}
