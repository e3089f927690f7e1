//! Models of inversions in files as pictures.

use crate::{
    job::JobError,
    model::{ModelQuantity, VelocityModel},
    render::{Marks, model_figure},
    results::{Easel, ResultPicture, StoredResult, undrawn},
};

/// The pictures of an inversion.
pub(crate) const PICTURES: &[ResultPicture] =
    &[ResultPicture { is_of: |of| of.command == "invert", draw: model }];

fn model(of: &StoredResult<'_>, easel: &mut dyn Easel) -> Result<(), JobError> {
    let field = of.field(of.values.view())?.to_owned();
    let model = VelocityModel::volume(field, of.model.grid().h);
    let model = model.map_err(JobError::other)?;
    let title = format!("{}, {}", of.file.medium_name(), of.stem());
    let figure = model_figure(&model, ModelQuantity::Velocity, title, None, Marks::default());
    easel.take(figure.map_err(undrawn)?.as_mut(), of.least());
    Ok(())
}
