//! Images, illuminations and gathers of migrations in files as pictures.

use super::panels::Panels;
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
        is_of: |of| of.command == "lsrtm",
        draw: |of, easel| of.draw_map(Quantity::VELOCITY_CHANGE, easel),
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
    let (_, nx, nz) = gathers.dim();
    let grid = of.model.grid();
    let rtm = of.file.job.rtm.as_ref().filter(|_| (nx, nz) == (grid.n.x, grid.n.z));
    let panels = Panels {
        gathers,
        name: of.stem(),
        rtm: rtm.ok_or_else(|| of.unlike())?,
        grid,
        model: of.file.medium_name(),
        note: String::new(),
        largest: of.file.job.output.figures.largest(),
        percentile: of.percentile,
    };
    let panels = panels.drawn(None);
    let mut page = panels.page();
    let least = PageFigure::least(page.panels.len(), page.columns, page.least);
    easel.take(&mut page, least);
    Ok(())
}
