//! Images, illuminations and gathers of migrations in files as pictures.

use super::panels::{Panels, axis};
use crate::{
    job::JobError,
    ndarray::Ix3,
    render::{PageFigure, Quantity},
    results::{Easel, ResultPicture, StoredResult},
};

/// The pictures of a migration.
pub(crate) const PICTURES: &[ResultPicture] = &[
    ResultPicture { is_of: |of| axis_of(of).is_some(), draw: panels },
    ResultPicture {
        is_of: |of| of.stem() == "illumination",
        draw: |of, easel| of.draw_map(Quantity::ILLUMINATION, easel),
    },
    ResultPicture {
        is_of: |of| of.command != "zero-offset",
        draw: |of, easel| of.draw_map(Quantity::IMAGE, easel),
    },
];

/// The axis of gathers, offsets or angles, from the name of their file.
fn axis_of<'a>(of: &'a StoredResult<'_>) -> Option<&'a str> {
    Some(of.stem()).filter(|stem| stem.starts_with("offsets") || stem.starts_with("angles"))
}

/// Offset or angle gathers as panels.
fn panels(of: &StoredResult<'_>, easel: &mut dyn Easel) -> Result<(), JobError> {
    let gathers = of.values.view().into_dimensionality::<Ix3>().map_err(|_| of.unlike())?;
    let (count, nx, nz) = gathers.dim();
    let grid = of.model.grid();
    let job = of.file.job.rtm.as_ref().filter(|_| (nx, nz) == (grid.n.x, grid.n.z));
    let job = job.ok_or_else(|| of.unlike())?;
    let (axis, across) = axis(of.stem(), count, grid.h, job);
    let panels = Panels {
        gathers,
        axis,
        across,
        drawn: job.offsets.as_ref().map_or(&[], |offsets| offsets.drawn.as_slice()),
        h: grid.h,
        title: format!("{}, {}", of.file.medium_name(), of.stem()),
        largest: of.file.job.output.figures.largest(),
        percentile: of.percentile,
    };
    let mut page = panels.page();
    let least = PageFigure::least(page.panels.len(), page.columns, page.least);
    easel.take(&mut page, least);
    Ok(())
}
