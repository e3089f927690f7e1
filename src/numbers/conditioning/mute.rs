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

/// What a [`Mute`] mutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Muted {
    /// What comes before the line.
    Before,
    /// What comes after it.
    After,
}

/// Mutes a side of a line: traces `[receiver][time]`, their first sample at t = 0, are 0 before the
/// [time](Mute::at) of their offset and multiplied by `sin^2(pi t / (2 T))` in the taper of length T
/// after it, t seconds later; or the mirror image of that.
///
/// # Errors
///
/// If there is not an offset for each trace, or a value is out of range.
pub fn apply(
    traces: &mut Array2<f32>,
    interval: f64,
    offsets: &[f64],
    mute: Mute,
    muted: Muted,
) -> Result<(), ConditioningError> {
    ConditioningError::if_interval(interval)?;
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
            let after = k as f64 * interval - line;
            let inside = if muted == Muted::Before { after } else { -after };
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
    const MUTE: Mute = Mute { velocity: 1500.0, delay: 0.05, taper: 0.08 };
    const OFFSETS: [f64; 4] = [0.0, 300.0, -750.0, 6000.0];

    #[test]
    fn a_mute_follows_its_line() {
        for (muted, side) in [(Muted::Before, 1.0), (Muted::After, -1.0)] {
            let mut traces = Array2::from_elem((4, 400), 3.0f32);
            apply(&mut traces, INTERVAL, &OFFSETS, MUTE, muted).expect("a mute");
            for ((trace, k), value) in traces.indexed_iter() {
                let after = k as f64 * INTERVAL - 0.05 - OFFSETS[trace].abs() / 1500.0;
                let part = (side * after / MUTE.taper).clamp(0.0, 1.0);
                let wanted = 1.5 - 1.5 * (std::f64::consts::PI * part).cos();
                assert!((f64::from(*value) - wanted).abs() < 1e-6, "{trace} {k}: {value}");
            }
        }
    }

    #[test]
    fn a_mute_without_taper_is_a_step_and_an_infinite_velocity_one_time() {
        let mut traces = Array2::<f32>::ones((4, 400));
        traces[[2, 0]] = f32::NAN;
        for (delay, muted) in [(0.25, Muted::Before), (2.0, Muted::After)] {
            let mute = Mute { velocity: f64::INFINITY, delay, taper: 0.0 };
            apply(&mut traces, 0.25, &OFFSETS, mute, muted).expect("a mute");
        }
        for trace in traces.rows() {
            assert!(trace.iter().enumerate().all(|(k, v)| *v == f32::from((1..=8).contains(&k))));
        }
    }

    #[test]
    fn offsets_are_known_by_positions() {
        let at = |x: f64| Position { x, ..Position::default() };
        let zero = Position::default();
        let lacks = |what| Err(ConditioningError::NoOffsets { what });
        let one_time = Mute { velocity: f64::INFINITY, ..MUTE };
        for (mute, source, receivers, known) in [
            (MUTE, at(100.0), vec![at(0.0), at(300.0)], Ok(vec![100.0, 200.0])),
            (MUTE, zero, vec![zero], Ok(vec![0.0])),
            (MUTE, zero, vec![zero; 2], lacks("receivers")),
            (MUTE, zero, vec![at(5000.0), at(5100.0)], lacks("source")),
            (one_time, zero, vec![zero; 2], Ok(vec![0.0; 2])),
        ] {
            assert_eq!(mute.offsets(source, &receivers), known);
        }
    }

    #[test]
    fn bad_mutes_are_refused() {
        let mut traces = Array2::<f32>::ones((4, 10));
        for (offsets, mute, said) in [
            (&OFFSETS[..3], MUTE, "4 traces, but there are 3 offsets; give one for each trace"),
            (&OFFSETS, Mute { velocity: 0.0, ..MUTE }, "0 m/s"),
            (&OFFSETS, Mute { velocity: f64::NAN, ..MUTE }, "NaN m/s"),
            (&OFFSETS, Mute { taper: -1.0, ..MUTE }, "taper of -1 s"),
            (&OFFSETS, Mute { delay: f64::NAN, ..MUTE }, "delay of NaN s"),
            (&[0.0, 1.0, f64::NAN, 2.0], MUTE, "trace 3"),
        ] {
            let refused = apply(&mut traces, INTERVAL, offsets, mute, Muted::Before);
            let refused = refused.expect_err("a bad mute").to_string();
            assert!(refused.contains(said), "{refused}");
        }
        assert_eq!(traces, Array2::<f32>::ones((4, 10)));
    }
}
