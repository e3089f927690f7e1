//! A model in a NumPy archive of our own: `velocity` or `density`, and beside it `spacing`, its axes in
//! `axes.txt` and, if it is placed, the numbers of its placement.

use super::ModelFileError;
use crate::{
    file_axis::{FileArray, FileAxis},
    grid::Axes,
    model::{AxisOrder, ModelQuantity, Placement},
    npz::{self, Array, NpzError, Text},
    placement,
    whole::WholeError,
};
use ndarray::{Array1, ArrayViewD};
use std::path::Path;

/// The member that names the axes, slowest first, such as `xz`.
const AXES: &str = "axes.txt";

/// Reads the array of a name, or the only one, or the quantity in a file of ours.
pub(super) fn read(
    path: &Path,
    wanted: Option<&str>,
    quantity: ModelQuantity,
) -> Result<FileArray, ModelFileError> {
    let numbers = |name: &str| match npz::read::<f64>(path, Some(name)) {
        Ok(of) => Ok(Some(of.into_iter().collect::<Vec<_>>())),
        Err(NpzError::Which { .. }) => Ok(None),
        Err(error) => Err(error),
    };
    let described = npz::text(path, AXES)?.and_then(|text| text.trim().parse::<AxisOrder>().ok());
    let Some(order) = described else {
        return Ok(FileArray::of(npz::read(path, wanted)?));
    };
    let values = npz::read(path, wanted.or(Some(quantity.name())))?;
    let spacing = numbers("spacing")?.unwrap_or_default();
    let axis = |(index, letter): (usize, char)| FileAxis {
        label: Some(letter.into()),
        unit: Some("m".into()),
        origin: None,
        spacing: spacing.get(index).copied(),
    };
    let axes = order.to_string().chars().enumerate().map(axis).collect();
    let of = |name: &str| numbers(name).unwrap_or(Some(Vec::new()));
    let placement = placement::of_numbers(of).map_err(|(array, remedy)| {
        let reason = format!("its array {array} is no place; {remedy}");
        NpzError::Format { path: path.display().to_string(), reason }
    })?;
    Ok(FileArray { axes, placement, ..FileArray::of(values) })
}

/// What is written beside the values of a model.
pub(super) struct ModelHeading<'a> {
    pub(super) quantity: ModelQuantity,
    /// Metres between nodes.
    pub(super) h: Axes<f64>,
    pub(super) placement: &'a Placement,
}

/// Writes a model of these axes.
pub(super) fn write(
    path: &Path,
    values: ArrayViewD<'_, f32>,
    order: &AxisOrder,
    ModelHeading { quantity, h, placement }: ModelHeading<'_>,
    force: bool,
) -> Result<(), WholeError> {
    let mut numbers = placement::numbers(placement);
    numbers.insert(0, ("spacing", order.in_order(h)));
    let numbers: Vec<_> =
        numbers.into_iter().map(|(name, of)| (name, Array1::from(of).into_dyn())).collect();
    let mut arrays = vec![(quantity.name().to_owned(), Array::F32(values))];
    arrays.extend(numbers.iter().map(|(name, of)| (name.to_string(), Array::F64(of.view()))));
    npz::write(path, Text { name: AXES, text: &order.to_string() }, &arrays, force)
}
