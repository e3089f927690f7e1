//! The oracle: f64, plain loops, one thread. Reads side by side with `shaders/step2d.wgsl`.
//!
//! ```text
//! p_next = g (2 p + (v dt)^2 lap p) - g^2 p_prev + (v dt)^2 s / (hx hz)
//! ```
//!
//! g is the sponge's factor (1 elsewhere); in a CPML the second derivative along its axis gets the
//! correction of [`crate::boundary::Cpml`].

use super::tap::{FieldView, Taps};
use crate::{
    engine::{Description, Engine, EngineError, Observer, Run, Timings, check, report},
    plan::Plan,
    stencil::AxisOperator,
};
use ndarray::Array2;
use std::time::Instant;

/// The f64 engine written to be read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference;

impl Engine for Reference {
    fn describe(&self) -> Description {
        Description {
            backend: "reference".into(),
            device: "CPU, one thread, f64".into(),
            driver: String::new(),
            kernel: "plain loops".into(),
        }
    }

    fn batch(&self, _plan: &Plan) -> Result<usize, EngineError> {
        Ok(1)
    }

    fn start<'p>(&self, plan: &'p Plan) -> Result<Box<dyn Run + 'p>, EngineError> {
        check(plan)?;
        let shots = (0..plan.shots.len()).map(|_| Wavefield::new(plan)).collect();
        let v2dt2 = (0..plan.grid.cells()).map(|i| plan.v2dt2(i)).collect();
        let taps = Taps::new(plan);
        Ok(Box::new(ReferenceRun { plan, v2dt2, shots, taps, step: 0, stepping: 0.0 }))
    }
}

struct ReferenceRun<'p> {
    plan: &'p Plan,
    /// (v dt)^2, shape [x][z].
    v2dt2: Vec<f64>,
    shots: Vec<Wavefield>,
    taps: Taps,
    step: usize,
    stepping: f64,
}

/// One shot's field at two steps, and the memory variables of its layers (zero outside them); all of
/// shape `[x][z]` with a halo of zeros.
struct Wavefield {
    p: Padded,
    p_prev: Padded,
    phi_x: Padded,
    phi_z: Padded,
    zeta_x: Padded,
    zeta_z: Padded,
}

/// A field with a halo of zeros, so that a stencil needs no branch.
#[derive(Clone)]
struct Padded {
    values: Vec<f64>,
    stride: usize,
    halo: usize,
}

impl Padded {
    fn new(plan: &Plan) -> Self {
        let halo = plan.radius();
        let stride = plan.grid.n.z + 2 * halo;
        Padded { values: vec![0.0; stride * (plan.grid.n.x + 2 * halo)], stride, halo }
    }

    fn place(&self, ix: usize, iz: usize) -> usize {
        (ix + self.halo) * self.stride + iz + self.halo
    }
}

impl FieldView for Padded {
    fn at(&self, ix: usize, iz: usize) -> f32 {
        self.values[self.place(ix, iz)] as f32
    }
}

impl Wavefield {
    fn new(plan: &Plan) -> Self {
        let zero = Padded::new(plan);
        let mut field = Wavefield {
            p: zero.clone(),
            p_prev: zero.clone(),
            phi_x: zero.clone(),
            phi_z: zero.clone(),
            zeta_x: zero.clone(),
            zeta_z: zero,
        };
        if let Some(initial) = &plan.initial {
            for ((ix, iz), value) in initial.now.indexed_iter() {
                let place = field.p.place(ix, iz);
                field.p.values[place] = f64::from(*value);
                field.p_prev.values[place] = f64::from(initial.before[[ix, iz]]);
            }
        }
        field
    }

