//! What a user should know of what was found, or was not.

use super::{Search, report::Tried};
use crate::cli::{failure::Failure, job::Back};
use huygens::{
    plan::{Mask, Plan},
    workflow::locate::{Peak, Sharpness},
};

impl Tried {
    /// Whether the strongest place of its map is a peak, not the edge of what is masked.
    pub fn is_a_peak(&self) -> bool {
        self.found.is_some_and(|found| self.sharpness.is_of(found.value))
    }
}

/// What the model of a scan that was named leaves open.
pub fn of_the_scan(tried: &[Tried], best: usize, factors: usize) {
    let at_an_end = best == 0 || best + 1 == factors;
    if factors > 1 && best < factors && at_an_end {
        tracing::warn!(
            "the sharpest model, {}, is at the end of the range of factors; widen [scan] factors to see whether one \
             beyond it is sharper",
            tried[best].model
        );
    }
}

/// Points per wavelength at the dominant frequency below which waves do not travel as in the ground: a Ricker wavelet reaches
/// to 2.4 times that, where 4 points are fewer than 2.
const FEWEST: f64 = 4.0;

impl Search {
    /// Tells of a survey in kilometres, and of waves that the grid does not carry in the slowest of a Plan's models. By the
    /// dominant frequency: a recording that ends while waves arrive has higher ones that are not the ground's.
    pub(super) fn doubt_the_grid(&self, plan: &Plan) {
        if let Some(crowded) = plan.crowded() {
            tracing::warn!("{crowded}");
        }
        let points = plan.points_per_wavelength_at(self.frequency);
        if let Some(points) = points.filter(|points| *points < FEWEST) {
            tracing::warn!(
                "waves of {:.3} Hz, the recording's dominant frequency, have {points:.2} points per wavelength at {} m/s, \
                 fewer than {FEWEST}, and do not travel as in the ground; use a finer model, or a recording of lower frequencies",
                self.frequency,
                plan.slowest
            );
        }
    }

    /// Refuses to look where everything is masked.
    pub(super) fn check(&self, mask: &Mask) -> Result<(), Failure> {
        match mask.nodes_left() {
            0 => Err(Failure::input(format!(
                "every node of the model is within the mask, {:.0} m of a receiver (a wavelength where not given; the \
                 recording's dominant frequency is {:.3} Hz); give a smaller --mask",
                self.mask, self.frequency
            ))),
            _ => Ok(()),
        }
    }

    /// Refuses a map without a source, and tells of one that is stronger elsewhere.
    pub(super) fn doubt(
        &self,
        peaks: &[Peak],
        sharpness: &Sharpness,
        back: &Back,
    ) -> Result<(), Failure> {
        let Some(strongest) = peaks.first() else {
            let why = match sharpness.largest > 0.0 {
                true => format!(
                    "it is strongest at the edge of the mask, {:.0} m around the receivers, and has no peak beyond; give a \
                     smaller --mask, or a longer recording than {} s",
                    self.mask,
                    back.recording.duration()
                ),
                false => {
                    "it is zero everywhere: receivers on a free surface record and send nothing"
                        .into()
                }
            };
            return Err(Failure::run(format!(
                "no source was found in the field that ran back; {why}"
            )));
        };
        let value = f64::from(strongest.value);
        if !sharpness.is_of(strongest.value) {
            tracing::warn!(
                "at the edge of the mask, {:.0} m around the receivers, the field is {:.1} times as strong as at the source \
                 named: it may lie nearer to them; try a smaller --mask, or a larger one where it is theirs",
                self.mask,
                sharpness.largest / value
            );
        }
        if peaks.len() < self.sources {
            tracing::warn!(
                "{} of {} sources were found; there are no other peaks at least {:.0} m from these",
                peaks.len(),
                self.sources,
                self.apart
            );
        }
        Ok(())
    }
}
