//! Windows of a model around the shots of a survey.
//!
//! A shot needs only the rock that its waves reach and return from. Its window holds its sources
//! and receivers and a margin beyond them. All windows of a survey have the same number of nodes,
//! as many as the widest shot needs, so that one kernel and one set of buffers serve every shot. A
//! window that would pass an edge of the model is moved inward.
//!
//! A window with its layers is a part of the model with its layers: its nodes have the velocities
//! of the whole model, also those in the layers of a side inside the model.

use super::{ModelValues, Plan, PlanError, PointShot};
use crate::{
    acquisition::Shot,
    grid::{Axes, Axis, Grid, Position},
};
use ndarray::{Array3, ArrayView3, s};

/// How far windows reach, m; the whole model along an axis without a value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Margin {
    /// Beyond the sources and receivers along x.
    pub x: Option<f64>,
    /// Beyond the sources and receivers along y; not used in a plane.
    pub y: Option<f64>,
    /// Below the deepest source or receiver. Windows begin at the top of the model.
    pub depth: Option<f64>,
}

/// The part of a model that a shot runs through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Index of the model in [`Plan::velocities`].
    pub model: usize,
    /// The node of the model at which the window begins.
    pub first: Axes<usize>,
}

impl Window {
    /// The whole of a model.
    pub fn whole(model: usize) -> Self {
        Window { model, first: Axes::default() }
    }
}

/// Cells that the weights of a point between nodes reach (`src/numbers/acquisition/derivative.rs`).
const REACH: usize = 6;

/// The windows of a survey.
pub(super) struct Windows {
    /// The grid of each.
    pub(crate) grid: Grid,
    /// The first node of each in the model.
    pub(crate) first: Vec<Axes<usize>>,
}

/// Number of nodes to which the length of a column is rounded where windows end above the model's
/// bottom: engines step four at once, and the nodes below a column must be zero.
const COLUMN: usize = 4;

/// The windows of shots in a model, with `layers` layer cells along z; `None` if they are the whole model.
pub(super) fn windows(
    margin: &Margin,
    shots: &[Shot],
    model: &Grid,
    radius: usize,
    layers: usize,
) -> Result<Option<Windows>, PlanError> {
    let boxes: Vec<_> = shots.iter().map(box_of).collect();
    let mut grid = *model;
    let mut first = vec![Axes::default(); shots.len()];
    let lateral = [(Axis::X, margin.x), (Axis::Y, margin.y.filter(|_| model.is_volume()))];
    for (axis, margin) in lateral {
        let Some(margin) = margin else { continue };
        let (h, n) = (*axis.of(&model.h), *axis.of(&model.n));
        check(axis.letter(), margin, radius.max(REACH) as f64 * h)?;
        let needed = |[low, high]: &[Position; 2]| {
            [(axis.of(low) - margin) / h, (axis.of(high) + margin) / h]
        };
        let width = |shot| {
            let [low, high] = needed(shot);
            // A margin may be any number.
            ((high.ceil() - low.floor()) as usize).saturating_add(1)
        };
        let nodes = boxes.iter().map(width).max().unwrap_or(n).min(n);
        *axis.of_mut(&mut grid.n) = nodes;
        for (first, shot) in first.iter_mut().zip(&boxes) {
            let [low, high] = needed(shot);
            let middle = 0.5 * (low + high) - 0.5 * (nodes - 1) as f64;
            *axis.of_mut(first) = (middle.round().max(0.0) as usize).min(n - nodes);
        }
    }
    if let Some(depth) = margin.depth {
        let (h, n) = (model.h.z, model.n.z);
        check('z', depth, radius.max(REACH) as f64 * h)?;
        let deepest = boxes.iter().map(|[_, high]| high.z).fold(0.0, f64::max);
        let nodes = (((deepest + depth) / h).ceil() as usize).saturating_add(1).min(n);
        grid.n.z = ((nodes + layers).next_multiple_of(COLUMN) - layers).min(n);
    }
    Ok((grid.n != model.n).then_some(Windows { grid, first }))
}

/// The box around the sources and receivers of a shot.
fn box_of(shot: &Shot) -> [Position; 2] {
    let sources = shot.sources.iter().map(|source| source.at);
    Position::box_around(sources.chain(shot.receivers.iter().copied())).unwrap_or_default()
}

