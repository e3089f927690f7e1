//! `--trace`: spans of the program as a file in Chrome's trace format and as a picture.
//!
//! Only spans of the target "timeline" are included. A span lies in the lane of its device, given
//! by a field of it or of an enclosing span, else in that of its thread. Without a recording a span
//! costs one branch.

use super::{PROGRAM, failure::Failure, picture::about};
use huygens::{
    io::{folder::OutputFolder, png},
    render::{FigureSize, TimelineFigure, TimelineLane},
};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::{
    fmt::Debug,
    mem,
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
    thread::{self, ThreadId},
    time::Instant,
};
use tracing::{
    Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id},
};
use tracing_subscriber::{Layer, filter::filter_fn, layer::Context, registry::LookupSpan};

/// File names of the trace and of the picture.
const FILE: &str = "trace.json";
const PICTURE: &str = "timeline.png";
/// Maximum number of spans, so that the file of a long run can be opened in a viewer.
const MOST: usize = 100_000;
/// Maximum number of lanes in the picture.
const MOST_LANES: usize = 60;
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

static TIMELINE: OnceLock<Timeline> = OnceLock::new();

/// The recorded spans.
struct Timeline {
    began: Instant,
    recorded: Mutex<Recorded>,
}

struct Recorded {
    spans: Vec<Span>,
    /// Spans begun, including those beyond the maximum.
    begun: usize,
    /// In order of first use, the main thread first.
    threads: Vec<(ThreadId, String)>,
}

/// The main thread, then devices by number, then other threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Lane {
    Main,
    Device(u64),
    Thread(usize),
}

/// A finished span, seconds since the start of the recording.
struct Span {
    name: &'static str,
    lane: Lane,
    from: f64,
    until: f64,
    fields: Map<String, Value>,
}

/// The state of an open span.
struct Open {
    lane: Lane,
    from: f64,
    fields: Map<String, Value>,
}

/// Records spans from now on.
pub fn record<S>() -> impl Layer<S>
where
    S: Subscriber + for<'l> LookupSpan<'l>,
{
    let main = (thread::current().id(), "main".to_owned());
    let recorded = Recorded { spans: Vec::new(), begun: 0, threads: vec![main] };
    let timeline = Timeline { began: Instant::now(), recorded: Mutex::new(recorded) };
    Recorder(TIMELINE.get_or_init(|| timeline))
        .with_filter(filter_fn(|of| of.target() == "timeline"))
}

/// Writes the spans recorded so far, and a picture if a size is given. Does nothing without
/// `--trace`.
pub fn write(folder: &OutputFolder, size: Option<FigureSize>) -> Result<(), Failure> {
    let Some(timeline) = TIMELINE.get() else { return Ok(()) };
    // Writing files creates spans too.
    let (mut spans, begun, threads) = timeline.recorded().take();
    // A span begins before its children and ends after them.
    spans.sort_by(|a, b| a.from.total_cmp(&b.from));
    let mut lanes: Vec<_> = spans.iter().map(|span| span.lane).collect();
    lanes.sort();
    lanes.dedup();
    let left_out = begun - begun.min(MOST);
    folder.write(FILE, &chrome(&spans, &lanes, &threads, left_out)?)?;
    let Some(size) = size else { return Ok(()) };
    let first =
        if left_out > 0 { format!("; the first {MOST} of {begun} spans") } else { String::new() };
    let about_it = about("Where the time went", size);
    let figure = TimelineFigure {
        title: about_it.title.clone(),
        subtitle: format!("{}{first}", about_it.command),
        kinds: KINDS.map(str::to_owned).into(),
        lanes: lanes.iter().take(MOST_LANES).map(|lane| drawn(*lane, &spans, &threads)).collect(),
    };
    // A requested size may be too small for the lanes.
    let picture = figure.draw(size).or_else(|_| figure.draw(FigureSize::default()));
    folder.write(PICTURE, &png::bytes(&picture.map_err(Failure::run)?, &about_it))?;
    Ok(())
}

