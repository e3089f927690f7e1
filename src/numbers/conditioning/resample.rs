//! Another sampling interval.

use super::{
    BandPass, ConditioningError,
    interpolated::{REACH, TOLERANCE, interpolated, samples_to},
};
use ndarray::Array2;
use std::ops::Range;

/// The high cut before a coarser interval, in its Nyquist frequency.
const ANTI_ALIAS: [f64; 2] = [0.8, 1.0];

/// The longest interval, in those of the traces: the memory for weights grows with it.
const LONGEST: f64 = 20_000.0;

/// Traces `[receiver][time]` at another interval `to`, in seconds, the first sample in place, as
/// many as there is time for. A windowed sinc interpolates (Kaiser 1974): errors below 1e-6 up to
/// 0.94 of the lower of the two Nyquist frequencies. A coarser interval first loses what it cannot
/// hold: the gain falls as a cosine from 1 at 0.8 of its Nyquist frequency to 0 there. Traces are 0
/// outside of their time, and ring there if they do not begin and end near 0.
///
/// # Errors
///
/// If an interval is out of range or 20000 times the other, or a sample is not finite.
pub fn resampled(
    traces: &Array2<f32>,
    interval: f64,
    to: f64,
) -> Result<Array2<f32>, ConditioningError> {
    ConditioningError::if_interval(interval)?;
    ConditioningError::if_interval(to)?;
    ConditioningError::if_not_finite(traces)?;
    if to > LONGEST * interval {
        return Err(ConditioningError::Close { interval, to, most: LONGEST });
    }
    let last = traces.ncols().saturating_sub(1) as f64 * interval;
    let samples = samples_to(last, to);
    ConditioningError::if_samples(samples)?;
    let count = if traces.ncols() == 0 { 0 } else { samples as usize };
    if (to / interval - 1.0).abs() * traces.ncols() as f64 <= TOLERANCE {
        return Ok(traces.clone());
    }
    if to <= interval {
        return Ok(interpolated(traces, 0.0, to / interval, count));
    }
    let high_cut = Some(ANTI_ALIAS.map(|part| part * 0.5 / to));
    let mut filtered = traces.clone();
    BandPass { low_cut: None, high_cut }.apply(&mut filtered, interval)?;
    Ok(interpolated(&filtered, 0.0, to / interval, count))
}

/// The samples of a trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Samples {
    /// Their number.
    pub count: usize,
    /// Seconds from one to the next.
    pub interval: f64,
}

