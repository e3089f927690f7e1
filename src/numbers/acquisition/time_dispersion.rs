//! The error of the leapfrog in time, and its removal from traces.
//!
//! For a frequency w, `p(t + dt) - 2 p(t) + p(t - dt)` has the frequency `(2/dt) sin(w dt/2)` in
//! place of w, and nothing else in the equation depends on time. So the scheme's field at w is the
//! exact one at that lower frequency: it arrives too early, the more so the higher and the later.
//! If the wavelet's spectrum is warped before the run and the traces' spectra are warped back after
//! it, the traces are those of an exact scheme, in any medium (Koene, Robertsson, Broggini and
//! Andersson 2018, "Eliminating time dispersion from seismic wave modeling", Geophysical Journal
//! International 213(1)):
//!
//! ```text
//! S_fd(w) = S((2/dt) sin(w dt/2))        U(w) = U_fd((2/dt) asin(w dt/2))
//! ```

use super::warp::Warp;
use huygens_fourier::Complex;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

// Corrected, a Plan's wavelets are warped before the run, and `Plan::correct` warps the recorded
// traces, as `workflow::shot` does; snapshots are then the scheme's field for the warped wavelet.
/// What is done about the scheme's error in time. Kept by default: snapshots cannot be corrected, and would
/// no longer match the traces in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Dispersion"))]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum TimeDispersion {
    #[default]
    Kept,
    Corrected,
}

/// A wavelet for the scheme, `count` samples of it: S((2/dt) sin(w dt/2)). `samples` must extend
/// further if the wavelet does, since high frequencies move to earlier times, by t (1 - cos(w
/// dt/2)).
pub(crate) fn add(mut samples: Vec<f64>, count: usize) -> Vec<f64> {
    // The caller's truncation at the end must not leave a jump.
    taper(&mut samples, count + count / 2);
    let peak = samples.iter().fold(0.0f64, |m, s| m.max(s.abs()));
    let length = samples.iter().rposition(|s| s.abs() > SILENT * peak).map_or(0, |last| last + 1);
    if length == 0 {
        return vec![0.0; count];
    }
    let warp = Warp::new(length, |phi| Some(2.0 * (0.5 * phi).sin()));
    let series = samples[..length].iter().map(|s| s.into()).collect();
    let mut warped: Vec<f64> = warp.apply(&[series])[0].iter().map(|s| s.re).collect();
    // Nothing moves to later times.
    warped.truncate(length);
    warped.resize(count, 0.0);
    warped
}

/// Steps that a run continues beyond its `steps`, so that the end of its traces can be corrected as
/// well.
///
/// The correction moves values from earlier steps to n, the less the lower their frequency. A
/// spectrum that is moved by w^3 n / 24 spreads a sample as an Airy function, (n / 8)^(1/3) steps
/// wide; five of these widths beyond the end Ai is below 2e-4.
pub(crate) fn beyond(steps: usize) -> usize {
    (5.0 * (steps as f64 / 8.0).cbrt()).ceil() as usize
}

/// Removes the scheme's error from traces: U_fd((2/dt) asin(w dt/2)). `traces` are
/// `[trace][sample]` with `count` samples per trace, one every `every` steps, the first at t = 0;
/// discard the last [`beyond`] steps.
///
/// Each trace is continued by its reflection about its last sample, faded out, since a jump to zero
/// would ring. Frequencies that would be delayed by more than their time, above 0.87 of 1/(pi dt),
/// are dropped; no grid resolves them.
pub(crate) fn remove<T: Sample>(traces: &mut [T], count: usize, every: usize) {
    in_pairs(traces, count, every, |warp, pairs| {
        let series: Vec<_> = pairs.iter().map(|pair| extended(pair, count)).collect();
        warp.apply(&series)
    });
}

/// The adjoint of [`remove`]; traces keep their length.
pub(crate) fn remove_adjoint<T: Sample>(traces: &mut [T], count: usize, every: usize) {
    in_pairs(traces, count, every, |warp, pairs| {
        let series: Vec<_> = pairs.iter().map(|pair| complex(pair, count)).collect();
        let mut spread = warp.apply_adjoint(&series);
        spread.iter_mut().for_each(|series| folded(series, count));
        spread
    });
}

/// Transforms traces in place, two at a time as one complex series.
fn in_pairs<T: Sample>(
    traces: &mut [T],
    count: usize,
    every: usize,
    made: impl Fn(&Warp, &[&[T]]) -> Vec<Vec<Complex<f64>>> + Sync,
) {
    if count < 2 || traces.is_empty() {
        return;
    }
    let per_step = 2.0 * every as f64;
    let warp = Warp::new(count + count / 4, |phi| {
        let sine = phi / per_step;
        let from = per_step * sine.min(1.0).asin();
        (sine <= LATEST && from <= PI).then_some(from)
    });
    let pairs = (AT_ONCE / warp.size()).clamp(1, 16);
    traces.par_chunks_mut(2 * pairs * count).for_each(|traces| {
        let series = made(&warp, &traces.chunks(2 * count).collect::<Vec<_>>());
        for (pair, series) in traces.chunks_mut(2 * count).zip(series) {
            for (n, value) in series[..count].iter().enumerate() {
                pair[n] = T::of(value.re);
                if let Some(second) = pair.get_mut(count + n) {
                    *second = T::of(value.im);
                }
            }
        }
    });
}

