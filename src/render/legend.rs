//! The head of a chart: title, subtitle and legend.

use super::canvas::{Canvas, Pen, Place, Point};
use super::colour::{Colour, WHITE};
use super::marker::Marker;
use super::size::{GAP, MARGIN};
use super::text::{Align, LINE_HEIGHT, RIGHT_OF, Style, TICK, TITLE, shorten, width};

/// Colour of reference marks.
pub(super) const DARK: Colour = [60; 3];
/// Height of the title, dots.
const TITLE_HEIGHT: f64 = 42.0;
/// Height of a legend line, dots.
const KEY_HEIGHT: f64 = 40.0;
/// Gap between two legend entries, dots.
const KEY_GAP: f64 = 36.0;
/// Width of a box sample and of a line sample, dots.
const SAMPLE: (f64, f64) = (34.0, 72.0);

/// The sample of a legend entry.
#[derive(Clone, Copy, Debug)]
pub(super) enum Key {
    Box(Colour),
    Mark(Marker, Colour),
    /// A line, if there is a pen, with a marker at each point.
    Curve(Option<Pen>, Marker, Colour),
    /// A reference line.
    Line(Colour),
}

/// A legend entry and its position.
struct Entry {
    key: Key,
    name: String,
    left: f64,
    middle: f64,
}

/// The head of a chart.
pub(super) struct Head {
    title: String,
    subtitle: String,
    entries: Vec<Entry>,
    /// Bottom of the head, dots from the top.
    pub(super) bottom: f64,
}

impl Head {
    /// Lays out a head in a figure `figure` dots wide; an empty subtitle or name takes no space.
    pub(super) fn new(figure: f64, title: &str, subtitle: &str, keys: &[(Key, &str)]) -> Self {
        let room = figure - 2.0 * MARGIN;
        let mut bottom = MARGIN + TITLE_HEIGHT;
        if !subtitle.is_empty() {
            bottom += LINE_HEIGHT;
        }
        let mut entries: Vec<Entry> = Vec::new();
        let mut left = figure;
        for (key, name) in keys.iter().filter(|(_, name)| !name.is_empty()) {
            let name = shorten(name, TICK, room - key.width() - GAP);
            let width = key.width() + GAP + width(&name, TICK);
            if left + width > MARGIN + room {
                (left, bottom) = (MARGIN, bottom + KEY_HEIGHT);
            }
            entries.push(Entry { key: *key, name, left, middle: bottom - KEY_HEIGHT / 2.0 });
            left += width + KEY_GAP;
        }
        let title = shorten(title, TITLE, room);
        Self { title, subtitle: shorten(subtitle, TICK, room), entries, bottom }
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>) {
        let style = |em| Style::new(em, Align::Start, Align::Start);
        canvas.text(&self.title, style(TITLE), (MARGIN, MARGIN));
        canvas.text(&self.subtitle, style(TICK).grey(), (MARGIN, MARGIN + TITLE_HEIGHT));
        for Entry { key, name, left, middle } in &self.entries {
            key.draw(canvas, *left, *middle);
            canvas.text(name, RIGHT_OF, (left + key.width() + GAP, *middle));
        }
    }
}

impl Key {
    fn width(self) -> f64 {
        match self {
            Self::Box(_) | Self::Mark(..) | Self::Curve(None, ..) => SAMPLE.0,
            Self::Curve(..) | Self::Line(_) => SAMPLE.1,
        }
    }

    fn draw(self, canvas: &mut Canvas<'_>, left: f64, middle: f64) {
        let centre = (left + self.width() / 2.0, middle);
        let ends = [(left, middle), (left + self.width(), middle)];
        match self {
            Self::Box(colour) => {
                let place = Place { left, top: middle - 11.0, width: self.width(), height: 22.0 };
                canvas.fill_box(place, colour);
            }
            Self::Mark(marker, colour) => marker.draw(canvas, centre, colour),
            Self::Curve(pen, marker, colour) => {
                pen.into_iter().for_each(|pen| canvas.line(&ends, pen));
                marker.draw(canvas, centre, colour);
            }
            Self::Line(colour) => draw_reference(canvas, ends, colour),
        }
    }
}

/// Draws a reference line: dashes with white between them, visible on bars and on the background.
pub(super) fn draw_reference(canvas: &mut Canvas<'_>, ends: [Point; 2], colour: Colour) {
    let dashes = Pen { colour, width: 3.0, dashed: true };
    canvas.line(&ends, Pen { colour: WHITE, dashed: false, ..dashes });
    canvas.line(&ends, dashes);
}
