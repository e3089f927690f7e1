//! The least-squares migration of a job: its keys checked, and the migration that it repeats.

use super::Unknowns;
use crate::{
    job::{Inputs, JobError, JobFile, Lsrtm, Rtm},
    operations::{
        rtm::{Condition, Migrated},
        smoothing::Smoothing,
    },
    plan::Setup,
};
use ndarray::Array3;

/// Frequencies beyond the highest of the wavelets are faded out up to this times it.
const FLANK: f64 = 1.4;

/// The least-squares migration of a job.
pub struct LeastSquares {
    /// The keys of the job.
    pub(crate) keys: Lsrtm,
    /// The migration, for its keys and its shots.
    pub migrated: Migrated,
    /// Corners of the band of traces, Hz, if they are filtered.
    pub(crate) band: Option<[f64; 4]>,
}

impl JobFile {
    /// The least-squares migration of the shots of a setup, whose own Plan takes steps of `dt` s.
    pub fn least_squares(&self, setup: &Setup, dt: f64) -> Result<LeastSquares, JobError> {
        let keys = self.job.lsrtm.clone().unwrap_or_default();
        // Other images of the run are those of `rtm` alone.
        let rtm = Rtm {
            conditions: vec![Condition::CrossCorrelation],
            laplacian: false,
            offsets: None,
            angles: None,
            movie: None,
            ..self.job.rtm.clone().unwrap_or_default()
        };
        let mut migrated = self.migrated_by(rtm, setup, dt)?;
        self.check_lsrtm(&keys, setup)?;
        let (dt, highest) = (migrated.plan.time.dt, migrated.plan.highest);
        let corners = migrated.rtm.band.unwrap_or([0.0, 0.0, highest, FLANK * highest]);
        // A wave that scatters every k steps has copies of its band around 1 / (k dt), which W removes.
        let most = (1.0 / ((highest + corners[3]) * dt)).max(1.0);
        migrated.most = if most.is_finite() { most as usize } else { 1 };
        if migrated.rtm.interval.is_none() {
            migrated.every = migrated.most;
        }
        let is_filtered = migrated.rtm.band.is_some() || migrated.every > 1;
        let band = (is_filtered && corners[3] > 0.0).then_some(corners);
        Ok(LeastSquares { keys, migrated, band })
    }

    fn check_lsrtm(&self, keys: &Lsrtm, setup: &Setup) -> Result<(), JobError> {
        let last = setup.model.grid().last();
        let longest = last.x.max(last.z).max(last.y);
        let Lsrtm { iterations, damping, smooth, water, illumination, .. } = *keys;
        let none = "0 iterations are not available; give 1 or more, or take huygens rtm";
        self.require(iterations > 0, "lsrtm.iterations", none)?;
        let message =
            format!("a damping of {damping} is not available; give a finite one, 0 or more");
        self.require(damping.is_finite() && damping >= 0.0, "lsrtm.damping", message)?;
        let message = format!("a power of {illumination} is not available; give one from 0 to 2");
        self.require((0.0..=2.0).contains(&illumination), "lsrtm.illumination", message)?;
        let message = format!(
            "a smoothing over {smooth} m is not available; give 0 or more, up to the model's longest side, {longest} m"
        );
        self.require((0.0..=longest).contains(&smooth), "lsrtm.smooth", message)?;
        let message = format!(
            "an image from a depth of {water} m on is not available; give 0 or more, and less than the model's depth, {} m",
            last.z
        );
        self.require((0.0..last.z).contains(&water), "lsrtm.water", message)
    }
}

impl LeastSquares {
    /// The unknowns, with their weights.
    pub(crate) fn unknowns(&self, weights: Array3<f64>) -> Unknowns {
        let h = self.migrated.plan.survey_grid().h;
        let water = (self.keys.water / h.z).ceil() as usize;
        Unknowns::new(weights, Smoothing::new(self.keys.smooth, h), water)
    }

    /// Whether an earlier run may have done this: a file may say anything.
    pub(crate) fn may_have_done(&self, done: &super::Solved) -> bool {
        let count = self.migrated.plan.survey_grid().cells();
        done.is_of(count) && done.iterations() <= self.keys.iterations
    }

    /// The gathers that a job names, if it names any.
    pub fn recorded(
        &self,
        file: &JobFile,
        inputs: &mut Inputs,
    ) -> Result<Option<crate::operations::recorded::Recorded>, JobError> {
        file.recorded(&self.migrated.plan, inputs)
    }
}
