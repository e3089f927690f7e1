//! Processing of traces before they are sent back.

use crate::{
    acquisition::{
        Band, Interpolation, Sampled, Shot, TOGETHER, Wavelet, WaveletError, integral, samples_of,
    },
    conditioning::{Mute, taper::fade},
    grid::Position,
    plan::Plan,
};
use ndarray::{Array2, ArrayView1, Axis};
use rayon::prelude::*;

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
        Resampling { interval, dt, steps, shared }: &Resampling,
        (plan, shot): (&Plan, usize),
    ) -> Result<Array2<f32>, WaveletError> {
        let (interval, dt, count) = (*interval, *dt, steps + 1);
        let Shot { sources, receivers } = &*plan.shots[shot].asked;
        let source = sources.first().map(|source| source.at);
        let recorded = gather.ncols() as f64 * interval;
        let band = self.band.map(|corners| Band::of_corners(corners, interval, gather.ncols()));
        let energy = |samples: &mut dyn Iterator<Item = f64>| samples.map(|v| v * v).sum::<f64>();
        let faded = |n: usize| fade(recorded - n as f64 * interval, self.taper);
        let of_row = |row: ArrayView1<'_, f32>| {
            energy(&mut row.iter().enumerate().map(|(n, v)| f64::from(*v) * faded(n)))
        };
        let loudest = gather.outer_iter().map(of_row).fold(0.0, f64::max);
        let muted = |receiver: usize| {
            let at = source.zip(receivers.get(receiver).copied());
            let (begins, tapered) = self.mute_of(at);
            let sample = |(n, sample): (usize, f64)| {
                let t = n as f64 * interval;
                let gain = if t < begins { 0.0 } else { fade(t - begins, tapered) };
                sample * gain * faded(n)
            };
            let row = gather.row(receiver).into_iter().map(|sample| f64::from(*sample));
            let values = match &band {
                Some(band) => band.pass(row).into_iter().enumerate().map(sample).collect(),
                None => row.enumerate().map(sample).collect(),
            };
            Wavelet::Sampled(Sampled { values, interval })
        };
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
                if let Some(above) = self.integrated_above {
                    let silence = vec![0.0; count];
                    for pair in samples.chunks_mut(2) {
                        match pair {
                            [first, second] => integral::of_both([first, second], dt, above),
                            [last] => integral::of_both([last, &mut silence.clone()], dt, above),
                            _ => {}
                        }
                    }
                }
                for (mut row, samples) in rows.outer_iter_mut().zip(samples) {
                    // Integration changes the end.
                    let end = plan.time.kept() as f64 * dt;
                    for (n, (to, sample)) in row.iter_mut().zip(samples).enumerate() {
                        *to = (sample * fade(end - n as f64 * dt, self.taper)) as f32;
                    }
                }
                Ok(())
            })
            .collect::<Result<(), _>>()?;
        plan.correct_adjoint(&mut traces);
        Ok(traces)
    }

    /// Start of a trace's taper after the mute, and its length, s.
    fn mute_of(&self, at: Option<(Position, Position)>) -> (f64, f64) {
        let (Some(mute), Some((source, receiver))) = (self.mute, at) else { return (0.0, 0.0) };
        let along = [source.x - receiver.x, source.y - receiver.y, source.z - receiver.z];
        let distance = along.iter().map(|d| d * d).sum::<f64>().sqrt();
        (mute.at(distance), mute.taper)
    }
}

/// Divides a gather by a power of two so that its largest sample is near 1, where f32 has digits
/// for products too; returns the divisor, 0 of a gather of zeros.
pub(super) fn to_unit(gather: &mut Array2<f32>) -> f64 {
    let peak = gather.iter().fold(0.0f32, |peak, sample| peak.max(sample.abs()));
    if !(peak > 0.0 && peak.is_finite()) {
        return if peak == 0.0 { 0.0 } else { 1.0 };
    }
    let unit = f64::from(peak).log2().floor().exp2();
    gather.mapv_inplace(|sample| (f64::from(sample) / unit) as f32);
    unit
}
