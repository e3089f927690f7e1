//! Tapers: cosines at the ends of traces, and across the outer traces of a gather.

use super::{ConditioningError, each};
use ndarray::Array2;
use std::f64::consts::PI;

/// `sin^2(pi at / (2 length))`: from 0 at 0 to 1 at `length` and beyond, without a corner; half a
/// period of a cosine.
pub fn fade(at: f64, length: f64) -> f64 {
    if at >= length { 1.0 } else { (0.5 * PI * at.max(0.0) / length).sin().powi(2) }
}

/// Tapers traces `[receiver][time]` in time, over `first` s at their beginning and `last` s at their
/// end: a sample is multiplied by `sin^2(pi t / (2 T))`, with T the length of the taper and t the
/// time from the sample outside of the trace, which would be 0.
///
/// # Errors
///
/// If a length is negative, or both together are longer than the traces.
pub fn ends(
    traces: &mut Array2<f32>,
    interval: f64,
    first: f64,
    last: f64,
) -> Result<(), ConditioningError> {
    ConditioningError::if_interval(interval)?;
    ConditioningError::if_length("a taper", first)?;
    ConditioningError::if_length("a taper", last)?;
    let count = traces.ncols();
    let duration = count as f64 * interval;
    if first + last > duration {
        return Err(ConditioningError::Overlap { first, last, duration });
    }
    let gain = |k: usize| {
        let [before, after] = [k + 1, count - k].map(|samples| samples as f64 * interval);
        fade(before, first) * fade(after, last)
    };
    let gain: Vec<f64> = (0..count).map(gain).collect();
    each(traces, |_, mut trace| {
        trace.iter_mut().zip(&gain).for_each(|(s, gain)| *s = (f64::from(*s) * gain) as f32);
    });
    Ok(())
}

/// Tapers the outer `tapered` traces at each side of a gather `[receiver][time]`: trace j from its
/// side, counted from 1, is multiplied by `sin^2(pi j / (2 (tapered + 1)))`.
///
/// # Errors
///
/// If the two tapers overlap.
pub fn sides(traces: &mut Array2<f32>, tapered: usize) -> Result<(), ConditioningError> {
    let count = traces.nrows();
    if tapered > count / 2 {
        return Err(ConditioningError::Sides { tapered, traces: count });
    }
    each(traces, |trace, mut row| {
        let gain = fade((trace + 1).min(count - trace) as f64, (tapered + 1) as f64);
        row.mapv_inplace(|s| (f64::from(s) * gain) as f32);
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_traces_are_a_cosine_and_their_middle_stays() {
        let mut traces = Array2::from_elem((3, 100), 2.0f32);
        ends(&mut traces, 0.01, 0.1, 0.2).expect("short tapers");
        for trace in traces.rows() {
            for k in 0..100 {
                let cosine = |samples: f64, length: f64| {
                    0.5 - 0.5 * (PI * (samples / length).min(1.0)).cos()
                };
                let wanted = 2.0 * cosine(k as f64 + 1.0, 10.0) * cosine(100.0 - k as f64, 20.0);
                assert!((f64::from(trace[k]) - wanted).abs() < 1e-6, "{k}: {}", trace[k]);
            }
            assert_eq!((trace[9], trace[80]), (2.0, 2.0));
        }
        let same = traces.clone();
        ends(&mut traces, 0.01, 0.0, 0.0).expect("none");
        assert_eq!(traces, same);
    }

    #[test]
    fn the_outer_traces_are_a_cosine() {
        let mut traces = Array2::<f32>::ones((7, 4));
        sides(&mut traces, 2).expect("a narrow taper");
        let column: Vec<f32> = traces.column(1).to_vec();
        assert!((column[0] - 0.25).abs() < 1e-6 && (column[1] - 0.75).abs() < 1e-6, "{column:?}");
        assert_eq!(column[2..5], [1.0; 3]);
        assert_eq!((column[6], column[5]), (column[0], column[1]));
    }

    #[test]
    fn bad_tapers_are_refused() {
        let mut traces = Array2::<f32>::ones((4, 10));
        let mut at_ends = |interval, first, last| ends(&mut traces, interval, first, last);
        for (refused, said) in [
            (at_ends(0.1, 0.6, 0.5), "tapers of 0.6 s and 0.5 s overlap in traces of 1 s; give"),
            (at_ends(0.1, -0.1, 0.0), "a taper of -0.1 s"),
            (at_ends(0.0, 0.1, 0.0), "a sampling interval of 0 s"),
            (sides(&mut traces, 3), "a taper over 3 traces at each side overlaps"),
        ] {
            let refused = refused.expect_err("bad").to_string();
            assert!(refused.starts_with(said), "{refused}");
        }
        assert_eq!(traces, Array2::<f32>::ones((4, 10)));
    }
}
