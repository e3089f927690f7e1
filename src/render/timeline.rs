//! A timeline: a lane for each of several that work side by side, and when each did what.

use image::RgbImage;
use plotters::style::text_anchor::{HPos, VPos};
use plotters_backend::DrawingBackend;

use super::RenderError;
use super::axes::{decimals, number, round_ticks};
use super::canvas::Canvas;
use super::chart::{GAP, GRID, Head, Key, draw_label_below, fill};
use super::colour::SERIES;
use super::frame::{Drawn, LINE, MARGIN, Place, TICK_GAP, at, tick};
use super::size::FigureSize;
use super::text::{LABEL, TICK, shorten, style, width};

/// The least figure, dots; lanes may need more.
const LEAST: (u32, u32) = (900, 300);
/// Most lanes.
const MOST_LANES: usize = 60;
/// Greatest width of a lane's label, dots.
const LABEL_ROOM: u32 = 300;
/// Height of a lane, and what lies between two, dots.
const LANE: u32 = 36;
const LANE_GAP: u32 = 14;
/// Free space right of the panel, for the half of a tick's label, dots.
const RIGHT: u32 = MARGIN + 30;
/// Dots that a tick takes at the least.
const TICK_ROOM: u32 = 130;
/// What the axis takes below the lanes, dots.
const BELOW: u32 = TICK_GAP + TICK as u32 + GAP + LABEL as u32 + GAP + MARGIN;

/// Lanes of coloured spans over time.
///
/// A column of a lane shows what its time was spent with, each kind as high as its part: so spans that are narrower than a
/// column are seen too. Of spans within each other the inner one counts.
#[derive(Clone, Debug, Default)]
pub struct TimelineFigure {
    /// Title above the lanes.
    pub title: String,
    /// What the title leaves open, in grey below it; "" for none.
    pub subtitle: String,
    /// Names of the kinds of spans, 1 to 8; those that occur are in the legend.
    pub kinds: Vec<String>,
    /// Lanes from the top down, 1 to 60.
    pub lanes: Vec<TimelineLane>,
}

/// A lane of a [`TimelineFigure`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimelineLane {
    /// What stands left of it.
    pub label: String,
    /// Spans in the order in which they begin: index of the kind, and from when to when, seconds.
    pub spans: Vec<(usize, f64, f64)>,
}

impl TimelineFigure {
    /// The least size, dots of 1/150 inch across and down.
    pub const LEAST: (u32, u32) = LEAST;

    /// Draws the figure, as high as its lanes need where no height is given.
    ///
    /// # Errors
    ///
    /// [`RenderError`] where there are no lanes or kinds or too many, a time is not finite or below 0, or the size is too small for the
    /// lanes.
    pub fn draw(&self, size: FigureSize) -> Result<RgbImage, RenderError> {
        self.check()?;
        size.check(LEAST)?;
        let ruler = &mut RgbImage::new(1, 1);
        let layout = Layout::new(self, &Canvas::new(ruler)?, size);
        let height = layout.panel.bottom() + BELOW;
        size.check((LEAST.0, height))?;
        let mut image = size.blank(size.width(), height);
        let mut canvas = Canvas::scaled(&mut image, size.scale())?;
        // The canvas itself never fails.
        let _: Drawn = layout.draw(&mut canvas);
        Ok(image)
    }

    fn check(&self) -> Result<(), RenderError> {
        RenderError::if_count("kinds", self.kinds.len(), 1..=SERIES.len())?;
        RenderError::if_count("lanes", self.lanes.len(), 1..=MOST_LANES)?;
        for lane in &self.lanes {
            for (kind, from, until) in &lane.spans {
                RenderError::if_count("kinds", kind + 1, 1..=self.kinds.len())?;
                RenderError::if_value(&lane.label, *from, 0.0..=1e300)?;
                RenderError::if_value(&lane.label, *until, *from..=1e300)?;
            }
        }
        Ok(())
    }

    /// When the last span ends, seconds.
    fn end(&self) -> f64 {
        let ends = self.lanes.iter().flat_map(|lane| &lane.spans).map(|span| span.2);
        ends.fold(0.0, f64::max).max(1e-6)
    }
}

