//! One validated, backend-free description of a simulation.
//!
//! A [`Setup`] describes a simulation in metres and seconds. [`Plan::new`] finds and names every
//! mistake in it and computes everything that an engine needs: the grid with its absorbing layers,
//! coefficients, the time step, source and receiver nodes, taps, memory. A Plan depends on no GPU
//! and no file.

mod batches;
mod consistency;
mod derived;
mod digest;
mod dispersion;
mod error;
mod ete_source;
mod focus;
mod from_setup;
mod hopeless;
mod mask;
mod medium;
mod memory;
mod receiver_lists;
mod rounding;
mod sampling;
mod scheme;
mod seconds;
mod setup;
mod strongest;
mod summed;
mod tap;
mod time;
mod velocities;
mod warning;
mod wavelets;
mod window;

pub use derived::Scattering;
pub(crate) use dispersion::FEWEST_POINTS;
pub use dispersion::{Dispersion, MOST_PERIODS, NewStep, PhaseError, Remedy, Resolution};
pub use error::PlanError;
pub use focus::{Condition, Focus, FocusOutput};
#[doc(hidden)]
pub use focus::{Look, QUARTERS};
pub use hopeless::{HOPELESS_POINTS, Hopeless};
pub use mask::Mask;
pub use memory::{Array, check_receivers_fit};
pub(crate) use rounding::Rounding;
pub use sampling::Sampling;
#[doc(hidden)]
pub use seconds::Seconds;
pub use setup::{Initial, Setup};
pub use summed::{Summed, normal, over};
#[doc(hidden)]
pub use tap::WATCHDOG_EVERY;
pub use tap::{Imaging, Offsets, Tap};
pub use time::{Step, Time, TimeAxis};
pub use velocities::ModelValues;
pub use warning::{
    AbruptStart, Crowded, GrowingLayer, OnSurface, Point, Silence, Truncated, Warning,
};
pub use window::{Margin, Window};

use crate::{
    acquisition::{
        Shot, TimeDispersion,
        time_dispersion::{self, Sample},
    },
    boundary::Profile,
    grid::{Axes, Grid, Position},
    medium::Medium,
    stencil::{AxisOperator, Family, Fourth},
};
use ndarray::{Array2, Array3, s};
use rayon::prelude::*;
use serde::Serializer;
use std::{ops::Range, sync::Arc};

/// A source on a node of the computational grid; a source between nodes becomes several of these.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointSource {
    /// Node.
    pub at: Axes<usize>,
    /// The increment of the next field per unit of the wavelet: amplitude (v dt)^2 / cell volume,
    /// times the node's weight.
    pub scale: f64,
    /// Row of [`Plan::wavelets`].
    pub wavelet: usize,
    /// Index of the requested source that it belongs to.
    pub source: usize,
}

/// The sources and receivers of one shot, on the computational grid.
#[derive(Clone, Debug, PartialEq)]
pub struct PointShot {
    /// Sources that fire at once.
    pub sources: Arc<[PointSource]>,
    /// The receivers; shots with the same receivers share one list.
    pub receivers: Arc<[Sampling]>,
    /// The shot as requested, in metres from the model's first node.
    pub asked: Arc<Shot>,
    /// The part of a model that it runs through.
    pub window: Window,
    /// The power of two by which its sources are divided, and so its field and all that taps read of it: 1, unless f32
    /// would not hold the field. What collects traces and snapshots multiplies
    /// them by it.
    pub unit: f64,
}

