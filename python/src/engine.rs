//! Devices.

use crate::{
    error::{Error, InputError},
    messages::with_messages,
    progress::Progress,
};
use huygens::{
    engine::{
        Engine as AnyEngine,
        gpu::{self, Gpu},
        prove_once,
        select::{self, Choice},
        tune,
    },
    plan::Plan,
    run::Operation,
};
use pyo3::{prelude::*, types::PyDict};

/// What runs simulations: a GPU, or the CPU. Several threads may share one.
///
/// Parameters
/// ----------
/// backend
///     "auto" (a GPU if there is one, else the CPU), "cpu", "reference" (one core, f64), "vulkan",
///     "metal", "dx12" or "gl".
/// adapter
///     A number of `devices()`, or a part of a GPU's name.
/// checked
///     Whether shaders check every access to memory, which is slower.
#[pyclass(frozen, module = "huygens")]
pub struct Engine {
    engine: Box<dyn AnyEngine>,
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (backend = "auto", adapter = None, checked = false))]
    fn new(
        py: Python<'_>,
        backend: &str,
        adapter: Option<String>,
        checked: bool,
    ) -> PyResult<Self> {
        let Some((_, choice)) = Choice::NAMED.iter().find(|(name, _)| *name == backend) else {
            let names = Choice::NAMED.map(|(name, _)| name).join(", ");
            let message = format!("there is no backend \"{backend}\"; the backends are {names}");
            return Err(InputError::new_err(message));
        };
        with_messages(py, || {
            let adapter = adapter.as_deref();
            let engine = select::open(*choice, adapter, checked, &prove_once)?;
            Ok::<_, Error>(Engine { engine })
        })
    }

    /// The device, its backend and its driver.
    fn __repr__(&self) -> String {
        let of = self.engine.describe();
        let driver = if of.driver.is_empty() { String::new() } else { format!(", {}", of.driver) };
        format!("Engine({}, {}{driver})", of.device, of.backend)
    }
}

impl Engine {
    /// Does the work of an operation on the engine with the kernel and the batch size for its Plan, if the memory holds it.
    pub fn run<O: Operation + Send, T: Send>(
        &self,
        operation: &mut O,
        progress: &Progress,
        work: impl FnOnce(&mut O, &dyn AnyEngine) -> Result<T, Error> + Send,
    ) -> Result<T, Error> {
        progress.run(|| {
            let tuned = self.tuned(operation.plan())?;
            operation.demand(&[tuned.engine()])?.check(operation.plan())?;
            work(operation, tuned.engine())
        })
    }

    /// The engine with the kernel and the batch size for a Plan.
    pub fn tuned(&self, plan: &Plan) -> Result<Tuned<'_>, Error> {
        let engine = self.engine.as_ref();
        let Some(gpu) = Gpu::of(engine) else { return Ok(Tuned::Own(engine)) };
        Ok(Tuned::With(Box::new(tune::chosen(gpu, None, plan)?)))
    }
}

/// An engine for a Plan.
pub enum Tuned<'a> {
    Own(&'a dyn AnyEngine),
    With(Box<Gpu>),
}

impl Tuned<'_> {
    pub fn engine(&self) -> &dyn AnyEngine {
        match self {
            Tuned::Own(engine) => *engine,
            Tuned::With(gpu) => gpu.as_ref(),
        }
    }
}

/// The GPUs of this machine: dictionaries of their number, name, backend, kind and driver.
#[pyfunction]
pub fn devices(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let all = py.detach(|| gpu::list(false));
    let each = all.iter().enumerate().map(|(index, adapter)| {
        let of = PyDict::new(py);
        of.set_item("index", index)?;
        of.set_item("name", &adapter.name)?;
        of.set_item("backend", adapter.backend.name())?;
        of.set_item("kind", adapter.kind.to_string())?;
        of.set_item("driver", &adapter.driver)?;
        Ok(of)
    });
    each.collect()
}
