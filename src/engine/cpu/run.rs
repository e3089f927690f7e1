//! A run of [`super::Parallel`], whole or of a share. Its threads step parts of the field in the
//! order of a [`Schedule`].

use super::{
    bands::{self, Part, StepPart},
    coefficients::{self, Coefficients},
    memory,
    pool::Pool,
    scatter::Scatter,
    schedule::{self, Schedule, SideBySide},
    stations::{self, Stations},
    tap::{AtSteps, Moment, Taps, Whole},
    vectors::LARGEST_BLOCK,
    vti::{self, VtiPart},
    wavefield::{Medium, SteppedPlan, Stepper, Stepping, Wavefield},
};
use crate::{
    EngineError, Layout, Observer, Run, ShotState, SourceWavefield, State, Timings, check,
    plan::{Plan, PointShot},
    report,
    share::Share,
    state,
};
use ndarray::Array3;
use rayon::prelude::*;
use std::sync::Arc;
use web_time::Instant;

/// Samples recorded during a pass take at most one part in this many of a field.
const RECORDED: usize = 8;

pub(crate) struct ParallelRun {
    pub(crate) share: Share,
    /// The Plan of the pieces stepped here.
    pub(crate) plan: Arc<Plan>,
    pub(crate) layout: Layout,
    loops: Loops,
    pool: Pool,
    /// One step at a time.
    steps: Schedule,
    /// The same on one thread, if each thread steps a small shot.
    alone: Option<(Schedule, Pool)>,
    /// Several steps between two looks at the field, if their sources and receivers are all that
    /// they need.
    passes: Option<Passes>,
    coefficients: Coefficients,
    /// For each of `Plan::copies`.
    media: Vec<Medium>,
    pub(crate) shots: Vec<Wavefield>,
    pub(crate) taps: Taps,
    scatter: Option<Scatter>,
    /// The wave that it is correlated with.
    source: Option<SourceWavefield>,
    pub(crate) step: usize,
    pub(crate) stepping: f64,
}

/// The loops of a part of a field, compiled for the reach of the operator.
#[derive(Clone, Copy)]
struct Loops {
    step_part: StepPart,
    vti_part: VtiPart,
}

/// Passes of several steps.
struct Passes {
    schedule: Schedule,
    /// The parts of each shot if all shots are stepped side by side.
    together: Option<SideBySide>,
    most_steps: usize,
    /// The sources and receivers of each shot.
    stations: Vec<Stations>,
}

/// A shot's field in a pass.
struct ShotPass<'a> {
    stepper: Stepper<'a>,
    stations: &'a Stations,
    plan: &'a Plan,
    shot: &'a PointShot,
    /// The step at which the pass begins.
    first: usize,
}

impl ShotPass<'_> {
    /// Takes a step of the pass in a part of the field, with its sources and receivers.
    fn step(&self, step: usize, part: &Part) {
        let ShotPass { stepper, stations, plan, shot, first } = self;
        stepper.step(step, part, |p| {
            stations.inject(part, p, |source| {
                let source = &shot.sources[source];
                (source.scale * plan.wavelets[source.wavelet][first + step]) as f32
            });
            stations.record(step, part, p);
        });
    }
}

impl ParallelRun {
    pub(crate) fn new(share: Share, source: Option<&SourceWavefield>) -> Result<Self, EngineError> {
        check(&share.plan)?;
        let plan = own(&share);
        memory::check(&plan)?;
        let mut layout = Layout::of_lines(&plan, LARGEST_BLOCK);
        if share.is_split() {
            layout = layout.with_ghosts(share.ghosts);
        }
        // The layers of an adjoint are stepped by separate code.
        let stepped = if plan.adjoint { &plan.without_cpml() } else { &*plan };
        let pool = Pool::new(rayon::current_num_threads());
        let media = media(&plan, &layout, &pool);
        let coefficients = Coefficients::new(stepped, &layout);
        let needs_more = needs_more(&plan, &media) || share.is_split();
        let schedule = || {
            let tile = coefficients.tile(&layout);
            Schedule::fastest(stepped, &layout, pool.threads(), tile)
        };
        let together = || SideBySide::new(stepped, &layout, pool.threads());
        let passes = (!needs_more).then(|| Passes::new(&plan, &layout, schedule(), together()));
        let threads = pool.threads();
        let alone = (plan.shots.len() >= threads && schedule::is_small(&plan, threads))
            .then(|| (Schedule::steps(stepped, &layout, 1), Pool::new(1)));
        let diagonals = plan.fourth.as_ref().map_or(0, |fourth| fourth.diagonals());
        let of = SteppedPlan { plan: &plan, stepped };
        let mut run = ParallelRun {
            layout,
            loops: Loops {
                step_part: bands::for_radius(plan.radius(), diagonals),
                vti_part: vti::for_radius(plan.radius()),
            },
            steps: Schedule::steps(stepped, &layout, pool.threads()),
            alone,
            passes: passes.flatten(),
            coefficients,
            media,
            shots: (share.plan.shots.iter())
                .map(|shot| Wavefield::new(&share, of, shot, &layout, &pool))
                .collect(),
            taps: Taps::new(&plan, &share, source)?,
            scatter: Scatter::new(&plan, &share, source)?,
            source: source.cloned(),
            step: 0,
            stepping: 0.0,
            pool,
            plan,
            share,
        };
        run.find_stations();
        if run.plan.initial.is_some() {
            run.restore(&State::initial(&run.plan, state::CPU))?;
        }
        Ok(run)
    }
}

