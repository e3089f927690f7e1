//! Least-squares fit of a source's traces to a recording.

use nalgebra::{Cholesky, DMatrix, DVector};
use ndarray::{Array2, ArrayView1};
use rayon::prelude::*;
use std::ops::Range;

/// Reach of the filter to each side of the source's time, periods: a Ricker wavelet is over by
/// then.
const REACH: f64 = 0.75;
/// Samples of the filter per period.
const SAMPLES: f64 = 8.0;
/// Ridge on the diagonal of the normal equations, relative to it, so that frequencies that were not
/// sent stay as they are.
const RIDGE: f64 = 1e-3;
/// Traces in a partial sum: always the same, so that the bits are.
const TOGETHER: usize = 32;

/// Lags of a filter, in samples of a recording.
#[derive(Clone, Debug)]
pub(super) struct Lags(Vec<isize>);

impl Lags {
    /// Lags around `late` seconds, by the dominant frequency of a recording.
    pub(crate) fn around(late: f64, hz: f64, interval: f64) -> Self {
        let period = 1.0 / (hz * interval).max(1e-9);
        let stride = ((period / SAMPLES) as isize).max(1);
        let reach = (REACH * period / stride as f64).ceil() as isize;
        let middle = (late / interval).round() as isize;
        Lags((-reach..=reach).map(|n| middle + n * stride).collect())
    }

    /// A trace at each lag, one column each.
    fn columns(&self, trace: ArrayView1<'_, f32>) -> DMatrix<f64> {
        let samples = trace.len();
        DMatrix::from_fn(samples, self.0.len(), |n, lag| {
            let from = n as isize - self.0[lag];
            if (0..samples as isize).contains(&from) {
                f64::from(trace[from as usize])
            } else {
                0.0
            }
        })
    }
}

/// A fit.
#[derive(Clone, Debug)]
pub(super) struct Explained {
    /// The centre of the filter's energy, samples.
    pub(crate) lag: f64,
    /// The explained fraction of the recording's energy.
    pub(crate) part: f64,
    /// Samples of the filter.
    filter: DVector<f64>,
    /// Distance from the source to the place that explains most, along the axis of each dipole, m.
    pub(crate) off: Vec<f64>,
}

impl Explained {
    /// Fits `recorded` by the traces of a monopole and, after it, of dipoles along some axes at the
    /// same place, all of shape `[receiver][time]`: first the monopole's filter, then it and the
    /// first order of a move along each axis.
    pub(crate) fn new(recorded: &Array2<f32>, sent: &[Array2<f32>], lags: &Lags) -> Self {
        let alone = |trace: usize| lags.columns(sent[0].row(trace));
        let (filter, _) = solved(recorded, alone);
        let moved = |trace: usize| {
            let columns = alone(trace);
            let count = columns.ncols();
            let mut all = columns.insert_columns(count, sent.len() - 1, 0.0);
            for (axis, dipole) in sent[1..].iter().enumerate() {
                all.set_column(count + axis, &(lags.columns(dipole.row(trace)) * &filter));
            }
            all
        };
        let (weights, explained) = solved(recorded, moved);
        let energy: f64 = recorded.iter().map(|v| f64::from(*v).powi(2)).sum();
        let count = filter.len();
        let weighed = lags.0.iter().zip(filter.iter()).map(|(lag, v)| (*lag as f64, v * v));
        let (sum, moment) =
            weighed.fold((f64::MIN_POSITIVE, 0.0), |(a, b), (lag, w)| (a + w, b + lag * w));
        Explained {
            lag: moment / sum,
            part: explained / energy.max(f64::MIN_POSITIVE),
            filter,
            off: weights.iter().skip(count).copied().collect(),
        }
    }

    /// The residual of a recording less the filtered monopole.
    pub(crate) fn left(
        &self,
        recorded: &Array2<f32>,
        sent: &Array2<f32>,
        lags: &Lags,
    ) -> Array2<f32> {
        let mut left = recorded.clone();
        for (mut left, sent) in left.outer_iter_mut().zip(sent.outer_iter()) {
            let said = lags.columns(sent) * &self.filter;
            left.iter_mut().zip(said.iter()).for_each(|(left, said)| *left -= *said as f32);
        }
        left
    }
}

