//! A run of [`super::Parallel`], whole or of a share. A step is one pass over bands of columns, in
//! 3-D of planes ([`super::bands`]).

use super::{
    bands::{self, StepBand},
    coefficients::{self, Coefficients},
    front::Front,
    memory,
    scatter::Scatter,
    stations::{self, Stations},
    tap::{AtReceivers, Moment, Taps, Whole},
    vectors::LARGEST_BLOCK,
    wavefield::{Medium, SMALLEST_BAND, Stepping, Wavefield},
};
use crate::{
    EngineError, Layout, Observer, Run, ShotState, SourceWavefield, State, Timings, check,
    plan::Plan, report, share::Share, state,
};
use ndarray::Array3;
use std::{ops::Range, sync::Arc};
use web_time::Instant;

/// Bands per thread and step: enough to even out the load, few enough to cost nothing.
const BANDS_PER_THREAD: usize = 2;
/// Samples recorded during a pass take at most one part in this many of a field.
const RECORDED: usize = 8;

pub struct ParallelRun {
    pub share: Share,
    /// The Plan of the pieces stepped here.
    pub plan: Arc<Plan>,
    pub layout: Layout,
    step_band: StepBand,
    /// Pieces of the slowest axis that are stepped as one task.
    bands: Vec<Range<usize>>,
    /// The front of passes, and the sources and receivers of each shot.
    front: Option<(Front, Vec<Stations>)>,
    coefficients: Coefficients,
    /// For each copy of a model (`Plan::copies`).
    media: Vec<Medium>,
    pub shots: Vec<Wavefield>,
    pub taps: Taps,
    scatter: Option<Scatter>,
    /// The wave that it is correlated with.
    source: Option<SourceWavefield>,
    pub step: usize,
    pub stepping: f64,
}

