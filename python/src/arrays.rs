//! NumPy arrays as the library's, and back.

use crate::error::Error;
use huygens::{
    check_memory,
    grid::Position,
    ndarray::{Array1, Array2, Array3, ArrayD, ArrayView3, Axis, Dimension, Ix2},
    single::Single,
};
use numpy::{
    Element, IntoPyArray, PyArray, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods,
    PyReadonlyArray2, PyUntypedArray, PyUntypedArrayMethods, ToPyArray, dtype, ndarray,
};
use pyo3::prelude::*;
use rayon::prelude::*;

/// A shape as Python writes it.
pub fn shape(of: &[usize]) -> String {
    match of {
        [one] => format!("({one},)"),
        _ => format!("({})", of.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// An array, or what NumPy makes one of, of floats or integers of any layout, as f32; `what` names
/// it in messages.
pub fn floats(what: &str, array: &Bound<'_, PyAny>) -> Result<ArrayD<f32>, Error> {
    let array = in_f32(what, array)?;
    check_copy(what, array.len(), size_of::<f32>())?;
    Ok(array.readonly().as_array().to_owned())
}

/// Returns an error for a copy of so many values that the memory does not hold.
fn check_copy(what: &str, count: usize, each: usize) -> Result<(), Error> {
    Ok(check_memory(&format!("a copy of {what}"), count.saturating_mul(each) as u64)?)
}

fn in_f32<'py>(
    what: &str,
    array: &Bound<'py, PyAny>,
) -> Result<Bound<'py, PyArrayDyn<f32>>, Error> {
    let made;
    let untyped = match array.cast::<PyUntypedArray>() {
        Ok(untyped) => untyped,
        Err(_) => {
            made = of_numpy(what, array)?;
            &made
        }
    };
    check_mask(what, untyped)?;
    let kind = untyped.dtype().kind();
    if !b"fiu".contains(&kind) {
        return Err(Error::input(format!(
            "{what} is of type {}; give real numbers, such as float32",
            untyped.dtype()
        )));
    }
    if !untyped.dtype().is_equiv_to(&dtype::<f32>(untyped.py())) {
        check_copy(what, untyped.len(), size_of::<f32>())?;
    }
    Ok(match untyped.cast::<PyArrayDyn<f32>>() {
        Ok(array) => array.clone(),
        Err(_) => untyped.call_method1("astype", ("float32",))?.cast_into().map_err(PyErr::from)?,
    })
}

/// What NumPy makes of a list, or of another package's array.
fn of_numpy<'py>(
    what: &str,
    array: &Bound<'py, PyAny>,
) -> Result<Bound<'py, PyUntypedArray>, Error> {
    let numpy = array.py().import("numpy")?;
    let refused = |why| {
        let kind = array.get_type().name().map(|name| name.to_string()).unwrap_or_default();
        Error::input(format!("{what} is a {kind}; give a NumPy array of numbers{why}"))
    };
    let made = numpy.call_method1("asarray", (array,));
    let made = made.map_err(|why| refused(format!(" ({})", why.value(array.py()))))?;
    let made = made.cast_into::<PyUntypedArray>().map_err(|_| refused(String::new()))?;
    // Of what it knows nothing of it makes an array of objects.
    if made.dtype().kind() == b'O' { Err(refused(String::new())) } else { Ok(made) }
}

/// Returns an error for a masked array of which something is masked: it would be lost.
fn check_mask(what: &str, array: &Bound<'_, PyUntypedArray>) -> Result<(), Error> {
    let masked = array.py().import("numpy.ma")?;
    if !masked.call_method1("is_masked", (array,))?.extract::<bool>()? {
        return Ok(());
    }
    let count: usize = masked.call_method1("count_masked", (array,))?.extract()?;
    Err(Error::input(format!(
        "{what} has {count} masked values, which no run leaves out; fill them first, with .filled(value)"
    )))
}

/// [`floats`] of a number of axes.
pub fn shaped<D: Dimension>(
    what: &str,
    axes: &str,
    array: &Bound<'_, PyAny>,
) -> Result<ndarray::Array<f32, D>, Error> {
    let array = floats(what, array)?;
    let own = array.shape().to_vec();
    array
        .into_dimensionality()
        .map_err(|_| Error::input(format!("{what} has the shape {}; give {axes}", shape(&own))))
}

const SHAPE: &str = "[receiver][time], or [shot][receiver][time], or a list of the first";

