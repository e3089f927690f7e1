//! The size of a figure and its resolution.
//!
//! Figures are laid out in dots, [`DOTS`] per inch, and drawn with as many pixels per dot as the
//! resolution requires: legibility does not depend on resolution.

use super::canvas::Drawing;
use super::frame::HEAD;
use super::text::TICK;
use super::{Look, RenderError};

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
/// Points of an axis's numbers at their usual size.
const POINTS: f64 = TICK as f64 * 72.0 / DOTS;
/// Minimum and maximum size of an axis's numbers, points; smaller ones are not read in print.
const LETTERS: (f64, f64) = (5.0, 20.0);
/// Least size of letters in a small figure, points.
const SHRUNK: f64 = 6.0;
/// Centimetres per inch.
const CENTIMETRES: f64 = 2.54;
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

/// A size at which axes with a few numbers fit beside letters of the usual size, dots.
const ROOMY: LeastSize = LeastSize { width: 840, height: 600 };

impl LeastSize {
    /// A size at which a figure with this least size has space: in smaller ones letters shrink.
    pub fn roomy(self) -> Self {
        Self { width: self.width.max(ROOMY.width), height: self.height.max(ROOMY.height) }
    }
}

/// The size of a drawn figure and of its letters, and how it looks. The default is 1600 pixels wide at 150 pixels per inch, and as high
/// as its content.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FigureSize {
    pixels: Option<(u32, u32)>,
    dpi: f64,
    /// True if its size on paper is given: the resolution leaves its letters as large.
    is_on_paper: bool,
    /// Size of letters, lines and marks over their usual size.
    letters: f64,
    look: Look,
}

impl Default for FigureSize {
    fn default() -> Self {
        let (letters, look) = (1.0, Look::default());
        Self { pixels: None, dpi: DOTS, is_on_paper: false, letters, look }
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
        Ok(Self { pixels, dpi, ..Self::default() })
    }

    /// The same, given by its size on paper.
    pub fn on_paper(self) -> Self {
        Self { is_on_paper: true, ..self }
    }

    /// The same with an axis's numbers of this size, points; lines and marks are as much smaller or
    /// larger.
    ///
    /// # Errors
    ///
    /// [`RenderError`] if the size is out of range.
    pub fn with_letters(self, points: f64) -> Result<Self, RenderError> {
        let (least, most) = LETTERS;
        match (least..=most).contains(&points) {
            true => Ok(Self { letters: points / POINTS, ..self }),
            false => Err(RenderError::Letters { points, least, most }),
        }
    }

    /// The same with letters shrunk as far as a figure of the least size needs, if they stay
    /// legible.
    pub fn fitted(self, least: LeastSize) -> Self {
        let Some((width, height)) = self.pixels else { return self };
        let usual = |pixels: u32, dots: u32| f64::from(pixels) * DOTS / self.dpi / f64::from(dots);
        let share = usual(width, least.width).min(usual(height, least.height));
        // A little less, as sizes in dots are rounded down.
        let letters = self.letters.min(0.995 * share).max(self.letters.min(SHRUNK / POINTS));
        Self { letters: if share < self.letters { letters } else { self.letters }, ..self }
    }

    /// The least size with letters as small as they may be.
    pub(super) fn shrunk(least: LeastSize) -> LeastSize {
        let shrunk = |dots: u32| (f64::from(dots) * SHRUNK / POINTS * 1.01).ceil() as u32;
        LeastSize { width: shrunk(least.width), height: shrunk(least.height) }
    }

    /// The same with letters as small as they may be.
    pub(super) fn smallest(self) -> Self {
        Self { letters: self.letters.min(1.01 * SHRUNK / POINTS), ..self }
    }

    /// The same with another look.
    pub fn looking(self, look: Look) -> Self {
        Self { look, ..self }
    }

    /// How figures look.
    pub(super) fn look(self) -> Look {
        self.look
    }

    /// The part of a figure this many pixels wide and high.
    pub(super) fn part(self, width: u32, height: u32) -> Self {
        Self { pixels: Some((width, height)), ..self }
    }

