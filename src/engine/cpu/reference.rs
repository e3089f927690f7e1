//! The oracle: f64, plain loops, one thread. Reads side by side with `shaders/step.wgsl`.
//!
//! ```text
//! p_next = g (2 p + (v dt)^2 (lap p - V p)) - g^2 p_prev + (v dt)^2 s / (hx hz)
//! ```
//!
//! V is the potential of a density that varies, with q = w p in the place of p ([`crate::medium`]). VTI has a
//! step of its own ([`super::reference_vti`]).
//! Above a free surface p is the negative image of the field below. g is the sponge's factor (1
//! elsewhere); in a CPML the second derivative along its axis gets the correction of
//! [`crate::boundary::Cpml`].

use super::{
    memory,
    padded::{Coefficients, Padded, diagonals, first, pairs},
    reference_vti,
    scatter::Scatter,
    tap::{FieldView, Moment, Taps, Whole, peak},
};
use crate::{
    Description, Engine, EngineError, Observer, Run, ShotState, SourceWavefield, State, Timings,
    Values, check,
    grid::{Axes, Axis},
    plan::{Plan, PointShot},
    report,
    share::Share,
    state,
};
use ndarray::{Array2, Array3};
use std::sync::Arc;
use web_time::Instant;

/// The f64 engine, written for clarity.
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

    fn batch(&self, plan: &Plan) -> Result<usize, EngineError> {
        let set_size = plan.set_size();
        memory::check(&plan.batch(0..plan.shots.len().min(set_size)))?;
        Ok(set_size)
    }

    fn start(&self, plan: Arc<Plan>) -> Result<Box<dyn Run>, EngineError> {
        Ok(Box::new(ReferenceRun::new(plan, None)?))
    }

    fn start_with(
        &self,
        plan: Arc<Plan>,
        source: &SourceWavefield,
    ) -> Result<Box<dyn Run>, EngineError> {
        Ok(Box::new(ReferenceRun::new(plan, Some(source))?))
    }
}

impl Reference {
    /// The gathers of a Plan before rounding to f32, `[receiver][sample]` of each shot, time
    /// dispersion included.
    pub fn gathers(&self, plan: &Plan) -> Result<Vec<Array2<f64>>, EngineError> {
        self.gathers_with(plan, None)
    }

    /// [`Self::gathers`] of the wave that a source wavefield scatters.
    pub fn gathers_with(
        &self,
        plan: &Plan,
        source: Option<&SourceWavefield>,
    ) -> Result<Vec<Array2<f64>>, EngineError> {
        let mut run = ReferenceRun::new(Arc::new(plan.clone()), source)?;
        let (every, samples) = (plan.time.record_every, plan.time.samples);
        let empty = |shot: &PointShot| Array2::zeros((shot.receivers.len(), samples));
        let mut gathers: Vec<_> = plan.shots.iter().map(empty).collect();
        for sample in 0..samples {
            let shots = plan.shots.iter().zip(&run.shots).zip(&mut gathers);
            for ((shot, field), gather) in shots {
                let p = |node| {
                    let factor = plan.pressure_factor(shot.window, node);
                    factor * field.p.values[field.p.place(node)]
                };
                for (receiver, trace) in shot.receivers.iter().zip(gather.rows_mut()) {
                    let mut trace = trace;
                    trace[sample] = shot.unit * receiver.sample(p);
                }
            }
            run.advance(every, &mut ())?;
        }
        Ok(gathers)
    }

    /// The correlation sums of a backward wave with a source wavefield, `[y][x][z]` of the model
    /// for each shot, before rounding to f32.
    pub fn sums(
        &self,
        plan: &Plan,
        source: &SourceWavefield,
    ) -> Result<Vec<Array3<f64>>, EngineError> {
        let mut run = ReferenceRun::new(Arc::new(plan.clone()), Some(source))?;
        run.advance(plan.time.steps, &mut ())?;
        run.finish(&mut ())?;
        let shape = plan.model_grid.shape();
        let of = |[image, _]: &[Values; 2]| {
            let values = match image {
                Values::F32(_) => vec![0.0; plan.model_grid.cells()],
                Values::F64(values) => values.clone(),
            };
            Array3::from_shape_vec(shape, values).map_err(|_| EngineError::Unsound)
        };
        run.taps.images().iter().map(of).collect()
    }
}

