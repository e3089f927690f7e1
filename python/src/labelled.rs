//! Models as arrays whose axes have names and coordinates: xarray's.

use crate::error::Error;
use huygens::{
    grid::{Axes, Position},
    io::{file_axis::FileAxis, model_unit::ModelUnit},
    model::ModelQuantity,
};
use pyo3::{prelude::*, types::PyTuple};

/// Coordinates are evenly spaced, and a given spacing is theirs, to this part of it.
const EVEN: f64 = 0.01;
const SAME: f64 = 1e-3;

/// An array with its axes in the order of a model's.
pub struct Labelled<'py> {
    pub array: Bound<'py, PyAny>,
    /// What the coordinates of each axis say, if it has any.
    axes: Axes<Option<Coordinates>>,
    is_volume: bool,
}

/// Evenly spaced coordinates, metres.
#[derive(Clone, Copy)]
struct Coordinates {
    first: f64,
    /// None of a single one.
    spacing: Option<f64>,
}

impl Labelled<'_> {
    /// Metres between nodes, if all axes have coordinates.
    pub fn spacing(&self) -> Option<Axes<f64>> {
        let [x, y, z] = self.each().map(|(_, axis)| axis.and_then(|axis| axis.spacing));
        let y = if self.is_volume { y } else { x };
        Some(Axes { z: z?, x: x?, y: y? })
    }

    /// Returns an error if a spacing is not that of the coordinates.
    pub fn check(&self, h: Axes<f64>) -> Result<(), Error> {
        for ((name, axis), given) in self.each().into_iter().zip([h.x, h.y, h.z]) {
            let Some(own) = axis.and_then(|axis| axis.spacing) else { continue };
            if (own - given).abs() > SAME * own {
                let own = (1e6 * own).round() / 1e6;
                return Err(Error::input(format!(
                    "the coordinates of {name} are {own} m apart, and spacing is {given} m; leave spacing out, or drop the coordinates with .drop_vars(\"{name}\")"
                )));
            }
        }
        Ok(())
    }

    /// The coordinates of the first node, 0 along axes without.
    pub fn first(&self) -> Position {
        let [x, y, z] = self.each().map(|(_, axis)| axis.map_or(0.0, |axis| axis.first));
        Position { x, y, z }
    }

    fn each(&self) -> [(char, Option<Coordinates>); 3] {
        [('x', self.axes.x), ('y', self.axes.y), ('z', self.axes.z)]
    }
}

/// Values of a model whose axes have names; `None` of an array without.
pub fn labelled<'py>(
    values: &Bound<'py, PyAny>,
    quantity: ModelQuantity,
) -> Result<Option<Labelled<'py>>, Error> {
    let dims = values.getattr("dims").and_then(|dims| dims.extract::<Vec<String>>());
    let Ok(dims) = dims else { return Ok(None) };
    if let Some(unit) = unit(values)?
        && ModelUnit::of(&unit, quantity) != Some(ModelUnit::own(quantity))
    {
        let (name, own) = (quantity.name(), quantity.unit());
        return Err(Error::input(format!("{name} is in {unit}; give {own}")));
    }
    // xarray calls axes so that were given no name.
    if dims.iter().enumerate().all(|(index, name)| *name == format!("dim_{index}")) {
        return Ok(None);
    }
    let Some(Axes { z, x, y }) = named(&dims, quantity)? else { return Ok(None) };
    let order: Vec<&String> = [y, Some(x), Some(z)].into_iter().flatten().collect();
    let axes = Axes {
        z: coordinates(values, z)?,
        x: coordinates(values, x)?,
        y: y.map(|y| coordinates(values, y)).transpose()?.flatten(),
    };
    let array = values.call_method1("transpose", PyTuple::new(values.py(), order)?)?;
    Ok(Some(Labelled { array, axes, is_volume: y.is_some() }))
}

/// The names of a model's axes, `None` of neither a plane nor a volume. In a plane that names its
/// depth the other axis is x.
fn named(
    dims: &[String],
    quantity: ModelQuantity,
) -> Result<Option<Axes<&String, Option<&String>>>, Error> {
    let letter =
        |name: &String| FileAxis { label: Some(name.clone()), ..FileAxis::default() }.letter();
    let letters: Vec<Option<char>> = dims.iter().map(letter).collect();
    let of = |wanted: char| {
        let mut all = dims.iter().zip(&letters).filter(|(_, letter)| **letter == Some(wanted));
        all.next().map(|(name, _)| name).filter(|_| all.next().is_none())
    };
    let (names, shape) = match dims {
        [first, second] => {
            let z = of('z');
            let other = z.map(|z| if z == first { second } else { first });
            (z.zip(other).map(|(z, x)| Axes { z, x, y: None }), "[x][z]")
        }
        [_, _, _] => match (of('z'), of('x'), of('y')) {
            (Some(z), Some(x), y @ Some(_)) => (Some(Axes { z, x, y }), "[y][x][z]"),
            _ => (None, "[y][x][z]"),
        },
        _ => return Ok(None),
    };
    names.map(Some).ok_or_else(|| {
        let wanted = if dims.len() == 2 { "x and z" } else { "x, y and z" };
        Error::input(format!(
            "{} has the axes {}; name them {wanted} with .rename, or give its .values, {shape}",
            quantity.name(),
            dims.join(" and ")
        ))
    })
}

/// First coordinate and spacing of an axis, metres; `None` if it has no coordinates.
fn coordinates(array: &Bound<'_, PyAny>, name: &str) -> Result<Option<Coordinates>, Error> {
    let Ok(all) = array.getattr("coords") else { return Ok(None) };
    if !all.contains(name)? {
        return Ok(None);
    }
    let coordinate = array.get_item(name)?;
    let at: Vec<f64> = coordinate
        .getattr("values")?
        .call_method1("astype", ("float64",))?
        .call_method0("tolist")?
        .extract()?;
    let (Some(first), Some(last)) = (at.first(), at.last()) else { return Ok(None) };
    let h = (last - first) / (at.len() - 1).max(1) as f64;
    let is_even = |(index, at): (usize, &f64)| (at - first - index as f64 * h).abs() <= EVEN * h;
    if !(first.is_finite() && at.iter().enumerate().all(is_even)) || (at.len() > 1 && h <= 0.0) {
        return Err(Error::input(format!(
            "the coordinates of {name} do not rise evenly from {first} to {last}; resample the model, or drop them with .drop_vars(\"{name}\") and give spacing"
        )));
    }
    let axis = FileAxis { unit: unit(&coordinate)?, ..FileAxis::default() };
    let metres = axis.scale();
    let metres = metres.map_err(|unit| {
        Error::input(format!("the coordinates of {name} are in {unit}; give metres"))
    })?;
    let spacing = (at.len() > 1).then_some(h * metres);
    Ok(Some(Coordinates { first: first * metres, spacing }))
}

/// What an array says of its unit.
fn unit(array: &Bound<'_, PyAny>) -> Result<Option<String>, Error> {
    let Ok(attributes) = array.getattr("attrs") else { return Ok(None) };
    Ok(attributes.call_method1("get", ("units",))?.extract().ok())
}
