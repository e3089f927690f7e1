//! The place of a model on the map, as files hold it: three lists of numbers, each by its name.

use crate::grid::Position;
use crate::model::{Placement, Side};

/// Easting, northing and elevation of the first node, metres.
const ORIGIN: &str = "map_origin";
/// The direction of x, degrees clockwise from north.
const AZIMUTH: &str = "azimuth";
/// 1 where y lies to the left of x, -1 where it lies to the right.
const Y_AXIS: &str = "y_axis";

/// Their names.
pub(crate) const NAMES: [&str; 3] = [ORIGIN, AZIMUTH, Y_AXIS];

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

/// The placement of a file that has these numbers by their names; `None` without an origin. `get`
/// gives none for a name that is not there, and no numbers for something else.
/// An error is the name of what is no number, and what it should be.
pub(crate) fn of_numbers(
    get: impl Fn(&str) -> Option<Vec<f64>>,
) -> Result<Option<Placement>, (&'static str, &'static str)> {
    let Some(origin) = get(ORIGIN) else { return Ok(None) };
    let near = |number: &f64| number.abs() < FARTHEST;
    let &[x, y, elevation] = origin.as_slice() else { return Err((ORIGIN, THREE)) };
    if !origin.iter().all(near) {
        return Err((ORIGIN, THREE));
    }
    let plain = Placement::default();
    let azimuth = match get(AZIMUTH).as_deref() {
        None => plain.azimuth,
        Some(&[azimuth]) if azimuth.abs() <= 360.0 => azimuth,
        Some(_) => return Err((AZIMUTH, "give degrees from -360 to 360")),
    };
    let y_axis = match get(Y_AXIS).as_deref() {
        None => plain.y_axis,
        Some([1.0]) => Side::Left,
        Some([-1.0]) => Side::Right,
        Some(_) => return Err((Y_AXIS, "give 1 (left) or -1 (right)")),
    };
    Ok(Some(Placement { origin: Position { x, y, z: 0.0 - elevation }, azimuth, y_axis }))
}

/// Farther than any place on a map, metres.
const FARTHEST: f64 = 1e9;
const THREE: &str = "give easting, northing and elevation, metres";
