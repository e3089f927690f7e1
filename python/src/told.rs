//! Warnings of the library as Python's, and its other messages as those of Python's `logging`.

use crate::progress::check_process;
use huygens::message::Names;
use pyo3::{exceptions::PyUserWarning, prelude::*};
use std::{
    fmt::{Debug, Write},
    sync::{Arc, Mutex, PoisonError},
};
use tracing::{
    Event, Level, Metadata, Subscriber,
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
        let mut messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        messages.push((*event.metadata().level(), message.0));
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

/// Does some work while other threads of Python run, and then gives its warnings, and its other
/// messages if they are logged.
pub fn warned<T: Send, E: Into<PyErr> + Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, E> + Send,
) -> PyResult<T> {
    check_process()?;
    let messages = Messages::default();
    let logger = py.import("logging")?.call_method1("getLogger", (LOGGER,))?;
    let logs = |level: u8| logger.call_method1("isEnabledFor", (level,))?.is_truthy();
    let least = match (logs(DEBUG)?, logs(INFO)?) {
        (true, _) => Level::DEBUG,
        (false, true) => Level::INFO,
        _ => Level::WARN,
    };
    let subscriber = Collector { least, messages: messages.clone() };
    let done = py.detach(|| tracing::subscriber::with_default(subscriber, work));
    let messages = std::mem::take(&mut *messages.lock().unwrap_or_else(PoisonError::into_inner));
    let told = messages.iter().try_for_each(|(level, message)| match *level {
        Level::INFO => log(&logger, INFO, message),
        Level::DEBUG => log(&logger, DEBUG, message),
        _ => warn(py, message),
    });
    // An error of the work goes before one that a warning is turned into.
    let done = done.map_err(Into::into)?;
    told.map(|()| done)
}

/// Levels of Python's `logging`.
const DEBUG: u8 = 10;
const INFO: u8 = 20;

fn log(logger: &Bound<'_, PyAny>, level: u8, message: &str) -> PyResult<()> {
    logger.call_method1("log", (level, "%s", Names::Python.translate(message))).map(drop)
}

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
