//! The files of exploding reflectors: arrays, traces, pictures and movies.

mod figures;
mod frames;
#[cfg(feature = "cli")]
mod stored;

pub(crate) use figures::section as section_figure;
pub(crate) use frames::Frames;
#[cfg(feature = "cli")]
pub(crate) use stored::PICTURES;

use crate::{
    grid::Position,
    io::segy::{ByteOrder, Format, LengthUnit, ShotSpec, SurveySpec, ValueUnit, write_section},
    job::Inputs,
    model::reflectivity,
    program::PROGRAM,
    render::{Marks, Quantity},
    results::{Caption, Cut, Results, ResultsError, job_line, written},
    rounded::rounded,
};
use ndarray::{Array2, Array3};

/// The destination, and the inputs.
pub(crate) struct Output<'a> {
    /// The folder.
    pub(crate) results: &'a Results<'a>,
    /// The inputs of the job.
    pub(crate) inputs: &'a Inputs,
}

impl Output<'_> {
    /// Writes the section and its reflectivity.
    pub(crate) fn section(&self, section: &Array2<f32>, interval: f64) -> Result<(), ResultsError> {
        let _writing = (self.results.show)("writing the section", 0);
        let _span = tracing::info_span!(target: "timeline", "writing files").entered();
        self.results.array("section.npy", section.view().into_dyn())?;
        let traces =
            write_section(Vec::new(), section.view(), self.spec(section.ncols(), interval));
        self.results.folder.write("section.sgy", &traces.map_err(ResultsError::failed)?)?;
        let mut figure = figures::section(self.results.file, self.inputs, section, interval);
        self.results.picture("section", &mut figure)?;
        let (velocity, density) =
            (self.inputs.model.velocity(), self.inputs.setup.density.values());
        let reflectivity = reflectivity(velocity, density);
        self.map("reflectivity", "reflectivity", Quantity::REFLECTIVITY, &reflectivity)
    }

    /// Writes the image of a section.
    pub(crate) fn image(&self, image: &Array3<f32>) -> Result<(), ResultsError> {
        let _writing = (self.results.show)("writing the image", 0);
        let _span = tracing::info_span!(target: "timeline", "writing files").entered();
        // The field that was sent back, at t = 0.
        self.map("image", "image of a zero-offset section", Quantity::AMPLITUDE, image)
    }

    /// Writes the pictures and the movie of the field.
    pub(crate) fn field(&self, field: Frames<'_>) -> Result<(), ResultsError> {
        let _span = tracing::info_span!(target: "timeline", "writing files").entered();
        if self.results.draws() {
            for (name, bytes) in self.results.all_drawn(field.pictures())? {
                self.results.folder.write(&name, &bytes)?;
            }
            field.movie(self.results)?;
        }
        Ok(())
    }

    /// Writes an array of shape `[x][z]`, in a volume `[y][x][z]`, and its picture.
    fn map(
        &self,
        name: &str,
        what: &str,
        quantity: Quantity,
        values: &Array3<f32>,
    ) -> Result<(), ResultsError> {
        self.results.array(&format!("{name}.npy"), written(values))?;
        let cut = Cut::middle(&self.inputs.plan.model_grid);
        let (title, marks) = (what.to_owned(), marks(self.inputs));
        let largest = self.results.file.job.output.figures.largest();
        let caption = Caption { title, quantity, largest, marks, ..Caption::default() };
        let (file, model) = (self.results.file, &self.inputs.model);
        let mut figure = cut.map(cut.of(values.view()), file, model, caption);
        self.results.picture(name, &mut figure)
    }

    /// SEG-Y settings of the section.
    fn spec(&self, samples: usize, interval: f64) -> SurveySpec {
        let placement = self.inputs.model.placement();
        let from = if placement.is_plain() { "the model's first node" } else { "the map's origin" };
        let receivers = self.inputs.setup.shots[0].receivers.iter();
        let receivers = receivers.map(|at| placement.on_map(*at)).collect();
        SurveySpec {
            text: vec![
                format!("ZERO-OFFSET SECTION, modelled by {}", PROGRAM),
                job_line(self.results.file),
                "Exploding reflectors: the reflectivity as the field at t = 0, velocities".into(),
                "halved; in the band of the job's wavelet, without phase".into(),
                "Positions in headers: source and receiver of a trace are one, metres from".into(),
                format!("{from}; depth is positive down: bytes 49, minus bytes 41"),
                format!(
                    "Two-way time, sample interval {} s, the first sample at t = 0",
                    rounded(interval)
                ),
                "Samples: IEEE floating point (5), big-endian".into(),
            ],
            shots: vec![ShotSpec { record: 1, source: Position::default(), receivers }],
            samples,
            interval,
            format: Format::F32,
            order: ByteOrder::Big,
            unit: LengthUnit::Metre,
            bins: None,
            values: ValueUnit::Unknown,
        }
    }
}

/// The receivers.
fn marks(inputs: &Inputs) -> Marks<Position> {
    let receivers = inputs.setup.shots.iter().flat_map(|shot| shot.receivers.iter());
    Marks { receivers: receivers.copied().collect(), ..Marks::default() }
}
