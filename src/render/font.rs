//! The font of all figures, and the rasterisation of a line of text.
//!
//! Open Sans Regular 1.10 by Steve Matteson, copyright 2010-2011 Google Corporation, Apache License
//! 2.0, from the Debian package fonts-open-sans 1.11-2; reduced to Latin, Greek and a few symbols
//! (`assets/font/README.md`). Its digits have equal widths, so that tick labels align.

use std::sync::LazyLock;

use ab_glyph::{Font, FontRef, Glyph, PxScale, ScaleFont, point};

const FILE: &[u8] = include_bytes!("../../assets/font/OpenSans-Regular-subset.ttf");

static FONT: LazyLock<FontRef<'static>> =
    LazyLock::new(|| FontRef::try_from_slice(FILE).expect("the font is part of the program"));

/// Height of a capital above the baseline, em.
pub(super) const CAPITAL: f32 = 0.714;

/// Rise of superscripts (em), and their relative size.
const RAISED: (f32, f32) = (0.34, 0.66);

/// Width of a line of text, pixels, at a font size of `em` pixels.
pub(super) fn width(text: &str, em: f32) -> f32 {
    place(text, em, |_| ())
}

/// Draws a line of text that starts at the origin, baseline at 0, y downward: calls `paint` with
/// each touched pixel and its coverage in 0..=1.
pub(super) fn draw(text: &str, em: f32, mut paint: impl FnMut(i32, i32, f32)) {
    place(text, em, |glyph| {
        if let Some(outline) = FONT.outline_glyph(glyph) {
            let corner = outline.px_bounds().min;
            let (left, top) = (corner.x as i32, corner.y as i32);
            outline.draw(|x, y, cover| paint(left + x as i32, top + y as i32, cover));
        }
    });
}

/// Lays out a line of text: calls `put` with each positioned glyph and returns the width of the
/// line, pixels.
fn place(text: &str, em: f32, mut put: impl FnMut(Glyph)) -> f32 {
    let mut x = 0.0;
    let mut before = None;
    for sign in text.chars() {
        let (sign, raise, size) = match superscript(sign) {
            Some(plain) => (plain, RAISED.0 * em, RAISED.1 * em),
            None => (sign, 0.0, em),
        };
        let scale = PxScale::from(line_height() * size);
        let font = FONT.as_scaled(scale);
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

/// Ascent plus descent, em: the unit of ab_glyph's font size.
fn line_height() -> f32 {
    FONT.height_unscaled() / FONT.units_per_em().unwrap_or(2048.0)
}

/// The plain character of a superscript digit or minus, which the font lacks.
fn superscript(sign: char) -> Option<char> {
    const RAISED_SIGNS: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻";
    let place = RAISED_SIGNS.chars().position(|raised| raised == sign)?;
    "0123456789\u{2212}".chars().nth(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_font_measures_and_draws() {
        let width = width("Depth (km)", 26.0);
        assert!((100.0..200.0).contains(&width), "{width}");
        let mut ink = 0.0;
        draw("Depth (km)", 26.0, |_, _, cover| ink += cover);
        assert!(ink > 100.0, "{ink}");
    }

    #[test]
    fn superscripts_are_smaller() {
        assert_eq!(superscript('⁻'), Some('\u{2212}'));
        assert!(width("10⁻³", 26.0) < width("10\u{2212}3", 26.0));
    }
}
