//! What was found, for machines.

use crate::{
    acquisition::Scale,
    engine::{Description, FocusSummary, ShareTimings, Timings},
    grid::Position,
    job::Job,
    plan::{Focus, Plan},
    workflow::locate::{self, Ellipse, Peak, Sharpness},
};
use serde::Serialize;
use std::collections::BTreeMap;

/// `focus.json`.
#[derive(Serialize)]
pub struct Report<'a> {
    /// [`crate::results::PROGRAM`].
    pub program: &'static str,
    /// Of the program.
    pub version: &'static str,
    /// Git revision of the program, where it was built from one.
    pub revision: Option<&'static str>,
    /// The job.
    pub job: &'a Job,
    /// The engine that ran it.
    pub engine: Description,
    /// The model that focuses best.
    pub model: String,
    /// Its place among those tried.
    #[serde(skip)]
    pub best: Option<usize>,
    /// Receivers whose traces were sent back.
    pub receivers: usize,
    /// The largest sample of the gather, and the power of two that it was divided by: values of maps are of what is left.
    pub recording: Scale,
    /// Root mean square of the recording over that of the noise added to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise: Option<f64>,
    /// The part of the receivers that was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped: Option<f64>,
    /// The sources found in it, the strongest first.
    pub found: Vec<Found>,
    /// Of the map through the best model.
    pub sharpness: Sharpness,
    /// Dominant frequency of the recording, Hz.
    pub frequency: f64,
    /// What was looked for.
    pub focus: Focus,
    /// Metres around the receivers in which nothing was looked for.
    pub mask: f64,
    /// Seconds of recording.
    pub recorded: f64,
    /// Those times the models, over the seconds of stepping.
    pub recorded_per_second: f64,
    /// Of all runs.
    pub timings: Timings,
    /// What each device did of a simulation that they split.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<ShareTimings>,
    /// Each model of a scan.
    pub tried: Vec<Tried>,
    /// What the run wrote beside this record.
    pub files: Vec<String>,
    /// SHA-256 of each input file.
    pub inputs: BTreeMap<String, String>,
}

/// A source that was found.
#[derive(Clone, Copy, Serialize)]
pub struct Found {
    /// Metres from the model's first node.
    pub at: Position,
    /// Time of its strongest moment in the recording, s.
    pub time: f64,
    /// How strong.
    pub value: f32,
    /// That over the median of the map; none where that is nothing.
    pub over_background: Option<f64>,
    /// That over the highest peak that is not named; none where there is no other.
    pub over_next: Option<f64>,
    /// How large the focus is, m.
    pub extent: Ellipse,
}

/// A model of a scan.
#[derive(Clone, Serialize)]
pub struct Tried {
    /// Its name.
    pub model: String,
    /// How strong its focus is for what the receivers hear of a source there, over the strongest; none without a peak.
    pub strength: Option<f64>,
    /// Whether its map is strongest at the edge of the mask, so that it was not judged.
    pub at_the_receivers: bool,
    /// What a source there explains; of models that focus about as strongly as the strongest, where there are several.
    pub fit: Option<Fitted>,
    /// Of its map.
    pub sharpness: Sharpness,
    /// Its highest peak.
    pub found: Option<Highest>,
}

/// The source that explains most of the recording through a model.
#[derive(Clone, Copy, Serialize)]
pub struct Fitted {
    /// Metres from the model's first node.
    pub at: Position,
    /// The middle of its wavelet in the recording, s.
    pub time: f64,
    /// The part of the recording's energy that it explains.
    pub explained: f64,
    /// How far that is below what the best explains, in standard deviations.
    pub deviations: f64,
    /// Whether it cannot be told from it.
    pub as_good: bool,
}

/// The highest peak of a map.
#[derive(Clone, Copy, Serialize)]
pub struct Highest {
    /// Metres from the model's first node.
    pub at: Position,
    /// Time of its strongest moment in the recording, s.
    pub time: f64,
    pub value: f32,
}

impl Found {
    /// Of a peak of a Plan's map.
    pub fn new(plan: &Plan, peak: &Peak) -> Self {
        let Peak { at, step, value, over_background, over_next, extent, .. } = *peak;
        Found { at, time: recorded_at(plan, step), value, over_background, over_next, extent }
    }
}

impl Tried {
    /// Of a model whose map was summarised.
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

    /// Whether the strongest place of its map is a peak, not the edge of what is masked.
    pub fn is_a_peak(&self) -> bool {
        !self.at_the_receivers
    }

    /// Whether it cannot be told from the best.
    pub fn is_as_good(&self) -> bool {
        self.fit.is_some_and(|fit| fit.as_good)
    }
}

/// The time in the recording of a step of the run backward, s.
pub fn recorded_at(plan: &Plan, step: usize) -> f64 {
    plan.time.at(plan.time.steps - step.min(plan.time.steps))
}
