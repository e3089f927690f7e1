//! Markers at the points of curves.

use std::f64::consts::PI;

use super::canvas::{Drawing, Point};
use super::colour::{Colour, WHITE};

/// Radius of a disc marker, dots; all markers have the same area or appear to.
pub(super) const RADIUS: f64 = 10.0;
/// Width of the edge of a hollow marker, dots.
const EDGE: f64 = 3.5;
/// Width of the white halo around a marker.
const HALO: f64 = 2.0;
/// Maximum distance of any marker's corners from its centre, dots.
pub(super) const REACH: f64 = 1.6 * RADIUS;

/// A marker: a regular polygon with `corners` corners, the first rotated by `turn` from the right,
/// or a cross with none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marker {
    corners: usize,
    turn: f64,
    hollow: bool,
}

const fn filled(corners: usize, turn: f64) -> Marker {
    Marker { corners, turn, hollow: false }
}

const DISC: usize = 32;

/// Markers distinguishable without colour.
pub(super) const MARKERS: [Marker; 8] = [
    filled(DISC, 0.0),
    filled(4, PI / 4.0),
    filled(3, -PI / 2.0),
    filled(4, 0.0),
    filled(0, PI / 4.0),
    Marker { corners: DISC, turn: 0.0, hollow: true },
    filled(3, PI / 2.0),
    filled(0, 0.0),
];

/// A hollow diamond.
pub(super) const DIAMOND: Marker = Marker { corners: 4, turn: 0.0, hollow: true };

/// A corner of a cross's arm, in radii of a disc of equal area.
const ARM: Point = (1.2, 0.4);

impl Marker {
    /// Its corners about a point, moved outward by `out`.
    fn outline(self, (x, y): Point, out: f64) -> Vec<Point> {
        let polar = |radius: f64, angle: f64| (x + radius * angle.cos(), y + radius * angle.sin());
        if self.corners == 0 {
            let (along, aside) = (RADIUS * ARM.0 + out, RADIUS * ARM.1 + out);
            let quarter = |k: usize| {
                let turn = self.turn + PI / 2.0 * k as f64;
                let corner = |x: f64, y: f64| polar(x.hypot(y), turn + y.atan2(x));
                [corner(along, -aside), corner(along, aside), corner(aside, aside)]
            };
            return (0..4).flat_map(quarter).collect();
        }
        let part = 2.0 * PI / self.corners as f64;
        // With the area of the disc.
        let radius = RADIUS * (part / part.sin()).sqrt() + out / (part / 2.0).cos();
        (0..self.corners).map(|k| polar(radius, self.turn + part * k as f64)).collect()
    }

    /// Draws the marker at a point.
    pub(super) fn draw(self, canvas: &mut Drawing, at: Point, colour: Colour) {
        canvas.fill(&[self.outline(at, HALO)], WHITE);
        canvas.fill(&[self.outline(at, 0.0)], colour);
        if self.hollow {
            canvas.fill(&[self.outline(at, -EDGE)], WHITE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{RED, painted, red_area};
    use super::*;
    use crate::picture::Picture;

    fn drawn(marker: Marker, ground: Colour) -> Picture {
        painted(60, 60, ground, |canvas| marker.draw(canvas, (30.0, 30.0), RED))
    }

    #[test]
    fn markers_differ_and_weigh_the_same() {
        let mut before = Vec::new();
        for (k, marker) in MARKERS.into_iter().enumerate() {
            let image = drawn(marker, WHITE);
            let share = red_area(&image) / (PI * RADIUS * RADIUS);
            let off = if marker.hollow { 0.5 } else { 0.15 };
            assert!((share - 1.0).abs() < off, "{k}: {share}");
            assert!(!before.contains(&image), "{k}");
            before.push(image);
        }
    }

    #[test]
    fn a_hollow_marker_is_white_within() {
        let image = drawn(DIAMOND, [0; 3]);
        assert_eq!([30, 20, 5].map(|y| image.pixel(30, y)), [WHITE, RED, [0; 3]]);
    }
}
