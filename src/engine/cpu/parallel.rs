//! The CPU engine that users run: f32, every core, vector instructions chosen at run time.
//!
//! A step is one pass over bands of columns, in 3-D of planes. The arithmetic is in [`super::columns`].

use super::{
    aligned::Aligned,
    columns::{self, Band, Coefficients, Fields, LARGEST_BLOCK, StepBand},
    layers::Memory,
    memory,
    rebuilt::Rebuilt,
    scatter::Scatter,
    tap::{FieldView, Taps, peak},
    transposed::{Tables, Transposed},
};
use crate::{
    engine::{
        Description, Engine, EngineError, Kept, Layout, Losses, Observer, Run, ShotState,
        SourceWavefield, State, Timings, Values, check, report, state,
    },
    grid::Axes,
    plan::{Plan, PointShot},
};
use ndarray::Array3;
use pulp::Arch;
use rayon::prelude::*;
use std::{ops::Range, sync::Arc};
use web_time::Instant;

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

    fn batch(&self, plan: &Plan) -> Result<usize, EngineError> {
        let together = plan.together();
        memory::check(&plan.batch(0..plan.shots.len().min(together)))?;
        // One set after the other: a shot's fields then stay in the cache.
        Ok(together)
    }

    fn start(&self, plan: Arc<Plan>) -> Result<Box<dyn Run>, EngineError> {
        Ok(Box::new(ParallelRun::new(plan, None)?))
    }

    fn start_with(
        &self,
        plan: Arc<Plan>,
        source: &SourceWavefield,
    ) -> Result<Box<dyn Run>, EngineError> {
        Ok(Box::new(ParallelRun::new(plan, Some(source))?))
    }
}

impl ParallelRun {
    fn new(plan: Arc<Plan>, source: Option<&SourceWavefield>) -> Result<Self, EngineError> {
        check(&plan)?;
        memory::check(&plan)?;
        let layout = Layout::of_lines(&plan, LARGEST_BLOCK);
        // The layers of an adjoint are stepped by code of their own.
        let stepped = if plan.adjoint { &plan.without_cpml() } else { &*plan };
        let mut run = ParallelRun {
            layout,
            step_band: columns::for_radius(plan.radius(), plan.fourth.is_some()),
            bands: bands(&layout),
            coefficients: Coefficients::new(stepped, &layout),
            media: (plan.copies().into_iter())
                .map(|model| Medium::new(&plan, stepped, model, &layout))
                .collect(),
            shots: plan
                .shots
                .iter()
                .map(|shot| Wavefield::new(&plan, stepped, shot, &layout))
                .collect(),
            taps: Taps::new(&plan, source)?,
            scatter: Scatter::new(&plan, source)?,
            rebuilt: Rebuilt::new(&plan, source)?,
            source: source.cloned(),
            step: 0,
            stepping: 0.0,
            plan,
        };
        if run.plan.initial.is_some() {
            run.restore(&State::initial(&run.plan, state::CPU))?;
        }
        Ok(run)
    }
}

struct ParallelRun {
    plan: Arc<Plan>,
    layout: Layout,
    step_band: StepBand,
    /// Pieces of the slowest axis that are stepped together.
    bands: Vec<Range<usize>>,
    coefficients: Coefficients,
    /// Of each copy of a model (`Plan::copies`).
    media: Vec<Medium>,
    shots: Vec<Wavefield>,
    taps: Taps,
    scatter: Option<Scatter>,
    rebuilt: Option<Rebuilt>,
    /// What it meets.
    source: Option<SourceWavefield>,
    step: usize,
    stepping: f64,
}

/// What a step reads of a model.
struct Medium {
    v2dt2: Aligned,
    losses: Losses,
    transposed: Option<Tables>,
}

impl Medium {
    fn new(plan: &Plan, stepped: &Plan, model: usize, layout: &Layout) -> Self {
        let v2dt2 = layout.padded(|node| plan.v2dt2(model, node) as f32);
        let losses = Losses::new(stepped, model, layout.column);
        Medium { v2dt2: v2dt2.into(), losses, transposed: Tables::new(plan, model) }
    }
}

/// Cuts the slowest axis into bands of about the same size.
fn bands(layout: &Layout) -> Vec<Range<usize>> {
    let most = rayon::current_num_threads() * BANDS_PER_THREAD;
    let (pieces, _) = layout.slowest();
    let worth = layout.n.y * layout.n.x * layout.n.z / SMALLEST_BAND;
    let width = pieces.div_ceil(worth.clamp(1, most));
    (0..pieces).step_by(width).map(|first| first..(first + width).min(pieces)).collect()
}

/// One shot's field at two steps and the memory variables of its layers.
struct Wavefield {
    layout: Layout,
    p: Aligned,
    /// The field before or, by increments, p less it.
    p_prev: Aligned,
    slowest: Memory,
    middle: Memory,
    along_z: Memory,
    transposed: Transposed,
    /// |p| below this is made zero.
    nothing: f32,
    increments: bool,
}

