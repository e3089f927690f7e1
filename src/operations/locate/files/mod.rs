//! The files of locating sources: the focus map, pictures, a movie and the report.

mod chart;
mod choice;
mod doubts;
mod events;
mod figures;
mod map;
mod movie;
mod records;
mod report;
#[cfg(feature = "cli")]
mod stored;

pub(crate) use choice::best_of;
pub(crate) use events::Events;
#[cfg(feature = "cli")]
pub(crate) use figures::{Focus, focus_figure};
pub(crate) use figures::{Shown, scaled};
pub(crate) use movie::Movie;
pub(crate) use records::record_folders;
pub use report::Found;
pub(crate) use report::{Fitted, Report, Tried};
#[cfg(feature = "cli")]
pub(crate) use stored::PICTURES;

use crate::{
    operations::locate::Focused,
    plan::Condition,
    render::{CurveFigure, FigureSize},
    results::{Pictures, Results, ResultsError},
};

/// The destination.
pub(crate) struct Output<'a> {
    /// The folder.
    pub(crate) results: &'a Results<'a>,
    /// The located sources, and the model.
    pub(crate) shown: Shown<'a>,
}

impl Output<'_> {
    /// Writes the map, and pictures of it, of the snapshots and of the results of each model, if
    /// several were tried: `best` is the index of the best.
    pub(crate) fn write(
        &self,
        focused: &Focused,
        condition: Condition,
        tried: &[Tried],
        best: usize,
    ) -> Result<(), ResultsError> {
        if self.results.draws() {
            let Results { folder, file, size, .. } = *self.results;
            let map = scaled(&focused.map.largest, self.shown.peaks.first().map(|peak| peak.value));
            let fields = figures::summed(&focused.snapshots);
            let mut pictures: Pictures<'_> = Vec::new();
            pictures.push(("focus".into(), self.shown.focus(&map, condition)?));
            pictures.extend(self.shown.snapshots(&fields)?);
            for (name, bytes) in self.results.all_drawn(pictures)? {
                folder.write(&name, &bytes)?;
            }
            if !tried.is_empty() {
                // A chart needs more space than a map, or smaller letters.
                let size = size.fitted(CurveFigure::LEAST);
                let size = size
                    .check(CurveFigure::LEAST)
                    .map_or_else(|_| FigureSize::default(), |()| size);
                let mut chart = chart::scan(file, tried, best);
                for (name, bytes) in self.results.drawn(chart::NAME, &mut chart, size)? {
                    folder.write(&name, &bytes)?;
                }
            }
        }
        self.results.array("focus.npy", focused.map.largest.view().into_dyn())
    }

    /// Draws and writes the movie, if the job has pictures.
    pub(crate) fn movie(&self, movie: Movie<'_>) -> Result<(), ResultsError> {
        match self.results.draws() {
            true => movie.write(&self.shown, self.results),
            false => Ok(()),
        }
    }
}
