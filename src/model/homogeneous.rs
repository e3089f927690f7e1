//! One velocity everywhere.

/// Velocity at a position in metres, m/s.
pub fn velocity(_x: f64, _z: f64) -> f64 {
    2000.0
}
