//! Jobs: what a job file says, of which the model and the shots may be arrays.

use crate::{
    arrays::{positions, samples},
    error::Error,
    model::Model,
    told::{warn, warned},
};
use huygens::{
    acquisition::{Sampled, Shot, Source, SourceKind, Wavelet},
    grid::{Axis, Position},
    job::{Inputs, JobFile, Supplied, Wavelet as OfJob},
};
use numpy::PyReadonlyArray2;
use pyo3::{prelude::*, types::PyDict};
use std::path::PathBuf;

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

type GivenShot<'py> = (Vec<GivenSource<'py>>, PyReadonlyArray2<'py, f64>);

#[pymethods]
impl Job {
    /// A job of keys in JSON, or of text in TOML; paths in it are relative to a folder.
    #[new]
    #[pyo3(signature = (text, *, is_toml, folder, name, model = None, shots = None))]
    fn new(
        text: &str,
        is_toml: bool,
        folder: PathBuf,
        name: &str,
        model: Option<&Model>,
        shots: Option<Vec<GivenShot<'_>>>,
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
        let shots = shots.map(|shots| shots.iter().map(shot).collect::<Result<Vec<_>, _>>());
        file.supplied = Supplied {
            model: model.map(|model| model.0.clone()),
            shots: shots.transpose()?,
            ..Supplied::default()
        };
        Ok(Job(file))
    }

    #[staticmethod]
    fn open(path: PathBuf) -> PyResult<Self> {
        Ok(Job(JobFile::open(&path).map_err(Error::from)?))
    }

    /// What is known of it before a run.
    fn check<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let inputs = self.inputs(py)?;
        let (plan, told) = (&inputs.plan, PyDict::new(py));
        let n = plan.model_grid.n;
        let nodes = if plan.grid.is_volume() { vec![n.y, n.x, n.z] } else { vec![n.x, n.z] };
        told.set_item("nodes", nodes)?;
        told.set_item("shots", plan.shots.len())?;
        told.set_item("step", plan.time.dt)?;
        told.set_item("steps", plan.time.steps)?;
        told.set_item("interval", plan.time.interval())?;
        told.set_item("samples", plan.time.kept())?;
        let every = self.0.imaged_every(plan).map_err(Error::from)?;
        told.set_item("imaging_interval", every as f64 * plan.time.dt)?;
        told.set_item("points_per_wavelength", plan.points_per_wavelength())?;
        told.set_item("highest_hz", plan.highest)?;
        let bytes: u64 =
            plan.batch(0..plan.shots.len().min(1)).memory().iter().map(|of| of.bytes).sum();
        told.set_item("bytes_of_a_shot", bytes)?;
        let warnings = self.0.warnings(&inputs);
        told.set_item("warnings", warnings.iter().map(ToString::to_string).collect::<Vec<_>>())?;
        Ok(told)
    }
}

impl Job {
    /// Its Plan, and what went into it.
    pub fn inputs(&self, py: Python<'_>) -> PyResult<Inputs> {
        warned(py, || self.0.inputs(false).map_err(Error::from))
    }

    /// Gives its warnings, of what the grid and the step do to its waves.
    pub fn warn(&self, py: Python<'_>, inputs: &Inputs) -> PyResult<()> {
        self.0.warnings(inputs).iter().try_for_each(|warning| warn(py, &warning.to_string()))
    }
}

fn shot((sources, receivers): &GivenShot<'_>) -> Result<Shot, Error> {
    let sources = sources.iter().map(source).collect::<Result<_, _>>()?;
    Ok(Shot { sources, receivers: positions("receivers", receivers)?.into() })
}

fn source((at, given, amplitude, dipole): &GivenSource<'_>) -> Result<Source, Error> {
    let wavelet = match given {
        GivenWavelet::Formula(text) => {
            let of_job: OfJob = serde_json::from_str(text).map_err(Error::input)?;
            let in_a_file = || Error::input("a wavelet of a file is for jobs; give its samples");
            of_job.formula().ok_or_else(in_a_file)?
        }
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