/// Gathers: an array [receiver][time], or [shot][receiver][time], or a list of gathers or of the
/// traces of one.
pub fn gathers(what: &str, given: &Bound<'_, PyAny>) -> Result<Vec<Array2<f32>>, Error> {
    if !given.is_instance_of::<PyUntypedArray>() && !given.hasattr("__array__")? {
        return listed(what, given);
    }
    let array = in_f32(what, given)?;
    check_copy(what, array.len(), size_of::<f32>())?;
    let array = array.readonly();
    let array = array.as_array();
    let own = array.shape().to_vec();
    let owned = |of: ndarray::ArrayViewD<'_, f32>| {
        of.as_standard_layout().into_owned().into_dimensionality().expect("two axes")
    };
    match own.len() {
        2 => Ok(vec![owned(array)]),
        // Surveys are gigabytes.
        3 => Ok(array.outer_iter().collect::<Vec<_>>().into_par_iter().map(owned).collect()),
        _ => Err(Error::input(format!("{what} has the shape {}; give {SHAPE}", shape(&own)))),
    }
}

/// The gathers of a list of them, or of a list of traces.
fn listed(what: &str, given: &Bound<'_, PyAny>) -> Result<Vec<Array2<f32>>, Error> {
    let each =
        given.try_iter().map_err(|_| Error::input(format!("{what} is no array; give {SHAPE}")))?;
    let each = each.map(|each| floats(what, &each?)).collect::<Result<Vec<_>, Error>>()?;
    let samples = each.first().filter(|first| first.ndim() == 1).map(|first| first.len());
    if let Some(samples) = samples {
        // Traces of one gather.
        if let Some(other) = each.iter().find(|of| of.ndim() != 1 || of.len() != samples) {
            return Err(Error::input(format!(
                "{what} has a trace of {samples} samples and one of the shape {}; give {SHAPE}",
                shape(other.shape())
            )));
        }
        let all = each.iter().flatten().copied().collect();
        let gather = Array2::from_shape_vec((each.len(), samples), all);
        return Ok(vec![gather.expect("as many samples of each")]);
    }
    let gather = |each: ArrayD<f32>| {
        let own = each.shape().to_vec();
        each.into_dimensionality::<Ix2>().map_err(|_| {
            Error::input(format!("{what} has the shape {}; give {SHAPE}", shape(&own)))
        })
    };
    each.into_iter().map(gather).collect()
}

/// Positions of shape [position][2], x and z, or [position][3], x, y and z, metres.
pub fn positions(what: &str, array: &PyReadonlyArray2<'_, f64>) -> Result<Vec<Position>, Error> {
    let array = array.as_array();
    let (count, axes) = array.dim();
    let at = |row: ndarray::ArrayView1<'_, f64>| match axes {
        2 => Position { x: row[0], y: 0.0, z: row[1] },
        _ => Position { x: row[0], y: row[1], z: row[2] },
    };
    match axes {
        2 | 3 => Ok(array.outer_iter().map(at).collect()),
        _ => Err(Error::input(format!(
            "{what} has the shape ({count}, {axes}); give a row of x and z, or of x, y and z, for each"
        ))),
    }
}

/// Rows of x, y and z.
pub fn rows<'py>(py: Python<'py>, at: &[Position]) -> Bound<'py, PyArray<f64, Ix2>> {
    Array2::from_shape_fn((at.len(), 3), |(row, axis)| [at[row].x, at[row].y, at[row].z][axis])
        .into_pyarray(py)
}

/// An array [y][x][z], of a plane [x][z].
pub fn nodes<'py, T: Element + Copy>(
    py: Python<'py>,
    values: ArrayView3<'_, T>,
    is_volume: bool,
) -> Result<Bound<'py, PyAny>, Error> {
    check_copy("the values", values.len(), size_of::<T>())?;
    Ok(match is_volume {
        true => values.to_pyarray(py).into_any(),
        false => values.index_axis(Axis(0), 0).to_pyarray(py).into_any(),
    })
}

/// [`nodes`] of an array that is not needed any more.
pub fn own_nodes<T: Element + Copy>(
    py: Python<'_>,
    values: Array3<T>,
    is_volume: bool,
) -> Bound<'_, PyAny> {
    match is_volume {
        true => values.into_pyarray(py).into_any(),
        false => values.remove_axis_first().into_pyarray(py).into_any(),
    }
}

/// Values on the model's nodes in f32, or in f64 where f32 does not hold them.
pub fn own_values(py: Python<'_>, values: Array3<f64>, is_volume: bool) -> Bound<'_, PyAny> {
    match Single::of(&values) {
        Single { values, unit: 1.0 } => own_nodes(py, values, is_volume),
        _ => own_nodes(py, values, is_volume),
    }
}

trait RemoveFirst<T> {
    fn remove_axis_first(self) -> Array2<T>;
}

impl<T> RemoveFirst<T> for Array3<T> {
    fn remove_axis_first(self) -> Array2<T> {
        self.index_axis_move(Axis(0), 0)
    }
}

/// Samples of one axis.
pub fn samples(what: &str, array: &Bound<'_, PyAny>) -> Result<Array1<f32>, Error> {
    shaped(what, "[time]", array)
}
