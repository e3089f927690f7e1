//! Curves over a number or over categories.

use std::ops::RangeInclusive;

use crate::{
    RenderError,
    axes::Axis,
    canvas::{Drawing, Pen, Place, Point},
    colour::{Colour, SERIES},
    frame::{Aspect, Frame},
    legend::{Key, draw_reference},
    marker::{MARKERS, RADIUS},
    scale::Scale,
    size::{FigureSize, LeastSize},
};

/// Height of the plot in a figure without a given height, and its minimum in any, dots.
const HEIGHT: Aspect = Aspect::Height(720.0, 150.0);
/// Width of a curve, dots.
const WIDTH: f64 = 4.0;
/// Distance of points whose markers leave a line visible, and of the markers of closer ones, dots.
const APART: f64 = 3.0 * RADIUS;
const FAR: f64 = 8.0 * RADIUS;
/// Fraction of the axis left free above the largest value.
const FREE: f64 = 0.06;

/// Maximum number of curves: as many as there are colours and markers.
const MOST_CURVES: usize = SERIES.len();
/// Maximum number of categories whose labels fit side by side.
const MOST_CATEGORIES: usize = 32;
/// Maximum number of points of all curves together.
const MOST_POINTS: usize = 10_000;

/// Curves with a marker at each point, of one quantity over another or over categories.
///
/// A linear vertical axis includes 0; it starts at 0, or below the smallest negative value.
#[derive(Clone, Debug, Default)]
pub struct CurveFigure {
    /// Title above the plot.
    pub title: String,
    /// Subtitle, in grey; "" for none.
    pub subtitle: String,
    /// Label of the horizontal axis, with its unit.
    pub across: String,
    /// Label of the vertical axis, with its unit.
    pub up: String,
    /// Scale of the horizontal axis.
    pub ticks: Across,
    /// True if the vertical axis is logarithmic.
    pub log: bool,
    /// The curves, 1 to 8 together with the reference lines.
    pub curves: Vec<Curve>,
    /// Reference values with their names: dashed horizontal lines.
    pub lines: Vec<(f64, String)>,
}

/// The horizontal axis of a [`CurveFigure`].
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Across {
    /// Linear.
    #[default]
    Linear,
    /// Numbers above 0 on a base-2 logarithmic scale.
    Log2,
    /// Names, 1 to 32: the k-th category, counted from 0, lies at k.
    Categories(Vec<String>),
}

/// A curve of a [`CurveFigure`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Name in the legend; "" has no entry.
    pub name: String,
    /// Points as (x, y), joined in this order. Points of categories that are not neighbours are not
    /// joined.
    pub points: Vec<(f64, f64)>,
    /// The line that joins them.
    pub line: Line,
}

/// The line between the points of a [`Curve`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Line {
    /// A solid line.
    #[default]
    Solid,
    /// A dashed line.
    Dashed,
    /// No line.
    None,
}

impl CurveFigure {
    /// Minimum size.
    pub const LEAST: LeastSize = LeastSize { width: 900, height: 700 };

    /// Draws the figure.
    ///
    /// # Errors
    ///
    /// [`RenderError`] if there are no points or too many of anything, a number is not finite or
    /// not representable on its axis (not above 0 on a logarithmic one), a point lies at no
    /// category, or the size is too small.
    pub fn drawing(&self, size: FigureSize) -> Result<Drawing, RenderError> {
        self.check()?;
        let frame = Frame {
            title: &self.title,
            chart: Some((&self.subtitle, self.keys())),
            keys: Vec::new(),
            across: self.axis_across(),
            down: Axis::new(self.scale().upward(), &self.up),
            aspect: HEIGHT,
            bars: Vec::new(),
        };
        frame.draw(size, Self::LEAST, |canvas, panel| self.draw_curves(canvas, panel, &frame))
    }

