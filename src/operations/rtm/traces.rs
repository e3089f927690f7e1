//! Processing of traces before they are sent back.

use crate::{
    acquisition::{
        Band, Interpolation, Sampled, Shot, TOGETHER, Wavelet, WaveletError, integral, samples_of,
    },
    conditioning::{
        Mute,
        resample::{self, Samples},
        taper::fade,
    },
    engine::apply_unit,
    grid::Position,
    plan::Plan,
    single::{Single, power_of_two, unit_of},
};
use ndarray::{Array2, ArrayView1, Axis, Ix2};
use rayon::prelude::*;
use std::ops::Range;

/// Processing of the traces of a survey.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Conditioning {
    /// Corners of the band-pass that comes first, Hz ([`Band::of_corners`]).
    pub band: Option<[f64; 4]>,
    /// The mute of the direct wave; its offsets are the distances from the source.
    pub mute: Option<Mute>,
    /// Length of the taper at the end of traces, s.
    pub taper: f64,
    /// Lowest frequency of the integration in time, Hz, if traces are integrated: for an image that
    /// a [`super::laplacian`] filters.
    pub integrated_above: Option<f64>,
}

/// Resampling of traces from one interval to the steps of a Plan, by a windowed sinc.
pub struct Resampling {
    interval: f64,
    dt: f64,
    steps: usize,
    shared: Vec<Interpolation>,
}

impl Resampling {
    /// From samples `interval` s apart.
    pub fn new(interval: f64, plan: &Plan) -> Self {
        let (dt, steps) = (plan.time.dt, plan.time.steps);
        let shared = Interpolation::new(interval, dt, steps + 1).into_iter().collect();
        Resampling { interval, dt, steps, shared }
    }
}

/// Traces of a shot, and what was recorded of them.
#[derive(Clone, Copy, Debug)]
pub struct RecordedTraces<'a> {
    /// `[receiver][sample]`, the first sample at t = 0.
    pub gather: &'a Array2<f32>,
    /// The recorded samples of each; the others count for nothing.
    pub samples: &'a [Range<usize>],
}

impl Conditioning {
    /// Traces `[receiver][sample]` of a shot, the first sample at t = 0, as
    /// [`super::Migration::run`] takes them.
    ///
    /// # Errors
    ///
    /// If the steps of the Plan are too long for the frequencies in the traces: those of a trace that
    /// is faint beside the others of its shot, such as the noise that a mute leaves, do not count.
    pub fn apply(
        &self,
        gather: &Array2<f32>,
        resampling: &Resampling,
        place: (&Plan, usize),
    ) -> Result<Array2<f32>, WaveletError> {
        let samples = &vec![0..gather.ncols(); gather.nrows()];
        let traces = self.apply_to(RecordedTraces { gather, samples }, resampling, place)?;
        let Single { mut values, unit } = traces;
        apply_unit(&mut values, unit);
        Ok(values)
    }

