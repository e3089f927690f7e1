//! Warnings of the library, as Python's.

use crate::progress::check_process;
use huygens::message::Names;
use pyo3::{exceptions::PyUserWarning, prelude::*};
use std::{
    ffi::CString,
    fmt::{Debug, Write},
    sync::{Arc, Mutex, PoisonError},
};
use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

type Messages = Arc<Mutex<Vec<String>>>;

/// Collects the messages of warnings.
struct Collector(Messages);

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
        metadata.is_event() && *metadata.level() <= Level::WARN
    }

    fn event(&self, event: &Event<'_>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(message.0);
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

/// Does some work while other threads of Python run, and then gives the warnings of it.
pub fn warned<T: Send, E: Into<PyErr> + Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, E> + Send,
) -> PyResult<T> {
    check_process()?;
    let messages = Messages::default();
    let subscriber = Collector(messages.clone());
    let done = py.detach(|| tracing::subscriber::with_default(subscriber, work));
    let messages = std::mem::take(&mut *messages.lock().unwrap_or_else(PoisonError::into_inner));
    let told = messages.iter().try_for_each(|message| warn(py, message));
    // An error of the work goes before one that a warning is turned into.
    let done = done.map_err(Into::into)?;
    told.map(|()| done)
}

/// Gives a warning, at the line that called the package.
pub fn warn(py: Python<'_>, message: &str) -> PyResult<()> {
    let text = CString::new(Names::Python.translate(message).replace('\0', " "))?;
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
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, level)
}
