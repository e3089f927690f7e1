//! Mutes: zeros before or after a straight line of time over offset.

use super::{ConditioningError, each, taper::fade};
use crate::grid::Position;
use ndarray::{Array2, ArrayViewMut1};

/// The line of a mute, at the time `delay + |offset| / velocity`. Before it, as for the direct wave,
/// everything is 0 and the taper follows; a mute of the tail is its mirror image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mute {
    /// m/s; infinite for one time at all offsets.
    pub velocity: f64,
    /// Seconds after the arrival of this velocity from a source at t = 0.
    pub delay: f64,
    /// Length of the cosine taper beside what is muted, s.
    pub taper: f64,
}

impl Mute {
    /// The time of the line at an offset in metres, s.
    pub fn at(&self, offset: f64) -> f64 {
        offset.abs() / self.velocity + self.delay
    }

    /// The offset of each receiver from the source, horizontally, metres.
    ///
    /// # Errors
    ///
    /// If the velocity needs offsets and they are unknown: headers or arrays without positions have
    /// them at 0.
    pub fn offsets(
        &self,
        source: Position,
        receivers: &[Position],
    ) -> Result<Vec<f64>, ConditioningError> {
        let at_zero = |at: &Position| at.x == 0.0 && at.y == 0.0;
        let from = |at: Position| receivers.iter().map(move |r| (r.x - at.x).hypot(r.y - at.y));
        // Receivers farther from x = 0, y = 0 than they are apart.
        let are_far = || {
            let nearest = from(Position::default()).fold(f64::INFINITY, f64::min);
            receivers.first().is_some_and(|first| nearest > from(*first).fold(0.0, f64::max))
        };
        let what = match receivers.iter().all(at_zero) {
            _ if self.velocity.is_infinite() => None,
            true => (receivers.len() > 1).then_some("receivers"),
            false => {
                let lacks = at_zero(&source) && !receivers.iter().any(at_zero) && are_far();
                lacks.then_some("source")
            }
        };
        match what {
            Some(what) => Err(ConditioningError::NoOffsets { what }),
            None => Ok(from(source).collect()),
        }
    }

    /// Returns an error for parameters that are no line.
    fn check(&self) -> Result<(), ConditioningError> {
        let Mute { velocity, delay, taper } = *self;
        if velocity.is_nan() || velocity <= 0.0 {
            return Err(ConditioningError::Velocity { velocity });
        }
        ConditioningError::if_time("a delay", delay)?;
        ConditioningError::if_length("a taper", taper)
    }
}

/// Mutes what comes before a line: traces `[receiver][time]`, their first sample at `start`, are 0
/// before the [time](Mute::at) of their offset and multiplied by `sin^2(pi t / (2 T))` in the taper
/// of length T after it, t seconds later.
///
/// # Errors
///
/// If there is not an offset for each trace, or a value is out of range.
pub fn top(
    traces: &mut Array2<f32>,
    (interval, start): (f64, f64),
    offsets: &[f64],
    mute: Mute,
) -> Result<(), ConditioningError> {
    muted(traces, (interval, start), offsets, mute, |after| after)
}

/// Mutes what comes after a line, as [`top`] does what comes before it: the taper ends there.
///
/// # Errors
///
/// As of [`top`].
pub fn tail(
    traces: &mut Array2<f32>,
    (interval, start): (f64, f64),
    offsets: &[f64],
    mute: Mute,
) -> Result<(), ConditioningError> {
    muted(traces, (interval, start), offsets, mute, |after| -after)
}