/// A sample of a trace.
pub trait Sample: Copy + Default + Send + Sync + Into<f64> {
    /// Rounded.
    fn of(value: f64) -> Self;
}

impl Sample for f32 {
    fn of(value: f64) -> Self {
        value as f32
    }
}

impl Sample for f64 {
    fn of(value: f64) -> Self {
        value
    }
}

/// The largest value in a wavelet's tail, relative to its peak, that counts as silence.
const SILENT: f64 = 1e-17;

/// sin(w dt/2) at which the delay equals the time: sqrt(3)/2.
const LATEST: f64 = 0.866;

/// Complex samples per task.
const AT_ONCE: usize = 1 << 18;

/// One or two traces as a complex series.
fn complex<T: Sample>(pair: &[T], count: usize) -> Vec<Complex<f64>> {
    let second = |n: usize| pair.get(count + n).copied().unwrap_or_default().into();
    (0..count).map(|n| Complex::new(pair[n].into(), second(n))).collect()
}

/// [`complex`], continued so that it ends without a jump.
fn extended<T: Sample>(pair: &[T], count: usize) -> Vec<Complex<f64>> {
    let mut series = complex(pair, count);
    let (last, length) = (series[count - 1], count / 4);
    let beyond = (1..=length).map(|n| fade(n, length + 1) * (2.0 * last - series[count - 1 - n]));
    let beyond: Vec<_> = beyond.collect();
    series.extend(beyond);
    series
}

/// The adjoint of the continuation in [`extended`].
fn folded(series: &mut [Complex<f64>], count: usize) {
    let length = count / 4;
    for n in 1..=length {
        let beyond = fade(n, length + 1) * series[count - 1 + n];
        series[count - 1] += 2.0 * beyond;
        series[count - 1 - n] -= beyond;
    }
}

/// Fades a series out from a sample on.
fn taper(samples: &mut [f64], from: usize) {
    let length = samples.len().saturating_sub(from);
    for (n, sample) in samples.iter_mut().skip(from).enumerate() {
        *sample *= fade(n + 1, length + 1);
    }
}

