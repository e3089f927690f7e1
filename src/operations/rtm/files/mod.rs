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
    io::{
        file_axis::FileAxis,
        rsf::{self, Description},
        segy::{ByteOrder, Format, IntervalUnit, LengthUnit, ModelSpec, Revision, write_model},
    },
    job::ImageFormat,
    operations::rtm::{Cost, Migrated, Stacked},
    plan::Array,
    program::PROGRAM,
    render::{Plane, Quantity, SnapshotFigure},
    results::{Caption, Cut, Results, ResultsError, divided, job_line, written},
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
        self.array("illumination", "Illumination", &illumination)?;
        if self.migrated.rtm.formats == [ImageFormat::Sgy] {
            self.traces("illumination", "illumination", &illumination)?;
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
        let write = || {
            self.array(name, "Image", &values)?;
            match self.writes(ImageFormat::Sgy) {
                true => self.traces(name, &what, &values),
                false => Ok(()),
            }
        };
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

    fn traces(&self, name: &str, what: &str, image: &Array3<f32>) -> Result<(), ResultsError> {
        let traces = write_model(Vec::new(), image.view(), self.spec(what));
        Ok(self
            .results
            .folder
            .write(&format!("{name}.sgy"), &traces.map_err(ResultsError::failed)?)?)
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

    fn writes(&self, format: ImageFormat) -> bool {
        self.migrated.rtm.formats.contains(&format)
    }

    /// Writes an array of shape `[x][z]`, in a volume `[y][x][z]`.
    fn array(&self, name: &str, label: &str, values: &Array3<f32>) -> Result<(), ResultsError> {
        let h = self.migrated.plan.survey_grid().h;
        let y = self.migrated.plan.grid.is_volume().then(|| axis("Y", "m", 0.0, h.y));
        self.values(name, label, written(values), y.as_slice())
    }

    /// Writes an array whose last axes are x and z.
    pub(crate) fn values(
        &self,
        name: &str,
        label: &str,
        values: ArrayViewD<'_, f32>,
        first: &[FileAxis],
    ) -> Result<(), ResultsError> {
        let h = self.migrated.plan.survey_grid().h;
        if self.writes(ImageFormat::Rsf) {
            let plane = [axis("X", "m", 0.0, h.x), axis("Depth", "m", 0.0, h.z)];
            let placement = *self.migrated.model.placement();
            let axes = [first, &plane].concat();
            let bytes =
                rsf::whole(values.view(), Description { axes: &axes, label, unit: "", placement });
            self.results.folder.write(&format!("{name}.rsf"), &bytes)?;
        }
        if self.writes(ImageFormat::Npy) {
            self.results.array(&format!("{name}.npy"), values)?;
        }
        Ok(())
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

    fn spec(&self, what: &str) -> ModelSpec {
        let grid = self.migrated.plan.survey_grid();
        let (unit, interval) = IntervalUnit::of(grid.h.z);
        ModelSpec {
            text: vec![
                format!("{}, {what}, by {PROGRAM}", self.heading),
                job_line(self.results.file),
                unit.line(),
                format!("Samples are depths, {} m apart from 0", grid.h.z),
            ],
            spacing: (grid.h.x, grid.h.y),
            interval,
            revision: Revision::default(),
            format: Format::F32,
            order: ByteOrder::Big,
            unit: LengthUnit::Metre,
            placement: *self.migrated.model.placement(),
        }
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

/// An axis as named in a file of Madagascar.
pub(crate) fn axis(label: &str, unit: &str, origin: f64, spacing: f64) -> FileAxis {
    FileAxis {
        label: Some(label.into()),
        unit: Some(unit.into()),
        origin: Some(origin),
        spacing: Some(spacing),
    }
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
