//! The regular grid: named axes, metres outside, indices inside.
//!
//! Axes are named, never numbered: z is depth, positive down; x and y are horizontal. In memory z
//! is the fastest axis (a trace is a column) and y the slowest, so an array has the shape
//! `[y][x][z]`; a 2-D grid is the case `n.y = 1`.

use crate::rounded::rounded_apart;
use serde::{Deserialize, Serialize, Serializer, ser::SerializeStruct};
use std::str::FromStr;

// These comments are what an editor shows of a job, too.
/// A value for each axis; y in 3-D only, where it may be missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PerAxis"))]
#[serde(deny_unknown_fields)]
pub struct Axes<T, Y = T> {
    /// Along z, depth.
    pub z: T,
    /// Along x.
    pub x: T,
    /// Along y; in 3-D.
    pub y: Y,
}

/// A value for each axis of a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneAxes<T> {
    /// Along x.
    pub x: T,
    /// Along z, depth.
    pub z: T,
}

/// A value for each axis of a model of two or of three dimensions.
pub type PerAxis<T> = Axes<T, Option<T>>;

impl<T: FromStr + Copy> FromStr for PerAxis<T> {
    type Err = String;

    /// Such as `z=10,x=20`.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut given: [Option<T>; 3] = [None; 3];
        for part in text.split(',') {
            let value = part.split_once('=').and_then(|(axis, value)| {
                let at = ["z", "x", "y"].iter().position(|known| *known == axis.trim())?;
                Some((at, value.trim().parse().ok()?))
            });
            match value {
                Some((at, value)) if given[at].is_none() => given[at] = Some(value),
                _ => {
                    return Err(format!(
                        "\"{part}\" is not one of z=NUMBER, x=NUMBER and y=NUMBER, each once"
                    ));
                }
            }
        }
        match given {
            [Some(z), Some(x), y] => Ok(PerAxis { z, x, y }),
            _ => Err("give z and x, as in z=10,x=20, and y in 3-D".into()),
        }
    }
}

/// An axis of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Axis {
    /// Depth.
    Z,
    /// First horizontal axis.
    X,
    /// Second horizontal axis.
    Y,
}

impl Axis {
    /// Its value.
    pub fn of<T>(self, axes: &Axes<T>) -> &T {
        match self {
            Axis::Z => &axes.z,
            Axis::X => &axes.x,
            Axis::Y => &axes.y,
        }
    }

    /// Its value, to change it.
    pub(crate) fn of_mut<T>(self, axes: &mut Axes<T>) -> &mut T {
        match self {
            Axis::Z => &mut axes.z,
            Axis::X => &mut axes.x,
            Axis::Y => &mut axes.y,
        }
    }

    /// Its name.
    pub fn letter(self) -> char {
        match self {
            Axis::Z => 'z',
            Axis::X => 'x',
            Axis::Y => 'y',
        }
    }
}

impl<T> Axes<T> {
    /// Those of a model: y only where it is 3-D.
    pub fn in_model(self, is_volume: bool) -> PerAxis<T> {
        PerAxis { z: self.z, x: self.x, y: is_volume.then_some(self.y) }
    }

    /// Maps each value.
    #[inline]
    pub fn map<U>(self, mut of: impl FnMut(T) -> U) -> Axes<U> {
        Axes { z: of(self.z), x: of(self.x), y: of(self.y) }
    }

    /// Pairs of its values with another's.
    pub fn zip<U>(self, other: Axes<U>) -> Axes<(T, U)> {
        Axes { z: (self.z, other.z), x: (self.x, other.x), y: (self.y, other.y) }
    }

    /// References to the values.
    pub fn each(&self) -> Axes<&T> {
        Axes { z: &self.z, x: &self.x, y: &self.y }
    }
}

impl<T: Serialize> Serialize for Axes<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.each().in_model(true).serialize(serializer)
    }
}

impl<T: Serialize> Serialize for PerAxis<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut axes = serializer.serialize_struct("Axes", 2 + usize::from(self.y.is_some()))?;
        axes.serialize_field("z", &self.z)?;
        axes.serialize_field("x", &self.x)?;
        self.y.as_ref().map_or(Ok(()), |y| axes.serialize_field("y", y))?;
        axes.end()
    }
}

/// A point in space, metres.
pub type Position = Axes<f64>;

impl Axes<f64> {
    /// A position in the plane y = 0, metres.
    pub fn xz(x: f64, z: f64) -> Self {
        Axes { z, x, y: 0.0 }
    }

    /// The distance of two positions, metres.
    pub fn distance(&self, other: &Position) -> f64 {
        (self.x - other.x).hypot(self.y - other.y).hypot(self.z - other.z)
    }

    /// The largest value; y counts in 3-D only.
    pub(crate) fn largest(&self, is_volume: bool) -> f64 {
        let plane = self.z.max(self.x);
        if is_volume { plane.max(self.y) } else { plane }
    }

    /// The lowest and the highest corner of the box around some positions; `None` without one.
    pub(crate) fn box_around(
        positions: impl IntoIterator<Item = Position>,
    ) -> Option<[Position; 2]> {
        let corners = positions.into_iter().map(|at| [at; 2]);
        corners.reduce(|[low, high], [at, _]| {
            [low.zip(at).map(|(a, b)| a.min(b)), high.zip(at).map(|(a, b)| a.max(b))]
        })
    }
}

/// A regular grid of nodes; the first node lies at the origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Grid {
    /// Nodes along each axis.
    pub n: Axes<usize>,
    /// Spacing along each axis, metres. `h.y` is unused in 2-D.
    pub h: Axes<f64>,
}

