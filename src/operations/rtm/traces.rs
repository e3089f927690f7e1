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
        plan: &Plan,
        shot: usize,
    ) -> Result<Array2<f32>, WaveletError> {
        let samples = &vec![0..gather.ncols(); gather.nrows()];
        let traces = self.apply_to(RecordedTraces { gather, samples }, resampling, plan, shot)?;
        let Single { mut values, unit } = traces;
        apply_unit(&mut values, unit);
        Ok(values)
    }

    /// [`Conditioning::apply`] for traces of which some samples were not recorded: each fades at its own end, and what is
    /// interpolated from samples before its start is zero.
    pub fn apply_to(
        &self,
        traces: RecordedTraces<'_>,
        resampling: &Resampling,
        plan: &Plan,
        shot: usize,
    ) -> Result<Single<Ix2>, WaveletError> {
        let mut traces = self.at_steps(traces, resampling, plan, shot)?;
        plan.correct_adjoint(&mut traces.values);
        Ok(traces)
    }

    /// [`Conditioning::apply_to`] before the adjoint of the correction of time dispersion: the traces
    /// as they compare with corrected ones, at every step.
    pub(crate) fn at_steps(
        &self,
        RecordedTraces { gather, samples: recorded }: RecordedTraces<'_>,
        Resampling { interval, dt, steps, shared }: &Resampling,
        plan: &Plan,
        shot: usize,
    ) -> Result<Single<Ix2>, WaveletError> {
        let (interval, dt, count) = (*interval, *dt, steps + 1);
        let processing = Processing {
            conditioning: self,
            gather,
            recorded,
            interval,
            band: self.band.map(|corners| Band::of_corners(corners, interval, gather.ncols())),
            shot: &plan.shots[shot].asked,
        };
        let loudest = processing.loudest();
        // Integrals are smaller than traces.
        let peak = gather.iter().fold(0.0f32, |peak, sample| peak.max(sample.abs()));
        let unit = if peak.is_finite() { unit_of(f64::from(peak)) } else { 1.0 };
        let mut traces = Array2::zeros((gather.nrows(), count));
        let rows = traces.axis_chunks_iter_mut(Axis(0), TOGETHER).collect::<Vec<_>>();
        rows.into_par_iter()
            .enumerate()
            .map(|(chunk, mut rows)| {
                let first = chunk * TOGETHER;
                let receivers = first..first + rows.nrows();
                let given: Vec<_> = receivers.map(|receiver| processing.muted(receiver)).collect();
                let given: Vec<&Wavelet> = given.iter().collect();
                let samples = samples_of(&given, dt, count, shared).into_iter().zip(given);
                let samples = samples.map(|(of_one, given)| match (of_one, given) {
                    (Err(WaveletError::Nyquist { above, limit, .. }), Wavelet::Sampled(trace))
                        if above * energy(trace.values.iter().copied()) <= limit * loudest =>
                    {
                        Ok(trace.below_nyquist(dt, count, shared).to_vec())
                    }
                    (of_one, _) => of_one.map(|samples| samples.to_vec()),
                });
                let samples = samples.collect::<Result<Vec<_>, _>>();
                let mut samples = samples.map_err(WaveletError::of_trace)?;
                for (receiver, trace) in (first..).zip(&mut samples) {
                    let steps = Samples { count, interval: dt };
                    trace[..processing.first_step(receiver, steps)].fill(0.0);
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
        Ok(Single { values: traces, unit })
    }
}

impl Conditioning {
    /// Start of a trace's taper after the mute, and its length, s.
    pub(crate) fn mute_of(
        &self,
        Shot { sources, receivers }: &Shot,
        receiver: usize,
    ) -> (f64, f64) {
        let (Some(mute), Some(source), Some(receiver)) =
            (self.mute, sources.first(), receivers.get(receiver))
        else {
            return (0.0, 0.0);
        };
        let source = source.at;
        let along = [source.x - receiver.x, source.y - receiver.y, source.z - receiver.z];
        let distance = along.iter().map(|d| d * d).sum::<f64>().sqrt();
        (mute.at(distance), mute.taper)
    }
}

fn energy(samples: impl Iterator<Item = f64>) -> f64 {
    samples.map(|v| v * v).sum()
}

/// The traces of a shot before they have the steps of a Plan.
struct Processing<'t> {
    conditioning: &'t Conditioning,
    gather: &'t Array2<f32>,
    recorded: &'t [Range<usize>],
    interval: f64,
    band: Option<Band>,
    shot: &'t Shot,
}

impl Processing<'_> {
    /// Part of a sample that the taper at the end of its trace leaves.
    fn faded(&self, receiver: usize, n: usize) -> f64 {
        let (interval, samples) = (self.interval, &self.recorded[receiver]);
        if !samples.contains(&n) {
            return 0.0;
        }
        fade(samples.end as f64 * interval - n as f64 * interval, self.conditioning.taper)
    }

    /// Energy of the loudest trace.
    fn loudest(&self) -> f64 {
        let of_row = |(receiver, row): (usize, ArrayView1<'_, f32>)| {
            let faded = |(n, v): (usize, &f32)| f64::from(*v) * self.faded(receiver, n);
            energy(row.iter().enumerate().map(faded))
        };
        self.gather.outer_iter().enumerate().map(of_row).fold(0.0, f64::max)
    }

    /// A trace in its band, muted and tapered.
    fn muted(&self, receiver: usize) -> Wavelet {
        let (begins, tapered) = self.mute_of(receiver);
        let sample = |(n, sample): (usize, f64)| {
            let t = n as f64 * self.interval;
            let gain = if t < begins { 0.0 } else { fade(t - begins, tapered) };
            sample * gain * self.faded(receiver, n)
        };
        let row = self.gather.row(receiver).into_iter().map(|sample| f64::from(*sample));
        let values = match &self.band {
            Some(band) => band.pass(row).into_iter().enumerate().map(sample).collect(),
            None => row.enumerate().map(sample).collect(),
        };
        Wavelet::Sampled(Sampled { values, interval: self.interval })
    }

    /// The first step that samples before a trace's start do not reach; a mute silences them.
    fn first_step(&self, receiver: usize, steps: Samples) -> usize {
        let samples = Samples { count: self.gather.ncols(), interval: self.interval };
        match self.recorded[receiver].clone() {
            recorded if self.mute_of(receiver).0 >= recorded.start as f64 * self.interval => 0,
            recorded => resample::recorded(recorded, samples, steps).start,
        }
    }

    fn mute_of(&self, receiver: usize) -> (f64, f64) {
        self.conditioning.mute_of(self.shot, receiver)
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
