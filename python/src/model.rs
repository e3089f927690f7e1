//! Velocity models.

use crate::{
    arrays::{floats, nodes, shape as written},
    error::Error,
    labelled::{Labelled, labelled},
    messages::with_messages,
    pictures::{Picture, png},
    progress::{Progress, check_process},
};
use huygens::{
    grid::{Axes, PlaneAxes, Position},
    io::model_file::{ModelFile, ModelOutput, ReadOptions, WriteOptions},
    model::{
        AxisOrder, MAX_NODES, ModelQuantity, Placement, Side, VelocityModel, builtin,
        builtin_volume,
    },
    ndarray::{Array2, Array3, Axis},
    render::{Marks, model_figure},
    run::PreparedJob,
};
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::{
    prelude::*,
    types::{PyDict, PyTuple},
};
use std::path::PathBuf;

/// A velocity model: m/s at every node of a plane [x][z] or a volume [y][x][z].
///
/// Parameters
/// ----------
/// velocity
///     m/s, of any real type and layout; it is copied. The axes of an xarray.DataArray are taken by
///     their names, in any order: z (or depth), x and y; in a plane the other axis than z is x.
/// spacing
///     Metres between nodes: one number for all axes, or (x, z), of a volume (x, y, z), as of
///     positions: not in the order of the array's axes. The coordinates of a DataArray give it, and
///     another is refused.
/// origin
///     Easting, northing and elevation of the first node, metres; by default that of the coordinates
///     of a DataArray, else 0.
/// azimuth
///     The direction of x, degrees clockwise from north.
/// y_axis
///     The side of x on which y lies, "left" or "right".
#[pyclass(frozen, module = "huygens")]
pub struct Model(pub VelocityModel);

/// A number for all axes, or those of x and z, or of x, y and z.
enum Spacing {
    One(f64),
    Each(Vec<f64>),
}

impl Spacing {
    fn of(given: &Bound<'_, PyAny>) -> Result<Self, Error> {
        if let Ok(one) = given.extract() {
            return Ok(Spacing::One(one));
        }
        let each = given.try_iter().and_then(|each| each.map(|of| of?.extract()).collect());
        each.map(Spacing::Each).map_err(|_| {
            Error::input(format!(
                "spacing is {given}; give metres: one number, or those of x and z, of a volume of x, y and z"
            ))
        })
    }

    fn axes(&self, is_volume: bool) -> Result<Axes<f64>, Error> {
        let each = match self {
            Spacing::One(h) => return Ok(Axes { z: *h, x: *h, y: *h }),
            Spacing::Each(each) => each.as_slice(),
        };
        match (each, is_volume) {
            ([x, z], false) => Ok(Axes { z: *z, x: *x, y: *x }),
            ([x, y, z], true) => Ok(Axes { z: *z, x: *x, y: *y }),
            (_, true) => Err(Error::input(format!(
                "the model is 3-D, and its spacing has {} numbers; give one, or those of x, y and z",
                each.len()
            ))),
            (_, false) => Err(Error::input(format!(
                "the model is 2-D, and its spacing has {} numbers; give one, or those of x and z",
                each.len()
            ))),
        }
    }
}

impl Model {
    /// That of a prepared job, which shares its values.
    pub fn of(prepared: &PreparedJob<'_>) -> Self {
        Model(prepared.inputs.setup.model.clone())
    }
}

#[pymethods]
impl Model {
    #[new]
    #[pyo3(signature = (velocity, spacing = None, *, origin = None, azimuth = 90.0, y_axis = "left"))]
    fn new(
        velocity: &Bound<'_, PyAny>,
        spacing: Option<&Bound<'_, PyAny>>,
        origin: Option<(f64, f64, f64)>,
        azimuth: f64,
        y_axis: &str,
    ) -> PyResult<Self> {
        // What a pool sends to a forked process is still made there: what runs on it says why not.
        let _ = check_process();
        if let Ok(array) = velocity.cast::<PyUntypedArray>() {
            // Before it is copied.
            let nodes = array.len();
            if nodes > MAX_NODES {
                let message =
                    format!("velocity has {nodes} nodes, and at most {MAX_NODES} are taken");
                return Err(Error::input(message).into());
            }
        }
        let labelled = labelled(velocity, ModelQuantity::Velocity)?;
        let values = labelled.as_ref().map_or(velocity, |labelled| &labelled.array);
        let velocity = floats("velocity", values)?;
        let shape = velocity.shape().to_vec();
        let own = labelled.as_ref().and_then(Labelled::spacing);
        let h = match (spacing, own) {
            (Some(given), _) => Spacing::of(given)?.axes(shape.len() == 3)?,
            (None, Some(own)) => own,
            (None, None) => {
                let message =
                    "velocity does not say how far its nodes are apart; give spacing, metres";
                return Err(Error::input(message).into());
            }
        };
        labelled.as_ref().map_or(Ok(()), |labelled| labelled.check(h))?;
        let model = match shape.len() {
            2 => {
                let plane: Array2<f32> = velocity.into_dimensionality().expect("two axes");
                VelocityModel::new(plane, h.x, h.z)
            }
            3 => {
                let volume: Array3<f32> = velocity.into_dimensionality().expect("three axes");
                VelocityModel::volume(volume, h)
            }
            _ => {
                let message = format!(
                    "velocity has the shape {}; give [x][z], or [y][x][z] of a volume",
                    written(&shape)
                );
                return Err(Error::input(message).into());
            }
        };
        let y_axis = match y_axis {
            "left" => Side::Left,
            "right" => Side::Right,
            other => {
                return Err(Error::input(format!(
                    "y_axis is \"{other}\"; give \"left\" or \"right\""
                ))
                .into());
            }
        };
        let of_coordinates = || {
            let first = labelled.as_ref().map(Labelled::first).unwrap_or_default();
            Placement { azimuth, y_axis, ..Placement::default() }.on_map(first)
        };
        let given = |(x, y, elevation): (f64, f64, f64)| Position { x, y, z: 0.0 - elevation };
        let origin = origin.map_or_else(of_coordinates, given);
        let (x, y, elevation) = (origin.x, origin.y, 0.0 - origin.z);
        if ![x, y, elevation].iter().all(|at| at.abs() < 1e9)
            || !(-360.0..=360.0).contains(&azimuth)
        {
            let message = format!(
                "an origin of {x}, {y}, {elevation} m and an azimuth of {azimuth} are on no map"
            );
            return Err(Error::input(format!(
                "{message}; give metres below 1e9 and degrees from -360 to 360"
            ))
            .into());
        }
        let placement = Placement { origin, azimuth, y_axis };
        Ok(Model(model.map_err(Error::from)?.placed(placement)))
    }

