//! One validated, backend-free description of a simulation.
//!
//! A [`Setup`] says what is wanted in metres and seconds. [`Plan::new`] finds and names every mistake
//! in it and works out all that an engine needs: the grid with its absorbing layers, coefficients, the
//! time step, source and receiver nodes, taps, memory. A Plan knows no GPU and no file.

mod abrupt;
mod adjoint;
mod born;
mod boundaries;
mod crowded;
mod cut;
mod cut_off;
mod digest;
mod dispersion;
mod error;
mod evolved;
mod focus;
mod make;
mod mask;
mod memory;
mod remedy;
mod rounding;
mod sampling;
mod seconds;
mod shared;
mod silence;
mod sound;
mod summed;
mod survey;
mod tap;
mod time;
mod unheard;
mod velocities;
mod warning;
mod wavelets;

pub use abrupt::AbruptStart;
pub use born::Scattering;
pub use boundaries::{Piece, Ring, Saved};
pub use crowded::Crowded;
pub use cut_off::CutOff;
pub use dispersion::{Dispersion, FEWEST_POINTS, MOST_PERIODS, PhaseError, Resolution};
pub use error::PlanError;
pub use focus::{Brought, Condition, Focus};
pub(crate) use focus::{Look, QUARTERS};
pub use mask::Mask;
pub use memory::Array;
pub use rounding::Rounding;
pub use sampling::Sampling;
pub(crate) use seconds::Seconds;
pub use silence::Silence;
pub use summed::{Summed, normal};
#[cfg(test)]
pub(crate) use tap::WATCHDOG_EVERY;
pub use tap::{Imaging, Offsets, Tap};
pub use time::{Step, Time, TimeAxis};
pub use unheard::{Point, Unheard};
pub use velocities::Velocities;
pub use warning::Warning;

use crate::{
    acquisition::{
        Shot, TimeDispersion,
        time_dispersion::{self, Sample},
    },
    boundary::{Boundary, Profile},
    grid::{Axes, Grid, Position},
    model::VelocityModel,
    stencil::{AxisOperator, Family, Fourth},
};
use ndarray::{Array2, Array3, s};
use rayon::prelude::*;
use serde::Serializer;
use std::{ops::Range, sync::Arc};

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

impl Setup {
    /// Some shots through a model for so many seconds, the rest as a job file has it that says no more:
    /// `Setup { snapshots: vec![0.5], ..Setup::new(model, shots, 1.0) }` says one thing more.
    pub fn new(model: VelocityModel, shots: Vec<Shot>, duration: f64) -> Self {
        Setup {
            model,
            operator: Family::default(),
            boundary: Boundary::default(),
            time: Time::new(duration),
            shots,
            snapshots: Vec::new(),
            initial: None,
            allow_unstable: false,
        }
    }
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
    pub sources: Arc<[PointSource]>,
    /// What is recorded; one list for all shots with the same receivers.
    pub receivers: Arc<[Sampling]>,
    /// The shot as it was asked for, in metres from the model's first node.
    pub asked: Arc<Shot>,
    /// Index in [`Plan::velocities`] of the medium that it runs through.
    pub model: usize,
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
    /// Velocities on the computational grid, m/s: of one model, or of each of a scan.
    pub velocities: Vec<Velocities>,
    /// The operator of each axis.
    pub operator: Axes<AxisOperator>,
    /// What explicit time evolution adds to them.
    pub fourth: Option<Fourth>,
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
    /// Whether f32 engines keep p - p_prev in the place of p_prev: in steps that are very short for their waves.
    pub by_increments: bool,
    /// Whether the layers step as the transpose of what they are ([`Plan::adjoint`]).
    pub adjoint: bool,
    /// The batch.
    pub shots: Vec<PointShot>,
    /// s(n dt) for n in 0..steps, a row a wavelet; warped where time dispersion is corrected.
    pub wavelets: Vec<Arc<[f64]>>,
    /// What reads the wavefield while it runs.
    pub taps: Vec<Tap>,
    /// The field to start from, where it is not zero.
    pub initial: Option<Arc<Initial>>,
    /// What scatters the source wavefield of another run, where this is of the scattered field.
    pub scattering: Option<Arc<Scattering>>,
    /// What its shots' offset gathers become before they are brought out.
    pub summed: Arc<Summed>,
    /// How what is put back after each step was saved, where this goes backward in time ([`Plan::rebuilt`]).
    pub rebuilt: Option<Saved>,
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
    /// Radius that fits every axis' operator, cells: the halo that an engine needs.
    pub fn radius(&self) -> usize {
        radius(&self.grid, &self.operator)
    }

    /// Refuses an operator wider than the grid along an axis. Engines see zeros beyond the edges and run it,
    /// but no node has all its neighbours, so it models nothing.
    pub fn check_width(&self) -> Result<(), PlanError> {
        check_width(&self.grid, &self.operator)
    }