struct ReferenceRun {
    plan: Arc<Plan>,
    /// For each of `Plan::copies`.
    media: Vec<Coefficients>,
    shots: Vec<Wavefield>,
    /// With VTI, the auxiliary field of each shot.
    auxiliary: Vec<Wavefield>,
    taps: Taps,
    scatter: Option<Scatter>,
    /// The wave that it is correlated with.
    source: Option<SourceWavefield>,
    step: usize,
    stepping: f64,
}

impl ReferenceRun {
    fn new(plan: Arc<Plan>, source: Option<&SourceWavefield>) -> Result<Self, EngineError> {
        check(&plan)?;
        memory::check(&plan)?;
        let shots: Vec<_> = (0..plan.shots.len()).map(|_| Wavefield::new(&plan)).collect();
        let auxiliary = shots.iter().filter(|_| plan.medium.vti().is_some());
        let auxiliary = auxiliary.map(|_| Wavefield::new(&plan)).collect();
        let media = Coefficients::all(&plan);
        let taps = Taps::new(&plan, &Share::whole(&plan), source)?;
        let scatter = Scatter::new(&plan, &Share::whole(&plan), source)?;
        let (source, step, stepping) = (source.cloned(), 0, 0.0);
        let mut run =
            ReferenceRun { plan, media, shots, auxiliary, taps, scatter, source, step, stepping };
        if run.plan.initial.is_some() {
            run.restore(&State::initial(&run.plan, state::ORACLE))?;
        }
        Ok(run)
    }

    /// Lets the taps read the present step.
    fn read(&mut self, observer: &mut dyn Observer) -> Result<(), EngineError> {
        for (shot, field) in self.shots.iter().enumerate() {
            let field = &ShotFields { field, auxiliary: self.auxiliary.get(shot) };
            let now: Whole<'_> = Moment { plan: &self.plan, step: self.step, shot, field };
            self.taps.read(&now, observer)?;
        }
        Ok(())
    }
}

/// One shot's field at two steps, and the memory variables of its layers; all with a halo of zeros.
pub(crate) struct Wavefield {
    pub(crate) p: Padded,
    pub(crate) p_prev: Padded,
    /// Along z, x and, in 3-D, y.
    pub(crate) axes: Vec<Along>,
}

/// The inputs of a step along an axis.
pub(crate) struct Along {
    /// Selects the axis' value of a node, an operator, a profile.
    pub(crate) axis: Axis,
    /// Distance between neighbours.
    pub(crate) stride: usize,
    /// The layers' memory variables; empty if the axis has no layers.
    pub(crate) chi: Vec<f64>,
    pub(crate) zeta: Vec<f64>,
    /// The terms that the layers of an adjoint add to the first and the second derivative.
    pub(crate) given: [Vec<f64>; 2],
}

/// The fields of a shot as taps read them.
struct ShotFields<'a> {
    field: &'a Wavefield,
    /// With VTI.
    auxiliary: Option<&'a Wavefield>,
}

impl FieldView for ShotFields<'_> {
    fn at(&self, node: Axes<usize>) -> f32 {
        let p = &self.field.p;
        p.values[p.place(node)] as f32
    }

    fn differences(&self, plan: &Plan, to: &mut Values) {
        let cells = plan.model_grid.cells();
        let to = to.f64s(plan.medium.fields() * cells).chunks_mut(cells.max(1));
        let fields = std::iter::once(self.field).chain(self.auxiliary);
        for (Wavefield { p, p_prev, .. }, to) in fields.zip(to) {
            for (node, to) in plan.model_grid.nodes().zip(to) {
                let place = p.place(plan.on_grid(node));
                *to = p.values[place] - p_prev.values[place];
            }
        }
    }

    fn peak(&self) -> u32 {
        peak(self.field.p.values.iter().map(|p| *p as f32))
    }
}

impl Wavefield {
    fn new(plan: &Plan) -> Self {
        let (p, p_prev) = (Padded::new(plan), Padded::new(plan));
        let mut axes = vec![(Axis::Z, 1), (Axis::X, p.column)];
        if plan.grid.is_volume() {
            axes.push((Axis::Y, p.plane));
        }
        let along = |(axis, stride): (Axis, usize)| {
            let has_memory = axis.of(&plan.profile).memory != [0, 0];
            let memory = || vec![0.0; if has_memory { p.values.len() } else { 0 }];
            let given = || vec![0.0; if has_memory && plan.adjoint { p.values.len() } else { 0 }];
            Along { axis, stride, chi: memory(), zeta: memory(), given: [given(), given()] }
        };
        let axes = axes.into_iter().map(along).collect();
        Wavefield { p, p_prev, axes }
    }

