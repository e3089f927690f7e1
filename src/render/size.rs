//! The size of a figure and its resolution.
//!
//! Figures are laid out in dots, [`DOTS`] per inch, and drawn with as many pixels per dot as the
//! resolution requires: legibility does not depend on resolution.

use crate::picture::Picture;

use super::RenderError;
use super::colour::WHITE;

/// Dots per inch, the default resolution.
const DOTS: f64 = 150.0;
/// White margin at the edges, dots.
pub(super) const MARGIN: f64 = 24.0;
/// Gap between a text and its object, dots.
pub(super) const GAP: f64 = 10.0;
/// Width of frame lines and ticks, dots.
pub(super) const LINE: f64 = 2.0;
/// Width of a figure without a given size, dots.
pub(super) const FIGURE: u32 = 1600;
/// Minimum and maximum resolution, pixels per inch.
const DPI: (f64, f64) = (30.0, 1200.0);
/// Maximum number of pixels along a side: the limit of viewers and browsers.
const MOST: u32 = 16_384;

/// The least size of a figure, dots of 1/150 inch.
#[derive(Clone, Copy, Debug)]
pub struct LeastSize {
    /// Across.
    pub width: u32,
    /// Down.
    pub height: u32,
}

/// The size of a drawn figure. The default is 1600 pixels wide at 150 pixels per inch, and as high
/// as its content.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FigureSize {
    pixels: Option<(u32, u32)>,
    dpi: f64,
}

impl Default for FigureSize {
    fn default() -> Self {
        Self { pixels: None, dpi: DOTS }
    }
}

impl FigureSize {
    /// A size in pixels (width, height), or the default size on paper; `dpi` pixels per inch scale
    /// text and lines.
    ///
    /// # Errors
    ///
    /// [`RenderError`] if the resolution or a side is out of range.
    pub fn new(pixels: Option<(u32, u32)>, dpi: f64) -> Result<Self, RenderError> {
        if !(DPI.0..=DPI.1).contains(&dpi) {
            return Err(RenderError::Dpi { dpi, least: DPI.0, most: DPI.1 });
        }
        if let Some((width, height)) = pixels
            && width.max(height) > MOST
        {
            return Err(RenderError::TooLarge { width, height, most: MOST });
        }
        Ok(Self { pixels, dpi })
    }

    /// Returns an error for a size below the least, too small for its text.
    ///
    /// # Errors
    ///
    /// [`RenderError`] with the minimum number of pixels at this resolution, and the maximum
    /// resolution.
    pub fn check(self, least: LeastSize) -> Result<(), RenderError> {
        let Some((width, height)) = self.pixels else { return Ok(()) };
        let pixels = |dots: u32| (f64::from(dots) * self.scale()).ceil() as u32;
        let (least_width, least_height) = (pixels(least.width), pixels(least.height));
        if width >= least_width && height >= least_height {
            return Ok(());
        }
        let x = f64::from(width) / f64::from(least.width);
        let y = f64::from(height) / f64::from(least.height);
        let lower = (DOTS * x.min(y)).floor();
        let most_dpi = (lower >= DPI.0).then_some(lower);
        Err(RenderError::TooSmall {
            width,
            height,
            dpi: self.dpi,
            least_width,
            least_height,
            most_dpi,
        })
    }

    /// The least width and height on paper, in centimetres rounded up to millimetres: on paper the
    /// resolution does not change the result.
    pub fn least_centimetres(least: LeastSize) -> (f64, f64) {
        let paper = |dots: u32| (10.0 * 2.54 * f64::from(dots) / DOTS).ceil() / 10.0;
        (paper(least.width), paper(least.height))
    }

    /// The same figure at half as many pixels along each side.
    pub fn halved(self) -> Self {
        let half = |side: u32| (side / 2).max(1);
        Self { pixels: self.pixels.map(|(x, y)| (half(x), half(y))), dpi: self.dpi / 2.0 }
    }

    /// Pixels per inch.
    pub fn dpi(self) -> f64 {
        self.dpi
    }

    /// Pixels per dot.
    pub(super) fn scale(self) -> f64 {
        self.dpi / DOTS
    }

    /// Width, dots.
    pub(super) fn width(self) -> f64 {
        self.pixels.map_or(f64::from(FIGURE), |(width, _)| self.dots(width))
    }

    /// Height, dots, if given.
    pub(super) fn height(self) -> Option<f64> {
        self.pixels.map(|(_, height)| self.dots(height))
    }

    fn dots(self, pixels: u32) -> f64 {
        (f64::from(pixels) / self.scale()).floor()
    }

    /// A white image of the given size, or else for a layout of `width` x `height` dots.
    pub(super) fn blank(self, width: f64, height: f64) -> Picture {
        let pixels = |dots: f64| (dots * self.scale()).round() as u32;
        let (width, height) = self.pixels.unwrap_or((pixels(width), pixels(height)));
        Picture::filled(width.max(1), height.max(1), WHITE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_higher_resolution_has_more_pixels_and_as_many_dots() -> Result<(), RenderError> {
        let plain = FigureSize::default();
        assert_eq!((plain.width(), plain.height(), plain.scale()), (1600.0, None, 1.0));
        let fine = FigureSize::new(None, 300.0)?;
        assert_eq!((fine.width(), fine.blank(1600.0, 701.0).size()), (1600.0, (3200, 1402)));
        let exact = FigureSize::new(Some((1001, 777)), 100.0)?;
        assert_eq!((exact.width(), exact.height()), (1501.0, Some(1165.0)));
        assert_eq!(exact.blank(5.0, 5.0).size(), (1001, 777));
        assert_eq!(exact.halved().blank(5.0, 5.0).size(), (500, 388));
        Ok(())
    }

    #[test]
    fn sizes_that_no_figure_has_are_refused_with_what_would_do() -> Result<(), RenderError> {
        for dpi in [0.0, -1.0, 29.0, 1201.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(FigureSize::new(None, dpi), Err(RenderError::Dpi { .. })), "{dpi}");
        }
        let wide = FigureSize::new(Some((16_385, 100)), 150.0);
        assert!(matches!(wide, Err(RenderError::TooLarge { .. })));
        let size = FigureSize::new(Some((600, 900)), 300.0)?;
        let least = LeastSize { width: 600, height: 450 };
        let said = size.check(least).map_err(|error| error.to_string());
        let said = said.expect_err("its text is twice as large");
        assert!(said.contains("1200 x 900") && said.contains("at most 150 dpi"), "{said}");
        assert!(FigureSize::new(Some((600, 900)), 150.0)?.check(least).is_ok());
        assert!(FigureSize::new(Some((0, 0)), 150.0)?.check(least).is_err());
        Ok(())
    }
}