impl TimelineLane {
    /// Seconds of each kind in each of so many columns that share the time up to `end`, `[column][kind]`.
    fn columns(&self, columns: usize, end: f64) -> Vec<[f64; SERIES.len()]> {
        let mut spent = vec![[0.0; SERIES.len()]; columns];
        let mut add = |kind: usize, from: f64, until: f64| {
            let column = |time: f64| (columns as f64 * time / end) as usize;
            for (k, spent) in
                spent.iter_mut().enumerate().take(column(until) + 1).skip(column(from))
            {
                let edge = |k: usize| k as f64 * end / columns as f64;
                spent[kind] += (until.min(edge(k + 1)) - from.max(edge(k))).max(0.0);
            }
        };
        // The innermost of those that are open is what is done.
        let (mut open, mut at): (Vec<(usize, f64)>, f64) = (Vec::new(), 0.0);
        let last = (0, f64::INFINITY, f64::INFINITY);
        for (kind, from, until) in self.spans.iter().chain([&last]) {
            while let Some((inner, ends)) = open.pop_if(|(_, ends)| *ends <= *from) {
                add(inner, at, ends);
                at = at.max(ends);
            }
            if let Some((inner, _)) = open.last() {
                add(*inner, at, *from);
            }
            at = *from;
            open.push((*kind, *until));
        }
        spent
    }
}

/// Where everything of a figure stands. The figure has been checked.
struct Layout<'a> {
    figure: &'a TimelineFigure,
    head: Head,
    panel: Place,
    /// From one lane to the next, dots.
    pitch: u32,
}

impl<'a> Layout<'a> {
    fn new(figure: &'a TimelineFigure, ruler: &Canvas<'_>, size: FigureSize) -> Self {
        let occurs = |kind: usize| {
            figure.lanes.iter().flat_map(|lane| &lane.spans).any(|span| span.0 == kind)
        };
        let keys = figure.kinds.iter().enumerate().filter(|(kind, _)| occurs(*kind));
        let keys = keys.map(|(kind, name)| (Key::Bar(SERIES[kind]), name));
        let head = Head::new(ruler, size.width(), &figure.title, &figure.subtitle, keys);
        let labels = figure.lanes.iter().map(|lane| width(ruler, &lane.label, TICK));
        let left = MARGIN + labels.max().unwrap_or(0).min(LABEL_ROOM) + 2 * GAP;
        let (top, lanes) = (head.bottom + 2 * GAP, figure.lanes.len() as u32);
        // Lanes spread over a given height.
        let natural = top + (LANE + LANE_GAP) * lanes + BELOW;
        let spare = size.height().map_or(0, |height| height.saturating_sub(natural));
        let pitch = LANE + LANE_GAP + spare / lanes.max(1);
        let panel = Place { left, top, width: size.width() - RIGHT - left, height: pitch * lanes };
        Layout { figure, head, panel, pitch }
    }

    fn draw(&self, canvas: &mut Canvas<'_>) -> Drawn {
        let (panel, end) = (self.panel, self.figure.end());
        self.head.draw(canvas)?;
        let below = style(TICK, HPos::Center, VPos::Top);
        let (step, ticks) = round_ticks(0.0, end, (panel.width / TICK_ROOM) as usize, 0.0);
        for time in ticks {
            let x = panel.left + (time / end * f64::from(panel.width)).round() as u32;
            fill(canvas, Place { left: x - LINE / 2, width: LINE, ..panel }, GRID)?;
            let label = number(time, decimals(step));
            canvas.draw_text(&label, &below, at(x, panel.bottom() + TICK_GAP))?;
        }
        let axis = panel.bottom() + TICK_GAP + TICK as u32 + GAP;
        draw_label_below(canvas, panel, axis, "Time (s)")?;
        for (lane, top) in self.figure.lanes.iter().zip((panel.top..).step_by(self.pitch as usize))
        {
            let top = top + LANE_GAP / 2;
            self.draw_lane(canvas, lane, Place { top, height: self.pitch - LANE_GAP, ..panel })?;
        }
        tick(canvas, (panel.left, panel.top), (panel.left, panel.bottom()))
    }

