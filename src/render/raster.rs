//! A drawing as pixels. Polygons are antialiased by the rasteriser of the font's glyphs.

use crate::picture::Picture;
use ab_glyph_rasterizer::{Rasterizer, point};

use super::canvas::{Image, Part, Place, Point, in_pixels};
use super::colour::Colour;
use super::font;
use super::text::Style;

/// An RGB image that parts of a drawing are drawn on.
pub(super) struct Raster<'a> {
    image: &'a mut Picture,
    /// Pixels per dot.
    scale: f64,
    /// Of the last shape, whose memory the next one takes.
    raster: Rasterizer,
}

impl<'a> Raster<'a> {
    /// Draws with `scale` pixels per dot.
    pub(super) fn new(image: &'a mut Picture, scale: f64) -> Self {
        Self { image, scale, raster: Rasterizer::new(0, 0) }
    }

    pub(super) fn draw(&mut self, part: &Part) {
        match part {
            Part::Box(place, colour) => self.fill_box(*place, *colour),
            Part::Image(image) => self.paint(image),
            Part::Polygons(polygons, colour) => self.fill(polygons, *colour),
            Part::Text(text, style, at) => self.text_line(text, *style, *at),
        }
    }

    fn fill_box(&mut self, place: Place, colour: Colour) {
        let [left, top, width, height] = in_pixels(place, self.scale);
        for y in top..top + height {
            self.row(left, y, width).0.fill(colour);
        }
    }

    /// The pixels of an image, at their size, from the corner of its box.
    fn paint(&mut self, image: &Image) {
        let [left, top, ..] = in_pixels(image.place, self.scale);
        for (y, row) in (top..).zip(image.pixels.chunks_exact(image.width)) {
            let (pixels, skipped) = self.row(left, y, row.len() as i64);
            pixels.copy_from_slice(&row[skipped..skipped + pixels.len()]);
        }
    }

    /// The pixels of a row that lie inside the image, and how many lie left of it.
    fn row(&mut self, left: i64, y: i64, width: i64) -> (&mut [Colour], usize) {
        let (first, end) = (left.max(0), (left + width).min(i64::from(self.image.width())));
        let inside = u32::try_from(y).ok().and_then(|y| self.image.row_mut(y));
        match inside {
            Some(row) if first < end => {
                (&mut row[first as usize..end as usize], (first - left) as usize)
            }
            _ => (&mut [], 0),
        }
    }

    fn fill(&mut self, polygons: &[Vec<Point>], colour: Colour) {
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
        let Raster { image, scale, raster } = self;
        raster.reset(size(left, high.0), size(top, high.1));
        let place = |&(x, y): &Point| point((x * *scale - left) as f32, (y * *scale - top) as f32);
        for polygon in polygons {
            for (from, to) in polygon.iter().zip(polygon.iter().cycle().skip(1)) {
                raster.draw_line(place(from), place(to));
            }
        }
        let (left, top) = (left as i64, top as i64);
        raster.for_each_pixel_2d(|x, y, cover| {
            if cover > 0.0 {
                blend(image, left + i64::from(x), top + i64::from(y), colour, cover);
            }
        });
    }

    fn text_line(&mut self, text: &str, style: Style, at: Point) {
        let em = style.em * self.scale as f32;
        let (x, y) = ((at.0 * self.scale).round() as i64, (at.1 * self.scale).round() as i64);
        let (along, down) = style.start(text, em);
        let (along, down) = (along.round() as i64, down.round() as i64);
        font::draw(text, em, |dx, dy, cover| {
            let (dx, dy) = (i64::from(dx) + along, i64::from(dy) + down);
            let (dx, dy) = if style.upward { (dy, -dx) } else { (dx, dy) };
            blend(self.image, x + dx, y + dy, style.colour, cover);
        });
    }
}

/// Blends a colour into one pixel; does nothing outside the image.
#[inline]
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
