//! Flat layers, whose reflections can be computed by hand.

use crate::grid::Position;

/// Depth of the base in metres, velocity in m/s.
const LAYERS: [(f64, f64); 5] = [
    (400.0, 1500.0),
    (1100.0, 2000.0),
    (1900.0, 2600.0),
    (2900.0, 3200.0),
    (f64::INFINITY, 4000.0),
];

/// Velocity at a position in metres, m/s.
pub(crate) fn velocity(at: Position) -> f64 {
    let layer = LAYERS.iter().find(|(base, _)| at.z < *base);
    layer.map_or(4000.0, |(_, velocity)| *velocity)
}
