//! A random job: all that makes it, and the Plan that it is.

use crate::common;
use huygens::{
    acquisition::{Shot, Source, SourceKind, TimeDispersion, Wavelet},
    boundary::Boundary,
    grid::{Axes, Position},
    model::VelocityModel,
    plan::{Condition, Focus, Initial, Plan, PlanError, Setup, Step, Time},
    stencil::{Family, Media},
};
use ndarray::Array3;

/// A job and where it runs.
#[derive(Clone, Debug)]
pub struct Case {
    pub nodes: Axes<usize>,
    pub spacing: Axes<f64>,
    pub medium: Medium,
    /// Models that all shots run through.
    pub models: usize,
    pub operator: Family,
    pub boundary: Boundary,
    pub clock: Clock,
    /// Sources and receivers of each shot.
    pub shots: Vec<(Vec<Fired>, Vec<Place>)>,
    /// Whether it starts from a random field.
    pub initial: bool,
    pub task: Task,
    pub on: On,
    /// Of the random values of fields and media.
    pub seed: u64,
}

/// The velocities of the first model.
#[derive(Clone, Copy, Debug)]
pub enum Medium {
    Uniform,
    Layers,
    Rough,
}

/// Time, in steps.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// The step, of the largest stable one.
    pub of_limit: f64,
    pub steps: usize,
    /// Steps from one sample to the next.
    pub every: usize,
    pub corrected: bool,
    pub by_increments: bool,
}

/// A source.
#[derive(Clone, Debug)]
pub struct Fired {
    pub at: Place,
    pub kind: SourceKind,
    pub wavelet: Wavelet,
    pub amplitude: f64,
}

/// A place, as fractions of the model's extent.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub of: Axes<f64>,
    /// Whether it is moved to the nearest node.
    pub on_node: bool,
}

/// What is done.
#[derive(Clone, Debug)]
pub enum Task {
    /// Modelling.
    Model(Taps),
    /// The transposed step.
    Adjoint,
    /// Random traces are sent back to meet the wave of the sources, every few steps.
    Image { every: usize },
    /// The gradient of a misfit, with this many bytes for source wavefields.
    Gradient { memory: u64 },
}

/// What reads the field, and the ways in which a run is interrupted.
#[derive(Clone, Debug, Default)]
pub struct Taps {
    /// Fractions of the duration.
    pub snapshots: Vec<f64>,
    pub focus: Option<Focus>,
    /// Where a state is taken from which another run goes on, a fraction of all steps.
    pub state: Option<f64>,
    /// Whether the shots run again in the smallest batches.
    pub batches: bool,
}

/// The engine.
#[derive(Clone, Debug)]
pub enum On {
    Cpu,
    Gpu(Way),
    /// An engine for each weight.
    Split {
        weights: Vec<f64>,
        on_gpu: bool,
        ghost_steps: usize,
    },
}

/// How a GPU steps; numbers are taken modulo how many there are.
#[derive(Clone, Debug)]
pub struct Way {
    pub adapter: usize,
    pub checked: bool,
    pub kernel: usize,
    /// 0 for as few as fit.
    pub slabs: usize,
    /// Whether steps wait while a snapshot is copied.
    pub in_turn: bool,
}

const SLOWEST: f32 = 1500.0;
const FASTEST: f32 = 4500.0;

impl Case {
    pub fn is_volume(&self) -> bool {
        self.nodes.y > 1
    }

    /// Its Plan, or the mistake in it.
    pub fn plan(&self) -> Result<Plan, PlanError> {
        let mut number = common::random(self.seed);
        let models: Vec<_> = (0..self.models).map(|_| self.model(&mut number)).collect();
        let media = Media {
            spacing: self.spacing,
            volume: self.is_volume(),
            slowest: models.iter().map(|model| f64::from(model.range().0)).fold(9e9, f64::min),
            fastest: models.iter().map(|model| f64::from(model.range().1)).fold(0.0, f64::max),
        };
        let Clock { of_limit, steps, every, corrected, by_increments } = self.clock;
        let dt = of_limit * self.operator.steps(&media)?.stable;
        let duration = steps as f64 * dt;
        let dispersion = if corrected { TimeDispersion::Corrected } else { TimeDispersion::Kept };
        let (snapshots, focus) = match &self.task {
            Task::Model(taps) => (taps.snapshots.clone(), taps.focus),
            _ => (Vec::new(), None),
        };
        let mut setup = Setup {
            operator: self.operator,
            boundary: self.boundary,
            time: Time {
                duration,
                step: Step::Seconds(dt),
                record: Some(every as f64 * dt),
                dispersion,
            },
            snapshots: snapshots.iter().map(|part| part * duration).collect(),
            ..Setup::new(models[0].clone(), self.shots(dt), duration)
        };
        if self.initial {
            let shape = Plan::new(setup.clone())?.grid.shape();
            let mut field = || Array3::from_shape_simple_fn(shape, || number() as f32 - 0.5);
            let before = field();
            // Near each other, as two fields of short steps are.
            let now = &before + field().mapv(|p| (0.5 * of_limit) as f32 * p);
            setup.initial = Some(Initial { now, before });
        }
        let mut plan = Plan::scan(setup, &models[1..])?;
        plan.by_increments |= by_increments;
        if let Some(focus) = focus.filter(|f| plan.shots.len().is_multiple_of(f.groups)) {
            plan = plan.focused(focus);
        }
        Ok(plan)
    }

