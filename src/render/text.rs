//! Sizes and styles of the text in figures, and lines cut to fit.

use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontTransform, IntoFont, RGBColor, TextStyle};
use plotters_backend::DrawingBackend;

use super::canvas::Canvas;

/// Size of the title, dots.
pub(super) const TITLE: f32 = 30.0;
/// Size of the labels of axes and colour bars, dots.
pub(super) const LABEL: f32 = 28.0;
/// Size of the labels of ticks, dots.
pub(super) const TICK: f32 = 26.0;
/// Colour of text, frames and ticks.
pub(super) const INK: RGBColor = RGBColor(30, 30, 30);
/// Colour of text that stands back: subtitles, and what stands for no value.
const GREY: RGBColor = RGBColor(105, 105, 105);

/// A style of `em` pixels, anchored at `across` and `down` of the text.
pub(super) fn style(em: f32, across: HPos, down: VPos) -> TextStyle<'static> {
    coloured(INK, em, across, down)
}

/// The same in grey.
pub(super) fn grey(em: f32, across: HPos, down: VPos) -> TextStyle<'static> {
    coloured(GREY, em, across, down)
}

fn coloured(colour: RGBColor, em: f32, across: HPos, down: VPos) -> TextStyle<'static> {
    // The name is for plotters only: the canvas has one font.
    ("Open Sans", f64::from(em)).into_font().color(&colour.to_rgba()).pos(Pos::new(across, down))
}

/// The same in ink, turned to be read from below.
pub(super) fn upward(em: f32, across: HPos, down: VPos) -> TextStyle<'static> {
    let mut turned = style(em, across, down);
    turned.font = turned.font.transform(FontTransform::Rotate270);
    turned
}

/// Width of a line of text, dots.
pub(super) fn width(canvas: &Canvas<'_>, text: &str, em: f32) -> u32 {
    let measured = canvas.estimate_text_size(text, &style(em, HPos::Left, VPos::Top));
    measured.map_or(0, |(width, _)| width)
}

/// A text on one line, cut where it would be wider than `room` pixels.
pub(super) fn shorten(canvas: &Canvas<'_>, text: &str, em: f32, room: u32) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let line: Vec<char> = text.chars().map(plain).take(room as usize).collect();
    let whole: String = line.iter().collect();
    if width(canvas, &whole, em) <= room {
        return whole;
    }
    let cut = |kept: usize| -> String { line[..kept].iter().chain(&['…']).collect() };
    let (mut fits, mut too_wide) = (0, line.len());
    while too_wide - fits > 1 {
        let kept = usize::midpoint(fits, too_wide);
        if width(canvas, &cut(kept), em) <= room {
            fits = kept;
        } else {
            too_wide = kept;
        }
    }
    cut(fits)
}

/// A text on one line or, where it would be wider than `room` pixels, on two
/// of much the same width, each cut where it is wider still.
pub(super) fn wrap(canvas: &Canvas<'_>, text: &str, em: f32, room: u32) -> Vec<String> {
    let line = shorten(canvas, text, em, 2 * room);
    let halves = line.match_indices(' ').map(|(at, _)| line.split_at(at));
    let wider = |(first, second): &(&str, &str)| {
        width(canvas, first, em).max(width(canvas, second.trim_start(), em))
    };
    let lines = match halves.min_by_key(wider) {
        Some((first, second)) if width(canvas, &line, em) > room => vec![first, second],
        _ => vec![line.as_str()],
    };
    lines.into_iter().map(|half| shorten(canvas, half.trim(), em, room)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::RenderError;
    use super::*;

    #[test]
    fn long_titles_are_cut_to_fit() -> Result<(), RenderError> {
        let mut image = image::RgbImage::new(1, 1);
        let canvas = Canvas::new(&mut image)?;
        assert_eq!(shorten(&canvas, "two\nlines", TITLE, 500), "two lines");
        for room in [50, 500] {
            let cut = shorten(&canvas, &"too long ".repeat(100), TITLE, room);
            assert!(cut.ends_with('…'));
            assert!(width(&canvas, &cut, TITLE) <= room);
        }
        assert_eq!(shorten(&canvas, "", TITLE, 500), "");
        Ok(())
    }

    #[test]
    fn long_labels_break_in_their_middle() -> Result<(), RenderError> {
        let mut image = image::RgbImage::new(1, 1);
        let canvas = Canvas::new(&mut image)?;
        assert_eq!(wrap(&canvas, "", TICK, 100), [""]);
        assert_eq!(wrap(&canvas, "one line", TICK, 200), ["one line"]);
        assert_eq!(wrap(&canvas, "two lines of words", TICK, 200), ["two lines", "of words"]);
        for text in ["unbreakable".repeat(50), "many words ".repeat(50)] {
            let lines = wrap(&canvas, &text, TICK, 200);
            assert!(lines.iter().all(|line| width(&canvas, line, TICK) <= 200), "{lines:?}");
        }
        Ok(())
    }
}
