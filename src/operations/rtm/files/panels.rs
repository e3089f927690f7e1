//! Offset and angle gathers as panels beside each other.

use crate::{
    grid::{self, Grid},
    job::Rtm,
    ndarray::{Array2, ArrayView3, s},
    render::{Figure, FigureSize, Gain, GatherFigure, PageFigure, Quantity, SampleAxis},
    results::percentile,
};

/// Panels where the job names no places.
const PANELS: usize = 6;
/// Panels in a row.
const COLUMNS: usize = 3;
/// Values beyond this percentile are clipped by default.
const CLIP: f64 = 99.5;

/// Gathers in a file, and how they are drawn.
pub(super) struct Panels<'a> {
    /// `[offset][x][z]`.
    pub(super) gathers: ArrayView3<'a, f32>,
    /// The name of the file without its ending: it says what the gathers are over.
    pub(super) name: &'a str,
    pub(super) rtm: &'a Rtm,
    pub(super) grid: &'a Grid,
    /// The name of the model.
    pub(super) model: String,
    /// Added to the title.
    pub(super) note: String,
    pub(super) largest: Option<f32>,
    pub(super) percentile: Option<f64>,
}

/// The gathers that are drawn.
pub(super) struct DrawnPanels<'a> {
    of: Panels<'a>,
    /// The node along x of each, and its values `[offset][z]`.
    drawn: Vec<(usize, Array2<f32>)>,
}

impl<'a> Panels<'a> {
    /// The axis of the offsets; `None` of angles.
    fn along(&self) -> Option<grid::Axis> {
        match (self.name.starts_with("angles"), self.name.starts_with("offsets-z")) {
            (true, _) => None,
            (_, true) => Some(grid::Axis::Z),
            _ => Some(grid::Axis::X),
        }
    }

    /// Metres from an offset to the next, or degrees from an angle to the next.
    fn step(&self) -> f64 {
        let Some(along) = self.along() else {
            return self.rtm.angles.map_or(1.0, |angles| angles.step);
        };
        let cell = *along.of(&self.grid.h);
        let given = self.rtm.offsets.as_ref().and_then(|offsets| offsets.step);
        given.map_or(cell, |step| (step / cell).round().max(1.0) * cell)
    }

    fn title(&self) -> String {
        let what = match self.along() {
            None => "angle gathers",
            Some(grid::Axis::Z) => "offset gathers along z",
            Some(_) => "offset gathers along x",
        };
        let line = self.name.rsplit_once("-y").and_then(|(_, y)| y.parse::<f64>().ok());
        let line = line.map_or_else(String::new, |y| format!(", y = {:.3} km", y / 1000.0));
        format!("{}, {what}{line}{}", self.model, self.note)
    }

    /// Nodes along x of the panels: those that the job names, else some, evenly spread.
    fn places(&self, size: Option<FigureSize>) -> Vec<usize> {
        let (nx, h) = (self.grid.n.x, self.grid.h.x);
        let named = self.rtm.offsets.iter().flat_map(|offsets| &offsets.drawn);
        let mut named: Vec<_> = named.map(|x| ((x / h).round() as usize).min(nx - 1)).collect();
        let wanted = if named.is_empty() { PANELS.min(nx) } else { named.len() };
        let fits = |size| PageFigure::most(wanted, COLUMNS, GatherFigure::LEAST, size).max(1);
        let count = size.map_or(wanted, fits);
        named.truncate(count);
        match named.is_empty() {
            true => (0..count).map(|k| (2 * k + 1) * nx / (2 * count)).collect(),
            false => named,
        }
    }

    /// The gather at a node, without the nodes whose Laplacian includes offsets that leave the model:
    /// there a gather ends, and large values of opposite sign would lie along its ends.
    pub(super) fn at(&self, x: usize) -> Array2<f32> {
        let mut gather = self.gathers.slice(s![.., x, ..]).to_owned();
        let Some(along) = self.along() else { return gather };
        let (cell, middle) = (*along.of(&self.grid.h), gather.nrows() / 2);
        let step = (self.step() / cell).round() as usize;
        let (nx, nz) = (self.grid.n.x, self.grid.n.z);
        for (index, mut row) in gather.outer_iter_mut().enumerate() {
            let reach = index.abs_diff(middle) * step;
            let end = if reach > 0 { reach + 1 } else { 0 };
            match along {
                grid::Axis::Z => {
                    row.slice_mut(s![..end.min(nz)]).fill(0.0);
                    row.slice_mut(s![nz.saturating_sub(end)..]).fill(0.0);
                }
                _ if x < end || x + end >= nx => row.fill(0.0),
                _ => (),
            }
        }
        gather
    }

