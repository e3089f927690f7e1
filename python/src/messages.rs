//! Warnings of the library as Python's, and its other messages as those of Python's `logging`.

use crate::progress::{check_process, lock};
use huygens::message::Names;
use pyo3::{exceptions::PyUserWarning, prelude::*};
use std::{
    fmt::{Debug, Write},
    mem,
    sync::{Arc, Mutex},
};
use tracing::{
    Dispatch, Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

type Messages = Arc<Mutex<Vec<(Level, String)>>>;

/// The logger of all messages that are not warnings.
const LOGGER: &str = "huygens";

/// Collects messages of this level and above.
struct Collector {
    least: Level,
    messages: Messages,
}

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            let _ = write!(self.0, "{value:?}");
        }
    }
}

impl Subscriber for Collector {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= self.least
    }

    fn event(&self, event: &Event<'_>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        lock(&self.messages).push((*event.metadata().level(), message.0));
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

/// Does some work while other threads of Python run, and gives its warnings at its end, and its other
/// messages, if they are logged, when [`log_waiting`] is called and at its end.
pub fn with_messages<T: Send, E: Into<PyErr> + Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, E> + Send,
) -> PyResult<T> {
    check_process()?;
    let messages = Messages::default();
    let logger = logger(py)?;
    let logs = |level: u8| logger.call_method1("isEnabledFor", (level,))?.is_truthy();
    let least = match (logs(DEBUG)?, logs(INFO)?) {
        (true, _) => Level::DEBUG,
        (false, true) => Level::INFO,
        _ => Level::WARN,
    };
    let subscriber = Collector { least, messages: messages.clone() };
    let done = py.detach(|| tracing::subscriber::with_default(subscriber, work));
    log_all(py, &messages)?;
    let warnings = mem::take(&mut *lock(&messages));
    let raised = warnings.iter().try_for_each(|(_, message)| warn(py, message));
    // An error of the work goes before one that a warning is turned into.
    let done = done.map_err(Into::into)?;
    raised.map(|()| done)
}

/// Logs the messages so far of the work that a dispatcher collects them of. Warnings stay for its end:
/// one that is turned into an error ends no work.
pub fn log_waiting(py: Python<'_>, dispatch: &Dispatch) -> PyResult<()> {
    let collector = dispatch.downcast_ref::<Collector>();
    collector.map_or(Ok(()), |collector| log_all(py, &collector.messages))
}

/// Logs and removes all messages that are no warnings.
fn log_all(py: Python<'_>, messages: &Messages) -> PyResult<()> {
    let is_logged = |(level, _): &mut (Level, String)| *level > Level::WARN;
    // Not locked while Python runs.
    let logged: Vec<_> = lock(messages).extract_if(.., is_logged).collect();
    let logger = if logged.is_empty() { return Ok(()) } else { logger(py)? };
    logged.iter().try_for_each(|(level, message)| {
        let level = if *level == Level::INFO { INFO } else { DEBUG };
        logger.call_method1("log", (level, "%s", Names::Python.translate(message))).map(drop)
    })
}

fn logger(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    py.import("logging")?.call_method1("getLogger", (LOGGER,))
}

/// Levels of Python's `logging`.
const DEBUG: u8 = 10;
const INFO: u8 = 20;

/// Gives a warning, at the line that called the package.
pub fn warn(py: Python<'_>, message: &str) -> PyResult<()> {
    let text = Names::Python.translate(message);
    issue(PyUserWarning::new_err(text).value(py))
}

/// [`warn`] of dispersion: `full` gives the whole text, with its remedies, when it is shown.
pub fn warn_with_remedies(mistake: &str, full: &Bound<'_, PyAny>) -> PyResult<()> {
    let class = full.py().import("huygens.shown")?.getattr("DispersionWarning")?;
    issue(&class.call1((Names::Python.translate(mistake), full))?)
}

fn issue(warning: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = warning.py();
    let mut frame = py.import("sys")?.call_method1("_getframe", (0,))?;
    let mut level = 1;
    while !frame.is_none() {
        let name = frame.getattr("f_globals")?.get_item("__name__");
        if !name.is_ok_and(|name| name.to_string().starts_with("huygens.")) {
            break;
        }
        level += 1;
        frame = frame.getattr("f_back")?;
    }
    py.import("warnings")?.call_method1("warn", (warning, py.None(), level)).map(drop)
}
