//! Where the time of a run went: its spans in Chrome's trace format and as a picture.
//!
//! To add a span: `tracing::info_span!(target: "timeline", "computing")`, held while the work
//! lasts, at most once a step. With `device = number` it begins a device's lane. A name in `KINDS`
//! is drawn; others are in `trace.json` alone.

use super::ResultsError;
use crate::{
    io::{
        folder::OutputFolder,
        png::{self, About},
    },
    program::PROGRAM,
    render::{FigureSize, TimelineFigure, TimelineLane},
};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// File names of the trace and of the picture.
const FILE: &str = "trace.json";
const PICTURE: &str = "timeline.png";
/// Spans in the picture, each with its own colour.
const KINDS: [&str; 8] = [
    "computing",
    "waiting for neighbours",
    "reading results",
    "setting up",
    "reading and planning",
    "writing files",
    "opening devices",
    "choosing kernels",
];

/// The main thread, then devices by number, then other threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Lane {
    /// The main thread.
    Main,
    /// A device, counted from 0.
    Device(u64),
    /// Another thread, by its place among all.
    Thread(usize),
}

/// A finished span, seconds since the start of the recording.
pub(crate) struct Span {
    /// What was done.
    pub(crate) name: &'static str,
    /// Where.
    pub(crate) lane: Lane,
    /// Its start.
    pub(crate) from: f64,
    /// Its end.
    pub(crate) until: f64,
    /// Its fields, by name.
    pub(crate) fields: Map<String, Value>,
}

/// The spans of a run.
pub(crate) struct Timeline {
    spans: Vec<Span>,
    /// In order, each once.
    lanes: Vec<Lane>,
    begun: usize,
    threads: Vec<String>,
}

impl Timeline {
    /// Maximum number of spans, so that the file of a long run can be opened in a viewer.
    pub(crate) const MOST: usize = 100_000;

    /// Of the spans recorded, of so many `begun`, with the names of all threads, the main one first.
    pub(crate) fn new(mut spans: Vec<Span>, begun: usize, threads: Vec<String>) -> Self {
        // A span begins before its children and ends after them.
        spans.sort_by(|a, b| a.from.total_cmp(&b.from));
        let mut lanes: Vec<_> = spans.iter().map(|span| span.lane).collect();
        lanes.sort();
        lanes.dedup();
        Timeline { spans, lanes, begun, threads }
    }

    fn left_out(&self) -> usize {
        self.begun - self.begun.min(Self::MOST)
    }

    fn name(&self, lane: Lane) -> String {
        match lane {
            Lane::Main => "main".into(),
            Lane::Device(number) => format!("device {}", number + 1),
            Lane::Thread(number) => self.threads[number].clone(),
        }
    }

    /// Writes the trace and, if a size is given, a picture of the run of a command.
    pub(crate) fn write(
        &self,
        folder: &OutputFolder,
        size: Option<FigureSize>,
        command: String,
    ) -> Result<(), ResultsError> {
        folder.write(FILE, &self.chrome().map_err(ResultsError::failed)?)?;
        let Some(size) = size else { return Ok(()) };
        let title = "Where the time went".to_owned();
        let figure = self.figure(&title, &command);
        // A requested size may be too small for the lanes, even with small letters.
        let size = size.fitted(TimelineFigure::LEAST);
        let picture = figure.draw(size).or_else(|_| figure.draw(FigureSize::default()))?;
        let about = About { title, command, job: None, dpi: size.dpi() };
        Ok(folder.write(PICTURE, &png::bytes(&picture, &about))?)
    }

    /// The picture.
    pub(crate) fn figure(&self, title: &str, command: &str) -> TimelineFigure {
        let first = match self.left_out() {
            0 => String::new(),
            _ => format!("; the first {} of {} spans", Self::MOST, self.begun),
        };
        let lane = |lane: &Lane| {
            let of_lane = self.spans.iter().filter(|span| span.lane == *lane);
            let spans = of_lane.filter_map(|span| {
                let kind = KINDS.iter().position(|kind| *kind == span.name)?;
                Some((kind, span.from, span.until))
            });
            TimelineLane { label: self.name(*lane), spans: spans.collect() }
        };
        TimelineFigure {
            title: title.to_owned(),
            subtitle: format!("{command}{first}"),
            kinds: KINDS.map(str::to_owned).into(),
            lanes: self.lanes.iter().take(TimelineFigure::MOST_LANES).map(lane).collect(),
        }
    }

    /// Chrome's trace format, for its viewer and Perfetto: complete events, microseconds.
    pub(crate) fn chrome(&self) -> serde_json::Result<Vec<u8>> {
        #[derive(Serialize)]
        struct Event<'a> {
            name: &'a str,
            ph: &'static str,
            pid: u32,
            tid: usize,
            ts: f64,
            dur: f64,
            args: &'a Map<String, Value>,
        }
        let number = |lane: &Lane| self.lanes.iter().position(|known| known == lane).unwrap_or(0);
        let named = self.lanes.iter().flat_map(|lane| {
            let of = |name: &str, args: Value| json!({"name": name, "ph": "M", "pid": 1, "tid": number(lane), "args": args});
            [
                of("thread_name", json!({"name": self.name(*lane)})),
                of("thread_sort_index", json!({"sort_index": number(lane)})),
            ]
        });
        let event = |span: &Span| {
            let (ts, dur) = (1e6 * span.from, 1e6 * (span.until - span.from));
            let (name, tid, args) = (span.name, number(&span.lane), &span.fields);
            serde_json::to_value(Event { name, ph: "X", pid: 1, tid, ts, dur, args })
        };
        let events = self.spans.iter().map(event).collect::<Result<Vec<_>, _>>()?;
        serde_json::to_vec(&json!({
            "displayTimeUnit": "ms",
            "otherData": {"program": PROGRAM.name, "version": PROGRAM.version, "spans_left_out": self.left_out()},
            "traceEvents": named.chain(events).collect::<Vec<_>>(),
        }))
    }
}
