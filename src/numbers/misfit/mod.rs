//! Misfits: how far modelled traces are from observed ones, and the traces whose adjoint modelling
//! is the gradient. A new one is a file here and a line in each `match`.

mod adaptive;
mod correlation;
mod envelope;
mod huber;
mod l2;
mod likeness;
mod matched;
mod transport;

pub use likeness::Likeness;
pub use matched::{
    FLANK, GivenWavelet, MatchError, MatchedSpectra, MatchedWavelet, TracePair, WaveletLimits,
};

use crate::single::{Single, unit_of};
use ndarray::{Array2, Ix2, s};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// A misfit J of modelled to observed traces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "flags", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Misfit {
    /// Half the energy of the difference.
    #[default]
    L2,
    /// The energy of small differences, the size of large ones.
    Huber,
    /// 1 minus the normalised correlation of each trace.
    Correlation,
    /// Half the energy of the difference of envelopes.
    Envelope,
    /// Distance in time over which the energy of each trace has to move (Wasserstein).
    Transport,
    /// Lag of the filter that turns each observed trace into the modelled one.
    Adaptive,
}

/// J of a trace, and its derivative by each sample of the modelled one; samples `interval` s apart.
type OfTrace = fn(&[f64], &[f64], f64) -> (f64, Vec<f64>);

impl Misfit {
    fn of_trace(self) -> OfTrace {
        match self {
            Misfit::L2 => l2::of,
            Misfit::Huber => huber::of,
            Misfit::Correlation => correlation::of,
            Misfit::Envelope => envelope::of,
            Misfit::Transport => transport::of,
            Misfit::Adaptive => adaptive::of,
        }
    }

    /// J of the traces of a shot, `[receiver][sample]`, and its derivative by each modelled sample.
    /// Samples are `interval` seconds apart; the shorter of both gathers counts.
    pub fn of(
        self,
        modelled: &Array2<f32>,
        observed: &Array2<f32>,
        interval: f64,
    ) -> (f64, Single<Ix2>) {
        let (misfit, peak, values) = self.over(1.0, [modelled, observed], interval);
        let unit = if peak.is_finite() { unit_of(peak) } else { 1.0 };
        if unit == 1.0 {
            return (misfit, values.into());
        }
        let (_, _, values) = self.over(unit, [modelled, observed], interval);
        (misfit, Single { values, unit })
    }

    /// J, the largest derivative, and the derivatives over a unit.
    fn over(
        self,
        unit: f64,
        [modelled, observed]: [&Array2<f32>; 2],
        interval: f64,
    ) -> (f64, f64, Array2<f32>) {
        let mut derivative = Array2::zeros(modelled.dim());
        let both = modelled.ncols().min(observed.ncols());
        let rows: Vec<_> = derivative.outer_iter_mut().enumerate().collect();
        let each = rows.into_par_iter().map(|(trace, mut to)| {
            let samples = |of: &Array2<f32>| of.slice(s![trace, ..both]).mapv(f64::from).to_vec();
            let of_trace = self.of_trace();
            let (misfit, by_sample) = of_trace(&samples(modelled), &samples(observed), interval);
            let peak = by_sample.iter().fold(0.0f64, |peak, by| peak.max(by.abs()));
            to.iter_mut().zip(by_sample).for_each(|(to, by)| *to = (by / unit) as f32);
            (misfit, peak)
        });
        // In the order of the traces: the sum has the same bits on any number of cores.
        let (misfits, peaks): (Vec<f64>, Vec<f64>) = each.unzip();
        (misfits.iter().sum(), peaks.into_iter().fold(0.0, f64::max), derivative)
    }
}

