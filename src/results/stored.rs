//! Results in files, and their pictures: what an operation draws as it runs, `huygens plot` draws again.
//!
//! Each operation has a list of the pictures of its results (`PICTURES`), by the same functions as its run.

use super::{Caption, Cut, percentile};
use crate::{
    job::{Inputs, JobError, JobFile},
    model::VelocityModel,
    ndarray::{ArrayD, ArrayView3, ArrayViewD, Axis, Ix3},
    render::{Figure, LeastSize, ModelFigure, Quantity, RenderError, ThreePlaneFigure},
};
use serde_json::Value;
use std::path::Path;

/// A result in a file, its run, and what is drawn of it.
pub(crate) struct StoredResult<'a> {
    pub(crate) path: &'a Path,
    pub(crate) values: ArrayD<f32>,
    /// The command of the run.
    pub(crate) command: &'a str,
    pub(crate) file: &'a JobFile,
    /// The record of the run.
    pub(crate) record: &'a Value,
    pub(crate) model: &'a VelocityModel,
    /// Number of a snapshot, from 1.
    pub(crate) number: Option<usize>,
    pub(crate) percentile: Option<f64>,
    /// Value at the ends of the colours.
    pub(crate) largest: Option<f32>,
}

/// Takes the picture of a result.
pub(crate) trait Easel {
    /// Takes a figure with this least size.
    fn take(&mut self, figure: &mut dyn Figure, least: LeastSize);
}

/// How some results are drawn.
pub(crate) struct ResultPicture {
    /// True for these results.
    pub(crate) is_of: fn(&StoredResult<'_>) -> bool,
    pub(crate) draw: fn(&StoredResult<'_>, &mut dyn Easel) -> Result<(), JobError>,
}

/// Any field over the nodes of the model.
pub(crate) const FIELD: ResultPicture =
    ResultPicture { is_of: |_| true, draw: |of, easel| of.draw_map(Quantity::AMPLITUDE, easel) };

impl StoredResult<'_> {
    /// The name of the file without its ending.
    pub(crate) fn stem(&self) -> &str {
        self.path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default()
    }

    /// Draws it as the first of the pictures that is of it.
    pub(crate) fn draw(
        &self,
        pictures: &[&[ResultPicture]],
        easel: &mut dyn Easel,
    ) -> Result<(), JobError> {
        let mut all = pictures.iter().copied().flatten();
        let picture = all.find(|picture| (picture.is_of)(self)).unwrap_or(&FIELD);
        (picture.draw)(self, easel)
    }

    /// The error of an array of another shape than the job gives it.
    pub(crate) fn unlike(&self) -> JobError {
        let (grid, shape) = (self.model.grid(), self.values.shape());
        let n = grid.n;
        let nodes = match grid.is_volume() {
            true => format!("{} x {} x {} nodes along y, x and z", n.y, n.x, n.z),
            false => format!("{} x {} nodes along x and z", n.x, n.z),
        };
        JobError::other(format!(
            "{} has the shape {shape:?}, and the model of its run {nodes}; move the file beside the record of its own run, or draw it \
             with huygens model plot",
            self.path.display()
        ))
    }

    /// The inputs of the job, and the index of the shot of the file.
    pub(crate) fn inputs(&self) -> Result<(Inputs, usize), JobError> {
        let inputs = self.file.inputs()?;
        // Shots have folders.
        let mut names = self.path.ancestors().filter_map(|folder| folder.file_name()?.to_str());
        let number = names.find_map(|name| name.strip_prefix("shot")?.parse::<usize>().ok());
        let shot = number.map_or(0, |number| number.saturating_sub(1));
        let shot = shot.min(inputs.plan.shots.len().saturating_sub(1));
        Ok((inputs, shot))
    }

    /// Values on the nodes of the model, as `[y][x][z]`.
    pub(crate) fn field<'v>(
        &self,
        values: ArrayViewD<'v, f32>,
    ) -> Result<ArrayView3<'v, f32>, JobError> {
        let grid = self.model.grid();
        let whole = if grid.is_volume() { values } else { values.insert_axis(Axis(0)) };
        let whole = whole.into_dimensionality::<Ix3>().ok();
        whole.filter(|field| field.dim() == grid.shape()).ok_or_else(|| self.unlike())
    }

    /// The least size of a picture of the whole model.
    pub(crate) fn least(&self) -> LeastSize {
        match self.model.grid().is_volume() {
            true => ThreePlaneFigure::LEAST,
            false => ModelFigure::LEAST,
        }
    }

    /// Draws the middle plane of a field over the model.
    pub(crate) fn draw_map(
        &self,
        quantity: Quantity,
        easel: &mut dyn Easel,
    ) -> Result<(), JobError> {
        let cut = Cut::middle(self.model.grid());
        let shown = cut.of(self.field(self.values.view())?);
        let largest =
            self.percentile.map(|percent| percentile(shown.iter(), percent).unwrap_or(1.0));
        let caption =
            Caption { title: self.stem().to_owned(), quantity, largest, ..Caption::default() };
        easel.take(&mut cut.clipped_map(shown, self.file, self.model, caption), ModelFigure::LEAST);
        Ok(())
    }
}

/// The error of a figure that is none.
pub(crate) fn undrawn(error: RenderError) -> JobError {
    JobError::other(error)
}