    fn keys(&self) -> Vec<(Key, &str)> {
        let lines = self.lines.iter().zip(SERIES.into_iter().skip(self.curves.len()));
        let lines = lines.map(|(line, colour)| (Key::Line(colour), line.1.as_str()));
        let curves =
            self.curves.iter().zip(SERIES).zip(MARKERS).map(|((curve, colour), marker)| {
                (Key::Curve(curve.line.pen(colour), marker, colour), curve.name.as_str())
            });
        curves.chain(lines).collect()
    }

    /// Draws the reference lines, the curves, then their markers on top.
    fn draw_curves(&self, canvas: &mut Drawing, panel: Place, frame: &Frame<'_>) {
        let share = |(across, up): Point| {
            panel.at(frame.across.scale.share(across), frame.down.scale.share(up))
        };
        for (line, colour) in self.lines.iter().zip(SERIES.into_iter().skip(self.curves.len())) {
            let y = share((0.0, line.0)).1;
            draw_reference(canvas, [(panel.left, y), (panel.right(), y)], colour);
        }
        let curves = self.curves.iter().zip(SERIES);
        for (curve, colour) in curves.clone() {
            for run in curve.points.chunk_by(|one, next| self.ticks.joins(one.0, next.0)) {
                let run: Vec<_> = run.iter().map(|point| share(*point)).collect();
                curve.line.pen(colour).into_iter().for_each(|pen| canvas.line(&run, pen));
            }
        }
        for (k, ((curve, colour), marker)) in curves.zip(MARKERS).enumerate() {
            let points: Vec<_> = curve.points.iter().map(|point| share(*point)).collect();
            let marked = match curve.line {
                Line::None => points,
                // Those of curves that coincide lie beside each other.
                _ => apart(points, k as f64 / self.curves.len() as f64),
            };
            marked.iter().for_each(|point| marker.draw(canvas, *point, colour));
        }
    }

    /// The vertical scale.
    fn scale(&self) -> Scale {
        let least = self.values().fold(f64::INFINITY, f64::min);
        if self.log {
            Scale::around(true, least, self.values().fold(least, f64::max))
        } else if least < 0.0 {
            Scale::around(false, least, self.values().fold(0.0, f64::max))
        } else {
            Scale::rising(false, 0.0, self.values().map(|value| (value, FREE)))
        }
    }

    /// The horizontal axis, which includes all points.
    fn axis_across(&self) -> Axis {
        let places = self.curves.iter().flat_map(|curve| &curve.points).map(|point| point.0);
        let ends = |(least, most): (f64, f64), at: f64| (least.min(at), most.max(at));
        let (least, most) = places.fold((f64::INFINITY, f64::NEG_INFINITY), ends);
        let scale = match &self.ticks {
            Across::Categories(names) => return Axis::of_names(names.clone(), &self.across),
            Across::Linear => {
                let scale = Scale::around(false, least, most);
                let mut points = self.curves.iter().flat_map(|curve| &curve.points);
                // Iterations are counted.
                if points.all(|point| point.0.fract() == 0.0) { scale.of_numbers() } else { scale }
            }
            // Extends to powers of two, so that there are ticks.
            Across::Log2 => {
                Scale::around(true, least.log2().floor().exp2(), most.log2().ceil().exp2()).binary()
            }
        };
        Axis::new(scale, &self.across)
    }

    fn check(&self) -> Result<(), RenderError> {
        let points = self.curves.iter().map(|curve| curve.points.len()).sum();
        let curves = self.curves.len();
        RenderError::if_count("curves", curves, 1..=MOST_CURVES)?;
        RenderError::if_count("points", points, 1..=MOST_POINTS)?;
        let most = MOST_CURVES - curves;
        RenderError::if_count("lines of reference", self.lines.len(), 0..=most)?;
        if let Across::Categories(names) = &self.ticks {
            RenderError::if_count("categories", names.len(), 1..=MOST_CATEGORIES)?;
        }
        for (value, label) in &self.lines {
            RenderError::if_value(label, *value, self.range())?;
        }
        for curve in &self.curves {
            for &(across, up) in &curve.points {
                RenderError::if_value(&curve.name, up, self.range())?;
                self.ticks.check(&curve.name, across)?;
            }
        }
        Ok(())
    }