/// The product of two traces.
fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acquisition::Ricker;

    const INTERVAL: f64 = 0.004;
    const ALL: [Misfit; 6] = [
        Misfit::L2,
        Misfit::Huber,
        Misfit::Correlation,
        Misfit::Envelope,
        Misfit::Transport,
        Misfit::Adaptive,
    ];

    fn trace(at: f64, amplitude: f64) -> Vec<f64> {
        let ricker = Ricker { peak_hz: 12.0, delay: at };
        (0..250).map(|k| amplitude * ricker.at(k as f64 * INTERVAL)).collect()
    }

    /// J(p + h q) - J(p) - h <dJ, q> falls with h^2.
    #[test]
    fn every_derivative_is_that_of_its_misfit() {
        let (modelled, observed) = (trace(0.31, 1.3), trace(0.34, 1.0));
        let change: Vec<f64> = (0..250)
            .map(|k| (0.37 * f64::from(k)).sin() * (-f64::from(k - 90).powi(2) / 900.0).exp())
            .collect();
        for misfit in ALL {
            let of = misfit.of_trace();
            let (before, by_sample) = of(&modelled, &observed, INTERVAL);
            let along = product(&by_sample, &change);
            let remainder = |h: f64| {
                let moved: Vec<_> = modelled.iter().zip(&change).map(|(p, q)| p + h * q).collect();
                (of(&moved, &observed, INTERVAL).0 - before - h * along).abs()
            };
            assert!(before > 0.0 && along.abs() > 1e-4 * before, "{misfit:?} {along}");
            let (coarse, fine) = (remainder(1e-3), remainder(1e-4));
            assert!((80.0..120.0).contains(&(coarse / fine)), "{misfit:?}: {coarse:e} {fine:e}");
        }
    }

    #[test]
    fn equal_traces_have_no_misfit_and_silent_ones_no_derivative() {
        let (one, silence) = (trace(0.3, 2.0), vec![0.0; 250]);
        for misfit in ALL {
            let of = misfit.of_trace();
            let (none, by_sample) = of(&one, &one, INTERVAL);
            // The filter of equal traces has the width that their band leaves it.
            if misfit != Misfit::Adaptive {
                let is_still = by_sample.iter().all(|v| v.abs() < 1e-9);
                assert!(none.abs() < 1e-12 && is_still, "{misfit:?}");
            }
            for modelled in [&one, &silence] {
                let (value, by_sample) = of(modelled, &silence, INTERVAL);
                assert!(value.is_finite() && by_sample.iter().all(|v| v.is_finite()), "{misfit:?}");
            }
            // Amplitude alone does not count in some, and does in the others.
            let louder = of(&trace(0.3, 4.0), &one, INTERVAL).0 - none;
            let is_deaf = matches!(misfit, Misfit::Correlation | Misfit::Adaptive);
            assert_eq!(louder.abs() < 1e-12, is_deaf, "{misfit:?}");
        }
    }

    /// `1/2 |p/|p| - d/|d||^2` is `1 - <p, d> / (|p| |d|)`.
    #[test]
    fn the_correlation_is_least_squares_of_normalised_traces() {
        let (modelled, observed) = (trace(0.31, 1.3), trace(0.34, 1.0));
        let unit = |trace: &[f64]| -> Vec<f64> {
            let size = product(trace, trace).sqrt();
            trace.iter().map(|value| value / size).collect()
        };
        let normalised = l2::of(&unit(&modelled), &unit(&observed), 1.0).0;
        let found = correlation::of(&modelled, &observed, INTERVAL).0;
        assert!((found - normalised).abs() < 1e-12, "{found} {normalised}");
    }

    #[test]
    fn a_gather_is_its_traces() {
        let rows = [trace(0.3, 1.0), trace(0.4, 0.5)];
        let modelled = Array2::from_shape_fn((2, 250), |(r, k)| rows[r][k] as f32);
        let observed = Array2::from_shape_fn((2, 240), |(r, k)| rows[1 - r][k] as f32);
        let (value, derivative) = Misfit::L2.of(&modelled, &observed, INTERVAL);
        let of = |((r, k), d): ((usize, usize), &f32)| f64::from(modelled[[r, k]]) - f64::from(*d);
        let by_hand: f64 = observed.indexed_iter().map(|of_d| of(of_d).powi(2)).sum();
        assert!((value - 0.5 * INTERVAL * by_hand).abs() < 1e-9 * value);
        let Single { values, unit } = derivative;
        assert_eq!((values.dim(), unit), ((2, 250), 1.0));
        assert!(values.column(245).iter().all(|v| *v == 0.0));
    }

    /// Derivatives that 32-bit numbers do not hold have a unit.
    #[test]
    fn derivatives_of_any_scale_have_the_same_digits() {
        let gather = |at: f64, scale: f64| {
            let one = trace(at, scale);
            Array2::from_shape_fn((1, 250), |(_, k)| one[k] as f32)
        };
        let largest = |of: &Array2<f64>| of.iter().fold(0.0f64, |largest, v| largest.max(v.abs()));
        for misfit in ALL {
            let of = |scale: f64| {
                misfit.of(&gather(0.31, 1.3 * scale), &gather(0.34, scale), 1e-12).1.whole()
            };
            let known = of(1.0);
            for power in [-100, 100] {
                let scale = 2f64.powi(power);
                let is_relative =
                    matches!(misfit, Misfit::Correlation | Misfit::Transport | Misfit::Adaptive);
                let unit = if is_relative { 1.0 / scale } else { scale };
                let off = largest(&(of(scale) / unit - &known)) / largest(&known);
                assert!(off < 1e-7, "{misfit:?}, 2^{power}: {off:e}");
            }
        }
    }
}
