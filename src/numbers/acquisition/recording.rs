//! A gather as one source: what was recorded fires at its receivers, the last sample first.

use super::{
    Sampled, Shot, Source, SourceKind, Wavelet,
    spectrum::{dominant_hz, highest_hz, is_of_one_sign},
};
use crate::{grid::Position, single::power_of_two};
use ndarray::{Array2, ArrayView1};
use rayon::prelude::*;
use serde::Serialize;
use std::sync::Arc;

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
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum RecordingError {
    #[error(
        "the gather has {traces} traces, but there are {receivers} receivers; give a receiver for each trace"
    )]
    Receivers { traces: usize, receivers: usize },
    #[error(
        "the gather has {samples} samples {interval} s apart; at least 2 and a positive interval are needed"
    )]
    Samples { samples: usize, interval: f64 },
    #[error(
        "sample {} of trace {} of the gather is {value}; every sample must be finite",
        .sample + 1,
        .trace + 1
    )]
    NotFinite { trace: usize, sample: usize, value: f32 },
    #[error(
        "the gather's largest sample is {peak:e}; f32 holds numbers as small in steps of 1.4e-45, so that {steps} \
         values are left of each sign, and fewer than {LEAST_STEPS} are not sent back; make the gather again in a \
         larger unit, or in f64"
    )]
    Faint { peak: f64, steps: f64 },
    #[error("the gather is silent: all of its {traces} traces are zero")]
    Silent { traces: usize },
    #[error(
        "{groups} groups of {receivers} receivers that recorded something are not available; give from 1 to \
         {receivers} groups"
    )]
    Groups { groups: usize, receivers: usize },
}

/// Steps of the smallest numbers of f32 below which a gather is refused: samples are rounded to 1/512 of the largest.
const LEAST_STEPS: f64 = 256.0;

/// What a gather is divided by before it is sent back, and what that tells of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Scale {
    /// The largest sample, without its sign.
    pub peak: f64,
    /// The power of two that is at most as large: over it the largest sample is from 1 to 2, and no digit changes. 1 of a gather
    /// of zeros, or of one with a sample that is not finite.
    pub(crate) unit: f64,
    /// How many steps of f32 the largest sample is, where all samples are whole steps of its smallest numbers, which have lost
    /// digits.
    pub steps: Option<f64>,
}

impl Scale {
    /// Of a gather's samples, in any order.
    ///
    /// # Errors
    ///
    /// [`RecordingError::Faint`] where too few digits are left.
    pub fn of(samples: impl Iterator<Item = f64> + Clone) -> Result<Self, RecordingError> {
        let size = |v: f64| if v.is_finite() { v.abs() } else { f64::INFINITY };
        let peak = samples.clone().map(size).fold(0.0, f64::max);
        if !(peak > 0.0 && peak.is_finite()) {
            return Ok(Scale { peak, unit: 1.0, steps: None });
        }
        let step = f64::from(f32::from_bits(1));
        let whole = |v: f64| (v / step).fract() == 0.0;
        let lost = peak < f64::from(f32::MIN_POSITIVE) && samples.clone().all(whole);
        let steps = lost.then_some(peak / step);
        if let Some(steps) = steps.filter(|steps| *steps < LEAST_STEPS) {
            return Err(RecordingError::Faint { peak, steps });
        }
        Ok(Scale { peak, unit: power_of_two(peak), steps })
    }

    /// A sample over the unit.
    pub fn over(&self, sample: f64) -> f32 {
        (sample / self.unit) as f32
    }
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

    /// The dominant frequency of the trace with the most energy, Hz; of a pulse of one sign, that of
    /// its derivative.
    pub fn dominant_hz(&self) -> f64 {
        dominant_hz(&self.loudest(), self.interval)
    }

    /// The highest frequency of the trace with the most energy, Hz, where its amplitude spectrum falls
    /// to 5 % of its peak.
    pub fn highest_hz(&self) -> f64 {
        highest_hz(&self.loudest(), self.interval)
    }

    /// True if the trace with the most energy holds pulses of one sign, or an offset: its amplitude is
    /// largest at 0 Hz.
    pub fn is_of_one_sign(&self) -> bool {
        is_of_one_sign(&self.loudest(), self.interval)
    }

    /// Puts the differences of neighbouring samples in their place: the derivative times the interval.
    pub fn differentiate(&mut self) {
        for mut trace in self.gather.outer_iter_mut() {
            let mut before = trace.first().copied().unwrap_or_default();
            for n in 0..trace.len() {
                let now = trace[n];
                let after = trace.get(n + 1).copied().unwrap_or(now);
                trace[n] = 0.5 * (after - before);
                before = now;
            }
        }
    }

