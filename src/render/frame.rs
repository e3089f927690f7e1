//! The layout of every figure with one panel: title or head, axes, panel and colour bars.

use crate::picture::Picture;

use super::axes::{Axis, AxisPair, level, upright};
use super::canvas::{Canvas, Place};
use super::colour::Colour;
use super::colour_range::VelocityRange;
use super::legend::{Head, KEY_HEIGHT, Key, Row, TITLE_HEIGHT};
use super::scale::{Scale, Tick, apart, decimals, number, three_digits};
use super::size::{FigureSize, GAP, LINE, LeastSize, MARGIN};
use super::text::{Align, Style, TICK, TITLE, shorten, width};
use super::{Extent, Plane, RenderError};
use crate::model::ModelQuantity;

/// Maximum height of a panel of fixed aspect ratio in a figure without a given height, dots.
const TALLEST: f64 = 1000.0;
/// Minimum width for colour bars, dots.
const LEAST_CONTENT: f64 = 840.0;
/// Minimum size of a figure with a panel, dots.
pub(super) const LEAST: LeastSize = LeastSize { width: 600, height: 450 };
/// Margin right of a panel, with space for half a tick label, dots.
pub(super) const RIGHT: f64 = MARGIN + 30.0;
/// Height of the title and the gap below it, dots.
pub(super) const HEAD: f64 = 56.0;
/// Gap above the colour bars, dots.
const BAR_GAP: f64 = 24.0;
/// Height of a colour bar, dots.
pub(super) const BAR: f64 = 24.0;
/// Minimum gap between the tick labels of a colour bar, dots: about two digits.
const TEXT_GAP: f64 = 26.0;
/// Ticks nearer to an end of a colour bar than this fraction of their step are left out.
const NEAR_END: f64 = 0.55;
/// Colour of grid lines.
const GRID: Colour = [225; 3];

/// Height of a panel.
#[derive(Clone, Copy, Debug)]
pub(super) enum Aspect {
    /// Ratio of width to height, within limits.
    Ratio(f64),
    /// Dots in a figure without a given height, and the minimum in any.
    Height(f64, f64),
}

/// Everything around a panel.
pub(super) struct Frame<'a> {
    pub(super) title: &'a str,
    /// Subtitle and legend of a chart; a chart has a grid.
    pub(super) chart: Option<(&'a str, Vec<(Key, &'a str)>)>,
    /// Legend of a plane, below its title.
    pub(super) keys: Vec<(Key, &'a str)>,
    pub(super) across: Axis,
    pub(super) down: Axis,
    pub(super) aspect: Aspect,
    pub(super) bars: Vec<ColourBar<'a>>,
}

/// Positions of the parts of a figure.
struct Layout {
    head: Option<Head>,
    /// The legend of a plane.
    rows: Vec<Row>,
    panel: Place,
    width: f64,
    /// Total height.
    height: f64,
}

/// Width of the panel of a chart with this axis on its left.
pub(super) fn chart_width(down: &Axis, size: FigureSize) -> f64 {
    size.width() - down.beside(TALLEST).min(size.width() / 2.0) - RIGHT
}

impl<'a> Frame<'a> {
    /// The frame of a plane of a model, with its proportions.
    pub(super) fn of_plane(
        title: &'a str,
        plane: Plane,
        extent: Extent,
        bars: Vec<ColourBar<'a>>,
    ) -> Result<Self, RenderError> {
        let (across, down) = plane.axes(extent)?;
        let aspect = Aspect::Ratio(across.scale.length() / down.scale.length());
        Ok(Self { title, chart: None, keys: Vec::new(), across, down, aspect, bars })
    }

