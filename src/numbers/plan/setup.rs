//! A requested simulation.

use super::{Margin, Time};
use crate::{
    acquisition::{Recording, RecordingError, Shot, SourceKind, TimeDispersion, reversed},
    boundary::Boundary,
    model::{Anisotropy, Density, VelocityModel},
    stencil::Family,
};
use ndarray::Array3;

/// A requested simulation, in metres and seconds.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The velocity.
    pub model: VelocityModel,
    /// The density, at the nodes of the velocity.
    pub density: Density,
    /// Thomsen's parameters, at the nodes of the velocity; isotropic rock if `None`.
    pub anisotropy: Option<Anisotropy>,
    /// Second-derivative operators.
    pub operator: Family,
    /// Edges of the model.
    pub boundary: Boundary,
    /// Duration, time step, recording interval.
    pub time: Time,
    /// The batch: shots that advance together through the same model.
    pub shots: Vec<Shot>,
    /// Times of snapshots, s.
    pub snapshots: Vec<f64>,
    /// The field at t = 0 and one step before, if it is not zero.
    pub initial: Option<Initial>,
    /// The windows of the model that shots run through; the whole model if `None`.
    pub window: Option<Margin>,
    /// Run even with an unstable time step; the watchdog will end it.
    pub allow_unstable: bool,
}

impl Setup {
    /// Some shots through a model for `duration` s, with a job file's defaults for the rest: `Setup
    /// { snapshots: vec![0.5], ..Setup::new(model, shots, 1.0) }` sets one more field.
    pub fn new(model: VelocityModel, shots: Vec<Shot>, duration: f64) -> Self {
        Setup {
            model,
            density: Density::default(),
            anisotropy: None,
            operator: Family::default(),
            boundary: Boundary::default(),
            time: Time::new(duration),
            shots,
            snapshots: Vec::new(),
            initial: None,
            window: None,
            allow_unstable: false,
        }
    }

    /// The setup of a simulation that sends a recording back from sources of a kind and an
    /// amplitude: with the model, the scheme and the edges given; its time, shots and snapshots are
    /// replaced. Its field after N - n steps of N is that at the time of step n.
    pub fn time_reversed(
        self,
        recording: &Recording,
        groups: usize,
        kind: SourceKind,
        amplitude: f64,
    ) -> Result<Self, RecordingError> {
        let shots = reversed(recording, groups, kind, amplitude)?;
        let time = Time {
            duration: recording.duration(),
            // Samples must fall on steps.
            record: Some(recording.interval),
            dispersion: TimeDispersion::Kept,
            ..self.time
        };
        Ok(Setup { time, shots, snapshots: Vec::new(), initial: None, ..self })
    }
}

/// A wavefield to start from, the same for every shot; shape `[y][x][z]` on the computational grid.
/// Row 0 is taken as 0 if it is a free surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Initial {
    /// p at t = 0.
    pub now: Array3<f32>,
    /// p at t = -dt.
    pub before: Array3<f32>,
}
