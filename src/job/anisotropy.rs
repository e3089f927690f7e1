//! Anisotropy of a job: Thomsen's epsilon and delta, each a number or a file on the nodes of the velocities.

use super::{Direct, JobError, JobFile, Rtm, density::NodesFile};
use crate::{
    acquisition::Shot,
    grid::Position,
    model::{Anisotropy, AnisotropyError, Lowered, ModelQuantity, Thomsen, VelocityModel},
    plan::Setup,
    rounded::rounded,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A number everywhere, or a file.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged, expecting = "a number, or a file on the nodes of the velocities")]
pub(crate) enum GivenThomsen {
    Number(f64),
    Named(String),
}

/// What to do at nodes where delta is larger than epsilon. Waves of VTI may grow there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum GivenAnisotropy {
    /// Lower delta to epsilon there.
    EllipticalWhereNeeded,
}

impl JobFile {
    /// The anisotropy at the nodes of the job's model, which has these shots; `None` without its keys.
    pub(crate) fn anisotropy(
        &self,
        model: &VelocityModel,
        shots: &[Shot],
        files: &mut Vec<(String, String)>,
    ) -> Result<Option<Anisotropy>, JobError> {
        let keys = &self.job.model;
        let is_supplied = self.supplied.epsilon.is_some() || self.supplied.delta.is_some();
        if keys.epsilon.is_none() && keys.delta.is_none() && !is_supplied {
            return match self.key_without_parameters() {
                None => Ok(None),
                Some(key) => {
                    let message = "it is of anisotropic rock, and the job has neither model.epsilon nor model.delta; \
                                   give them, or leave it out";
                    Err(self.mistake(key, message))
                }
            };
        }
        let epsilon = self.thomsen("model.epsilon", &keys.epsilon, model, files)?;
        let delta = self.thomsen("model.delta", &keys.delta, model, files)?;
        let ratio = keys.shear_ratio.unwrap_or(Anisotropy::SHEAR_RATIO);
        let made = match keys.anisotropy {
            None => Anisotropy::new(epsilon, delta, ratio),
            Some(GivenAnisotropy::EllipticalWhereNeeded) => {
                let made = Anisotropy::elliptical_where_needed(epsilon, delta, ratio);
                made.map(|(made, lowered)| {
                    lowered.iter().for_each(tell_lowered);
                    made
                })
            }
        };
        let made = made.map_err(|error| self.mistake(key_of(&error), error))?;
        self.isotropic_around_sources(made, model, shots).map(Some)
    }

    /// Refuses what a migration does not do through anisotropic rock.
    pub(crate) fn check_vti_migration(&self, rtm: &Rtm, setup: &Setup) -> Result<(), JobError> {
        if setup.anisotropy.as_ref().is_none_or(Anisotropy::is_isotropic) {
            return Ok(());
        }
        let message = "VTI has no offset gathers yet, as they need both of its fields; leave rtm.offsets and \
                       rtm.angles out";
        self.require(rtm.offsets.is_none(), "rtm.offsets", message)?;
        let message = "the direct wave is modelled in uniform isotropic rock, and this job has VTI; give \"muted\" \
                       or \"kept\"";
        self.require(rtm.direct != Direct::Modelled, "rtm.direct", message)
    }

    /// A key that means nothing without epsilon and delta.
    fn key_without_parameters(&self) -> Option<&'static str> {
        let keys = &self.job.model;
        let given = [
            (keys.shear_ratio.is_some(), "model.shear_ratio"),
            (keys.anisotropy.is_some(), "model.anisotropy"),
            (keys.isotropic_around_sources.is_some(), "model.isotropic_around_sources"),
        ];
        given.into_iter().find_map(|(is_given, key)| is_given.then_some(key))
    }

    fn isotropic_around_sources(
        &self,
        anisotropy: Anisotropy,
        model: &VelocityModel,
        shots: &[Shot],
    ) -> Result<Anisotropy, JobError> {
        let Some(length) = self.job.model.isotropic_around_sources else { return Ok(anisotropy) };
        if !(length.is_finite() && length > 0.0) {
            let message =
                format!("a distance of {length} m is not possible; give a positive number");
            return Err(self.mistake("model.isotropic_around_sources", message));
        }
        let places = shots.iter().flat_map(|shot| &shot.sources).map(|source| source.at);
        let places: Vec<Position> = places.collect();
        Ok(anisotropy.isotropic_around(model.grid(), &places, length))
    }

    /// epsilon or delta; 0 if it is not given.
    fn thomsen(
        &self,
        key: &'static str,
        given: &Option<GivenThomsen>,
        model: &VelocityModel,
        files: &mut Vec<(String, String)>,
    ) -> Result<Thomsen, JobError> {
        let (supplied, quantity) = match key {
            "model.epsilon" => (&self.supplied.epsilon, ModelQuantity::Epsilon),
            _ => (&self.supplied.delta, ModelQuantity::Delta),
        };
        if let Some(values) = supplied {
            return Ok(values.clone());
        }
        match given {
            None => Ok(Thomsen::default()),
            Some(GivenThomsen::Number(value)) => Ok(Thomsen::uniform(*value as f32)),
            Some(GivenThomsen::Named(name)) => {
                let of = NodesFile { key, name, quantity };
                let (file, order) = self.nodes_file(&of, model, files)?;
                file.value_unit().map_err(|error| self.mistake(key, error))?;
                Ok(Thomsen::new(file.nodes(&order)))
            }
        }
    }
}

/// The key of a mistake.
pub(super) fn key_of(error: &AnisotropyError) -> &'static str {
    match error {
        AnisotropyError::ShearRatio(_) => "model.shear_ratio",
        AnisotropyError::LowDelta { .. }
        | AnisotropyError::Shape { what: "delta", .. }
        | AnisotropyError::NotFinite { what: "delta", .. } => "model.delta",
        _ => "model.epsilon",
    }
}

fn tell_lowered(Lowered { nodes, most, by, volume }: &Lowered) {
    let by = rounded(f64::from(*by));
    match most {
        None => tracing::warn!("delta is lowered by {by} to epsilon, everywhere"),
        Some(at) => {
            let at = crate::model::cell(*at, *volume);
            tracing::warn!(
                "delta is lowered to epsilon at {nodes} nodes, most at cell {at}, by {by}"
            );
        }
    }
}