    /// The values that the vertical axis can represent.
    fn range(&self) -> RangeInclusive<f64> {
        if self.log { Scale::range(true) } else { -1e300..=1e300 }
    }

    /// All vertical values.
    fn values(&self) -> impl Iterator<Item = f64> {
        let points = self.curves.iter().flat_map(|curve| &curve.points).map(|point| point.1);
        points.chain(self.lines.iter().map(|line| line.0))
    }
}

/// The points of a line that have a marker: all or, if most are so close that markers would hide the
/// line, some along it, from this part of their distance on.
fn apart(points: Vec<Point>, first: f64) -> Vec<Point> {
    let step = |pair: &[Point]| (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1);
    let steps: Vec<_> = points.windows(2).map(step).collect();
    let close = steps.iter().filter(|step| **step < APART).count();
    if 2 * close <= steps.len() {
        return points;
    }
    let (mut along, mut next) = (0.0, first * FAR);
    let is_marked = |(_, step): &(Point, f64)| {
        along += step;
        let is_next = along >= next;
        next = if is_next { along + FAR } else { next };
        is_next
    };
    let steps = std::iter::once(0.0).chain(steps);
    points.into_iter().zip(steps).filter(is_marked).map(|(point, _)| point).collect()
}

impl Across {
    /// Returns an error for a horizontal value that the axis cannot represent.
    fn check(&self, curve: &str, at: f64) -> Result<(), RenderError> {
        match self {
            Self::Linear => RenderError::if_value(curve, at, -1e300..=1e300),
            Self::Log2 => RenderError::if_value(curve, at, Scale::range(true)),
            Self::Categories(names) => {
                let categories = names.len();
                if at >= 0.0 && at < categories as f64 && at.fract() == 0.0 {
                    return Ok(());
                }
                Err(RenderError::Category { curve: curve.to_owned(), at, categories })
            }
        }
    }

    /// True if two consecutive points are joined.
    fn joins(&self, one: f64, next: f64) -> bool {
        !matches!(self, Self::Categories(_)) || (next - one).abs() <= 1.0
    }
}

