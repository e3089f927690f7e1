//! The Python module `huygens._huygens`: the library's jobs, engines and operations for the pure
//! Python part of the package, which gives them their names and defaults.
//!
//! To add a function: a file here that takes arrays, prepares an operation, runs it in
//! `Progress::run` and returns arrays, with its `mod` and `wrap_pyfunction!` line; in
//! `python/huygens/` its name, defaults and docstring, and its name in `__init__.py`; a line in
//! `_huygens.pyi`; tests in `python/tests/`; a section of `docs/python.md`.

mod arrays;
mod engine;
mod error;
mod files;
mod gradient;
mod invert;
mod job;
mod labelled;
mod locate;
mod lsrtm;
mod messages;
mod model;
mod pictures;
mod progress;
mod rtm;
mod shot;
mod zero_offset;

use pyo3::prelude::*;

#[pymodule]
fn _huygens(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    error::add(module)?;
    module.add_class::<model::Model>()?;
    module.add_class::<engine::Engine>()?;
    module.add_class::<job::Job>()?;
    for function in [
        wrap_pyfunction!(engine::devices, module)?,
        wrap_pyfunction!(shot::shots, module)?,
        wrap_pyfunction!(gradient::gradient, module)?,
        wrap_pyfunction!(gradient::sent_back, module)?,
        wrap_pyfunction!(invert::invert, module)?,
        wrap_pyfunction!(lsrtm::least_squares, module)?,
        wrap_pyfunction!(rtm::migrated, module)?,
        wrap_pyfunction!(locate::located, module)?,
        wrap_pyfunction!(zero_offset::zero_offset, module)?,
        wrap_pyfunction!(files::read_gathers, module)?,
        wrap_pyfunction!(files::write_gathers, module)?,
        wrap_pyfunction!(pictures::gather, module)?,
        wrap_pyfunction!(pictures::section, module)?,
    ] {
        module.add_function(function)?;
    }
    Ok(())
}
