//! Sections, reflectivities and images in files as pictures.

use super::section_figure;
use crate::{
    job::JobError,
    ndarray::Ix2,
    render::{GatherFigure, Quantity},
    results::{Easel, ResultPicture, StoredResult},
};

/// The pictures of exploding reflectors.
pub(crate) const PICTURES: &[ResultPicture] = &[
    ResultPicture { is_of: |of| of.stem() == "section", draw: section },
    ResultPicture {
        is_of: |of| of.stem() == "reflectivity",
        draw: |of, easel| of.draw_map(Quantity::REFLECTIVITY, easel),
    },
];

fn section(of: &StoredResult<'_>, easel: &mut dyn Easel) -> Result<(), JobError> {
    let (inputs, _) = of.inputs()?;
    let section = of.values.view().into_dimensionality::<Ix2>().map_err(|_| of.unlike())?;
    let (section, interval) = (section.to_owned(), inputs.plan.time.interval());
    let mut figure = section_figure(of.file, &inputs, &section, interval);
    easel.take(&mut figure, GatherFigure::LEAST);
    Ok(())
}
