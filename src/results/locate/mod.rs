//! The files of what a recording is sent back for: the map of its focus, pictures, a movie and the report.

mod chart;
mod figures;
mod movie;
mod report;

pub use figures::Shown;
pub use movie::Movie;
pub use report::{Fitted, Found, Report, Tried, recorded_at};

use super::{Results, ResultsError};
use crate::{
    plan::Condition,
    render::{CurveFigure, Figure, FigureSize},
    workflow::locate::Focused,
};

/// Where it goes.
pub struct Output<'a> {
    /// The folder.
    pub results: &'a Results<'a>,
    /// What was found, and in what.
    pub shown: Shown<'a>,
}

impl Output<'_> {
    /// The map, and pictures of it, of the snapshots and of what each model came to, where several were tried: their index is of the best.
    pub fn write(
        &self,
        focused: &Focused,
        condition: Condition,
        (tried, best): (&[Tried], usize),
    ) -> Result<(), ResultsError> {
        let Results { folder, file, size, .. } = *self.results;
        let map = figures::scaled(&focused.map.largest, self.shown.peaks);
        let fields = figures::together(&focused.snapshots);
        let mut pictures: Vec<(String, Box<dyn Figure + '_>)> = Vec::new();
        for (name, figure) in self.shown.focus(&map, condition) {
            pictures.push((name, Box::new(figure)));
        }
        for (name, figure) in self.shown.snapshots(&fields) {
            pictures.push((name, Box::new(figure)));
        }
        if !tried.is_empty() {
            pictures.push((chart::NAME.into(), Box::new(chart::scan(file, tried, best))));
        }
        if !self.results.draws() {
            pictures.clear();
        }
        let drawing = (self.results.show)("picture", pictures.len());
        for (name, figure) in pictures {
            // A chart needs more room than a map does.
            let size = match name == chart::NAME && size.check(CurveFigure::LEAST).is_err() {
                true => FigureSize::default(),
                false => size,
            };
            folder.write(&name, &self.results.drawn(figure.as_ref(), size)?)?;
            let _ = drawing.one_more();
        }
        drop(drawing);
        self.results.array("focus.npy", focused.map.largest.view().into_dyn())
    }

    /// Draws and writes the movie, if the job has pictures.
    pub fn movie(&self, movie: Movie<'_>) -> Result<(), ResultsError> {
        match self.results.draws() {
            true => movie.write(&self.shown, self.results),
            false => Ok(()),
        }
    }
}