/// A lane of the picture.
fn drawn(lane: Lane, spans: &[Span], threads: &[(ThreadId, String)]) -> TimelineLane {
    let of_lane = spans.iter().filter(|span| span.lane == lane);
    let spans = of_lane.filter_map(|span| {
        let kind = KINDS.iter().position(|kind| *kind == span.name)?;
        Some((kind, span.from, span.until))
    });
    TimelineLane { label: lane.name(threads), spans: spans.collect() }
}

/// Chrome's trace format, for its viewer and Perfetto: complete events, microseconds.
fn chrome(
    spans: &[Span],
    lanes: &[Lane],
    threads: &[(ThreadId, String)],
    left_out: usize,
) -> Result<Vec<u8>, Failure> {
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
    let number = |lane: &Lane| lanes.iter().position(|known| known == lane).unwrap_or(0);
    let named = lanes.iter().flat_map(|lane| {
        let of = |name: &str, args: Value| json!({"name": name, "ph": "M", "pid": 1, "tid": number(lane), "args": args});
        [
            of("thread_name", json!({"name": lane.name(threads)})),
            of("thread_sort_index", json!({"sort_index": number(lane)})),
        ]
    });
    let event = |span: &Span| {
        let (ts, dur) = (1e6 * span.from, 1e6 * (span.until - span.from));
        let (name, tid, args) = (span.name, number(&span.lane), &span.fields);
        serde_json::to_value(Event { name, ph: "X", pid: 1, tid, ts, dur, args })
    };
    let events = spans.iter().map(event).collect::<Result<Vec<_>, _>>().map_err(Failure::run)?;
    let all = json!({
        "displayTimeUnit": "ms",
        "otherData": {"program": PROGRAM, "version": env!("CARGO_PKG_VERSION"), "spans_left_out": left_out},
        "traceEvents": named.chain(events).collect::<Vec<_>>(),
    });
    serde_json::to_vec(&all).map_err(Failure::run)
}

impl Lane {
    fn name(self, threads: &[(ThreadId, String)]) -> String {
        match self {
            Lane::Main => "main".into(),
            Lane::Device(number) => format!("device {}", number + 1),
            Lane::Thread(number) => threads[number].1.clone(),
        }
    }
}

impl Timeline {
    fn recorded(&self) -> MutexGuard<'_, Recorded> {
        // Nothing panics while it holds this lock.
        self.recorded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }
}

impl Recorded {
    /// The finished spans, the number begun, and the threads.
    fn take(&mut self) -> (Vec<Span>, usize, Vec<(ThreadId, String)>) {
        (mem::take(&mut self.spans), self.begun, self.threads.clone())
    }

    /// The lane of this thread.
    fn of_thread(&mut self) -> Lane {
        let this = thread::current();
        let known = self.threads.iter().position(|(id, _)| *id == this.id());
        match known {
            Some(0) => Lane::Main,
            Some(number) => Lane::Thread(number),
            None => {
                let number = self.threads.len();
                let name = this.name().map_or_else(|| format!("thread {number}"), str::to_owned);
                self.threads.push((this.id(), name));
                Lane::Thread(number)
            }
        }
    }
}

struct Recorder(&'static Timeline);

impl<S: Subscriber + for<'l> LookupSpan<'l>> Layer<S> for Recorder {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let from = self.0.now();
        let mut fields = Fields(Map::new());
        attributes.record(&mut fields);
        let own = fields.0.get("device").and_then(Value::as_u64).map(Lane::Device);
        let around = || span.parent()?.extensions().get::<Open>().map(|open| open.lane);
        let around = own.or_else(around).filter(|lane| matches!(lane, Lane::Device(_)));
        let mut recorded = self.0.recorded();
        recorded.begun += 1;
        if recorded.begun <= MOST {
            let lane = around.unwrap_or_else(|| recorded.of_thread());
            span.extensions_mut().insert(Open { lane, from, fields: fields.0 });
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let until = self.0.now();
        let Some(span) = context.span(&id) else { return };
        let Some(open) = span.extensions_mut().remove::<Open>() else { return };
        let Open { lane, from, fields } = open;
        self.0.recorded().spans.push(Span { name: span.name(), lane, from, until, fields });
    }
}

/// The fields of a span.
struct Fields(Map<String, Value>);

impl Visit for Fields {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().into(), value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().into(), value.into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().into(), format!("{value:?}").into());
    }
}