/// The medium of each of `Plan::copies`.
fn media(plan: &Plan, layout: &Layout, pool: &Pool) -> Vec<Medium> {
    let of = |window| Medium::new(plan, window, layout, pool);
    plan.copies().into_iter().map(of).collect()
}

/// The simulation of a share's own pieces.
fn own(share: &Share) -> Arc<Plan> {
    match share.is_split() {
        true => Arc::new(share.plan.subdomain(share.pieces.clone())),
        false => share.plan.clone(),
    }
}

impl ParallelRun {
    fn advance_to(&mut self, until: usize, observer: &mut dyn Observer) -> Result<(), EngineError> {
        while self.step < until {
            self.read(observer)?;
            match self.pass_length(until) {
                1 => self.step_once(),
                steps => self.pass(steps, observer),
            }
            report(&self.plan, self.step, observer)?;
        }
        Ok(())
    }

    /// Lets the taps read the present step.
    pub(crate) fn read(&mut self, observer: &mut dyn Observer) -> Result<(), EngineError> {
        for (shot, field) in self.shots.iter().enumerate() {
            let now: Whole<'_> = Moment { plan: &self.plan, step: self.step, shot, field };
            self.taps.read(&now, observer)?;
        }
        Ok(())
    }

    /// The number of steps of the next pass, which ends before any step that a tap reads whole.
    fn pass_length(&self, until: usize) -> usize {
        let Some(passes) = &self.passes else { return 1 };
        let reads = |step: &usize| self.taps.reads(&self.plan, *step);
        let left = (self.step + 1..until).find(reads).unwrap_or(until) - self.step;
        // Passes of equal length.
        left.div_ceil(left.div_ceil(passes.most_steps))
    }

    /// Takes several steps in one pass over each shot's field.
    fn pass(&mut self, steps: usize, observer: &mut dyn Observer) {
        let Some(Passes { schedule, together, stations, .. }) = &self.passes else { return };
        let (plan, first) = (&self.plan, self.step);
        let fields = self.shots.iter_mut().enumerate().zip(&plan.shots).zip(stations);
        let shots = fields.map(|(((index, field), shot), stations)| {
            let stepping = stepping(self.loops, &self.coefficients, &self.media, plan, index);
            ShotPass { stepper: field.stepper(stepping), stations, plan, shot, first }
        });
        let shots: Vec<_> = shots.collect();
        match together {
            Some(parts) => parts.run(&self.pool, shots.len(), steps, |shot, step, part| {
                shots[shot].step(step, part);
            }),
            None => shots.iter().for_each(|shot| {
                schedule.run(&self.pool, steps, |step, part| shot.step(step, part));
            }),
        }
        drop(shots);
        if steps % 2 == 1 {
            self.shots.iter_mut().for_each(|field| field.arrive(false));
        }
        // The step after the pass is read as usual.
        for (shot, stations) in stations.iter().enumerate() {
            let receivers = &plan.shots[shot].receivers;
            let sample = |receiver: usize, step: usize| {
                let factor = |node| plan.pressure_factor(plan.shots[shot].window, node);
                stations.sample(&receivers[receiver], receiver, step - first - 1, factor)
            };
            let (steps, sample) = (first + 1..first + steps, &sample);
            let steps = AtSteps { shot, steps, sample, pool: &self.pool };
            self.taps.read_steps(&steps, observer);
        }
        self.step += steps;
    }

    pub(crate) fn step_once(&mut self) {
        let one = OneStep {
            loops: self.loops,
            layout: &self.layout,
            coefficients: &self.coefficients,
            media: &self.media,
            scatter: self.scatter.as_ref(),
            plan: &self.plan,
            step: self.step,
        };
        match &self.alone {
            Some((steps, pool)) => {
                let shots = self.shots.par_iter_mut().enumerate();
                shots.for_each(|(shot, field)| one.take(shot, field, steps, pool));
            }
            None => {
                let shots = self.shots.iter_mut().enumerate();
                shots.for_each(|(shot, field)| one.take(shot, field, &self.steps, &self.pool));
            }
        }
        self.step += 1;
    }

