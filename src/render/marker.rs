//! What marks a source, a star, and what was found to be one, a ring: open, so that a wave that has just left it shows. A dot marks
//! one of many.

use super::canvas::Canvas;
use super::colour::Colour;

const EDGE: (u8, u8, u8) = (20, 20, 20);
const HALO: (u8, u8, u8) = (255, 255, 255);
/// Distance of the star's points from its centre, dots.
const RADIUS: f64 = 15.0;
/// Radius of the ring, dots.
const RING: f64 = 22.0;
/// Radius of a dot, dots.
const DOT: f64 = 4.0;
/// Width of the dark edge, dots.
const EDGE_WIDTH: f64 = 2.2;
/// Width of the light edge around that, for dark ground, dots.
const HALO_WIDTH: f64 = 1.8;
/// Samples along each side of a pixel.
const SAMPLES: i32 = 4;

/// Draws the outline of a star, centred at a place in dots.
pub(super) fn draw_star(canvas: &mut Canvas<'_>, x: f64, y: f64) {
    draw_outline(canvas, x, y, depth_in_star);
}

/// Draws a ring around a place in dots, wide enough for a star to be seen in it.
pub(super) fn draw_ring(canvas: &mut Canvas<'_>, x: f64, y: f64) {
    draw_outline(canvas, x, y, |dx, dy| RING - dx.hypot(dy));
}

/// Draws a dot of a colour.
pub(super) fn draw_dot(canvas: &mut Canvas<'_>, x: f64, y: f64, [r, g, b]: Colour) {
    let scale = canvas.scale();
    let (x, y) = (x * scale, y * scale);
    let reach = (DOT * scale).ceil() as i32 + 1;
    let (column, row) = (x.floor() as i32, y.floor() as i32);
    for j in row - reach..=row + reach {
        for i in column - reach..=column + reach {
            let (dx, dy) = (f64::from(i) + 0.5 - x, f64::from(j) + 0.5 - y);
            // A pixel on the edge in part.
            let inside = (DOT * scale - dx.hypot(dy) + 0.5).clamp(0.0, 1.0);
            canvas.blend(i, j, (r, g, b), inside);
        }
    }
}

/// Draws the outline of a shape within [`RING`] of its centre, of which it is known how deep in it a point lies.
fn draw_outline(canvas: &mut Canvas<'_>, x: f64, y: f64, depth: impl Fn(f64, f64) -> f64) {
    let scale = canvas.scale();
    let (x, y) = (x * scale, y * scale);
    let reach = ((RING + HALO_WIDTH) * scale).ceil() as i32 + 1;
    let (column, row) = (x.floor() as i32, y.floor() as i32);
    for j in row - reach..=row + reach {
        for i in column - reach..=column + reach {
            let (mut haloed, mut whole, mut inner) = (0, 0, 0);
            for sample in 0..SAMPLES * SAMPLES {
                let part = |k: i32| (f64::from(k) + 0.5) / f64::from(SAMPLES);
                let dx = f64::from(i) + part(sample % SAMPLES) - x;
                let dy = f64::from(j) + part(sample / SAMPLES) - y;
                let depth = depth(dx / scale, dy / scale);
                haloed += i32::from(depth > -HALO_WIDTH);
                whole += i32::from(depth > 0.0);
                inner += i32::from(depth > EDGE_WIDTH);
            }
            let all = f64::from(SAMPLES * SAMPLES);
            canvas.blend(i, j, HALO, f64::from(haloed - whole) / all);
            canvas.blend(i, j, EDGE, f64::from(whole - inner) / all);
        }
    }
}

/// How far a point lies within the star from its nearest side, dots;
/// negative outside.
fn depth_in_star(dx: f64, dy: f64) -> f64 {
    use std::f64::consts::PI;
    // Fold onto half of one of the five points, which then has one side: from
    // the tip to the notch between two points.
    let turn = dx.atan2(-dy).rem_euclid(0.4 * PI);
    let angle = turn.min(0.4 * PI - turn);
    let distance = dx.hypot(dy);
    let (px, py) = (distance * angle.sin(), distance * angle.cos());
    let notch = 0.45 * RADIUS;
    let (nx, ny) = (notch * (0.2 * PI).sin(), notch * (0.2 * PI).cos());
    let (sx, sy) = (nx, ny - RADIUS);
    // Cross product of the side with the way from the tip, over its length.
    (sy * px - sx * (py - RADIUS)) / sx.hypot(sy)
}

/// Sources in metres as stars in kilometres.
pub(super) fn kilometres(sources: &[(f64, f64)]) -> Vec<(f64, f64)> {
    sources.iter().map(|&(x, z)| (x / 1000.0, z / 1000.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn star_has_five_points() {
        use std::f64::consts::PI;
        for point in 0..5 {
            let angle = 0.4 * PI * f64::from(point);
            let at = |r: f64, angle: f64| depth_in_star(r * angle.sin(), -r * angle.cos());
            assert!(at(0.95 * RADIUS, angle) > 0.0);
            assert!(at(1.05 * RADIUS, angle) < 0.0);
            assert!(at(0.6 * RADIUS, angle + 0.2 * PI) < 0.0);
        }
        assert!(depth_in_star(0.0, 0.0) > EDGE_WIDTH);
    }
}
