//! The least-squares migration of a survey: its migration, then one sweep over its shots for each
//! iteration.

use super::{ConjugateGradients, LeastSquares, Normal, Summed, Sweeps, Unknowns, fitted::Fitted};
use crate::{
    engine::{DeviceWork, Engine, EngineError},
    job::{Direct, Inputs, JobError},
    misfit::{Likeness, Misfit},
    operations::{
        recorded::Recorded,
        rtm::{Begin, Migrating},
    },
    plan::{PlanError, PointShot},
};
use ndarray::Array3;
use serde::{Deserialize, Serialize};

/// What has been done of a least-squares migration, from which it can go on with the same bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Solved {
    /// L of [`Unknowns`], `[y][x][z]`.
    weights: Vec<f64>,
    iterations: ConjugateGradients,
}

impl Solved {
    /// Iterations done.
    pub fn iterations(&self) -> usize {
        self.iterations.iterations()
    }

    /// |W (F m - d)| over |W d|, before the first iteration and after each.
    pub fn residuals(&self) -> Vec<f64> {
        self.iterations.residuals()
    }

    /// dv/v, `[y][x][z]`.
    pub fn image(&self, of: &LeastSquares) -> Array3<f64> {
        self.unknowns(of).image(&self.iterations.unknowns)
    }

    /// Whether it is one of so many nodes, with numbers that it may have.
    pub(crate) fn is_of(&self, count: usize) -> bool {
        let is_weight = |weight: &f64| *weight > 0.0 && weight.is_finite();
        self.weights.len() == count
            && self.weights.iter().all(is_weight)
            && self.iterations.is_of(count)
    }

    fn unknowns(&self, of: &LeastSquares) -> Unknowns {
        let shape = of.migrated.plan.survey_grid().shape();
        let weights = Array3::from_shape_vec(shape, self.weights.clone());
        of.unknowns(weights.expect("a weight for each node"))
    }
}

/// A survey that has been migrated by least squares.
pub struct Solution {
    /// The iterations.
    pub solved: Solved,
    /// The traces beside the recorded ones, if the job asks for them.
    pub(crate) traces: Option<Fitted>,
    /// The work of each device.
    pub(crate) devices: Vec<DeviceWork>,
}

/// A survey that is migrated by least squares.
pub struct LeastSquaresSurvey<'a> {
    /// The engines that share the shots.
    pub engines: &'a [&'a dyn Engine],
    /// The inputs of the job.
    pub inputs: &'a Inputs,
    /// Its least-squares migration.
    pub of: &'a LeastSquares,
}

/// Takes what has been done after the migration, where the recorded traces are compared with those of the
/// source wave, and after each iteration.
pub(crate) type After<'a, E> = dyn FnMut(&Solved, Option<Likeness>) -> Result<(), E> + 'a;

impl LeastSquaresSurvey<'_> {
    /// Solves, from all shots' recordings, if given, or where an earlier run was.
    pub fn solve<E: From<EngineError> + From<PlanError> + From<JobError> + Send>(
        &self,
        recorded: Option<Recorded>,
        earlier: Option<Solved>,
        begin: &mut Begin<'_, E>,
        after: &mut After<'_, E>,
    ) -> Result<Solution, E> {
        let LeastSquaresSurvey { engines, of, .. } = *self;
        let is_compared = recorded.is_some() && of.migrated.rtm.direct != Direct::Kept;
        let mut recorded = match &earlier {
            // Which samples were recorded is all that iterations need.
            Some(_) if !of.keys.traces => recorded.unwrap_or_else(|| self.modelled_samples()),
            _ => self.recordings(recorded, begin)?,
        };
        let samples = recorded.samples.clone();
        let sweeps = Sweeps::new(engines, of, &samples, recorded.interval);
        let mut devices = Vec::new();
        let mut done = match earlier {
            Some(earlier) => earlier,
            None => {
                let summed = sweeps.migrate(&recorded, is_compared, begin)?;
                if is_compared {
                    summed.likeness.warn("rtm.gathers", Misfit::L2);
                    summed.other_start.iter().for_each(|start| tracing::warn!("{start}"));
                }
                let likeness = is_compared.then_some(summed.likeness);
                let done = Solved::begin(of, summed, &mut devices);
                after(&done, likeness)?;
                done
            }
        };
        if !of.keys.traces {
            recorded.drop_traces();
        }
        let unknowns = done.unknowns(of);
        while let Some(direction) = done.direction(of.keys.iterations) {
            let summed = sweeps.normal(&unknowns.image(direction), begin)?;
            let normal = normal(&unknowns, summed, &mut devices);
            done.iterations.advance(of.keys.damping, normal);
            after(&done, None)?;
        }
        let fitted = || sweeps.fitted(&recorded, &done.image(of), begin);
        let traces = of.keys.traces.then(fitted);
        Ok(Solution { traces: traces.transpose()?, solved: done, devices })
    }

    /// The recordings of all shots, given or modelled.
    fn recordings<E: From<EngineError> + Send>(
        &self,
        recorded: Option<Recorded>,
        begin: &mut Begin<'_, E>,
    ) -> Result<Recorded, E> {
        let LeastSquaresSurvey { engines, inputs, of } = *self;
        let left: Vec<usize> = (0..inputs.plan.shots.len()).collect();
        let migrating = Migrating { engines, inputs, migrated: &of.migrated, left: &left };
        migrating.recordings(recorded, begin)
    }

    /// Modelled traces, without their samples.
    fn modelled_samples(&self) -> Recorded {
        let plan = &self.inputs.plan;
        let all = |shot: &PointShot| vec![0..plan.time.kept(); shot.receivers.len()];
        let samples = plan.shots.iter().map(all).collect();
        Recorded::of_samples(samples, plan.time.interval())
    }
}

impl Solved {
    /// Before the first iteration, from a migration.
    fn begin(of: &LeastSquares, summed: Summed, devices: &mut Vec<DeviceWork>) -> Self {
        let weights = Unknowns::weights(&summed.illumination, of.keys.illumination);
        let normal = normal(&of.unknowns(weights.clone()), summed, devices);
        let iterations = ConjugateGradients::begin(normal);
        Solved { weights: weights.into_iter().collect(), iterations }
    }

    /// The direction of the next of so many iterations.
    fn direction(&self, most: usize) -> Option<&[f64]> {
        self.iterations.direction().filter(|_| self.iterations() < most)
    }
}

/// What a sweep gives by the unknowns; adds its work to that of each device.
fn normal(unknowns: &Unknowns, summed: Summed, devices: &mut Vec<DeviceWork>) -> Normal {
    let Summed { energy, image, devices: of_sweep, .. } = summed;
    match devices.is_empty() {
        true => *devices = of_sweep,
        false => devices.iter_mut().zip(of_sweep).for_each(|(all, of_sweep)| all.add(of_sweep)),
    }
    Normal { energy, back: unknowns.back(image) }
}
