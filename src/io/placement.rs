//! The place of a model on the map, as files hold it: three lists of numbers, each by its name.

use crate::grid::Position;
use crate::model::{Placement, Side};

/// Easting, northing and elevation of the first node, metres.
const ORIGIN: &str = "map_origin";
/// The direction of x, degrees clockwise from north.
const AZIMUTH: &str = "azimuth";
/// 1 where y lies to the left of x, -1 where it lies to the right.
const Y_AXIS: &str = "y_axis";

/// The numbers of a placement; none of a plain one.
pub fn numbers(placement: &Placement) -> Vec<(&'static str, Vec<f64>)> {
    if placement.is_plain() {
        return Vec::new();
    }
    let Position { x, y, z } = placement.origin;
    let side = if placement.y_axis == Side::Left { 1.0 } else { -1.0 };
    vec![
        // 0 - 0 is 0, where -0 would be -0.
        (ORIGIN, vec![x, y, 0.0 - z]),
        (AZIMUTH, vec![placement.azimuth]),
        (Y_AXIS, vec![side]),
    ]
}

/// The placement of a file that has these numbers by their names; `None` without an origin.
pub fn of_numbers(get: impl Fn(&str) -> Option<Vec<f64>>) -> Option<Placement> {
    let finite = |name| get(name).filter(|of| of.iter().all(|number| number.is_finite()));
    let origin = finite(ORIGIN)?;
    let &[x, y, elevation] = origin.as_slice() else { return None };
    let one = |name| finite(name).and_then(|of| of.first().copied());
    let y_axis = if one(Y_AXIS) == Some(-1.0) { Side::Right } else { Side::Left };
    let plain = Placement::default();
    let azimuth = one(AZIMUTH).unwrap_or(plain.azimuth);
    Some(Placement { origin: Position { x, y, z: 0.0 - elevation }, azimuth, y_axis })
}
