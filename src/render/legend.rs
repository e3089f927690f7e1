//! Legends, and the head of a chart: title, subtitle and legend.

use super::canvas::{Drawing, Pen, Place, Point};
use super::colour::{Colour, WHITE};
use super::marker::Marker;
use super::marks::Mark;
use super::size::{GAP, MARGIN};
use super::text::{Align, LINE_HEIGHT, RIGHT_OF, Style, TICK, TITLE, lines, shorten, width};
use super::title::Title;

/// Colour of reference marks.
pub(super) const DARK: Colour = [60; 3];
/// Height of a title of one line, dots.
pub(super) const TITLE_HEIGHT: f64 = 42.0;
/// Height of a legend line, dots.
pub(super) const KEY_HEIGHT: f64 = 40.0;
/// Maximum number of lines of a subtitle.
const MOST_LINES: usize = 2;
/// Gap between two legend entries, dots.
const KEY_GAP: f64 = 36.0;
/// Width of a box sample and of a line sample, dots.
const SAMPLE: (f64, f64) = (34.0, 72.0);

/// The sample of a legend entry.
#[derive(Clone, Copy, Debug)]
pub(super) enum Key {
    Box(Colour),
    Mark(Marker, Colour),
    /// A mark on a picture of a field or a model.
    OnImage(Mark),
    /// A line, if there is a pen, with a marker at each point.
    Curve(Option<Pen>, Marker, Colour),
    /// A line without markers.
    Stroke(Pen),
    /// A reference line.
    Line(Colour),
}

/// A legend entry, so many dots from the start of its row.
struct Entry {
    key: Key,
    name: String,
    left: f64,
}

/// A row of a legend.
pub(super) struct Row {
    entries: Vec<Entry>,
    /// Dots.
    pub(super) width: f64,
}

impl Row {
    /// The entries in as few rows of `room` dots as hold them; those without a name are left out.
    pub(super) fn of(keys: &[(Key, &str)], room: f64) -> Vec<Self> {
        let mut rows: Vec<Row> = Vec::new();
        for (key, name) in keys.iter().filter(|(_, name)| !name.is_empty()) {
            let name = shorten(name, TICK, room - key.width() - GAP);
            let width = key.width() + GAP + width(&name, TICK);
            if rows.last().is_none_or(|row| row.width + KEY_GAP + width > room) {
                rows.push(Row { entries: vec![Entry { key: *key, name, left: 0.0 }], width });
            } else if let Some(row) = rows.last_mut() {
                row.entries.push(Entry { key: *key, name, left: row.width + KEY_GAP });
                row.width += KEY_GAP + width;
            }
        }
        rows
    }

    /// Draws the row from a point, in the middle of its height.
    pub(super) fn draw(&self, canvas: &mut Drawing, (left, middle): Point) {
        for Entry { key, name, left: along } in &self.entries {
            key.draw(canvas, left + along, middle);
            let at = left + along + key.width() + GAP;
            canvas.text(name, RIGHT_OF, (at, middle));
        }
    }
}

/// The head of a chart.
pub(super) struct Head {
    title: Title,
    /// Line by line.
    subtitle: Vec<String>,
    rows: Vec<Row>,
    /// Bottom of the head, dots from the top.
    pub(super) bottom: f64,
}

impl Head {
    /// Lays out a head in a figure `figure` dots wide; an empty subtitle or name takes no space.
    pub(super) fn new(figure: f64, title: Title, subtitle: &str, keys: &[(Key, &str)]) -> Self {
        let room = figure - 2.0 * MARGIN;
        let most = if title.spare() >= LINE_HEIGHT { MOST_LINES } else { 1 };
        let subtitle = match subtitle.is_empty() {
            true => Vec::new(),
            false => lines(subtitle, TICK, room, most),
        };
        let below = LINE_HEIGHT * subtitle.len() as f64;
        let rows = Row::of(keys, room);
        let bottom =
            MARGIN + TITLE_HEIGHT + title.further() + below + KEY_HEIGHT * rows.len() as f64;
        Self { title, subtitle, rows, bottom }
    }

    pub(super) fn draw(&self, canvas: &mut Drawing) {
        let style = |em| Style::new(em, Align::Start, Align::Start);
        self.title.draw(canvas, style(TITLE), (MARGIN, MARGIN));
        let below = MARGIN + TITLE_HEIGHT + self.title.further();
        for (k, line) in self.subtitle.iter().enumerate() {
            let top = below + LINE_HEIGHT * k as f64;
            canvas.text(line, style(TICK).grey(), (MARGIN, top));
        }
        let mut middle = self.bottom - KEY_HEIGHT / 2.0;
        for row in self.rows.iter().rev() {
            row.draw(canvas, (MARGIN, middle));
            middle -= KEY_HEIGHT;
        }
    }
}

impl Key {
    fn width(self) -> f64 {
        match self {
            Self::Box(_) | Self::Mark(..) | Self::OnImage(_) | Self::Curve(None, ..) => SAMPLE.0,
            Self::Curve(..) | Self::Stroke(_) | Self::Line(_) => SAMPLE.1,
        }
    }

    fn draw(self, canvas: &mut Drawing, left: f64, middle: f64) {
        let centre = (left + self.width() / 2.0, middle);
        let ends = [(left, middle), (left + self.width(), middle)];
        match self {
            Self::Box(colour) => {
                let place = Place { left, top: middle - 11.0, width: self.width(), height: 22.0 };
                canvas.fill_box(place, colour);
            }
            Self::Mark(marker, colour) => marker.draw(canvas, centre, colour),
            Self::OnImage(mark) => mark.draw(canvas, centre),
            Self::Curve(pen, marker, colour) => {
                pen.into_iter().for_each(|pen| canvas.line(&ends, pen));
                marker.draw(canvas, centre, colour);
            }
            Self::Stroke(pen) => canvas.line(&ends, pen),
            Self::Line(colour) => draw_reference(canvas, ends, colour),
        }
    }
}

/// Draws a reference line: dashes with white between them, visible on bars and on the background.
pub(super) fn draw_reference(canvas: &mut Drawing, ends: [Point; 2], colour: Colour) {
    let dashes = Pen { colour, width: 3.0, dashed: true };
    canvas.line(&ends, Pen { colour: WHITE, dashed: false, ..dashes });
    canvas.line(&ends, dashes);
}
