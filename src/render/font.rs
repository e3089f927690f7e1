//! The font of all figures, and how a line of text becomes pixels.
//!
//! Open Sans Regular 1.10 by Steve Matteson, copyright 2010-2011 Google
//! Corporation, Apache License 2.0, from the Debian package fonts-open-sans
//! 1.11-2; reduced to Latin, Greek and a few signs (`assets/font/README.md`).
//! Its figures are all of one width, so that tick labels line up.

use std::sync::LazyLock;

use ab_glyph::{Font, FontRef, Glyph, PxScale, ScaleFont, point};

use super::RenderError;

const FILE: &[u8] = include_bytes!("../../assets/font/OpenSans-Regular-subset.ttf");

static FONT: LazyLock<Option<FontRef<'static>>> =
    LazyLock::new(|| FontRef::try_from_slice(FILE).ok());

/// Height of a capital over its baseline, em.
pub(super) const CAPITAL: f32 = 0.714;

/// How far superscripts are raised (em) and how large they are.
const RAISED: (f32, f32) = (0.34, 0.66);

/// The built-in font, ready to measure and draw lines of text.
#[derive(Clone, Copy)]
pub(super) struct Face(&'static FontRef<'static>);

impl Face {
    /// The built-in font.
    pub(super) fn load() -> Result<Self, RenderError> {
        FONT.as_ref().map(Self).ok_or(RenderError::Font { bytes: FILE.len() })
    }

    /// Width of a line of text, pixels, at a size of `em` pixels.
    pub(super) fn width(self, text: &str, em: f32) -> f32 {
        self.place(text, em, |_| ())
    }

    /// Draws a line of text that starts at the origin, its baseline at 0 and
    /// y positive down: calls `paint` with each pixel touched and its cover
    /// in 0..=1.
    pub(super) fn draw(self, text: &str, em: f32, mut paint: impl FnMut(i32, i32, f32)) {
        self.place(text, em, |glyph| {
            if let Some(outline) = self.0.outline_glyph(glyph) {
                let corner = outline.px_bounds().min;
                let (left, top) = (corner.x as i32, corner.y as i32);
                outline.draw(|x, y, cover| paint(left + x as i32, top + y as i32, cover));
            }
        });
    }

    /// Sets a line of text: calls `put` with each glyph in its place and
    /// returns the width of the line, pixels.
    fn place(self, text: &str, em: f32, mut put: impl FnMut(Glyph)) -> f32 {
        let mut x = 0.0;
        let mut before = None;
        for sign in text.chars() {
            let (sign, raise, size) = match superscript(sign) {
                Some(plain) => (plain, RAISED.0 * em, RAISED.1 * em),
                None => (sign, 0.0, em),
            };
            let scale = PxScale::from(self.line_height() * size);
            let font = self.0.as_scaled(scale);
            let glyph = font.glyph_id(sign);
            if let Some(before) = before {
                x += font.kern(before, glyph);
            }
            put(glyph.with_scale_and_position(scale, point(x, -raise)));
            x += font.h_advance(glyph);
            before = Some(glyph);
        }
        x
    }

    /// Ascent plus descent, em: what ab_glyph takes for the size of a font.
    fn line_height(self) -> f32 {
        self.0.height_unscaled() / self.0.units_per_em().unwrap_or(2048.0)
    }
}

/// The plain sign of a superscript figure or minus, which the font lacks.
fn superscript(sign: char) -> Option<char> {
    const RAISED_SIGNS: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻";
    let place = RAISED_SIGNS.chars().position(|raised| raised == sign)?;
    "0123456789\u{2212}".chars().nth(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_font_measures_and_draws() -> Result<(), RenderError> {
        let face = Face::load()?;
        let width = face.width("Depth (km)", 26.0);
        assert!((100.0..200.0).contains(&width), "{width}");
        let mut ink = 0.0;
        face.draw("Depth (km)", 26.0, |_, _, cover| ink += cover);
        assert!(ink > 100.0, "{ink}");
        Ok(())
    }

    #[test]
    fn superscripts_are_smaller() -> Result<(), RenderError> {
        let face = Face::load()?;
        assert_eq!(superscript('⁻'), Some('\u{2212}'));
        assert!(face.width("10⁻³", 26.0) < face.width("10\u{2212}3", 26.0));
        Ok(())
    }
}
