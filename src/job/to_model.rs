//! From positions of headers to those in a model.

use super::{
    JobFile,
    gather::side_by_side,
    line::{Course, off_line},
};
use crate::{
    grid::Position,
    io::segy::Gather,
    model::{Placement, VelocityModel},
};
use std::path::Path;

/// A receiver this far outside the model, in cells, is taken to its edge.
pub const HAIR: f64 = 0.1;
/// SEG-Y rounds positions by up to so much, metres.
pub const SEGY_ROUNDING: f64 = 5.1e-5;
/// Nearer to the edge, in cells, it is the rounding of a rotation.
const ROUNDING: f64 = 1e-6;

/// Maps the headers' coordinates to the model's, and collects what to warn of.
pub struct ToModel<'a> {
    headers: Placement,
    model: &'a VelocityModel,
    pub is_volume: bool,
    /// The farthest from the line of a 2-D model, metres.
    off_line: f64,
    /// Of all positions.
    course: Course,
    /// How many were taken to the edge, and from how far, metres.
    outside: (usize, f64),
}

impl<'a> ToModel<'a> {
    /// From positions that headers place so.
    pub fn new(headers: Placement, model: &'a VelocityModel, is_volume: bool) -> Self {
        let (course, outside) = (Course::default(), (0, 0.0));
        ToModel { headers, model, is_volume, off_line: 0.0, course, outside }
    }
}

impl ToModel<'_> {
    /// A position in the model, and how far it was from there: off the line of a 2-D model, and
    /// outside its edge.
    pub fn place(&self, at: Position) -> (Position, f64, f64) {
        let grid = self.model.grid();
        let mut at = self.model.placement().in_model(self.headers.on_map(at));
        let mut off_line = 0.0;
        if !self.is_volume {
            (off_line, at.y) = (at.y.abs(), 0.0);
        }
        let edge = at.zip(grid.last()).zip(grid.h).map(|((at, last), h)| {
            let inside = at.clamp(0.0, last);
            if (at - inside).abs() <= (HAIR * h).max(SEGY_ROUNDING) { inside } else { at }
        });
        (edge, off_line, edge.distance(&at))
    }

    /// A position in the model; [`Self::tell`] warns of doubtful ones.
    pub fn of(&mut self, at: Position) -> Position {
        let (edge, off_line, outside) = self.place(at);
        self.off_line = self.off_line.max(off_line);
        self.course.include(self.headers.on_map(at));
        if outside > ROUNDING * self.model.grid().h.x {
            self.outside = (self.outside.0 + 1, self.outside.1.max(outside));
        }
        edge
    }

    /// How far positions of headers, if there are any, are from those that are taken, cells.
    pub fn apart(&self, headers: &[Position], taken: &[Position]) -> f64 {
        if side_by_side(headers.iter()).is_err() {
            return 0.0;
        }
        let apart = |(one, other): (&Position, &Position)| {
            let from = self.place(*one).0.zip(*other).zip(self.model.grid().h);
            let each = from.map(|((one, other), h)| if h > 0.0 { (one - other) / h } else { 0.0 });
            each.x.hypot(each.y).hypot(each.z)
        };
        headers.iter().zip(taken).map(apart).fold(0.0, f64::max)
    }

    /// Warns of doubtful positions in a file, and returns an error for impossible ones; `first` is its
    /// first gather, if known.
    pub fn tell(&self, job: &JobFile, path: &Path, first: Option<&Gather>) -> Result<(), String> {
        if self.off_line > HAIR * self.model.grid().h.x {
            let limit = job.longest_wavelength(self.model, first);
            let limit = limit.filter(|limit| self.off_line > *limit && !job.forced);
            let said = off_line(self.off_line, limit, &self.course, self.model.placement());
            if limit.is_some() {
                return Err(said);
            }
            job.tell_once(path, "off the line", said);
        }
        if let (count @ 1.., farthest) = self.outside {
            let message = format!(
                "{count} positions lie up to {farthest:.3} m outside the model, and are taken to its edge"
            );
            job.tell_once(path, "outside", message);
        }
        Ok(())
    }
}
