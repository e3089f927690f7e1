//! Where everything of a bar figure stands, and how it is drawn.

use plotters::style::text_anchor::{HPos, VPos};
use plotters_backend::DrawingBackend;

use super::bars::{Bar, BarFigure, BarRow};
use super::canvas::Canvas;
use super::chart::{
    DARK, GAP, GRID, Head, Key, LINE_HEIGHT, draw_label_below, draw_reference, fill,
};
use super::colour::{SERIES, WHITE};
use super::frame::{Drawn, LINE, MARGIN, Place, TICK_GAP, at, tick};
use super::label::{Flag, fly};
use super::scale::{Scale, Tick};
use super::shape::{DIAMOND, REACH};
use super::size::FigureSize;
use super::text::{LABEL, TICK, grey, shorten, style, width, wrap};

/// The least figure of bars, dots; rows may need more.
pub(super) const LEAST: (u32, u32) = (900, 300);
/// Most series: as many as are told apart in grey.
pub(super) const MOST_SERIES: usize = 3;
/// Greatest width of a row's label before it takes a second line, and of a
/// line's label, dots.
const LABEL_ROOM: u32 = 460;
/// Greatest width of the text at the end of a bar, dots.
const TEXT_ROOM: u32 = 400;
/// Distance from one bar of a row to the next, by the number of series, dots.
const THICKNESS: [u32; MOST_SERIES] = [38, 32, 30];
/// Gap between two rows, dots.
const ROW_GAP: u32 = 28;
/// Gap between two bars of a row, dots.
const BAR_GAP: u32 = 3;
/// How far a mark reaches from its middle, dots.
const MARK: u32 = REACH as u32;
/// Gap between a row's label and its bars, with room for half a mark, dots.
const LABEL_GAP: u32 = MARK + 4;
/// Free space right of the plot, for the half of a tick's label, dots.
const RIGHT: u32 = MARGIN + 30;
/// Least space between the labels of two ticks, dots.
const TICK_SPACE: u32 = 22;
/// What the axis takes below the rows, dots.
const BELOW: u32 = TICK_GAP + TICK as u32 + GAP + LABEL as u32 + GAP + MARGIN;

/// Where everything of a figure stands. The figure has been checked.
pub(super) struct Layout<'a> {
    figure: &'a BarFigure,
    head: Head,
    rows: Vec<Row<'a>>,
    lines: Vec<Line>,
    scale: Scale,
    ticks: Vec<Tick>,
    pub(super) panel: Place,
    /// Distance from one row to the next, dots.
    row_pitch: u32,
    /// Distance from one bar of a row to the next, dots.
    bar_pitch: u32,
}

/// A row with its texts cut to their room.
struct Row<'a> {
    given: &'a BarRow,
    label: Vec<String>,
    texts: Vec<String>,
}

/// A line of reference.
struct Line {
    x: u32,
    label: String,
    flag: Flag,
}

