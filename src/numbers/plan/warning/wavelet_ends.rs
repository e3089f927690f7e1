//! How near to zero a wavelet begins and ends.

/// The largest start, and end, of a wavelet that is near zero, over its largest value: a smaller
/// jump is lost beside the wave. A Ricker wavelet delayed by one period starts just below.
pub(super) const NEAR_ZERO: f64 = 1e-3;

/// |s| at t = 0 over its largest value; `None` for silence.
pub(super) fn start(row: &[f64]) -> Option<f64> {
    row.first().and_then(|first| share(row, *first))
}

/// |s| at the end over its largest value; `None` for silence.
pub(super) fn end(row: &[f64]) -> Option<f64> {
    row.last().and_then(|last| share(row, *last))
}

fn share(row: &[f64], value: f64) -> Option<f64> {
    let peak = row.iter().fold(0.0f64, |m, s| m.max(s.abs()));
    (peak > 0.0).then(|| value.abs() / peak)
}

#[cfg(test)]
mod tests {
    use super::{end, start};

    #[test]
    fn starts_and_ends_are_measured_against_the_peak() {
        for (row, from, to) in [
            (&[0.0, 1.0, -4.0][..], Some(0.0), Some(1.0)),
            (&[-1.0, 1.0, -4.0], Some(0.25), Some(1.0)),
            (&[0.0, -4.0, 1.0], Some(0.0), Some(0.25)),
            (&[1.0, 0.0], Some(1.0), Some(0.0)),
            (&[], None, None),
            (&[0.0, 0.0], None, None),
        ] {
            assert_eq!((start(row), end(row)), (from, to), "{row:?}");
        }
    }
}
