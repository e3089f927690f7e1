//! Reasons why a gather was not conditioned.

use ndarray::Array2;

/// Reasons why a gather was not conditioned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum ConditioningError {
    #[error(
        "a sampling interval of {interval} s is not available; give a positive number of seconds"
    )]
    Interval { interval: f64 },
    /// A length of time, such as that of a taper.
    #[error("{what} of {seconds} s is not available; give a number of seconds from 0 up")]
    Length { what: &'static str, seconds: f64 },
    /// A time, such as that of the first sample.
    #[error("{what} of {seconds} s is not available; give a finite number of seconds")]
    Time { what: &'static str, seconds: f64 },
    #[error(
        "a velocity of {velocity} m/s is not available; give a positive one, or an infinite one for the same time at \
         every offset"
    )]
    Velocity { velocity: f64 },
    #[error(
        "the gather has {traces} traces, but there are {given} {what}; give one for each trace"
    )]
    Count { what: &'static str, given: usize, traces: usize },
    /// The trace is counted from 1.
    #[error(
        "the offset of trace {trace} is {offset} m, and every offset must be finite; check the positions of its \
         source and receiver"
    )]
    Offset { trace: usize, offset: f64 },
    /// "source" or "receivers", without positions.
    #[error(
        "the {what} are at x = 0 m, y = 0 m, so that no offset is known; give their positions, or mute by --delay \
         alone"
    )]
    NoOffsets { what: &'static str },
    #[error(
        "tapers of {first} s and {last} s overlap in traces of {duration} s; give shorter ones"
    )]
    Overlap { first: f64, last: f64, duration: f64 },
    #[error(
        "a taper over {tapered} traces at each side overlaps in a gather of {traces}; give at most {}",
        .traces / 2
    )]
    Sides { tapered: usize, traces: usize },
    /// Of a low or a high cut, Hz.
    #[error(
        "the corner frequencies {corners:?} Hz make no band; give frequencies that rise, f1 < f2 <= f3 < f4, from 0 \
         Hz up"
    )]
    Corners { corners: Vec<f64> },
    #[error(
        "the corner frequency {corner} Hz lies above {nyquist} Hz, the Nyquist frequency of samples {interval} s \
         apart; give at most {nyquist} Hz, or take the traces at a shorter interval"
    )]
    Nyquist { corner: f64, nyquist: f64, interval: f64 },
    #[error("the power {power} of time must be 0 to {most}; 2 makes up for spherical spreading")]
    Power { power: f64, most: f64 },
    #[error(
        "a window of {window} s is not available; give a positive number of seconds, some periods of the wave"
    )]
    Window { window: f64 },
    /// Both are counted from 1.
    #[error(
        "sample {sample} of trace {trace} is {value}, and every sample must be finite; mute it, or leave the trace \
         out"
    )]
    NotFinite { trace: usize, sample: usize, value: f32 },
    #[error(
        "traces of {samples:.0} samples are too long, as at most {most} are made; give a longer interval, or cut the \
         traces"
    )]
    Samples { samples: f64, most: usize },
    #[error(
        "samples {interval} s apart are too close together for an interval of {to} s, at most {most} times as long; \
         check the interval of the traces, in seconds"
    )]
    Close { interval: f64, to: f64, most: f64 },
    #[error(
        "the traces end at {end} s, so that nothing is left from t = 0 on; check the time of the first sample, whose \
         0 is the shot"
    )]
    BeforeZero { end: f64 },
}

impl ConditioningError {
    /// Returns an error for an interval that is not a positive number.
    pub(super) fn if_interval(interval: f64) -> Result<(), Self> {
        match interval.is_finite() && interval > 0.0 {
            true => Ok(()),
            false => Err(Self::Interval { interval }),
        }
    }

    /// Returns an error for a negative length, or one that is no number.
    pub(super) fn if_length(what: &'static str, seconds: f64) -> Result<(), Self> {
        match seconds.is_finite() && seconds >= 0.0 {
            true => Ok(()),
            false => Err(Self::Length { what, seconds }),
        }
    }

    /// Returns an error for a time that is not finite.
    pub(super) fn if_time(what: &'static str, seconds: f64) -> Result<(), Self> {
        if seconds.is_finite() { Ok(()) } else { Err(Self::Time { what, seconds }) }
    }

    /// Returns an error for a sample that is not finite: a filter would spread it.
    pub(super) fn if_not_finite(traces: &Array2<f32>) -> Result<(), Self> {
        match traces.indexed_iter().find(|(_, value)| !value.is_finite()) {
            Some(((trace, sample), value)) => {
                Err(Self::NotFinite { trace: trace + 1, sample: sample + 1, value: *value })
            }
            None => Ok(()),
        }
    }

    /// Returns an error for more samples than are made.
    pub(super) fn if_samples(samples: f64) -> Result<(), Self> {
        let most = super::MOST_SAMPLES;
        if samples <= most as f64 { Ok(()) } else { Err(Self::Samples { samples, most }) }
    }
}