    fn draw_lane(&self, canvas: &mut Canvas<'_>, lane: &TimelineLane, place: Place) -> Drawn {
        let beside = style(TICK, HPos::Right, VPos::Center);
        let label = shorten(canvas, &lane.label, TICK, LABEL_ROOM);
        canvas.draw_text(&label, &beside, at(place.left - GAP, place.top + place.height / 2))?;
        let end = self.figure.end();
        let whole = end / f64::from(place.width);
        let columns = lane.columns(place.width as usize, end);
        for (left, spent) in (place.left..).zip(columns) {
            // From the bottom up.
            let mut before = 0.0;
            for (seconds, colour) in spent.into_iter().zip(SERIES) {
                let y = |seconds: f64| {
                    let part = (seconds / whole).min(1.0) * f64::from(place.height);
                    place.bottom() - part.round() as u32
                };
                let (top, bottom) = (y(before + seconds), y(before));
                before += seconds;
                let bar = Place { left, top, width: 1, height: bottom - top };
                fill(canvas, bar, colour)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(lanes: Vec<Vec<(usize, f64, f64)>>) -> TimelineFigure {
        let lane = |spans| TimelineLane { label: "lane".into(), spans };
        TimelineFigure {
            kinds: vec![String::new(); 3],
            lanes: lanes.into_iter().map(lane).collect(),
            ..TimelineFigure::default()
        }
    }

    /// Pixels of each kind.
    fn inked(figure: &TimelineFigure) -> Result<[usize; 3], RenderError> {
        let image = figure.draw(FigureSize::default())?;
        Ok([0, 1, 2].map(|kind| image.pixels().filter(|p| p.0 == SERIES[kind]).count()))
    }

    #[test]
    fn of_spans_within_each_other_the_inner_one_counts() {
        let spans = vec![(0, 0.0, 4.0), (1, 1.0, 3.0), (2, 1.5, 2.0), (0, 5.0, 8.0)];
        let lane = TimelineLane { spans, ..TimelineLane::default() };
        let columns = lane.columns(4, 8.0);
        let first = |k: usize| [columns[k][0], columns[k][1], columns[k][2]];
        assert_eq!(first(0), [1.0, 0.5, 0.5]);
        assert_eq!(first(1), [1.0, 1.0, 0.0]);
        assert_eq!(first(2), [1.0, 0.0, 0.0]);
        assert_eq!(first(3), [2.0, 0.0, 0.0]);
    }

    #[test]
    fn spans_are_as_large_as_their_times() -> Result<(), RenderError> {
        let [one, two, _] = inked(&figure(vec![vec![(0, 0.0, 1.0), (1, 1.0, 4.0)]]))?;
        assert!(one > 5000 && (two as f64 / one as f64 - 3.0).abs() < 0.02, "{one} {two}");
        // Far more spans than columns, a quarter of each of another kind.
        let many = (0..100_000).flat_map(|k| {
            let from = f64::from(k);
            [(0, from, from + 1.0), (1, from + 0.75, from + 1.0)]
        });
        let [one, two, _] = inked(&figure(vec![many.collect()]))?;
        assert!((one as f64 / two as f64 - 3.0).abs() < 0.2, "{one} {two}");
        Ok(())
    }

    #[test]
    fn figures_of_all_sizes_draw_and_bad_ones_are_refused() -> Result<(), RenderError> {
        let mut before = 0;
        for lanes in [1, 2, 30, MOST_LANES] {
            let height =
                figure(vec![vec![(0, 0.0, 1.0)]; lanes]).draw(FigureSize::default())?.height();
            assert!(height > before);
            before = height;
        }
        figure(vec![vec![]]).draw(FigureSize::default())?;
        figure(vec![vec![(0, 0.0, 0.0)]]).draw(FigureSize::default())?;
        let refused = |figure: TimelineFigure| figure.draw(FigureSize::default()).is_err();
        assert!(refused(figure(vec![])) && refused(figure(vec![vec![]; MOST_LANES + 1])));
        for span in [(3, 0.0, 1.0), (0, -1.0, 1.0), (0, 2.0, 1.0), (0, 0.0, f64::NAN)] {
            assert!(refused(figure(vec![vec![span]])), "{span:?}");
        }
        Ok(())
    }
}
