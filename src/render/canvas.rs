//! A canvas for boxes, shapes, lines and text, in dots.
//!
//! Shapes are polygons, antialiased by the rasteriser of the font's glyphs.

use crate::picture::Picture;
use ab_glyph_rasterizer::{Rasterizer, point};

use super::colour::Colour;
use super::font;
use super::text::{Align, LINE_HEIGHT, Style};

/// A point in dots from the top left corner of the image.
pub(super) type Point = (f64, f64);

/// Length of a dash and of the gap after it, in line widths.
const DASHES: (f64, f64) = (4.0, 3.5);
/// Extent of a line of text above and below its baseline, em.
const BOX: (f32, f32) = (0.80, 0.24);

/// A box, in dots.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Place {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Place {
    pub(super) fn right(self) -> f64 {
        self.left + self.width
    }

    pub(super) fn bottom(self) -> f64 {
        self.top + self.height
    }

    /// The point at a fraction of the width and of the height.
    pub(super) fn at(self, across: f64, down: f64) -> Point {
        (self.left + across * self.width, self.top + down * self.height)
    }
}

/// Style of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pen {
    pub(super) colour: Colour,
    /// Width, dots.
    pub(super) width: f64,
    pub(super) dashed: bool,
}

/// An RGB image to draw on.
pub(super) struct Canvas<'a> {
    image: &'a mut Picture,
    /// Pixels per dot.
    scale: f64,
    /// Of the last shape, whose memory the next one takes.
    raster: Rasterizer,
}

impl<'a> Canvas<'a> {
    /// Draws with `scale` pixels per dot.
    pub(super) fn new(image: &'a mut Picture, scale: f64) -> Self {
        Self { image, scale, raster: Rasterizer::new(0, 0) }
    }

    /// Fills a box with edges rounded to whole pixels, at least one pixel along each side.
    pub(super) fn fill_box(&mut self, place: Place, colour: Colour) {
        self.paint(place, |width, height| vec![colour; width * height]);
    }

    /// Paints a box, rounded likewise, with pixels row by row; `pixels` gets their numbers
    /// (columns, rows).
    pub(super) fn paint(&mut self, place: Place, pixels: impl FnOnce(usize, usize) -> Vec<Colour>) {
        let pixel = |dot: f64| (dot * self.scale).round();
        let (left, top) = (pixel(place.left), pixel(place.top));
        let (width, height) = (pixel(place.right()) - left, pixel(place.bottom()) - top);
        let (width, height) = (width.max(1.0) as usize, height.max(1.0) as usize);
        for (y, row) in pixels(width, height).chunks_exact(width).enumerate() {
            for (x, colour) in row.iter().enumerate() {
                blend(self.image, left as i64 + x as i64, top as i64 + y as i64, *colour, 1.0);
            }
        }
    }

    /// Fills polygons, which may overlap if all have the same orientation. One of the opposite
    /// orientation is a hole.
    pub(super) fn fill(&mut self, polygons: &[Vec<Point>], colour: Colour) {
        let (mut low, mut high) = ((f64::MAX, f64::MAX), (f64::MIN, f64::MIN));
        for &(x, y) in polygons.iter().flatten() {
            let (x, y) = (x * self.scale, y * self.scale);
            low = (low.0.min(x), low.1.min(y));
            high = (high.0.max(x), high.1.max(y));
        }
        if !(high.0 - low.0 <= LARGEST && high.1 - low.1 <= LARGEST) {
            return;
        }
        let (left, top) = (low.0.floor(), low.1.floor());
        let size = |low: f64, high: f64| (high - low).ceil() as usize + 2;
        let Canvas { image, scale, raster } = self;
        raster.reset(size(left, high.0), size(top, high.1));
        let place = |&(x, y): &Point| point((x * *scale - left) as f32, (y * *scale - top) as f32);
        for polygon in polygons {
            for (from, to) in polygon.iter().zip(polygon.iter().cycle().skip(1)) {
                raster.draw_line(place(from), place(to));
            }
        }
        raster.for_each_pixel_2d(|x, y, cover| {
            if cover > 0.0 {
                let (x, y) = (left as i64 + i64::from(x), top as i64 + i64::from(y));
                blend(image, x, y, colour, cover);
            }
        });
    }

    /// Draws a line through the points.
    pub(super) fn line(&mut self, points: &[Point], pen: Pen) {
        let width = pen.width.max(1.0 / self.scale);
        let mut points = points.to_vec();
        points.dedup();
        let mut pieces: Vec<Vec<Point>> = Vec::new();
        let mut passed = 0.0;
        for pair in points.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            if !pen.dashed {
                pieces.push(bar(from, to, width));
                continue;
            }
            let (dash, gap) = (DASHES.0 * width, DASHES.1 * width);
            let length = (to.0 - from.0).hypot(to.1 - from.1);
            let at = |along: f64| {
                let share = along / length;
                (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1))
            };
            // Dashes continue around the corners.
            let mut start = -passed;
            while start < length {
                let (first, last) = (start.max(0.0), (start + dash).min(length));
                if last > first {
                    pieces.push(bar(at(first), at(last), width));
                }
                start += dash + gap;
            }
            passed = (passed + length) % (dash + gap);
        }
        if !pen.dashed {
            pieces.extend(points.windows(3).map(|corner| wedge(corner, width)));
        }
        self.fill(&pieces, pen.colour);
    }

    /// Draws text at a point; newlines separate its lines.
    pub(super) fn text(&mut self, text: &str, style: Style, (x, y): Point) {
        let lines = text.split('\n').count();
        for (k, line) in text.split('\n').enumerate() {
            let lower = LINE_HEIGHT * (k as f64 - (lines - 1) as f64 / 2.0);
            self.text_line(line, style, (x, y + lower));
        }
    }

    fn text_line(&mut self, text: &str, style: Style, at: Point) {
        let em = style.em * self.scale as f32;
        let (x, y) = ((at.0 * self.scale).round() as i64, (at.1 * self.scale).round() as i64);
        let along = match style.across {
            Align::Start => 0.0,
            Align::Middle => -font::width(text, em) / 2.0,
            Align::End => -font::width(text, em),
        };
        let down = match style.down {
            Align::Start => BOX.0 * em,
            Align::Middle => font::CAPITAL * em / 2.0,
            Align::End => -BOX.1 * em,
        };
        let (along, down) = (along.round() as i64, down.round() as i64);
        font::draw(text, em, |dx, dy, cover| {
            let (dx, dy) = (i64::from(dx) + along, i64::from(dy) + down);
            let (dx, dy) = if style.upward { (dy, -dx) } else { (dx, dy) };
            blend(self.image, x + dx, y + dy, style.colour, cover);
        });
    }
}