/// From 1 at 0 to 0 at `length`, without a corner.
fn fade(n: usize, length: usize) -> f64 {
    (0.5 * PI * n as f64 / length as f64).cos().powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        acquisition::{Ricker, Wavelet},
        testing::{self, assert_adjoint, random},
    };

    /// Frequency of an oscillator and peak of its driving wavelet, Hz.
    const OWN: f64 = 31.0;
    const PEAK: f64 = 25.0;
    const DURATION: f64 = 2.0;

    /// `u'' = -W^2 u + s` by the leapfrog, every `every` steps, corrected or not: the equation of
    /// each wavenumber of a wavefield.
    fn oscillator(dt: f64, every: usize, duration: f64, corrected: bool) -> Vec<f32> {
        let kept = (duration / dt).round() as usize;
        let steps = kept + beyond(kept);
        let ricker = Wavelet::Ricker(Ricker { peak_hz: PEAK, delay: 0.1 });
        let mut s = ricker.samples(dt, 2 * steps).expect("a Ricker has samples");
        if corrected {
            s = add(s, steps);
        }
        let w2 = (2.0 * PI * OWN).powi(2);
        let (mut before, mut now, mut trace) = (0.0, 0.0, vec![0.0f32]);
        for (n, s) in s[..steps].iter().enumerate() {
            let next = 2.0 * now - before + dt * dt * (s - w2 * now);
            (before, now) = (now, next);
            if (n + 1).is_multiple_of(every) {
                trace.push(now as f32);
            }
        }
        let count = trace.len();
        if corrected {
            remove(&mut trace, count, every);
        }
        trace.truncate(kept / every + 1);
        trace
    }

    /// The relative error against Duhamel's integral.
    fn error(trace: &[f32], interval: f64) -> f64 {
        let w = 2.0 * PI * OWN;
        let ricker = Ricker { peak_hz: PEAK, delay: 0.1 };
        // The pulse is over at 0.3 s; the rectangle rule is exact for such a smooth function.
        let fine = 1e-4;
        let exact = |t: f64| -> f64 {
            let terms = (0..3000).map(|n| n as f64 * fine).take_while(|at| *at < t);
            terms.map(|at| ricker.at(at) * (w * (t - at)).sin()).sum::<f64>() * fine / w
        };
        let ours: Vec<f64> = trace.iter().map(|u| f64::from(*u)).collect();
        let exact: Vec<f64> = (0..trace.len()).map(|n| exact(n as f64 * interval)).collect();
        testing::error(&ours, &exact)
    }

    #[test]
    fn an_oscillator_follows_its_equation() {
        // At 3 ms the oscillator turns by 0.58 rad a step.
        for (dt, every) in [(3e-3, 1), (2e-3, 1), (2e-3, 2), (1e-3, 5)] {
            let interval = dt * every as f64;
            let errors = [false, true]
                .map(|corrected| error(&oscillator(dt, every, DURATION, corrected), interval));
            println!("{dt} s, every {every}: {:.2e}, corrected {:.2e}", errors[0], errors[1]);
            assert!(errors[0] > 0.1 * (dt / 1e-3) && errors[1] < 5e-5, "{errors:?}");
        }
    }

    /// Tests the test: half of the correction is not enough.
    #[test]
    fn half_of_the_correction_is_seen() {
        // The traces alone; as of another step.
        for (every, least) in [(1, 2e-3), (2, 0.1)] {
            let mut traces = oscillator(2e-3, 1, DURATION, false);
            let count = traces.len();
            remove(&mut traces, count, every);
            let error = error(&traces, 2e-3);
            assert!(error > least, "{every}: {error:.2e}");
        }
    }

    #[test]
    fn the_end_of_a_trace_is_as_good_as_its_middle() {
        let (short, long) = (oscillator(2e-3, 1, 1.0, true), oscillator(2e-3, 1, DURATION, true));
        // The oscillator's trace ends at full amplitude.
        let peak = long.iter().fold(0.0f32, |m, u| m.max(u.abs()));
        let off = |from: usize, to: usize| {
            let pairs = short[from..to].iter().zip(&long[from..to]);
            pairs.fold(0.0f32, |m, (a, b)| m.max((a - b).abs())) / peak
        };
        let (middle, end) = (off(0, 450), off(450, 501));
        println!("cut off in full swing: {middle:.1e} before, {end:.1e} in the last tenth");
        assert!(short[480..].iter().any(|u| u.abs() > 0.5 * peak));
        assert!(middle < 5e-5 && end < 1e-4, "{middle:e} and {end:e}");
    }

    #[test]
    fn adding_and_removing_are_inverse() {
        let ricker = Wavelet::Ricker(Ricker { peak_hz: 30.0, delay: 0.3 });
        let samples = ricker.samples(2e-3, 800).expect("a Ricker has samples");
        let warped: Vec<f64> = add(samples.clone(), 400);
        let moved = warped.iter().zip(&samples).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(moved > 0.1, "30 Hz at 2 ms is moved: {moved}");
        let mut back: Vec<f32> = warped.iter().map(|s| *s as f32).collect();
        // An odd number of traces: pairs, and one alone.
        back.extend_from_within(..);
        back.extend_from_within(..400);
        remove(&mut back, 400, 1);
        for trace in back.chunks(400) {
            for (a, b) in trace.iter().zip(&samples) {
                assert!((f64::from(*a) - b).abs() < 2e-6, "{a} and {b}");
            }
        }
    }

    /// <R x, y> = <x, R' y>, for any x and y, an odd number of traces.
    #[test]
    fn a_removal_has_its_adjoint() {
        for every in [1, 3] {
            let (x, y) = (random(1, 3 * 101), random(2, 3 * 101));
            let (mut there, mut back) = (x.clone(), y.clone());
            remove(&mut there, 101, every);
            remove_adjoint(&mut back, 101, every);
            assert_adjoint([&x, &there], [&y, &back]);
        }
    }

    #[test]
    fn silence_and_short_traces_stay() {
        assert_eq!(add(vec![0.0; 8], 4), [0.0; 4]);
        assert_eq!(add(Vec::new(), 3), [0.0; 3]);
        let mut one = [1.0f32, 2.0];
        remove(&mut one, 1, 1);
        assert_eq!(one, [1.0, 2.0]);
        remove::<f32>(&mut [], 0, 1);
    }

    #[test]
    fn what_a_wavelet_has_beyond_the_run_moves_into_it() {
        let ricker = Wavelet::Ricker(Ricker { peak_hz: 30.0, delay: 0.3 });
        let samples = ricker.samples(2e-3, 800).expect("a Ricker has samples");
        // The run ends five steps after the peak.
        let (whole, short) = (add(samples.clone(), 400), add(samples[..310].to_vec(), 155));
        for (a, b) in whole.iter().zip(&short) {
            assert!((a - b).abs() < 1e-8, "{a} and {b}");
        }
    }

    #[test]
    fn a_series_fades_as_the_square_of_a_cosine() {
        let mut samples = [1.0; 4];
        taper(&mut samples, 2);
        for (ours, known) in samples.iter().zip([1.0, 1.0, 0.75, 0.25]) {
            assert!((ours - known).abs() < 1e-15, "{samples:?}");
        }
    }
}