impl ParallelRun {
    pub fn new(share: Share, source: Option<&SourceWavefield>) -> Result<Self, EngineError> {
        check(&share.plan)?;
        let plan = own(&share);
        memory::check(&plan)?;
        let mut layout = Layout::of_lines(&plan, LARGEST_BLOCK);
        if share.is_split() {
            layout = layout.with_ghosts(share.ghosts);
        }
        // The layers of an adjoint are stepped by separate code.
        let stepped = if plan.adjoint { &plan.without_cpml() } else { &*plan };
        let media: Vec<_> =
            (plan.copies().into_iter()).map(|model| Medium::new(&plan, model, &layout)).collect();
        let coefficients = Coefficients::new(stepped, &layout);
        let front = match share.is_split() {
            true => None,
            false => front(&plan, &layout, &media, coefficients.tile(&layout)),
        };
        let mut run = ParallelRun {
            layout,
            step_band: bands::for_radius(plan.radius(), plan.fourth.is_some()),
            bands: bands(&layout),
            coefficients,
            front: front.map(|front| (front, Vec::new())),
            media,
            shots: (share.plan.shots.iter())
                .map(|shot| Wavefield::new(&share, (&plan, stepped), shot, &layout))
                .collect(),
            taps: Taps::new(&plan, &share, source)?,
            scatter: Scatter::new(&plan, &share, source)?,
            source: source.cloned(),
            step: 0,
            stepping: 0.0,
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

/// The simulation of a share's own pieces.
fn own(share: &Share) -> Arc<Plan> {
    match share.is_split() {
        true => Arc::new(share.plan.subdomain(share.pieces.clone())),
        false => share.plan.clone(),
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
    pub fn read(&mut self, observer: &mut dyn Observer) -> Result<(), EngineError> {
        for (shot, field) in self.shots.iter().enumerate() {
            let now: Whole<'_> = Moment { plan: &self.plan, step: self.step, shot, field };
            self.taps.read(&now, observer)?;
        }
        Ok(())
    }

    /// The number of steps of the next pass, which ends before any step that a tap reads whole.
    fn pass_length(&self, until: usize) -> usize {
        let Some((front, _)) = &self.front else { return 1 };
        let reads = |step: &usize| self.taps.reads(&self.plan, *step);
        let left = (self.step + 1..until).find(reads).unwrap_or(until) - self.step;
        // Passes of equal length.
        left.div_ceil(left.div_ceil(front.most_steps()))
    }

    /// Takes several steps in one pass over each shot's field.
    fn pass(&mut self, steps: usize, observer: &mut dyn Observer) {
        let Some((front, stations)) = &self.front else { return };
        let (plan, first) = (&self.plan, self.step);
        for (index, (field, shot)) in self.shots.iter_mut().zip(&plan.shots).enumerate() {
            let stepping = stepping(self.step_band, &self.coefficients, &self.media, plan, index);
            let stations = &stations[index];
            field.pass((front, steps), stepping, |step, part, p, from| {
                stations.inject(part, p, from, |source| {
                    let source = &shot.sources[source];
                    (source.scale * plan.wavelets[source.wavelet][first + step]) as f32
                });
                stations.record(step, part, p, from);
            });
        }
        // The step after the pass is read as usual.
        for step in 1..steps {
            for (shot, stations) in stations.iter().enumerate() {
                let field = &stations.recorded(step - 1);
                let now: AtReceivers<'_> = Moment { plan, step: first + step, shot, field };
                self.taps.read_receivers(&now, observer);
            }
        }
        self.step += steps;
    }

    pub fn step_once(&mut self) {
        for (index, (field, shot)) in self.shots.iter_mut().zip(&self.plan.shots).enumerate() {
            let stepping =
                stepping(self.step_band, &self.coefficients, &self.media, &self.plan, index);
            field.step(&self.bands, stepping);
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
        }
        self.step += 1;
    }

    /// [`Run::restart`] with the same pieces of another batch.
    pub fn begin_again(&mut self, share: Share) -> Result<bool, EngineError> {
        if !self.share.plan.is_survey_of(&share.plan) {
            return Ok(false);
        }
        check(&share.plan)?;
        for (field, shot) in self.shots.iter_mut().zip(&share.plan.shots) {
            field.negligible = coefficients::negligible(&share.plan, shot);
        }
        self.plan = own(&share);
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
        if let Some((front, stations)) = &mut self.front {
            let most = front.most_steps();
            let of = |shot| Stations::new(plan, shot, layout, most);
            *stations = plan.shots.iter().map(of).collect();
        }
    }
}

/// How a shot's field is stepped.
fn stepping<'a>(
    step_band: StepBand,
    coefficients: &'a Coefficients,
    media: &'a [Medium],
    plan: &Plan,
    shot: usize,
) -> Stepping<'a> {
    Stepping { step_band, coefficients, medium: &media[plan.copy_of(shot)] }
}

/// The front for a Plan, if passes of several steps are faster. None with increments, whose field
/// is the previous one until its neighbours have read it, or if the whole field is changed after
/// each step: by the transpose of the layers or by scattering.
fn front(plan: &Plan, layout: &Layout, media: &[Medium], tile: usize) -> Option<Front> {
    let transposed = media.iter().any(|medium| medium.transposed.is_some());
    let whole = transposed || plan.scattering.is_some();
    // Diagonals as long as the radius read a corner outside the block.
    let corners = plan.fourth.as_ref().is_some_and(|fourth| fourth.diagonals() == plan.radius());
    if plan.by_increments || whole || corners {
        return None;
    }
    // Samples recorded during a pass should be small beside the fields.
    let asked: usize = plan.shots.iter().map(stations::node_count).sum();
    let room = plan.shots.len() * layout.len() / RECORDED;
    let front = Front::new(layout, rayon::current_num_threads(), tile)?;
    (asked * front.most_steps() <= room).then_some(front)
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
        Ok(self.layout.nodes(&self.shots[shot].p))
    }
}

#[cfg(test)]
mod tests;