    /// The horizontal and vertical axes.
    pub(super) fn axes(&self) -> AxisPair<'_> {
        AxisPair { across: &self.across, down: &self.down }
    }

    /// Draws the whole figure; `draw` fills the panel.
    pub(super) fn draw(
        &self,
        size: FigureSize,
        least: LeastSize,
        draw: impl FnOnce(&mut Canvas<'_>, Place),
    ) -> Result<Picture, RenderError> {
        size.check(least)?;
        let layout = self.lay_out(size);
        let (panel, width) = (layout.panel, layout.width);
        size.check(LeastSize { height: layout.height as u32, ..least })?;
        let mut image = size.blank(width, layout.height);
        let canvas = &mut Canvas::new(&mut image, size.scale());
        match &layout.head {
            Some(head) => head.draw(canvas),
            // If a panel has space above and below, the title moves with it.
            None => {
                let top = panel.top - HEAD - KEY_HEIGHT * layout.rows.len() as f64;
                draw_title(canvas, self.title, panel, top, width);
                draw_rows(canvas, &layout.rows, panel, top + TITLE_HEIGHT, width);
            }
        }
        if self.chart.is_some() {
            for share in self.across.grid_across(panel.width) {
                let left = panel.at(share, 0.0).0.round() - LINE / 2.0;
                canvas.fill_box(Place { left, width: LINE, ..panel }, GRID);
            }
            for (share, _) in
                self.down.down(panel.height).iter().filter(|_| !self.down.is_of_names())
            {
                let top = panel.at(0.0, *share).1.round() - LINE / 2.0;
                canvas.fill_box(Place { top, height: LINE, ..panel }, GRID);
            }
        }
        draw(canvas, panel);
        self.across.draw_below(canvas, panel);
        self.down.draw_beside(canvas, panel);
        match self.chart {
            Some(_) => {
                level(canvas, panel.left..panel.right(), panel.bottom());
                upright(canvas, panel.left, panel.top..panel.bottom());
            }
            None => outline(canvas, panel),
        }
        self.draw_bars(canvas, panel, width);
        Ok(image)
    }

    fn lay_out(&self, size: FigureSize) -> Layout {
        let head = self.chart.as_ref();
        let head = head.map(|(below, keys)| Head::new(size.width(), self.title, below, keys));
        let rows = Row::of(&self.keys, size.width() - 2.0 * MARGIN);
        let above = MARGIN + HEAD + KEY_HEIGHT * rows.len() as f64;
        let top = head.as_ref().map_or(above, |head| head.bottom + 2.0 * GAP);
        let left = self.down.beside(TALLEST).min(size.width() / 2.0);
        let room = size.width() - RIGHT - left;
        let mut below = self.across.below(room) + MARGIN;
        if let Some(bar) = self.bars.first() {
            below += BAR_GAP + BAR + bar.axis().below(room);
        }
        // Height that a given size leaves for the panel.
        let given = size.height().map(|height| (height - top - below).max(0.0));
        let (width, height) = match self.aspect {
            Aspect::Height(height, least) => (room, given.unwrap_or(height).max(least)),
            Aspect::Ratio(ratio) => {
                let ratio = if ratio.is_finite() { ratio.clamp(1.0 / 6.0, 6.0) } else { 1.0 };
                let tallest = given.unwrap_or(TALLEST);
                let width = room.min(tallest * ratio).round();
                (width, (width / ratio).round().min(tallest))
            }
        };
        // A given size is filled, with the panel in the centre of its space.
        let content = given.map_or(width.max(LEAST_CONTENT.min(room)), |_| room);
        let spare = given.map_or(0.0, |given| (given - height).max(0.0));
        let (aside, lower) = ((content - width) / 2.0, spare / 2.0);
        let panel =
            Place { left: (left + aside).floor(), top: (top + lower).floor(), width, height };
        let natural = panel.bottom() + below;
        Layout {
            head,
            rows,
            panel,
            width: size.height().map_or(left + content + RIGHT, |_| size.width()),
            height: natural,
        }
    }

    /// Draws the colour bars: one centred below the panel, or two below its ends.
    fn draw_bars(&self, canvas: &mut Canvas<'_>, panel: Place, figure: f64) {
        let middle = panel.at(0.5, 0.0).0;
        let room = 2.0 * (figure - MARGIN - middle).min(middle - MARGIN);
        let content = panel.width.max(LEAST_CONTENT.min(room));
        let width = content * 0.43;
        let top = panel.bottom() + self.across.below(panel.width) + BAR_GAP;
        for (k, bar) in self.bars.iter().enumerate() {
            let left = match (self.bars.len(), k) {
                (1, _) => middle - width / 2.0,
                (_, 0) => middle - content / 2.0,
                _ => middle + content / 2.0 - width,
            };
            bar.draw(canvas, Place { left, top, width, height: BAR });
        }
    }
}