    /// The gathers that are drawn: as many of those wanted as fit on a page of this size, if one is
    /// given.
    pub(super) fn drawn(self, size: Option<FigureSize>) -> DrawnPanels<'a> {
        let drawn = self.places(size).into_iter().map(|x| (x, self.at(x))).collect();
        DrawnPanels { drawn, of: self }
    }
}

impl DrawnPanels<'_> {
    /// A panel for each, all with one scale.
    pub(super) fn page(&self) -> PageFigure<'_> {
        let Panels { gathers, grid, .. } = &self.of;
        let shown = self.drawn.iter().flat_map(|(_, gather)| gather);
        let percent = self.of.percentile.unwrap_or(CLIP);
        let largest = self.of.largest.unwrap_or_else(|| percentile(shown, percent).unwrap_or(1.0));
        // Angles are drawn in thousands, as kilometres are.
        let (unit, across) = match self.of.along() {
            None => (1000.0, "Angle (degrees)"),
            Some(grid::Axis::Z) => (1.0, "Offset along z (km)"),
            Some(_) => (1.0, "Offset (km)"),
        };
        let (middle, step) = ((gathers.dim().0 as f64 - 1.0) / 2.0, unit * self.of.step());
        let panels = self.drawn.iter().map(|(x, gather)| {
            Box::new(GatherFigure {
                traces: gather.view(),
                quantity: Quantity::IMAGE,
                samples: SampleAxis::Depth { from: 0.0 },
                interval: grid.h.z,
                positions: (0..gather.nrows()).map(|k| (k as f64 - middle) * step).collect(),
                across: across.into(),
                title: format!("x = {:.3} km", *x as f64 * grid.h.x / 1000.0),
                gain: Gain::default(),
                largest: Some(largest),
                zero_line: true,
            }) as Box<dyn Figure + '_>
        });
        PageFigure {
            title: self.of.title(),
            panels: panels.collect(),
            columns: self.drawn.len().clamp(1, COLUMNS),
            least: GatherFigure::LEAST,
            height: 1.2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{grid::Axes, job::JobFile, ndarray::Array3};
    use std::path::PathBuf;

    /// Seven by seven nodes, offsets of 0, 2 and 4 cells either way: a node is drawn if its offset stays in the model
    /// from its neighbours along the offset too.
    #[test]
    fn ends_of_gathers_are_not_drawn() {
        let job = "[model]\nvelocity = \"builtin:homogeneous\"\nnodes = { x = 7, z = 7 }\n\
                   spacing = 10.0\n[time]\nduration = 0.2\n\
                   [rtm]\noffsets = { along = \"both\", most = 40.0, step = 20.0 }\n";
        let file = JobFile::parse("a job", job, PathBuf::new()).expect("a job");
        let rtm = file.job.rtm.as_ref().expect("a migration");
        let grid = Grid { n: Axes { z: 7, x: 7, y: 1 }, h: Axes { z: 10.0, x: 10.0, y: 10.0 } };
        let gathers = Array3::ones((5, 7, 7));
        for (name, along_z) in [("offsets-x", false), ("offsets-z", true)] {
            for x in 0..7 {
                let panels = Panels {
                    gathers: gathers.view(),
                    name,
                    rtm,
                    grid: &grid,
                    model: String::new(),
                    note: String::new(),
                    largest: None,
                    percentile: None,
                };
                for ((index, z), value) in panels.at(x).indexed_iter() {
                    let offset = 2 * index as isize - 4;
                    let at = if along_z { z } else { x } as isize;
                    let stays = |at: isize| {
                        [at - offset, at, at + offset].iter().all(|node| (0..7).contains(node))
                    };
                    let whole = offset == 0 || (at - 1..=at + 1).all(stays);
                    assert_eq!(*value == 1.0, whole, "{name}, {offset} cells, node {x} {z}");
                }
            }
        }
    }
}
