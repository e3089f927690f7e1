//! What was found, for people and machines.

use comfy_table::{CellAlignment, Table, presets::NOTHING};
use huygens::{
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
    pub program: &'static str,
    pub version: &'static str,
    /// Git revision of the program, where it was built from one.
    pub revision: Option<&'static str>,
    pub job: &'a Job,
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
    pub sharpness: Sharpness,
    /// Dominant frequency of the recording, Hz.
    pub frequency: f64,
    pub focus: Focus,
    /// Metres around the receivers in which nothing was looked for.
    pub mask: f64,
    /// Seconds of recording.
    pub recorded: f64,
    /// Those times the models, over the seconds of stepping.
    pub recorded_per_second: f64,
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
    pub model: String,
    /// How strong its focus is for what the receivers hear of a source there, over the strongest; none without a peak.
    pub strength: Option<f64>,
    /// Whether its map is strongest at the edge of the mask, so that it was not judged.
    pub at_the_receivers: bool,
    /// What a source there explains; of models that focus about as strongly as the strongest, where there are several.
    pub fit: Option<Fitted>,
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
    pub fn new(plan: &Plan, peak: &Peak) -> Self {
        let Peak { at, step, value, over_background, over_next, extent, .. } = *peak;
        Found { at, time: recorded_at(plan, step), value, over_background, over_next, extent }
    }
}

impl Tried {
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
}

/// The time in the recording of a step of the run backward, s.
pub fn recorded_at(plan: &Plan, step: usize) -> f64 {
    plan.time.at(plan.time.steps - step.min(plan.time.steps))
}

impl Report<'_> {
    /// The report as tables.
    pub fn text(&self, volume: bool) -> String {
        let place = |at: &Position| {
            let y = if volume { format!(", y {:.1}", at.y) } else { String::new() };
            format!("x {:.1}{y}, z {:.1}", at.x, at.z)
        };
        let size = |Ellipse { half, .. }: &Ellipse| {
            let y = if volume { format!(", y {:.0}", half.y) } else { String::new() };
            format!("+- x {:.0}{y}, z {:.0}", half.x, half.z)
        };
        let over = |over: Option<f64>| over.map_or_else(|| "-".into(), |over| format!("{over:.1}"));
        let mut text = String::new();
        if !self.tried.is_empty() {
            let head = [
                "model",
                "strength",
                "explains",
                "kurtosis",
                "peak / rms",
                "source at, m",
                "at, s",
            ];
            let mut table = table(&head);
            for (index, tried) in self.tried.iter().enumerate() {
                let best = match (self.best == Some(index), tried.is_a_peak()) {
                    (true, _) => " <- best",
                    (_, true) if tried.is_as_good() => " <- as good",
                    (_, true) => "",
                    (_, false) => " (at the receivers)",
                };
                let map = tried.found.map(|found| (found.at, found.time));
                let source = tried.fit.map(|fit| (fit.at, fit.time)).or(map);
                let (at, time) = source
                    .map_or_else(Default::default, |(at, time)| (place(&at), format!("{time:.3}")));
                table.add_row([
                    format!("{}{best}", tried.model),
                    tried.strength.map_or_else(|| "-".into(), |of| format!("{of:.3}")),
                    tried.fit.map_or_else(|| "-".into(), |fit| percent(fit.explained)),
                    format!("{:.1}", tried.sharpness.kurtosis),
                    format!("{:.1}", tried.sharpness.over_rms),
                    at,
                    time,
                ]);
            }
            text += &format!("{table}\n\n");
        }
        let mut table =
            table(&["source", "at, m", "focus, m", "at, s", "peak / median", "peak / next"]);
        for (number, found) in (1..).zip(&self.found) {
            table.add_row([
                number.to_string(),
                place(&found.at),
                size(&found.extent),
                format!("{:.3}", found.time),
                over(found.over_background),
                over(found.over_next),
            ]);
        }
        let rate = self.recorded_per_second;
        text += &format!(
            "{table}\n{rate:.1} s of the recording ran back in each second, through {}",
            self.model
        );
        text
    }
}

fn percent(part: f64) -> String {
    format!("{:.2} %", 100.0 * part)
}

fn table(head: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(NOTHING).set_header(head.iter().copied());
    table.column_iter_mut().skip(1).for_each(|c| c.set_cell_alignment(CellAlignment::Right));
    table
}
