//! Where everything of a figure of curves stands, and how it is drawn.

use plotters::style::text_anchor::{HPos, VPos};
use plotters_backend::DrawingBackend;

use super::canvas::Canvas;
use super::chart::{
    DARK, GAP, GRID, Head, Key, LINE_HEIGHT, draw_label_below, draw_reference, fill,
};
use super::colour::{Colour, SERIES};
use super::curves::{Across, Curve, CurveFigure};
use super::frame::{Drawn, LINE, MARGIN, Place, TICK_GAP, TICK_LENGTH, at, tick};
use super::label::spread;
use super::scale::{Scale, Tick};
use super::shape::{MARKERS, Pen};
use super::size::FigureSize;
use super::text::{LABEL, TICK, shorten, style, upward, width, wrap};

/// The least figure of curves, dots.
pub(super) const LEAST: (u32, u32) = (900, 700);
/// Height of the plot in a figure of no given height, dots.
const HEIGHT: u32 = 720;
/// Least height of the plot, dots.
const LEAST_HEIGHT: u32 = 150;
/// Width of a curve, dots.
const WIDTH: f64 = 4.0;
/// Share of the axis that stays free above the greatest value.
const FREE: f64 = 0.06;
/// Least space between two ticks upwards, dots.
const SPACING: u32 = 58;
/// Least space between the labels of two ticks across, dots.
const TICK_SPACE: u32 = 24;
/// Greatest width of a category's label, dots.
const CATEGORY_ROOM: u32 = 260;
/// Greatest width of a line of a reference's label, dots.
const LABEL_ROOM: u32 = 230;
/// From the plot to the labels of the lines of reference, dots.
const LEADER: u32 = 30;
/// Free space right of a plot without such labels, dots.
const RIGHT: u32 = MARGIN + 30;

/// Where everything of a figure stands. The figure has been checked.
pub(super) struct Layout<'a> {
    figure: &'a CurveFigure,
    head: Head,
    pub(super) panel: Place,
    across: Scale,
    up: Scale,
    up_ticks: Vec<Tick>,
    foot: Foot,
    labels: Vec<Label>,
}

/// The ticks across, and how their labels stand.
struct Foot {
    ticks: Vec<Tick>,
    /// Lines over which the labels are staggered; 0 where they are turned.
    lines: u32,
    height: u32,
}

/// The label of a line of reference.
struct Label {
    /// Share of the axis at which the line lies.
    share: f64,
    lines: Vec<String>,
    /// Middle of the label, dots from the top of the panel.
    middle: f64,
}

impl<'a> Layout<'a> {
    pub(super) fn new(figure: &'a CurveFigure, ruler: &Canvas<'_>, size: FigureSize) -> Self {
        let keys = figure.curves.iter().zip(SERIES).zip(MARKERS);
        let keys = keys.map(|((c, colour), marker)| (Key::Curve(marker, pen(c, colour)), &c.name));
        let head = Head::new(ruler, size.width(), &figure.title, &figure.subtitle, keys);
        let least = figure.values().fold(f64::INFINITY, f64::min);
        let up = if figure.log {
            Scale::around(true, least, figure.values().fold(least, f64::max))
        } else if least < 0.0 {
            Scale::around(false, least, figure.values().fold(0.0, f64::max))
        } else {
            Scale::rising(false, 0.0, figure.values().map(|value| (value, FREE)))
        };
        let top = head.bottom + 2 * GAP;
        // The room of the numbers beside the plot is that of the tallest: its height is known only after its width.
        let ticks = |height: u32| up.ticks(|_| f64::from(SPACING) / f64::from(height));
        let texts: Vec<_> =
            figure.lines.iter().map(|line| wrap(ruler, &line.1, TICK, LABEL_ROOM)).collect();

        let widest = |texts: &mut dyn Iterator<Item = &String>| {
            texts.map(|text| width(ruler, text, TICK)).max().unwrap_or(0)
        };
        let tallest = ticks(size.height().unwrap_or(HEIGHT));
        let numbers = widest(&mut tallest.iter().map(|tick| &tick.1));
        let left = MARGIN + LABEL as u32 + 14 + numbers + TICK_GAP + TICK_LENGTH;
        let right = match texts.len() {
            0 => RIGHT,
            _ => LEADER + GAP + widest(&mut texts.iter().flatten()) + MARGIN,
        };
        let width = size.width() - left - right;
        let places = figure.curves.iter().flat_map(|curve| &curve.points).map(|point| point.0);
        let across = figure.ticks.scale(places);
        let foot = Foot::new(&figure.ticks, &across, width, ruler);
        let height = size
            .height()
            .map_or(HEIGHT, |height| height.saturating_sub(top + below(&foot)).max(LEAST_HEIGHT));
        let panel = Place { left, top, width, height };
        let (up_ticks, labels) = (ticks(height), labels(&figure.lines, &up, ruler, height));
        Self { figure, head, panel, across, up, up_ticks, foot, labels }
    }

