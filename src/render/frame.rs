//! The layout of every figure with one panel: title or head, axes, panel and colour bars.

use super::axes::{Axis, AxisPair, level, upright};
use super::canvas::{Drawing, Place};
use super::colour::Colour;
use super::colour_range::VelocityRange;
use super::legend::{Head, KEY_HEIGHT, Key, Row, TITLE_HEIGHT};
use super::scale::{Scale, Tick, three_digits};
use super::size::{FigureSize, GAP, LINE, LeastSize, MARGIN};
use super::text::{Align, INK, Style, TICK, TITLE, width};
use super::title::Title;
use super::{Extent, Plane, RenderError};
use crate::model::ModelQuantity;

/// Maximum height of a panel of fixed aspect ratio in a figure without a given height, dots.
const TALLEST: f64 = 1000.0;
/// Minimum width for colour bars, dots.
const LEAST_CONTENT: f64 = 840.0;
/// Width of a single colour bar that has room for several numbers, dots.
const ALONE: f64 = 360.0;
/// Minimum size of a figure with a panel, dots.
pub(super) const LEAST: LeastSize = LeastSize { width: 600, height: 450 };
/// Margin right of a panel, with space for half a tick label, dots.
pub(super) const RIGHT: f64 = MARGIN + 30.0;
/// Height of a title of one line and the gap below it, dots.
pub(super) const HEAD: f64 = 56.0;
/// Gap above the colour bars, dots.
const BAR_GAP: f64 = 24.0;
/// Height of a colour bar, dots.
pub(super) const BAR: f64 = 24.0;
/// Minimum gap between the tick labels of a colour bar, dots: about two digits.
const TEXT_GAP: f64 = 26.0;
/// Length of the arrow at an end of a colour bar, dots.
const ARROW: f64 = 20.0;
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

/// What stands above a panel.
enum Above {
    /// The head of a chart.
    Head(Head),
    /// The title of a plane.
    Title(Title),
}

