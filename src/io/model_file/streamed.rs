//! Models that stay in their files of traces: some columns at a time are in memory.

use super::{Format, ModelFile, ModelFileError, ReadOptions, traces};
use crate::{
    column_stream::ColumnStream,
    grid::{Axes, Grid},
    model::{AxisOrder, ModelError, Placement},
    model_unit::ModelUnit,
    segy::ModelColumns,
};
use std::{
    fs::File,
    io::{self, BufReader},
    path::Path,
};

pub(crate) use traces::InFile;

/// A model in a file.
#[derive(Debug)]
pub struct StreamedModel {
    /// Its grid.
    pub grid: Grid,
    /// Where it lies on the map.
    pub placement: Placement,
    /// Its smallest and largest value, m/s or kg/m3.
    pub range: (f32, f32),
    unit: ModelUnit,
    columns: ModelColumns<BufReader<File>>,
    converted: Vec<f32>,
}

impl ModelFile<InFile> {
    /// Reads a file of traces but for its samples; `None` for another format, and for a file that
    /// must be in memory: its traces are in another order than the columns, or a sample is not
    /// finite.
    pub fn scan(path: &Path, options: ReadOptions<'_>) -> Result<Option<Self>, ModelFileError> {
        let format = Format::of(path)?;
        options.check(format)?;
        if !format.is_traces() {
            return Ok(None);
        }
        let scanned = traces::scan(path, format, options)?;
        Ok(scanned.map(|array| {
            let (ny, nx, nz) = array.values.unread.shape;
            let shape = if ny == 1 { vec![nx, nz] } else { vec![ny, nx, nz] };
            ModelFile::of(path, format, options.quantity, shape, array)
        }))
    }

    /// [`ModelFile::model`]; `None` if a value is not positive.
    pub fn streamed(
        self,
        order: &AxisOrder,
        h: Axes<f64>,
        unit: ModelUnit,
    ) -> Result<Option<StreamedModel>, ModelFileError> {
        let placement = self.placement(order);
        let InFile { reader, unread } = self.values;
        let (ny, nx, nz) = unread.shape;
        let h = if order.is_volume() { h } else { Axes { y: 1.0, ..h } };
        let grid = Grid::volume(Axes { z: nz, x: nx, y: ny }, h).map_err(ModelError::from)?;
        // A velocity rises or falls with the value.
        let [a, b] = [unread.range.0, unread.range.1].map(|v| unit.own_value(v.into()) as f32);
        let range = (a.min(b), a.max(b));
        let columns = ModelColumns::new(reader);
        let model = StreamedModel { grid, placement, range, unit, columns, converted: Vec::new() };
        let sound = |v: f32| v.is_finite() && v > 0.0;
        Ok((sound(a) && sound(b)).then_some(model))
    }
}

impl ColumnStream for StreamedModel {
    fn next_columns(&mut self) -> io::Result<Option<&[f32]>> {
        let Some(values) = self.columns.next_columns()? else { return Ok(None) };
        if self.unit.is_own() {
            return Ok(Some(values));
        }
        let own = |v: &f32| self.unit.own_value(f64::from(*v)) as f32;
        self.converted.clear();
        self.converted.extend(values.iter().map(own));
        Ok(Some(&self.converted))
    }
}