/// Refuses a margin that the stencil or a point between nodes would leave.
fn check(axis: char, margin: f64, least: f64) -> Result<(), PlanError> {
    match margin.is_finite() && margin >= least {
        true => Ok(()),
        false => Err(PlanError::Margin { axis, margin, least }),
    }
}

impl Plan {
    /// The grid of the whole model, which windows are parts of.
    pub fn survey_grid(&self) -> &Grid {
        self.windows.as_ref().unwrap_or(&self.model_grid)
    }

    /// Nodes of the whole model with its layers.
    pub fn whole_nodes(&self) -> Axes<usize> {
        self.velocities.first().map_or(self.grid.n, ModelValues::n)
    }

    /// The values of a shot's window, shape `[y][x][z]`, in the whole model; 0 outside the window.
    pub fn in_survey(&self, shot: usize, values: ArrayView3<'_, f32>) -> Array3<f32> {
        let Axes { z, x, y } = self.shots[shot].window.first;
        let (ny, nx, nz) = values.dim();
        let mut all = Array3::zeros(self.survey_grid().shape());
        all.slice_mut(s![y..y + ny, x..x + nx, z..z + nz]).assign(&values);
        all
    }

    /// The position of a shot's node on the computational grid, metres from the model's first node.
    pub fn position_in(&self, shot: usize, node: Axes<usize>) -> Position {
        let first = self.shots.get(shot).map_or(Axes::default(), |shot| shot.window.first);
        self.position(node.zip(first).map(|(i, first)| i + first))
    }

    /// The index of the shot whose sources and receivers reach farthest along an axis.
    pub fn widest_shot(&self) -> usize {
        let extent = |shot: &PointShot| {
            let [low, high] = box_of(&shot.asked);
            (high.x - low.x).max(high.y - low.y).max(high.z - low.z)
        };
        let all = self.shots.iter().map(extent).enumerate();
        let wider =
            |most: (usize, f64), next: (usize, f64)| if next.1 > most.1 { next } else { most };
        all.reduce(wider).map_or(0, |(shot, _)| shot)
    }

    /// The earliest time at which a wave can return from the side of a window inside the model, s: the shortest straight path from a
    /// source by that side to a receiver of its shot, at the fastest velocity of the window. `None` if no
    /// side of a window lies inside the model or no shot has receivers.
    pub fn earliest_return(&self) -> Option<f64> {
        let whole = self.windows.as_ref()?;
        let fastest = self.fastest_columns(whole);
        let of_shot = |shot: &PointShot| {
            let path = self.shortest_return(shot, whole)?;
            let (first, n) = (shot.window.first, self.model_grid.n);
            let columns =
                (first.y..first.y + n.y).flat_map(|y| &fastest[y * whole.n.x + first.x..][..n.x]);
            Some(path / f64::from(columns.fold(0.0, |most: f32, v| most.max(*v))))
        };
        self.shots.iter().filter_map(of_shot).min_by(f64::total_cmp)
    }

    /// The fastest velocity of each column of the model, as deep as windows are, m/s.
    fn fastest_columns(&self, whole: &Grid) -> Vec<f32> {
        let column = |(y, x)| {
            let all = (0..self.model_grid.n.z).map(|z| self.on_grid(Axes { z, x, y }));
            all.map(|node| self.velocities[0].at(node)).fold(0.0, f32::max)
        };
        let columns = (0..whole.n.y).flat_map(|y| (0..whole.n.x).map(move |x| (y, x)));
        columns.map(column).collect()
    }

    /// The shortest straight path from a source of a shot by a side of its window inside the model to a
    /// receiver, m.
    fn shortest_return(&self, shot: &PointShot, whole: &Grid) -> Option<f64> {
        let mut shortest = None;
        for axis in [Axis::Z, Axis::X, Axis::Y] {
            let (first, n) = (*axis.of(&shot.window.first), *axis.of(&self.model_grid.n));
            let (all, h) = (*axis.of(&whole.n), *axis.of(&whole.h));
            let low = (first > 0).then_some(first as f64 * h);
            let high = (first + n < all).then_some((first + n - 1) as f64 * h);
            for side in low.into_iter().chain(high) {
                for source in &shot.asked.sources {
                    // The image of the source behind the side.
                    let mut image = source.at;
                    *axis.of_mut(&mut image) = 2.0 * side - axis.of(&source.at);
                    let paths = shot.asked.receivers.iter().map(|at| image.distance(at));
                    shortest = paths.chain(shortest).min_by(f64::total_cmp);
                }
            }
        }
        shortest
    }
}
