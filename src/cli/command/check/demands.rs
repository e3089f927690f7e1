//! Memory demands of the commands that a job configures, or has input files for.

use crate::cli::failure::Failure;
use huygens::{
    engine::{Engine, EngineError},
    job::{Inputs, JobFile},
    model::VelocityModel,
    operations::{
        check::CheckedGathers,
        gradient::Compared,
        locate::{Back, Doubt},
        rtm::{Estimate, Migrated},
        zero_offset::ZeroOffset,
    },
    plan::Plan,
    run::Demand,
};
use std::path::Path;

/// The commands that a job is checked for.
#[derive(Clone, Copy)]
pub struct Purposes<'a> {
    /// `locate` alone: the job has no shots.
    pub locates: bool,
    pub migrates: bool,
    /// The section that `zero-offset` is to migrate.
    pub section: Option<&'a Path>,
}

/// Inputs of the commands other than `shot`.
pub struct Intended {
    /// Doubts about a recording.
    pub doubts: Vec<Doubt>,
    migrated: Option<Migrated>,
    /// Number of samples to migrate, if their file exists.
    recorded: Option<u64>,
    compared: Option<Compared>,
    located: Option<(Back, Plan)>,
    section: Option<(ZeroOffset, VelocityModel)>,
}

impl Intended {
    /// Reads the input files that exist, and warns of contradictions.
    pub fn of(
        file: &JobFile,
        inputs: &mut Inputs,
        Purposes { locates, migrates, section }: Purposes<'_>,
    ) -> Result<Self, Failure> {
        let located = file.first_search()?;
        if locates {
            let (migrated, compared, section) = (None, None, None);
            return Ok(Intended {
                doubts: Vec::new(),
                migrated,
                recorded: None,
                compared,
                located,
                section,
            });
        }
        let migrated = migrates.then(|| file.migrated(&inputs.setup, inputs.plan.time.dt));
        let migrated = migrated.transpose()?;
        let CheckedGathers { doubts, migrated: recorded, missing } =
            file.check_gathers(inputs, migrated.as_ref())?;
        missing.iter().for_each(|missing| tracing::warn!("{missing}"));
        let compares = file.job.gradient.is_some() || file.job.invert.is_some();
        let compared = compares.then(|| Compared::of(file, inputs)).transpose()?;
        let section = section.map(|path| {
            // A migration of it has another Plan.
            let mut inputs = file.inputs()?;
            let (run, warnings) = file.zero_offset(Some(path), &mut inputs)?;
            let warnings = file.with_remedies_that_do(warnings, None);
            warnings.iter().for_each(|warning| tracing::warn!("{}: {warning}", path.display()));
            Ok::<_, Failure>((run, inputs.model))
        });
        let section = section.transpose()?;
        Ok(Intended { doubts, migrated, recorded, compared, located, section })
    }

    /// What each command holds on an engine, and the cost of the migration, whose shots take `seconds`
    /// to model, if that is known.
    pub fn demands(
        &mut self,
        file: &JobFile,
        inputs: &Inputs,
        engine: &dyn Engine,
        seconds: Option<f64>,
    ) -> Result<(Vec<Demand>, Option<Estimate>), EngineError> {
        let (mut demands, mut estimate) = (Vec::new(), None);
        if let Some(migrated) = &mut self.migrated {
            demands.push(Demand::of_rtm(inputs, migrated, self.recorded, engine, 1)?);
            let all: Vec<_> = (0..migrated.plan.shots.len()).collect();
            let migration = migrated.migration(engine, &migrated.plan, &all, 1)?;
            estimate = Some(migration.estimate(seconds));
        }
        if let Some(compared) = self.compared.filter(|_| file.job.gradient.is_some()) {
            demands.push(Demand::of_gradient(file, inputs, compared, engine, 1)?.0);
        }
        if let Some(compared) = self.compared.filter(|_| file.job.invert.is_some()) {
            demands.push(Demand::of_invert(file, inputs, compared, engine, 1)?.0);
        }
        if let Some((back, plan)) = &self.located {
            demands.push(Demand::of_locate(file, back, plan, engine));
        }
        if let Some((run, model)) = &self.section {
            demands.push(Demand::of_zero_offset(run, model, engine));
        }
        Ok((demands, estimate))
    }
}