impl FieldView for Wavefield {
    fn at(&self, node: Axes<usize>) -> f32 {
        self.p[self.layout.index(node)]
    }

    fn column(&self, first: Axes<usize>, to: &mut [f32]) {
        let place = self.layout.index(first);
        to.copy_from_slice(&self.p[place..place + to.len()]);
    }

    fn differences(&self, plan: &Plan, to: &mut Values) {
        let (n, origin, layout) = (plan.model_grid.n, plan.origin, &self.layout);
        let columns = to.f32s(plan.model_grid.cells()).par_chunks_mut(n.z).enumerate();
        columns.for_each(|(index, to)| {
            let (x, y) = (origin.x + index % n.x, origin.y + index / n.x);
            let first = layout.index(Axes { z: origin.z, x, y });
            let (p, second) = (&self.p[first..][..n.z], &self.p_prev[first..][..n.z]);
            for ((to, p), second) in to.iter_mut().zip(p).zip(second) {
                *to = if self.increments { *second } else { *p - *second };
            }
        });
    }

    fn peak(&self) -> u32 {
        // With the zeros of the halo: a pass over memory, without a place to work out.
        peak(self.p.iter().copied())
    }
}

impl Wavefield {
    fn new(plan: &Plan, stepped: &Plan, shot: &PointShot, layout: &Layout) -> Self {
        Wavefield {
            layout: *layout,
            p: Aligned::zeros(layout.len()),
            p_prev: Aligned::zeros(layout.len()),
            slowest: Memory::slowest(stepped, layout),
            middle: Memory::middle(stepped, layout),
            along_z: Memory::along_z(stepped, layout, LARGEST_BLOCK),
            transposed: Transposed::new(plan),
            nothing: columns::nothing(plan, shot),
            increments: plan.by_increments,
        }
    }

    fn memory(&self) -> impl Iterator<Item = &[f32]> {
        let layers = [&self.slowest, &self.middle, &self.along_z].into_iter();
        layers.flat_map(Memory::values).chain(self.transposed.values())
    }

    fn state(&self) -> ShotState {
        ShotState {
            now: Values::F32(self.layout.flat(&self.p)),
            second: Values::F32(self.layout.flat(&self.p_prev)),
            memory: Values::F32(self.memory().flatten().copied().collect()),
        }
    }

    /// From a state that has been checked.
    fn restore(&mut self, state: &State, shot: usize) {
        let [now, second, memory] = state.arrays(shot, Values::f32);
        self.layout.put(now, &mut self.p);
        self.layout.put(second, &mut self.p_prev);
        let mut before = 0;
        let all = [&mut self.slowest, &mut self.middle, &mut self.along_z];
        let values = all.into_iter().flat_map(Memory::values_mut);
        for values in values.chain(self.transposed.values_mut()) {
            match memory {
                Some(memory) => values.copy_from_slice(&memory[before..][..values.len()]),
                None => values.fill(0.0),
            }
            before += values.len();
        }
    }

    /// One step of every node, without sources, into p_prev.
    fn step(
        &mut self,
        step_band: StepBand,
        bands: &[Range<usize>],
        coefficients: &Coefficients,
        medium: &Medium,
    ) {
        let layout = &self.layout;
        let nothing = self.nothing;
        let Medium { v2dt2, losses, transposed } = medium;
        if let Some(tables) = transposed {
            self.transposed.give(tables, layout, &self.p);
        }
        let fields = Fields { layout, coefficients, p: &self.p, v2dt2, losses, nothing };
        let width = bands.first().map_or(1, Range::len);
        let (_, piece) = layout.slowest();
        let p_next = self.p_prev[layout.pieces()].chunks_mut(width * piece);
        let slowest = self.slowest.bands_along(bands);
        let middle = self.middle.bands_within(bands);
        let along_z = self.along_z.bands_within(bands);
        let layers = slowest.into_iter().zip(middle).zip(along_z);
        let bands: Vec<Band<'_>> = (bands.iter().zip(p_next).zip(layers))
            .map(|((pieces, p_next), ((slowest, middle), along_z))| {
                let pieces = pieces.clone();
                Band { pieces, p_next, slowest, middle, along_z }
            })
            .collect();
        let arch = Arch::new();
        bands.into_par_iter().for_each(|band| step_band(arch, fields, band));
        if let Some(tables) = transposed {
            let operators = [&coefficients.second, &coefficients.first, &coefficients.fourth.star];
            self.transposed.take(tables, layout, operators, v2dt2, &mut self.p_prev);
        }
    }

    /// Puts other values into a column, from a node on.
    fn put(&mut self, first: Axes<usize>, values: &[f32]) {
        let place = self.layout.index(first);
        let (p, second) = (&mut self.p[place..], &mut self.p_prev[place..]);
        for ((p, second), value) in p.iter_mut().zip(second).zip(values) {
            if self.increments {
                *second = value - (*p - *second);
            }
            *p = *value;
        }
    }

