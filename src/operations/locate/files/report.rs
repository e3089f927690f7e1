//! The report of located sources.

use crate::{
    acquisition::Scale,
    engine::{Description, FocusSummary, Retried, ShareTimings, Timings},
    grid::Position,
    job::Job,
    operations::locate::{self, Ellipse, Peak, Sharpness, recorded_at},
    plan::{Focus, Plan},
    program::Program,
};
use serde::Serialize;
use std::collections::BTreeMap;

/// `focus.json`.
#[derive(Serialize)]
pub struct Report<'a> {
    /// [`crate::program::PROGRAM`].
    #[serde(flatten)]
    pub program: Program,
    /// The job.
    pub job: &'a Job,
    /// The engine of the run.
    pub engine: Description,
    /// Number of the record, if the file has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<i64>,
    /// The model that focuses best.
    pub model: String,
    /// Its index among those tried.
    #[serde(skip)]
    pub best: Option<usize>,
    /// Number of backpropagated receivers.
    pub receivers: usize,
    /// The largest sample of the gather, and the power of two by which it was divided: map values
    /// refer to the divided gather.
    pub recording: Scale,
    /// True if the derivative of the gather was sent back, because its pulses have one sign.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub differentiated: bool,
    /// RMS of the recording over that of the added noise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise: Option<f64>,
    /// The fraction of receivers left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped: Option<f64>,
    /// The located sources, strongest first.
    pub found: Vec<Found>,
    /// Sharpness of the map through the best model.
    pub sharpness: Sharpness,
    /// Dominant frequency of the recording, Hz.
    pub frequency: f64,
    /// The focusing criterion.
    pub focus: Focus,
    /// Radius around the receivers that was excluded from the search, metres.
    pub mask: f64,
    /// Duration of the recording, s.
    pub recorded: f64,
    /// That duration times the number of models, over the seconds of stepping.
    pub recorded_per_second: f64,
    /// Timings of all runs.
    pub timings: Timings,
    /// Times of each device in a simulation split over several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<ShareTimings>,
    /// What was done again because a device failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub retried: Vec<Retried>,
    /// Each model of a scan.
    pub tried: Vec<Tried>,
    /// Files written beside this record.
    pub files: Vec<String>,
    /// SHA-256 of each input file.
    pub inputs: BTreeMap<String, String>,
}

/// A located source.
#[derive(Clone, Copy, Serialize)]
pub struct Found {
    /// Metres from the model's first node.
    pub at: Position,
    /// Time of its maximum in the recording, s.
    pub time: f64,
    /// Value of the peak.
    pub value: f32,
    /// That over the median of the map; none if that is zero.
    pub over_background: Option<f64>,
    /// That over the highest peak that is not reported; none without another.
    pub over_next: Option<f64>,
    /// Extent of the focus, m.
    pub extent: Ellipse,
}

/// A model of a scan.
#[derive(Clone, Serialize)]
pub struct Tried {
    /// Name.
    pub model: String,
    /// Strength of its focus relative to the signal that the receivers record of a source there,
    /// over the strongest; none without a peak.
    pub strength: Option<f64>,
    /// True if its map is strongest at the edge of the mask, so that it was not judged.
    pub at_the_receivers: bool,
    /// The fit of a source there; for models that focus about as strongly as the strongest, if
    /// there are several.
    pub fit: Option<Fitted>,
    /// Sharpness of its map.
    pub sharpness: Sharpness,
    /// Its highest peak.
    pub found: Option<Highest>,
}

/// The source that explains most of the recording through a model.
#[derive(Clone, Copy, Serialize)]
pub struct Fitted {
    /// Metres from the model's first node.
    pub at: Position,
    /// The centre of its wavelet in the recording, s.
    pub time: f64,
    /// The fraction of the recording's energy that it explains.
    pub explained: f64,
    /// The difference from what the best explains, in standard deviations.
    pub deviations: f64,
    /// True if it is indistinguishable from the best.
    pub as_good: bool,
}

/// The highest peak of a map.
#[derive(Clone, Copy, Serialize)]
pub struct Highest {
    /// Metres from the model's first node.
    pub at: Position,
    /// Time of its maximum in the recording, s.
    pub time: f64,
    pub value: f32,
}

impl Found {
    /// The position and time of a peak of a Plan's map.
    pub fn new(plan: &Plan, peak: &Peak) -> Self {
        let Peak { at, step, value, over_background, over_next, extent, .. } = *peak;
        Found { at, time: recorded_at(plan, step), value, over_background, over_next, extent }
    }
}

impl Tried {
    /// The result of a model from the summary of its map.
    pub fn new(model: &str, plan: &Plan, summary: &FocusSummary, strength: Option<f64>) -> Self {
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
    pub fn is_a_peak(&self) -> bool {
        !self.at_the_receivers
    }

    /// True if it is indistinguishable from the best.
    pub fn is_as_good(&self) -> bool {
        self.fit.is_some_and(|fit| fit.as_good)
    }
}
