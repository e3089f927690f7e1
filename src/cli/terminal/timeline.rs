//! `--trace`: spans of the program as a file in Chrome's trace format and as a picture.
//!
//! Only spans of the target "timeline" are included. A span lies in the lane of its device, given
//! by a field of it or of an enclosing span, else in that of its thread. Without a recording a span
//! costs one branch.

use super::shell::command;
use crate::{
    io::folder::OutputFolder,
    render::FigureSize,
    results::timeline::{self, Lane, Span},
    run::RunError,
};
use serde_json::{Map, Value};
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

/// The state of an open span.
struct Open {
    lane: Lane,
    from: f64,
    fields: Map<String, Value>,
}

/// Records spans from now on.
pub(crate) fn record<S>() -> impl Layer<S>
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
pub(crate) fn write(folder: &OutputFolder, size: Option<FigureSize>) -> Result<(), RunError> {
    let Some(timeline) = TIMELINE.get() else { return Ok(()) };
    // Writing files creates spans too.
    let (spans, begun, threads) = timeline.recorded().take();
    Ok(timeline::Timeline::new(spans, begun, threads).write(folder, size, command())?)
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
    /// The finished spans, the number begun, and the names of the threads.
    fn take(&mut self) -> (Vec<Span>, usize, Vec<String>) {
        let threads = self.threads.iter().map(|(_, name)| name.clone());
        (mem::take(&mut self.spans), self.begun, threads.collect())
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
        if recorded.begun <= timeline::Timeline::MOST {
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
