//! The surfaces of the model as depths in metres, and the deformation of its layers.

use crate::model::smooth::{noise, smoothstep};

/// Depth of the sea floor: a slope to the far corner, hummocks, a swell over the salt crest.
pub(super) fn seafloor(x: f64, y: f64) -> f64 {
    let slope = 130.0 * smoothstep(1_500.0, 8_500.0, 0.8 * x + 0.4 * y);
    let hummocks =
        45.0 * noise(21, x / 1_600.0, y / 1_300.0) + 12.0 * noise(22, x / 500.0, y / 500.0);
    240.0 + slope + hummocks - 70.0 * bell(x - 4_600.0, y - 3_600.0, 1_600.0)
}

/// Depth of the base of the salt: the top of the older, faster rocks, the reflector below the salt.
pub(super) fn base(x: f64, y: f64) -> f64 {
    let dip = 0.035 * (x - 4_000.0) - 0.025 * (y - 4_000.0);
    3_470.0 + dip + 45.0 * noise(23, x / 1_900.0, y / 2_300.0)
}

/// Depth of a layer below its place in the flat column: dips along x and y, mini-basins around the
/// salt that deepen with age, and irregular folds.
pub(super) fn subsidence(x: f64, y: f64, burial: f64) -> f64 {
    let age = smoothstep(0.0, 2_200.0, burial);
    let dip = 0.06 * (x - 4_000.0) + 0.045 * (y - 4_000.0);
    let basins = 330.0 * bell(x - 1_500.0, y - 2_000.0, 1_700.0)
        + 380.0 * bell(x - 6_900.0, y - 5_900.0, 1_600.0)
        + 240.0 * bell(x - 6_300.0, y - 1_000.0, 1_500.0);
    let folds = 60.0 * noise(24, x / 1_700.0, y / 1_500.0) * smoothstep(0.0, 500.0, burial);
    (dip + basins) * age + folds
}

/// Uplift of the layers that drape the salt and bend up against its flanks.
pub(super) fn drag(to_salt: f64, z: f64, burial: f64) -> f64 {
    let reach = to_salt.max(0.0) / 450.0;
    let above_canopy = 1.0 - smoothstep(1_400.0, 2_400.0, z);
    let uplift = 120.0 + 200.0 * above_canopy;
    uplift * smoothstep(0.0, 700.0, burial) / (1.0 + reach * reach)
}

/// Round bell of height 1 that falls to 1/4 at `width` from its centre.
fn bell(dx: f64, dy: f64, width: f64) -> f64 {
    let bell = 1.0 / (1.0 + (dx * dx + dy * dy) / (width * width));
    bell * bell
}
