//! One validated, backend-free description of a simulation.
//!
//! A [`Setup`] says what is wanted in metres and seconds. [`Plan::new`] finds and names every mistake
//! in it and works out all that an engine needs: the grid with its absorbing layers, coefficients, the
//! time step, source and receiver nodes, taps, memory. A Plan knows no GPU and no file.

mod abrupt;
mod cut_off;
mod dispersion;
mod error;
mod memory;
mod remedy;
mod sampling;
mod sound;
mod tap;
mod time;
mod unheard;
mod warning;
mod wavelets;

pub use abrupt::AbruptStart;
pub use cut_off::CutOff;
pub use dispersion::{Dispersion, FEWEST_POINTS, MOST_PERIODS, PhaseError, Resolution};
pub use error::PlanError;
pub use memory::Array;
pub use remedy::{NewStep, Remedy};
pub use sampling::Sampling;
pub use tap::Tap;
#[cfg(test)]
pub(crate) use tap::WATCHDOG_EVERY;
pub use time::{Step, Time, TimeAxis};
pub use unheard::Unheard;
pub use warning::Warning;

use crate::{
    acquisition::{Shot, SourceKind, TimeDispersion, time_dispersion},
    boundary::{Boundary, Medium, Profile, Top},
    grid::{Axes, Axis, Grid, Position},
    model::VelocityModel,
    stencil::{AxisOperator, Family, largest_step},
};
use ndarray::{Array2, Array3, s};
use std::{ops::Range, sync::Arc};
use wavelets::Rows;

/// What a user asks for, in metres and seconds.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The medium.
    pub model: VelocityModel,
    /// Second-derivative operators.
    pub operator: Family,
    /// Edges of the model.
    pub boundary: Boundary,
    /// Duration, time step, recording interval.
    pub time: Time,
    /// The batch: shots that advance together through the same model.
    pub shots: Vec<Shot>,
    /// Times at which the wavefield is wanted, s.
    pub snapshots: Vec<f64>,
    /// The field at t = 0 and one step before, where it is not zero.
    pub initial: Option<Initial>,
    /// Run although the time step is unstable; the watchdog will end it.
    pub allow_unstable: bool,
}

/// A wavefield to start from, the same for every shot; shape `[y][x][z]` on the computational grid. Row 0 is
/// taken as 0 where it is a free surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Initial {
    /// p at t = 0.
    pub now: Array3<f32>,
    /// p at t = -dt.
    pub before: Array3<f32>,
}

/// A source on a node of the computational grid; one between nodes is several of these.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointSource {
    /// Node.
    pub at: Axes<usize>,
    /// What one unit of the wavelet adds to the next field: amplitude (v dt)^2 / cell volume, times the node's
    /// weight.
    pub scale: f64,
    /// Row of [`Plan::wavelets`].
    pub wavelet: usize,
    /// Index of the source that it is of, among those asked for.
    pub asked: usize,
}

/// The sources and receivers of one shot, on the computational grid.
#[derive(Clone, Debug, PartialEq)]
pub struct PointShot {
    /// Sources that fire together.
    pub sources: Vec<PointSource>,
    /// What is recorded.
    pub receivers: Vec<Sampling>,
    /// The shot as it was asked for, in metres from the model's first node.
    pub asked: Arc<Shot>,
}

