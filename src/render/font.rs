//! The font of all figures, and how a line of text becomes pixels.
//!
//! Open Sans Regular 1.10 by Steve Matteson, copyright 2010-2011 Google
//! Corporation, Apache License 2.0, from the Debian package fonts-open-sans
//! 1.11-2; reduced to Latin, Greek and a few signs (`assets/font/README.md`).
//! Its figures are all of one width, so that tick labels line up.

use std::sync::LazyLock;

use ab_glyph::{Font, FontRef, Glyph, PxScale, ScaleFont, point};

const FILE: &[u8] = include_bytes!("../../assets/font/OpenSans-Regular-subset.ttf");

static FONT: LazyLock<FontRef<'static>> =
    LazyLock::new(|| FontRef::try_from_slice(FILE).expect("the font is part of the program"));

/// Height of a capital over its baseline, em.
pub(super) const CAPITAL: f32 = 0.714;

/// How far superscripts are raised (em) and how large they are.
const RAISED: (f32, f32) = (0.34, 0.66);

/// Width of a line of text, pixels, at a size of `em` pixels.
pub(super) fn width(text: &str, em: f32) -> f32 {
    place(text, em, |_| ())
}

/// Draws a line of text that starts at the origin, its baseline at 0 and
/// y positive down: calls `paint` with each pixel touched and its cover
/// in 0..=1.
pub(super) fn draw(text: &str, em: f32, mut paint: impl FnMut(i32, i32, f32)) {
    place(text, em, |glyph| {
        if let Some(outline) = FONT.outline_glyph(glyph) {
            let corner = outline.px_bounds().min;
            let (left, top) = (corner.x as i32, corner.y as i32);
            outline.draw(|x, y, cover| paint(left + x as i32, top + y as i32, cover));
        }
    });
}

/// Sets a line of text: calls `put` with each glyph in its place and
/// returns the width of the line, pixels.
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

/// Ascent plus descent, em: what ab_glyph takes for the size of a font.
fn line_height() -> f32 {
    FONT.height_unscaled() / FONT.units_per_em().unwrap_or(2048.0)
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
