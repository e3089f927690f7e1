//! A result of a run, drawn as its operation draws it.

use super::{Arguments, record::RunRecord};
use crate::{
    cli::{
        failure::Failure,
        terminal::{picture, progress},
    },
    io::{model_file::Format, npy, rsf},
    job::Figures,
    operations::PICTURES,
    render::{Figure, LeastSize},
    results::{Easel, StoredResult},
};
use ndarray::ArrayD;
use std::path::Path;

/// The values of a .npy or .rsf.
fn read(path: &Path) -> Result<ArrayD<f32>, Failure> {
    match Format::of(path) {
        Ok(Format::Rsf) => Ok(rsf::read(path).map_err(Failure::input)?.values),
        _ => npy::read(path).map_err(Failure::input),
    }
}

/// The file of the picture.
struct OnFile<'a> {
    arguments: &'a Arguments,
    figures: &'a Figures,
    outcome: Result<(), Failure>,
}

impl OnFile<'_> {
    fn save(&self, figure: &mut dyn Figure, least: LeastSize) -> Result<(), Failure> {
        let Arguments { out, force, .. } = self.arguments;
        self.figures.title.iter().for_each(|title| figure.retitle(title.clone()));
        picture::save(out, figure, self.arguments.figure.over(self.figures, least)?, *force)
    }
}

impl Easel for OnFile<'_> {
    fn take(&mut self, figure: &mut dyn Figure, least: LeastSize) {
        self.outcome = self.save(figure, least);
    }
}

impl Arguments {
    /// Draws a result by the record of its run.
    pub(super) fn draw(&self, record: &RunRecord) -> Result<(), Failure> {
        let path = self.file.as_path();
        let reading = progress::doing(format!("reading {}", path.display()));
        let (values, model) = (read(path)?, record.file.model(&mut Vec::new())?);
        drop(reading);
        let _drawing = progress::doing("drawing");
        let stored = StoredResult {
            path,
            values,
            command: &record.command,
            file: &record.file,
            record: &record.json,
            model: &model,
            number: self.number,
            percentile: self.clip,
            largest: self.largest.map(|largest| largest as f32),
        };
        let figures = &record.file.job.output.figures;
        let mut file = OnFile { arguments: self, figures, outcome: Ok(()) };
        stored.draw(&PICTURES, &mut file)?;
        file.outcome
    }
}
