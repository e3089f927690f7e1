//! Exceptions: wrong input, and runs that failed.

use huygens::{
    NoMemory,
    conditioning::ConditioningError,
    engine::{EngineError, select::SelectError},
    io::{gather_file::GatherFileError, model_file::ModelFileError},
    job::JobError,
    message::{Names, about},
    model::ModelError,
    operations::zero_offset::ZeroOffsetError,
    plan::PlanError,
    render::RenderError,
};
use pyo3::{
    create_exception, exceptions,
    prelude::*,
    sync::PyOnceLock,
    types::{PyDict, PyType},
};

create_exception!(
    huygens,
    InputError,
    exceptions::PyValueError,
    "The input is wrong: what is, its limit, and what would do."
);
create_exception!(
    huygens,
    RunError,
    exceptions::PyRuntimeError,
    "A run failed, or its field blew up."
);

/// The class of a file that is not there: an InputError and a FileNotFoundError.
fn missing_file(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let class = CLASS.get_or_try_init(py, || {
        let both = (py.get_type::<InputError>(), py.get_type::<exceptions::PyFileNotFoundError>());
        let members = PyDict::new(py);
        members.set_item("__module__", "huygens")?;
        members.set_item("__doc__", "A file of the input is not there.")?;
        let class = py.get_type::<PyType>().call1(("MissingFileError", both, members))?;
        Ok::<_, PyErr>(class.cast_into::<PyType>()?.unbind())
    });
    class.map(|class| class.bind(py))
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("InputError", module.py().get_type::<InputError>())?;
    module.add("MissingFileError", missing_file(module.py())?)?;
    module.add("RunError", module.py().get_type::<RunError>())
}

/// How the text of the system's error for a file that is not there ends.
const NOT_THERE: &str = "(os error 2)";

/// An error on its way to Python.
pub struct Error(pub PyErr);

impl Error {
    pub fn input(message: impl std::fmt::Display) -> Self {
        let message = Names::Python.translate(&message.to_string());
        // Some errors keep only the text of the system's.
        if !message.contains(NOT_THERE) {
            return Error(InputError::new_err(message));
        }
        Error(Python::attach(|py| match missing_file(py) {
            Ok(class) => PyErr::from_type(class.clone(), (message,)),
            Err(error) => error,
        }))
    }

    fn run(message: impl std::fmt::Display) -> Self {
        Error(RunError::new_err(Names::Python.translate(&message.to_string())))
    }
}

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        error.0
    }
}

impl From<PyErr> for Error {
    fn from(error: PyErr) -> Self {
        Error(error)
    }
}

impl From<EngineError> for Error {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::TooLarge { .. }
            | EngineError::DoesNotFit(_)
            | EngineError::NoMemory(_) => Error::input(error),
            error => Error::run(error),
        }
    }
}

impl From<SelectError> for Error {
    fn from(error: SelectError) -> Self {
        match error {
            SelectError::Engine(error) => error.into(),
            error => Error::input(error),
        }
    }
}

impl From<JobError> for Error {
    fn from(error: JobError) -> Self {
        let JobError::Mistake(mistake) = &error else { return Error::input(error) };
        // A job of keys has no name, and its text is not the user's: it has no [table].
        let (place, is_of_keys) = (mistake.place(), mistake.file().is_empty());
        // A value is behind its key, never at the start of a line.
        let is_header = place.is_some_and(|(_, column)| column == 1);
        let said = mistake.said().map(|said| match is_of_keys && is_header {
            true => said.trim_matches(['[', ']']),
            false => said,
        });
        let place = place.filter(|_| !is_of_keys);
        let place = place.map(|(line, _)| format!("{}, line {line}: ", mistake.file()));
        let said = said.map(|said| format!("{said}: "));
        let said = place.unwrap_or_default() + &said.unwrap_or_default();
        let help = mistake.help().map(|help| format!("; {help}")).unwrap_or_default();
        let key = mistake.key().filter(|_| is_of_keys && !is_header);
        let message = with_dicts(&format!("{error}{help}"));
        match key {
            Some(key) => Error::input(about(argument(&key), Names::Python.translate(&message))),
            None => Error::input(format!("{said}{message}")),
        }
    }
}

/// Tables whose keys are arguments of functions and classes.
const OF_ARGUMENTS: [&str; 9] =
    ["time", "output", "model", "source", "wavelet", "gradient", "rtm", "lsrtm", "invert"];

/// How Python names a key of a job: an argument, or a place in one that is a dict.
fn argument(key: &[&str]) -> String {
    let tables = key.len() - 1;
    let outer = key[..tables].iter().take_while(|table| OF_ARGUMENTS.contains(table)).count();
    let inner = key[outer + 1..].iter().map(|key| format!("[\"{key}\"]"));
    key[outer].to_owned() + &inner.collect::<String>()
}

/// The message with dicts instead of the tables of a job file: `a table, top = { a = ..., b = ... }`.
fn with_dicts(message: &str) -> String {
    const TABLE: &str = "a table, ";
    let (mut changed, mut rest) = (String::new(), message);
    while let Some((before, table)) = rest.split_once(TABLE) {
        changed = changed + before + "a dict, ";
        let parts = table.split_once(" = { ").zip(table.find('}'));
        let Some(((name, inside), end)) = parts.filter(|((name, _), _)| !name.contains(' ')) else {
            rest = table;
            continue;
        };
        let inside = &inside[..inside.find('}').unwrap_or(inside.len())];
        let keys = inside.trim_end().split(", ").map(|key| match key.split_once(" = ") {
            Some((key, value)) => format!("\"{key}\": {value}"),
            None => key.to_owned(),
        });
        changed += &format!("{name}={{{}}}", keys.collect::<Vec<_>>().join(", "));
        rest = &table[end + 1..];
    }
    changed + rest
}

macro_rules! input {
    ($($error:ty),+ $(,)?) => {$(
        impl From<$error> for Error {
            fn from(error: $error) -> Self {
                Error::input(error)
            }
        }
    )+};
}

input![
    ConditioningError,
    GatherFileError,
    ModelError,
    ModelFileError,
    NoMemory,
    PlanError,
    RenderError,
    ZeroOffsetError
];
