//! Kernels timed in turn over several rounds, so that disturbances affect all of them alike.

use crate::EngineError;
use serde::Serialize;

/// Time of a kernel on the stand-in.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Timing {
    /// The kernel.
    pub kernel: &'static str,
    /// Seconds per step in the fastest round: disturbances only slow.
    pub seconds: f64,
    /// 10^9 nodes/s, layers included.
    pub gpts: f64,
    /// Excess of the median round over the fastest, as a fraction of the fastest.
    pub spread: f64,
    /// Its time over that of the fastest kernel, the median of the rounds: in a round a load slows
    /// both.
    pub(crate) ratio: f64,
}

/// Kernels whose times differ by a smaller fraction of the fastest tie on a stand-in; a real job
/// may tell them apart.
const TIED: f64 = 0.02;
/// Takes `rounds` times of every kernel, seconds per step, one kernel after the other in each
/// round. Puts the fastest first, or the earliest of `kernels` that ties with it: the better guess.
/// Omits a kernel for which the clock was too coarse. `time` is given the round and the kernel, and
/// ends the rounds early by `None`.
pub(super) fn interleaved(
    kernels: &[&'static str],
    rounds: usize,
    nodes: f64,
    time: &mut dyn FnMut(usize, usize) -> Result<Option<f64>, EngineError>,
) -> Result<Vec<Timing>, EngineError> {
    let mut times = vec![Vec::new(); kernels.len()];
    'rounds: for round in 0..rounds {
        for (index, times) in times.iter_mut().enumerate() {
            match time(round, index)? {
                Some(seconds) => times.push(seconds),
                None => break 'rounds,
            }
        }
    }
    let timing = |(kernel, times): (&&'static str, &Vec<f64>)| {
        let mut times: Vec<_> = times.iter().copied().filter(|seconds| *seconds > 0.0).collect();
        let median = median(&mut times)?;
        let (seconds, ratio) = (times[0], 1.0);
        let spread = median / seconds - 1.0;
        Some(Timing { kernel, seconds, gpts: 1e-9 * nodes / seconds, spread, ratio })
    };
    let mut timings: Vec<Timing> = kernels.iter().zip(&times).filter_map(timing).collect();
    let fastest = timings.iter().map(|timing| timing.seconds).fold(f64::INFINITY, f64::min);
    let tied = timings.iter().position(|timing| timing.seconds <= (1.0 + TIED) * fastest);
    let guess = tied.map(|tied| timings[tied].kernel);
    // The guess first, then by time.
    timings.sort_by(|a, b| {
        let other = |timing: &Timing| Some(timing.kernel) != guess;
        other(a).cmp(&other(b)).then(a.seconds.total_cmp(&b.seconds))
    });
    let of = |kernel| kernels.iter().position(|name| *name == kernel).map(|index| &times[index]);
    if let Some(best) = guess.and_then(of) {
        for timing in &mut timings {
            let both = of(timing.kernel).into_iter().flatten().zip(best);
            let mut ratios: Vec<_> = both.filter(|(_, b)| **b > 0.0).map(|(a, b)| a / b).collect();
            timing.ratio = median(&mut ratios).unwrap_or(1.0);
        }
    }
    Ok(timings)
}

/// Sorts numbers; the one in the middle.
fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERNELS: [&str; 3] = ["a", "b", "c"];

    /// Timings of kernels that take `least` seconds, each time slowed by a load.
    fn timed(least: [f64; 3], load: impl Fn(usize) -> f64) -> Vec<Timing> {
        let mut turn = 0;
        let mut time = |_, kernel: usize| {
            turn += 1;
            Ok(Some(least[kernel] * load(turn - 1)))
        };
        interleaved(&KERNELS, 5, 1e9, &mut time).expect("no error")
    }

    fn order(timings: &[Timing]) -> Vec<&str> {
        timings.iter().map(|timing| timing.kernel).collect()
    }

    #[test]
    fn a_quiet_device_is_believed() {
        let timings = timed([1.3, 1.0, 1.5], |turn| 1.0 + 0.01 * (turn % 3) as f64);
        assert_eq!(order(&timings), ["b", "a", "c"]);
        assert!((timings[0].seconds - 1.01).abs() < 0.011 && timings[0].spread < 0.05);
    }

    #[test]
    fn of_kernels_that_tie_the_earliest_is_first() {
        assert_eq!(order(&timed([1.5, 1.015, 1.0], |_| 1.0)), ["b", "c", "a"]);
        assert_eq!(order(&timed([1.5, 1.03, 1.0], |_| 1.0)), ["c", "b", "a"]);
    }

    /// Timed one after the other, the first two would have been slowed, and the third chosen.
    #[test]
    fn a_load_for_a_while_slows_all_alike() {
        let timings = timed([1.0, 1.2, 1.5], |turn| if turn < 6 { 2.0 } else { 1.0 });
        assert_eq!(order(&timings), ["a", "b", "c"]);
    }

    /// A clock that falls and rises by a sixth from round to round hides no order.
    #[test]
    fn a_load_of_whole_rounds_slows_all_alike() {
        let timings = timed([1.0, 1.1, 1.5], |turn| if turn / 3 % 2 == 0 { 1.0 } else { 1.2 });
        assert_eq!(order(&timings), ["a", "b", "c"]);
        assert!((timings[1].ratio - 1.1).abs() < 1e-9 && timings[0].ratio == 1.0);
    }

    #[test]
    fn rounds_end_early_and_coarse_clocks_tell_nothing() {
        let mut time =
            |round, kernel| Ok((round < 2).then_some(if kernel == 1 { 0.0 } else { 1.0 }));
        let timings = interleaved(&KERNELS, 5, 1e9, &mut time).expect("no error");
        assert_eq!(order(&timings), ["a", "c"]);
        assert_eq!(interleaved(&[], 5, 1e9, &mut time), Ok(Vec::new()));
    }
}