    pub(super) fn height(&self) -> u32 {
        self.panel.bottom() + below(&self.foot)
    }

    /// Top of the label of the axis across.
    fn axis_top(&self) -> u32 {
        self.panel.bottom() + TICK_LENGTH + TICK_GAP + self.foot.height + GAP / 2
    }

    /// Where a point lies in the picture.
    fn place(&self, (across, up): (f64, f64)) -> (f64, f64) {
        (self.x(self.across.share(across)), self.y(self.up.share(up)))
    }

    fn x(&self, share: f64) -> f64 {
        f64::from(self.panel.left) + share * f64::from(self.panel.width)
    }

    fn y(&self, share: f64) -> f64 {
        f64::from(self.panel.bottom()) - share * f64::from(self.panel.height)
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>) -> Drawn {
        self.head.draw(canvas)?;
        self.draw_up(canvas)?;
        self.draw_across(canvas)?;
        self.draw_lines(canvas)?;
        let curves = self.figure.curves.iter().zip(SERIES);
        for (curve, colour) in curves.clone() {
            for run in curve.points.chunk_by(|one, next| self.figure.ticks.joins(one.0, next.0)) {
                let run: Vec<_> = run.iter().map(|point| self.place(*point)).collect();
                pen(curve, colour).draw(canvas, &run);
            }
        }
        // No line lies over a marker.
        for ((curve, colour), marker) in curves.zip(MARKERS) {
            for point in &curve.points {
                marker.draw(canvas, self.place(*point), colour);
            }
        }
        Ok(())
    }

    /// Draws the axis upwards with its grid.
    fn draw_up(&self, canvas: &mut Canvas<'_>) -> Drawn {
        let Place { left, top, width: across, .. } = self.panel;
        let beside = style(TICK, HPos::Right, VPos::Center);
        for (share, text) in &self.up_ticks {
            let y = self.y(*share).round() as u32;
            fill(canvas, Place { left, top: y - LINE / 2, width: across, height: LINE }, GRID)?;
            tick(canvas, (left - TICK_LENGTH, y), (left, y))?;
            canvas.draw_text(text, &beside, at(left - TICK_LENGTH - TICK_GAP, y))?;
        }
        tick(canvas, (left, top), (left, self.panel.bottom()))?;
        let height = self.panel.height;
        let label = shorten(canvas, &self.figure.up, LABEL, height + 2 * GAP);
        let sideways = upward(LABEL, HPos::Center, VPos::Bottom);
        canvas.draw_text(&label, &sideways, at(MARGIN + LABEL as u32, top + height / 2))
    }

    /// Draws the axis across with its grid.
    fn draw_across(&self, canvas: &mut Canvas<'_>) -> Drawn {
        let (panel, bottom) = (self.panel, self.panel.bottom());
        let below = style(TICK, HPos::Center, VPos::Top);
        let turned = upward(TICK, HPos::Right, VPos::Center);
        for (k, (share, text)) in self.foot.ticks.iter().enumerate() {
            let x = self.x(*share).round() as u32;
            fill(canvas, Place { left: x - LINE / 2, width: LINE, ..panel }, GRID)?;
            let lowered = k as u32 % self.foot.lines.max(1) * LINE_HEIGHT;
            let end = bottom + TICK_LENGTH + lowered;
            tick(canvas, (x, bottom), (x, end))?;
            let set = if self.foot.lines > 0 { &below } else { &turned };
            canvas.draw_text(text, set, at(x, end + TICK_GAP))?;
        }
        tick(canvas, (panel.left, bottom), (panel.right(), bottom))?;
        draw_label_below(canvas, panel, self.axis_top(), &self.figure.across)
    }