/// A simulation that is known to be valid. Fields are public to read; [`Plan::new`] makes them.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The computational grid: the model and its absorbing layers.
    pub grid: Grid,
    /// The grid of the model alone, or of the window of a shot.
    pub model_grid: Grid,
    /// The grid of the whole model, if each shot runs through a window of it.
    pub windows: Option<Grid>,
    /// Layer cells before the model's first node.
    pub origin: Axes<usize>,
    /// Velocities on the computational grid, m/s: of one model, or of each model of a scan.
    pub velocities: Vec<ModelValues>,
    /// The medium beside the velocity. With a density that varies, engines step q = w p.
    pub medium: Medium,
    /// The operator of each axis.
    pub operator: Axes<AxisOperator>,
    /// The additional operator of explicit time evolution.
    pub fourth: Option<Fourth>,
    /// Whether row 0 is a free surface: p = 0 there, and p(-z) = -p(z) above it.
    pub free_surface: bool,
    /// The family of the operators.
    pub family: Family,
    /// Absorbing layer coefficients along each axis; empty along y in 2-D.
    pub profile: Axes<Profile>,
    /// Steps, samples, and the largest stable step.
    pub time: TimeAxis,
    /// Duration, time step and recording interval as requested.
    pub requested_time: Time,
    /// Whether f32 engines keep p - p_prev instead of p_prev, as in very short steps.
    pub by_increments: bool,
    /// Whether the layers step as their transpose ([`Plan::adjoint`]).
    pub adjoint: bool,
    /// The shots that advance together.
    pub shots: Vec<PointShot>,
    /// s(n dt) for n in 0..steps, one row per wavelet; warped if time dispersion is corrected.
    pub wavelets: Vec<Arc<[f64]>>,
    /// The readers of the wavefield during the run.
    pub taps: Vec<Tap>,
    /// The field to start from, if it is not zero.
    pub initial: Option<Arc<Initial>>,
    /// The perturbation that scatters another run's source wavefield, in a run of the scattered
    /// field.
    pub scattering: Option<Arc<Scattering>>,
    /// The sums of its shots' offset gathers that are reported.
    pub summed: Arc<Summed>,
    /// Dominant frequency of the sources, Hz; 0 without a source.
    pub frequency: f64,
    /// Highest frequency of the sources, Hz, where the amplitude spectra of their wavelets fall to
    /// 5 % of their peak; 0 without a source.
    pub highest: f64,
    /// Slowest velocity, m/s.
    pub slowest: f32,
    /// Fastest velocity, m/s.
    pub fastest: f32,
    /// The longest distance from a source to a receiver of its shot, m; the diagonal of a model
    /// without receivers.
    pub path: f64,
}

impl Plan {
    /// The largest radius of the axes' operators, cells: the halo that an engine needs.
    pub fn radius(&self) -> usize {
        radius(&self.grid, &self.operator)
    }

    /// Returns an error for an operator wider than the grid along an axis. Engines read zeros
    /// beyond the edges and can run it, but no node has all its neighbours, so the result means
    /// nothing.
    pub fn check_width(&self) -> Result<(), PlanError> {
        check_width(&self.grid, &self.operator)
    }

    /// Refuses a run in which no shot can give anything but zeros.
    pub fn check_heard(&self) -> Result<(), PlanError> {
        self.silence().map_or(Ok(()), |silence| Err(PlanError::Silent(silence)))
    }

    /// Refuses a run from which nothing can be learned.
    pub fn check_hopeless(&self) -> Result<(), PlanError> {
        self.hopeless().map_or(Ok(()), |hopeless| Err(PlanError::Hopeless(hopeless)))
    }

    /// The largest field that the sources of a shot and the initial field could build up in one
    /// node: the scale by which a value is negligible, or impossible.
    pub fn injected(&self, shot: &PointShot) -> f64 {
        self.injected_by(shot, |wavelet| size(&self.wavelets[wavelet]))
    }

    /// [`Plan::injected`] of the shot for which it is largest.
    pub(crate) fn most_injected(&self) -> f64 {
        let sizes: Vec<f64> = self.wavelets.par_iter().map(|wavelet| size(wavelet)).collect();
        let shots = self.shots.iter().map(|shot| self.injected_by(shot, |wavelet| sizes[wavelet]));
        shots.fold(0.0, f64::max)
    }

    /// [`Plan::injected`] with `size` as the sum of a wavelet's absolute values.
    fn injected_by(&self, shot: &PointShot, size: impl Fn(usize) -> f64) -> f64 {
        let source = |source: &PointSource| source.scale.abs() * size(source.wavelet);
        let sources = shot.sources.iter().map(source).sum::<f64>();
        let initial = self.initial.as_ref().map_or(0.0, |initial| {
            let peak = |field: &Array3<f32>| field.iter().fold(0.0f32, |m, p| m.max(p.abs()));
            f64::from(peak(&initial.now).max(peak(&initial.before)))
        });
        sources + initial
    }

