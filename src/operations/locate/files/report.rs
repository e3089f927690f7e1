//! The report of located sources.

use super::map::{MapPlace, after};
use crate::{
    acquisition::Scale,
    engine::{Description, FocusSummary, Retried, ShareTimings, Timings},
    grid::Position,
    job::Job,
    model::Placement,
    operations::locate::{self, Ellipse, Peak, Sharpness, recorded_at},
    plan::{Focus, Plan},
    program::Program,
};
use jiff::Timestamp;
use serde::Serialize;
use std::collections::BTreeMap;

/// `focus.json`.
#[derive(Serialize)]
pub(crate) struct Report<'a> {
    /// [`crate::program::PROGRAM`].
    #[serde(flatten)]
    pub(crate) program: Program,
    /// The job.
    pub(crate) job: &'a Job,
    /// The engine of the run.
    pub(crate) engine: Description,
    /// Number of the record, if the file has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) record: Option<i64>,
    /// The model that focuses best.
    pub(crate) model: String,
    /// Its index among those tried.
    #[serde(skip)]
    pub(crate) best: Option<usize>,
    /// Its place on the map.
    #[serde(skip)]
    pub(crate) placement: Placement,
    /// Number of backpropagated receivers.
    pub(crate) receivers: usize,
    /// The largest sample of the gather, and the power of two by which it was divided: map values
    /// refer to the divided gather.
    pub(crate) recording: Scale,
    /// True if the derivative of the gather was sent back, because its pulses have one sign.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) differentiated: bool,
    /// RMS of the recording over that of the added noise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) noise: Option<f64>,
    /// The fraction of receivers left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dropped: Option<f64>,
    /// The located sources, strongest first.
    pub(crate) found: Vec<Found>,
    /// Sharpness of the map through the best model.
    pub(crate) sharpness: Sharpness,
    /// Dominant frequency of the recording, Hz.
    pub(crate) frequency: f64,
    /// The focusing criterion.
    pub(crate) focus: Focus,
    /// Radius around the receivers that was excluded from the search, metres.
    pub(crate) mask: f64,
    /// Duration of the recording, s.
    pub(crate) recorded: f64,
    /// That duration times the number of models, over the seconds of stepping.
    pub(crate) recorded_per_second: f64,
    /// Timings of all runs.
    pub(crate) timings: Timings,
    /// Times of each device in a simulation split over several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) shares: Vec<ShareTimings>,
    /// What was done again because a device failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) retried: Vec<Retried>,
    /// Each model of a scan.
    pub(crate) tried: Vec<Tried>,
    /// Files written beside this record.
    pub(crate) files: Vec<String>,
    /// SHA-256 of each input file.
    pub(crate) inputs: BTreeMap<String, String>,
}

/// A located source.
#[derive(Clone, Copy, Serialize)]
pub struct Found {
    /// Metres from the model's first node.
    pub at: Position,
    /// Time of its maximum in the recording, s.
    pub time: f64,
    /// Value of the peak.
    pub(crate) value: f32,
    /// That over the median of the map; none if that is zero.
    pub over_background: Option<f64>,
    /// That over the highest peak that is not reported; none without another.
    pub over_next: Option<f64>,
    /// Extent of the focus, m.
    pub extent: Ellipse,
    /// The source and its focus on the map.
    pub(crate) map: MapPlace,
    /// Origin time in UTC, if the recording has a date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) utc: Option<Timestamp>,
}

/// A model of a scan.
#[derive(Clone, Serialize)]
pub(crate) struct Tried {
    /// Name.
    pub(crate) model: String,
    /// Strength of its focus relative to the signal that the receivers record of a source there,
    /// over the strongest; none without a peak.
    pub(crate) strength: Option<f64>,
    /// True if its map is strongest at the edge of the mask, so that it was not judged.
    pub(crate) at_the_receivers: bool,
    /// The fit of a source there; for models that focus about as strongly as the strongest, if
    /// there are several.
    pub(crate) fit: Option<Fitted>,
    /// Sharpness of its map.
    pub(crate) sharpness: Sharpness,
    /// Its highest peak.
    pub(crate) found: Option<Highest>,
}

/// The source that explains most of the recording through a model.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct Fitted {
    /// Metres from the model's first node.
    pub(crate) at: Position,
    /// The centre of its wavelet in the recording, s.
    pub(crate) time: f64,
    /// The fraction of the recording's energy that it explains.
    pub(crate) explained: f64,
    /// The difference from what the best explains, in standard deviations.
    pub(crate) deviations: f64,
    /// True if it is indistinguishable from the best.
    pub(crate) as_good: bool,
}

/// The highest peak of a map.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct Highest {
    /// Metres from the model's first node.
    pub(crate) at: Position,
    /// Time of its maximum in the recording, s.
    pub(crate) time: f64,
    pub(crate) value: f32,
}

impl Found {
    /// The position and time of a peak of a Plan's map, through a model that lies at `placement`, in a
    /// recording that began at a time in UTC, if that is known.
    pub fn new(plan: &Plan, peak: &Peak, placement: &Placement, began: Option<Timestamp>) -> Self {
        let Peak { at, step, value, over_background, over_next, extent, .. } = *peak;
        let time = recorded_at(plan, step);
        let map = MapPlace::new(placement, at, &extent);
        let utc = began.and_then(|began| after(began, time));
        Found { at, time, value, over_background, over_next, extent, map, utc }
    }
}

impl Tried {
    /// The result of a model from the summary of its map.
    pub(crate) fn new(
        model: &str,
        plan: &Plan,
        summary: &FocusSummary,
        strength: Option<f64>,
    ) -> Self {
        let found = summary.summit.map(|summit| Highest {
            at: locate::refined(&summit, &plan.model_grid),
            time: recorded_at(plan, summit.step as usize),
            value: summit.value,
        });
        let (model, sharpness) = (model.to_owned(), Sharpness::of(summary));
        let peak = found.is_some_and(|found| sharpness.is_of(found.value));
        Tried { model, strength, at_the_receivers: !peak, fit: None, sharpness, found }
    }

    /// True if the maximum of its map is a peak, not at the edge of the mask.
    pub(crate) fn is_a_peak(&self) -> bool {
        !self.at_the_receivers
    }

    /// True if it is indistinguishable from the best.
    pub(crate) fn is_as_good(&self) -> bool {
        self.fit.is_some_and(|fit| fit.as_good)
    }
}
