//! The gradient of a misfit by the velocity model: modelled traces minus observed ones, sent back and
//! correlated with the wave of the source.
//!
//! With e the relative change of the squared slowness at each node and F the linearised modelling
//! ([`crate::plan::Scattering`]),
//!
//! ```text
//! dJ/de = F' dJ/dp,    dJ/dv = -2/v dJ/de
//! ```
//!
//! (Tarantola 1984, "Inversion of seismic reflection data in the acoustic approximation", Geophysics
//! 49(8); Plessix 2006, "A review of the adjoint-state method for computing the gradient of a
//! functional with geophysical applications", Geophys. J. Int. 167(2)). F' is the transpose of the
//! discrete propagator, with its layers and its receivers between nodes, so that the gradient is
//! that of the numbers that modelling gives. Velocities outside the model, which continue those at
//! its edges, are not varied.

#[cfg(feature = "jobs")]
mod abrupt_end;
#[cfg(feature = "runs")]
mod compared;
#[cfg(feature = "runs")]
pub(crate) mod files;
#[cfg(feature = "runs")]
mod memory;
#[cfg(feature = "jobs")]
mod observations;
#[cfg(feature = "runs")]
mod operation;
#[cfg(feature = "cli")]
mod stored;
#[cfg(feature = "jobs")]
mod wavelet;
#[cfg(feature = "runs")]
mod wavelet_files;

#[cfg(feature = "runs")]
pub(crate) use compared::{ComparedTraces, ModelledTraces};
#[cfg(feature = "runs")]
pub(crate) use memory::{demand, modelling, stages};
#[cfg(feature = "jobs")]
pub use observations::Observations;
#[cfg(feature = "jobs")]
pub(crate) use observations::passed;
#[cfg(feature = "runs")]
pub use operation::GradientRun;
#[cfg(feature = "cli")]
pub(crate) use stored::PICTURES;
#[cfg(feature = "jobs")]
pub use wavelet::EstimatedWavelets;

use crate::{
    engine::{DeviceWork, Engine, EngineError},
    grid::{Axes, Position},
    misfit::{Likeness, Misfit},
    model::VelocityModel,
    operations::{
        OnSteps,
        rtm::{self, Migration, OnPartial, Partial, Residual, ShotMisfit, Stack, scale},
    },
    plan::Plan,
    single::Single,
};
use ndarray::{Array2, Array3, Ix2};

/// The observed traces of the shots of a Plan, and how they are compared.
#[derive(Clone, Copy, Debug)]
pub struct Observed<'a> {
    /// `[receiver][sample]` of each shot, at the samples that its receivers record.
    pub gathers: &'a [Array2<f32>],
    /// What each sample of a shot counts, if not all count alike: both traces are multiplied by it.
    pub weights: Option<&'a [Array2<f32>]>,
    /// The misfit.
    pub misfit: Misfit,
}

/// A misfit and its gradient.
#[derive(Clone, Debug)]
pub struct Gradient {
    /// J of each shot.
    pub misfits: Vec<f64>,
    /// How the observed traces compare with the modelled ones, if they are known.
    pub likeness: Likeness,
    /// dJ/de at each node of the model, `[y][x][z]`.
    pub by_slowness: Array3<f64>,
    /// The illumination by the sources, in the units of e^2 ([`super::rtm::Stacked`]).
    pub illumination: Array3<f64>,
    /// Each device's work.
    pub devices: Vec<DeviceWork>,
}

/// What is imaged, and with how much memory.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Steps from one product of both waves to the next. 1 gives the exact gradient; the waves
    /// being band-limited, so does any interval below half a period of the highest frequency, but
    /// for rounding.
    pub every: usize,
    /// The most memory of an engine for source wavefields, bytes; by default that of [`rtm::limit`].
    pub memory: Option<u64>,
    /// The most of the host's memory for those of an engine, bytes; by default half of it for all.
    pub within: Option<u64>,
}

impl Effort {
    /// The migration of the residuals of a Plan's shots by one of the devices that share them.
    pub(crate) fn migration<'a>(
        &self,
        engine: &'a dyn Engine,
        plan: &'a Plan,
        devices: usize,
    ) -> Result<Migration<'a>, EngineError> {
        let of_all = self.within.map(|bytes| bytes.saturating_mul(devices as u64));
        let memory = rtm::limit(engine, self.memory, of_all);
        let migration = Migration::new(engine, plan, self.every, &[], memory)?;
        Ok(migration.among(devices).within(self.within))
    }
}