/// Positions of the parts of a figure.
struct Layout {
    above: Above,
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
        draw: impl FnOnce(&mut Drawing, Place),
    ) -> Result<Drawing, RenderError> {
        size.check(least)?;
        let in_unit = |axis: &Axis| axis.clone().in_unit(size.look().unit);
        let (across, down) = (in_unit(&self.across), in_unit(&self.down));
        let layout = self.lay_out(size, AxisPair { across: &across, down: &down }, least);
        let (panel, width) = (layout.panel, layout.width);
        size.check(LeastSize { height: layout.height as u32, ..least })?;
        let mut drawing = size.blank(width, layout.height);
        let canvas = &mut drawing;
        match &layout.above {
            Above::Head(head) => head.draw(canvas),
            // If a panel has space above and below, the title moves with it.
            Above::Title(title) => {
                let further = title.further();
                let top = panel.top - HEAD - further - KEY_HEIGHT * layout.rows.len() as f64;
                draw_title(canvas, title, panel, top, width);
                let below = top + TITLE_HEIGHT + further;
                draw_rows(canvas, &layout.rows, panel, below, width);
            }
        }
        if self.chart.is_some() {
            for share in across.grid_across(panel.width) {
                let left = panel.at(share, 0.0).0.round() - LINE / 2.0;
                canvas.fill_box(Place { left, width: LINE, ..panel }, GRID);
            }
            for (share, _) in down.down(panel.height).iter().filter(|_| !down.is_of_names()) {
                let top = panel.at(0.0, *share).1.round() - LINE / 2.0;
                canvas.fill_box(Place { top, height: LINE, ..panel }, GRID);
            }
        }
        draw(canvas, panel);
        across.draw_below(canvas, panel);
        down.draw_beside(canvas, panel);
        match self.chart {
            Some(_) => {
                level(canvas, panel.left..panel.right(), panel.bottom());
                upright(canvas, panel.left, panel.top..panel.bottom());
            }
            None => outline(canvas, panel),
        }
        self.draw_bars(canvas, panel, width, &across);
        Ok(drawing)
    }

    fn lay_out(&self, size: FigureSize, axes: AxisPair<'_>, least: LeastSize) -> Layout {
        let title = Title::new(self.title, size, least);
        let rows = Row::of(&self.keys, size.width() - 2.0 * MARGIN);
        let (top, above) = match &self.chart {
            Some((below, keys)) => {
                let head = Head::new(size.width(), title, below, keys);
                (head.bottom + 2.0 * GAP, Above::Head(head))
            }
            None => {
                let height = HEAD + title.further() + KEY_HEIGHT * rows.len() as f64;
                (MARGIN + height, Above::Title(title))
            }
        };
        let left = axes.down.beside(TALLEST).min(size.width() / 2.0);
        let room = size.width() - RIGHT - left;
        let mut below = axes.across.below(room) + MARGIN;
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
            above,
            rows,
            panel,
            width: size.height().map_or(left + content + RIGHT, |_| size.width()),
            height: natural,
        }
    }

    /// Draws the colour bars: one centred below the panel, or two below its ends.
    fn draw_bars(&self, canvas: &mut Drawing, panel: Place, figure: f64, across: &Axis) {
        let middle = panel.at(0.5, 0.0).0;
        // Half of a number stands beyond the end of a bar.
        let room = 2.0 * (figure - RIGHT - middle).min(middle - RIGHT);
        let content = panel.width.max(LEAST_CONTENT.min(room));
        let width = match self.bars.len() {
            1 => (0.43 * content).max(ALONE.min(0.9 * content)),
            _ => 0.43 * content,
        };
        let top = panel.bottom() + across.below(panel.width) + BAR_GAP;
        for (k, bar) in self.bars.iter().enumerate() {
            let left = match (self.bars.len(), k) {
                (1, _) => middle - width / 2.0,
                (_, 0) => middle - content / 2.0,
                _ => middle + content / 2.0 - width,
            };
            let centre = left + width / 2.0;
            let alone = 2.0 * (figure - MARGIN - centre).min(centre - MARGIN);
            let label = match self.bars.len() {
                1 => alone,
                _ => alone.min(content - width - 2.0 * GAP),
            };
            bar.draw(canvas, Place { left, top, width, height: BAR }, label);
        }
    }
}

/// Draws a title centred above a panel, or as near to that as the figure's width allows.
pub(super) fn draw_title(canvas: &mut Drawing, title: &Title, panel: Place, top: f64, figure: f64) {
    let middle = centre(panel, title.width(), figure);
    title.draw(canvas, Style::new(TITLE, Align::Middle, Align::Start), (middle, top));
}

/// Draws the rows of a legend likewise.
pub(super) fn draw_rows(canvas: &mut Drawing, rows: &[Row], panel: Place, top: f64, figure: f64) {
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

/// Whether values lie beyond the ends of a colour bar.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Beyond {
    pub(super) low: bool,
    pub(super) high: bool,
}

