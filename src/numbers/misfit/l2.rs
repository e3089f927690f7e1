//! Least squares: `J = 1/2 dt sum (p - d)^2` (Tarantola 1984, "Inversion of seismic reflection data
//! in the acoustic approximation", Geophysics 49(8)).

pub(crate) fn of(modelled: &[f64], observed: &[f64], interval: f64) -> (f64, Vec<f64>) {
    let residual = modelled.iter().zip(observed).map(|(p, d)| p - d);
    let energy: f64 = residual.clone().map(|r| r * r).sum();
    (0.5 * interval * energy, residual.map(|r| interval * r).collect())
}
