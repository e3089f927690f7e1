//! The CPU engine that users run: f32, every core, vector instructions chosen at run time.
//!
//! A step is one pass over the columns, in bands that share their neighbours in the cache, and, with a
//! CPML, a second one over the few columns of the layers at either end of x. The arithmetic is in
//! [`super::columns`].

use super::{
    columns::{self, Coefficients, Kernels},
    layers::{LayersX, LayersZ},
    tap::{FieldView, Taps},
};
use crate::{
    engine::{Description, Engine, EngineError, Layout, Observer, Run, Timings, report},
    plan::Plan,
};
use ndarray::Array2;
use rayon::prelude::*;
use std::time::Instant;

/// The f32 engine for any number of cores.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parallel;

/// Bands a thread and step: enough to even out the load, few enough to cost nothing.
const BANDS_PER_THREAD: usize = 2;

impl Engine for Parallel {
    fn describe(&self) -> Description {
        Description {
            backend: "cpu".into(),
            device: format!("CPU, {} threads, f32", rayon::current_num_threads()),
            driver: String::new(),
            kernel: format!("columns, {}", columns::instructions()),
        }
    }

    fn batch(&self, _plan: &Plan) -> Result<usize, EngineError> {
        // One after the other: a shot's fields then stay in the cache.
        Ok(1)
    }

    fn start<'p>(&self, plan: &'p Plan) -> Result<Box<dyn Run + 'p>, EngineError> {
        let layout = Layout::new(plan);
        Ok(Box::new(ParallelRun {
            plan,
            layout,
            kernels: Kernels::new(plan.radius()),
            coefficients: Coefficients::new(plan),
            v2dt2: layout.padded(|ix, iz| plan.v2dt2(plan.grid.index(ix, iz)) as f32),
            shots: (0..plan.shots.len()).map(|_| Wavefield::new(plan, &layout)).collect(),
            taps: Taps::new(plan),
            step: 0,
            stepping: 0.0,
        }))
    }
}

struct ParallelRun<'p> {
    plan: &'p Plan,
    layout: Layout,
    kernels: Kernels,
    coefficients: Coefficients,
    v2dt2: Vec<f32>,
    shots: Vec<Wavefield>,
    taps: Taps,
    step: usize,
    stepping: f64,
}

/// One shot's field at two steps and the memory variables of its layers.
struct Wavefield {
    layout: Layout,
    p: Vec<f32>,
    p_prev: Vec<f32>,
    layers_x: LayersX,
    layers_z: LayersZ,
}

impl FieldView for Wavefield {
    fn at(&self, ix: usize, iz: usize) -> f32 {
        self.p[self.layout.index(ix, iz)]
    }
}

impl Wavefield {
    fn new(plan: &Plan, layout: &Layout) -> Self {
        let start = |field: Option<&Array2<f32>>| match field {
            Some(field) => layout.padded(|ix, iz| field[[ix, iz]]),
            None => vec![0.0; layout.len()],
        };
        Wavefield {
            layout: *layout,
            p: start(plan.initial.as_ref().map(|initial| &initial.now)),
            p_prev: start(plan.initial.as_ref().map(|initial| &initial.before)),
            layers_x: LayersX::new(plan),
            layers_z: LayersZ::new(plan),
        }
    }

    /// One step of every node; p and p_prev change places.
    fn step(&mut self, kernels: &Kernels, coefficients: &Coefficients, v2dt2: &[f32]) {
        let layout = &self.layout;
        let bands = rayon::current_num_threads() * BANDS_PER_THREAD;
        let band = layout.nx.div_ceil(bands).max(1);
        let p = &self.p;
        let p_next = &mut self.p_prev[layout.columns()];
        let layers_z = &mut self.layers_z;

        p_next
            .par_chunks_mut(band * layout.stride)
            .zip(layers_z.bands_mut(band))
            .enumerate()
            .for_each(|(index, (p_next, mut layers))| {
                let first = index * band;
                kernels.band(layout, coefficients, first, p, v2dt2, p_next, &mut layers);
            });

        if self.layers_x.is_empty() {
            std::mem::swap(&mut self.p, &mut self.p_prev);
            return;
        }
        let (low, high) = self.layers_x.widths();
        let (before, after) = p_next.split_at_mut((layout.nx - high) * layout.stride);
        let columns = before[..low * layout.stride]
            .par_chunks_mut(layout.stride)
            .chain(after.par_chunks_mut(layout.stride));
        columns.zip(self.layers_x.columns_mut()).for_each(|(p_next, column)| {
            kernels.layer_x(layout, coefficients, p, v2dt2, p_next, column);
        });
        self.layers_x.swap();
        std::mem::swap(&mut self.p, &mut self.p_prev);
    }
}

impl ParallelRun<'_> {
    fn advance_to(&mut self, until: usize, observer: &mut dyn Observer) -> Result<(), EngineError> {
        while self.step < until {
            for (shot, field) in self.shots.iter().enumerate() {
                self.taps.read(self.plan, self.step, shot, field, observer)?;
            }
            for (field, shot) in self.shots.iter_mut().zip(&self.plan.shots) {
                field.step(&self.kernels, &self.coefficients, &self.v2dt2);
                for source in &shot.sources {
                    let place = self.layout.index(source.at.x, source.at.z);
                    let sample = self.plan.wavelets[source.wavelet][self.step];
                    field.p[place] += (source.scale * sample) as f32;
                }
            }
            self.step += 1;
            report(self.plan, self.step, observer)?;
        }
        Ok(())
    }
}

impl Run for ParallelRun<'_> {
    fn step(&self) -> usize {
        self.step
    }

    fn advance(&mut self, steps: usize, observer: &mut dyn Observer) -> Result<(), EngineError> {
        let started = Instant::now();
        let until = (self.step + steps).min(self.plan.time.steps);
        // On a thread of the pool, which need not be woken and waited for at every step.
        let done = rayon::scope(|_| self.advance_to(until, observer));
        self.stepping += started.elapsed().as_secs_f64();
        done
    }

    fn finish(mut self: Box<Self>, observer: &mut dyn Observer) -> Result<Timings, EngineError> {
        for (shot, field) in self.shots.iter().enumerate() {
            self.taps.read(self.plan, self.step, shot, field, observer)?;
        }
        self.taps.flush(observer);
        Ok(Timings { stepping: self.stepping, ..Timings::default() })
    }

    fn field(&mut self, shot: usize) -> Result<Array2<f32>, EngineError> {
        let layout = &self.layout;
        Ok(layout.window(&self.shots[shot].p, 0..layout.nx, 0..layout.nz))
    }
}