    /// A model that comes with huygens: salt, layers, homogeneous, lens or salt3d.
    ///
    /// Parameters
    /// ----------
    /// spacing
    ///     Metres between nodes.
    /// nodes
    ///     Nodes along x and z, of a volume along x, y and z.
    #[staticmethod]
    #[pyo3(signature = (name, spacing = None, nodes = None))]
    fn builtin(name: &str, spacing: Option<f64>, nodes: Option<Vec<usize>>) -> PyResult<Self> {
        check_process()?;
        let square = spacing.map(|h| PlaneAxes { x: h, z: h });
        let model = match nodes.as_deref() {
            Some([x, z]) => builtin(name, Some(PlaneAxes { x: *x, z: *z }), square),
            Some([x, y, z]) => {
                let n = Axes { z: *z, x: *x, y: *y };
                builtin_volume(name, Some(n), spacing.map(|h| Axes { z: h, x: h, y: h }))
            }
            Some(_) => {
                return Err(
                    Error::input("give the nodes along x and z, or along x, y and z").into()
                );
            }
            None if huygens::model::Builtin::named(name).map_err(Error::from)?.volume => {
                builtin_volume(name, None, spacing.map(|h| Axes { z: h, x: h, y: h }))
            }
            None => builtin(name, None, square),
        };
        Ok(Model(model.map_err(Error::from)?))
    }

    /// The model of a .npy, .npz, .h5, .nc, .rsf, .sgy or .su.
    ///
    /// Parameters
    /// ----------
    /// spacing, axes, array, unit
    ///     What the file does not say: metres between nodes; its axes, slowest first, such as "xz"; which
    ///     of its arrays; and its unit: "ft" is feet and ft/s, "km" km and km/s; "km/s", "ft/s", "s/km" and
    ///     "s2/km2" are of the values alone. The model is in m and m/s.
    #[staticmethod]
    #[pyo3(signature = (path, *, spacing = None, axes = None, array = None, unit = None))]
    fn read(
        py: Python<'_>,
        path: PathBuf,
        spacing: Option<&Bound<'_, PyAny>>,
        axes: Option<String>,
        array: Option<String>,
        unit: Option<String>,
    ) -> PyResult<Self> {
        let spacing = spacing.map(Spacing::of).transpose()?;
        with_messages(py, || {
            let axes =
                axes.map(|axes| axes.parse::<AxisOrder>()).transpose().map_err(Error::input)?;
            let options = ReadOptions {
                axes: axes.as_ref(),
                array: array.as_deref(),
                ..ReadOptions::default()
            };
            let mut file = ModelFile::open(&path, options)?;
            if let Some(unit) = unit {
                file.in_unit(&unit)?;
            }
            let order = file.order(axes.as_ref())?;
            let h = match spacing {
                Some(spacing) => {
                    let h = spacing.axes(order.is_volume())?;
                    file.check_spacing(&order, h)?;
                    h
                }
                None => file.spacing(&order)?,
            };
            let unit = file.value_unit()?;
            for note in file.notes(&order, h) {
                tracing::warn!("{note}");
            }
            Ok::<_, Error>(Model(file.model(&order, h, unit)?))
        })
    }

    /// Writes a .npy, .npz, .h5, .rsf, .sgy, .su, .bin or .vti, by the ending; with force instead of a
    /// file that is there.
    #[pyo3(signature = (path, *, force = false))]
    fn write(&self, py: Python<'_>, path: PathBuf, force: bool) -> PyResult<()> {
        with_messages(py, || {
            let options = WriteOptions { force, ..WriteOptions::default() };
            let output = ModelOutput { path: &path, options, stopped: &|| false };
            output.write(&self.0).map(drop).map_err(Error::input)
        })
    }