/// A simulation that is known to be sound. Fields are public to read; [`Plan::new`] makes them.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The computational grid: the model and its absorbing layers.
    pub grid: Grid,
    /// The grid of the model alone.
    pub model_grid: Grid,
    /// Layer cells before the model's first node.
    pub origin: Axes<usize>,
    /// Velocity of shape `[y][x][z]` on the computational grid, m/s.
    pub velocity: Arc<[f32]>,
    /// The operator of each axis.
    pub operator: Axes<AxisOperator>,
    /// Whether row 0 is a free surface: p = 0 there, and p(-z) = -p(z) above it.
    pub free_surface: bool,
    /// What made it.
    pub family: Family,
    /// Absorbing layer coefficients along each axis; none along y in 2-D.
    pub profile: Axes<Profile>,
    /// Steps, samples, and the largest stable step.
    pub time: TimeAxis,
    /// Duration, time step and recording interval as they were asked for.
    pub asked: Time,
    /// The batch.
    pub shots: Vec<PointShot>,
    /// s(n dt) for n in 0..steps, a row a wavelet; warped where time dispersion is corrected.
    pub wavelets: Vec<Arc<[f64]>>,
    /// What reads the wavefield while it runs.
    pub taps: Vec<Tap>,
    /// The field to start from, where it is not zero.
    pub initial: Option<Initial>,
    /// Dominant frequency of the sources, Hz; 0 without a source.
    pub frequency: f64,
    /// Highest frequency of the sources, Hz: where the amplitude spectra of their wavelets fall to 5 % of their
    /// peak; 0 without a source.
    pub highest: f64,
    /// Slowest velocity, m/s.
    pub slowest: f32,
    /// Fastest velocity, m/s.
    pub fastest: f32,
    /// The longest distance from a source to a receiver of its shot, m; the diagonal of a model without
    /// receivers.
    pub path: f64,
}

impl Plan {
    /// Validates a setup.
    pub fn new(setup: Setup) -> Result<Self, PlanError> {
        let model_grid = *setup.model.grid();
        let operator = setup.operator.on(model_grid.h)?;
        setup.boundary.sides.check()?;
        for (shot, sources) in setup.shots.iter().map(|shot| &shot.sources).enumerate() {
            for (source_index, wavelet) in sources.iter().map(|source| &source.wavelet).enumerate()
            {
                wavelet.check().map_err(|error| PlanError::Wavelet {
                    shot,
                    source_index,
                    error,
                })?;
            }
        }

        let (slowest, fastest) = setup.model.range();
        let volume = model_grid.is_volume();
        let across = volume.then_some(&operator.y);
        let axes = [&operator.z, &operator.x].into_iter().chain(across);
        let limit = largest_step(f64::from(fastest), axes);
        let time = TimeAxis::new(&setup.time, limit, setup.allow_unstable)?;

        let cells = setup.boundary.sides.cells();
        let above = if setup.boundary.top == Top::Absorb { cells } else { 0 };
        let beside = if volume { cells } else { 0 };
        let origin = Axes { z: above, x: cells, y: beside };
        let after = Axes { z: cells, x: cells, y: beside };
        let n = Axes {
            z: above + model_grid.n.z + cells,
            x: cells + model_grid.n.x + cells,
            y: beside + model_grid.n.y + beside,
        };
        let grid = Grid { n, h: model_grid.h };
        let radius = radius(&grid, &operator);
        memory::check_nodes(n, radius)?;
        let free_surface = setup.boundary.top == Top::Free;
        if free_surface && model_grid.n.z <= radius {
            return Err(PlanError::Shallow { rows: model_grid.n.z, radius });
        }
        let velocity = setup.model.extended(origin, after).into();

        let frequency = dominant_frequency(&setup.shots);
        let v_max = f64::from(fastest);
        let medium = |h| Medium { v_max, dt: time.dt, h };
        let sides = &setup.boundary.sides;
        let profile = Axes {
            z: sides.profile(n.z, above > 0, true, &medium(grid.h.z)),
            x: sides.profile(n.x, true, true, &medium(grid.h.x)),
            y: match volume {
                true => sides.profile(n.y, true, true, &medium(grid.h.y)),
                false => Profile { nodes: Vec::new(), memory: [0, 0] },
            },
        };

        let mut plan = Plan {
            grid,
            model_grid,
            origin,
            velocity,
            operator,
            free_surface,
            family: setup.operator,
            profile,
            shots: Vec::new(),
            wavelets: Vec::new(),
            taps: Vec::new(),
            initial: setup.initial,
            frequency,
            highest: 0.0,
            slowest,
            fastest,
            path: dispersion::longest_path(&setup.shots, &model_grid),
            time,
            asked: setup.time,
        };
        plan.check_initial()?;
        plan.quiet_surface();
        let mut rows = Rows::new(time);
        for (index, shot) in setup.shots.iter().enumerate() {
            plan.add_shot(index, shot, &mut rows)?;
        }
        (plan.wavelets, plan.highest) = (rows.samples, rows.highest);
        plan.check_traces()?;
        plan.taps = tap::all(&plan, setup.time.duration, &setup.snapshots)?;
        Ok(plan)
    }