/// A colour bar with round values; an arrow where values lie beyond its end.
pub(super) struct ColourBar<'a> {
    /// Label, with the unit.
    label: String,
    scale: Scale,
    ends: Vec<Tick>,
    /// Colour at a fraction 0..=1 of the bar.
    colour: Box<dyn Fn(f32) -> Colour + 'a>,
    beyond: Beyond,
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
            true => vec![(0.0, three_digits(low)), (1.0, three_digits(high))],
            false => vec![(0.5, three_digits(low))],
        };
        let (scale, beyond) = (Scale::linear(low, high), Beyond::default());
        Self { label, scale, ends, colour: Box::new(colour), beyond }
    }

    /// The same bar with arrows.
    pub(super) fn with(self, beyond: Beyond) -> Self {
        Self { beyond, ..self }
    }

    /// Ticks for a bar of `room` dots.
    fn ticks(&self, room: f64) -> Vec<Tick> {
        let size = |text: &str| (width(text, TICK) + TEXT_GAP) / room;
        // About five, for even spacing.
        let round = self.scale.ticks(|text| size(text).max(0.16));
        // A range between two round numbers is told by its ends.
        if self.ends.len() == 1 || round.len() < 2 { self.ends.clone() } else { round }
    }

    fn axis(&self) -> Axis {
        Axis::new(self.scale, &self.label)
    }

    /// Draws the bar with its scale below, and its label in `room` dots.
    pub(super) fn draw(&self, canvas: &mut Drawing, place: Place, room: f64) {
        canvas.paint(place, |width, height| {
            let colour = |x: usize| (self.colour)((x as f32 + 0.5) / width as f32);
            let row: Vec<Colour> = (0..width).map(colour).collect();
            row.repeat(height)
        });
        outline(canvas, place);
        for (is_beyond, end, out, share) in
            [(self.beyond.low, place.left, -1.0, 0.0), (self.beyond.high, place.right(), 1.0, 1.0)]
        {
            let arrow = |less: f64| {
                let base = end + out * LINE / 2.0;
                let (tip, half) = (base + out * (ARROW - 2.0 * less), BAR / 2.0 - less);
                let middle = place.top + place.height / 2.0;
                vec![(base, middle - half), (tip, middle), (base, middle + half)]
            };
            if is_beyond {
                canvas.fill(&[arrow(0.0)], INK);
                canvas.fill(&[arrow(LINE)], (self.colour)(share));
            }
        }
        self.axis().draw_given(canvas, place, self.ticks(place.width), room.max(place.width));
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
pub(super) fn outline(canvas: &mut Drawing, place: Place) {
    for y in [place.top, place.bottom()] {
        level(canvas, place.left - LINE / 2.0..place.right() + LINE / 2.0, y);
    }
    for x in [place.left, place.right()] {
        upright(canvas, x, place.top..place.bottom());
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        colour::WHITE,
        scale::apart,
        testing::{RED, painted},
    };
    use super::*;

    #[test]
    fn a_bar_has_round_numbers_of_which_no_two_meet() {
        for (low, high, said) in [
            (-0.734, 0.734, "\u{2212}0.5 0.0 0.5"),
            (1.5, 4.482, "2 3 4"),
            (0.0, 1.0, "0.0 0.2 0.4 0.6 0.8 1.0"),
            (1.999, 2.001, "1.999 2.000 2.001"),
        ] {
            let bar = ColourBar::new(String::new(), low, high, |_| [0; 3]);
            let labels = |room| {
                let ticks = bar.ticks(room);
                let size = |text: &str| (width(text, TICK) + TEXT_GAP) / room;
                assert!(ticks.windows(2).all(|pair| apart(&pair[0], &pair[1], size)), "{ticks:?}");
                ticks.into_iter().map(|tick| tick.1).collect::<Vec<_>>()
            };
            assert_eq!(labels(320.0).join(" "), said);
            assert!(labels(650.0).len() >= labels(320.0).len());
        }
        let one = ColourBar::new(String::new(), 1.5, 1.5, |_| [0; 3]);
        assert_eq!(one.ticks(500.0), [(0.5, "1.5".to_owned())]);
    }

    #[test]
    fn an_arrow_is_drawn_where_values_are_clipped_only() {
        let area = |low, high| {
            let place = Place { left: 100.0, top: 50.0, width: 200.0, height: BAR };
            let bar = ColourBar::new(String::new(), 0.0, 1.0, |_| RED).with(Beyond { low, high });
            let drawn = painted(400, 200, WHITE, |canvas| bar.draw(canvas, place, 200.0));
            let red = |range: std::ops::Range<u32>| {
                drawn.places().filter(|(x, _, p)| range.contains(x) && *p == RED).count()
            };
            [red(0..98), red(302..400)].map(|count| count > 100)
        };
        for ends in [[false, false], [true, false], [false, true], [true, true]] {
            assert_eq!(area(ends[0], ends[1]), ends);
        }
    }
}