    /// Makes of what a step and its sources left in p_prev the field.
    fn arrive(&mut self, increments: bool) {
        let Wavefield { p, p_prev, .. } = self;
        if !increments {
            return std::mem::swap(p, p_prev);
        }
        let parts = p.par_chunks_mut(SMALLEST_BAND).zip(p_prev.par_chunks(SMALLEST_BAND));
        parts.for_each(|(p, increments)| p.iter_mut().zip(increments).for_each(|(p, d)| *p += d));
    }
}

impl ParallelRun {
    fn advance_to(&mut self, until: usize, observer: &mut dyn Observer) -> Result<(), EngineError> {
        while self.step < until {
            for (shot, field) in self.shots.iter().enumerate() {
                self.taps.read(&self.plan, self.step, shot, field, observer)?;
            }
            for (index, (field, shot)) in self.shots.iter_mut().zip(&self.plan.shots).enumerate() {
                let medium = &self.media[self.plan.copy_of(index)];
                field.step(self.step_band, &self.bands, &self.coefficients, medium);
                for source in shot.sources.iter() {
                    let place = self.layout.index(source.at);
                    let sample = self.plan.wavelets[source.wavelet][self.step];
                    field.p_prev[place] += (source.scale * sample) as f32;
                }
                field.arrive(self.coefficients.increments);
                if let Some(scatter) = &self.scatter {
                    scatter.push(&self.plan, self.step + 1, index, |node, push| {
                        let place = self.layout.index(node);
                        field.p[place] += push as f32;
                        if self.coefficients.increments {
                            field.p_prev[place] += push as f32;
                        }
                    });
                }
                if let Some(rebuilt) = &self.rebuilt {
                    rebuilt.put_back(&self.plan, self.step + 1, index, |first, values| {
                        field.put(first, values);
                    });
                }
            }
            self.step += 1;
            report(&self.plan, self.step, observer)?;
        }
        Ok(())
    }
}

impl Run for ParallelRun {
    fn step(&self) -> usize {
        self.step
    }

    fn advance(&mut self, steps: usize, observer: &mut dyn Observer) -> Result<(), EngineError> {
        let started = Instant::now();
        let until = self.step.saturating_add(steps).min(self.plan.time.steps);
        // On a thread of the pool, which need not be woken and waited for at every step.
        let done = rayon::scope(|_| self.advance_to(until, observer));
        self.taps.pause(observer);
        self.stepping += started.elapsed().as_secs_f64();
        done
    }

    fn timings(&self) -> Timings {
        Timings { stepping: self.stepping, ..Timings::default() }
    }

    fn finish(&mut self, observer: &mut dyn Observer) -> Result<Timings, EngineError> {
        for (shot, field) in self.shots.iter().enumerate() {
            self.taps.read(&self.plan, self.step, shot, field, observer)?;
        }
        self.taps.flush(observer);
        Ok(self.timings())
    }

    fn restart(&mut self, plan: &Arc<Plan>) -> Result<bool, EngineError> {
        if !self.plan.is_survey_of(plan) {
            return Ok(false);
        }
        check(plan)?;
        for (field, shot) in self.shots.iter_mut().zip(&plan.shots) {
            field.nothing = columns::nothing(plan, shot);
        }
        self.taps = self.taps.anew(plan, self.source.as_ref())?;
        self.plan = plan.clone();
        self.stepping = 0.0;
        self.restore(&State::initial(plan, state::CPU))?;
        Ok(true)
    }

    fn state(&mut self) -> Result<State, EngineError> {
        let shots = self.shots.iter().map(Wavefield::state).collect();
        Ok(self.state_of(self.step, shots))
    }

    fn state_of(&self, step: usize, shots: Vec<ShotState>) -> State {
        State::new(&self.plan, state::CPU, step, shots)
    }

    fn restore(&mut self, state: &State) -> Result<(), EngineError> {
        let memory = |shot: &Wavefield| shot.memory().map(<[f32]>::len).sum();
        state.check(&self.plan, state::CPU, self.shots.first().map_or(0, memory))?;
        for (shot, field) in self.shots.iter_mut().enumerate() {
            field.restore(state, shot);
        }
        self.step = state.step();
        Ok(())
    }

    fn turn(&mut self, kept: &Kept) -> Result<(), EngineError> {
        let shots = kept.of::<State>()?.turned(&self.plan)?;
        self.restore(&self.state_of(0, shots))
    }

    fn source_wavefield(&self) -> Option<SourceWavefield> {
        self.taps.source_wavefield()
    }

    fn field(&mut self, shot: usize) -> Result<Array3<f32>, EngineError> {
        Ok(self.layout.nodes(&self.shots[shot].p))
    }
}
