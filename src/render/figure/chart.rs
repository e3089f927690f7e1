//! Dots, bars and lines over two axes of numbers.

use crate::{
    RenderError,
    axes::Axis,
    canvas::{Drawing, Pen, Place, Point},
    colour::{Colour, SERIES},
    frame::{Aspect, Frame},
    legend::Key,
    marker::MARKERS,
    scale::Scale,
    size::{FigureSize, LeastSize},
};

/// Height of the plot in a figure without a given height, and its minimum in any, dots.
const HEIGHT: Aspect = Aspect::Height(640.0, 100.0);
/// Width of a line, dots.
const WIDTH: f64 = 3.0;
/// Side of a dot, dots.
const DOT: f64 = 6.0;
/// Of more points than this some are left out, evenly.
const MOST_POINTS: usize = 20_000;
/// Fraction of the axis left free above the largest value.
const FREE: f64 = 0.06;

/// Series of points over two axes of numbers, up to as many as there are colours.
#[derive(Clone, Debug, Default)]
pub struct ChartFigure {
    /// Title above the plot.
    pub title: String,
    /// Subtitle, in grey; "" for none.
    pub subtitle: String,
    /// Label of the horizontal axis, with its unit.
    pub across: String,
    /// Label of the vertical axis, with its unit.
    pub up: String,
    /// True if the vertical axis is logarithmic.
    pub log: bool,
    /// True if a unit is as long on both axes, as on a map.
    pub equal: bool,
    /// The series; later ones lie on top.
    pub series: Vec<Series>,
}

/// A series of a [`ChartFigure`].
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name in the legend; "" has no entry.
    pub name: String,
    /// How its points are drawn.
    pub kind: SeriesKind,
    /// Points (across, up); those that are not finite, or not above 0 on a logarithmic axis, are
    /// left out.
    pub points: Vec<Point>,
}

/// How the points of a [`Series`] are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SeriesKind {
    /// A small dot each.
    Dots,
    /// The marker of the series each.
    Markers,
    /// Joined by a line.
    Line,
    /// A bar from 0, of this width on the horizontal axis.
    Bars(f64),
}

impl ChartFigure {
    /// Minimum size.
    pub const LEAST: LeastSize = LeastSize { width: 700, height: 450 };

    /// Draws the figure.
    ///
    /// # Errors
    ///
    /// [`RenderError`] if there is no series or too many, or the size is too small.
    pub fn drawing(&self, size: FigureSize) -> Result<Drawing, RenderError> {
        RenderError::if_count("series", self.series.len(), 1..=SERIES.len())?;
        let drawn: Vec<_> = self.series.iter().map(|series| series.shown(self.log)).collect();
        let (across, up) = self.scales(&drawn);
        let aspect = match self.equal {
            true => Aspect::Ratio(across.length() / up.length()),
            false => HEIGHT,
        };
        let keys = self.series.iter().zip(SERIES).zip(MARKERS).map(|((series, colour), marker)| {
            let key = match series.kind {
                SeriesKind::Line => Key::Stroke(pen(colour)),
                SeriesKind::Markers => Key::Mark(marker, colour),
                SeriesKind::Dots | SeriesKind::Bars(_) => Key::Box(colour),
            };
            (key, series.name.as_str())
        });
        let frame = Frame {
            title: &self.title,
            chart: Some((&self.subtitle, keys.collect())),
            keys: Vec::new(),
            across: Axis::new(across, &self.across),
            down: Axis::new(up.upward(), &self.up),
            aspect,
            bars: Vec::new(),
        };
        frame.draw(size, Self::LEAST, |canvas, panel| {
            let at =
                |(x, y): Point| panel.at(frame.across.scale.share(x), frame.down.scale.share(y));
            for (k, points) in drawn.iter().enumerate() {
                self.series[k].draw(
                    canvas,
                    panel,
                    k,
                    &points.iter().map(|of| at(*of)).collect::<Vec<_>>(),
                    across,
                );
            }
        })
    }

