//! Doubts about the sources that a search found.

use super::{AllMasked, Back, Doubt, LEAST_POINTS, Peak, Search, Sharpness, recorded_at};
use crate::{
    job::JobError,
    plan::{HOPELESS_POINTS, Mask, Plan},
};

impl Search {
    /// Returns an error if the mask leaves no node to look at.
    pub(crate) fn check(&self, mask: &Mask) -> Result<(), JobError> {
        match mask.nodes_left() {
            0 => {
                let refused = AllMasked { mask: self.mask, frequency: self.frequency };
                Err(JobError::other(refused))
            }
            _ => Ok(()),
        }
    }

    /// Returns an error for a recording from which nothing can be learned: of receivers in kilometres,
    /// or of waves that the grid carries through none of the models.
    pub(crate) fn check_hopeless(&self, plan: &Plan, back: &Back) -> Result<(), JobError> {
        if let Some(crowded) = plan.crowded() {
            return Err(JobError::other(format!("{crowded}, or run it with --force")));
        }
        let slowest = back.models.iter().map(|(_, model)| model.range().0).fold(0.0, f32::max);
        let points = plan.points_per_wavelength_at(self.frequency);
        let points = points.map(|points| points * f64::from(slowest / plan.slowest));
        match points.filter(|points| *points < HOPELESS_POINTS) {
            Some(points) => {
                let text = format!(
                    "waves of {:.3} Hz, the recording's dominant frequency, have only \
                     {points:.2} points per wavelength at {slowest} m/s; a grid cannot carry \
                     waves with fewer than {HOPELESS_POINTS}; use a finer model, a recording of \
                     lower frequencies, or run it with --force",
                    self.frequency
                );
                Err(JobError::other(text))
            }
            None => Ok(()),
        }
    }

    /// Doubts before a run: of receivers in kilometres, of samples that lose digits in f32, and of
    /// waves that the grid cannot represent in the slowest of a Plan's models. These are of the
    /// dominant frequency: a recording cut off during arrivals has higher ones that are artefacts.
    pub(crate) fn doubts_before(&self, plan: &Plan, back: &Back) -> Vec<Doubt> {
        let (frequency, slowest, peak) = (self.frequency, plan.slowest, back.scale.peak);
        let crowded = plan.crowded().map(Doubt::Crowded);
        let points = plan.points_per_wavelength_at(frequency).filter(|of| *of < LEAST_POINTS);
        let coarse = points.map(|points| Doubt::Coarse { frequency, points, slowest });
        let rounded = back.scale.steps.map(|steps| Doubt::Rounded { peak, steps });
        crowded.into_iter().chain(coarse).chain(rounded).collect()
    }

    /// Doubts about the peaks of a Plan's map. The only one without peaks says that nothing was
    /// found ([`Doubt::is_of_nothing`]).
    pub fn doubts(
        &self,
        plan: &Plan,
        back: &Back,
        peaks: &[Peak],
        sharpness: &Sharpness,
    ) -> Vec<Doubt> {
        let (mask, condition, apart) = (self.mask, self.focus.condition, self.apart);
        let Some(strongest) = peaks.first() else {
            let recorded = back.recording.duration();
            return vec![match sharpness.largest > 0.0 {
                true => Doubt::OnlyAtTheMask { mask, recorded },
                false => Doubt::Nothing,
            }];
        };
        let times = sharpness.largest / f64::from(strongest.value);
        let at_the_mask =
            (!sharpness.is_of(strongest.value)).then_some(Doubt::AtTheMask { mask, times });
        let (found, wanted) = (peaks.len(), self.sources);
        let fewer = (found < wanted).then_some(Doubt::Fewer { found, wanted, apart });
        let spurious = (1..).zip(peaks).filter_map(|(source_number, peak)| {
            let why = peak.weakness(condition)?;
            Some(Doubt::Spurious { source_number, why })
        });
        let rivals = (1..).zip(peaks).filter_map(|(source_number, peak)| {
            let beside = peak.rival(condition)?;
            let (a, b, time) = (peak.at, beside.at, recorded_at(plan, beside.step));
            let away = (a.z - b.z).hypot(a.x - b.x).hypot(a.y - b.y);
            Some(Doubt::Rival { source_number, away, share: beside.share, time, apart })
        });
        at_the_mask.into_iter().chain(fewer).chain(spurious).chain(rivals).collect()
    }
}
