//! The linearised problem: the change of the traces due to a small change of the model, and its
//! transpose.
//!
//! With the model perturbed by e = v^2 d(1/v^2), the relative change of the squared slowness at
//! each node, the field changes by the scattered field dp of
//!
//! ```text
//! (1/v^2) dp_tt = lap dp - (e / v^2) p_tt
//! ```
//!
//! which is the same run with another source (Tarantola 1984, "Inversion of seismic reflection data
//! in the acoustic approximation", Geophysics 49(8)). In steps: `dp(n+1)` gets
//! `-e (p(n+1) - 2 p(n) + p(n-1))`, or with `q(n) = p(n) - p(n-1)`, `dp(n)` gets `-e q(n)` and
//! `dp(n+1)` gets it back. If only every k-th step is an imaging step, only its q is used.
//!
//! With VTI the same holds of each of its fields, which have the factor `b/v^2` in common.

use crate::{
    acquisition::Shot,
    grid::Axes,
    plan::{Imaging, Plan, PointShot, PointSource, Sampling, Tap, Window, sampling, tap},
};
use ndarray::{Array2, Array3, ArrayView1};
use rayon::prelude::*;
use std::sync::Arc;

/// The largest value of a backward f32 field.
const LARGEST: f32 = 1e37;

/// A perturbation of the model, which scatters the source wavefield of another run.
#[derive(Clone, Debug, PartialEq)]
pub struct Scattering {
    /// The imaging steps of that run.
    pub imaging: Imaging,
    /// e at each node of the whole model, `[y][x][z]`.
    pub perturbation: Array3<f64>,
}

impl Plan {
    /// The same shots without receivers, whose source wavefields are stored.
    #[must_use]
    pub fn stored(&self, imaging: Imaging) -> Plan {
        let shot = |shot: &PointShot| PointShot { receivers: Arc::default(), ..shot.clone() };
        let shots = self.shots.iter().map(shot).collect();
        let taps = vec![tap::watchdog(self), Tap::Store(imaging)];
        Plan { shots, taps, ..self.clone() }
    }

    /// A [`Plan::stored`] of these shots that records their traces as well.
    #[must_use]
    pub fn with_traces(&self, plan: Plan) -> Plan {
        let traces = Tap::Traces { every: self.time.record_every };
        let taps = plan.taps.into_iter().chain([traces]).collect();
        Plan { shots: self.shots.clone(), taps, ..plan }
    }

    /// The same shots, with the sources of each divided by a power of two; 0 leaves those of a shot alone.
    #[must_use]
    pub fn in_units(&self, units: &[f64]) -> Plan {
        let shot = |(shot, unit): (&PointShot, &f64)| match *unit {
            0.0 | 1.0 => shot.clone(),
            unit => {
                let source =
                    |source: &PointSource| PointSource { scale: source.scale / unit, ..*source };
                let sources = shot.sources.iter().map(source).collect();
                PointShot { sources, unit: shot.unit * unit, ..shot.clone() }
            }
        };
        Plan { shots: self.shots.iter().zip(units).map(shot).collect(), ..self.clone() }
    }

    /// The same shots, their wavelets summed twice in time: the second differences of the field are then
    /// those shots' own field, times dt^2.
    #[must_use]
    pub fn with_integrated_sources(self) -> Plan {
        let dt = self.time.dt;
        let integrated = |wavelet: &Arc<[f64]>| -> Arc<[f64]> {
            let summed = wavelet.iter().scan((0.0, 0.0), |(once, twice), sample| {
                let now = *twice;
                *once += sample;
                *twice += dt * dt * *once;
                Some(now)
            });
            summed.collect()
        };
        let wavelets = self.wavelets.iter().map(integrated).collect();
        Plan { wavelets, ..self }
    }

    /// The same shots; those that are not kept lose their sources.
    #[must_use]
    pub fn with_sources_of(self, kept: &[bool]) -> Plan {
        let shot = |(mut shot, kept): (PointShot, &bool)| {
            if !kept {
                shot.sources = Arc::default();
            }
            shot
        };
        Plan { shots: self.shots.into_iter().zip(kept).map(shot).collect(), ..self }
    }

    /// The same shots in a unit of 1, as their fields are compared or summed.
    #[must_use]
    pub fn in_one_unit(&self) -> Plan {
        self.in_units(&self.shots.iter().map(|shot| 1.0 / shot.unit).collect::<Vec<_>>())
    }

