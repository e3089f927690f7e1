//! Arrays over the nodes of a model in files that others read: SEG-Y and RSF with their place on the map.

use super::{Results, ResultsError, job_line, written};
use crate::{
    grid::Grid,
    io::{
        file_axis::FileAxis,
        rsf::{self, Description},
        segy::{ByteOrder, Format, IntervalUnit, LengthUnit, ModelSpec, Revision, write_model},
    },
    job::ImageFormat,
    model::Placement,
    program::PROGRAM,
};
use ndarray::{Array3, ArrayViewD};

/// How arrays over the nodes of a model are written.
pub(crate) struct MapFiles<'a> {
    pub(crate) results: &'a Results<'a>,
    pub(crate) formats: &'a [ImageFormat],
    pub(crate) grid: &'a Grid,
    pub(crate) placement: Placement,
    /// What textual headers begin with.
    pub(crate) heading: &'a str,
}

/// The values of an RSF file.
#[derive(Clone, Copy)]
pub(crate) struct ValueLabel<'a> {
    pub(crate) label: &'a str,
    /// "" without one, or if it is not known.
    pub(crate) unit: &'a str,
}

impl MapFiles<'_> {
    /// Writes an array `[y][x][z]` in each format; `what` names it in the textual header.
    pub(crate) fn write(
        &self,
        name: &str,
        label: ValueLabel<'_>,
        what: &str,
        values: &Array3<f32>,
    ) -> Result<(), ResultsError> {
        self.arrays(name, label, values)?;
        match self.formats.contains(&ImageFormat::Sgy) {
            true => self.traces(name, what, values),
            false => Ok(()),
        }
    }

    /// Writes an array `[y][x][z]` as .npy and RSF, if they are asked for.
    pub(crate) fn arrays(
        &self,
        name: &str,
        label: ValueLabel<'_>,
        values: &Array3<f32>,
    ) -> Result<(), ResultsError> {
        let y = self.grid.is_volume().then(|| axis("Y", "m", 0.0, self.grid.h.y));
        self.array(name, label, written(values), y.as_slice())
    }

    /// Writes an array whose last axes are x and z, behind these, as .npy and RSF, if they are asked for.
    pub(crate) fn array(
        &self,
        name: &str,
        ValueLabel { label, unit }: ValueLabel<'_>,
        values: ArrayViewD<'_, f32>,
        first: &[FileAxis],
    ) -> Result<(), ResultsError> {
        let (h, placement) = (self.grid.h, self.placement);
        if self.formats.contains(&ImageFormat::Rsf) {
            let plane = [axis("X", "m", 0.0, h.x), axis("Depth", "m", 0.0, h.z)];
            let axes = &[first, &plane].concat();
            let bytes = rsf::whole(values.view(), Description { axes, label, unit, placement });
            self.results.folder.write(&format!("{name}.rsf"), &bytes)?;
        }
        match self.formats.contains(&ImageFormat::Npy) {
            true => self.results.array(&format!("{name}.npy"), values),
            false => Ok(()),
        }
    }

    /// Writes an array `[y][x][z]` as SEG-Y.
    pub(crate) fn traces(
        &self,
        name: &str,
        what: &str,
        values: &Array3<f32>,
    ) -> Result<(), ResultsError> {
        let (unit, interval) = IntervalUnit::of(self.grid.h.z);
        let spec = ModelSpec {
            text: vec![
                format!("{}, {what}, by {PROGRAM}", self.heading),
                job_line(self.results.file),
                unit.line(),
                format!("Samples are depths, {} m apart from 0", self.grid.h.z),
            ],
            spacing: (self.grid.h.x, self.grid.h.y),
            interval,
            revision: Revision::default(),
            format: Format::F32,
            order: ByteOrder::Big,
            unit: LengthUnit::Metre,
            placement: self.placement,
        };
        let traces = write_model(Vec::new(), values.view(), spec).map_err(ResultsError::failed)?;
        Ok(self.results.folder.write(&format!("{name}.sgy"), &traces)?)
    }
}

/// An axis as named in a file of Madagascar.
pub(crate) fn axis(label: &str, unit: &str, origin: f64, spacing: f64) -> FileAxis {
    FileAxis {
        label: Some(label.into()),
        unit: Some(unit.into()),
        origin: Some(origin),
        spacing: Some(spacing),
    }
}
