//! An axis to the left of or below a panel: ticks, their labels, the axis label.

use std::ops::Range;

use crate::picture::AxisUnit;

use super::RenderError;
use super::canvas::{Drawing, Place};
use super::scale::{Scale, Tick};
use super::size::{GAP, LINE, MARGIN};
use super::text::{
    Align, BELOW, INK, LABEL, LEFT_OF, LINE_HEIGHT, Style, TICK, fitted, shorten, width,
};

/// Length of a tick, dots.
const TICK_LENGTH: f64 = 9.0;
/// Gap between a tick and its label, dots.
const TICK_GAP: f64 = 7.0;
/// Minimum spacing of ticks along a vertical axis, and of the labels along a horizontal one, dots.
const SPACING: (f64, f64) = (24.0, 58.0);
/// Maximum width of a category name below a panel, dots.
const NAME_ROOM: f64 = 260.0;

/// An axis of numbers, or of names at 0, 1 and so on.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub(super) scale: Scale,
    /// Label, with the unit.
    pub(super) label: String,
    names: Vec<String>,
}

/// The axes of a panel.
#[derive(Clone, Copy)]
pub(super) struct AxisPair<'a> {
    pub(super) across: &'a Axis,
    pub(super) down: &'a Axis,
}

/// The ticks below a panel, and the layout of their labels.
pub(super) struct Foot {
    ticks: Vec<Tick>,
    /// Lines over which the labels are staggered; 0 if they are rotated.
    lines: usize,
    height: f64,
}

impl Axis {
    pub(super) fn new(scale: Scale, label: &str) -> Self {
        Self { scale, label: label.to_owned(), names: Vec::new() }
    }

    pub(super) fn of_names(names: Vec<String>, label: &str) -> Self {
        let scale = Scale::linear(-0.5, names.len() as f64 - 0.5);
        Self { names, ..Self::new(scale, label) }
    }

    /// An axis in kilometres between two ends in metres. Equal ends (one node) are drawn one metre
    /// apart.
    pub(super) fn kilometres(
        axis: &'static str,
        first: f64,
        last: f64,
        label: &str,
    ) -> Result<Self, RenderError> {
        if !(first.is_finite() && last.is_finite() && first <= last) {
            return Err(RenderError::Extent { axis, first, last });
        }
        let widen = if first == last { 0.5 } else { 0.0 };
        let scale = Scale::linear((first - widen) / 1000.0, (last + widen) / 1000.0);
        Ok(Self::new(scale, label))
    }

    /// The same axis with lengths in a unit.
    pub(super) fn in_unit(self, unit: AxisUnit) -> Self {
        match (unit, self.label.strip_suffix("(km)")) {
            (AxisUnit::M, Some(name)) => Self {
                label: format!("{name}(m)"),
                scale: self.scale.written_times(1000.0),
                ..self
            },
            _ => self,
        }
    }

    /// The same axis reversed.
    pub(super) fn upward(self) -> Self {
        Self { scale: self.scale.upward(), ..self }
    }

    pub(super) fn is_of_names(&self) -> bool {
        !self.names.is_empty()
    }

    /// Ticks of a vertical axis of `height` dots.
    pub(super) fn down(&self, height: f64) -> Vec<Tick> {
        match self.is_of_names() {
            true => self.named(|name| name.to_owned()),
            false => self.scale.ticks(|_| SPACING.1 / height),
        }
    }

    /// Ticks of a horizontal axis of `room` dots: as many numbers as fit, or all names, staggered
    /// or rotated.
    pub(super) fn across(&self, room: f64) -> Foot {
        let size = |text: &str| width(text, TICK) + SPACING.0;
        if !self.is_of_names() {
            let ticks = self.scale.ticks(|text| size(text) / room);
            return Foot { ticks, lines: 1, height: LINE_HEIGHT };
        }
        let ticks = self.named(|name| shorten(name, TICK, NAME_ROOM));
        let widest = ticks.iter().map(|(_, name)| size(name)).fold(0.0, f64::max);
        match (widest * ticks.len() as f64 / room).ceil() as usize {
            0 | 1 => Foot { ticks, lines: 1, height: LINE_HEIGHT },
            2 => Foot { ticks, lines: 2, height: 2.0 * LINE_HEIGHT },
            _ => Foot { ticks, lines: 0, height: widest - SPACING.0 + GAP },
        }
    }

    fn named(&self, set: impl Fn(&str) -> String) -> Vec<Tick> {
        let tick = |(k, name): (usize, &String)| (self.scale.share(k as f64), set(name));
        self.names.iter().enumerate().map(tick).collect()
    }

    /// Width of the axis left of a panel of this height, with the margin, dots.
    pub(super) fn beside(&self, height: f64) -> f64 {
        let ticks = self.down(height);
        let widest = ticks.iter().map(|(_, text)| width(text, TICK)).fold(0.0, f64::max);
        MARGIN + widest + TICK_GAP + TICK_LENGTH + self.label_width()
    }

    fn label_width(&self) -> f64 {
        if self.label.is_empty() { 0.0 } else { f64::from(LABEL) + 14.0 }
    }

    /// Draws the axis left of a panel.
    pub(super) fn draw_beside(&self, canvas: &mut Drawing, panel: Place) {
        let ticks = self.down(panel.height);
        self.draw_ticks_beside(canvas, panel);
        for (share, text) in &ticks {
            let (x, y) = panel.at(0.0, *share);
            canvas.text(text, LEFT_OF, (x - TICK_LENGTH - TICK_GAP, y));
        }
        let (x, y) = panel.at(0.0, 0.5);
        let room = panel.height + 2.0 * GAP;
        let em = fitted(&self.label, LABEL, room + LOWER);
        let sideways = Style::new(em, Align::Middle, Align::End).upward();
        let label = shorten(&self.label, em, room + LOWER);
        // A label longer than its panel ends below it, where a figure is empty.
        let y = y + (width(&label, em) - room).max(0.0) / 2.0;
        canvas.text(
            &label,
            sideways,
            (x - self.beside(panel.height) + MARGIN + f64::from(LABEL), y),
        );
    }

