//! Runs the migration of a job: its recordings read or modelled, their direct waves removed, and
//! each shot migrated.

use super::{
    Cost, Migrated, OnPartial, RecordedTraces, Resampling, direct_waves, over, steps_of,
    without_direct,
};
use crate::{
    engine::{DeviceWork, Engine, EngineError},
    job::{Direct, Inputs, JobError},
    misfit::{Likeness, Misfit},
    operations::{
        OnStep,
        recorded::{Recorded, keep_recorded},
        shot,
    },
    plan::{Plan, PlanError},
};
use ndarray::Array2;
use std::sync::{Mutex, PoisonError};

/// The shots that a run migrates.
pub struct Migrating<'a> {
    /// The engines that share them.
    pub(crate) engines: &'a [&'a dyn Engine],
    /// The inputs of the job.
    pub(crate) inputs: &'a Inputs,
    /// Their migration.
    pub(crate) migrated: &'a Migrated,
    /// Their numbers.
    pub(crate) left: &'a [usize],
}

/// What a run has done.
pub struct MigrationWork {
    /// Each device's work.
    pub(crate) devices: Vec<DeviceWork>,
    /// The first device's batch size.
    pub(crate) at_once: usize,
    /// The size of the saved source wavefields.
    pub(crate) cost: Option<Cost>,
    /// How recorded traces compare with the direct waves that were subtracted from them.
    pub(crate) direct: Option<Likeness>,
}

/// A part of the work.
pub enum Stage<'a> {
    /// The shots of a Plan are modelled: their recordings, or their direct waves.
    Modelling(&'a Plan),
    /// Shots are migrated in `steps` steps, each of which updates `updates` nodes.
    Migrating {
        /// Steps of all shots.
        steps: usize,
        /// Nodes that each step updates.
        updates: f64,
    },
}

/// Begins to hear of a stage.
pub(crate) type Begin<'h, E> = dyn FnMut(Stage<'_>) -> Result<Box<OnStep<'h>>, E> + 'h;

impl Migrating<'_> {
    /// Migrates the shots, from all shots' recordings, if given.
    pub(crate) fn run<E: From<EngineError> + From<PlanError> + From<JobError> + Send>(
        &self,
        recorded: Option<Recorded>,
        begin: &mut Begin<'_, E>,
        done: &mut OnPartial<'_, E>,
    ) -> Result<MigrationWork, E> {
        let Migrating { engines, migrated, left, .. } = *self;
        if left.is_empty() {
            return Ok(MigrationWork { devices: Vec::new(), at_once: 0, cost: None, direct: None });
        }
        // Errors are returned before anything runs. A shot without recorded samples lights nothing.
        let is_live = |shot: &usize| recorded.as_ref().is_none_or(|of| of.is_live(*shot));
        let live: Vec<_> = left.iter().map(is_live).collect();
        let plan = migrated.plan.part(left).with_sources_of(&live);
        let mut migrations = Vec::new();
        for engine in engines {
            migrations.push(migrated.migration(*engine, &plan, left, engines.len())?);
        }
        let is_recorded = recorded.is_some();
        let mut recorded = self.recordings(recorded, begin)?;
        let mut direct = None;
        if migrated.rtm.direct == Direct::Modelled {
            let likeness = self.without_direct(&mut recorded, begin)?;
            direct = is_recorded.then_some(likeness);
        }
        if let Some(likeness) = direct {
            likeness.warn("rtm.gathers", Misfit::L2);
        }
        let taken = migrations[0].costs().into_iter().find(|cost| cost.taken);
        let at_once = migrations[0].at_once();
        tracing::debug!(at_once, kept = ?taken, every = migrated.every, "migration");
        let steps = steps_of(&migrations);
        let updates = (plan.grid.cells() * at_once) as f64;
        let mut hear = begin(Stage::Migrating { steps, updates })?;
        let resampling = Resampling::new(recorded.interval, &plan);
        let devices = over(
            &migrations,
            &|shot| {
                let conditioning = migrated.conditioning(left[shot]);
                let (gather, samples) =
                    (recorded.gather(left[shot])?, &recorded.samples[left[shot]]);
                let traces = RecordedTraces { gather: &gather, samples };
                let traces = conditioning.apply_to(traces, &resampling, &plan, shot);
                let of_shot = |error| format!("shot {}: {error}", left[shot] + 1);
                traces.map_err(|error| JobError::other(of_shot(error)).into())
            },
            &mut hear,
            done,
        )?;
        Ok(MigrationWork { devices, at_once, cost: taken, direct })
    }

    /// The recordings of the shots, given or modelled.
    pub(crate) fn recordings<E: From<EngineError> + Send>(
        &self,
        recorded: Option<Recorded>,
        begin: &mut Begin<'_, E>,
    ) -> Result<Recorded, E> {
        Ok(match recorded {
            Some(recorded) => recorded,
            None => Recorded::whole(self.modelled(begin)?, self.inputs.plan.time.interval()),
        })
    }

    /// Models the recordings of the job's shots to be migrated.
    fn modelled<E: From<EngineError> + Send>(
        &self,
        begin: &mut Begin<'_, E>,
    ) -> Result<Vec<Array2<f32>>, E> {
        let plan = self.inputs.plan.part(self.left);
        let mut gathers = vec![Array2::zeros((0, 0)); self.inputs.plan.shots.len()];
        self.model(&plan, begin, &mut |result| gathers[self.left[result.shot]] = result.gather)?;
        Ok(gathers)
    }

    /// Removes the direct waves from the gathers of the shots to be migrated, where something was recorded. Tells
    /// how the gathers compare with these waves.
    fn without_direct<E: From<EngineError> + From<PlanError> + From<JobError> + Send>(
        &self,
        recorded: &mut Recorded,
        begin: &mut Begin<'_, E>,
    ) -> Result<Likeness, E> {
        let (interval, samples) = (recorded.interval, recorded.samples.clone());
        let gathers = recorded.gathers()?;
        let mut each = vec![Likeness::default(); gathers.len()];
        let dt = self.inputs.plan.time.dt;
        for direct in direct_waves(&self.inputs.setup, dt, interval, self.left) {
            let (plan, shots) = direct?;
            self.model(&plan, begin, &mut |result| {
                let (shot, mut direct) = (shots[result.shot], result.gather);
                keep_recorded(&mut direct, &samples[shot]);
                each[shot] = Likeness::of(&direct, &gathers[shot], None);
                without_direct(&mut gathers[shot], &direct);
            })?;
        }
        Ok(each.into_iter().sum())
    }

    /// Models the shots of a Plan.
    fn model<E: From<EngineError> + Send>(
        &self,
        plan: &Plan,
        begin: &mut Begin<'_, E>,
        done: &mut (dyn FnMut(shot::ShotResult) + Send),
    ) -> Result<(), E> {
        let mut hear = begin(Stage::Modelling(plan))?;
        let done = Mutex::new(done);
        let done = |result| {
            done.lock().unwrap_or_else(PoisonError::into_inner)(result);
            Ok::<(), E>(())
        };
        shot::stream(self.engines, plan, &mut hear, &mut |_, _| false, &done)?;
        Ok(())
    }
}
