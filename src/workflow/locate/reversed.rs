//! A gather as the sources that send it back.

use crate::{
    acquisition::{Sampled, Shot, Source, SourceKind, TimeDispersion, Wavelet},
    grid::Position,
    plan::{Setup, Time},
};
use ndarray::{Array2, ArrayView1};

/// What was recorded, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// Shape `[receiver][time]`, the first sample at t = 0.
    pub gather: Array2<f32>,
    /// Seconds between samples.
    pub interval: f64,
    /// Of each trace, metres from the model's first node.
    pub receivers: Vec<Position>,
}

/// Why a recording cannot be sent back.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RecordingError {
    /// Another number of traces than of receivers.
    #[error(
        "the gather has {traces} traces, but there are {receivers} receivers; give a receiver for each trace"
    )]
    Receivers {
        /// Traces of the gather.
        traces: usize,
        /// Receivers given.
        receivers: usize,
    },
    /// Fewer than two samples, or an interval that is no time.
    #[error(
        "the gather has {samples} samples {interval} s apart; at least 2 and a positive interval are needed"
    )]
    Samples {
        /// Samples of a trace.
        samples: usize,
        /// Between them, s.
        interval: f64,
    },
    /// A sample that is NaN or infinite.
    #[error(
        "sample {} of trace {} of the gather is {value}; every sample must be finite",
        .sample + 1,
        .trace + 1
    )]
    NotFinite {
        /// Index of the trace, from 0.
        trace: usize,
        /// Index of the sample, from 0.
        sample: usize,
        /// Its value.
        value: f32,
    },
    /// Nothing but zeros.
    #[error("the gather is silent: all of its {traces} traces are zero")]
    Silent {
        /// Traces of the gather.
        traces: usize,
    },
    /// More groups than receivers.
    #[error(
        "{groups} groups of {receivers} receivers that recorded something are not available; give from 1 to {receivers} groups"
    )]
    Groups {
        /// Groups asked for.
        groups: usize,
        /// Receivers with a trace that is not all zero.
        receivers: usize,
    },
}

impl Recording {
    /// Time of the last sample, s: what runs back for as long ends at t = 0.
    pub fn duration(&self) -> f64 {
        self.gather.ncols().saturating_sub(1) as f64 * self.interval
    }

    /// Times of a run back, s, at which it is at these of the recording; those that the recording does not have are left out.
    pub fn back_at(&self, times: &[f64]) -> Vec<f64> {
        let duration = self.duration();
        let within = times.iter().filter(|at| (0.0..=duration * (1.0 + 1e-9)).contains(*at));
        within.map(|at| (duration - at).max(0.0)).collect()
    }

    /// The dominant frequency of the trace with the most energy, Hz.
    pub fn dominant_hz(&self) -> f64 {
        let energy = |trace: &ArrayView1<'_, f32>| {
            trace.iter().map(|sample| f64::from(*sample).powi(2)).sum::<f64>()
        };
        let loudest = self.gather.outer_iter().max_by(|a, b| energy(a).total_cmp(&energy(b)));
        let values = loudest.into_iter().flatten().map(|sample| f64::from(*sample)).collect();
        Wavelet::Sampled(Sampled { values, interval: self.interval }).peak_hz()
    }

    fn check(&self) -> Result<(), RecordingError> {
        let ((traces, samples), receivers) = (self.gather.dim(), self.receivers.len());
        if traces != receivers {
            return Err(RecordingError::Receivers { traces, receivers });
        }
        let interval = self.interval;
        if samples < 2 || !(interval.is_finite() && interval > 0.0) {
            return Err(RecordingError::Samples { samples, interval });
        }
        match self.gather.indexed_iter().find(|(_, value)| !value.is_finite()) {
            Some(((trace, sample), &value)) => {
                Err(RecordingError::NotFinite { trace, sample, value })
            }
            None => Ok(()),
        }
    }
}

/// The setup of a simulation that sends a recording back: that of the model, the scheme and the edges given; what it
/// says of time, shots and snapshots is replaced. Its field after N - n steps of N is that of the time of step n.
pub fn backward(
    setup: Setup,
    recording: &Recording,
    groups: usize,
) -> Result<Setup, RecordingError> {
    let shots = reversed(recording, groups)?;
    let time = Time {
        duration: recording.duration(),
        // So that samples fall on steps.
        record: Some(recording.interval),
        dispersion: TimeDispersion::Kept,
        ..setup.time
    };
    Ok(Setup { time, shots, snapshots: Vec::new(), initial: None, ..setup })
}

/// Shots that send a recording back, one for each of `groups` sets of receivers that follow each other: at each
/// receiver a source that fires its trace, the last sample first. That is the adjoint of recording, so that where a
/// source was, everything it sent arrives in phase; with the time steps of [`crate::engine::Run`], at the step
/// N - n for what it fired with its sample n, N being the steps of the whole.
fn reversed(recording: &Recording, groups: usize) -> Result<Vec<Shot>, RecordingError> {
    recording.check()?;
    let interval = recording.interval;
    let traces = recording.gather.outer_iter().zip(&recording.receivers);
    let heard = traces.filter(|(trace, _)| trace.iter().any(|sample| *sample != 0.0));
    let sources: Vec<Source> = heard
        .map(|(trace, at)| Source {
            kind: SourceKind::Monopole,
            at: *at,
            wavelet: Wavelet::Sampled(Sampled {
                values: trace.iter().rev().map(|sample| f64::from(*sample)).collect(),
                interval,
            }),
            amplitude: 1.0,
        })
        .collect();
    let receivers = sources.len();
    match (receivers, groups) {
        (0, _) => return Err(RecordingError::Silent { traces: recording.receivers.len() }),
        (_, groups) if groups == 0 || groups > receivers => {
            return Err(RecordingError::Groups { groups, receivers });
        }
        _ => {}
    }
    let first = |group: usize| group * receivers / groups;
    let shot = |group| Shot {
        sources: sources[first(group)..first(group + 1)].to_vec(),
        receivers: Default::default(),
    };
    Ok((0..groups).map(shot).collect())
}