/// The least-squares weight of each column, and the explained energy; `columns` returns those of a
/// trace.
fn solved(
    recorded: &Array2<f32>,
    columns: impl Fn(usize) -> DMatrix<f64> + Sync,
) -> (DVector<f64>, f64) {
    let sums = |traces: Range<usize>| {
        let sum = traces.map(|trace| {
            let (columns, recorded) = (columns(trace), recorded.row(trace));
            let data =
                DVector::from_iterator(recorded.len(), recorded.iter().map(|v| f64::from(*v)));
            (columns.tr_mul(&columns), columns.tr_mul(&data))
        });
        sum.reduce(|(a, b), (c, d)| (a + c, b + d))
    };
    let parts: Vec<_> = (0..recorded.nrows())
        .into_par_iter()
        .step_by(TOGETHER)
        .filter_map(|first| sums(first..(first + TOGETHER).min(recorded.nrows())))
        .collect();
    let Some((gram, data)) = parts.into_iter().reduce(|(a, b), (c, d)| (a + c, b + d)) else {
        return (DVector::zeros(0), 0.0);
    };
    // Columns are scaled to unit length, whatever their unit.
    let lengths = gram.diagonal().map(|square| square.sqrt().max(f64::MIN_POSITIVE));
    let gram = DMatrix::from_fn(gram.nrows(), gram.ncols(), |i, j| {
        gram[(i, j)] / (lengths[i] * lengths[j]) + if i == j { RIDGE } else { 0.0 }
    });
    let data = data.component_div(&lengths);
    match Cholesky::new(gram) {
        Some(factors) => {
            let weights = factors.solve(&data);
            let explained = weights.dot(&data);
            (weights.component_div(&lengths), explained)
        }
        // A silent recording.
        None => (DVector::zeros(data.len()), 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acquisition::Ricker;

    const INTERVAL: f64 = 2e-3;

    /// A Ricker of 10 Hz from (x, z), recorded every 30 m at z = 0 in 2000 m/s.
    fn heard(x: f64, z: f64, delay: f64) -> Array2<f32> {
        Array2::from_shape_fn((60, 800), |(r, n)| {
            let far = (30.0 * r as f64 - x).hypot(z);
            let ricker = Ricker { peak_hz: 10.0, delay: delay + far / 2000.0 };
            (ricker.at(n as f64 * INTERVAL) / far.sqrt()) as f32
        })
    }

    fn dipole(x: f64, z: f64, (dx, dz): (f64, f64)) -> Array2<f32> {
        // The derivative at the receiver.
        let (before, after) = (heard(x + dx, z + dz, 0.15), heard(x - dx, z - dz, 0.15));
        (after - before) / (2.0 * dx.hypot(dz)) as f32
    }

    #[test]
    fn a_source_explains_its_own_recording_and_a_moved_one_knows_how_far_it_is_off() {
        let recorded = heard(803.0, 604.0, 0.4);
        let lags = Lags::around(0.25, 10.0, INTERVAL);
        let of = |x: f64, z: f64| {
            let sent = [heard(x, z, 0.15), dipole(x, z, (0.0, 0.5)), dipole(x, z, (0.5, 0.0))];
            (Explained::new(&recorded, &sent, &lags), sent)
        };
        let (there, sent) = of(803.0, 604.0);
        assert!(there.part > 0.998, "{}", there.part);
        assert!(there.off.iter().all(|off| off.abs() < 0.3), "{:?}", there.off);
        let energy = |g: &Array2<f32>| g.iter().map(|v| v * v).sum::<f32>();
        assert!(energy(&there.left(&recorded, &sent[0], &lags)) < 0.01 * energy(&recorded));
        let (near, _) = of(800.0, 610.0);
        // The wavelet sent has a delay of 0.15 s, and 7 m less of depth are 3 ms.
        assert!((near.lag * INTERVAL - 0.25).abs() < 0.01, "{}", near.lag);
        let [z, x] = [near.off[0], near.off[1]];
        assert!((z - 6.0).abs() < 1.0 && (x + 3.0).abs() < 0.5, "{z}, {x}");
        let (elsewhere, _) = of(500.0, 900.0);
        assert!(elsewhere.part < 0.7, "{}", elsewhere.part);
    }

    #[test]
    fn silence_explains_nothing() {
        let (recorded, silence) = (heard(803.0, 604.0, 0.4), Array2::zeros((60, 800)));
        let lags = Lags::around(0.25, 10.0, INTERVAL);
        let none = Explained::new(&recorded, &[silence.clone(), silence], &lags);
        assert_eq!((none.part, none.off), (0.0, vec![0.0]));
    }
}
