//! The files of a migration: images, the illumination, gathers, and their pictures.

mod gathers;
mod movie;
mod order;
mod panels;
#[cfg(feature = "cli")]
mod stored;

pub use crate::results::clip;
pub(super) use gathers::AT_ONCE;
pub(crate) use movie::Movie;
pub(crate) use order::InOrder;
#[cfg(feature = "cli")]
pub(crate) use stored::PICTURES;

use crate::{
    io::file_axis::FileAxis,
    job::ImageFormat,
    operations::rtm::{Cost, Migrated, Stacked},
    plan::Array,
    render::{Plane, Quantity, SnapshotFigure},
    results::{Caption, Cut, MapFiles, Results, ResultsError, ValueLabel, divided},
    single::Single,
};
use ndarray::{Array3, ArrayView2, ArrayViewD, Axis, Ix3};
use rayon::prelude::*;

/// The destination, and the migration.
pub(crate) struct Output<'a> {
    /// The folder.
    pub(crate) results: &'a Results<'a>,
    /// The migration.
    pub(crate) migrated: &'a Migrated,
    /// What the headers of images begin with.
    pub(crate) heading: &'static str,
    /// What images show.
    pub(crate) quantity: Quantity,
    /// Scale of the sums.
    pub(crate) scale: Array3<f64>,
}

impl Output<'_> {
    /// Writes an image of each condition, the illumination, and gathers.
    pub(crate) fn all(&self, stack: &Stacked) -> Result<(), ResultsError> {
        let _writing = (self.results.show)("writing images", 0);
        let _span = tracing::info_span!(target: "timeline", "writing files").entered();
        let (images, gathers) = rayon::join(|| self.images(stack), || self.gathers(stack));
        images.and(gathers)
    }

    /// Writes an image of each condition and the illumination.
    fn images(&self, stack: &Stacked) -> Result<(), ResultsError> {
        let conditions = self.migrated.rtm.conditions.par_iter().enumerate();
        conditions.try_for_each(|(index, condition)| {
            let image = self.migrated.image(stack, *condition);
            let name = match index {
                0 => "image".to_owned(),
                _ => format!("image-{}", condition.name()),
            };
            if image.iter().all(|value| *value == 0.0) {
                tracing::warn!(
                    "the image is 0 everywhere: the traces are, as they were given or once rtm.mute, taper and band were applied"
                );
            }
            self.map(&name, &format!("image, {}", condition.name()), &image)
        })?;
        let illumination = self.migrated.plan.illumination_by_pressure(stack.illumination());
        let illumination = self.single("illumination", &illumination)?.values;
        let (maps, label) = (self.maps(), ValueLabel { label: "Illumination", unit: "" });
        maps.arrays("illumination", label, &illumination)?;
        if self.migrated.rtm.formats == [ImageFormat::Sgy] {
            maps.traces("illumination", "illumination", &illumination)?;
        }
        Ok(())
    }

    /// Writes an image as an array, as traces and as a picture.
    pub(crate) fn map(
        &self,
        name: &str,
        what: &str,
        image: &Array3<f64>,
    ) -> Result<(), ResultsError> {
        let Single { values, unit } = self.single(name, image)?;
        let what = format!("{what}{}", divided(unit));
        let label = ValueLabel { label: "Image", unit: "" };
        let write = || self.maps().write(name, label, &what, &values);
        let draw = || self.picture(name, &what, self.shown(&values), self.middle());
        let (written, drawn) = rayon::join(write, draw);
        written.and(drawn)
    }

    /// An array in f32.
    fn single(&self, name: &str, values: &Array3<f64>) -> Result<Single<Ix3>, ResultsError> {
        let single = self.results.single(name, values);
        finite(name, &single.values)?;
        Ok(single)
    }

    /// Writes a picture of a plane of the model.
    pub(crate) fn picture(
        &self,
        name: &str,
        what: &str,
        shown: ArrayView2<'_, f32>,
        line: usize,
    ) -> Result<(), ResultsError> {
        if !self.results.draws() {
            return Ok(());
        }
        self.results.picture(name, &mut self.figure(what, shown, line, None))
    }

    /// How its arrays are written.
    fn maps(&self) -> MapFiles<'_> {
        let Output { results, migrated, heading, .. } = *self;
        let (grid, placement) = (migrated.plan.survey_grid(), *migrated.model.placement());
        MapFiles { results, formats: &migrated.rtm.formats, grid, placement, heading }
    }

    /// Writes an array whose last axes are x and z.
    pub(crate) fn values(
        &self,
        name: &str,
        label: &str,
        values: ArrayViewD<'_, f32>,
        first: &[FileAxis],
    ) -> Result<(), ResultsError> {
        self.maps().array(name, ValueLabel { label, unit: "" }, values, first)
    }

    /// The plane of an image in pictures: in a volume the middle plane.
    pub(crate) fn shown<'i>(&self, image: &'i Array3<f32>) -> ArrayView2<'i, f32> {
        image.index_axis(Axis(0), self.middle())
    }

    /// Index of the middle plane.
    pub(crate) fn middle(&self) -> usize {
        self.migrated.plan.survey_grid().n.y / 2
    }

    /// A figure of a plane over that of the model.
    fn figure<'f>(
        &'f self,
        what: &str,
        shown: ArrayView2<'f, f32>,
        line: usize,
        largest: Option<f32>,
    ) -> SnapshotFigure<'f> {
        let cut = Cut { plane: Plane::Xz, node: line };
        let (title, quantity) = (what.to_owned(), self.quantity);
        let caption = Caption { title, quantity, largest, ..Caption::default() };
        cut.clipped_map(shown, self.results.file, &self.migrated.model, caption)
    }
}

/// The arrays of a run that migrates `at_once` shots together, with what keeps the source
/// wavefields, if any were kept.
pub(crate) fn memory(migrated: &Migrated, at_once: usize, cost: Option<Cost>) -> Vec<Array> {
    let mut memory = migrated.plan.batch(0..at_once).memory();
    let kept = cost.map_or([0; 2], |cost| [cost.bytes, cost.host]);
    memory.push(Array { name: "source wavefields", bytes: kept[0] });
    memory.push(Array { name: "source wavefields in the host's memory", bytes: kept[1] });
    memory.retain(|array| array.bytes > 0);
    memory
}

/// Returns an error for values that are not finite.
pub(crate) fn finite(name: &str, values: &Array3<f32>) -> Result<(), ResultsError> {
    match values.iter().all(|v| v.is_finite()) {
        true => Ok(()),
        false => Err(ResultsError::failed(format!(
            "{name} has values that are not finite: 32-bit waves do not hold the sources or the traces; give survey.amplitude, or the \
             amplitude of the sources, and the samples of gathers nearer to 1"
        ))),
    }
}