    /// One step of every node; p and p_prev change places.
    fn step(&mut self, plan: &Plan, v2dt2: &[f64]) {
        let (phi_x_old, phi_z_old) = (self.phi_x.clone(), self.phi_z.clone());
        for ix in 0..plan.grid.n.x {
            for iz in 0..plan.grid.n.z {
                let i = self.p.place(ix, iz);
                let p = &self.p.values;
                let (x, z) = (&plan.operator.x, &plan.operator.z);
                let column = self.p.stride;

                let d2x = second(x, p, i, column);
                let d2z = second(z, p, i, 1);
                let mut laplacian = d2x + d2z;

                let (layer_x, layer_z) = (&plan.profile.x.nodes[ix], &plan.profile.z.nodes[iz]);
                if plan.profile.x.has_memory(ix) {
                    let d1 = first(x, p, i, column);
                    let slope = first(x, &phi_x_old.values, i, column)
                        + layer_x.gain_slope * d1
                        + layer_x.gain * d2x;
                    let zeta = layer_x.decay * self.zeta_x.values[i] + layer_x.gain * (d2x + slope);
                    self.zeta_x.values[i] = zeta;
                    self.phi_x.values[i] =
                        layer_x.decay * (phi_x_old.values[i] + layer_x.gain * d1);
                    laplacian += slope + zeta;
                }
                if plan.profile.z.has_memory(iz) {
                    let d1 = first(z, p, i, 1);
                    let slope = first(z, &phi_z_old.values, i, 1)
                        + layer_z.gain_slope * d1
                        + layer_z.gain * d2z;
                    let zeta = layer_z.decay * self.zeta_z.values[i] + layer_z.gain * (d2z + slope);
                    self.zeta_z.values[i] = zeta;
                    self.phi_z.values[i] =
                        layer_z.decay * (phi_z_old.values[i] + layer_z.gain * d1);
                    laplacian += slope + zeta;
                }

                let g = layer_x.damping * layer_z.damping;
                let moved = 2.0 * p[i] + v2dt2[plan.grid.index(ix, iz)] * laplacian;
                self.p_prev.values[i] = g * (moved - g * self.p_prev.values[i]);
            }
        }
        std::mem::swap(&mut self.p, &mut self.p_prev);
    }
}

/// `c_0 p(i) + sum c_j (p(i + j) + p(i - j))`.
fn second(operator: &AxisOperator, p: &[f64], i: usize, stride: usize) -> f64 {
    let mut sum = operator.second[0] * p[i];
    for j in 1..=operator.radius() {
        sum += operator.second[j] * (p[i + j * stride] + p[i - j * stride]);
    }
    sum
}

/// `sum d_j (p(i + j) - p(i - j))`.
fn first(operator: &AxisOperator, p: &[f64], i: usize, stride: usize) -> f64 {
    let mut sum = 0.0;
    for j in 1..=operator.radius() {
        sum += operator.first[j - 1] * (p[i + j * stride] - p[i - j * stride]);
    }
    sum
}

impl Run for ReferenceRun<'_> {
    fn step(&self) -> usize {
        self.step
    }

    fn advance(&mut self, steps: usize, observer: &mut dyn Observer) -> Result<(), EngineError> {
        let started = Instant::now();
        for _ in 0..steps.min(self.plan.time.steps - self.step) {
            for (shot, field) in self.shots.iter().enumerate() {
                self.taps.read(self.plan, self.step, shot, &field.p, observer)?;
            }
            for (field, shot) in self.shots.iter_mut().zip(&self.plan.shots) {
                field.step(self.plan, &self.v2dt2);
                for source in &shot.sources {
                    let place = field.p.place(source.at.x, source.at.z);
                    let wavelet = &self.plan.wavelets[source.wavelet];
                    let sample = wavelet[self.step];
                    field.p.values[place] += source.scale * sample;
                }
            }
            self.step += 1;
            report(self.plan, self.step, observer)?;
        }
        self.stepping += started.elapsed().as_secs_f64();
        Ok(())
    }

    fn timings(&self) -> Timings {
        Timings { stepping: self.stepping, ..Timings::default() }
    }

    fn finish(mut self: Box<Self>, observer: &mut dyn Observer) -> Result<Timings, EngineError> {
        for (shot, field) in self.shots.iter().enumerate() {
            self.taps.read(self.plan, self.step, shot, &field.p, observer)?;
        }
        self.taps.flush(observer);
        Ok(self.timings())
    }

    fn field(&mut self, shot: usize) -> Result<Array2<f32>, EngineError> {
        let n = self.plan.grid.n;
        let p = &self.shots[shot].p;
        Ok(Array2::from_shape_fn((n.x, n.z), |(ix, iz)| p.at(ix, iz)))
    }
}