    /// Radius that fits every axis' operator, cells: the halo that an engine needs.
    pub fn radius(&self) -> usize {
        radius(&self.grid, &self.operator)
    }

    /// Refuses an operator wider than the grid along an axis. Engines see zeros beyond the edges and run it,
    /// but no node has all its neighbours, so it models nothing.
    pub fn check_width(&self) -> Result<(), PlanError> {
        let (n, operator) = (self.grid.n, &self.operator);
        let y = self.grid.is_volume().then_some(('y', n.y, &operator.y));
        let axes = [('z', n.z, &operator.z), ('x', n.x, &operator.x)];
        for (axis, nodes, operator) in axes.into_iter().chain(y) {
            let width = 2 * operator.radius() + 1;
            if width > nodes {
                return Err(PlanError::Width { axis, width, nodes });
            }
        }
        Ok(())
    }

    /// The largest field that the sources of a shot and the initial field could pile up in one node: the
    /// scale against which a value is nothing, or impossible.
    pub fn injected(&self, shot: &PointShot) -> f64 {
        let source = |source: &PointSource| {
            let wavelet = &self.wavelets[source.wavelet];
            source.scale.abs() * wavelet.iter().map(|s| s.abs()).sum::<f64>()
        };
        let sources = shot.sources.iter().map(source).sum::<f64>();
        let initial = self.initial.as_ref().map_or(0.0, |initial| {
            let peak = |field: &Array3<f32>| field.iter().fold(0.0f32, |m, p| m.max(p.abs()));
            f64::from(peak(&initial.now).max(peak(&initial.before)))
        });
        sources + initial
    }

    /// (v dt)^2 at a place of the velocity array, m^2; 0 on a free surface, which then never moves.
    pub fn v2dt2(&self, index: usize) -> f64 {
        if self.free_surface && index.is_multiple_of(self.grid.n.z) {
            return 0.0;
        }
        (f64::from(self.velocity[index]) * self.time.dt).powi(2)
    }

    /// Whether an absorbing layer has memory variables.
    pub fn has_cpml(&self) -> bool {
        let profile = &self.profile;
        [&profile.z, &profile.x, &profile.y].iter().any(|axis| axis.memory != [0, 0])
    }

    /// Whether a sponge damps any node.
    pub fn has_sponge(&self) -> bool {
        let profile = &self.profile;
        let nodes = [&profile.z, &profile.x, &profile.y].into_iter().flat_map(|axis| &axis.nodes);
        nodes.into_iter().any(|node| node.damping != 1.0)
    }

    /// Grid nodes per wavelength at the dominant frequency, in the slowest medium along the coarsest
    /// axis; `None` without a source.
    pub fn points_per_wavelength(&self) -> Option<f64> {
        self.case().map(|case| case.points_per_wavelength(self.frequency))
    }

    /// The steps at which the wavefield is wanted.
    pub fn snapshots(&self) -> &[usize] {
        let steps = self.taps.iter().find_map(|tap| match tap {
            Tap::Snapshots { steps } => Some(steps.as_slice()),
            _ => None,
        });
        steps.unwrap_or_default()
    }

    /// Receivers of the shot that has most.
    pub fn most_receivers(&self) -> usize {
        self.shots.iter().map(|shot| shot.receivers.len()).max().unwrap_or(0)
    }

    /// Node updates of the whole simulation.
    pub fn updates(&self) -> f64 {
        self.grid.cells() as f64 * self.shots.len() as f64 * self.time.steps as f64
    }

    /// The same simulation with some of its shots only: what a device can hold at once.
    pub fn batch(&self, shots: Range<usize>) -> Plan {
        Plan { shots: self.shots[shots].to_vec(), ..self.clone() }
    }

    /// Rids a gather of the error of the scheme in time where the Plan says so, and cuts off what was recorded
    /// for that alone; shape `[receiver][time]`, as a run recorded it. A field that was there at t = 0 has no
    /// wavelet: its traces keep an error of second order in dt.
    pub fn correct(&self, gather: &mut Array2<f32>) {
        if self.time.dispersion == TimeDispersion::Corrected {
            let count = gather.ncols();
            let mut traces = gather.as_standard_layout().into_owned();
            let samples = traces.as_slice_mut().expect("a gather in standard layout is a slice");
            time_dispersion::remove(samples, count, self.time.record_every);
            let kept = count.min(self.time.kept());
            *gather = traces.slice_move(s![.., ..kept]).as_standard_layout().into_owned();
        }
    }