    /// The state of a shot, by its fields.
    fn state(plan: &Plan, fields: &[&Wavefield]) -> ShotState {
        let axes = fields.iter().flat_map(|field| &field.axes);
        let memory = axes.flat_map(|along| along.chi.iter().chain(&along.zeta));
        ShotState {
            now: Values::F64(fields.iter().flat_map(|field| field.p.flat(plan)).collect()),
            second: Values::F64(fields.iter().flat_map(|field| field.p_prev.flat(plan)).collect()),
            memory: Values::F64(memory.copied().collect()),
        }
    }

    fn memory_len(&self) -> usize {
        self.axes.iter().map(|along| along.chi.len() + along.zeta.len()).sum()
    }

    /// From a state that has been checked, as the field of this index of a shot.
    fn restore(&mut self, plan: &Plan, state: &State, shot: usize, field: usize) {
        let [now, second, memory] = state.arrays(shot, |values| Some(values.f64()));
        let nodes = plan.grid.cells();
        let own = |values: &Option<std::borrow::Cow<'_, [f64]>>| {
            values.as_ref().map(|values| values[field * nodes..][..nodes].to_vec())
        };
        self.p.put(plan, own(&now).as_deref());
        self.p_prev.put(plan, own(&second).as_deref());
        let mut before = field * self.memory_len();
        for values in self.axes.iter_mut().flat_map(|along| [&mut along.chi, &mut along.zeta]) {
            let len = values.len();
            match &memory {
                Some(memory) => values.copy_from_slice(&memory[before..before + len]),
                None => values.fill(0.0),
            }
            before += len;
        }
    }

    /// Steps every node once; p and p_prev change places.
    fn step(&mut self, plan: &Plan, Coefficients { v2dt2, potential, .. }: &Coefficients) {
        let Wavefield { p, p_prev, axes } = self;
        if plan.adjoint {
            give(plan, axes, |_| p);
        }
        for (index, v2dt2) in v2dt2.iter().enumerate() {
            let node = plan.grid.node_of(index);
            let i = p.place(node);
            let (mut laplacian, mut g) = (0.0, 1.0);
            for Along { axis, stride, chi, zeta, given: [to_first, to_second] } in axes.iter_mut() {
                let (operator, profile) = (axis.of(&plan.operator), axis.of(&plan.profile));
                let at = *axis.of(&node);
                let layer = &profile.nodes[at];
                // Includes the star of explicit time evolution, which a layer stretches too.
                let star = plan.fourth.as_ref().map(|fourth| axis.of(&fourth.star));
                let second = |p: &[f64]| {
                    let fourth = star.map_or(0.0, |star| pairs(star, p, i, *stride));
                    pairs(&operator.second, p, i, *stride) + v2dt2 * fourth
                };
                let d2 = second(&p.values);
                laplacian += d2;
                if !to_first.is_empty() {
                    laplacian += second(to_second);
                    laplacian -= first(operator, to_first, i, *stride);
                } else if profile.has_memory(at) {
                    let d1 = first(operator, &p.values, i, *stride);
                    chi[i] -= layer.loss * chi[i] + layer.slope * d1;
                    zeta[i] -= layer.loss * (zeta[i] + layer.share * (d2 + chi[i]));
                    laplacian += chi[i] + zeta[i];
                }
                g *= layer.damping;
            }
            if let Some(fourth) = &plan.fourth {
                laplacian += v2dt2 * diagonals(fourth, p, i, plan.grid.is_volume());
            }
            if let Some(potential) = potential.get(index) {
                laplacian -= potential * p.values[i];
            }
            let moved = 2.0 * p.values[i] + v2dt2 * laplacian;
            p_prev.values[i] = g * (moved - g * p_prev.values[i]);
        }
        std::mem::swap(p, p_prev);
    }
}

/// The terms that the layers of an adjoint add to the derivatives of a step: the transpose of
/// [`crate::boundary::cpml`], the last line first. `driving` along an axis is the field, or with VTI its product.
pub(crate) fn give<'a>(plan: &Plan, axes: &mut [Along], driving: impl Fn(Axis) -> &'a Padded) {
    for Along { axis, chi, zeta, given: [to_first, to_second], .. } in axes {
        let (profile, p) = (axis.of(&plan.profile), driving(*axis));
        for node in plan.grid.nodes() {
            let (at, i) = (*axis.of(&node), p.place(node));
            if profile.has_memory(at) {
                let layer = &profile.nodes[at];
                zeta[i] += p.values[i] - layer.loss * zeta[i];
                chi[i] += p.values[i] - layer.loss * (chi[i] + layer.share * zeta[i]);
                to_first[i] = -layer.slope * chi[i];
                to_second[i] = -layer.loss * layer.share * zeta[i];
            }
        }
    }
}