/// Blends a colour into one pixel; does nothing outside the image.
fn blend(image: &mut Picture, x: i64, y: i64, colour: Colour, cover: f32) {
    let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else {
        return;
    };
    if let Some(pixel) = image.pixel_mut(x, y) {
        if cover >= 1.0 || *pixel == colour {
            *pixel = colour;
            return;
        }
        for (old, new) in pixel.iter_mut().zip(colour) {
            *old = rounded(f32::from(*old) + (f32::from(new) - f32::from(*old)) * cover);
        }
    }
}

/// The nearest whole number, halves upwards; `f32::round` is a call of the C library.
fn rounded(value: f32) -> u8 {
    let whole = value as u8;
    if value - f32::from(whole) >= 0.5 { whole.saturating_add(1) } else { whole }
}

/// Maximum extent of a shape along a side, pixels.
const LARGEST: f64 = 20_000.0;

/// The outline of a straight line segment.
fn bar(from: Point, to: Point, width: f64) -> Vec<Point> {
    let (x, y) = aside(from, to, width);
    [(from, 1.0), (to, 1.0), (to, -1.0), (from, -1.0)]
        .map(|(at, side)| (at.0 + side * x, at.1 + side * y))
        .to_vec()
}

/// The offset from the centre of a line to its left edge.
fn aside(from: Point, to: Point, width: f64) -> Point {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let part = width / 2.0 / dx.hypot(dy);
    (-dy * part, dx * part)
}

/// The gap between two segments on the outer side of a corner of three points.
fn wedge(corner: &[Point], width: f64) -> Vec<Point> {
    let (before, after) = (aside(corner[0], corner[1], width), aside(corner[1], corner[2], width));
    let at = |side: f64, (x, y): Point| (corner[1].0 + side * x, corner[1].1 + side * y);
    match before.0 * after.1 - before.1 * after.0 > 0.0 {
        true => vec![corner[1], at(-1.0, after), at(-1.0, before)],
        false => vec![corner[1], at(1.0, before), at(1.0, after)],
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        colour::WHITE,
        testing::{RED, painted, red_area},
        text::TICK,
    };
    use super::*;

    fn drawn(draw: impl FnOnce(&mut Canvas<'_>)) -> Picture {
        painted(60, 60, WHITE, draw)
    }

    fn pen(width: f64, dashed: bool) -> Pen {
        Pen { colour: RED, width, dashed }
    }

    #[test]
    fn lines_are_as_wide_as_the_pen() {
        for to in [(50.0, 10.0), (10.0, 50.0), (50.0, 50.0), (20.0, 50.0)] {
            let line: [Point; 3] = [(10.0, 10.0), (30.0, 30.0), to];
            let length: f64 =
                line.windows(2).map(|p| (p[1].0 - p[0].0).hypot(p[1].1 - p[0].1)).sum();
            let [whole, dashes] = [false, true]
                .map(|dashed| red_area(&drawn(|canvas| canvas.line(&line, pen(4.0, dashed)))));
            assert!((whole / (4.0 * length) - 1.0).abs() < 0.1, "{to:?}: {whole}");
            assert!((0.4..0.9).contains(&(dashes / whole)), "{to:?}: {dashes} of {whole}");
        }
        for dashed in [false, true] {
            let point = drawn(|canvas| canvas.line(&[(30.0, 30.0); 2], pen(4.0, dashed)));
            assert_eq!(red_area(&point), 0.0);
        }
    }

    #[test]
    fn a_corner_is_whole_on_both_sides() {
        for (tip, beyond) in [(50.0, 51), (10.0, 8)] {
            let line = [(30.0, 10.0), (tip, 30.0), (30.0, 50.0)];
            let image = drawn(|canvas| canvas.line(&line, pen(8.0, false)));
            assert_eq!(image.pixel(beyond, 30), RED, "{tip}");
        }
    }

    #[test]
    fn drawing_outside_does_nothing() {
        let outside = Place { left: 70.0, top: -20.0, width: 500.0, height: 10.0 };
        let image = drawn(|canvas| {
            canvas.fill_box(outside, RED);
            canvas.line(&[(-50.0, -50.0), (-9.0, 900.0)], pen(4.0, false));
            canvas.fill(&[vec![(f64::NAN, 0.0), (1e9, 5.0)]], RED);
            canvas.text("far away", Style::new(TICK, Align::Start, Align::Start), (500.0, 500.0));
        });
        assert_eq!(red_area(&image), 0.0);
    }
}
