//! The CPU engine that users run: f32, every core, vector instructions chosen at run time.
//!
//! A step is one pass over bands of columns. The arithmetic is in [`super::columns`].

use super::{
    columns::{self, Band, Coefficients, Fields, LARGEST_BLOCK, StepBand},
    layers::Memory,
    tap::{FieldView, Taps},
};
use crate::{
    engine::{Description, Engine, EngineError, Layout, Observer, Run, Timings, check, report},
    plan::{Plan, PointShot},
};
use ndarray::Array2;
use pulp::Arch;
use rayon::prelude::*;
use std::{ops::Range, time::Instant};

/// The f32 engine for any number of cores.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parallel;

/// Bands a thread and step: enough to even out the load, few enough to cost nothing.
const BANDS_PER_THREAD: usize = 2;
/// Nodes that are worth a thread's waking: some ten microseconds of work.
const SMALLEST_BAND: usize = 16 * 1024;

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
        check(plan)?;
        let layout = Layout::new(plan);
        Ok(Box::new(ParallelRun {
            plan,
            layout,
            step_band: columns::for_radius(plan.radius()),
            bands: bands(&layout),
            coefficients: Coefficients::new(plan, &layout),
            v2dt2: layout.padded(|ix, iz| plan.v2dt2(plan.grid.index(ix, iz)) as f32),
            shots: plan.shots.iter().map(|shot| Wavefield::new(plan, shot, &layout)).collect(),
            taps: Taps::new(plan),
            step: 0,
            stepping: 0.0,
        }))
    }
}

struct ParallelRun<'p> {
    plan: &'p Plan,
    layout: Layout,
    step_band: StepBand,
    /// Columns that are stepped together.
    bands: Vec<Range<usize>>,
    coefficients: Coefficients,
    v2dt2: Vec<f32>,
    shots: Vec<Wavefield>,
    taps: Taps,
    step: usize,
    stepping: f64,
}

/// Cuts the columns into bands of about the same size.
fn bands(layout: &Layout) -> Vec<Range<usize>> {
    let most = rayon::current_num_threads() * BANDS_PER_THREAD;
    let worth = layout.nx * layout.nz / SMALLEST_BAND;
    let width = layout.nx.div_ceil(worth.clamp(1, most));
    (0..layout.nx).step_by(width).map(|first| first..(first + width).min(layout.nx)).collect()
}

/// One shot's field at two steps and the memory variables of its layers.
struct Wavefield {
    layout: Layout,
    p: Vec<f32>,
    p_prev: Vec<f32>,
    memory_x: Memory,
    memory_z: Memory,
    /// |p| below this is made zero.
    nothing: f32,
}

impl FieldView for Wavefield {
    fn at(&self, ix: usize, iz: usize) -> f32 {
        self.p[self.layout.index(ix, iz)]
    }
}

impl Wavefield {
    fn new(plan: &Plan, shot: &PointShot, layout: &Layout) -> Self {
        let start = |field: Option<&Array2<f32>>| match field {
            Some(field) => layout.padded(|ix, iz| field[[ix, iz]]),
            None => vec![0.0; layout.len()],
        };
        Wavefield {
            layout: *layout,
            p: start(plan.initial.as_ref().map(|initial| &initial.now)),
            p_prev: start(plan.initial.as_ref().map(|initial| &initial.before)),
            memory_x: Memory::along_x(plan, layout),
            memory_z: Memory::along_z(plan, layout, LARGEST_BLOCK),
            nothing: columns::nothing(plan, shot),
        }
    }

    /// One step of every node; p and p_prev change places.
    fn step(
        &mut self,
        step_band: StepBand,
        bands: &[Range<usize>],
        coefficients: &Coefficients,
        v2dt2: &[f32],
    ) {
        let layout = &self.layout;
        let nothing = self.nothing;
        let fields = Fields { layout, coefficients, p: &self.p, v2dt2, nothing };
        let width = bands.first().map_or(1, Range::len);
        let p_next = self.p_prev[layout.columns()].chunks_mut(width * layout.stride);
        let layers = self.memory_x.bands_x(bands).into_iter().zip(self.memory_z.bands_z(bands));
        let bands: Vec<Band<'_>> = (bands.iter().zip(p_next).zip(layers))
            .map(|((columns, p_next), (layers_x, layers_z))| {
                let columns = columns.clone();
                Band { columns, p_next, layers_x, layers_z }
            })
            .collect();
        let arch = Arch::new();
        bands.into_par_iter().for_each(|band| step_band(arch, fields, band));
        self.memory_x.swap();
        self.memory_z.swap();
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
                field.step(self.step_band, &self.bands, &self.coefficients, &self.v2dt2);
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

    fn timings(&self) -> Timings {
        Timings { stepping: self.stepping, ..Timings::default() }
    }

    fn finish(mut self: Box<Self>, observer: &mut dyn Observer) -> Result<Timings, EngineError> {
        for (shot, field) in self.shots.iter().enumerate() {
            self.taps.read(self.plan, self.step, shot, field, observer)?;
        }
        self.taps.flush(observer);
        Ok(self.timings())
    }

    fn field(&mut self, shot: usize) -> Result<Array2<f32>, EngineError> {
        let layout = &self.layout;
        Ok(layout.window(&self.shots[shot].p, 0..layout.nx, 0..layout.nz))
    }
}