/// Reasons why a grid or a position on it was rejected.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum GridError {
    #[error(
        "the spacing along {axis} is {value} m; it must be a positive number of metres, from {SMALLEST:e} to {LARGEST:e}"
    )]
    Spacing { axis: char, value: f64 },
    #[error("the grid has no nodes along {axis}; at least 1 is needed")]
    Empty { axis: char },
    #[error(
        "{axis} = {} m lies outside the model, which reaches from 0 to {} m along {axis}",
        rounded_apart(*value, *last)[0], rounded_apart(*value, *last)[1]
    )]
    Outside { axis: char, value: f64, last: f64 },
}

/// The smallest and largest spacing, metres: beyond them f32 cannot represent (v dt / h)^2 and h^2.
const SMALLEST: f64 = 1e-6;
const LARGEST: f64 = 1e7;

/// A position this close to a node, in units of the spacing, is on it.
const ON_NODE: f64 = 1e-6;

impl Grid {
    /// A 2-D grid of `nx` by `nz` nodes, `hx` and `hz` metres apart.
    pub fn plane(nx: usize, nz: usize, hx: f64, hz: f64) -> Result<Self, GridError> {
        Grid::volume(Axes { z: nz, x: nx, y: 1 }, Axes { z: hz, x: hx, y: 1.0 })
    }

    /// Its nodes and spacing, for a message.
    pub(crate) fn described(&self) -> String {
        let (n, h) = (self.n, self.h);
        match self.is_volume() {
            true => format!("{} x {} x {} (x, y, z), {} x {} x {} m", n.x, n.y, n.z, h.x, h.y, h.z),
            false => format!("{} x {} (x, z), {} x {} m", n.x, n.z, h.x, h.z),
        }
    }

    /// A grid of `n` nodes, `h` metres apart; 3-D if it has more than one node along y.
    pub fn volume(n: Axes<usize>, h: Axes<f64>) -> Result<Self, GridError> {
        for (axis, value) in [('x', h.x), ('z', h.z), ('y', h.y)] {
            if !(SMALLEST..=LARGEST).contains(&value) {
                return Err(GridError::Spacing { axis, value });
            }
        }
        for (axis, n) in [('x', n.x), ('z', n.z), ('y', n.y)] {
            if n == 0 {
                return Err(GridError::Empty { axis });
            }
        }
        Ok(Grid { n, h })
    }

    /// True in 3-D.
    pub fn is_volume(&self) -> bool {
        self.n.y > 1
    }

    /// Number of nodes.
    pub fn cells(&self) -> usize {
        self.n.y * self.n.x * self.n.z
    }

    /// Area of a cell in 2-D, volume in 3-D: the reciprocal of the height of a delta on the grid.
    pub(crate) fn cell_volume(&self) -> f64 {
        let area = self.h.z * self.h.x;
        if self.is_volume() { area * self.h.y } else { area }
    }

    /// Shape of an array with one value per node, `[y][x][z]`.
    pub fn shape(&self) -> (usize, usize, usize) {
        (self.n.y, self.n.x, self.n.z)
    }

    /// Index of a node in such an array.
    pub fn index(&self, node: Axes<usize>) -> usize {
        (node.y * self.n.x + node.x) * self.n.z + node.z
    }

    /// The node at an index in such an array.
    pub fn node_of(&self, index: usize) -> Axes<usize> {
        let (column, z) = (index / self.n.z, index % self.n.z);
        Axes { z, x: column % self.n.x, y: column / self.n.x }
    }

    /// All nodes in the order of such an array.
    pub fn nodes(self) -> impl Iterator<Item = Axes<usize>> {
        (0..self.cells()).map(move |index| self.node_of(index))
    }

    /// Coordinates of the last node, metres.
    pub fn last(&self) -> Position {
        self.n.zip(self.h).map(|(n, h)| (n - 1) as f64 * h)
    }

    /// A position in units of the spacing, whole on a node; an error outside the grid.
    pub fn in_nodes(&self, at: Position) -> Result<Axes<f64>, GridError> {
        let along = |axis, value: f64, n: usize, spacing: f64| {
            let last = (n - 1) as f64 * spacing;
            let slack = ON_NODE * spacing;
            if !(value >= -slack && value <= last + slack) {
                return Err(GridError::Outside { axis, value, last });
            }
            let (exact, node) = (value / spacing, (value / spacing).round());
            let at = if (exact - node).abs() <= ON_NODE { node } else { exact };
            Ok(at.clamp(0.0, (n - 1) as f64))
        };
        Ok(Axes {
            z: along('z', at.z, self.n.z, self.h.z)?,
            x: along('x', at.x, self.n.x, self.h.x)?,
            y: along('y', at.y, self.n.y, self.h.y)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_counted_in_nodes_or_refused() {
        let grid = Grid::plane(11, 5, 20.0, 10.0).expect("a valid grid");
        let at = |x, z| grid.in_nodes(Axes::xz(x, z));
        assert_eq!(at(200.0, 30.0), Ok(Axes { z: 3.0, x: 10.0, y: 0.0 }));
        assert_eq!(at(195.0, 10.0 + 1e-6), Ok(Axes { z: 1.0, x: 9.75, y: 0.0 }));
        assert_eq!(at(-1e-6, 40.0 + 1e-6), Ok(Axes { z: 4.0, x: 0.0, y: 0.0 }));
        assert!(matches!(at(220.0, 0.0), Err(GridError::Outside { axis: 'x', .. })));
        assert!(matches!(at(0.0, -10.0), Err(GridError::Outside { axis: 'z', .. })));
        assert!(at(f64::NAN, 0.0).is_err());
    }
}