impl<'a> Layout<'a> {
    pub(super) fn new(figure: &'a BarFigure, ruler: &Canvas<'_>, size: FigureSize) -> Self {
        let keys = SERIES.map(Key::Bar).into_iter().zip(figure.series.iter());
        let mark = figure.marks.iter().map(|name| (Key::Mark(DIAMOND, DARK), name));
        let head =
            Head::new(ruler, size.width(), &figure.title, &figure.subtitle, keys.chain(mark));
        let rows: Vec<Row<'_>> = figure.rows.iter().map(|row| Row::new(row, ruler, size)).collect();
        let lines = rising(&figure.lines, ruler, size);

        // All labels of lines but the last may have to lie above those of the rows.
        let above = lines.split_last().map_or(&[][..], |(_, before)| before);
        let beside = rows.iter().flat_map(|row| &row.label).chain(above.iter().map(|line| &line.1));
        let widest = beside.map(|label| width(ruler, label, TICK)).max();
        let left = MARGIN + widest.unwrap_or(0) + LABEL_GAP;
        let across = size.width() - RIGHT - left;

        let share = |dots: u32| f64::from(dots) / f64::from(across);
        let ends = rows.iter().flat_map(|row| row.ends(ruler));
        let ends = ends.chain(lines.iter().map(|line| (line.0, GAP)));
        let ends = ends.map(|(value, free)| (value, share(free)));
        let least = figure.values().map(|(_, value)| value).reduce(f64::min);
        let scale = Scale::standing(figure.log, least.unwrap_or(1.0), ends);
        let ticks = scale.ticks(|label| share(width(ruler, label, TICK) + TICK_SPACE));

        let x = |value| left + (scale.share(value) * f64::from(across)).round() as u32;
        let pole = |line: &(f64, String)| (x(line.0), width(ruler, &line.1, TICK));
        let flags = fly(&lines.iter().map(pole).collect::<Vec<_>>(), GAP, size.width() - MARGIN);
        let levels = flags.iter().map(|flag| flag.level + 1).max().unwrap_or(0);
        let line = |((value, label), flag)| Line { x: x(value), label, flag };
        let lines = lines.into_iter().zip(flags).map(line).collect();
        let bar_pitch = THICKNESS[figure.series.len().clamp(1, MOST_SERIES) - 1];
        let label = rows.iter().map(|row| row.label.len()).max().unwrap_or(1) as u32;
        let bars = bar_pitch * figure.series.len() as u32;
        let row_pitch = bars.max(label * LINE_HEIGHT) + ROW_GAP;
        let top = head.bottom + 2 * GAP + levels * LINE_HEIGHT;
        // Rows spread over a given height.
        let natural = top + row_pitch * rows.len() as u32 + BELOW;
        let spare = size.height().map_or(0, |height| height.saturating_sub(natural));
        let row_pitch = row_pitch + spare / rows.len().max(1) as u32;
        let panel = Place { left, top, width: across, height: row_pitch * rows.len() as u32 };
        Self { figure, head, rows, lines, scale, ticks, panel, row_pitch, bar_pitch }
    }

    pub(super) fn height(&self) -> u32 {
        self.panel.bottom() + BELOW
    }

    /// Top of the label of the axis.
    fn axis_top(&self) -> u32 {
        self.panel.bottom() + TICK_GAP + TICK as u32 + GAP
    }

    /// Middles of the rows, dots from the top.
    fn middles(&self) -> impl Iterator<Item = u32> {
        (self.panel.top + self.row_pitch / 2..).step_by(self.row_pitch as usize)
    }

    /// Tops of the bars of the row whose middle is at `middle`.
    fn tops(&self, middle: u32) -> impl Iterator<Item = u32> {
        let stack = self.bar_pitch * self.figure.series.len() as u32 - BAR_GAP;
        (middle - stack / 2..).step_by(self.bar_pitch as usize)
    }

    /// Where a share of the scale lies, dots from the left.
    fn x(&self, share: f64) -> u32 {
        self.panel.left + (share * f64::from(self.panel.width)).round() as u32
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>) -> Drawn {
        let panel = self.panel;
        self.head.draw(canvas)?;
        let below = style(TICK, HPos::Center, VPos::Top);
        for (share, label) in &self.ticks {
            let x = self.x(*share);
            fill(canvas, Place { left: x - LINE / 2, width: LINE, ..panel }, GRID)?;
            canvas.draw_text(label, &below, at(x, panel.bottom() + TICK_GAP))?;
        }
        draw_label_below(canvas, panel, self.axis_top(), &self.figure.axis)?;
        for (row, middle) in self.rows.iter().zip(self.middles()) {
            self.draw_bars(canvas, row, middle)?;
        }
        tick(canvas, (panel.left, panel.top), (panel.left, panel.bottom()))?;
        self.draw_lines(canvas)?;
        for (row, middle) in self.rows.iter().zip(self.middles()) {
            self.draw_label(canvas, row, middle)?;
            self.draw_texts(canvas, row, middle)?;
        }
        Ok(())
    }

    fn draw_bars(&self, canvas: &mut Canvas<'_>, row: &Row<'_>, middle: u32) -> Drawn {
        let (left, height) = (self.panel.left, self.bar_pitch - BAR_GAP);
        for ((bar, top), colour) in row.given.bars.iter().zip(self.tops(middle)).zip(SERIES) {
            if let Some(value) = bar.value {
                let width = self.x(self.scale.share(value)) - left;
                fill(canvas, Place { left, top, width, height }, colour)?;
            }
        }
        Ok(())
    }