    /// [`Conditioning::apply`] for traces of which some samples were not recorded: each fades at its own end, and what is
    /// interpolated from samples before its start is zero.
    pub fn apply_to(
        &self,
        RecordedTraces { gather, samples: recorded }: RecordedTraces<'_>,
        Resampling { interval, dt, steps, shared }: &Resampling,
        (plan, shot): (&Plan, usize),
    ) -> Result<Single<Ix2>, WaveletError> {
        let (interval, dt, count) = (*interval, *dt, steps + 1);
        let Shot { sources, receivers } = &*plan.shots[shot].asked;
        let source = sources.first().map(|source| source.at);
        let band = self.band.map(|corners| Band::of_corners(corners, interval, gather.ncols()));
        let energy = |samples: &mut dyn Iterator<Item = f64>| samples.map(|v| v * v).sum::<f64>();
        let faded = |receiver: usize, n: usize| match &recorded[receiver] {
            samples if !samples.contains(&n) => 0.0,
            samples => fade(samples.end as f64 * interval - n as f64 * interval, self.taper),
        };
        let of_row = |(receiver, row): (usize, ArrayView1<'_, f32>)| {
            energy(&mut row.iter().enumerate().map(|(n, v)| f64::from(*v) * faded(receiver, n)))
        };
        let loudest = gather.outer_iter().enumerate().map(of_row).fold(0.0, f64::max);
        let muted = |receiver: usize| {
            let at = source.zip(receivers.get(receiver).copied());
            let (begins, tapered) = self.mute_of(at);
            let sample = |(n, sample): (usize, f64)| {
                let t = n as f64 * interval;
                let gain = if t < begins { 0.0 } else { fade(t - begins, tapered) };
                sample * gain * faded(receiver, n)
            };
            let row = gather.row(receiver).into_iter().map(|sample| f64::from(*sample));
            let values = match &band {
                Some(band) => band.pass(row).into_iter().enumerate().map(sample).collect(),
                None => row.enumerate().map(sample).collect(),
            };
            Wavelet::Sampled(Sampled { values, interval })
        };
        // The first step that samples before a trace's start do not reach; a mute silences them.
        let first_of = |receiver: usize| {
            let (begins, _) = self.mute_of(source.zip(receivers.get(receiver).copied()));
            let samples = Samples { count: gather.ncols(), interval };
            let steps = Samples { count, interval: dt };
            match recorded[receiver].clone() {
                recorded if begins >= recorded.start as f64 * interval => 0,
                recorded => resample::recorded(recorded, samples, steps).start,
            }
        };
        // Integrals are smaller than traces.
        let peak = gather.iter().fold(0.0f32, |peak, sample| peak.max(sample.abs()));
        let unit = if peak.is_finite() { unit_of(f64::from(peak)) } else { 1.0 };
        let mut traces = Array2::zeros((gather.nrows(), count));
        let rows = traces.axis_chunks_iter_mut(Axis(0), TOGETHER).collect::<Vec<_>>();
        rows.into_par_iter()
            .enumerate()
            .map(|(chunk, mut rows)| {
                let first = chunk * TOGETHER;
                let given: Vec<_> = (first..first + rows.nrows()).map(muted).collect();
                let given: Vec<&Wavelet> = given.iter().collect();
                let samples = samples_of(&given, dt, count, shared).into_iter().zip(given);
                let samples = samples.map(|(of_one, given)| match (of_one, given) {
                    (Err(WaveletError::Nyquist { above, limit, .. }), Wavelet::Sampled(trace))
                        if above * energy(&mut trace.values.iter().copied()) <= limit * loudest =>
                    {
                        Ok(trace.below_nyquist(dt, count, shared).to_vec())
                    }
                    (of_one, _) => of_one.map(|samples| samples.to_vec()),
                });
                let samples = samples.collect::<Result<Vec<_>, _>>();
                let mut samples = samples.map_err(WaveletError::of_trace)?;
                for (receiver, trace) in (first..).zip(&mut samples) {
                    trace[..first_of(receiver)].fill(0.0);
                }
                if let Some(above) = self.integrated_above {
                    integrate(&mut samples, dt, above);
                }
                for (mut row, samples) in rows.outer_iter_mut().zip(samples) {
                    // Integration changes the end.
                    let end = plan.time.kept() as f64 * dt;
                    for (n, (to, sample)) in row.iter_mut().zip(samples).enumerate() {
                        *to = (sample * fade(end - n as f64 * dt, self.taper) / unit) as f32;
                    }
                }
                Ok(())
            })
            .collect::<Result<(), _>>()?;
        plan.correct_adjoint(&mut traces);
        Ok(Single { values: traces, unit })
    }

    /// Start of a trace's taper after the mute, and its length, s.
    fn mute_of(&self, at: Option<(Position, Position)>) -> (f64, f64) {
        let (Some(mute), Some((source, receiver))) = (self.mute, at) else { return (0.0, 0.0) };
        let along = [source.x - receiver.x, source.y - receiver.y, source.z - receiver.z];
        let distance = along.iter().map(|d| d * d).sum::<f64>().sqrt();
        (mute.at(distance), mute.taper)
    }
}

/// Integrates traces in time, two at once.
fn integrate(traces: &mut [Vec<f64>], dt: f64, above: f64) {
    for pair in traces.chunks_mut(2) {
        match pair {
            [first, second] => integral::of_both([first, second], dt, above),
            [last] => {
                let mut silence = vec![0.0; last.len()];
                integral::of_both([last, &mut silence], dt, above);
            }
            _ => {}
        }
    }
}

/// Divides a gather by a power of two so that its largest sample is near 1, where f32 has digits
/// for products too; returns the divisor, 0 of a gather of zeros.
pub(super) fn to_unit(gather: &mut Array2<f32>) -> f64 {
    let peak = gather.iter().fold(0.0f32, |peak, sample| peak.max(sample.abs()));
    if !(peak > 0.0 && peak.is_finite()) {
        return if peak == 0.0 { 0.0 } else { 1.0 };
    }
    let unit = power_of_two(f64::from(peak));
    gather.mapv_inplace(|sample| (f64::from(sample) / unit) as f32);
    unit
}