    /// True if all shots run through the same medium: one model, and no windows.
    pub fn has_one_medium(&self) -> bool {
        self.velocities.len() == 1 && self.windows.is_none()
    }

    /// The media of which an engine stores a copy: one for all shots or, in a scan and with windows,
    /// one for each.
    pub fn copies(&self) -> Vec<Window> {
        match self.has_one_medium() {
            true => vec![Window::whole(0)],
            false => self.shots.iter().map(|shot| shot.window).collect(),
        }
    }

    /// Index of a shot's medium among those copies.
    pub fn copy_of(&self, shot: usize) -> usize {
        if self.has_one_medium() { 0 } else { shot }
    }

    /// True if an absorbing layer has memory variables.
    pub fn has_cpml(&self) -> bool {
        let profile = &self.profile;
        [&profile.z, &profile.x, &profile.y].iter().any(|axis| axis.memory != [0, 0])
    }

    /// True if a sponge damps any node.
    pub fn has_sponge(&self) -> bool {
        let profile = &self.profile;
        let nodes = [&profile.z, &profile.x, &profile.y].into_iter().flat_map(|axis| &axis.nodes);
        nodes.into_iter().any(|node| node.damping != 1.0)
    }

    /// The steps of the snapshots.
    pub fn snapshots(&self) -> &[usize] {
        let steps = self.taps.iter().find_map(|tap| match tap {
            Tap::Snapshots { steps } => Some(steps.as_slice()),
            _ => None,
        });
        steps.unwrap_or_default()
    }

    /// The largest number of receivers of a shot.
    pub fn most_receivers(&self) -> usize {
        self.shots.iter().map(|shot| shot.receivers.len()).max().unwrap_or(0)
    }

    /// Node updates of the whole simulation.
    pub fn updates(&self) -> f64 {
        self.grid.cells() as f64 * self.shots.len() as f64 * self.time.steps as f64
    }

    /// The simulation with a range of its shots, such as a device can hold at once.
    pub fn batch(&self, shots: Range<usize>) -> Plan {
        self.part(&shots.collect::<Vec<_>>())
    }

    /// The simulation with some of its shots, such as those that remain of a survey.
    pub fn part(&self, shots: &[usize]) -> Plan {
        let shots = shots.iter().map(|shot| self.shots[*shot].clone()).collect();
        Plan { shots, summed: Arc::default(), ..self.clone() }
    }

    /// Removes the scheme's error in time from a gather if the Plan says so, and cuts off the
    /// samples recorded for that alone; shape `[receiver][time]`, as a run recorded it. An initial
    /// field has no wavelet: its traces keep an error of second order in dt.
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

    /// The adjoint of [`Plan::correct`]: from a corrected gather to as many samples as a run
    /// records, for [`Plan::sent_back`].
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
    pub(crate) fn position(&self, node: Axes<usize>) -> Position {
        let nodes = node.zip(self.origin).map(|(i, origin)| i as f64 - origin as f64);
        nodes.zip(self.grid.h).map(|(nodes, h)| nodes * h)
    }

    /// The node of the computational grid at a node of the model.
    pub fn on_grid(&self, node: Axes<usize>) -> Axes<usize> {
        node.zip(self.origin).map(|(i, origin)| i + origin)
    }
}

/// The sum of a wavelet's absolute values.
fn size(wavelet: &[f64]) -> f64 {
    wavelet.iter().map(|s| s.abs()).sum()
}

/// The largest radius of the axes in use, cells.
fn radius(grid: &Grid, operator: &Axes<AxisOperator>) -> usize {
    let plane = operator.z.radius().max(operator.x.radius());
    if grid.is_volume() { plane.max(operator.y.radius()) } else { plane }
}

/// Returns an error for an operator that has all its neighbours at no node of a grid.
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

/// Serialises an index counted from 1.
fn from_one<S: Serializer>(index: &usize, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(*index as u64 + 1)
}