    /// The wave that a perturbation of the model scatters, recorded by the receivers of these
    /// shots: linear in the perturbation.
    #[must_use]
    pub fn scattered(&self, scattering: Scattering) -> Plan {
        let shot = |shot: &PointShot| PointShot { sources: Arc::default(), ..shot.clone() };
        let shots = self.shots.iter().map(shot).collect();
        let traces = Tap::Traces { every: self.time.record_every };
        // The watchdog's limit is that of the source wavefield.
        let taps = vec![tap::watchdog(self), traces];
        let scattering = Some(Arc::new(scattering));
        Plan { shots, scattering, taps, initial: None, ..self.clone() }
    }

    /// The adjoint of [`Plan::scattered`]: traces of these shots are sent back from their receivers
    /// and correlated with the source wavefields. `gathers` are `[receiver][sample]`, with one
    /// sample for each that these receivers record; `None` if one has another shape. Multiply the
    /// result by [`Plan::image_scale`].
    pub fn sent_back(&self, gathers: &[Array2<f32>], imaging: Imaging) -> Option<Plan> {
        let fits = |(shot, gather): (&PointShot, &Array2<f32>)| {
            gather.dim() == (shot.receivers.len(), self.time.samples)
        };
        if gathers.len() != self.shots.len() || !self.shots.iter().zip(gathers).all(fits) {
            return None;
        }
        let (steps, every) = (self.time.steps, self.time.record_every);
        // Sample i of the backward run is that of step N - i.
        let reversed = |trace: ArrayView1<'_, f32>| -> Arc<[f64]> {
            let sample = |i: usize| {
                let step = steps - i;
                let sample = step.is_multiple_of(every).then(|| trace.get(step / every));
                sample.flatten().map_or(0.0, |sample| f64::from(*sample))
            };
            (0..steps).map(sample).collect()
        };
        let traces: Vec<_> = gathers.iter().flat_map(|gather| gather.rows()).collect();
        let wavelets = traces.into_par_iter().map(reversed).collect();
        let (mut wavelet, mut shots) = (0, Vec::new());
        for shot in &self.shots {
            let mut sources = Vec::new();
            for (source, receiver) in shot.receivers.iter().enumerate() {
                let mut fire = |at, weight| {
                    let weight = weight * self.pressure_factor(shot.window, at);
                    let scale = self.push(shot.window, at) * weight;
                    sources.push(PointSource { at, scale, wavelet, source });
                };
                match receiver {
                    Sampling::Node(node) => fire(node.map(|n| n as usize), 1.0),
                    Sampling::Between(spread) => {
                        let spread = spread.each().map(Arc::as_ref);
                        sampling::nodes(spread).for_each(|(node, weight)| fire(node, weight));
                    }
                }
                wavelet += 1;
            }
            shots.push(PointShot {
                sources: sources.into(),
                receivers: Arc::default(),
                asked: Arc::new(Shot { sources: Vec::new(), receivers: Default::default() }),
                window: shot.window,
                unit: 1.0,
            });
        }
        let back = Plan { shots, wavelets, initial: None, ..self.clone() }.adjoint();
        // The same for any batch: a backward step is the transpose of a forward step.
        let watchdog = Tap::Watchdog { every: tap::WATCHDOG_EVERY, limit: LARGEST };
        Some(Plan { taps: vec![watchdog, Tap::Imaging(imaging)], ..back })
    }

    /// The factor that turns the sums of [`Plan::sent_back`] into images: -1 / (v dt)^2, with VTI times b, at
    /// each node of the whole model, 0 on a free surface.
    pub fn image_scale(&self) -> Array3<f64> {
        Array3::from_shape_fn(self.survey_grid().shape(), |(y, x, z)| {
            let push = self.push(Window::whole(0), self.on_grid(Axes { z, x, y }));
            if push > 0.0 { -1.0 / push } else { 0.0 }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::square;

    #[test]
    fn a_trace_is_sent_back_with_its_last_sample_first() {
        let plan = square(0.01, 1e-3);
        let gather = Array2::from_shape_fn((1, 11), |(_, n)| n as f32);
        let back = plan.sent_back(&[gather], Imaging { every: 1, slots: 2 });
        let fired = &back.expect("a sample for each that is recorded").wavelets[0];
        assert_eq!(fired[..], [10.0, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]);
    }
}
