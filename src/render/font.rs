//! The font of all figures, and the rasterisation of a line of text.
//!
//! Open Sans Regular 1.10 by Steve Matteson, copyright 2010-2011 Google Corporation, Apache License
//! 2.0, from the Debian package fonts-open-sans 1.11-2; reduced to Latin, Greek and a few symbols
//! (`font/README.md`). Its digits have equal widths, so that tick labels align.

use std::sync::LazyLock;

use crate::picture::Step;
use ab_glyph_rasterizer::{Point, Rasterizer, point};
use skrifa::{
    FontRef, GlyphId, MetadataProvider,
    instance::{LocationRef, Size},
    outline::{DrawSettings, OutlinePen},
    raw::{
        TableProvider,
        tables::kern::{Subtable0, SubtableKind},
    },
};

const FILE: &[u8] = include_bytes!("font/OpenSans-Regular-subset.ttf");

static FONT: LazyLock<FontRef<'static>> =
    LazyLock::new(|| FontRef::new(FILE).expect("the font is part of the program"));
/// The distances of pairs of glyphs, in units of the font.
static KERNING: LazyLock<Option<Subtable0<'static>>> = LazyLock::new(|| {
    let mut kinds = FONT.kern().ok()?.subtables().filter_map(|table| table.ok()?.kind().ok());
    kinds.find_map(|kind| match kind {
        SubtableKind::Format0(pairs) => Some(pairs),
        _ => None,
    })
});

/// Height of a capital above the baseline, em.
pub(super) const CAPITAL: f32 = 0.714;

/// Rise of superscripts (em), and their relative size.
const RAISED: (f32, f32) = (0.34, 0.66);

/// A glyph on a line of text: pixels to a unit of the font, and the start of its baseline, y
/// downward, pixels.
struct Glyph {
    id: GlyphId,
    scale: f32,
    at: Point,
}

/// Width of a line of text, pixels, at a font size of `em` pixels.
pub(super) fn width(text: &str, em: f32) -> f32 {
    place(text, em, |_| ())
}

/// Draws a line of text that starts at the origin, baseline at 0, y downward: calls `paint` with
/// each touched pixel and its coverage in 0..=1.
pub(super) fn draw(text: &str, em: f32, mut paint: impl FnMut(i32, i32, f32)) {
    place(text, em, |glyph| glyph.draw(&mut paint));
}

/// The outlines of a line of text, as [`draw`] draws it.
pub(super) fn outlines(text: &str, em: f32) -> Vec<Step> {
    let mut steps = Vec::new();
    place(text, em, |glyph| {
        let mut start = None;
        for piece in glyph.outline().into_iter().flat_map(|outline| outline.pieces) {
            let at = |k: usize| [f64::from(piece[k].x), f64::from(piece[k].y)];
            if start != Some(at(0)) {
                steps.push(Step::Move(at(0)));
            }
            match piece.len() {
                2 => steps.push(Step::Line(at(1))),
                3 => steps.push(Step::Quadratic([at(1), at(2)])),
                _ => steps.push(Step::Cubic([at(1), at(2), at(3)])),
            }
            start = Some(at(piece.len() - 1));
        }
    });
    steps
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
        let id = FONT.charmap().map(sign).unwrap_or_default();
        let metrics = FONT.glyph_metrics(Size::unscaled(), LocationRef::default());
        let scale = size / units();
        x += scale * before.map_or(0.0, |before| kerning(before, id));
        put(Glyph { id, scale, at: point(x, -raise) });
        x += scale * metrics.advance_width(id).unwrap_or_default();
        before = Some(id);
    }
    x
}

/// How much farther than usual the second of two glyphs is from the first, units of the font.
fn kerning(one: GlyphId, other: GlyphId) -> f32 {
    KERNING.as_ref().and_then(|pairs| pairs.kerning(one, other)).unwrap_or(0) as f32
}

/// Units of the font to an em.
fn units() -> f32 {
    FONT.head().map_or(2048.0, |head| f32::from(head.units_per_em()))
}

impl Glyph {
    /// Its lines and curves, if it has any.
    fn outline(&self) -> Option<Outline> {
        let mut outline = Outline { at: self.at, scale: self.scale, ..Outline::default() };
        // Scaled here, as skrifa rounds sizes.
        let settings = DrawSettings::unhinted(Size::unscaled(), LocationRef::default());
        FONT.outline_glyphs().get(self.id)?.draw(settings, &mut outline).ok()?;
        Some(outline)
    }

    fn draw(&self, paint: &mut impl FnMut(i32, i32, f32)) {
        let Some(outline) = self.outline() else { return };
        let ends = |of: fn(&Point) -> f32| {
            let all = || outline.pieces.iter().flatten().map(of);
            (all().fold(f32::MAX, f32::min).floor(), all().fold(f32::MIN, f32::max).ceil())
        };
        let ((left, right), (top, bottom)) = (ends(|at| at.x), ends(|at| at.y));
        if left >= right || top >= bottom {
            return;
        }
        let mut raster = Rasterizer::new((right - left) as usize + 1, (bottom - top) as usize + 1);
        let inside = |at: Point| point(at.x - left, at.y - top);
        for piece in &outline.pieces {
            match piece[..] {
                [a, b] => raster.draw_line(inside(a), inside(b)),
                [a, b, c] => raster.draw_quad(inside(a), inside(b), inside(c)),
                [a, b, c, d] => raster.draw_cubic(inside(a), inside(b), inside(c), inside(d)),
                _ => {}
            }
        }
        raster.for_each_pixel_2d(|x, y, cover| {
            if cover > 0.0 {
                paint(left as i32 + x as i32, top as i32 + y as i32, cover);
            }
        });
    }
}

/// The lines and curves of a glyph, by their points, pixels.
#[derive(Default)]
struct Outline {
    /// The start of the baseline.
    at: Point,
    scale: f32,
    pieces: Vec<Vec<Point>>,
    start: Point,
    last: Point,
}

impl Outline {
    /// A point of the font, which has y upward.
    fn point(&self, x: f32, y: f32) -> Point {
        point(self.at.x + self.scale * x, self.at.y - self.scale * y)
    }

    fn push(&mut self, points: &[Point]) {
        let piece = [&[self.last], points].concat();
        self.last = piece[piece.len() - 1];
        self.pieces.push(piece);
    }
}

impl OutlinePen for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.last = self.point(x, y);
        self.start = self.last;
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.push(&[self.point(x, y)]);
    }

    fn quad_to(&mut self, cx: f32, cy: f32, x: f32, y: f32) {
        self.push(&[self.point(cx, cy), self.point(x, y)]);
    }

    fn curve_to(&mut self, cx0: f32, cy0: f32, cx1: f32, cy1: f32, x: f32, y: f32) {
        self.push(&[self.point(cx0, cy0), self.point(cx1, cy1), self.point(x, y)]);
    }

    fn close(&mut self) {
        self.push(&[self.start]);
    }
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
