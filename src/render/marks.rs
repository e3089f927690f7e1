//! Marks on an image of a field or a model: sources, receivers and located sources.
//!
//! A ring is open, and so is a star beside rings, so that the focus in them stays visible.

use std::collections::HashMap;
use std::f64::consts::PI;

use super::axes::{Axis, AxisPair};
use super::canvas::{Drawing, Place, Point};
use super::colour::{BLACK, Colour, WHITE};
use super::text::INK;

/// The width of the white halo of a mark, dots.
const HALO: f64 = 1.8;
/// Radius of a star's five points and of the corners between them, dots.
const STAR: Star = Star { points: 21.0, corners: 8.8 };
/// The same of the sample in a legend.
const STAR_SAMPLE: Star = Star { points: 16.0, corners: 6.7 };
/// Width of the line of an open star at its points, dots.
const STAR_LINE: f64 = 5.0;
/// Radius of a ring, dots, which leaves a star inside it visible, and its line width.
const RING: f64 = 33.0;
const RING_WIDTH: f64 = 3.0;
/// Radius of the sample of a ring in a legend, dots.
const RING_SAMPLE: f64 = 13.0;
/// Height and half-width of a receiver, a triangle with its tip at the position, dots.
const RECEIVER: (f64, f64) = (13.0, 7.0);
/// Minimum distance of drawn receivers, along a line and over an area, dots.
const APART: f64 = 30.0;
const AREA_APART: f64 = 40.0;
/// Radius of a receiver of an area, dots.
const AREA_DOT: f64 = 3.0;
/// Radius of a survey dot, on the picture and in its legend, dots.
const DOT: (f64, f64) = (4.0, 7.0);

/// Colour of the ellipse of a focus, which is seen on a star.
pub(super) const ELLIPSE: Colour = [255, 200, 0];

/// A kind of mark, as a legend shows it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mark {
    Star,
    OpenStar,
    Ring,
    Ellipse,
    Dot(Colour),
}

impl Mark {
    /// Draws a sample of the mark.
    pub(super) fn draw(self, canvas: &mut Drawing, at: Point) {
        match self {
            Self::Star => draw_outlines(canvas, |out| vec![star(at, STAR_SAMPLE, out)]),
            Self::OpenStar => draw_outlines(canvas, |out| open_star(at, STAR_SAMPLE, out)),
            Self::Ring => draw_outlines(canvas, |out| ring(at, RING_SAMPLE, out)),
            Self::Ellipse => {
                let flat = |(x, y): Point| (x, at.1 + 0.6 * (y - at.1));
                let shape = |out: f64| -> Vec<Vec<Point>> {
                    let ring = ring(at, RING_SAMPLE, out).into_iter();
                    ring.map(|line| line.into_iter().map(flat).collect()).collect()
                };
                canvas.fill(&shape(1.5), BLACK);
                canvas.fill(&shape(0.0), ELLIPSE);
            }
            Self::Dot(colour) => {
                // Of white ones the edge is seen.
                canvas.fill(&[circle(at, DOT.1 + 1.5)], INK);
                canvas.fill(&[circle(at, DOT.1)], colour);
            }
        }
    }
}

/// Marked positions in metres, as (across, down) on an image or in a volume; those outside are
/// omitted.
#[derive(Clone, Debug, PartialEq)]
pub struct Marks<T = (f64, f64)> {
    /// Sources, drawn as stars; open ones if there are located sources.
    pub sources: Vec<T>,
    /// Receivers, drawn as triangles along a line and as dots over an area, thinned where they
    /// would overlap.
    pub receivers: Vec<T>,
    /// Located sources, drawn as rings.
    pub found: Vec<T>,
}

impl<T> Default for Marks<T> {
    fn default() -> Self {
        Self { sources: Vec::new(), receivers: Vec::new(), found: Vec::new() }
    }
}

impl<T> Marks<T> {
    /// The marks with their positions mapped by `place`; those mapped to `None` are omitted.
    pub fn placed<U>(&self, place: impl Fn(&T) -> Option<U>) -> Marks<U> {
        let placed = |marks: &[T]| marks.iter().filter_map(&place).collect();
        Marks {
            sources: placed(&self.sources),
            receivers: placed(&self.receivers),
            found: placed(&self.found),
        }
    }
}

impl Marks {
    /// Draws them on a panel with axes in kilometres.
    pub(super) fn draw(&self, canvas: &mut Drawing, panel: Place, axes: AxisPair<'_>) {
        let on = |marks: &[Point]| places(marks, panel, axes);
        let receivers = on(&self.receivers);
        // Over an area triangles would hide the image.
        let (shape, apart): (fn(Point, f64) -> Vec<Point>, _) = match is_area(&receivers) {
            true => (|at, out| circle(at, AREA_DOT + 0.5 * out), AREA_APART),
            false => (receiver, APART),
        };
        for at in thinned(receivers, apart) {
            draw_outlines(canvas, |out| vec![shape(at, out)]);
        }
        for at in on(&self.sources) {
            draw_outlines(canvas, |out| match self.found.is_empty() {
                true => vec![star(at, STAR, out)],
                false => open_star(at, STAR, out),
            });
        }
        for at in on(&self.found) {
            draw_outlines(canvas, |out| ring(at, RING, out));
        }
    }
}

