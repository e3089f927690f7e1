//! The shot at the first sample.

use super::{
    ConditioningError,
    interpolated::{REACH, TOLERANCE, interpolated, samples_to},
};
use ndarray::{Array2, s};
use std::ops::Range;

/// Traces `[receiver][time]`, whose first sample is at `start`, from t = 0 on, which is the shot:
/// zeros come before a later start, and what was recorded before the shot is cut. The last sample
/// is not later than before. A start at a sample, to a millionth, copies the samples; another is
/// interpolated by a windowed sinc (Kaiser 1974), with errors below 1e-6 up to 0.94 of the Nyquist
/// frequency.
///
/// # Errors
///
/// If the interval or the start is out of range, a sample is not finite, or all was recorded before
/// t = 0.
pub fn from_zero(
    traces: &Array2<f32>,
    interval: f64,
    start: f64,
) -> Result<Array2<f32>, ConditioningError> {
    ConditioningError::if_interval(interval)?;
    ConditioningError::if_time("a start", start)?;
    let end = start + traces.ncols().saturating_sub(1) as f64 * interval;
    let samples = samples_to(end, interval);
    if samples < 1.0 {
        return Err(ConditioningError::BeforeZero { end });
    }
    ConditioningError::if_samples(samples)?;
    ConditioningError::if_not_finite(traces)?;
    let (count, later) = (samples as usize, start / interval);
    if (later - later.round()).abs() > TOLERANCE {
        return Ok(interpolated(traces, -later, 1.0, count));
    }
    // Casts from floats to integers saturate.
    let [zeros, cut] = [later, -later].map(|samples| samples.round().max(0.0) as usize);
    let mut made = Array2::zeros((traces.nrows(), count));
    let kept = count.saturating_sub(zeros).min(traces.ncols().saturating_sub(cut));
    if kept > 0 {
        let of = traces.slice(s![.., cut..cut + kept]);
        made.slice_mut(s![.., zeros..zeros + kept]).assign(&of);
    }
    Ok(made)
}

/// The samples of a trace made by [`from_zero`] to which only recorded ones contribute more than a thousandth, of a
/// trace of `samples` samples. The others are zero, or are interpolated with zeros.
pub fn recorded(samples: usize, interval: f64, start: f64) -> Range<usize> {
    let later = start / interval;
    let is_whole = (later - later.round()).abs() <= TOLERANCE;
    let reach = if is_whole { 0.0 } else { REACH };
    let first = (later + reach - TOLERANCE).ceil().max(0.0) as usize;
    let end = (later + samples as f64 - reach + TOLERANCE).floor().max(0.0) as usize;
    first.min(end)..end
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{error, rickers},
        *,
    };

    const INTERVAL: f64 = 4e-3;

    #[test]
    fn a_record_begins_at_the_shot() {
        for start in [0.2, 0.2015, 0.0, -0.2, -0.1987] {
            let traces = rickers(25.0, &[0.6, 0.7], 300, INTERVAL, start);
            let made = from_zero(&traces, INTERVAL, start).expect("made");
            let end = start + 299.0 * INTERVAL;
            let last = (made.ncols() - 1) as f64 * INTERVAL;
            assert!(end - last < INTERVAL && last < end + 1e-6, "{start}: {last} of {end}");
            let wanted = rickers(25.0, &[0.6, 0.7], made.ncols(), INTERVAL, 0.0);
            assert!(error(&made, &wanted) < 3e-6, "{start}");
            // Tests the test: the other way is seen.
            let back = from_zero(&traces, INTERVAL, -start).expect("made");
            let same = made.ncols().min(back.ncols());
            let [back, wanted] = [back, wanted].map(|of| of.slice(s![.., ..same]).to_owned());
            assert!(start == 0.0 || error(&back, &wanted) > 0.05, "{start}");
        }
    }

    /// What is recorded does not depend on what is not.
    #[test]
    fn recorded_samples_depend_on_recorded_ones_alone() {
        for start in [0.2f64, -0.2, 0.0, 0.2015, -0.1987] {
            // Waves that are cut where the record begins and where it ends, and one between.
            let at = [start.max(0.0), start + 0.5, start + 1.0];
            let traces = rickers(25.0, &at, 251, INTERVAL, start);
            let made = from_zero(&traces, INTERVAL, start).expect("made");
            let whole = rickers(25.0, &at, made.ncols(), INTERVAL, 0.0);
            let recorded = recorded(251, INTERVAL, start);
            let of = |traces: &Array2<f32>| traces.slice(s![.., recorded.clone()]).to_owned();
            assert!(error(&of(&made), &of(&whole)) < 1e-3, "{start}");
            let before = if start > 0.0 { start / INTERVAL } else { 0.0 };
            assert!(recorded.len() > 251 - 50 - 82, "{start}: {recorded:?}");
            assert!(recorded.start as f64 >= before - 1e-6, "{start}: {recorded:?}");
        }
        assert_eq!(recorded(10, INTERVAL, 5.0 * INTERVAL), 5..15);
        assert_eq!(recorded(10, INTERVAL, -4.0 * INTERVAL), 0..6);
        assert_eq!(recorded(10, INTERVAL, -40.0 * INTERVAL), 0..0);
    }

    #[test]
    fn records_without_a_shot_are_refused() {
        let traces = Array2::<f32>::ones((2, 10));
        for (start, said) in [
            (-1.036, "the traces end at -1 s, so that nothing is left from t = 0 on"),
            (1e6, "250000010 samples"),
            (f64::NAN, "NaN s"),
        ] {
            let refused = from_zero(&traces, INTERVAL, start).expect_err("bad").to_string();
            assert!(refused.contains(said), "{refused}");
        }
        let short = from_zero(&traces, INTERVAL, -9.0 * INTERVAL).expect("one is left");
        assert_eq!(short, Array2::<f32>::ones((2, 1)));
    }
}
