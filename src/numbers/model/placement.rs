//! Where a model lies on the map.

use crate::{grid::Position, rounded::rounded};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Where the first node of a model lies on the map, and which way its axes go. A position on the
/// map is the easting x and the northing y in metres, and z, the depth below the map's datum in
/// metres: minus the elevation. Without one, positions in a model are those of the map.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Placement {
    /// The first node, on the map.
    pub origin: Position,
    /// The direction of the x axis, degrees clockwise from north; 90 is east.
    pub azimuth: f64,
    /// The side of the x axis on which the y axis lies, looking along it.
    pub y_axis: Side,
}

/// A side of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "flags", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// North of an axis to the east.
    #[default]
    Left,
    /// South of it.
    Right,
}

/// The direction of an x axis to the east.
pub(crate) const EAST: f64 = 90.0;

impl Default for Placement {
    fn default() -> Self {
        Placement { origin: Position::default(), azimuth: EAST, y_axis: Side::Left }
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Position { x, y, z } = self.origin.map(rounded);
        write!(f, "x = {x} m, y = {y} m of the map, {} m above its datum", 0.0 - z)?;
        if !self.is_straight() {
            let side = if self.y_axis == Side::Left { "left" } else { "right" };
            write!(
                f,
                ", its x axis at {} degrees from north, y to the {side}",
                rounded(self.azimuth)
            )?;
        }
        write!(f, "; a job counts from that node, and headers of traces are of the map")
    }
}

impl Placement {
    /// True if positions in the model are those of the map.
    pub fn is_plain(&self) -> bool {
        *self == Placement::default()
    }

    /// True if x is east and y is north, wherever the first node lies.
    pub fn is_straight(&self) -> bool {
        (self.azimuth, self.y_axis) == (EAST, Side::Left)
    }

    /// A position of the map in the model.
    pub fn in_model(&self, at: Position) -> Position {
        let (sin, cos, side) = self.directions();
        let (east, north) = (at.x - self.origin.x, at.y - self.origin.y);
        let (x, left) = (east * sin + north * cos, north * sin - east * cos);
        Position { z: at.z - self.origin.z, x, y: side * left }
    }

    /// A position of the model on the map.
    pub fn on_map(&self, at: Position) -> Position {
        let (sin, cos, side) = self.directions();
        let left = side * at.y;
        let (east, north) = (at.x * sin - left * cos, at.x * cos + left * sin);
        Position { z: at.z + self.origin.z, x: east + self.origin.x, y: north + self.origin.y }
    }

    /// The placement of a part of the model whose first node is at this position of it.
    #[must_use]
    pub(crate) fn from(&self, first: Position) -> Self {
        Placement { origin: self.on_map(first), ..*self }
    }

    /// Sine and cosine of the azimuth, exact along the map's axes, and the sign of the y axis.
    fn directions(&self) -> (f64, f64, f64) {
        let (sin, cos) = match self.azimuth.rem_euclid(360.0) {
            0.0 => (0.0, 1.0),
            90.0 => (1.0, 0.0),
            180.0 => (0.0, -1.0),
            270.0 => (-1.0, 0.0),
            azimuth => azimuth.to_radians().sin_cos(),
        };
        (sin, cos, if self.y_axis == Side::Left { 1.0 } else { -1.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_go_to_the_map_and_back() {
        let origin = Position { x: 500_000.0, y: 6_700_000.0, z: -120.0 };
        let at = Position { x: 300.0, y: 40.0, z: 10.0 };
        for (azimuth, y_axis, (east, north)) in [
            (90.0, Side::Left, (300.0, 40.0)),
            (90.0, Side::Right, (300.0, -40.0)),
            (0.0, Side::Left, (-40.0, 300.0)),
            (0.0, Side::Right, (40.0, 300.0)),
            (180.0, Side::Left, (40.0, -300.0)),
            (-90.0, Side::Left, (-300.0, -40.0)),
            // 3-4-5: sin = 0.6 and cos = 0.8.
            (36.869_897_645_844_02, Side::Left, (180.0 - 32.0, 240.0 + 24.0)),
        ] {
            let placement = Placement { origin, azimuth, y_axis };
            let map = placement.on_map(at);
            let wanted = Position { x: origin.x + east, y: origin.y + north, z: -110.0 };
            for (one, other) in [(map, wanted), (placement.in_model(map), at)] {
                assert!((one.x - other.x).abs() < 1e-6, "{azimuth} {y_axis:?}: {one:?}");
                assert!((one.y - other.y).abs() < 1e-6, "{azimuth} {y_axis:?}: {one:?}");
                assert_eq!(one.z, other.z);
            }
            let part = placement.from(at);
            assert_eq!(part.on_map(Position::default()), map);
        }
        let plain = Placement::default();
        let odd = Position { x: 0.1 + 0.2, y: -1e-9, z: 1.0 / 3.0 };
        assert_eq!((plain.in_model(odd), plain.on_map(odd)), (odd, odd), "to the bit");
    }
}