    /// Draws the ticks only; names have none.
    pub(super) fn draw_ticks_beside(&self, canvas: &mut Drawing, panel: Place) {
        for (share, _) in self.down(panel.height).iter().filter(|_| !self.is_of_names()) {
            let (x, y) = panel.at(0.0, *share);
            level(canvas, x - TICK_LENGTH..x, y);
        }
    }

    /// Height of the axis below a panel of this width, dots.
    pub(super) fn below(&self, width: f64) -> f64 {
        self.across(width).label_top() + f64::from(LABEL) + GAP
    }

    /// Draws the axis below a panel.
    pub(super) fn draw_below(&self, canvas: &mut Drawing, panel: Place) {
        let room = panel.width.max(LEAST_LABEL);
        self.draw_foot(canvas, panel, &self.across(panel.width), room);
    }

    /// Draws the axis below a panel with these ticks, and with a label up to `room` dots wide.
    pub(super) fn draw_given(
        &self,
        canvas: &mut Drawing,
        panel: Place,
        ticks: Vec<Tick>,
        room: f64,
    ) {
        self.draw_foot(canvas, panel, &Foot { ticks, lines: 1, height: LINE_HEIGHT }, room);
    }

    fn draw_foot(&self, canvas: &mut Drawing, panel: Place, foot: &Foot, room: f64) {
        let turned = Style::new(TICK, Align::End, Align::Middle).upward();
        for (k, (share, text)) in foot.ticks.iter().enumerate() {
            let (x, bottom) = panel.at(*share, 1.0);
            let lowered = (k % foot.lines.max(1)) as f64 * LINE_HEIGHT;
            let end = bottom + TICK_LENGTH + lowered;
            upright(canvas, x, bottom..end);
            let style = if foot.lines > 0 { BELOW } else { turned };
            canvas.text(text, style, (x, end + TICK_GAP));
        }
        let (x, bottom) = panel.at(0.5, 1.0);
        let em = fitted(&self.label, LABEL, room);
        let label = shorten(&self.label, em, room);
        let style = Style::new(em, Align::Middle, Align::Start);
        canvas.text(&label, style, (x, bottom + foot.label_top()));
    }

    /// Positions of the vertical grid lines.
    pub(super) fn grid_across(&self, room: f64) -> impl Iterator<Item = f64> {
        self.across(room).ticks.into_iter().map(|tick| tick.0)
    }
}

/// Space for the label of a vertical axis below a panel, dots.
const LOWER: f64 = 70.0;
/// Minimum width for the label of an axis, dots.
const LEAST_LABEL: f64 = 250.0;

impl Foot {
    /// Dots from the panel to the label of the axis.
    fn label_top(&self) -> f64 {
        TICK_LENGTH + TICK_GAP + self.height + 3.0
    }
}

/// Draws a horizontal line.
pub(super) fn level(canvas: &mut Drawing, x: Range<f64>, y: f64) {
    let (left, width) = (x.start, x.end - x.start);
    let place = Place { left, top: y.round() - LINE / 2.0, width, height: LINE };
    canvas.fill_box(place, INK);
}

/// Draws a vertical line.
pub(super) fn upright(canvas: &mut Drawing, x: f64, y: Range<f64>) {
    let (top, height) = (y.start, y.end - y.start);
    let place = Place { left: x.round() - LINE / 2.0, top, width: LINE, height };
    canvas.fill_box(place, INK);
}

#[cfg(test)]
mod tests {
    use super::super::{
        colour::{Colour, WHITE},
        testing::painted,
    };
    use super::*;

    /// Its ink is as high as the text is wide.
    #[test]
    fn a_label_longer_than_its_panel_is_whole() {
        let (text, axis) = ("Depth (km)", Axis::new(Scale::linear(0.0, 1.0), "Depth (km)"));
        let panel = Place { left: 150.0, top: 60.0, width: 100.0, height: 100.0 };
        let drawn = painted(300, 300, WHITE, |canvas| axis.draw_beside(canvas, panel));
        let right = panel.left - axis.beside(panel.height) + MARGIN + f64::from(LABEL) + 4.0;
        let is_ink = |(x, _, pixel): &(u32, u32, Colour)| f64::from(*x) < right && pixel[0] < 128;
        let rows = || drawn.places().filter(is_ink).map(|(_, y, _)| f64::from(y));
        let (first, last) = (rows().fold(300.0, f64::min), rows().fold(0.0, f64::max));
        assert!((last - first - width(text, LABEL)).abs() < 8.0, "{first} {last}");
    }

    #[test]
    fn names_stand_level_staggered_or_turned() {
        for (name, count, lines) in [("32x32", 8, 1), ("32x32", 20, 2), ("1024x1024x64", 20, 0)] {
            let foot = Axis::of_names(vec![name.to_owned(); count], "").across(1400.0);
            assert_eq!((foot.ticks.len(), foot.lines), (count, lines), "{name} {count}");
            let room = 1400.0 / count as f64 * lines.max(1) as f64;
            assert!(lines == 0 || width(name, TICK) < room);
        }
    }

    #[test]
    fn a_reversed_or_endless_axis_is_refused() {
        for (first, last) in [(1.0, 0.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
            assert!(Axis::kilometres("x", first, last, "x (km)").is_err());
        }
        let one = Axis::kilometres("x", 5.0, 5.0, "x (km)");
        assert!(one.is_ok_and(|axis| axis.scale.length() > 0.0));
    }
}
