//! Settings for reading a model's file.

use super::{Format, ModelFileError};
use crate::{
    grid::Axes,
    model::{AxisOrder, ModelQuantity},
    segy::Overrides,
};

/// Settings beside a file's name.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOptions<'a> {
    /// What its values are.
    pub quantity: ModelQuantity,
    /// The order of its axes.
    pub axes: Option<&'a AxisOrder>,
    /// The nodes of a raw file; `None` along y in 2-D.
    pub nodes: Option<Axes<Option<usize>>>,
    /// Name of the array in a .npz or HDF5 file; of a density its name, if there is one, or the only array.
    pub array: Option<&'a str>,
    /// Metres per unit of the traces' sample-interval field.
    pub sample_interval: Option<f64>,
    /// In place of the headers of traces: the format of their samples, and where numbers are.
    pub headers: Overrides,
}

impl ReadOptions<'_> {
    /// The array to look for first.
    pub(super) fn named(&self) -> Option<&str> {
        self.array.or(self.guesses().then(|| self.quantity.name()))
    }

    /// True if a density, epsilon or delta of no given name may lie beside other arrays.
    pub(super) fn guesses(&self) -> bool {
        self.array.is_none() && self.quantity != ModelQuantity::Velocity
    }

    /// Checks that they apply to a format.
    pub(super) fn check(self, format: Format) -> Result<(), ModelFileError> {
        if self.nodes.is_some() && format != Format::Raw {
            return Err(ModelFileError::Nodes);
        }
        if self.array.is_some() && !matches!(format, Format::Npz | Format::Hdf5) {
            return Err(ModelFileError::Array);
        }
        if self.axes.is_some() && format.is_traces() {
            return Err(ModelFileError::TraceAxes { what: format.kind() });
        }
        if self.sample_interval.is_some() && !format.is_traces() {
            return Err(ModelFileError::SampleInterval);
        }
        if self.headers != Overrides::default() && !format.is_traces() {
            return Err(ModelFileError::SegyFields);
        }
        Ok(())
    }
}
