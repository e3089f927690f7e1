//! What is done to traces before they are sent back.

use crate::{
    acquisition::{
        Sampled, Shot, TimeDispersion, Wavelet, WaveletError, integral, time_dispersion,
    },
    grid::Position,
    plan::Plan,
};
use ndarray::Array2;
use rayon::prelude::*;

/// The direct wave muted: what comes before distance over velocity and a delay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mute {
    /// Of the direct wave, m/s.
    pub velocity: f64,
    /// Seconds that are muted after it would arrive from the source at t = 0.
    pub delay: f64,
    /// Seconds over which traces then come in.
    pub taper: f64,
}

/// What is done to the traces of a survey.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Conditioning {
    /// The direct wave's mute.
    pub mute: Option<Mute>,
    /// Seconds over which traces fade out at their end.
    pub taper: f64,
    /// Whether they are integrated in time, and from which frequency on, Hz: for an image that a [`super::laplacian`] filters.
    pub integrated_above: Option<f64>,
}

impl Conditioning {
    /// Traces `[receiver][sample]` of a shot, so many seconds apart from t = 0 on, as [`super::Migration::run`] takes them: at each step
    /// of the Plan, what lies between samples by a windowed sinc.
    ///
    /// # Errors
    ///
    /// Where the steps of the Plan are too long for what is in the traces.
    pub fn apply(
        &self,
        gather: &Array2<f32>,
        interval: f64,
        (plan, shot): (&Plan, usize),
    ) -> Result<Array2<f32>, WaveletError> {
        let (steps, dt) = (plan.time.steps, plan.time.dt);
        let Shot { sources, receivers } = &*plan.shots[shot].asked;
        let source = sources.first().map(|source| source.at);
        let recorded = gather.ncols() as f64 * interval;
        let mut traces = Array2::zeros((gather.nrows(), steps + 1));
        let rows = traces.outer_iter_mut().collect::<Vec<_>>().into_par_iter().enumerate();
        rows.map(|(receiver, mut to)| {
            let row = gather.row(receiver);
            let values = row.iter().enumerate().map(|(n, sample)| {
                let t = n as f64 * interval;
                let at = source.zip(receivers.get(receiver).copied());
                f64::from(*sample) * self.mute_at(at, t) * fade(recorded - t, self.taper)
            });
            let trace = Wavelet::Sampled(Sampled { values: values.collect(), interval });
            let mut samples = trace.samples(dt, steps + 1)?;
            if let Some(above) = self.integrated_above {
                samples = integral::of(&samples, dt, above);
            }
            if plan.time.dispersion == TimeDispersion::Corrected {
                samples = time_dispersion::add(samples, steps + 1);
            }
            to.iter_mut().zip(samples).for_each(|(to, sample)| *to = sample as f32);
            Ok(())
        })
        .collect::<Result<(), _>>()?;
        Ok(traces)
    }

    fn mute_at(&self, at: Option<(Position, Position)>, t: f64) -> f64 {
        let (Some(mute), Some((source, receiver))) = (self.mute, at) else { return 1.0 };
        let along = [source.x - receiver.x, source.y - receiver.y, source.z - receiver.z];
        let distance = along.iter().map(|d| d * d).sum::<f64>().sqrt();
        let begins = distance / mute.velocity + mute.delay;
        if t < begins { 0.0 } else { fade(t - begins, mute.taper) }
    }
}

/// From 0 to 1 over a length, without a corner.
fn fade(at: f64, length: f64) -> f64 {
    if at >= length {
        1.0
    } else {
        (0.5 * std::f64::consts::PI * at.max(0.0) / length).sin().powi(2)
    }
}

/// Divides a gather by a power of two so that its largest sample is near 1, where f32 has digits for products too; what it was
/// divided by.
pub(super) fn to_unit(gather: &mut Array2<f32>) -> f64 {
    let peak = gather.iter().fold(0.0f32, |peak, sample| peak.max(sample.abs()));
    if !(peak > 0.0 && peak.is_finite()) {
        return 1.0;
    }
    let unit = f64::from(peak).log2().floor().exp2();
    gather.mapv_inplace(|sample| (f64::from(sample) / unit) as f32);
    unit
}