    /// The samples of the trace with the most energy.
    fn loudest(&self) -> Vec<f64> {
        let energy = |trace: &ArrayView1<'_, f32>| {
            trace.iter().map(|sample| f64::from(*sample).powi(2)).sum::<f64>()
        };
        let loudest = self.gather.outer_iter().max_by(|a, b| energy(a).total_cmp(&energy(b)));
        loudest.into_iter().flatten().map(|sample| f64::from(*sample)).collect()
    }

    /// The traces that recorded something, by their place in the gather, in the order in which they are sent back.
    pub fn heard(&self) -> Vec<usize> {
        let traces = self.gather.outer_iter().enumerate();
        let heard = traces.filter(|(_, trace)| trace.iter().any(|sample| *sample != 0.0));
        heard.map(|(index, _)| index).collect()
    }

    /// Which trace a source of a shot sends back, where there are so many groups; the models of a scan follow each other.
    pub fn trace_of(&self, shot: usize, source: usize, groups: usize) -> Option<usize> {
        let heard = self.heard();
        let first = (shot % groups.max(1)) * heard.len() / groups.max(1);
        heard.get(first + source).copied()
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
        let not_finite = |trace: usize| {
            let mut values = self.gather.row(trace).into_iter().enumerate();
            let (sample, &value) = values.find(|(_, value)| !value.is_finite())?;
            Some(RecordingError::NotFinite { trace, sample, value })
        };
        (0..traces).into_par_iter().find_map_first(not_finite).map_or(Ok(()), Err)
    }
}

/// Shots that send a recording back, one for each of `groups` sets of receivers that follow each other: at each
/// receiver a source that fires its trace, the last sample first. That is the adjoint of recording, so that where a
/// source was, everything it sent arrives in phase; with the time steps of an engine, at the step
/// N - n for what it fired with its sample n, N being the steps of the whole.
pub(crate) fn reversed(
    recording: &Recording,
    groups: usize,
    kind: SourceKind,
    amplitude: f64,
) -> Result<Vec<Shot>, RecordingError> {
    recording.check()?;
    let interval = recording.interval;
    let back = |trace: usize| -> Arc<[f64]> {
        let row = recording.gather.row(trace);
        let row = row.as_standard_layout();
        // Of a slice, whose length is known, so that it is written where it stays.
        let samples = row.as_slice().expect("a row in standard layout is a slice");
        samples.iter().rev().map(|sample| f64::from(*sample)).collect()
    };
    let sources: Vec<Source> = (recording.heard().into_par_iter())
        .map(|trace| Source {
            kind,
            at: recording.receivers[trace],
            wavelet: Wavelet::Sampled(Sampled { values: back(trace), interval }),
            amplitude,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gather_is_scaled_by_a_power_of_two_and_keeps_its_digits() {
        let samples = [0.3f64, -0.7, 0.111_111_1, 0.0];
        for power in [-1000, -140, -100, -1, 0, 1, 100, 1000] {
            let scaled = samples.map(|v| v * 2f64.powi(power));
            let scale = Scale::of(scaled.iter().copied()).expect("digits enough");
            assert_eq!((scale.peak, scale.steps), (scaled[1].abs(), None));
            let over = scaled.map(|v| scale.over(v));
            assert_eq!(over, samples.map(|v| (2.0 * v) as f32), "2^{power}");
        }
    }

    #[test]
    fn digits_that_f32_has_lost_are_told_and_few_are_refused() {
        let of = |factor: f32| {
            let samples = [0.3f32, -0.7, 0.111_111_1].map(|v| f64::from(v * factor));
            Scale::of(samples.into_iter())
        };
        assert_eq!(of(1e-37).expect("all digits").steps, None);
        let steps = of(1e-40).expect("some digits").steps.expect("of the smallest numbers");
        assert!((4e4..6e4).contains(&steps), "{steps}");
        let refused = of(1e-43).expect_err("hardly a digit");
        assert!(refused.to_string().contains("50 values"), "{refused}");
        assert_eq!(Scale::of([0.0].into_iter()).expect("zeros").unit, 1.0);
        assert_eq!(Scale::of([1.0, f64::NAN].into_iter()).expect("told later").unit, 1.0);
    }

    /// Of a sample each 0.25 s.
    fn recording(gather: Array2<f32>) -> Recording {
        let receivers = vec![Position::default(); gather.nrows()];
        Recording { gather, interval: 0.25, receivers }
    }

    #[test]
    fn a_recording_lasts_from_its_first_sample_to_its_last() {
        let recording = recording(Array2::zeros((1, 5)));
        assert_eq!(recording.duration(), 1.0);
        assert_eq!(recording.back_at(&[0.0, 0.25, 1.0, 1.25]), [1.0, 0.75, 0.0]);
    }

    #[test]
    fn a_derivative_is_that_of_the_neighbours() {
        let mut recording = recording(ndarray::array![[0.0, 1.0, 4.0, 9.0]]);
        recording.differentiate();
        assert_eq!(recording.gather, ndarray::array![[0.5, 2.0, 4.0, 2.5]]);
    }

    #[test]
    fn groups_share_all_receivers() {
        let recording = recording(Array2::ones((5, 3)));
        let shots = reversed(&recording, 2, SourceKind::Monopole, 1.0).expect("two groups");
        assert_eq!(shots.iter().map(|shot| shot.sources.len()).collect::<Vec<_>>(), [2, 3]);
    }
}
