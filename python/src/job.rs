//! Jobs: what a job file says, of which the model and the shots may be arrays.

use crate::{
    arrays::{floats, positions, samples, shape},
    error::Error,
    labelled::labelled,
    messages::{warn, warn_with_remedies, with_messages},
    model::Model,
};
use huygens::{
    acquisition::{Sampled, Shot, Source, SourceKind, Wavelet},
    grid::{Axis, Position},
    job::{Inputs, JobFile, Supplied},
    message::{Names, mistake},
    model::{Density, ModelQuantity, Thomsen},
    ndarray::{Array3, Axis as Dim, Ix3},
    plan::Warning,
    run::PreparedJob,
};
use numpy::PyReadonlyArray2;
use pyo3::{prelude::*, types::PyDict};
use std::{collections::BTreeMap, path::PathBuf};

/// A checked job.
#[pyclass(frozen, module = "huygens")]
pub struct Job(pub JobFile);

/// x, y and z, metres; s(t); its factor; and the axis of a dipole.
type GivenSource<'py> = ((f64, f64, f64), GivenWavelet<'py>, f64, Option<String>);

/// A wavelet as in a job, in JSON, or samples and the seconds between them.
#[derive(FromPyObject)]
pub enum GivenWavelet<'py> {
    Formula(String),
    Samples((Bound<'py, PyAny>, f64)),
}

/// The model, and density, epsilon and delta at its nodes.
type GivenMedium<'py> = (Option<PyRef<'py, Model>>, [Option<Bound<'py, PyAny>>; 3]);

type GivenShot<'py> = (Vec<GivenSource<'py>>, PyReadonlyArray2<'py, f64>);

#[pymethods]
impl Job {
    /// A job of keys in JSON, or of text in TOML; paths in it are relative to a folder.
    #[new]
    #[pyo3(signature = (text, *, is_toml, folder, name, medium = None, shots = None, force = false))]
    fn new(
        text: &str,
        is_toml: bool,
        folder: PathBuf,
        name: &str,
        medium: Option<GivenMedium<'_>>,
        shots: Option<Vec<GivenShot<'_>>>,
        force: bool,
    ) -> PyResult<Self> {
        let of_json;
        let text = match is_toml {
            true => text,
            false => {
                let keys: toml::Value = serde_json::from_str(text).map_err(Error::input)?;
                of_json = toml::to_string(&keys).map_err(Error::input)?;
                &of_json
            }
        };
        let mut file = JobFile::parse(name, text, folder).map_err(Error::from)?;
        if shots.as_ref().is_some_and(Vec::is_empty) {
            return Err(Error::input("the survey has no shots; give one or more").into());
        }
        let mut known = BTreeMap::new();
        let shots = shots.map(|shots| {
            let each = shots.iter().map(|given| shot(given, &mut known));
            each.collect::<Result<Vec<_>, _>>()
        });
        let (model, [density, epsilon, delta]) = medium.unwrap_or_default();
        file.supplied = Supplied {
            model: model.map(|model| model.0.clone()),
            density: density.as_ref().map(densities).transpose()?,
            epsilon: epsilon.as_ref().map(|given| thomsen("epsilon", given)).transpose()?,
            delta: delta.as_ref().map(|given| thomsen("delta", given)).transpose()?,
            shots: shots.transpose()?,
            ..Supplied::default()
        };
        file.forced = force;
        Ok(Job(file))
    }

    #[staticmethod]
    fn open(path: PathBuf) -> PyResult<Self> {
        Ok(Job(JobFile::open(&path).map_err(Error::from)?))
    }

    /// What is known of it before a run.
    fn check<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let inputs = self.prepared(py)?.inputs;
        let (plan, results) = (&inputs.plan, PyDict::new(py));
        let n = plan.model_grid.n;
        let nodes = if plan.grid.is_volume() { vec![n.y, n.x, n.z] } else { vec![n.x, n.z] };
        results.set_item("nodes", nodes)?;
        results.set_item("shots", plan.shots.len())?;
        results.set_item("step", plan.time.dt)?;
        results.set_item("steps", plan.time.steps)?;
        results.set_item("interval", plan.time.interval())?;
        results.set_item("samples", plan.time.kept())?;
        let every = self.0.imaged_every(plan).map_err(Error::from)?;
        results.set_item("imaging_interval", every as f64 * plan.time.dt)?;
        results.set_item("points_per_wavelength", plan.points_per_wavelength())?;
        results.set_item("highest_hz", plan.highest)?;
        let bytes: u64 =
            plan.batch(0..plan.shots.len().min(1)).memory().iter().map(|of| of.bytes).sum();
        results.set_item("bytes_of_a_shot", bytes)?;
        results.set_item("warnings", self.warnings(&inputs))?;
        Ok(results)
    }

    /// The warning of dispersion with its remedies.
    fn dispersion_warning(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let inputs = self.prepared(py)?.inputs;
        let mut all = py.detach(|| self.0.warnings(&inputs)).into_iter();
        let of = all.find(|warning| matches!(warning, Warning::Dispersion { .. }));
        Ok(of.map(|warning| Names::Python.translate(&warning.to_string())))
    }

    /// The same with its model in memory, for several runs through one model although its file may change.
    fn with_model_read(&self, py: Python<'_>) -> PyResult<Job> {
        let mut file = self.0.clone();
        file.supplied.model = Some(Model::of(&self.prepared(py)?).0);
        Ok(Job(file))
    }
}

impl Job {
    /// With its Plan, and what went into it.
    pub fn prepared(&self, py: Python<'_>) -> PyResult<PreparedJob<'_>> {
        with_messages(py, || PreparedJob::new(&self.0).map_err(Error::from))
    }

    /// Gives its warnings, of what it lacks, and of what the grid and the step do to its waves.
    /// The remedies of dispersion are searched for when its warning is shown.
    pub fn warn(this: &Bound<'_, Job>, inputs: &Inputs) -> PyResult<()> {
        let py = this.py();
        without_receivers(inputs).map_or(Ok(()), |warning| warn(py, &warning))?;
        inputs.plan.warnings_without_remedies().iter().try_for_each(|warning| {
            let text = warning.to_string();
            match warning {
                Warning::Dispersion { .. } => {
                    warn_with_remedies(mistake(&text), &this.getattr("dispersion_warning")?)
                }
                _ => warn(py, &text),
            }
        })
    }

    /// The warnings of [`Self::warn`].
    pub fn warnings(&self, inputs: &Inputs) -> Vec<String> {
        let translated = |warning: Warning| Names::Python.translate(&warning.to_string());
        without_receivers(inputs)
            .into_iter()
            .chain(self.0.warnings(inputs).into_iter().map(translated))
            .collect()
    }
}

/// The warning of shots without receivers.
fn without_receivers(inputs: &Inputs) -> Option<String> {
    let shots = inputs.plan.shots.iter().zip(1..);
    let mut numbers = shots.filter(|(shot, _)| shot.receivers.is_empty()).map(|(_, number)| number);
    let first = numbers.next()?;
    let more = match numbers.count() {
        0 => String::new(),
        others => format!(", as {others} others"),
    };
    Some(format!("shot {first} has no receivers, and so no traces{more}"))
}

/// Densities of a plane [x][z] or a volume [y][x][z], kg/m3.
fn densities(given: &Bound<'_, PyAny>) -> Result<Density, Error> {
    Density::new(nodes("density", given, ModelQuantity::Density)?).map_err(Error::input)
}

/// epsilon or delta of a plane [x][z] or a volume [y][x][z].
fn thomsen(name: &'static str, given: &Bound<'_, PyAny>) -> Result<Thomsen, Error> {
    let quantity = if name == "epsilon" { ModelQuantity::Epsilon } else { ModelQuantity::Delta };
    Ok(Thomsen::new(nodes(name, given, quantity)?))
}

/// Values at the nodes of a plane [x][z] or a volume [y][x][z].
fn nodes(
    name: &'static str,
    given: &Bound<'_, PyAny>,
    quantity: ModelQuantity,
) -> Result<Array3<f32>, Error> {
    let labelled = labelled(given, quantity)?;
    let values = floats(name, labelled.as_ref().map_or(given, |labelled| &labelled.array))?;
    let own = values.shape().to_vec();
    let values = if own.len() == 2 { values.insert_axis(Dim(0)) } else { values };
    values.into_dimensionality::<Ix3>().map_err(|_| {
        Error::input(format!(
            "{name} has the shape {}; give [x][z], or [y][x][z] of a volume",
            shape(&own)
        ))
    })
}

/// Wavelets by their keys in JSON.
type Known = BTreeMap<String, Wavelet>;

fn shot((sources, receivers): &GivenShot<'_>, known: &mut Known) -> Result<Shot, Error> {
    let sources = sources.iter().map(|given| source(given, known)).collect::<Result<_, _>>()?;
    Ok(Shot { sources, receivers: positions("receivers", receivers)?.into() })
}

/// A job of no more than a wavelet.
const OF_WAVELET: &str =
    "time.duration = 1.0\nsource = [{ at = { x = 0.0, z = 0.0 }, wavelet = { kind = \"\" } }]";

/// The wavelet of keys in JSON, checked as in a job.
fn formula(text: &str) -> Result<Wavelet, Error> {
    let mut job: toml::Table = toml::from_str(OF_WAVELET).map_err(Error::input)?;
    job["source"][0]["wavelet"] = serde_json::from_str(text).map_err(Error::input)?;
    let job = JobFile::parse("", &job.to_string(), PathBuf::new())?.job;
    let in_a_file = || Error::input("a wavelet of a file is for jobs; give its samples");
    job.sources.first().and_then(|source| source.wavelet.formula()).ok_or_else(in_a_file)
}

fn source(
    (at, given, amplitude, dipole): &GivenSource<'_>,
    known: &mut Known,
) -> Result<Source, Error> {
    let wavelet = match given {
        GivenWavelet::Formula(text) => match known.get(text) {
            Some(wavelet) => wavelet.clone(),
            None => known.entry(text.clone()).or_insert(formula(text)?).clone(),
        },
        GivenWavelet::Samples((values, interval)) => {
            let values = samples("the wavelet", values)?.iter().map(|v| f64::from(*v)).collect();
            Wavelet::Sampled(Sampled { values, interval: *interval })
        }
    };
    let kind = match dipole.as_deref() {
        None => SourceKind::Monopole,
        Some("x") => SourceKind::Dipole(Axis::X),
        Some("y") => SourceKind::Dipole(Axis::Y),
        Some("z") => SourceKind::Dipole(Axis::Z),
        Some(other) => {
            return Err(Error::input(format!(
                "\"{other}\" is no axis of a dipole; give x, y or z"
            )));
        }
    };
    let (x, y, z) = *at;
    Ok(Source { kind, at: Position { x, y, z }, wavelet, amplitude: *amplitude })
}
