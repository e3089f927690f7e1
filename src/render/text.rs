//! Sizes and styles of the text in figures, and lines cut to fit.

use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontTransform, IntoFont, RGBColor, TextStyle};
use plotters_backend::DrawingBackend;

use super::canvas::Canvas;

/// Size of the title, pixels.
pub(super) const TITLE: f32 = 30.0;
/// Size of the labels of axes and colour bars, pixels.
pub(super) const LABEL: f32 = 28.0;
/// Size of the labels of ticks, pixels.
pub(super) const TICK: f32 = 26.0;
/// Colour of text, frames and ticks.
pub(super) const INK: RGBColor = RGBColor(30, 30, 30);

/// A style of `em` pixels, anchored at `across` and `down` of the text.
pub(super) fn style(em: f32, across: HPos, down: VPos) -> TextStyle<'static> {
    // The name is for plotters only: the canvas has one font.
    ("Open Sans", f64::from(em)).into_font().color(&INK.to_rgba()).pos(Pos::new(across, down))
}

/// The same, turned to be read from below.
pub(super) fn upward(em: f32, across: HPos, down: VPos) -> TextStyle<'static> {
    let mut turned = style(em, across, down);
    turned.font = turned.font.transform(FontTransform::Rotate270);
    turned
}

/// Width of a line of text, pixels.
pub(super) fn width(canvas: &Canvas<'_>, text: &str, em: f32) -> u32 {
    let measured = canvas.estimate_text_size(text, &style(em, HPos::Left, VPos::Top));
    measured.map_or(0, |(width, _)| width)
}

/// A title on one line, cut where it would be wider than `room` pixels.
pub(super) fn shorten(canvas: &Canvas<'_>, title: &str, room: u32) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let line: Vec<char> = title.chars().map(plain).take(room as usize).collect();
    let whole: String = line.iter().collect();
    if width(canvas, &whole, TITLE) <= room {
        return whole;
    }
    let cut = |kept: usize| -> String { line[..kept].iter().chain(&['…']).collect() };
    let (mut fits, mut too_wide) = (0, line.len());
    while too_wide - fits > 1 {
        let kept = usize::midpoint(fits, too_wide);
        if width(canvas, &cut(kept), TITLE) <= room {
            fits = kept;
        } else {
            too_wide = kept;
        }
    }
    cut(fits)
}

#[cfg(test)]
mod tests {
    use super::super::RenderError;
    use super::*;

    #[test]
    fn long_titles_are_cut_to_fit() -> Result<(), RenderError> {
        let mut image = image::RgbImage::new(1, 1);
        let canvas = Canvas::new(&mut image)?;
        assert_eq!(shorten(&canvas, "two\nlines", 500), "two lines");
        for room in [50, 500] {
            let cut = shorten(&canvas, &"too long ".repeat(100), room);
            assert!(cut.ends_with('…'));
            assert!(width(&canvas, &cut, TITLE) <= room);
        }
        assert_eq!(shorten(&canvas, "", 500), "");
        Ok(())
    }
}