    /// Draws the lines of reference with their labels.
    fn draw_lines(&self, canvas: &mut Canvas<'_>) -> Drawn {
        let beside = style(TICK, HPos::Left, VPos::Center);
        for Line { x, label, flag } in &self.lines {
            let top = self.panel.top - GAP - (flag.level + 1) * LINE_HEIGHT;
            let (x, bottom) = (f64::from(*x), f64::from(self.panel.bottom()));
            draw_reference(canvas, (x, f64::from(top + LINE_HEIGHT / 8)), (x, bottom));
            canvas.draw_text(label, &beside, at(flag.left, top + LINE_HEIGHT / 2))?;
        }
        Ok(())
    }

    fn draw_label(&self, canvas: &mut Canvas<'_>, row: &Row<'_>, middle: u32) -> Drawn {
        let beside = style(TICK, HPos::Right, VPos::Center);
        let first = middle - (row.label.len() as u32 - 1) * LINE_HEIGHT / 2;
        for (line, y) in row.label.iter().zip((first..).step_by(LINE_HEIGHT as usize)) {
            canvas.draw_text(line, &beside, at(self.panel.left - LABEL_GAP, y))?;
        }
        Ok(())
    }

    /// Draws the mark of a row, and the texts at the ends of its bars, beyond
    /// the mark where that is in their way.
    fn draw_texts(&self, canvas: &mut Canvas<'_>, row: &Row<'_>, middle: u32) -> Drawn {
        let mark = row.given.mark.map(|value| self.x(self.scale.share(value)));
        let height = self.bar_pitch - BAR_GAP;
        for ((bar, text), top) in row.given.bars.iter().zip(&row.texts).zip(self.tops(middle)) {
            let end = bar.value.map_or(self.panel.left, |value| self.x(self.scale.share(value)));
            let (y, wide) = (top + height / 2, width(canvas, text, TICK));
            let level = y.abs_diff(middle) < MARK + TICK as u32 / 2;
            let beside = |x: &u32| (end..end + GAP + wide + 2 * MARK).contains(&(x + MARK));
            let left = mark.filter(|x| level && beside(x)).map_or(end, |x| x + MARK) + GAP;
            // The lines of the grid and of reference stop at a text.
            fill(canvas, Place { left: left - 6, top, width: wide + 12, height }, WHITE)?;
            let set = if bar.value.is_some() { style } else { grey };
            canvas.draw_text(text, &set(TICK, HPos::Left, VPos::Center), at(left, y))?;
        }
        if let Some(x) = mark {
            DIAMOND.draw(canvas, (f64::from(x), f64::from(middle)), DARK);
        }
        Ok(())
    }
}

impl<'a> Row<'a> {
    fn new(given: &'a BarRow, ruler: &Canvas<'_>, size: FigureSize) -> Self {
        let text = |bar: &Bar| match (bar.value, bar.text.as_str()) {
            (None, "") => "n/a".to_owned(),
            (_, text) => shorten(ruler, text, TICK, TEXT_ROOM.min(size.width() / 4)),
        };
        Self {
            given,
            label: wrap(ruler, &given.label, TICK, LABEL_ROOM.min(size.width() / 3)),
            texts: given.bars.iter().map(text).collect(),
        }
    }

    /// The values that the axis must reach, each with the dots that its mark
    /// or text takes beyond it.
    fn ends(&self, ruler: &Canvas<'_>) -> Vec<(f64, u32)> {
        let mark = self.given.mark;
        let text = |(bar, text): (&Bar, &String)| {
            // A text may have to lie beyond the mark.
            let free = MARK + 2 * GAP + width(ruler, text, TICK);
            bar.value.map(|value| (value.max(mark.unwrap_or(value)), free))
        };
        let texts = self.given.bars.iter().zip(&self.texts).filter_map(text);
        texts.chain(mark.map(|mark| (mark, MARK + GAP))).collect()
    }
}

/// Lines of reference from left to right, their labels cut to their room.
fn rising(lines: &[(f64, String)], ruler: &Canvas<'_>, size: FigureSize) -> Vec<(f64, String)> {
    let room = LABEL_ROOM.min(size.width() / 3);
    let cut = |line: &(f64, String)| (line.0, shorten(ruler, &line.1, TICK, room));
    let mut lines: Vec<_> = lines.iter().map(cut).collect();
    lines.sort_by(|one, other| one.0.total_cmp(&other.0));
    lines
}
