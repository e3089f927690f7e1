//! Models as arrays whose axes have names and coordinates: xarray's.

use crate::error::Error;
use huygens::io::{file_axis::FileAxis, velocity_unit::VelocityUnit};
use pyo3::prelude::*;

/// Coordinates are evenly spaced to this part of their spacing.
const EVEN: f64 = 0.01;

/// An array with its axes in the order of a model's.
pub struct Labelled<'py> {
    pub array: Bound<'py, PyAny>,
    /// Metres between nodes along x and z, or x, y and z, if all axes have coordinates.
    pub spacing: Option<Vec<f64>>,
}

/// Velocities whose axes have names; `None` of an array without, or with others than a model's.
pub fn labelled<'py>(velocity: &Bound<'py, PyAny>) -> Result<Option<Labelled<'py>>, Error> {
    let dims = velocity.getattr("dims").and_then(|dims| dims.extract::<Vec<String>>());
    let letter =
        |name: &String| FileAxis { label: Some(name.clone()), ..FileAxis::default() }.letter();
    let axes: Vec<(String, char)> =
        dims.iter().flatten().filter_map(|name| Some((name.clone(), letter(name)?))).collect();
    let ordered = |letters: &str| -> Option<Vec<&String>> {
        let named = |of: char| axes.iter().find(|(_, letter)| *letter == of).map(|(name, _)| name);
        letters.chars().map(named).collect()
    };
    let (order, along) = match dims.map_or(0, |dims| dims.len()) {
        2 => (ordered("xz"), ordered("xz")),
        3 => (ordered("yxz"), ordered("xyz")),
        _ => (None, None),
    };
    let (Some(order), Some(along)) = (order, along) else { return Ok(None) };
    if let Some(unit) = unit(velocity)?
        && VelocityUnit::of(&unit) != Some(VelocityUnit::SI)
    {
        return Err(Error::input(format!("velocity is in {unit}; give m/s")));
    }
    let spacing = along.into_iter().map(|name| spacing(velocity, name));
    let spacing = spacing.collect::<Result<Option<Vec<f64>>, Error>>()?;
    let array =
        velocity.call_method1("transpose", pyo3::types::PyTuple::new(velocity.py(), order)?)?;
    Ok(Some(Labelled { array, spacing }))
}

/// Metres from one coordinate of an axis to the next; `None` if it has none.
fn spacing(array: &Bound<'_, PyAny>, name: &str) -> Result<Option<f64>, Error> {
    if !array.getattr("coords")?.contains(name)? {
        return Ok(None);
    }
    let coordinate = array.get_item(name)?;
    let at: Vec<f64> = coordinate
        .getattr("values")?
        .call_method1("astype", ("float64",))?
        .call_method0("tolist")?
        .extract()?;
    let [first, .., last] = at[..] else { return Ok(None) };
    let h = (last - first) / (at.len() - 1) as f64;
    let is_even = |(index, at): (usize, &f64)| (at - first - index as f64 * h).abs() <= EVEN * h;
    if !(h > 0.0 && at.iter().enumerate().all(is_even)) {
        return Err(Error::input(format!(
            "the coordinates of {name} do not rise evenly from {first} to {last}; resample the model, or give spacing"
        )));
    }
    let axis = FileAxis { unit: unit(&coordinate)?, ..FileAxis::default() };
    let metres = axis.scale();
    let metres = metres.map_err(|unit| {
        Error::input(format!("the coordinates of {name} are in {unit}; give metres"))
    })?;
    Ok(Some(h * metres))
}

/// What an array says of its unit.
fn unit(array: &Bound<'_, PyAny>) -> Result<Option<String>, Error> {
    let unit = array.getattr("attrs")?.call_method1("get", ("units",))?;
    Ok(unit.extract().ok())
}
