//! The salt: a pillow on its base, a leaning stem, a canopy with a tongue and a crest.

use super::surfaces;
use crate::model::smooth::{mix, noise, smoothstep};

/// Width of the fillet between parts of the body, metres.
const FILLET: f64 = 320.0;

/// Distance to the salt, metres; negative inside. To first order about its surface.
pub(super) fn distance(x: f64, y: f64, z: f64) -> f64 {
    let upper = union(union(canopy(x, y, z), tongue(x, y, z)), crest(x, y, z));
    let lower = union(stem(x, y, z), pillow(x, y, z));
    let smooth = union(upper, lower);
    // The rugosity matters only near the surface, most of all on top, and fades without a jump.
    let near = 1.0 - smoothstep(100.0, 250.0, smooth.abs());
    let rugosity = if near > 0.0 { near * rugosity(x, y, z) } else { 0.0 };
    // The root lies flat on its base.
    (smooth + rugosity).max(z - surfaces::base(x, y))
}

fn rugosity(x: f64, y: f64, z: f64) -> f64 {
    let strength = mix(1.0, 0.35, smoothstep(1_300.0, 2_000.0, z));
    strength * (50.0 * noise(26, x / 520.0, y / 460.0) + 20.0 * noise(27, x / 230.0, y / 250.0))
}

/// The canopy: an oval sheet that dips along its longer axis, at 37 degrees to x.
fn canopy(x: f64, y: f64, z: f64) -> f64 {
    let (dx, dy) = (x - 4_150.0, y - 3_800.0);
    let (along, across) = (0.8 * dx + 0.6 * dy, 0.8 * dy - 0.6 * dx);
    let dz = z - 1_480.0 + 0.10 * along - 0.05 * across;
    ellipsoid([along, across, dz], [1_950.0, 1_350.0, 340.0])
}

/// A tongue that has flowed from the canopy's lower end.
fn tongue(x: f64, y: f64, z: f64) -> f64 {
    let (dx, dy) = (x - 2_600.0, y - 4_700.0);
    let dz = z - 1_800.0 + 0.12 * dx - 0.06 * dy;
    ellipsoid([dx, dy, dz], [1_150.0, 950.0, 230.0])
}

/// The crest, which nearly reaches the sea floor.
fn crest(x: f64, y: f64, z: f64) -> f64 {
    ellipsoid([x - 4_700.0, y - 3_500.0, z - 1_080.0], [760.0, 620.0, 430.0])
}

/// The stem: leaning, narrow in its middle, oval in plan.
fn stem(x: f64, y: f64, z: f64) -> f64 {
    let below = z - 1_500.0;
    let (dx, dy) = (x - 4_600.0 - 0.34 * below, y - 4_050.0 + 0.20 * below);
    let from_neck = (z - 2_350.0) / 850.0;
    let radius = 440.0 + 260.0 * from_neck * from_neck;
    let beside = (dx * dx + dy * dy / 1.7).sqrt() - radius;
    beside.max(-below).max(z - 3_700.0)
}

/// The remnant of the salt where it was deposited.
fn pillow(x: f64, y: f64, z: f64) -> f64 {
    ellipsoid([x - 5_100.0, y - 3_700.0, z - 3_420.0], [2_400.0, 1_900.0, 330.0])
}

/// Distance to an ellipsoid of half axes `r` about the origin, to first order.
fn ellipsoid(at: [f64; 3], r: [f64; 3]) -> f64 {
    let norm = |v: [f64; 3]| (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    let scaled = [at[0] / r[0], at[1] / r[1], at[2] / r[2]];
    let slope = norm([scaled[0] / r[0], scaled[1] / r[1], scaled[2] / r[2]]);
    let radius = norm(scaled);
    // The centre has no nearest point; any direction will do.
    if slope == 0.0 { -r[2] } else { radius * (radius - 1.0) / slope }
}

/// Distance to either of two bodies, with a fillet (quadratic polynomial smooth minimum).
fn union(a: f64, b: f64) -> f64 {
    let near = (FILLET - (a - b).abs()).max(0.0);
    a.min(b) - near * near / (4.0 * FILLET)
}