/// Draws a title centred above a panel, or as near to that as the figure's width allows.
pub(super) fn draw_title(
    canvas: &mut Canvas<'_>,
    title: &str,
    panel: Place,
    top: f64,
    figure: f64,
) {
    let title = shorten(title, TITLE, figure - 2.0 * MARGIN);
    let middle = centre(panel, width(&title, TITLE), figure);
    canvas.text(&title, Style::new(TITLE, Align::Middle, Align::Start), (middle, top));
}

/// Draws the rows of a legend likewise.
fn draw_rows(canvas: &mut Canvas<'_>, rows: &[Row], panel: Place, top: f64, figure: f64) {
    for (k, row) in rows.iter().enumerate() {
        let left = centre(panel, row.width, figure) - row.width / 2.0;
        row.draw(canvas, (left, top + KEY_HEIGHT * (k as f64 + 0.5)));
    }
}

/// The centre of a panel, or as near to it as a text of `width` dots allows.
fn centre(panel: Place, width: f64, figure: f64) -> f64 {
    let half = (width / 2.0 + MARGIN).min(figure / 2.0);
    panel.at(0.5, 0.0).0.clamp(half, figure - half)
}

/// A colour bar, with labels at both ends and round values between them.
pub(super) struct ColourBar<'a> {
    /// Label, with the unit.
    label: String,
    scale: Scale,
    ends: Vec<Tick>,
    /// Colour at a fraction 0..=1 of the bar.
    colour: Box<dyn Fn(f32) -> Colour + 'a>,
}

impl<'a> ColourBar<'a> {
    /// A bar from `low` to `high`; with one label in the middle if they are equal.
    pub(super) fn new(
        label: String,
        low: f64,
        high: f64,
        colour: impl Fn(f32) -> Colour + 'a,
    ) -> Self {
        let ends = match low < high {
            true => [0.0, 1.0].into_iter().zip(end_labels(low, high)).collect(),
            false => vec![(0.5, three_digits(low))],
        };
        Self { label, scale: Scale::linear(low, high), ends, colour: Box::new(colour) }
    }

    /// Ticks for a bar of `room` dots.
    fn ticks(&self, room: f64) -> Vec<Tick> {
        let size = |text: &str| (width(text, TICK) + TEXT_GAP) / room;
        let mut ticks = self.ends.clone();
        if self.ends.len() > 1 {
            // About five, for even spacing.
            let between = self.scale.ticks(|text| size(text).max(0.16));
            let step = between.windows(2).map(|pair| pair[1].0 - pair[0].0).fold(0.0, f64::max);
            // A number much nearer to an end than to the next looks like a mistake.
            let clear = |tick: &Tick| {
                let is_far = |end: &Tick| (end.0 - tick.0).abs() > NEAR_END * step;
                self.ends.iter().all(|end| apart(end, tick, size) && is_far(end))
            };
            ticks.extend(between.iter().filter(|tick| clear(tick)).cloned());
        }
        ticks
    }

    fn axis(&self) -> Axis {
        Axis::new(self.scale, &self.label)
    }

    /// Draws the bar with its scale below.
    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, place: Place) {
        canvas.paint(place, |width, height| {
            let colour = |x: usize| (self.colour)((x as f32 + 0.5) / width as f32);
            let row: Vec<Colour> = (0..width).map(colour).collect();
            row.repeat(height)
        });
        outline(canvas, place);
        self.axis().draw_given(canvas, place, self.ticks(place.width));
    }
}