/// Draws a dot at each position, in metres.
pub(super) fn draw_dots(
    canvas: &mut Drawing,
    panel: Place,
    axes: AxisPair<'_>,
    marks: &[Point],
    colour: Colour,
) {
    for at in places(marks, panel, axes) {
        canvas.fill(&[circle(at, DOT.0)], colour);
    }
}

/// Positions on a panel of points in metres, without those outside.
fn places(marks: &[Point], panel: Place, axes: AxisPair<'_>) -> Vec<Point> {
    let share = |axis: &Axis, at: f64| axis.scale.share(at / 1000.0);
    let shares = marks.iter().map(|at| (share(axes.across, at.0), share(axes.down, at.1)));
    let inside = |share: f64| (-1e-9..=1.0 + 1e-9).contains(&share);
    let shares = shares.filter(|at| inside(at.0) && inside(at.1));
    shares.map(|at| panel.at(at.0, at.1)).collect()
}

/// True if points are spread both across and down.
fn is_area(places: &[Point]) -> bool {
    let spread = |of: fn(&Point) -> f64| {
        let ends = |(low, high): (f64, f64), at: f64| (low.min(at), high.max(at));
        let (low, high) = places.iter().map(of).fold((f64::INFINITY, f64::NEG_INFINITY), ends);
        high - low > 2.0 * APART
    };
    spread(|at| at.0) && spread(|at| at.1)
}

/// The points, without those too close to others: every so many columns and rows of a grid, else in
/// order without those too close to an earlier one.
fn thinned(all: Vec<Point>, least: f64) -> Vec<Point> {
    let (columns, rows) = (steps(&all, |at| at.0), steps(&all, |at| at.1));
    // A grid may have gaps.
    if columns.len() * rows.len() <= 2 * all.len() && columns.len().min(rows.len()) > 1 {
        let kept = |steps: &[i64], at: f64| {
            let length = (steps[steps.len() - 1] - steps[0]) as f64 / PLACES;
            // A hundredth less, as places are rounded.
            let every = (0.99 * least * (steps.len() - 1) as f64 / length).ceil().max(1.0);
            steps.binary_search(&place(at)).is_ok_and(|k| k.is_multiple_of(every as usize))
        };
        let on = |at: &Point| kept(&columns, at.0) && kept(&rows, at.1);
        return all.into_iter().filter(on).collect();
    }
    // The kept points, in cells that hold one each.
    let mut kept: HashMap<(i64, i64), Vec<Point>> = HashMap::new();
    let cell = |at: Point| ((at.0 / least).floor() as i64, (at.1 / least).floor() as i64);
    let mut apart = all;
    apart.retain(|at| {
        let (x, y) = cell(*at);
        let near = |other: &Point| (other.0 - at.0).hypot(other.1 - at.1) < least;
        let around = (-1..=1).flat_map(|i| (-1..=1).map(move |j| (x + i, y + j)));
        let free = !around.filter_map(|cell| kept.get(&cell)).flatten().any(near);
        if free {
            kept.entry((x, y)).or_default().push(*at);
        }
        free
    });
    apart
}

/// Places to a dot at which points are in one column or row.
const PLACES: f64 = 2.0;

fn place(at: f64) -> i64 {
    (PLACES * at).round() as i64
}

/// The columns or rows of points, in order.
fn steps(all: &[Point], of: fn(&Point) -> f64) -> Vec<i64> {
    let mut steps: Vec<_> = all.iter().map(|at| place(of(at))).collect();
    steps.sort_unstable();
    steps.dedup();
    steps
}

/// Draws a shape over its white halo.
fn draw_outlines(canvas: &mut Drawing, shape: impl Fn(f64) -> Vec<Vec<Point>>) {
    canvas.fill(&shape(HALO), WHITE);
    canvas.fill(&shape(0.0), BLACK);
}

/// The radii of a star, dots.
#[derive(Clone, Copy)]
struct Star {
    points: f64,
    corners: f64,
}

/// A star with five points.
fn star((x, y): Point, of: Star, out: f64) -> Vec<Point> {
    let corner = |k: usize| {
        let turn = 0.2 * PI * k as f64;
        let radius =
            if k.is_multiple_of(2) { of.points + 2.2 * out } else { of.corners + 1.1 * out };
        (x + radius * turn.sin(), y - radius * turn.cos())
    };
    (0..10).map(corner).collect()
}

