//! The range of amplitudes or velocities that a colour map spans.

use super::frame::Beyond;
use ndarray::ArrayView2;

/// Smallest and largest finite value, or (0, 0) if there is none.
pub(super) fn bounds(values: ArrayView2<'_, f32>) -> (f32, f32) {
    let wider = |(low, high): (f32, f32), v: &f32| match v.is_finite() {
        true => (low.min(*v), high.max(*v)),
        false => (low, high),
    };
    let none = (f32::INFINITY, f32::NEG_INFINITY);
    // A loop over a slice is faster than one over an array.
    let (low, high) = match values.as_slice_memory_order() {
        Some(all) => all.iter().fold(none, wider),
        None => values.iter().fold(none, wider),
    };
    if low <= high { (low, high) } else { (0.0, 0.0) }
}

/// Largest finite |value|, or 0 if there is none.
pub(super) fn peak(values: ArrayView2<'_, f32>) -> f32 {
    let (low, high) = bounds(values);
    low.abs().max(high.abs())
}

/// The percentile (0 to 100) of |value| over the finite values above `floor` in magnitude, nearest
/// rank; 0 if there is none.
///
/// The bits of positive floats sort as the floats do: one pass counts their upper halves, a second
/// sorts only the values that share the one sought. The array is neither copied nor sampled.
pub(super) fn percentile(values: ArrayView2<'_, f32>, percent: f64, floor: f32) -> f32 {
    let magnitudes = || {
        let magnitudes = values.iter().map(|v| v.abs());
        magnitudes.filter(|v| v.is_finite() && *v > floor)
    };
    let upper = |v: f32| (v.to_bits() >> 16) as usize;
    let mut counts = vec![0_usize; 1 << 16];
    for v in magnitudes() {
        counts[upper(v)] += 1;
    }
    let total: usize = counts.iter().sum();
    if total == 0 {
        return 0.0;
    }
    let sought = (percent / 100.0 * total as f64).ceil() as usize;
    let mut rank = sought.clamp(1, total) - 1;
    for (bucket, count) in counts.into_iter().enumerate() {
        if rank < count {
            let mut inside: Vec<f32> = magnitudes().filter(|&v| upper(v) == bucket).collect();
            return *inside.select_nth_unstable_by(rank, f32::total_cmp).1;
        }
        rank -= count;
    }
    0.0
}

/// The amplitude at which the colours or wiggles of a gather end: a percentile of |value|, or the
/// peak if that falls on silence.
pub(super) fn clip(traces: ArrayView2<'_, f32>, percent: f64) -> f32 {
    let clip = percentile(traces, percent, -1.0);
    if clip > 0.0 { clip } else { peak(traces) }
}

/// The velocities at the ends of the colours, m/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VelocityRange {
    /// At the first.
    pub slowest: f32,
    /// At the last.
    pub fastest: f32,
}

impl VelocityRange {
    /// The slowest and the fastest of some velocities.
    pub(super) fn of(velocities: ArrayView2<'_, f32>) -> Self {
        let (slowest, fastest) = bounds(velocities);
        Self { slowest, fastest }
    }

    /// Whether velocities lie beyond its ends.
    pub(super) fn beyond(self, velocities: ArrayView2<'_, f32>) -> Beyond {
        let (low, high) = bounds(velocities);
        Beyond { low: low < self.slowest, high: high > self.fastest }
    }

    /// A velocity as a fraction 0..=1 of the range; 0.5 if its ends are equal.
    #[inline]
    pub(super) fn share(self, velocity: f32) -> f32 {
        if self.fastest > self.slowest {
            (velocity - self.slowest) / (self.fastest - self.slowest)
        } else {
            0.5 + 0.0 * velocity
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    #[test]
    fn percentile_is_the_nearest_rank() {
        let values = Array2::from_shape_fn((10, 10), |(i, j)| {
            let sign = if j % 2 == 0 { 1.0 } else { -1.0 };
            sign * (10 * i + j + 1) as f32
        });
        for (percent, floor, expected) in [
            (100.0, 0.0, 100.0),
            (98.5, 0.0, 99.0),
            (50.0, 0.0, 50.0),
            (1e-9, 0.0, 1.0),
            (50.0, 50.0, 75.0),
        ] {
            assert_eq!(percentile(values.view(), percent, floor), expected, "{percent} {floor}");
        }
    }

    #[test]
    fn values_not_finite_do_not_count_and_nothing_to_count_is_zero() {
        let (nan, inf) = (f32::NAN, f32::INFINITY);
        for (values, most, ends) in [
            (array![[nan, inf], [2.0, -inf]], 2.0, (2.0, 2.0)),
            (array![[0.0, 0.0]], 0.0, (0.0, 0.0)),
            (array![[nan]], 0.0, (0.0, 0.0)),
        ] {
            assert_eq!(percentile(values.view(), 99.0, 0.0), most);
            assert_eq!((peak(values.view()), bounds(values.view())), (most, ends));
        }
    }

    #[test]
    fn a_share_of_equal_velocities_is_half() {
        let one = VelocityRange { slowest: 1500.0, fastest: 1500.0 };
        assert_eq!(one.share(1500.0), 0.5);
        assert_eq!(VelocityRange { slowest: 1000.0, fastest: 3000.0 }.share(1500.0), 0.25);
        assert!(one.share(f32::NAN).is_nan());
    }
}
