//! Lines at any slope and the markers of points, with smooth edges.
//!
//! A shape is how deep a point lies within it, in dots and negative
//! outside; half a pixel either side of its edge is the way from bare to
//! covered.

use std::f64::consts::{FRAC_PI_4, PI};

use super::canvas::Canvas;
use super::colour::{Colour, WHITE};

/// A place in dots from the left upper corner of the picture.
pub(super) type Point = (f64, f64);

/// Radius of a disc that marks a point, dots; all markers cover the same
/// area or look as if they did.
pub(super) const RADIUS: f64 = 10.0;
/// Width of the edge of a hollow marker, dots.
const EDGE: f64 = 3.5;
/// Width of the white around a marker, which parts it from what lies beneath.
const HALO: f64 = 2.0;
/// Length of a dash and of the gap after it, in widths of the line.
const DASHES: (f64, f64) = (4.0, 3.5);
/// How far the corners of any marker reach, dots.
pub(super) const REACH: f64 = 1.6 * RADIUS;

/// What marks a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marker {
    outline: Outline,
    hollow: bool,
}

/// The outline of a marker.
#[derive(Clone, Copy, Debug)]
enum Outline {
    Disc,
    /// A regular polygon, turned from having a side at its right.
    Polygon {
        sides: f64,
        turn: f64,
    },
    /// Two crossed bars.
    Cross {
        turn: f64,
    },
}

const fn filled(outline: Outline) -> Marker {
    Marker { outline, hollow: false }
}

/// Markers that are told apart without their colours.
pub(super) const MARKERS: [Marker; 8] = [
    filled(Outline::Disc),
    filled(Outline::Polygon { sides: 4.0, turn: 0.0 }),
    filled(Outline::Polygon { sides: 3.0, turn: PI / 2.0 }),
    filled(Outline::Polygon { sides: 4.0, turn: FRAC_PI_4 }),
    filled(Outline::Cross { turn: FRAC_PI_4 }),
    Marker { outline: Outline::Disc, hollow: true },
    filled(Outline::Polygon { sides: 3.0, turn: -PI / 2.0 }),
    filled(Outline::Cross { turn: 0.0 }),
];

/// A hollow diamond.
pub(super) const DIAMOND: Marker =
    Marker { outline: Outline::Polygon { sides: 4.0, turn: FRAC_PI_4 }, hollow: true };

impl Marker {
    /// How deep a point lies within the outline; y is positive down.
    fn depth(self, dx: f64, dy: f64) -> f64 {
        match self.outline {
            Outline::Disc => RADIUS - dx.hypot(dy),
            Outline::Polygon { sides, turn } => {
                // Folded onto one side, which then is upright. The distance
                // of the side gives the polygon the area of the disc.
                let part = 2.0 * PI / sides;
                let angle = (dy.atan2(dx) - turn + part / 2.0).rem_euclid(part) - part / 2.0;
                let side = RADIUS * (PI / (sides * (part / 2.0).tan())).sqrt();
                side - dx.hypot(dy) * angle.cos()
            }
            Outline::Cross { turn } => {
                let (sin, cos) = turn.sin_cos();
                let (x, y) = ((dx * cos + dy * sin).abs(), (dy * cos - dx * sin).abs());
                let bar =
                    |along: f64, across: f64| (1.2 * RADIUS - along).min(0.4 * RADIUS - across);
                bar(x, y).max(bar(y, x))
            }
        }
    }

