//! From positions of headers to those in a model.

use super::{
    JobFile,
    gather::side_by_side,
    line::{Course, off_line},
};
use crate::{
    grid::{Grid, Position},
    io::segy::Gather,
    model::{Placement, VelocityModel},
};
use std::path::Path;

/// A receiver this far outside the model, in cells, is taken to its edge.
const HAIR: f64 = 0.1;
/// SEG-Y rounds positions by up to so much, metres.
pub(crate) const SEGY_ROUNDING: f64 = 5.1e-5;
/// Nearer to the edge, in cells, it is the rounding of a rotation.
const ROUNDING: f64 = 1e-6;

/// A position in the model, and how far it was from there, metres.
pub(crate) struct Placed {
    pub(crate) at: Position,
    /// From the line of a 2-D model.
    off_line: f64,
    /// From the model's edge.
    outside: f64,
}

/// Maps the headers' coordinates to the model's, and collects what to warn of.
pub(crate) struct ToModel<'a> {
    headers: Placement,
    model: &'a VelocityModel,
    /// The farthest from the line of a 2-D model, metres.
    off_line: f64,
    /// Of all positions.
    course: Course,
    /// How many were taken to the edge, and from how far, metres.
    moved_to_edge: usize,
    farthest: f64,
    /// How far positions that are listed are from those of the headers that they replace, cells.
    replaced_by: f64,
}

impl<'a> ToModel<'a> {
    /// From positions that headers place so.
    pub(crate) fn new(headers: Placement, model: &'a VelocityModel) -> Self {
        let (off_line, farthest, replaced_by) = (0.0, 0.0, 0.0);
        let course = Course::default();
        ToModel { headers, model, off_line, course, moved_to_edge: 0, farthest, replaced_by }
    }

    pub(crate) fn grid(&self) -> &'a Grid {
        self.model.grid()
    }

    /// Where a position lies in the model.
    pub(crate) fn place(&self, at: Position) -> Placed {
        let grid = self.grid();
        let mut at = self.model.placement().in_model(self.headers.on_map(at));
        let mut off_line = 0.0;
        if !grid.is_volume() {
            (off_line, at.y) = (at.y.abs(), 0.0);
        }
        let edge = at.zip(grid.last()).zip(grid.h).map(|((at, last), h)| {
            let inside = at.clamp(0.0, last);
            if (at - inside).abs() <= (HAIR * h).max(SEGY_ROUNDING) { inside } else { at }
        });
        Placed { at: edge, off_line, outside: edge.distance(&at) }
    }

    /// A position in the model; [`Self::report`] warns of doubtful ones.
    pub(crate) fn include(&mut self, at: Position) -> Position {
        let placed = self.place(at);
        self.off_line = self.off_line.max(placed.off_line);
        self.course.include(self.headers.on_map(at));
        if placed.outside > ROUNDING * self.grid().h.x {
            self.moved_to_edge += 1;
            self.farthest = self.farthest.max(placed.outside);
        }
        placed.at
    }

    /// Puts positions that are listed in place of those of headers, which may have none.
    pub(crate) fn replace(&mut self, headers: &mut Vec<Position>, listed: Vec<Position>) {
        if side_by_side(headers.iter()).is_ok() {
            let cells = |(own, listed): (&Position, &Position)| {
                let from = self.place(*own).at.zip(*listed).zip(self.grid().h);
                let each = from.map(|((a, b), h)| if h > 0.0 { (a - b) / h } else { 0.0 });
                each.x.hypot(each.y).hypot(each.z)
            };
            self.replaced_by =
                headers.iter().zip(&listed).map(cells).fold(self.replaced_by, f64::max);
        }
        *headers = listed;
    }

    /// Warns of doubtful positions in a file, and returns an error for impossible ones; `first` is its
    /// first gather, if known.
    pub(crate) fn report(
        &self,
        job: &JobFile,
        path: &Path,
        first: Option<&Gather>,
    ) -> Result<(), String> {
        if self.off_line > HAIR * self.grid().h.x {
            let limit = job.longest_wavelength(self.model, first);
            let limit = limit.filter(|limit| self.off_line > *limit && !job.forced);
            let said = off_line(self.off_line, limit, &self.course, self.model.placement());
            if limit.is_some() {
                return Err(said);
            }
            job.warn_once(path, "off the line", said);
        }
        if self.moved_to_edge > 0 {
            let message = format!(
                "{} positions lie up to {:.3} m outside the model, and are taken to its edge",
                self.moved_to_edge, self.farthest
            );
            job.warn_once(path, "outside", message);
        }
        if self.replaced_by > HAIR {
            let message = format!(
                "the positions that are listed are up to {:.1} cells from those of its headers, and are taken, as given",
                self.replaced_by
            );
            job.warn_once(path, "moved", message);
        }
        Ok(())
    }
}
