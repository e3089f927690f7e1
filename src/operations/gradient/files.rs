//! The files of a gradient: arrays, traces and a picture.

use crate::{
    job::ImageFormat,
    model::VelocityModel,
    render::Quantity,
    results::{Caption, Cut, MapFiles, Results, ResultsError, ValueLabel, divided},
    single::Single,
};
use ndarray::{Array3, Axis, Ix3};

/// The destination, and the model.
pub(crate) struct Output<'a> {
    /// The folder.
    pub(crate) results: &'a Results<'a>,
    /// The model.
    pub(crate) model: &'a VelocityModel,
    /// The formats of arrays.
    pub(crate) formats: &'a [ImageFormat],
}

/// What the headers of SEG-Y files begin with.
const HEADING: &str = "GRADIENT OF A MISFIT";

impl Output<'_> {
    /// Writes a gradient `[y][x][z]` with a picture; `what` names the quantity that is varied.
    pub(crate) fn gradient(
        &self,
        name: &str,
        what: &str,
        values: &Array3<f64>,
    ) -> Result<(), ResultsError> {
        let values = self.array(name, "Gradient", &format!("by {what}"), values)?;
        let cut = Cut::middle(self.model.grid());
        let shown = values.values.index_axis(Axis(0), cut.node);
        let caption = Caption {
            title: format!("gradient by {what}{}", divided(values.unit)),
            quantity: Quantity::GRADIENT,
            ..Caption::default()
        };
        let mut figure = cut.clipped_map(shown, self.results.file, self.model, caption);
        self.results.picture(name, &mut figure)
    }

    /// Writes an array of shape `[y][x][z]`, in 2-D `[x][z]`, which is returned as it is written; `what` says more than its
    /// label.
    pub(crate) fn array(
        &self,
        name: &str,
        label: &str,
        what: &str,
        values: &Array3<f64>,
    ) -> Result<Single<Ix3>, ResultsError> {
        let single = self.results.single(name, values);
        let Output { results, model, formats } = *self;
        let (grid, placement, heading) = (model.grid(), *model.placement(), HEADING);
        let maps = MapFiles { results, formats, grid, placement, heading };
        let what = format!("{what}{}", divided(single.unit));
        maps.write(name, ValueLabel { label, unit: "" }, &what, &single.values)?;
        Ok(single)
    }
}
