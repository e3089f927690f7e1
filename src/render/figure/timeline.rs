//! A timeline: parallel lanes of activity over time.

use crate::{
    RenderError,
    axes::Axis,
    canvas::{Drawing, Place},
    colour::SERIES,
    frame::{Aspect, Frame},
    legend::Key,
    scale::Scale,
    size::{FigureSize, LeastSize},
    text::{TICK, shorten},
};

/// Maximum width of a lane's label, dots.
const LABEL_ROOM: f64 = 300.0;
/// Height of a lane with the gap between lanes, and of the gap alone, dots.
const PITCH: f64 = 50.0;
const LANE_GAP: f64 = 14.0;

/// Lanes of coloured spans over time.
///
/// Each column of a lane stacks the kinds in proportion to their time, so that spans narrower than
/// a column show too. Of nested spans the innermost counts.
#[derive(Clone, Debug, Default)]
pub struct TimelineFigure {
    /// Title above the lanes.
    pub title: String,
    /// Subtitle, in grey; "" for none.
    pub subtitle: String,
    /// Names of the kinds of spans, 1 to 8; those that occur are in the legend.
    pub kinds: Vec<String>,
    /// Lanes from the top down, 1 to [`TimelineFigure::MOST_LANES`].
    pub lanes: Vec<TimelineLane>,
}

/// A lane of a [`TimelineFigure`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimelineLane {
    /// Label left of the lane.
    pub label: String,
    /// Spans by start time: index of the kind, start and end, s.
    pub spans: Vec<(usize, f64, f64)>,
}

impl TimelineFigure {
    /// Maximum number of lanes.
    pub const MOST_LANES: usize = 60;
    /// Minimum size.
    pub const LEAST: LeastSize = LeastSize { width: 900, height: 300 };

    /// Draws the figure, as high as its lanes need if no height is given.
    ///
    /// # Errors
    ///
    /// [`RenderError`] if there are no lanes or kinds or too many, a time is not finite or below 0,
    /// or the size is too small for the lanes.
    pub fn drawing(&self, size: FigureSize) -> Result<Drawing, RenderError> {
        self.check()?;
        let spans = || self.lanes.iter().flat_map(|lane| &lane.spans);
        let keys = self.kinds.iter().zip(SERIES).enumerate();
        let keys = keys.filter(|(kind, _)| spans().any(|span| span.0 == *kind));
        let keys = keys.map(|(_, (name, colour))| (Key::Box(colour), name.as_str()));
        let labels = self.lanes.iter().map(|lane| shorten(&lane.label, TICK, LABEL_ROOM));
        let natural = PITCH * self.lanes.len() as f64;
        let end = spans().map(|span| span.2).fold(0.0, f64::max).max(1e-6);
        let frame = Frame {
            title: &self.title,
            chart: Some((&self.subtitle, keys.collect())),
            keys: Vec::new(),
            across: Axis::new(Scale::linear(0.0, end), "Time (s)"),
            down: Axis::of_names(labels.collect(), ""),
            aspect: Aspect::Height(natural, natural),
            bars: Vec::new(),
        };
        frame.draw(size, Self::LEAST, |canvas, panel| {
            let pitch = panel.height / self.lanes.len() as f64;
            for (k, lane) in self.lanes.iter().enumerate() {
                let top = panel.top + pitch * k as f64 + LANE_GAP / 2.0;
                lane.draw(canvas, Place { top, height: pitch - LANE_GAP, ..panel }, end);
            }
        })
    }

    fn check(&self) -> Result<(), RenderError> {
        RenderError::if_count("kinds", self.kinds.len(), 1..=SERIES.len())?;
        RenderError::if_count("lanes", self.lanes.len(), 1..=Self::MOST_LANES)?;
        for lane in &self.lanes {
            for (kind, from, until) in &lane.spans {
                RenderError::if_count("kinds", kind + 1, 1..=self.kinds.len())?;
                RenderError::if_value(&lane.label, *from, 0.0..=1e300)?;
                RenderError::if_value(&lane.label, *until, *from..=1e300)?;
            }
        }
        Ok(())
    }
}

impl TimelineLane {
    /// Seconds of each kind in each of `columns` equal parts of the time up to `end`,
    /// `[column][kind]`.
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
        // The innermost open span counts.
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
    /// Draws the lane, one column per dot, with the kinds stacked upward.
    fn draw(&self, canvas: &mut Drawing, place: Place, end: f64) {
        let columns = place.width as usize;
        for (k, spent) in self.columns(columns, end).into_iter().enumerate() {
            let mut before = 0.0;
            for (seconds, colour) in spent.into_iter().zip(SERIES) {
                let y = |seconds: f64| {
                    place.at(0.0, 1.0 - (seconds * columns as f64 / end).min(1.0)).1.round()
                };
                let (top, bottom) = (y(before + seconds), y(before));
                before += seconds;
                if top < bottom {
                    let left = place.left + k as f64;
                    canvas.fill_box(Place { left, top, width: 1.0, height: bottom - top }, colour);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{count, drawn, refused};

    fn figure(lanes: Vec<Vec<(usize, f64, f64)>>) -> TimelineFigure {
        let lane = |spans| TimelineLane { label: "lane".into(), spans };
        TimelineFigure {
            kinds: vec![String::new(); 3],
            lanes: lanes.into_iter().map(lane).collect(),
            ..TimelineFigure::default()
        }
    }

    #[test]
    fn of_spans_within_each_other_the_inner_one_counts() {
        let spans = vec![(0, 0.0, 4.0), (1, 1.0, 3.0), (2, 1.5, 2.0), (0, 5.0, 8.0)];
        let lane = TimelineLane { spans, ..TimelineLane::default() };
        let columns: Vec<_> = lane.columns(4, 8.0).iter().map(|of| [of[0], of[1], of[2]]).collect();
        assert_eq!(columns, [[1.0, 0.5, 0.5], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]);
    }

    #[test]
    fn spans_are_as_large_as_their_times() {
        let ratio = |spans| {
            let image = drawn(&figure(vec![spans]));
            let [one, two] = [0, 1].map(|kind| count(&image, SERIES[kind]) as f64);
            assert!(one > 5000.0, "{one}");
            two / one
        };
        assert!((ratio(vec![(0, 0.0, 1.0), (1, 1.0, 4.0)]) - 3.0).abs() < 0.02);
        // Far more spans than columns, three quarters of each of another kind.
        let many = (0..100_000).flat_map(|k| {
            let from = f64::from(k);
            [(0, from, from + 1.0), (1, from + 0.25, from + 1.0)]
        });
        assert!((ratio(many.collect()) - 3.0).abs() < 0.2);
    }

    #[test]
    fn figures_of_all_sizes_draw_and_bad_ones_are_refused() {
        let height = |lanes| drawn(&figure(vec![vec![(0, 0.0, 1.0)]; lanes])).height();
        let heights = [1, 2, 30, TimelineFigure::MOST_LANES].map(height);
        assert!(heights.is_sorted_by(|a, b| a < b), "{heights:?}");
        drawn(&figure(vec![vec![]]));
        drawn(&figure(vec![vec![(0, 0.0, 0.0)]]));
        let counts = [vec![], vec![vec![]; TimelineFigure::MOST_LANES + 1]];
        let spans = [(3, 0.0, 1.0), (0, -1.0, 1.0), (0, 2.0, 1.0), (0, 0.0, f64::NAN)];
        for lanes in counts.into_iter().chain(spans.map(|span| vec![vec![span]])) {
            refused(&figure(lanes));
        }
    }
}