/// The samples of a trace made by [`resampled`], as many as wanted, to which only recorded ones contribute more than a
/// thousandth: `recorded` of the samples given. A trace counts from its first sample on if that was
/// recorded, and up to its last one if no more are wanted.
pub fn recorded(recorded: Range<usize>, given: Samples, wanted: Samples) -> Range<usize> {
    let step = wanted.interval / given.interval;
    let (samples, wanted) = (given.count, wanted.count);
    if recorded.is_empty() {
        return 0..0;
    }
    let is_same = (step - 1.0).abs() * samples as f64 <= TOLERANCE;
    let reach = if is_same { 0.0 } else { REACH * step.max(1.0) };
    let first = match recorded.start {
        0 => 0.0,
        start => (start as f64 + reach) / step - TOLERANCE,
    };
    let last = (recorded.end - 1) as f64;
    let goes_on = recorded.end == samples && (wanted as f64 - 1.0) * step < last + 1.0;
    let end = if goes_on { wanted as f64 } else { (last - reach) / step + TOLERANCE + 1.0 };
    let end = (end.max(0.0) as usize).min(wanted);
    (first.ceil() as usize).min(end)..end
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{error, rickers},
        *,
    };

    #[test]
    fn a_ricker_is_resampled_as_its_formula_says() {
        // More traces than are interpolated side by side, and more samples than a block.
        let at: Vec<f64> = (0..37).map(|trace| 0.4 + 0.0137 * f64::from(trace)).collect();
        for (from, to) in
            [(4e-3, 1e-3), (4e-3, 0.9e-4), (1e-3, 4e-3), (2e-3, 3.3e-3), (2e-3, 2.02e-3)]
        {
            let count = (1.5 / from) as usize;
            let traces = rickers(20.0, &at, count, from, 0.0);
            let made = resampled(&traces, from, to).expect("resampled");
            let last = (count - 1) as f64 * from;
            assert_eq!(made.ncols(), (last / to + 1e-9) as usize + 1);
            let error = error(&made, &rickers(20.0, &at, made.ncols(), to, 0.0));
            println!("{from} s to {to} s: {error:.1e}");
            assert!(error < 3e-6, "{from} s to {to} s: {error}");
            // Tests the test: a thousandth of an interval late is seen.
            let late: Vec<f64> = at.iter().map(|at| at + 1e-3 * to).collect();
            let late = rickers(20.0, &late, made.ncols(), to, 0.0);
            assert!(super::super::tests::error(&made, &late) > 3e-6);
        }
    }

    fn samples((count, interval): (usize, f64)) -> Samples {
        Samples { count, interval }
    }

    /// The largest change, by samples of a wave that were not recorded, of one that counts as recorded, and of one a
    /// quarter of the reach before them.
    fn changed(hz: f64, from: f64, to: f64) -> [f32; 2] {
        let sine = |k: usize| (std::f64::consts::TAU * hz * k as f64 * from + 0.4).cos() as f32;
        let whole = Array2::from_shape_fn((1, 2000), |(_, k)| sine(k));
        let mut cut = whole.clone();
        cut.slice_mut(ndarray::s![.., ..700]).fill(0.0);
        cut.slice_mut(ndarray::s![.., 1300..]).fill(0.0);
        let [made, known] = [cut, whole].map(|of| resampled(&of, from, to).expect("resampled"));
        let off = (made - known).row(0).mapv(f32::abs);
        let [given, wanted] = [(2000, from), (off.len(), to)].map(samples);
        let part = recorded(700..1300, given, wanted);
        let largest = |of: Range<usize>| of.fold(0.0f32, |most, k| most.max(off[k]));
        let near = (0.25 * REACH * from.max(to) / to) as usize;
        [largest(part.clone()), largest(part.end + near..part.end + 2 * near)]
    }

    #[test]
    fn recorded_samples_depend_on_recorded_ones_alone() {
        for (from, to) in [(4e-3, 1e-3), (4e-3, 3.1e-3), (2e-3, 4e-3), (1e-3, 4e-3)] {
            for part in [0.1, 0.5, 0.8] {
                let [off, beyond] = changed(part * 0.5 / f64::max(from, to), from, to);
                println!("{from} s to {to} s, {part} of Nyquist: {off:.1e}, {beyond:.1e}");
                assert!(off < 1e-3, "{from} s to {to} s, {part} of Nyquist: {off}");
                // Tests the test.
                assert!(from < to || beyond > 1e-3, "{from} s to {to} s: {beyond}");
            }
        }
        for (part, wanted, known) in [
            (100..300, (1497, 1e-3), 560..1037),
            (0..375, (1497, 1e-3), 0..1497),
            (0..375, (375, 4e-3), 0..375),
            (50..375, (400, 4e-3), 50..375),
            (0..0, (375, 4e-3), 0..0),
        ] {
            assert_eq!(recorded(part, samples((375, 4e-3)), samples(wanted)), known);
        }
    }

    #[test]
    fn frequencies_that_a_coarser_interval_cannot_hold_are_lost() {
        let sine = |hz: f64, interval: f64, count| {
            let phase = std::f64::consts::TAU * hz * interval;
            Array2::from_shape_fn((1, count), |(_, k)| (phase * k as f64).sin() as f32)
        };
        for (hz, gain) in [(20.0, 1.0), (55.0, 0.0), (70.0, 0.0), (105.0, 0.0)] {
            // The new Nyquist frequency is 50 Hz.
            let made = resampled(&sine(hz, 2e-3, 5000), 2e-3, 1e-2).expect("resampled");
            assert_eq!(made.ncols(), 1000);
            let wanted = sine(hz, 1e-2, 1000) * gain;
            let off = (&made - &wanted).slice(ndarray::s![0, 200..800]).to_owned();
            assert!(off.iter().all(|off| off.abs() < 1e-3), "{hz} Hz");
        }
    }

    #[test]
    fn the_same_interval_keeps_every_bit_and_bad_ones_are_refused() {
        let traces = rickers(30.0, &[0.2], 300, 1e-3, 0.0);
        assert_eq!(resampled(&traces, 1e-3, 1e-3 * (1.0 + 1e-12)), Ok(traces.clone()));
        let seconds = "give a positive number of seconds";
        for (from, to, said) in [
            (0.0, 1e-3, seconds),
            (1e-3, -1.0, seconds),
            (1e-3, f64::NAN, seconds),
            (1e-3, f64::INFINITY, seconds),
            (1e-3, 1e-12, "traces of 299000000001 samples are too long, as at most 16777216"),
            (1e-12, 1e-3, "check the interval of the traces, in seconds"),
        ] {
            let refused = resampled(&traces, from, to).expect_err("bad").to_string();
            assert!(refused.contains(said), "{refused}");
        }
        // One sample is left of an interval longer than the traces.
        assert_eq!(resampled(&traces, 1e-3, 10.0).expect("short").ncols(), 1);
        let none = Array2::<f32>::zeros((3, 0));
        assert_eq!(resampled(&none, 1e-3, 2e-3), Ok(none));
    }
}