/// The outer and the inner edge of an open star.
fn open_star(at: Point, of: Star, out: f64) -> Vec<Vec<Point>> {
    let inner = star(at, of, -STAR_LINE / 2.2 - 0.5 * out);
    vec![star(at, of, out), inner.into_iter().rev().collect()]
}

/// The outer and the inner edge of a ring.
fn ring(at: Point, radius: f64, out: f64) -> Vec<Vec<Point>> {
    let inner = circle(at, radius - RING_WIDTH / 2.0 - out);
    vec![circle(at, radius + RING_WIDTH / 2.0 + out), inner.into_iter().rev().collect()]
}

/// A triangle with its tip down.
fn receiver((x, y): Point, out: f64) -> Vec<Point> {
    let (top, half) = (y - RECEIVER.0 - out, RECEIVER.1 + 1.6 * out);
    vec![(x, y + 1.6 * out), (x + half, top), (x - half, top)]
}

fn circle((x, y): Point, radius: f64) -> Vec<Point> {
    let turn = |k: usize| 2.0 * PI * k as f64 / 48.0;
    (0..48).map(|k| (x + radius * turn(k).cos(), y + radius * turn(k).sin())).collect()
}

#[cfg(test)]
mod tests {
    use super::super::scale::Scale;
    use super::super::testing::{RED, count, painted};
    use super::*;
    use crate::picture::Picture;

    /// Marks on a red panel of 200 x 100 dots, one metre each.
    fn drawn(marks: &Marks) -> Picture {
        let panel = Place { left: 0.0, top: 0.0, width: 200.0, height: 100.0 };
        let axis = |length: f64| Axis::new(Scale::linear(0.0, length / 1000.0), "");
        painted(200, 100, RED, |canvas| {
            let axes = AxisPair { across: &axis(200.0), down: &axis(100.0) };
            marks.draw(canvas, panel, axes);
        })
    }

    #[test]
    fn a_place_is_seen_through_its_ring_and_through_a_star_in_it() {
        let at = vec![(100.0, 50.0)];
        let ring = Marks { found: at.clone(), ..Marks::default() };
        let image = drawn(&ring);
        assert!(count(&image, BLACK) > 150);
        let near = |x: u32, y: u32| (f64::from(x) - 100.0).hypot(f64::from(y) - 50.0) <= 25.0;
        assert!(image.places().all(|(x, y, colour)| !near(x, y) || colour == RED));
        let star = drawn(&Marks { sources: at.clone(), ..Marks::default() });
        let both = drawn(&Marks { sources: at, ..ring });
        assert_eq!([&star, &both].map(|of| of.pixel(100, 50)), [BLACK, RED]);
        // The points of the star are drawn.
        assert_eq!([&star, &both].map(|of| of.pixel(100, 32)), [BLACK; 2]);
    }

    #[test]
    fn a_star_is_filled_and_has_five_points() {
        let image = drawn(&Marks { sources: vec![(100.0, 50.0)], ..Marks::default() });
        let at = |radius: f64, turn: f64| {
            let (x, y) = (100.0 + radius * turn.sin(), 50.0 - radius * turn.cos());
            image.pixel(x.round() as u32, y.round() as u32)
        };
        assert_eq!(at(0.0, 0.0), BLACK);
        for turn in (0..5).map(|k| 0.4 * PI * f64::from(k)) {
            assert_eq!((at(15.0, turn), at(15.0, turn + 0.2 * PI)), (BLACK, RED), "{turn}");
        }
    }

    #[test]
    fn receivers_stand_on_their_places_and_many_are_thinned() {
        let triangles = |receivers: Vec<(f64, f64)>| {
            let image = drawn(&Marks { receivers, ..Marks::default() });
            // A little above the tips.
            (1..199).filter(|&x| image.pixel(x, 42) == BLACK).count()
        };
        let one = triangles(vec![(100.0, 50.0)]);
        assert!(one > 5, "{one}");
        let many = triangles((0..2000).map(|k| (20.0 + 0.08 * f64::from(k), 50.0)).collect());
        assert_eq!(many, 6 * one, "one in {APART} dots");
        assert_eq!(triangles(vec![(300.0, 50.0), (f64::NAN, 1.0)]), 0);
    }

    /// 25 x 11 receivers, 7.3 dots apart across and 8.9 down: every 6th column and every 5th row.
    #[test]
    fn receivers_of_a_grid_are_thinned_by_columns_and_rows() {
        let at = |k: i32| (7.3 * f64::from(k % 25), 8.9 * f64::from(k / 25));
        let kept = thinned((0..275).map(at).collect(), AREA_APART);
        let wanted =
            [0, 5, 10].into_iter().flat_map(|row| (0..25).step_by(6).map(move |k| 25 * row + k));
        assert_eq!(kept, wanted.map(at).collect::<Vec<_>>());
    }
}
