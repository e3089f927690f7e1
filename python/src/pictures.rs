//! Pictures as PNG.

use crate::{
    arrays::{floats, positions, shape, shaped},
    error::Error,
    model::Model,
};
use huygens::{
    io::png::{self as file, About},
    ndarray::{Array2, Array3, ArrayView2, Axis},
    operations::{
        rtm::files::clip,
        shot::files::{PlacedBy, along},
    },
    render::{
        Backdrop, Figure, FigureSize, Gain, GatherFigure, Marks, Plane, Quantity, SampleAxis,
        SnapshotFigure, WiggleFigure,
    },
};
use numpy::PyReadonlyArray2;
use pyo3::{prelude::*, types::PyBytes};
use std::path::PathBuf;

/// A picture: the bytes of a PNG, which notebooks show.
#[pyclass(frozen, module = "huygens")]
pub struct Picture(Vec<u8>);

#[pymethods]
impl Picture {
    /// The bytes of the PNG.
    #[getter]
    fn png<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0)
    }

    fn _repr_png_<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        self.png(py)
    }

    /// Writes it to a .png, instead of one that is there.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        if !path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png")) {
            let message =
                format!("{}: a picture is written as PNG; end its name with .png", path.display());
            return Err(Error::input(message).into());
        }
        huygens::io::whole::write(&path, &self.0, true).map_err(|error| Error::input(error).into())
    }

    fn __repr__(&self) -> String {
        format!("Picture({} bytes)", self.0.len())
    }
}

/// The picture of a figure.
pub fn png(figure: &dyn Figure) -> Result<Picture, Error> {
    let (size, command) = (FigureSize::default(), "huygens for Python".to_owned());
    let about = About { title: figure.title().to_owned(), command, job: None, dpi: size.dpi() };
    Ok(Picture(file::bytes(&figure.draw(size)?, &about)))
}

/// Draws a gather [receiver][time] in shades of grey, or as wiggles.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "the keywords of a Python function")]
pub fn gather(
    py: Python<'_>,
    traces: &Bound<'_, PyAny>,
    interval: f64,
    receivers: PyReadonlyArray2<'_, f64>,
    sources: PyReadonlyArray2<'_, f64>,
    title: String,
    wiggles: bool,
    gain: f64,
    agc: Option<f64>,
    clip: Option<f64>,
) -> PyResult<Picture> {
    let traces: Array2<f32> = shaped("traces", "[receiver][time]", traces)?;
    let by = PlacedBy::recorded(&positions("sources", &sources)?);
    let (positions, across) = along(&positions("receivers", &receivers)?, by);
    py.detach(|| {
        let usual = Gain::default();
        let figure = GatherFigure {
            traces: traces.view(),
            quantity: Quantity::AMPLITUDE,
            samples: SampleAxis::Time,
            interval,
            positions,
            across: across.into(),
            title,
            gain: Gain { power: gain, window: agc, clip: clip.unwrap_or(usual.clip) },
            largest: None,
            zero_line: false,
        };
        match wiggles {
            true => png(&WiggleFigure { gather: figure }),
            false => png(&figure),
        }
    })
    .map_err(Into::into)
}

/// Draws values on the nodes of a model over it: a snapshot, an image or a gradient; of a volume its
/// middle plane.
#[pyfunction]
pub fn section(
    py: Python<'_>,
    values: &Bound<'_, PyAny>,
    model: &Model,
    title: String,
    quantity: &str,
) -> PyResult<Picture> {
    let values = floats("values", values)?;
    let velocity = model.0.velocity();
    let own = values.shape().to_vec();
    let n = velocity.dim();
    let values: Array3<f32> = match own.len() {
        2 => values.insert_axis(Axis(0)).into_dimensionality().expect("three axes"),
        3 => values.into_dimensionality().expect("three axes"),
        _ => Array3::zeros((0, 0, 0)),
    };
    if values.dim() != n {
        let message = format!(
            "values have the shape {}, and the model {}; give a value for each node",
            shape(&own),
            shape(&model.nodes())
        );
        return Err(Error::input(message).into());
    }
    let (quantity, is_wave) = match quantity {
        "pressure" => (Quantity::PRESSURE, true),
        "amplitude" => (Quantity::AMPLITUDE, true),
        "image" => (Quantity::IMAGE, false),
        "gradient" => (Quantity::GRADIENT, false),
        "reflectivity" => (Quantity::REFLECTIVITY, false),
        other => {
            let names = "pressure, amplitude, image, gradient or reflectivity";
            let message = format!("\"{other}\" is no quantity; give {names}");
            return Err(Error::input(message).into());
        }
    };
    py.detach(|| {
        let middle = n.0 / 2;
        let [wavefield, velocity] = [values.view(), velocity]
            .map(|of| -> ArrayView2<'_, f32> { of.index_axis_move(Axis(0), middle) });
        let plane = Plane::Xz;
        let figure = SnapshotFigure {
            plane,
            wavefield,
            quantity,
            velocity,
            backdrop: Backdrop::default(),
            largest: if is_wave { None } else { clip(wavefield) },
            extent: plane.extent(model.0.grid().last()),
            title,
            marks: Marks::default(),
        };
        png(&figure)
    })
    .map_err(Into::into)
}