    /// [`Run::restart`] with the same pieces of another batch.
    pub(crate) fn begin_again(&mut self, share: Share) -> Result<bool, EngineError> {
        if !self.share.plan.is_survey_of(&share.plan) {
            return Ok(false);
        }
        check(&share.plan)?;
        for (field, shot) in self.shots.iter_mut().zip(&share.plan.shots) {
            field.negligible = coefficients::negligible(&share.plan, shot);
        }
        self.plan = own(&share);
        if !self.plan.has_one_medium() {
            self.media = media(&self.plan, &self.layout, &self.pool);
        }
        self.taps = self.taps.anew(&self.plan, &share, self.source.as_ref())?;
        self.share = share;
        self.find_stations();
        self.stepping = 0.0;
        self.restore(&State::initial(&self.plan, state::CPU))?;
        Ok(true)
    }

    /// Finds the sources and receivers of this batch, if passes have several steps.
    fn find_stations(&mut self) {
        let (plan, layout) = (&self.plan, &self.layout);
        if let Some(passes) = &mut self.passes {
            let of = |shot| Stations::new(plan, shot, layout, passes.most_steps);
            passes.stations = plan.shots.iter().map(of).collect();
        }
    }
}

/// A step of all shots.
struct OneStep<'a> {
    loops: Loops,
    layout: &'a Layout,
    coefficients: &'a Coefficients,
    media: &'a [Medium],
    scatter: Option<&'a Scatter>,
    plan: &'a Plan,
    step: usize,
}

impl OneStep<'_> {
    /// Takes it in the field of a shot.
    fn take(&self, shot: usize, field: &mut Wavefield, steps: &Schedule, pool: &Pool) {
        let OneStep { loops, layout, coefficients, media, scatter, plan, step } = *self;
        field.step(steps, pool, stepping(loops, coefficients, media, plan, shot));
        for source in plan.shots[shot].sources.iter() {
            let place = layout.index(source.at);
            let sample = plan.wavelets[source.wavelet][step];
            field.p_prev[place] += (source.scale * sample) as f32;
        }
        field.arrive(coefficients.increments);
        let Some(scatter) = scatter else { return };
        scatter.push(plan, step + 1, shot, |of_shot, first, pushed| {
            let place = layout.index(first);
            let field = field.of_shot(of_shot);
            let add = |field: &mut [f32]| {
                field.iter_mut().zip(pushed).for_each(|(p, push)| *p += *push as f32);
            };
            add(&mut field.p[place..]);
            if coefficients.increments {
                add(&mut field.p_prev[place..]);
            }
        });
    }
}

/// How a shot's field is stepped.
fn stepping<'a>(
    loops: Loops,
    coefficients: &'a Coefficients,
    media: &'a [Medium],
    plan: &Plan,
    shot: usize,
) -> Stepping<'a> {
    let Loops { step_part, vti_part } = loops;
    Stepping { step_part, vti_part, coefficients, medium: &media[plan.copy_of(shot)] }
}

impl Passes {
    /// `None` if the samples recorded during a pass would not be small beside the fields.
    fn new(
        plan: &Plan,
        layout: &Layout,
        schedule: Schedule,
        together: Option<SideBySide>,
    ) -> Option<Self> {
        let asked: usize = plan.shots.iter().map(stations::node_count).sum();
        let room = plan.shots.len() * layout.len() / RECORDED;
        let most_steps = schedule.most_steps().min(room / asked.max(1));
        (most_steps > 1).then_some(Passes { schedule, together, most_steps, stations: Vec::new() })
    }
}

/// True if a step needs more than its sources: increments, whose field is the previous one until
/// its neighbours have read it, the transpose of the layers, scattering, or VTI, which has no passes yet.
fn needs_more(plan: &Plan, media: &[Medium]) -> bool {
    let transposed = media.iter().any(|medium| medium.transposed.is_some());
    plan.by_increments || plan.medium.vti().is_some() || transposed || plan.scattering.is_some()
}

impl Run for ParallelRun {
    fn step(&self) -> usize {
        self.step
    }

    fn advance(&mut self, steps: usize, observer: &mut dyn Observer) -> Result<(), EngineError> {
        let started = Instant::now();
        let until = self.step.saturating_add(steps).min(self.plan.time.steps);
        // On a thread of the pool, which need not be woken and awaited at every step.
        let done = rayon::scope(|_| self.advance_to(until, observer));
        self.taps.pause(observer);
        self.stepping += started.elapsed().as_secs_f64();
        done
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
        self.begin_again(Share::whole(plan))
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

    fn source_wavefield(&self) -> Option<SourceWavefield> {
        self.taps.source_wavefield()
    }

    fn field(&mut self, shot: usize) -> Result<Array3<f32>, EngineError> {
        let mut field = self.layout.nodes(&self.shots[shot].p);
        self.plan.make_pressure_of_grid(shot, &mut field);
        Ok(field)
    }
}

#[cfg(test)]
mod tests;