/// Takes the index of a shot and its dJ/de.
pub type EachShot<'s> = dyn FnMut(usize, Array3<f64>) + Send + 's;

/// Some shots of a survey whose residuals are sent back.
pub(crate) struct ResidualShots<'s> {
    /// Their Plan.
    pub(crate) plan: &'s Plan,
    /// Their ascending numbers in the survey, which say how their images are added.
    pub(crate) numbers: &'s [usize],
    /// J of each, by its index here, and the derivative by each of its modelled samples.
    pub(crate) by_sample: &'s Residual<'s>,
    /// What is imaged.
    pub(crate) effort: Effort,
    /// True if the images of shots are not added on the device.
    pub(crate) is_apart: bool,
}

impl ResidualShots<'_> {
    /// The images of the shots, or the sums of several, in any order.
    ///
    /// # Errors
    ///
    /// If a derivative has not the shape of the traces ([`EngineError::Unsound`]), or the engine
    /// fails.
    pub(crate) fn images<E: From<EngineError> + Send>(
        &self,
        engines: &[&dyn Engine],
        progress: &mut OnSteps<'_>,
        done: &mut OnPartial<'_, E>,
    ) -> Result<Vec<DeviceWork>, E> {
        let mut migrations = Vec::new();
        for engine in engines {
            let migration = self.effort.migration(*engine, self.plan, engines.len())?;
            let migration = migration.part_of(self.numbers)?;
            let migration = if self.is_apart { migration } else { migration.summing() };
            migrations.push(migration.of_residuals(self.by_sample));
        }
        let steps = rtm::steps_of(&migrations);
        let none = |_| Err(EngineError::Unsound.into());
        rtm::over(&migrations, &none, &mut |step| progress(step, steps), done)
    }
}

/// dJ/de of a shot, from its image.
pub(crate) fn by_slowness(image: &Partial, scale: &Array3<f64>) -> Array3<f64> {
    image.arrays[0].mapv(|v| f64::from(v) * image.units.image) * scale
}

impl Gradient {
    /// J and its gradient for the shots of a Plan, which the engines share: any number of them gives
    /// the same bits. `progress` gets the steps done and all of them, and may stop the run. `each`,
    /// if given, gets the index and the dJ/de of each shot, in any order.
    ///
    /// # Errors
    ///
    /// If the gathers or weights are not those of the Plan's shots and receivers
    /// ([`EngineError::Unsound`]), or the engine fails.
    pub fn of(
        engines: &[&dyn Engine],
        plan: &Plan,
        observed: Observed<'_>,
        effort: Effort,
        progress: &mut OnSteps<'_>,
        each: Option<&mut EachShot<'_>>,
    ) -> Result<Self, EngineError> {
        let shape = |shot: usize| (plan.shots[shot].receivers.len(), plan.time.kept());
        let fits = |gathers: &[Array2<f32>]| {
            let mut all = gathers.iter().enumerate();
            gathers.len() == plan.shots.len() && all.all(|(shot, of)| of.dim() == shape(shot))
        };
        if !fits(observed.gathers) || !observed.weights.is_none_or(fits) {
            return Err(EngineError::Unsound);
        }
        let plan = &plan.clone().with_sources_of(&live_shots(observed.weights, plan.shots.len()));
        let interval = plan.time.interval();
        let by_sample = |shot: usize, modelled| observed.residual(shot, modelled, interval);
        Self::of_traces(engines, plan, &by_sample, effort, progress, each)
    }

