//! A drawing: boxes, images, polygons and text in dots, as a list that becomes pixels or shapes of a
//! file that can be enlarged.

use crate::picture::{Picture, VectorPicture};

use super::colour::{Colour, WHITE};
use super::raster::Raster;
use super::text::{LINE_HEIGHT, Style};
use super::vector;

/// A point in dots from the top left corner of the image.
pub(super) type Point = (f64, f64);

/// Length of a dash and of the gap after it, in line widths.
const DASHES: (f64, f64) = (4.0, 3.5);

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

/// An image in a box: its width in pixels, and its pixels row by row.
#[derive(Clone, Debug)]
pub(super) struct Image {
    pub(super) place: Place,
    pub(super) width: usize,
    pub(super) pixels: Vec<Colour>,
}

/// A part of a drawing, in dots.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Box(Place, Colour),
    Image(Image),
    Polygons(Vec<Vec<Point>>, Colour),
    /// A line of text at a point.
    Text(String, Style, Point),
}

/// What a figure consists of, in the order of drawing.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// Width and height, pixels.
    size: (u32, u32),
    ground: Colour,
    /// Pixels per dot.
    scale: f64,
    /// Pixels per inch.
    dpi: f64,
    parts: Vec<Part>,
}

impl Drawing {
    /// A white drawing of this width and height in pixels, with `scale` pixels per dot.
    pub(super) fn new(size: (u32, u32), scale: f64, dpi: f64) -> Self {
        Self { size, ground: WHITE, scale, dpi, parts: Vec::new() }
    }

    /// The same on another ground.
    #[cfg(test)]
    pub(super) fn on(self, ground: Colour) -> Self {
        Self { ground, ..self }
    }

    /// Its lines of text, each with its left, top, right and bottom, pixels.
    #[cfg(test)]
    pub(super) fn texts(&self) -> impl Iterator<Item = (&str, [f64; 4])> {
        self.parts.iter().filter_map(|part| {
            let Part::Text(text, style, (x, y)) = part else { return None };
            let (em, at) = (style.em * self.scale as f32, (x * self.scale, y * self.scale));
            let (along, down) = style.start(text, em);
            let (along, down) = (f64::from(along), f64::from(down));
            let length = f64::from(super::font::width(text, em));
            // Capitals above the baseline, a quarter of an em below it.
            let (above, below) = (0.714 * f64::from(em), 0.24 * f64::from(em));
            Some(match style.upward {
                true => (
                    text.as_str(),
                    [at.0 + down - above, at.1 - along - length, at.0 + down + below, at.1 - along],
                ),
                false => (
                    text.as_str(),
                    [at.0 + along, at.1 + down - above, at.0 + along + length, at.1 + down + below],
                ),
            })
        })
    }

    /// Width and height, pixels.
    pub(super) fn size(&self) -> (u32, u32) {
        self.size
    }

    /// Its pixels.
    pub fn picture(&self) -> Picture {
        let (width, height) = self.size;
        let mut picture = Picture::filled(width.max(1), height.max(1), self.ground);
        let mut raster = Raster::new(&mut picture, self.scale);
        self.parts.iter().for_each(|part| raster.draw(part));
        picture
    }

    /// Its shapes, with letters as outlines.
    pub fn vector(&self) -> VectorPicture {
        let points = 72.0 / self.dpi;
        let (width, height) = self.size;
        let shapes = self.parts.iter().flat_map(|part| vector::shapes(part, self.scale * points));
        VectorPicture {
            width: points * f64::from(width),
            height: points * f64::from(height),
            shapes: shapes.collect(),
        }
    }

    /// Adds another drawing with its corner at a point, in pixels.
    pub(super) fn add(&mut self, other: Drawing, (left, top): Point) {
        let (zoom, left, top) = (other.scale / self.scale, left / self.scale, top / self.scale);
        let at = |(x, y): Point| (left + zoom * x, top + zoom * y);
        let moved = |place: Place| {
            let (left, top) = at((place.left, place.top));
            Place { left, top, width: zoom * place.width, height: zoom * place.height }
        };
        self.parts.extend(other.parts.into_iter().map(|part| match part {
            Part::Box(place, colour) => Part::Box(moved(place), colour),
            Part::Image(image) => Part::Image(Image { place: moved(image.place), ..image }),
            Part::Polygons(mut polygons, colour) => {
                polygons.iter_mut().flatten().for_each(|point| *point = at(*point));
                Part::Polygons(polygons, colour)
            }
            Part::Text(text, style, place) => {
                Part::Text(text, Style { em: style.em * zoom as f32, ..style }, at(place))
            }
        }));
    }

    /// Fills a box with edges rounded to whole pixels, at least one pixel along each side.
    pub(super) fn fill_box(&mut self, place: Place, colour: Colour) {
        self.parts.push(Part::Box(place, colour));
    }

    /// Paints a box, rounded likewise, with pixels row by row; `pixels` gets their numbers
    /// (columns, rows).
    pub(super) fn paint(&mut self, place: Place, pixels: impl FnOnce(usize, usize) -> Vec<Colour>) {
        let [_, _, width, height] = in_pixels(place, self.scale);
        let (width, height) = (width as usize, height as usize);
        let pixels = pixels(width, height);
        self.parts.push(Part::Image(Image { place, width, pixels }));
    }

    /// Fills polygons, which may overlap if all have the same orientation. One of the opposite
    /// orientation is a hole.
    pub(super) fn fill(&mut self, polygons: &[Vec<Point>], colour: Colour) {
        self.parts.push(Part::Polygons(polygons.to_vec(), colour));
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
        self.parts.push(Part::Polygons(pieces, pen.colour));
    }

    /// Draws text at a point; newlines separate its lines.
    pub(super) fn text(&mut self, text: &str, style: Style, (x, y): Point) {
        let lines = text.split('\n').count();
        for (k, line) in text.split('\n').enumerate() {
            let lower = LINE_HEIGHT * (k as f64 - (lines - 1) as f64 / 2.0);
            self.parts.push(Part::Text(line.to_owned(), style, (x, y + lower)));
        }
    }
}

/// Left, top, width and height of a box in whole pixels, at least one along each side.
pub(super) fn in_pixels(place: Place, scale: f64) -> [i64; 4] {
    let pixel = |dot: f64| (dot * scale).round();
    let (left, top) = (pixel(place.left), pixel(place.top));
    let (width, height) = (pixel(place.right()) - left, pixel(place.bottom()) - top);
    [left as i64, top as i64, width.max(1.0) as i64, height.max(1.0) as i64]
}

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
        testing::{RED, painted, red_area},
        text::{Align, TICK},
    };
    use super::*;

    fn drawn(draw: impl FnOnce(&mut Drawing)) -> Picture {
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