/// Mutes the side of the line on which `kept` of the seconds after it is negative.
fn muted(
    traces: &mut Array2<f32>,
    (interval, start): (f64, f64),
    offsets: &[f64],
    mute: Mute,
    kept: impl Fn(f64) -> f64 + Sync,
) -> Result<(), ConditioningError> {
    ConditioningError::if_interval(interval)?;
    ConditioningError::if_time("a start", start)?;
    mute.check()?;
    if offsets.len() != traces.nrows() {
        let (what, given, traces) = ("offsets", offsets.len(), traces.nrows());
        return Err(ConditioningError::Count { what, given, traces });
    }
    if let Some(trace) = offsets.iter().position(|offset| !offset.is_finite()) {
        return Err(ConditioningError::Offset { trace: trace + 1, offset: offsets[trace] });
    }
    each(traces, |trace, mut samples: ArrayViewMut1<'_, f32>| {
        let line = mute.at(offsets[trace]);
        for (k, sample) in samples.iter_mut().enumerate() {
            let inside = kept(start + k as f64 * interval - line);
            *sample = match inside < 0.0 {
                // Whatever was there, also what is no number.
                true => 0.0,
                false => (f64::from(*sample) * fade(inside, mute.taper)) as f32,
            };
        }
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: f64 = 4e-3;
    const START: f64 = -0.1;
    const MUTE: Mute = Mute { velocity: 1500.0, delay: 0.05, taper: 0.08 };
    const OFFSETS: [f64; 4] = [0.0, 300.0, -750.0, 6000.0];

    /// The gain at a time and an offset, by its formula.
    fn gain(after: f64) -> f64 {
        match after / MUTE.taper {
            part if part < 0.0 => 0.0,
            part if part > 1.0 => 1.0,
            part => 0.5 - 0.5 * (std::f64::consts::PI * part).cos(),
        }
    }

    #[test]
    fn a_mute_follows_its_line() {
        for side in [1.0, -1.0] {
            let mut traces = Array2::from_elem((4, 400), 3.0f32);
            let mute = if side > 0.0 { top } else { tail };
            mute(&mut traces, (INTERVAL, START), &OFFSETS, MUTE).expect("a mute");
            for ((trace, k), value) in traces.indexed_iter() {
                let t = START + k as f64 * INTERVAL;
                let wanted = 3.0 * gain(side * (t - 0.05 - OFFSETS[trace].abs() / 1500.0));
                assert!((f64::from(*value) - wanted).abs() < 1e-6, "{trace} {t}: {value}");
            }
        }
    }

    #[test]
    fn a_mute_without_taper_is_a_step_and_an_infinite_velocity_one_time() {
        let mut traces = Array2::<f32>::ones((4, 400));
        traces[[2, 10]] = f32::NAN;
        let mute = Mute { velocity: f64::INFINITY, delay: 0.25, taper: 0.0 };
        top(&mut traces, (0.25, 0.0), &OFFSETS, mute).expect("a mute");
        tail(&mut traces, (0.25, 0.0), &OFFSETS, Mute { delay: 2.0, ..mute }).expect("a mute");
        for trace in traces.rows() {
            assert!(trace.iter().enumerate().all(|(k, v)| *v == f32::from((1..=8).contains(&k))));
        }
    }

    #[test]
    fn offsets_are_known_by_positions() {
        let at = |x: f64| Position { x, ..Position::default() };
        let zero = Position::default();
        assert_eq!(MUTE.offsets(at(100.0), &[at(0.0), at(300.0)]), Ok(vec![100.0, 200.0]));
        assert_eq!(MUTE.offsets(zero, &[zero]), Ok(vec![0.0]));
        let lacks = |what| Err(ConditioningError::NoOffsets { what });
        assert_eq!(MUTE.offsets(zero, &[zero; 2]), lacks("receivers"));
        assert_eq!(MUTE.offsets(zero, &[at(5000.0), at(5100.0)]), lacks("source"));
        let one_time = Mute { velocity: f64::INFINITY, ..MUTE };
        assert_eq!(one_time.offsets(zero, &[zero; 2]), Ok(vec![0.0; 2]));
    }

    #[test]
    fn bad_mutes_are_refused() {
        let mut traces = Array2::<f32>::ones((4, 10));
        let mut said = |offsets: &[f64], mute| {
            let refused = top(&mut traces, (INTERVAL, START), offsets, mute);
            refused.expect_err("a bad mute").to_string()
        };
        let of = said(&OFFSETS[..3], MUTE);
        assert_eq!(of, "the gather has 4 traces, but there are 3 offsets; give one for each trace");
        assert!(said(&OFFSETS, Mute { velocity: 0.0, ..MUTE }).contains("0 m/s"));
        assert!(said(&OFFSETS, Mute { velocity: f64::NAN, ..MUTE }).contains("NaN m/s"));
        assert!(said(&OFFSETS, Mute { taper: -1.0, ..MUTE }).contains("taper of -1 s"));
        assert!(said(&OFFSETS, Mute { delay: f64::NAN, ..MUTE }).contains("delay of NaN s"));
        assert!(said(&[0.0, 1.0, f64::NAN, 2.0], MUTE).contains("trace 3"));
        assert_eq!(traces, Array2::<f32>::ones((4, 10)));
    }
}