    /// Any J of the traces of a Plan, and its gradient. `by_sample` takes the index of a shot and its
    /// modelled traces, `[receiver][sample]` as they are recorded, and gives the J of the shot and
    /// its derivative by each sample.
    ///
    /// # Errors
    ///
    /// If a derivative has not the shape of the traces ([`EngineError::Unsound`]), or the engine
    /// fails.
    pub fn of_traces(
        engines: &[&dyn Engine],
        plan: &Plan,
        by_sample: &Residual<'_>,
        effort: Effort,
        progress: &mut OnSteps<'_>,
        mut each: Option<&mut EachShot<'_>>,
    ) -> Result<Self, EngineError> {
        let numbers: Vec<usize> = (0..plan.shots.len()).collect();
        let is_apart = each.is_some();
        let shots = ResidualShots { plan, numbers: &numbers, by_sample, effort, is_apart };
        let (mut stack, scale) = (Stack::default(), scale(plan, effort.every));
        let devices = shots.images(engines, progress, &mut |partial: Partial| {
            if let Some(each) = &mut each {
                each(partial.shots.start, by_slowness(&partial, &scale));
            }
            stack.add(partial);
            Ok::<_, EngineError>(())
        })?;
        let stacked = stack.sum(&scale, &[]).ok_or(EngineError::Unsound)?;
        Ok(Gradient {
            misfits: stack.misfits().map(|shot| shot.misfit).collect(),
            likeness: stack.misfits().map(|shot| shot.likeness).sum(),
            by_slowness: stacked.image(rtm::Condition::CrossCorrelation),
            illumination: stacked.illumination(),
            devices,
        })
    }

    /// J of all shots.
    pub fn misfit(&self) -> f64 {
        self.misfits.iter().sum()
    }
}

impl Observed<'_> {
    /// How the traces of a shot compare, and the derivative of its J by each modelled sample.
    pub fn residual(
        &self,
        shot: usize,
        mut modelled: Array2<f32>,
        interval: f64,
    ) -> (ShotMisfit, Single<Ix2>) {
        let (gather, weights) = (&self.gathers[shot], self.weights.map(|weights| &weights[shot]));
        let likeness = Likeness::of(&modelled, gather, weights);
        let Some(weights) = weights else {
            let (misfit, derivative) = self.misfit.of(&modelled, gather, interval);
            return (ShotMisfit { misfit, likeness }, derivative);
        };
        modelled *= weights;
        let (misfit, mut derivative) = self.misfit.of(&modelled, &(gather * weights), interval);
        derivative.values *= weights;
        (ShotMisfit { misfit, likeness }, derivative)
    }
}

/// Whether each of so many shots has a sample that counts: one without lights no model.
pub(crate) fn live_shots(weights: Option<&[Array2<f32>]>, shots: usize) -> Vec<bool> {
    let is_live = |of: &Array2<f32>| of.iter().any(|weight| *weight != 0.0);
    weights.map_or_else(|| vec![true; shots], |weights| weights.iter().map(is_live).collect())
}

/// Turns dJ/de into dJ/dv, per m/s.
pub fn by_velocity(gradient: &mut Array3<f64>, model: &VelocityModel) {
    gradient.zip_mut_with(&model.velocity(), |g, v| *g *= -2.0 / f64::from(*v));
}

/// Turns dJ/de of a Plan with integrated sources ([`Plan::with_integrated_sources`]), whose second time derivatives are the wave
/// of the Plan itself, into dJ/dV by the potential of a density, m^2.
pub fn by_potential(gradient: &mut Array3<f64>, model: &VelocityModel) {
    gradient.zip_mut_with(&model.velocity(), |g, v| *g *= f64::from(*v).powi(2));
}

/// Divides a gradient by the illumination, so that places far from the sources get steps as large as
/// those below them; `water` is added to it, as a fraction of its mean.
pub(crate) fn precondition(gradient: &mut Array3<f64>, illumination: &Array3<f64>, water: f64) {
    let least = water * illumination.iter().sum::<f64>() / illumination.len().max(1) as f64;
    gradient.zip_mut_with(illumination, |g, lit| {
        let lit = lit + least;
        *g = if lit > 0.0 { *g / lit } else { 0.0 };
    });
}

/// Takes a gradient to zero at some places, where the products of both waves are largest: it is
/// multiplied by `1 - exp(-(r / radius)^2)` at a distance r from each. `h` is the model's spacing,
/// metres.
pub(crate) fn taper_at(gradient: &mut Array3<f64>, places: &[Position], radius: f64, h: Axes<f64>) {
    let is_volume = gradient.dim().0 > 1;
    for ((y, x, z), g) in gradient.indexed_iter_mut() {
        for at in places {
            let (dx, dz) = (x as f64 * h.x - at.x, z as f64 * h.z - at.z);
            let dy = if is_volume { y as f64 * h.y - at.y } else { 0.0 };
            *g *= 1.0 - (-(dx * dx + dy * dy + dz * dz) / (radius * radius)).exp();
        }
    }
}