impl Line {
    fn pen(self, colour: Colour) -> Option<Pen> {
        let dashed = self == Self::Dashed;
        (self != Self::None).then_some(Pen { colour, width: WIDTH, dashed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        picture::Picture,
        size::FIGURE,
        testing::{count, drawn, endless, refused},
    };

    /// Unnamed curves, so that their colours occur in the plot only.
    fn figure(ticks: Across, log: bool, curves: &[&[(f64, f64)]]) -> CurveFigure {
        let curve = |points: &&[(f64, f64)]| Curve { points: points.to_vec(), ..Curve::default() };
        let curves = curves.iter().map(curve).collect();
        CurveFigure { ticks, log, curves, ..CurveFigure::default() }
    }

    /// The centroid of the pixels of a curve's colour.
    fn middle(image: &Picture, curve: usize) -> (f64, f64) {
        let of_curve = image.places().filter(|(_, _, p)| *p == SERIES[curve]);
        let places: Vec<_> = of_curve.map(|(x, y, _)| (f64::from(x), f64::from(y))).collect();
        assert!(places.len() > 50, "curve {curve} is not in the picture");
        let mean =
            |of: fn(&(f64, f64)) -> f64| places.iter().map(of).sum::<f64>() / places.len() as f64;
        (mean(|at| at.0), mean(|at| at.1))
    }

    fn names(count: usize) -> Across {
        Across::Categories((0..count).map(|k| format!("{k} x {count}")).collect())
    }

    #[test]
    fn iterations_have_whole_numbers() {
        let ticks = |points: Vec<(f64, f64)>| {
            let curves = vec![Curve { points, ..Curve::default() }];
            let axis = CurveFigure { curves, ..CurveFigure::default() }.axis_across();
            axis.scale.ticks(|_| 0.05).into_iter().map(|tick| tick.1).collect::<Vec<_>>()
        };
        assert_eq!(ticks(vec![(0.0, 1.0), (1.0, 0.5), (2.0, 0.3)]), ["0", "1", "2"]);
        assert!(ticks(vec![(0.0, 1.0), (0.5, 0.5), (2.0, 0.3)]).contains(&"0.2".to_owned()));
    }

    #[test]
    fn markers_are_where_the_data_are() {
        // From point to point: one step across; up, then down to the axis.
        for (ticks, log, across, up) in [
            (Across::Linear, false, [1.0, 2.0, 3.0, 5.0], [10.0, 20.0, 0.0, 20.0]),
            (Across::Log2, true, [32.0, 64.0, 128.0, 512.0], [1.0, 100.0, 0.01, 100.0]),
            (names(5), false, [0.0, 1.0, 2.0, 4.0], [10.0, 20.0, 0.0, 20.0]),
        ] {
            let points = [0, 1, 2, 3].map(|k| [(across[k], up[k])]);
            let image = drawn(&figure(ticks, log, &points.each_ref().map(|point| &point[..])));
            let [first, second, third, last] = [0, 1, 2, 3].map(|k| middle(&image, k));
            let (step, rise) = (second.0 - first.0, first.1 - second.1);
            assert!(step > 100.0 && rise > 100.0, "{step} {rise}");
            for off in [
                third.0 - second.0 - step,
                last.0 - third.0 - 2.0 * step,
                third.1 - second.1 - 2.0 * rise,
                last.1 - second.1,
            ] {
                assert!(off.abs() < 1.0, "{off}");
            }
        }
    }

    #[test]
    fn a_linear_axis_has_zero() {
        let image = drawn(&figure(Across::Linear, false, &[&[(0.0, 50.0)], &[(1.0, 100.0)]]));
        let (half, whole) = (middle(&image, 0).1, middle(&image, 1).1);
        // The line below the panel is the lowest of this width.
        let ink = |row: &[Colour]| row.iter().filter(|pixel| **pixel == [30; 3]).count();
        let rows: Vec<_> = image.rows().map(ink).collect();
        let zero = rows.iter().rposition(|ink| *ink > 1000).expect("a line") as f64;
        assert!((2.0 * (zero - half) - (zero - whole)).abs() < 2.0);
        // Values below zero have a place, too.
        let points = [&[(0.0, -100.0)][..], &[(1.0, -50.0)], &[(2.0, 0.0)]];
        let image = drawn(&figure(Across::Linear, false, &points));
        let [low, half, zero] = [0, 1, 2].map(|k| middle(&image, k).1);
        assert!(low > half && ((low - half) - (half - zero)).abs() < 2.0);
    }

    #[test]
    fn a_missing_category_breaks_the_line_and_a_line_may_be_missing() {
        let inked = |points: &[(f64, f64)], line: Line| {
            let mut figure = figure(names(5), false, &[points]);
            figure.curves[0].line = line;
            count(&drawn(&figure), SERIES[0])
        };
        let marker = inked(&[(0.0, 1.0)], Line::Solid);
        assert!(inked(&[(0.0, 1.0), (2.0, 1.0)], Line::Solid).abs_diff(2 * marker) < 20);
        let pair = |line| inked(&[(0.0, 1.0), (1.0, 1.0)], line);
        let [none, dashed, solid] = [Line::None, Line::Dashed, Line::Solid].map(pair);
        assert!(none.abs_diff(2 * marker) < 20, "{none} {marker}");
        assert!(none + 100 < dashed && dashed + 100 < solid, "{none} {dashed} {solid}");
    }

    /// A curve of many points has few markers, so that its line is visible between them.
    #[test]
    fn markers_of_many_points_leave_the_line_visible() {
        let points = |count: usize| (0..count).map(|k| (k as f64 / count as f64, 1.0)).collect();
        let of = |points: Vec<Point>, line| {
            let mut figure = figure(Across::Linear, false, &[&points]);
            figure.curves[0].line = line;
            let image = drawn(&figure);
            let is_marked = |x: u32| {
                (0..image.height()).filter(|y| image.pixel(x, *y) == SERIES[0]).count() > 6
            };
            (0..image.width()).filter(|x| is_marked(*x)).count()
        };
        let (few, many) = (of(points(20), Line::Solid), of(points(1000), Line::Solid));
        let alone = of(points(1), Line::Solid);
        // A marker between two columns of dots takes one more.
        assert!(few > 15 * alone && few <= 20 * (alone + 1), "{few} {alone}");
        // If all points had markers, each would hide the one before.
        assert!(many > 10 * alone && many < 20 * alone, "{many} {alone}");
    }

    #[test]
    fn figures_of_all_sizes_draw() {
        for count in [1, 2, 8, 20, 32] {
            let points: Vec<(f64, f64)> = (0..count).map(|k| (k as f64, 3.0)).collect();
            for ticks in [Across::Linear, names(count)] {
                let image = drawn(&figure(ticks, count > 8, &[&points[..]; MOST_CURVES]));
                assert!(image.width() == FIGURE && image.height() <= 1100);
            }
        }
        for (ticks, log, least, most) in [
            (Across::Linear, false, 0.0, 0.0),
            (Across::Linear, false, 1e-300, 1e300),
            (Across::Linear, false, 7.0, 7.000_001),
            (Across::Log2, true, 1e-300, 1e300),
            (Across::Log2, true, 96.0, 96.0),
        ] {
            drawn(&figure(ticks, log, &[&[(least, least), (most, most)]]));
        }
        let curve = Curve { name: endless(), points: vec![(8.0, 1.0)], line: Line::Dashed };
        let figure = CurveFigure {
            title: endless(),
            subtitle: endless(),
            across: endless(),
            up: endless(),
            ticks: Across::Categories(vec![endless(); 9]),
            log: false,
            curves: vec![curve],
            lines: vec![(1.0, endless()); MOST_CURVES - 1],
        };
        // Each name takes a line of the legend.
        assert!(drawn(&figure).height() <= 1300 + 40 * MOST_CURVES as u32);
    }

    #[test]
    fn bad_numbers_are_refused() {
        let check = |ticks, log, point| {
            let refused = refused(&figure(ticks, log, &[&[(0.0, 1.0), point]]));
            let of_number =
                matches!(refused, RenderError::Value { .. } | RenderError::Category { .. });
            assert!(of_number, "{point:?}: {refused}");
        };
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN] {
            check(Across::Linear, false, (1.0, bad));
            check(names(4), true, (bad, 1.0));
        }
        check(Across::Linear, false, (f64::NAN, 1.0));
        check(Across::Linear, true, (1.0, 0.0));
        check(Across::Linear, true, (1.0, -1.0));
        // 0 has no logarithm.
        check(Across::Log2, false, (1.0, 1.0));
        check(names(4), false, (4.0, 1.0));
        check(names(4), false, (0.5, 1.0));
        let line = |value| CurveFigure {
            lines: vec![(value, String::new())],
            ..figure(Across::Linear, true, &[&[(0.0, 1.0)]])
        };
        drawn(&line(1.0));
        assert!(matches!(refused(&line(0.0)), RenderError::Value { .. }));
    }

    #[test]
    fn nothing_and_too_much_are_refused() {
        let many = vec![(0.0, 0.0); MOST_POINTS + 1];
        let one = || figure(Across::Linear, false, &[&[(0.0, 1.0)]]);
        let of = |curves: &[&[(f64, f64)]]| figure(Across::Linear, false, curves);
        for bad in [
            of(&[]),
            of(&[&[]]),
            of(&[&many]),
            of(&[&[(0.0, 1.0)][..]; MOST_CURVES + 1]),
            CurveFigure { lines: vec![(1.0, String::new()); MOST_CURVES], ..one() },
            CurveFigure { ticks: names(0), ..one() },
            CurveFigure { ticks: names(MOST_CATEGORIES + 1), ..one() },
        ] {
            assert!(matches!(refused(&bad), RenderError::Count { .. }));
        }
    }
}