    /// Draws the marker about a place.
    pub(super) fn draw(self, canvas: &mut Canvas<'_>, (x, y): Point, colour: Colour) {
        let scale = canvas.scale();
        let (x, y) = (x * scale, y * scale);
        let reach = (REACH + HALO) * scale + 1.0;
        for j in (y - reach) as i32..=(y + reach) as i32 {
            for i in (x - reach) as i32..=(x + reach) as i32 {
                let (dx, dy) = (f64::from(i) + 0.5 - x, f64::from(j) + 0.5 - y);
                let depth = self.depth(dx / scale, dy / scale);
                cover(canvas, (i, j), WHITE, scale * (depth + HALO));
                let depth = if self.hollow { depth.min(EDGE - depth) } else { depth };
                cover(canvas, (i, j), colour, scale * depth);
            }
        }
    }
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pen {
    pub(super) colour: Colour,
    /// Width, dots.
    pub(super) width: f64,
    pub(super) dashed: bool,
}

impl Pen {
    /// Draws a line through all the points.
    pub(super) fn draw(self, canvas: &mut Canvas<'_>, points: &[Point]) {
        let (dash, gap) = (DASHES.0 * self.width, DASHES.1 * self.width);
        let mut passed = 0.0;
        for pair in points.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            if !self.dashed {
                self.stroke(canvas, from, to);
                continue;
            }
            let length = (to.0 - from.0).hypot(to.1 - from.1);
            let at = |along: f64| {
                let share = along / length;
                (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1))
            };
            // Dashes go on around the corners.
            let mut start = -passed;
            while start < length {
                let (first, last) = (start.max(0.0), (start + dash).min(length));
                if last > first {
                    self.stroke(canvas, at(first), at(last));
                }
                start += dash + gap;
            }
            passed = (passed + length) % (dash + gap);
        }
    }

    /// Draws one straight piece, round at its ends.
    fn stroke(self, canvas: &mut Canvas<'_>, from: Point, to: Point) {
        let scale = canvas.scale();
        let pixels = |(x, y): Point| (x * scale, y * scale);
        let (from, to, width) = (pixels(from), pixels(to), (self.width * scale).max(1.0));
        let (along, down) = (to.0 - from.0, to.1 - from.1);
        let squared = along * along + down * down;
        let reach = width / 2.0 + 1.0;
        let (left, right) = (from.0.min(to.0) - reach, from.0.max(to.0) + reach);
        let (top, bottom) = (from.1.min(to.1) - reach, from.1.max(to.1) + reach);
        for j in top.floor() as i32..=bottom as i32 {
            let y = f64::from(j) + 0.5 - from.1;
            // Only the part of the row that is near the line.
            let (middle, half) = (from.0 + y * along / down, reach * squared.sqrt() / down.abs());
            let (first, last) = if half.is_finite() {
                (left.max(middle - half - 1.0), right.min(middle + half))
            } else {
                (left, right)
            };
            for i in first.floor() as i32..=last as i32 {
                let x = f64::from(i) + 0.5 - from.0;
                let share = if squared > 0.0 { (x * along + y * down) / squared } else { 0.0 };
                let share = share.clamp(0.0, 1.0);
                let distance = (x - share * along).hypot(y - share * down);
                cover(canvas, (i, j), self.colour, width / 2.0 - distance);
            }
        }
    }
}

/// Mixes a colour into a pixel whose middle lies so deep within a shape.
fn cover(canvas: &mut Canvas<'_>, (x, y): (i32, i32), [r, g, b]: Colour, depth: f64) {
    if depth > -0.5 {
        canvas.blend(x, y, (r, g, b), (depth + 0.5).min(1.0));
    }
}

#[cfg(test)]
mod tests {
    use super::super::RenderError;
    use super::*;
    use image::{Rgb, RgbImage};

    const RED: Colour = [255, 0, 0];

    fn drawn(draw: impl FnOnce(&mut Canvas<'_>)) -> Result<RgbImage, RenderError> {
        let mut image = RgbImage::from_pixel(60, 60, Rgb(WHITE));
        draw(&mut Canvas::new(&mut image)?);
        Ok(image)
    }

    /// How many pixels are covered, in parts of a pixel.
    fn area(image: &RgbImage) -> f64 {
        image.pixels().map(|p| 1.0 - f64::from(p.0[1]) / 255.0).sum()
    }

    #[test]
    fn markers_differ_and_weigh_the_same() -> Result<(), RenderError> {
        let mut before = Vec::new();
        for (k, marker) in MARKERS.into_iter().enumerate() {
            let image = drawn(|canvas| marker.draw(canvas, (30.0, 30.0), RED))?;
            let disc = PI * RADIUS * RADIUS;
            let hollow = if marker.hollow { 0.5 } else { 0.15 };
            assert!((area(&image) / disc - 1.0).abs() < hollow, "{k}: {}", area(&image) / disc);
            assert!(!before.contains(&image), "{k}");
            before.push(image);
        }
        Ok(())
    }

    #[test]
    fn a_hollow_marker_is_white_within() -> Result<(), RenderError> {
        let mut image = RgbImage::from_pixel(60, 60, Rgb([0; 3]));
        DIAMOND.draw(&mut Canvas::new(&mut image)?, (30.0, 30.0), RED);
        assert_eq!(image.get_pixel(30, 30).0, WHITE);
        assert_eq!(image.get_pixel(30, 19).0, RED);
        assert_eq!(image.get_pixel(30, 5).0, [0; 3]);
        Ok(())
    }

    #[test]
    fn lines_are_as_wide_as_the_pen() -> Result<(), RenderError> {
        for to in [(50.0, 10.0), (10.0, 50.0), (50.0, 50.0), (20.0, 50.0)] {
            let pen = |dashed| Pen { colour: RED, width: 4.0, dashed };
            let line: [Point; 3] = [(10.0, 10.0), (30.0, 30.0), to];
            let length: f64 =
                line.windows(2).map(|p| (p[1].0 - p[0].0).hypot(p[1].1 - p[0].1)).sum();
            let whole = area(&drawn(|canvas| pen(false).draw(canvas, &line))?);
            assert!((whole / (4.0 * length) - 1.0).abs() < 0.2, "{to:?}: {whole}");
            let dashes = area(&drawn(|canvas| pen(true).draw(canvas, &line))?);
            assert!((0.4..0.9).contains(&(dashes / whole)), "{to:?}: {dashes} of {whole}");
        }
        let point = [(30.0, 30.0); 2];
        for dashed in [false, true] {
            drawn(|canvas| Pen { colour: RED, width: 4.0, dashed }.draw(canvas, &point))?;
        }
        Ok(())
    }
}