    fn model(&self, number: &mut impl FnMut() -> f64) -> VelocityModel {
        let Axes { z, x, y } = self.nodes;
        let speed = |part: f64| SLOWEST + (FASTEST - SLOWEST) * part as f32;
        let (top, below) = (speed(number()), speed(number()));
        let velocity = match self.medium {
            Medium::Uniform => Array3::from_elem((y, x, z), top),
            Medium::Layers => {
                Array3::from_shape_fn(
                    (y, x, z),
                    |(_, x, z)| if 2 * z + x % 5 < 20 { top } else { below },
                )
            }
            Medium::Rough => Array3::from_shape_simple_fn((y, x, z), || speed(number())),
        };
        VelocityModel::volume(velocity, self.spacing).expect("velocities of rock")
    }

    fn shots(&self, dt: f64) -> Vec<Shot> {
        let source = |fired: &Fired| {
            let mut wavelet = fired.wavelet.clone();
            if let Wavelet::Sampled(sampled) = &mut wavelet {
                sampled.interval = dt;
            }
            Source { kind: fired.kind, at: self.at(&fired.at), wavelet, amplitude: fired.amplitude }
        };
        let shot = |(sources, receivers): &(Vec<Fired>, Vec<Place>)| Shot {
            sources: sources.iter().map(source).collect(),
            receivers: receivers.iter().map(|place| self.at(place)).collect(),
        };
        self.shots.iter().map(shot).collect()
    }

    fn at(&self, place: &Place) -> Position {
        place.of.zip(self.nodes).zip(self.spacing).map(|((part, nodes), h)| {
            let along = part * (nodes - 1) as f64;
            h * if place.on_node { along.round() } else { along }
        })
    }

    /// What it has, for the tally.
    pub fn features(&self) -> Vec<&'static str> {
        let Clock { corrected, by_increments, .. } = self.clock;
        let mut all = vec![
            if self.is_volume() { "volume" } else { "plane" },
            match self.operator {
                Family::Taylor { .. } => "Taylor",
                Family::WindowedSinc { .. } => "windowed sinc",
                _ => "explicit time evolution",
            },
            self.boundary_name(),
            match &self.task {
                Task::Model(_) => "modelling",
                Task::Adjoint => "adjoint",
                Task::Image { .. } => "migration",
                Task::Gradient { .. } => "gradient",
            },
        ];
        let between = self.shots.iter().flat_map(|(_, to)| to).any(|place| !place.on_node);
        let mut also = |name, is_there| all.extend(Some(name).filter(|_| is_there));
        also("batch", self.shots.len() > 1);
        also("scan", self.models > 1);
        also("between nodes", between);
        also("corrected", corrected);
        also("by increments", by_increments);
        also("initial field", self.initial);
        if let Task::Model(taps) = &self.task {
            also("snapshots", !taps.snapshots.is_empty());
            also(
                "focus, amplitude",
                taps.focus.is_some_and(|f| f.condition == Condition::Amplitude),
            );
            also("focus, energy", taps.focus.is_some_and(|f| f.condition != Condition::Amplitude));
            also("state", taps.state.is_some());
            also("batches", taps.batches);
        }
        match &self.on {
            On::Cpu => {}
            On::Gpu(way) => {
                also("slabs", way.slabs > 1);
            }
            On::Split { ghost_steps, .. } => also("ghosts of several steps", *ghost_steps > 1),
        }
        all
    }

    fn boundary_name(&self) -> &'static str {
        use huygens::boundary::{Absorber, Top};
        match (self.boundary.sides, self.boundary.top) {
            (Absorber::Zero, Top::Free) => "zero, free surface",
            (Absorber::Zero, _) => "zero",
            (Absorber::Sponge(_), Top::Free) => "sponge, free surface",
            (Absorber::Sponge(_), _) => "sponge",
            (_, Top::Free) => "CPML, free surface",
            _ => "CPML",
        }
    }
}