    /// The largest field that the sources of a shot and the initial field could pile up in one node: the
    /// scale against which a value is nothing, or impossible.
    pub fn injected(&self, shot: &PointShot) -> f64 {
        self.injected_by(shot, |wavelet| size(&self.wavelets[wavelet]))
    }

    /// The same of the shot for which it is largest.
    pub(crate) fn most_injected(&self) -> f64 {
        let sizes: Vec<f64> = self.wavelets.par_iter().map(|wavelet| size(wavelet)).collect();
        let shots = self.shots.iter().map(|shot| self.injected_by(shot, |wavelet| sizes[wavelet]));
        shots.fold(0.0, f64::max)
    }

    /// The same by the sums of the wavelets without their signs.
    fn injected_by(&self, shot: &PointShot, size: impl Fn(usize) -> f64) -> f64 {
        let source = |source: &PointSource| source.scale.abs() * size(source.wavelet);
        let sources = shot.sources.iter().map(source).sum::<f64>();
        let initial = self.initial.as_ref().map_or(0.0, |initial| {
            let peak = |field: &Array3<f32>| field.iter().fold(0.0f32, |m, p| m.max(p.abs()));
            f64::from(peak(&initial.now).max(peak(&initial.before)))
        });
        sources + initial
    }

    /// The models of which an engine keeps a copy: one for all shots or, in a scan, one for each.
    pub fn copies(&self) -> Vec<usize> {
        match self.velocities.len() {
            1 => vec![0],
            _ => self.shots.iter().map(|shot| shot.model).collect(),
        }
    }

    /// Which of those copies a shot runs through.
    pub fn copy_of(&self, shot: usize) -> usize {
        if self.velocities.len() == 1 { 0 } else { shot }
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
        self.points_per_wavelength_at(self.frequency)
    }

    /// The same at another frequency, Hz; `None` where that is 0.
    pub fn points_per_wavelength_at(&self, frequency: f64) -> Option<f64> {
        let case = self.case().filter(|_| frequency > 0.0);
        case.map(|case| case.points_per_wavelength(frequency))
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
        self.part(&shots.collect::<Vec<_>>())
    }

    /// The same with shots that need not follow each other: those that are left of a survey.
    pub fn part(&self, shots: &[usize]) -> Plan {
        let shots = shots.iter().map(|shot| self.shots[*shot].clone()).collect();
        Plan { shots, summed: Arc::default(), ..self.clone() }
    }

    /// Rids a gather of the error of the scheme in time where the Plan says so, and cuts off what was recorded
    /// for that alone; shape `[receiver][time]`, as a run recorded it. A field that was there at t = 0 has no
    /// wavelet: its traces keep an error of second order in dt.
    pub fn correct<T: Sample>(&self, gather: &mut Array2<T>) {
        if self.time.dispersion == TimeDispersion::Corrected {
            let count = gather.ncols();
            let mut traces = gather.as_standard_layout().into_owned();
            let samples = traces.as_slice_mut().expect("a gather in standard layout is a slice");
            time_dispersion::remove(samples, count, self.time.record_every);
            let kept = count.min(self.time.kept());
            *gather = traces.slice_move(s![.., ..kept]).as_standard_layout().into_owned();
        }
    }

    /// The adjoint of [`Plan::correct`]: from a corrected gather to as many samples as a run records, for [`Plan::sent_back`].
    pub fn correct_adjoint<T: Sample>(&self, gather: &mut Array2<T>) {
        if self.time.dispersion == TimeDispersion::Corrected {
            let (kept, count) = (gather.ncols().min(self.time.kept()), self.time.samples);
            let mut traces = Array2::from_elem((gather.nrows(), count), T::default());
            traces.slice_mut(s![.., ..kept]).assign(&gather.slice(s![.., ..kept]));
            let samples = traces.as_slice_mut().expect("it is made in standard layout");
            time_dispersion::remove_adjoint(samples, count, self.time.record_every);
            *gather = traces;
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
}

/// The sum of a wavelet without its signs.
fn size(wavelet: &[f64]) -> f64 {
    wavelet.iter().map(|s| s.abs()).sum()
}

/// The radius that fits the operator of every axis in use, cells.
fn radius(grid: &Grid, operator: &Axes<AxisOperator>) -> usize {
    let plane = operator.z.radius().max(operator.x.radius());
    if grid.is_volume() { plane.max(operator.y.radius()) } else { plane }
}

/// Refuses an operator that has nowhere on a grid all its neighbours.
fn check_width(grid: &Grid, operator: &Axes<AxisOperator>) -> Result<(), PlanError> {
    let n = grid.n;
    let y = grid.is_volume().then_some(('y', n.y, &operator.y));
    let axes = [('z', n.z, &operator.z), ('x', n.x, &operator.x)];
    for (axis, nodes, operator) in axes.into_iter().chain(y) {
        let width = 2 * operator.radius() + 1;
        if width > nodes {
            return Err(PlanError::Width { axis, width, nodes });
        }
    }
    Ok(())
}

/// An index as a person counts, from 1.
fn from_one<S: Serializer>(index: &usize, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(*index as u64 + 1)
}
