//! A picture that plotters draws on.
//!
//! plotters' own bitmap backend sets every letter on whole pixels without its
//! side bearings, and rotates and anchors text by rough estimates. This
//! backend leaves lines and shapes to plotters and sets text itself, with the
//! built-in font.

use std::convert::Infallible;

use image::{Rgb, RgbImage};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontTransform,
    text_anchor::{HPos, VPos},
};

use super::RenderError;
use super::font::{CAPITAL, Face};

/// Height of the box of a line of text above and below its baseline, em.
const BOX: (f32, f32) = (0.80, 0.24);

/// An RGB picture as a drawing backend of plotters, whose coordinates are in dots.
pub(super) struct Canvas<'a> {
    image: &'a mut RgbImage,
    face: Face,
    /// Pixels to a dot.
    scale: f64,
}

impl<'a> Canvas<'a> {
    /// Draws on `image`, over what it holds, a dot being a pixel.
    pub(super) fn new(image: &'a mut RgbImage) -> Result<Self, RenderError> {
        Self::scaled(image, 1.0)
    }

    /// The same with so many pixels to a dot.
    pub(super) fn scaled(image: &'a mut RgbImage, scale: f64) -> Result<Self, RenderError> {
        Ok(Self { image, face: Face::load()?, scale })
    }

    /// Pixels to a dot.
    pub(super) fn scale(&self) -> f64 {
        self.scale
    }

    /// Mixes a colour into one pixel; does nothing outside of the picture.
    pub(super) fn blend(&mut self, x: i32, y: i32, (r, g, b): (u8, u8, u8), cover: f64) {
        let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else {
            return;
        };
        if let Some(Rgb(pixel)) = self.image.get_pixel_mut_checked(x, y) {
            for (old, new) in pixel.iter_mut().zip([r, g, b]) {
                let mixed = f64::from(*old) + (f64::from(new) - f64::from(*old)) * cover;
                *old = mixed.round() as u8;
            }
        }
    }

    /// Fills a box of dots, both corners included.
    fn fill(&mut self, from: BackendCoord, to: BackendCoord, colour: BackendColor) {
        let (width, height) = self.image.dimensions();
        // Both ends are rounded, and a dot is a pixel at least.
        let span = |from: i32, to: i32, most: u32| {
            let first = self.pixel(from);
            (first.max(0), self.pixel(to + 1).max(first + 1).min(most as i32))
        };
        let (left, right) = span(from.0, to.0, width);
        let (top, bottom) = span(from.1, to.1, height);
        for y in top..bottom {
            for x in left..right {
                self.blend(x, y, colour.rgb, colour.alpha);
            }
        }
    }

    /// The pixel at which a dot begins.
    fn pixel(&self, dot: i32) -> i32 {
        (f64::from(dot) * self.scale).round() as i32
    }
}

impl DrawingBackend for Canvas<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        let (width, height) = self.image.dimensions();
        let dots = |pixels: u32| (f64::from(pixels) / self.scale) as u32;
        (dots(width), dots(height))
    }

    fn ensure_prepared(&mut self) -> Result<(), DrawingErrorKind<Infallible>> {
        Ok(())
    }

    fn present(&mut self) -> Result<(), DrawingErrorKind<Infallible>> {
        Ok(())
    }

    fn draw_pixel(
        &mut self,
        (x, y): BackendCoord,
        colour: BackendColor,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        self.fill((x, y), (x, y), colour);
        Ok(())
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        // Upright and level lines as exact boxes: the general rasteriser
        // blurs those of an even width.
        let width = style.stroke_width().max(1) as i32;
        let (low, high) = (-(width / 2), (width - 1) / 2);
        let (left, right) = (from.0.min(to.0), from.0.max(to.0));
        let (top, bottom) = (from.1.min(to.1), from.1.max(to.1));
        if left == right {
            self.fill((left + low, top), (left + high, bottom), style.color());
            Ok(())
        } else if top == bottom {
            self.fill((left, top + low), (right, top + high), style.color());
            Ok(())
        } else {
            plotters_backend::rasterizer::draw_line(self, from, to, style)
        }
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        (left, top): BackendCoord,
        (right, bottom): BackendCoord,
        style: &S,
        fill: bool,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        let (left, right) = (left.min(right), left.max(right));
        let (top, bottom) = (top.min(bottom), top.max(bottom));
        if fill {
            self.fill((left, top), (right, bottom), style.color());
            return Ok(());
        }
        for y in [top, bottom] {
            self.draw_line((left, y), (right, y), style)?;
        }
        for x in [left, right] {
            self.draw_line((x, top), (x, bottom), style)?;
        }
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        (x, y): BackendCoord,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        let em = (style.size() * self.scale) as f32;
        let (x, y) = (self.pixel(x), self.pixel(y));
        let anchor = style.anchor();
        let width = self.face.width(text, em);
        let along = match anchor.h_pos {
            HPos::Left => 0.0,
            HPos::Center => -width / 2.0,
            HPos::Right => -width,
        };
        let down = match anchor.v_pos {
            VPos::Top => BOX.0 * em,
            VPos::Center => CAPITAL * em / 2.0,
            VPos::Bottom => -BOX.1 * em,
        };
        let (along, down) = (along.round() as i32, down.round() as i32);
        let turn: FontTransform = style.transform();
        let colour = style.color();
        let face = self.face;
        face.draw(text, em, |dx, dy, cover| {
            let (dx, dy) = turn.transform(dx + along, dy + down);
            self.blend(x + dx, y + dy, colour.rgb, colour.alpha * f64::from(cover));
        });
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        let em = (style.size() * self.scale) as f32;
        let dots = |pixels: f32| (f64::from(pixels) / self.scale).ceil() as u32;
        Ok((dots(self.face.width(text, em)), dots((BOX.0 + BOX.1) * em)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plotters::prelude::*;

    #[test]
    fn plotters_charts_draw_on_it() -> Result<(), Box<dyn std::error::Error>> {
        let mut image = RgbImage::from_pixel(400, 300, Rgb([255; 3]));
        {
            let area = Canvas::new(&mut image)?.into_drawing_area();
            let mut chart = ChartBuilder::on(&area)
                .margin(10)
                .x_label_area_size(40)
                .y_label_area_size(60)
                .build_cartesian_2d(0.0..10.0, (1.0..1000.0).log_scale())?;
            chart.configure_mesh().label_style(("", 16)).draw()?;
            chart.draw_series(LineSeries::new(
                (0..10).map(|k| (f64::from(k), 2f64.powi(k))),
                &BLUE,
            ))?;
        }
        assert!(image.pixels().any(|p| p.0 == [0, 0, 255]));
        Ok(())
    }

    #[test]
    fn drawing_outside_does_nothing() -> Result<(), RenderError> {
        let mut image = RgbImage::new(2, 2);
        let mut canvas = Canvas::new(&mut image)?;
        canvas.blend(-1, 0, (255, 255, 255), 1.0);
        canvas.blend(5, 5, (255, 255, 255), 1.0);
        assert!(image.iter().all(|&v| v == 0));
        Ok(())
    }
}