impl Run for ReferenceRun {
    fn step(&self) -> usize {
        self.step
    }

    fn advance(&mut self, steps: usize, observer: &mut dyn Observer) -> Result<(), EngineError> {
        let started = Instant::now();
        for _ in 0..steps.min(self.plan.time.steps - self.step) {
            self.read(observer)?;
            for (index, (field, shot)) in self.shots.iter_mut().zip(&self.plan.shots).enumerate() {
                let medium = &self.media[self.plan.copy_of(index)];
                match (&medium.vti, self.auxiliary.get_mut(index)) {
                    (Some(vti), Some(auxiliary)) => {
                        let fields = [&mut *field, &mut *auxiliary];
                        reference_vti::step(&self.plan, &medium.v2dt2, vti, fields);
                    }
                    _ => field.step(&self.plan, medium),
                }
                for source in shot.sources.iter() {
                    let place = field.p.place(source.at);
                    let wavelet = &self.plan.wavelets[source.wavelet];
                    let sample = wavelet[self.step];
                    field.p.values[place] += source.scale * sample;
                }
                if let Some(scatter) = &self.scatter {
                    scatter.push(&self.plan, self.step + 1, index, |of_shot, first, pushed| {
                        let fields = [Some(&mut *field), self.auxiliary.get_mut(index)];
                        let Some(field) = fields.into_iter().nth(of_shot).flatten() else { return };
                        let place = field.p.place(first);
                        field.p.values[place..]
                            .iter_mut()
                            .zip(pushed)
                            .for_each(|(p, push)| *p += push);
                    });
                }
                field.p.reflect(&self.plan);
                let auxiliary = self.auxiliary.get_mut(index);
                auxiliary.into_iter().for_each(|field| field.p.reflect(&self.plan));
            }
            self.step += 1;
            report(&self.plan, self.step, observer)?;
        }
        self.taps.pause(observer);
        self.stepping += started.elapsed().as_secs_f64();
        Ok(())
    }

    fn timings(&self) -> Timings {
        Timings { stepping: self.stepping, ..Timings::default() }
    }

    fn finish(&mut self, observer: &mut dyn Observer) -> Result<Timings, EngineError> {
        self.read(observer)?;
        self.taps.flush(observer);
        Ok(self.timings())
    }

    fn restart(&mut self, plan: &Arc<Plan>) -> Result<bool, EngineError> {
        if !self.plan.is_survey_of(plan) {
            return Ok(false);
        }
        check(plan)?;
        self.taps = self.taps.anew(plan, &Share::whole(plan), self.source.as_ref())?;
        (self.plan, self.stepping) = (plan.clone(), 0.0);
        if !plan.has_one_medium() {
            self.media = Coefficients::all(plan);
        }
        self.restore(&State::initial(plan, state::ORACLE))?;
        Ok(true)
    }

    fn state(&mut self) -> Result<State, EngineError> {
        let of = |shot: usize| {
            let fields = self.shots.get(shot).into_iter().chain(self.auxiliary.get(shot));
            Wavefield::state(&self.plan, &fields.collect::<Vec<_>>())
        };
        let shots = (0..self.shots.len()).map(of).collect();
        Ok(self.state_of(self.step, shots))
    }

    fn state_of(&self, step: usize, shots: Vec<ShotState>) -> State {
        State::new(&self.plan, state::ORACLE, step, shots)
    }

    fn restore(&mut self, state: &State) -> Result<(), EngineError> {
        let memory = self.shots.first().map_or(0, Wavefield::memory_len);
        state.check(&self.plan, state::ORACLE, self.plan.medium.fields() * memory)?;
        for (index, fields) in [&mut self.shots, &mut self.auxiliary].into_iter().enumerate() {
            for (shot, field) in fields.iter_mut().enumerate() {
                field.restore(&self.plan, state, shot, index);
            }
        }
        self.step = state.step();
        Ok(())
    }

    fn source_wavefield(&self) -> Option<SourceWavefield> {
        self.taps.source_wavefield()
    }

    fn field(&mut self, shot: usize) -> Result<Array3<f32>, EngineError> {
        let p = &self.shots[shot].p;
        let window = self.plan.shots[shot].window;
        let at = |node| (self.plan.pressure_factor(window, node) * p.values[p.place(node)]) as f32;
        Ok(Array3::from_shape_fn(self.plan.grid.shape(), |(y, x, z)| at(Axes { z, x, y })))
    }
}