    /// m/s, [x][z] of a plane and [y][x][z] of a volume: a copy that cannot be written to, because
    /// the model would not change. Change a .copy() of it, for `with_velocity`.
    #[getter]
    fn velocity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let velocity = nodes(py, self.0.velocity(), self.is_volume())?;
        velocity.getattr("flags")?.setattr("writeable", false)?;
        Ok(velocity)
    }

    /// Metres between nodes along x and z, or along x, y and z: not in the order of the array's axes.
    #[getter]
    fn spacing<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.spacings())
    }

    /// Nodes along each axis, in the order of the array.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.nodes())
    }

    /// Easting, northing and elevation of the first node, metres.
    #[getter]
    fn origin(&self) -> (f64, f64, f64) {
        let at = self.0.placement().origin;
        (at.x, at.y, 0.0 - at.z)
    }

    /// Direction of the x axis, degrees clockwise from north.
    #[getter]
    fn azimuth(&self) -> f64 {
        self.0.placement().azimuth
    }

    /// The side of the x axis on which y lies, "left" or "right".
    #[getter]
    fn y_axis(&self) -> &'static str {
        match self.0.placement().y_axis {
            Side::Left => "left",
            Side::Right => "right",
        }
    }

    /// What it is made of again, where it is copied or pickled.
    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let place = PyDict::new(py);
        place.set_item("origin", self.origin())?;
        place.set_item("azimuth", self.azimuth())?;
        place.set_item("y_axis", self.y_axis())?;
        Ok(((self.velocity(py)?, self.spacing(py)?).into_pyobject(py)?, place))
    }

    /// Other velocities, of the same shape, at the same nodes; the axes of an xarray.DataArray are taken by their
    /// names.
    fn with_velocity(&self, velocity: &Bound<'_, PyAny>) -> PyResult<Self> {
        let labelled = labelled(velocity, ModelQuantity::Velocity)?;
        labelled.as_ref().map_or(Ok(()), |labelled| labelled.check(self.0.grid().h))?;
        let velocity = labelled.as_ref().map_or(velocity, |labelled| &labelled.array);
        let velocity = floats("velocity", velocity)?;
        let own = velocity.shape().to_vec();
        if own != self.nodes() {
            let message = format!(
                "velocity has the shape {}, and the model {}; give a value for each node",
                written(&own),
                written(&self.nodes())
            );
            return Err(Error::input(message).into());
        }
        let (y, x, z) = self.0.velocity().dim();
        let velocity = velocity.to_shape((y, x, z)).expect("as many values").into_owned();
        let h = self.0.grid().h;
        let model = match self.is_volume() {
            true => VelocityModel::volume(velocity, h),
            false => VelocityModel::new(velocity.index_axis_move(Axis(0), 0), h.x, h.z),
        };
        Ok(Model(model.map_err(Error::from)?.placed(*self.0.placement())))
    }

    /// The velocities smoothed by a Gaussian of this length, metres. Ctrl-C ends it.
    fn smoothed(&self, py: Python<'_>, length: f64) -> PyResult<Self> {
        let progress = Progress::new(None);
        let smoothed = || Ok(self.0.smoothed_unless(&|| progress.is_stopped(), length)?);
        with_messages(py, || progress.run(smoothed).map(Model))
    }

    /// A picture of it.
    #[pyo3(signature = (title = "Velocity model"))]
    fn plot(&self, py: Python<'_>, title: &str) -> PyResult<Picture> {
        py.detach(|| {
            png(&*model_figure(
                &self.0,
                ModelQuantity::Velocity,
                title.to_owned(),
                None,
                Marks::default(),
            )?)
        })
        .map_err(Into::into)
    }

    /// The velocities as an xarray.DataArray, with the positions of the nodes in metres from the first.
    fn to_xarray(this: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        let results = this.py().import("huygens.results")?;
        let velocity = this.getattr("velocity")?;
        Ok(results.call_method1("to_xarray", (velocity, this, "velocity", "m/s"))?.unbind())
    }

    fn _repr_html_(this: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Ok(this.py().import("huygens.shown")?.call_method1("html", (this,))?.unbind())
    }

    fn __repr__(&self) -> String {
        let (least, most) = self.0.range();
        format!(
            "Model(shape={}, spacing={:?}, {least} to {most} m/s)",
            written(&self.nodes()),
            self.spacings()
        )
    }
}

impl Model {
    fn spacings(&self) -> Vec<f64> {
        let h = self.0.grid().h;
        if self.is_volume() { vec![h.x, h.y, h.z] } else { vec![h.x, h.z] }
    }

    pub fn nodes(&self) -> Vec<usize> {
        let n = self.0.grid().n;
        if self.is_volume() { vec![n.y, n.x, n.z] } else { vec![n.x, n.z] }
    }

    pub fn is_volume(&self) -> bool {
        self.0.grid().is_volume()
    }
}
