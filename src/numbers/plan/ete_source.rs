//! The source term of explicit time evolution.
//!
//! `p_next - 2 cos(v dt |k|) p + p_prev = (v dt)^2 s` gives a wave of frequency w the amplitude of
//! the wave equation times `w dt / sin(w dt)`, by which the two sides differ at the pole w = v |k|.
//! So a source injects the mean of its wavelet over the two steps around a sample, whose symbol is
//! `sin(w dt) / (w dt)`.

/// Weights of the mean over (-dt, dt) of the interpolant of five samples; its error is of the sixth
/// order in w dt.
const MEAN: [f64; 3] = [114.0 / 180.0, 34.0 / 180.0, -1.0 / 180.0];

/// The means of a wavelet that is zero before its first sample and after its last.
pub(super) fn means(samples: &[f64]) -> Vec<f64> {
    let at = |i: usize, j: isize| {
        i.checked_add_signed(j).and_then(|i| samples.get(i)).copied().unwrap_or(0.0)
    };
    let mean = |i: usize| {
        let beside = (1..).zip(&MEAN[1..]).map(|(j, weight)| weight * (at(i, j) + at(i, -j)));
        MEAN[0] * samples[i] + beside.sum::<f64>()
    };
    (0..samples.len()).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wave_gets_its_symbol() {
        for phase in [0.1f64, 0.3, 0.6] {
            let samples: Vec<f64> = (0..200).map(|i| (phase * f64::from(i)).cos()).collect();
            let ratio = means(&samples)[100] / samples[100];
            let error = ratio / (phase.sin() / phase) - 1.0;
            assert!(error.abs() < 2e-3 * phase.powi(6) + 1e-12, "{phase}: {error:e}");
        }
    }
}
