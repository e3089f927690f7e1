//! The files of exploding reflectors: arrays, traces and pictures.

use super::{figures, frames::Frames};
use crate::cli::{failure::Failure, picture::about, progress};
use huygens::{
    grid::Position,
    io::{
        folder::OutputFolder,
        npy,
        png::{self, About},
        segy::{ByteOrder, Format, GatherSpec, LengthUnit, write_section},
    },
    job::{Inputs, JobFile},
    render::{Figure, FigureSize},
};
use ndarray::{Array2, Array3, ArrayViewD, Axis};
use std::sync::{Arc, atomic::AtomicBool};

/// Where it goes, and what it is of.
pub struct Output<'a> {
    pub folder: &'a OutputFolder,
    pub file: &'a JobFile,
    pub inputs: &'a Inputs,
    pub size: FigureSize,
}

impl Output<'_> {
    /// The section and the reflectivity that it is of.
    pub fn section(&self, section: &Array2<f32>, interval: f64) -> Result<(), Failure> {
        let _writing = progress::doing("writing the section");
        let _span = tracing::info_span!(target: "timeline", "writing files").entered();
        self.array("section.npy", section.view().into_dyn())?;
        let traces = write_section(Vec::new(), section.view(), self.spec(interval));
        self.folder.write("section.sgy", &traces.map_err(Failure::run)?)?;
        let figure = figures::section(self.file, self.inputs, section, interval);
        self.picture("section.png", &figure)?;
        self.map("reflectivity", "reflectivity", &self.inputs.model.reflectivity())
    }

    /// The image of a section.
    pub fn image(&self, image: &Array3<f32>) -> Result<(), Failure> {
        let _writing = progress::doing("writing the image");
        let _span = tracing::info_span!(target: "timeline", "writing files").entered();
        self.map("image", "image of a zero-offset section", image)
    }

    /// The pictures and the movie of the field on its way.
    pub fn field(&self, field: Frames<'_>, stop: &Arc<AtomicBool>) -> Result<(), Failure> {
        let _span = tracing::info_span!(target: "timeline", "writing files").entered();
        let pictures = field.pictures();
        let drawing = progress::counting("picture", pictures.len());
        for (name, figure) in &pictures {
            self.picture(name, figure)?;
            drawing.one_more();
        }
        drop((drawing, pictures));
        match self.file.job.output.draws(0, 1) {
            true => field.movie(self.folder, self.size, stop),
            false => Ok(()),
        }
    }

    /// An array of shape `[x][z]`, in a volume `[y][x][z]`, and its picture.
    fn map(&self, name: &str, what: &str, values: &Array3<f32>) -> Result<(), Failure> {
        let array = match self.inputs.plan.grid.is_volume() {
            true => values.view().into_dyn(),
            false => values.index_axis(Axis(0), 0).into_dyn(),
        };
        self.array(&format!("{name}.npy"), array)?;
        let plane = figures::shown(&self.inputs.plan.model_grid, values.view());
        let figure = figures::map(self.file, self.inputs, plane, None, what);
        self.picture(&format!("{name}.png"), &figure)
    }

    fn array(&self, name: &str, array: ArrayViewD<'_, f32>) -> Result<(), Failure> {
        Ok(self.folder.write(name, &npy::bytes(array))?)
    }

    fn picture(&self, name: &str, figure: &dyn Figure) -> Result<(), Failure> {
        if !self.file.job.output.draws(0, 1) {
            return Ok(());
        }
        let job = Some(self.file.text.to_string());
        let about = About { job, ..about(figure.title(), self.size) };
        let picture = figure.draw(self.size).map_err(Failure::run)?;
        Ok(self.folder.write(name, &png::bytes(&picture, &about))?)
    }

    /// How the section is written as SEG-Y.
    fn spec(&self, interval: f64) -> GatherSpec {
        let (version, revision) = (env!("CARGO_PKG_VERSION"), option_env!("HUYGENS_REVISION"));
        let revision = revision.map_or_else(String::new, |revision| format!(", git {revision}"));
        GatherSpec {
            text: vec![
                format!("ZERO-OFFSET SECTION, modelled by huygens {version}{revision}"),
                format!("Job: {}", self.file.name),
                "Exploding reflectors: the reflectivity as the field at t = 0, velocities".into(),
                "halved; in the band of the job's wavelet, without phase".into(),
                "Positions in headers: source and receiver of a trace are one, metres from".into(),
                "the model's first node; depth is positive down: bytes 49, minus bytes 41".into(),
                format!("Two-way time, sample interval {interval} s, the first sample at t = 0"),
                "Samples: IEEE floating point (5), big-endian".into(),
            ],
            record: 1,
            source: Position::default(),
            receivers: self.inputs.setup.shots[0].receivers.to_vec(),
            interval,
            format: Format::F32,
            order: ByteOrder::Big,
            unit: LengthUnit::Metre,
        }
    }
}