    /// The horizontal and the vertical scale, which include all points.
    fn scales(&self, drawn: &[Vec<Point>]) -> (Scale, Scale) {
        let half = |series: &Series| match series.kind {
            SeriesKind::Bars(width) => width / 2.0,
            _ => 0.0,
        };
        let ends = |(least, most): (f64, f64), at: f64| (least.min(at), most.max(at));
        let none = (f64::INFINITY, f64::NEG_INFINITY);
        let known = |(least, most): (f64, f64), log: bool| match (least <= most, log) {
            (true, _) => (least, most),
            (false, true) => (1.0, 10.0),
            (false, false) => (0.0, 1.0),
        };
        let points = || {
            self.series.iter().zip(drawn).flat_map(move |(series, points)| {
                points.iter().map(move |point| (half(series), *point))
            })
        };
        let across = points().flat_map(|(half, (x, _))| [x - half, x + half]).fold(none, ends);
        let up = points().map(|(_, (_, y))| y).fold(none, ends);
        let ((left, right), (least, most)) = (known(across, false), known(up, self.log));
        let has_bars = self.series.iter().any(|of| matches!(of.kind, SeriesKind::Bars(_)));
        if self.equal {
            // A line along an axis is seen in a strip.
            let strip = 0.25 * (right - left).max(most - least).max(1e-3);
            let wide = |least: f64, most: f64| {
                let add = ((strip - (most - least)) / 2.0).max(0.04 * (most - least));
                Scale::linear(least - add, most + add)
            };
            return (wide(left, right), wide(least, most));
        }
        let up = match has_bars && !self.log {
            true => Scale::rising(false, 0.0, [(most, FREE)].into_iter()),
            false => Scale::around(self.log, least, most),
        };
        let across =
            if has_bars { Scale::linear(left, right) } else { Scale::around(false, left, right) };
        (across, up)
    }
}

/// The pen of a line.
fn pen(colour: Colour) -> Pen {
    Pen { colour, width: WIDTH, dashed: false }
}

impl Series {
    /// The points that are drawn.
    fn shown(&self, log: bool) -> Vec<Point> {
        let valid = |(x, y): &&Point| x.is_finite() && y.is_finite() && (!log || *y > 0.0);
        let every = match self.kind {
            SeriesKind::Dots | SeriesKind::Markers => {
                self.points.len().div_ceil(MOST_POINTS).max(1)
            }
            _ => 1,
        };
        self.points.iter().step_by(every).filter(valid).copied().collect()
    }

    /// Draws the series number `k`, its points in dots, on a panel.
    fn draw(&self, canvas: &mut Drawing, panel: Place, k: usize, points: &[Point], across: Scale) {
        let (colour, marker) = (SERIES[k], MARKERS[k]);
        match self.kind {
            SeriesKind::Line => canvas.line(points, pen(colour)),
            SeriesKind::Markers => points.iter().for_each(|at| marker.draw(canvas, *at, colour)),
            SeriesKind::Dots => {
                for (x, y) in points {
                    let (left, top) = (x - DOT / 2.0, y - DOT / 2.0);
                    canvas.fill_box(Place { left, top, width: DOT, height: DOT }, colour);
                }
            }
            SeriesKind::Bars(width) => {
                let width = width / across.length() * panel.width;
                for (x, y) in points.iter().filter(|(_, y)| *y < panel.bottom()) {
                    let (left, height) = (x - width / 2.0, panel.bottom() - y);
                    canvas.fill_box(
                        Place { left, top: *y, width: (width - 1.0).max(1.0), height },
                        colour,
                    );
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{count, drawn};

    fn figure(kind: SeriesKind, points: Vec<Point>) -> ChartFigure {
        let series = vec![Series { name: String::new(), kind, points }];
        ChartFigure { series, ..ChartFigure::default() }
    }

    /// Bars of 1, 2 and 4 have areas in that ratio.
    #[test]
    fn bars_are_as_large_as_their_values() {
        let area = |values: &[(f64, f64)]| {
            let mut points = vec![(0.0, 0.0), (9.0, 0.0)];
            points.extend_from_slice(values);
            count(&drawn(&figure(SeriesKind::Bars(1.0), points)), SERIES[0]) as f64
        };
        let both = area(&[(2.0, 4.0), (5.0, 2.0)]);
        let one = area(&[(2.0, 4.0)]);
        assert!((both / one - 1.5).abs() < 0.02, "{both} {one}");
    }

    #[test]
    fn points_that_are_none_are_left_out() {
        for kind in [SeriesKind::Dots, SeriesKind::Markers, SeriesKind::Line, SeriesKind::Bars(1.0)]
        {
            for (log, equal) in [(false, false), (true, false), (false, true)] {
                for points in
                    [vec![], vec![(0.0, 0.0)], vec![(f64::NAN, 1.0), (1.0, 2.0), (2.0, -3.0)]]
                {
                    drawn(&ChartFigure { log, equal, ..figure(kind, points) });
                }
            }
        }
    }
}