    /// Position of a node of the computational grid, metres from the model's first node.
    pub fn position(&self, node: Axes<usize>) -> Position {
        let along = |i: usize, origin: usize, h: f64| (i as f64 - origin as f64) * h;
        Axes {
            z: along(node.z, self.origin.z, self.grid.h.z),
            x: along(node.x, self.origin.x, self.grid.h.x),
            y: along(node.y, self.origin.y, self.grid.h.y),
        }
    }

    fn add_shot<'w>(
        &mut self,
        shot: usize,
        wanted: &'w Shot,
        rows: &mut Rows<'w>,
    ) -> Result<(), PlanError> {
        if wanted.sources.is_empty() && self.initial.is_none() {
            return Err(PlanError::NoSource { shot });
        }
        let mut sources = Vec::with_capacity(wanted.sources.len());
        for (index, source) in wanted.sources.iter().enumerate() {
            let place = |error| PlanError::Source { shot, source_index: index, error };
            if !self.grid.is_volume() && source.kind == SourceKind::Dipole(Axis::Y) {
                return Err(PlanError::Dipole { shot, source_index: index });
            }
            let nodes = self.injection(source.at, source.kind).map_err(place)?;
            let wavelet = rows.row(&source.wavelet).map_err(|error| PlanError::Wavelet {
                shot,
                source_index: index,
                error,
            })?;
            let loudest = rows.samples[wavelet].iter().fold(0.0f64, |m, s| m.max(s.abs()));
            for (at, weight) in nodes {
                let unit = self.v2dt2(self.grid.index(at)) / self.grid.cell_volume();
                let scale = source.amplitude * unit * weight;
                let peak = loudest * scale.abs();
                if !scale.is_finite() || peak > LARGEST_FIELD {
                    let value = source.amplitude;
                    return Err(PlanError::Amplitude { shot, source_index: index, value, peak });
                }
                sources.push(PointSource { at, scale, wavelet, asked: index });
            }
        }
        let receivers = wanted.receivers.iter().enumerate().map(|(receiver, at)| {
            self.sampling(*at).map_err(|error| PlanError::Receiver { shot, receiver, error })
        });
        let receivers = receivers.collect::<Result<_, _>>()?;
        let asked = Arc::new(wanted.clone());
        self.shots.push(PointShot { sources, receivers, asked });
        Ok(())
    }

    /// p = 0 on a free surface from the start.
    fn quiet_surface(&mut self) {
        if let (true, Some(initial)) = (self.free_surface, &mut self.initial) {
            for field in [&mut initial.now, &mut initial.before] {
                field.index_axis_mut(ndarray::Axis(2), 0).fill(0.0);
            }
        }
    }

    fn check_initial(&self) -> Result<(), PlanError> {
        let Some(initial) = &self.initial else { return Ok(()) };
        let expected = self.grid.shape();
        for field in [&initial.now, &initial.before] {
            if field.dim() != expected {
                return Err(PlanError::Initial { shape: field.dim(), expected });
            }
        }
        Ok(())
    }
}

/// The radius that fits the operator of every axis in use, cells.
fn radius(grid: &Grid, operator: &Axes<AxisOperator>) -> usize {
    let plane = operator.z.radius().max(operator.x.radius());
    if grid.is_volume() { plane.max(operator.y.radius()) } else { plane }
}

/// What a source may add to the field in a step, so that f32 holds the field and its derivatives.
const LARGEST_FIELD: f64 = 1e25;

/// The highest dominant frequency among the sources, Hz; 0 without a source.
fn dominant_frequency(shots: &[Shot]) -> f64 {
    let mut seen: Vec<&crate::acquisition::Wavelet> = Vec::new();
    for source in shots.iter().flat_map(|shot| &shot.sources) {
        if !seen.contains(&&source.wavelet) {
            seen.push(&source.wavelet);
        }
    }
    seen.iter().map(|wavelet| wavelet.peak_hz()).fold(0.0, f64::max)
}