    /// Draws the lines of reference with their labels.
    fn draw_lines(&self, canvas: &mut Canvas<'_>) -> Drawn {
        let (left, right) = (self.x(0.0), self.x(1.0));
        let beside = style(TICK, HPos::Left, VPos::Center);
        for Label { share, lines, middle } in &self.labels {
            let (y, middle) = (self.y(*share).round(), f64::from(self.panel.top) + middle);
            draw_reference(canvas, (left, y), (right, y));
            let leader = Pen { colour: DARK, width: 2.0, dashed: false };
            leader.draw(canvas, &[(right, y), (right + f64::from(LEADER), middle)]);
            let first = middle as u32 - (lines.len() as u32 - 1) * LINE_HEIGHT / 2;
            let x = self.panel.right() + LEADER + GAP;
            for (line, y) in lines.iter().zip((first..).step_by(LINE_HEIGHT as usize)) {
                canvas.draw_text(line, &beside, at(x, y))?;
            }
        }
        Ok(())
    }
}

/// What the axis across takes below the plot, dots.
fn below(foot: &Foot) -> u32 {
    TICK_LENGTH + TICK_GAP + foot.height + GAP / 2 + LABEL as u32 + GAP + MARGIN
}

/// How the line of a curve is drawn.
fn pen(curve: &Curve, colour: Colour) -> Pen {
    Pen { colour, width: WIDTH, dashed: curve.dashed }
}

/// The labels of the lines of reference, from the top down.
fn labels(lines: &[(f64, String)], up: &Scale, ruler: &Canvas<'_>, height: u32) -> Vec<Label> {
    let cut = |line: &(f64, String)| (up.share(line.0), wrap(ruler, &line.1, TICK, LABEL_ROOM));
    let mut labels: Vec<_> = lines.iter().map(cut).collect();
    labels.sort_by(|one, other| other.0.total_cmp(&one.0));
    let wanted = labels.iter().map(|(share, lines)| {
        let tall = lines.len() as u32 * LINE_HEIGHT + GAP;
        (f64::from(height) * (1.0 - share), f64::from(tall))
    });
    let middles = spread(&wanted.collect::<Vec<_>>(), f64::from(height + LINE_HEIGHT));
    let label = |((share, lines), middle)| Label { share, lines, middle };
    labels.into_iter().zip(middles).map(label).collect()
}

impl Foot {
    /// Ticks with labels that keep apart on an axis of so many dots: as many
    /// as find room or, for categories, all of them, staggered or turned.
    fn new(ticks: &Across, scale: &Scale, across: u32, ruler: &Canvas<'_>) -> Self {
        let room = |text: &str| width(ruler, text, TICK) + TICK_SPACE;
        let share = |text: &str| f64::from(room(text)) / f64::from(across);
        let names = match ticks {
            Across::Linear => return Self::level(scale.ticks(share)),
            Across::Log2 => return Self::level(scale.binary_ticks(share)),
            Across::Categories(names) => names,
        };
        let cut = |(k, name): (usize, &String)| {
            (scale.share(k as f64), shorten(ruler, name, TICK, CATEGORY_ROOM))
        };
        let ticks: Vec<Tick> = names.iter().enumerate().map(cut).collect();
        let widest = ticks.iter().map(|(_, name)| room(name)).max().unwrap_or(0);
        match widest.div_ceil(across / ticks.len().max(1) as u32) {
            0 | 1 => Self::level(ticks),
            2 => Self { ticks, lines: 2, height: 2 * LINE_HEIGHT },
            _ => Self { ticks, lines: 0, height: widest - TICK_SPACE + GAP },
        }
    }

    fn level(ticks: Vec<Tick>) -> Self {
        Self { ticks, lines: 1, height: LINE_HEIGHT }
    }
}

#[cfg(test)]
mod tests {
    use super::super::RenderError;
    use super::*;
    use image::RgbImage;

    #[test]
    fn categories_stand_level_staggered_or_turned() -> Result<(), RenderError> {
        let mut image = RgbImage::new(1, 1);
        let ruler = Canvas::new(&mut image)?;
        for (name, count, lines) in [("32x32", 8, 1), ("32x32", 20, 2), ("1024x1024x64", 20, 0)] {
            let names = Across::Categories(vec![name.to_owned(); count]);
            let foot = Foot::new(&names, &names.scale(std::iter::empty()), 1400, &ruler);
            assert_eq!((foot.ticks.len(), foot.lines), (count, lines), "{name} {count}");
            let room = 1400 / count as u32 * lines.max(1);
            assert!(lines == 0 || width(&ruler, name, TICK) < room);
        }
        Ok(())
    }
}
