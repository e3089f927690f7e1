//! What charts of bars and of curves have in common: title, subtitle and
//! legend above, ticks below, and lines of reference.

use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, RGBColor};
use plotters_backend::DrawingBackend;

use super::canvas::Canvas;
use super::colour::{Colour, WHITE};
use super::frame::{Drawn, MARGIN, Place, at};
use super::shape::{Marker, Pen};
use super::text::{LABEL, TICK, TITLE, grey, shorten, style, width};

/// Height of a line of text, dots.
pub(super) const LINE_HEIGHT: u32 = 32;
/// Gap between a text and what it belongs to, dots.
pub(super) const GAP: u32 = 10;
/// Colour of the lines of a grid.
pub(super) const GRID: Colour = [225; 3];
/// Colour of lines of reference and of marks of another source.
pub(super) const DARK: Colour = [60; 3];
/// Most lines of reference.
pub(super) const MOST_LINES: usize = 8;

/// Height of the title, dots.
const TITLE_HEIGHT: u32 = 42;
/// Height of a line of the legend, dots.
const KEY_HEIGHT: u32 = 40;
/// Gap between two entries of the legend, dots.
const KEY_GAP: u32 = 36;
/// Width of the sample of a bar and of a curve in the legend, dots.
const SAMPLE: (u32, u32) = (34, 72);

/// The sample of a legend's entry.
#[derive(Clone, Copy)]
pub(super) enum Key {
    Bar(Colour),
    Mark(Marker, Colour),
    Curve(Marker, Pen),
}

/// An entry of the legend in its place.
struct Entry {
    key: Key,
    name: String,
    left: u32,
    middle: u32,
}

/// What stands above a chart.
pub(super) struct Head {
    title: String,
    subtitle: String,
    entries: Vec<Entry>,
    /// Where the head ends, dots from the top.
    pub(super) bottom: u32,
}

impl Head {
    /// Lays out a head in a figure of so many dots across; a subtitle or name that is empty takes no room.
    pub(super) fn new<'a>(
        ruler: &Canvas<'_>,
        figure: u32,
        title: &str,
        subtitle: &str,
        keys: impl Iterator<Item = (Key, &'a String)>,
    ) -> Self {
        let room = figure - 2 * MARGIN;
        let mut bottom = MARGIN + TITLE_HEIGHT;
        if !subtitle.is_empty() {
            bottom += LINE_HEIGHT;
        }
        let mut entries: Vec<Entry> = Vec::new();
        let mut left = figure;
        for (key, name) in keys.filter(|(_, name)| !name.is_empty()) {
            let name = shorten(ruler, name, TICK, room - key.width() - GAP);
            let width = key.width() + GAP + width(ruler, &name, TICK);
            if left + width > MARGIN + room {
                (left, bottom) = (MARGIN, bottom + KEY_HEIGHT);
            }
            entries.push(Entry { key, name, left, middle: bottom - KEY_HEIGHT / 2 });
            left += width + KEY_GAP;
        }
        let title = shorten(ruler, title, TITLE, room);
        Self { title, subtitle: shorten(ruler, subtitle, TICK, room), entries, bottom }
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>) -> Drawn {
        let title = style(TITLE, HPos::Left, VPos::Top);
        canvas.draw_text(&self.title, &title, at(MARGIN, MARGIN))?;
        let subtitle = grey(TICK, HPos::Left, VPos::Top);
        canvas.draw_text(&self.subtitle, &subtitle, at(MARGIN, MARGIN + TITLE_HEIGHT))?;
        let beside = style(TICK, HPos::Left, VPos::Center);
        for entry in &self.entries {
            entry.key.draw(canvas, entry.left, entry.middle)?;
            let x = entry.left + entry.key.width() + GAP;
            canvas.draw_text(&entry.name, &beside, at(x, entry.middle))?;
        }
        Ok(())
    }
}

impl Key {
    fn width(self) -> u32 {
        match self {
            Self::Bar(_) | Self::Mark(..) => SAMPLE.0,
            Self::Curve(..) => SAMPLE.1,
        }
    }

    fn draw(self, canvas: &mut Canvas<'_>, left: u32, middle: u32) -> Drawn {
        let (x, y) = (f64::from(left), f64::from(middle));
        let centre = (x + f64::from(self.width()) / 2.0, y);
        match self {
            Self::Bar(colour) => {
                let place = Place { left, top: middle - 11, width: self.width(), height: 22 };
                fill(canvas, place, colour)?;
            }
            Self::Mark(marker, colour) => marker.draw(canvas, centre, colour),
            Self::Curve(marker, pen) => {
                pen.draw(canvas, &[(x, y), (x + f64::from(self.width()), y)]);
                marker.draw(canvas, centre, pen.colour);
            }
        }
        Ok(())
    }
}

/// Fills a box.
pub(super) fn fill(canvas: &mut Canvas<'_>, place: Place, [r, g, b]: Colour) -> Drawn {
    if place.width == 0 || place.height == 0 {
        return Ok(());
    }
    let last = at(place.right() - 1, place.bottom() - 1);
    canvas.draw_rect(at(place.left, place.top), last, &RGBColor(r, g, b).filled(), true)
}

/// Draws a line of reference: dark dashes with white between them, so that it
/// shows on bars as on the ground.
pub(super) fn draw_reference(canvas: &mut Canvas<'_>, from: (f64, f64), to: (f64, f64)) {
    let dark = Pen { colour: DARK, width: 3.0, dashed: true };
    Pen { colour: WHITE, dashed: false, ..dark }.draw(canvas, &[from, to]);
    dark.draw(canvas, &[from, to]);
}

/// Draws the label of an axis below its ticks, about the middle of a panel.
pub(super) fn draw_label_below(
    canvas: &mut Canvas<'_>,
    panel: Place,
    top: u32,
    label: &str,
) -> Drawn {
    let label = shorten(canvas, label, LABEL, panel.width);
    let centred = style(LABEL, HPos::Center, VPos::Top);
    canvas.draw_text(&label, &centred, at(panel.left + panel.width / 2, top))
}
