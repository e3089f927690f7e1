//! Planes of a model: orientation, position and axes.

use ndarray::{ArrayView2, ArrayView3, Axis as Dim};

use super::RenderError;
use super::axes::Axis;
use crate::grid::{Axes, Position};

/// Positions of the first and last node of an image, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// Horizontal positions of the first and last node, metres.
    pub(crate) across: (f64, f64),
    /// Vertical positions of the first and last node, metres.
    pub(crate) down: (f64, f64),
}

/// The plane that an image shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plane {
    /// A section, x across and z (depth) down: all of a 2-D model, or a plane y = const.
    Xz,
    /// A section, y across and z (depth) down: a plane x = const.
    Yz,
    /// A map, x across and y upward: a plane z = const.
    Xy,
}

impl Plane {
    /// The plane through a node of an array of shape `[y][x][z]`, with shape [across, down].
    ///
    /// # Panics
    ///
    /// If the array has no such node.
    pub fn cut(self, volume: ArrayView3<'_, f32>, node: usize) -> ArrayView2<'_, f32> {
        match self {
            Self::Xz => volume.index_axis_move(Dim(0), node),
            Self::Yz => volume.index_axis_move(Dim(1), node),
            Self::Xy => volume.index_axis_move(Dim(2), node).reversed_axes(),
        }
    }

    /// The components along its horizontal and vertical directions.
    pub fn of<T>(self, Axes { z, x, y }: Axes<T>) -> (T, T) {
        match self {
            Self::Xz => (x, z),
            Self::Yz => (y, z),
            Self::Xy => (x, y),
        }
    }

    /// The name of its normal, and the component along it.
    pub fn normal<T>(self, Axes { z, x, y }: Axes<T>) -> (char, T) {
        match self {
            Self::Xz => ('y', y),
            Self::Yz => ('x', x),
            Self::Xy => ('z', z),
        }
    }

    /// The extent of a model from 0 to its last node.
    pub fn extent(self, last: Position) -> Extent {
        let (across, down) = self.of(last);
        Extent { across: (0.0, across), down: (0.0, down) }
    }

    /// Its horizontal and vertical axes, in kilometres.
    pub(super) fn axes(self, Extent { across, down }: Extent) -> Result<(Axis, Axis), RenderError> {
        let x = |(first, last)| Axis::kilometres("x", first, last, "x (km)");
        let y = |(first, last)| Axis::kilometres("y", first, last, "y (km)");
        let z = |(first, last)| Axis::kilometres("z", first, last, "Depth (km)");
        Ok(match self {
            Self::Xz => (x(across)?, z(down)?),
            Self::Yz => (y(across)?, z(down)?),
            Self::Xy => (x(across)?, y(down)?.upward()),
        })
    }

    /// Values [across, down] in drawing order, from the top.
    pub(super) fn upright(self, mut values: ArrayView2<'_, f32>) -> ArrayView2<'_, f32> {
        if self == Self::Xy {
            values.invert_axis(Dim(1));
        }
        values
    }
}