    /// Returns an error for a size below the least, too small for its text.
    ///
    /// # Errors
    ///
    /// [`RenderError`] with the minimum size at this resolution, and the maximum resolution and size
    /// of letters for this one.
    pub fn check(self, least: LeastSize) -> Result<(), RenderError> {
        let Some((width, height)) = self.pixels else { return Ok(()) };
        let pixels = |dots: u32| (f64::from(dots) * self.scale()).ceil() as u32;
        let (least_width, least_height) = (pixels(least.width), pixels(least.height));
        if width >= least_width && height >= least_height {
            return Ok(());
        }
        let x = f64::from(width) / f64::from(least.width);
        let y = f64::from(height) / f64::from(least.height);
        let lower = (DOTS * x.min(y) / self.letters).floor();
        let dpi =
            (lower >= DPI.0 && !self.is_on_paper).then(|| format!(", or at most {lower} dpi"));
        let points = (10.0 * POINTS * DOTS * x.min(y) / self.dpi).floor() / 10.0;
        let letters = (points >= LETTERS.0).then(|| {
            format!(
                ", or letters of at most {points} points (--font-size, output.figures.font_size)"
            )
        });
        let others = dpi.into_iter().chain(letters).collect();
        let (size, enough) = match self.is_on_paper {
            true => {
                let paper = |pixels: u32| CENTIMETRES * f64::from(pixels) / self.dpi;
                // To millimetres: a side is so many whole pixels.
                let given = |pixels: u32| (10.0 * paper(pixels)).round() / 10.0;
                let needed = |dots: u32| {
                    (10.0 * CENTIMETRES * self.letters * f64::from(dots) / DOTS).ceil() / 10.0
                };
                (
                    format!("{}x{}cm", given(width), given(height)),
                    format!("{}x{}cm", needed(least.width), needed(least.height)),
                )
            }
            false => (
                format!("{width} x {height} pixels at {} dpi", self.dpi),
                format!("{least_width} x {least_height} pixels"),
            ),
        };
        Err(RenderError::TooSmall { size, least: enough, others })
    }

    /// The size of a page of so many panels below each other, each of this size; `None` without a given size.
    pub fn stacked(self, panels: usize) -> Option<Self> {
        let (width, height) = self.pixels?;
        // The page's own title may have two lines.
        let title = (2.0 * (MARGIN + HEAD) * self.scale()).ceil() as u32;
        let all = height.saturating_mul(panels as u32).saturating_add(title).min(MOST);
        Some(Self { pixels: Some((width, all)), ..self })
    }

    /// The same figure at half as many pixels along each side.
    pub fn halved(self) -> Self {
        let half = |side: u32| (side / 2).max(1);
        Self { pixels: self.pixels.map(|(x, y)| (half(x), half(y))), dpi: self.dpi / 2.0, ..self }
    }

    /// Pixels per inch.
    pub fn dpi(self) -> f64 {
        self.dpi
    }

    /// Pixels per dot.
    pub(super) fn scale(self) -> f64 {
        self.letters * self.dpi / DOTS
    }

    /// Width, dots.
    pub(super) fn width(self) -> f64 {
        self.pixels.map_or(f64::from(FIGURE) / self.letters, |(width, _)| self.dots(width))
    }

    /// Height, dots, if given.
    pub(super) fn height(self) -> Option<f64> {
        self.pixels.map(|(_, height)| self.dots(height))
    }

    fn dots(self, pixels: u32) -> f64 {
        (f64::from(pixels) / self.scale()).floor()
    }

    /// A white image of the given size, or else for a layout of `width` x `height` dots.
    pub(super) fn blank(self, width: f64, height: f64) -> Drawing {
        let pixels = |dots: f64| (dots * self.scale()).round() as u32;
        let (width, height) = self.pixels.unwrap_or((pixels(width), pixels(height)));
        Drawing::new((width.max(1), height.max(1)), self.scale(), self.dpi)
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
        assert!(said.contains("at most 6.2 points (--font-size"), "{said}");
        assert!(size.with_letters(6.2)?.check(least).is_ok(), "that is enough");
        // On paper a resolution changes nothing.
        let said = size.on_paper().check(least).map_err(|error| error.to_string());
        let said = said.expect_err("its text is twice as large");
        assert!(said.contains("5.1x7.6cm") && said.contains("10.2x7.7cm"), "{said}");
        assert!(said.contains("6.2 points") && !said.contains("dpi"), "{said}");
        assert!(FigureSize::new(Some((600, 900)), 150.0)?.check(least).is_ok());
        assert!(FigureSize::new(Some((0, 0)), 150.0)?.check(least).is_err());
        Ok(())
    }
}