/// The labels of the ends of a bar: three digits or, if these move an end by a hundredth of the bar,
/// as many decimals as its ticks have.
fn end_labels(low: f64, high: f64) -> [String; 2] {
    let span = high - low;
    let moved = |end: f64| {
        let digits = 10_f64.powi(decimals(end / 100.0) as i32);
        ((end * digits).round() / digits - end).abs()
    };
    match [low, high].into_iter().any(|end| moved(end) > span / 100.0) {
        true => [low, high].map(|end| number(end, decimals(span / 10.0))),
        false => [low, high].map(three_digits),
    }
}

/// The colour bar of a model: of velocities in km/s, of densities in kg/m3.
pub(super) fn model_bar<'a>(
    quantity: ModelQuantity,
    range: VelocityRange,
    colour: impl Fn(f32) -> Colour + 'a,
) -> ColourBar<'a> {
    match quantity {
        ModelQuantity::Velocity => velocity_bar(range, colour),
        _ => {
            let [low, high] = [range.slowest, range.fastest].map(f64::from);
            let unit = match quantity.unit() {
                "" => String::new(),
                unit => format!(" ({unit})"),
            };
            ColourBar::new(format!("{}{unit}", quantity.label()), low, high, colour)
        }
    }
}

/// The colour bar of velocities, in km/s.
pub(super) fn velocity_bar<'a>(
    range: VelocityRange,
    colour: impl Fn(f32) -> Colour + 'a,
) -> ColourBar<'a> {
    let [low, high] = [range.slowest, range.fastest].map(|v| f64::from(v) / 1000.0);
    ColourBar::new("Velocity (km/s)".to_owned(), low, high, colour)
}

/// Draws the outline of a box, centred on its edges.
pub(super) fn outline(canvas: &mut Canvas<'_>, place: Place) {
    for y in [place.top, place.bottom()] {
        level(canvas, place.left - LINE / 2.0..place.right() + LINE / 2.0, y);
    }
    for x in [place.left, place.right()] {
        upright(canvas, x, place.top..place.bottom());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_numbers_its_ends_and_no_two_labels_meet() {
        for (low, high) in [(-0.734, 0.734), (1.5, 4.482), (0.0, 1.0), (-1e-3, 5e3)] {
            let bar = ColourBar::new(String::new(), low, high, |_| [0; 3]);
            let count = |room: f64| {
                let mut ticks = bar.ticks(room);
                ticks.sort_by(|one, other| one.0.total_cmp(&other.0));
                let ends = [&ticks[0].1, &ticks[ticks.len() - 1].1];
                assert_eq!(ends, [low, high].map(three_digits).each_ref());
                let size = |text: &str| (width(text, TICK) + TEXT_GAP) / room;
                assert!(ticks.windows(2).all(|pair| apart(&pair[0], &pair[1], size)), "{ticks:?}");
                ticks.len()
            };
            let counts = [160.0, 250.0, 400.0, 650.0].map(count);
            assert!(counts.is_sorted() && counts[3] >= 3, "{counts:?}");
            // Between equal ends zero is numbered.
            let middle = |tick: &Tick| (tick.0 - 0.5).abs() < 1e-9;
            assert!(low != -high || bar.ticks(300.0).iter().any(middle));
        }
        let one = ColourBar::new(String::new(), 1.5, 1.5, |_| [0; 3]);
        assert_eq!(one.ticks(500.0), [(0.5, "1.5".to_owned())]);
    }

    #[test]
    fn ends_that_three_digits_would_move_have_those_of_the_ticks() {
        for (low, high, ends) in [
            (1.999, 2.001, ["1.9990", "2.0010"]),
            (1.994, 2.0, ["1.9940", "2.0000"]),
            (4.4996, 4.5, ["4.49960", "4.50000"]),
            (1.5, 1.55, ["1.5", "1.55"]),
            (-1234.6, -1234.2, ["\u{2212}1234.60", "\u{2212}1234.20"]),
        ] {
            assert_eq!(end_labels(low, high), ends, "{low} to {high}");
        }
    }
}
