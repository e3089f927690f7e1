//! Horizontal bars: one row per item.

use crate::{
    RenderError,
    axes::Axis,
    canvas::{Drawing, Place},
    colour::{SERIES, WHITE},
    frame::{Aspect, Frame, chart_width},
    legend::{DARK, Key, draw_reference},
    marker::{DIAMOND, REACH},
    scale::Scale,
    size::{FigureSize, GAP, LeastSize},
    text::{LINE_HEIGHT, RIGHT_OF, TICK, shorten, width, wrap},
};

/// Height of a chart without its rows, and per row at most, dots.
const HEAD_AND_FOOT: u32 = 400;
const ROW: u32 = 120;
/// Maximum number of series: as many as are distinguishable in grey.
const MOST_SERIES: usize = 3;
/// Maximum number of reference lines: each has a colour that no series has.
const MOST_LINES: usize = SERIES.len() - MOST_SERIES;
/// Maximum width of a row's label before it wraps to a second line, dots.
const LABEL_ROOM: f64 = 460.0;
/// Maximum width of the text at the end of a bar, dots.
const TEXT_ROOM: f64 = 400.0;
/// Distance from one bar of a row to the next, by the number of series, dots.
const THICKNESS: [f64; MOST_SERIES] = [38.0, 32.0, 30.0];
/// Gap between two rows, and between two bars of a row, dots.
const ROW_GAP: f64 = 28.0;
const BAR_GAP: f64 = 3.0;

/// Horizontal bars that compare values: one row per item, one bar per series in every row.
///
/// Bars start at 0 or, on a logarithmic axis, at a round number below the smallest value.
#[derive(Clone, Debug, Default)]
pub struct BarFigure {
    /// Title above the bars.
    pub title: String,
    /// Subtitle, in grey; "" for none.
    pub subtitle: String,
    /// Label of the value axis, with its unit.
    pub axis: String,
    /// True if the value axis is logarithmic.
    pub log: bool,
    /// Names of the series in the legend, 1 to 3; "" has no entry.
    pub series: Vec<String>,
    /// Rows from the top down, 1 to [`BarFigure::MOST_ROWS`].
    pub rows: Vec<BarRow>,
    /// Legend entry of the diamonds, e.g. "another machine, 2014".
    pub marks: Option<String>,
    /// Reference values with their names, at most 5: dashed vertical lines.
    pub lines: Vec<(f64, String)>,
}

/// A row of a [`BarFigure`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BarRow {
    /// Label left of the bars; wraps to two lines from about 34 characters on.
    pub label: String,
    /// One bar per series.
    pub bars: Vec<Bar>,
    /// A reference value in the unit of the axis: a hollow diamond.
    pub mark: Option<f64>,
}

/// A bar of a [`BarRow`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bar {
    /// Value at the end of the bar; `None` draws no bar.
    pub value: Option<f64>,
    /// Text at the end of the bar, e.g. "12.3 µs". Without a value it takes the bar's place, and ""
    /// becomes "n/a".
    pub text: String,
}

impl BarFigure {
    /// Maximum number of rows.
    pub(crate) const MOST_ROWS: usize = 60;
    /// Minimum size.
    pub(crate) const LEAST: LeastSize = LeastSize { width: 900, height: 300 };

    /// Room for so many rows of any labels, dots.
    pub fn least(rows: usize) -> LeastSize {
        LeastSize { height: HEAD_AND_FOOT + ROW * rows as u32, ..Self::LEAST }
    }

    /// Draws the figure, as high as its rows need if no height is given.
    ///
    /// # Errors
    ///
    /// [`RenderError`] if there are no rows or series or too many, a row does not have one bar per
    /// series, a value is not finite, below 0, or 0 on a logarithmic axis, or the size is too small
    /// for the rows.
    pub(crate) fn drawing(&self, size: FigureSize) -> Result<Drawing, RenderError> {
        self.check()?;
        let room = LABEL_ROOM.min(size.width() / 3.0);
        let labels: Vec<_> = self.rows.iter().map(|row| wrap(&row.label, TICK, room)).collect();
        let lines = labels.iter().map(|label| label.split('\n').count()).max().unwrap_or(1);
        let natural = self.stack().max(lines as f64 * LINE_HEIGHT) + ROW_GAP;
        let natural = natural * self.rows.len() as f64;
        let down = Axis::of_names(labels, "");
        let scale = self.scale(chart_width(&down, size), size);
        let frame = Frame {
            title: &self.title,
            chart: Some((&self.subtitle, self.keys())),
            keys: Vec::new(),
            across: Axis::new(scale, &self.axis),
            down,
            aspect: Aspect::Height(natural, natural),
            bars: Vec::new(),
        };
        frame.draw(size, Self::LEAST, |canvas, panel| self.draw_rows(canvas, panel, scale, size))
    }

    fn keys(&self) -> Vec<(Key, &str)> {
        let series = self.series.iter().zip(SERIES);
        let series = series.map(|(name, colour)| (Key::Box(colour), name.as_str()));
        let marks = self.marks.iter().map(|name| (Key::Mark(DIAMOND, DARK), name.as_str()));
        let lines = self.lines.iter().zip(SERIES.into_iter().skip(MOST_SERIES));
        let lines = lines.map(|(line, colour)| (Key::Line(colour), line.1.as_str()));
        series.chain(marks).chain(lines).collect()
    }

    /// Height of the bars of a row, with the gap below each.
    fn stack(&self) -> f64 {
        THICKNESS[self.series.len() - 1] * self.series.len() as f64
    }

    /// A scale of `room` dots with space for the texts and marks beyond the ends of the bars.
    fn scale(&self, room: f64, size: FigureSize) -> Scale {
        let rows = self.rows.iter().flat_map(|row| {
            let bars = row.bars.iter().filter_map(move |bar| {
                // A text may have to move beyond the mark.
                let free = REACH + 2.0 * GAP + width(&bar.written(size), TICK);
                bar.value.map(|value| (value.max(row.mark.unwrap_or(value)), free / room))
            });
            bars.chain(row.mark.map(|mark| (mark, (REACH + GAP) / room)))
        });
        let lines = self.lines.iter().map(|line| (line.0, GAP / room));
        let least = self.values().map(|(_, value)| value).reduce(f64::min);
        Scale::standing(self.log, least.unwrap_or(1.0), rows.chain(lines))
    }

    /// Draws the bars, then the reference lines, then the texts and marks.
    fn draw_rows(&self, canvas: &mut Drawing, panel: Place, scale: Scale, size: FigureSize) {
        let x = |value: f64| panel.at(scale.share(value), 0.0).0;
        let (pitch, stack) = (panel.height / self.rows.len() as f64, self.stack());
        let step = stack / self.series.len() as f64;
        let row = |k: usize| panel.top + pitch * (k as f64 + 0.5);
        let bar = |k: usize, j: usize| Place {
            left: panel.left,
            top: (row(k) - (stack - BAR_GAP) / 2.0).floor() + step * j as f64,
            width: 0.0,
            height: step - BAR_GAP,
        };
        let bars = || {
            let rows = self.rows.iter().enumerate();
            rows.flat_map(|(k, row)| row.bars.iter().enumerate().map(move |(j, bar)| (k, j, bar)))
        };
        for (k, j, given) in bars() {
            if let Some(value) = given.value {
                let width = x(value) - panel.left;
                if width > 0.0 {
                    canvas.fill_box(Place { width, ..bar(k, j) }, SERIES[j]);
                }
            }
        }
        for ((value, _), colour) in self.lines.iter().zip(SERIES.into_iter().skip(MOST_SERIES)) {
            let x = x(*value);
            draw_reference(canvas, [(x, panel.top), (x, panel.bottom())], colour);
        }
        for (k, j, given) in bars() {
            let (text, place) = (given.written(size), bar(k, j));
            let end = given.value.map_or(panel.left, x);
            let (y, wide) = (place.top + place.height / 2.0, width(&text, TICK));
            let level = (y - row(k)).abs() < REACH + f64::from(TICK) / 2.0;
            let in_the_way = |mark: &f64| (end - REACH..end + GAP + wide + REACH).contains(mark);
            let mark = self.rows[k].mark.map(x).filter(|mark| level && in_the_way(mark));
            let left = mark.map_or(end, |mark| mark + REACH) + GAP;
            // Grid and reference lines stop at a text.
            canvas.fill_box(Place { left: left - 6.0, width: wide + 12.0, ..place }, WHITE);
            let style = if given.value.is_some() { RIGHT_OF } else { RIGHT_OF.grey() };
            canvas.text(&text, style, (left, y));
        }
        for (k, given) in self.rows.iter().enumerate() {
            if let Some(mark) = given.mark {
                DIAMOND.draw(canvas, (x(mark), row(k)), DARK);
            }
        }
    }

    fn check(&self) -> Result<(), RenderError> {
        RenderError::if_count("series", self.series.len(), 1..=MOST_SERIES)?;
        RenderError::if_count("rows", self.rows.len(), 1..=Self::MOST_ROWS)?;
        RenderError::if_count("lines of reference", self.lines.len(), 0..=MOST_LINES)?;
        for row in &self.rows {
            let (bars, series) = (row.bars.len(), self.series.len());
            if bars != series {
                return Err(RenderError::Bars { row: row.label.clone(), bars, series });
            }
        }
        for (what, value) in self.values() {
            RenderError::if_value(what, value, Scale::range(self.log))?;
        }
        Ok(())
    }

    /// All values, with the row or line that each belongs to.
    fn values(&self) -> impl Iterator<Item = (&str, f64)> {
        let rows = self.rows.iter().flat_map(|row| {
            let values = row.bars.iter().map(|bar| bar.value).chain([row.mark]).flatten();
            values.map(|value| (row.label.as_str(), value))
        });
        rows.chain(self.lines.iter().map(|(value, label)| (label.as_str(), *value)))
    }
}

impl Bar {
    /// The text at the end of the bar, cut to fit.
    fn written(&self, size: FigureSize) -> String {
        match (self.value, self.text.as_str()) {
            (None, "") => "n/a".to_owned(),
            (_, text) => shorten(text, TICK, TEXT_ROOM.min(size.width() / 4.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        colour::Colour,
        size::FIGURE,
        testing::{drawn, endless, refused},
    };

    fn row(values: &[Option<f64>]) -> BarRow {
        let bar = |value: &Option<f64>| Bar { value: *value, text: String::new() };
        BarRow { label: "row".to_owned(), bars: values.iter().map(bar).collect(), mark: None }
    }

    /// One unnamed series, so that its colour occurs in the bars only.
    fn figure(log: bool, values: &[f64]) -> BarFigure {
        let rows = values.iter().map(|value| row(&[Some(*value)])).collect();
        BarFigure { log, series: vec![String::new()], rows, ..BarFigure::default() }
    }

    /// Starts and lengths of the bars from the top down.
    fn bars(figure: &BarFigure) -> Vec<(f64, f64)> {
        let image = drawn(figure);
        let bar = |row: &[[u8; 3]]| {
            let length = row.iter().filter(|pixel| **pixel == SERIES[0]).count();
            let left = row.iter().position(|pixel| *pixel == SERIES[0])?;
            Some((left as f64, length as f64))
        };
        let mut bars: Vec<_> = image.rows().map(bar).collect();
        bars.dedup();
        bars.into_iter().flatten().collect()
    }

    #[test]
    fn bars_are_as_long_as_their_values_or_logarithms() {
        // A bar of 0 has no length; the logarithmic axis starts at 0.5.
        let of_log = |value: f64| (value / 0.5).log10();
        for (log, values, lengths) in [
            (false, [10.0, 20.0, 0.0, 40.0], vec![10.0, 20.0, 40.0]),
            (true, [1.0, 10.0, 100.0, 1000.0], [1.0, 10.0, 100.0, 1000.0].map(of_log).into()),
        ] {
            let bars = bars(&figure(log, &values));
            let unit = bars[2].1 / lengths[2];
            assert!(unit > 20.0 && bars.len() == lengths.len(), "{unit} {bars:?}");
            for ((left, length), wanted) in bars.iter().zip(lengths) {
                assert!((length - unit * wanted).abs() <= 2.0, "{wanted}: {length}");
                assert_eq!(*left, bars[0].0);
            }
        }
    }

    #[test]
    fn bars_lines_and_marks_of_one_value_end_together() {
        for log in [false, true] {
            let mut figure = figure(log, &[30.0, 100.0]);
            let (left, length) = bars(&figure)[0];
            let end = left + length;
            figure.lines = vec![(30.0, String::new())];
            figure.rows[1].mark = Some(30.0);
            let image = drawn(&figure);
            let middle = |colour: Colour| {
                let pixels = image.places().filter(|(_, _, p)| *p == colour);
                let places: Vec<_> = pixels.map(|(x, ..)| f64::from(x) + 0.5).collect();
                let near: Vec<_> = places.iter().filter(|x| (*x - end).abs() <= REACH).collect();
                assert!(near.len() > 50, "{log}: {colour:?}");
                near.iter().copied().sum::<f64>() / near.len() as f64
            };
            for colour in [SERIES[MOST_SERIES], DARK] {
                assert!((middle(colour) - end).abs() <= 1.0, "{log} {colour:?}");
            }
        }
    }

    #[test]
    fn figures_of_all_sizes_draw() {
        for series in 1..=MOST_SERIES {
            let height = |rows| {
                let image = drawn(&BarFigure {
                    series: vec!["series".to_owned(); series],
                    rows: vec![row(&[Some(1.0), None, Some(3.0)][..series]); rows],
                    marks: Some("marks".to_owned()),
                    ..BarFigure::default()
                });
                assert_eq!(image.width(), FIGURE);
                image.height()
            };
            assert!([1, 2, 8, 20, BarFigure::MOST_ROWS].map(height).is_sorted_by(|a, b| a < b));
        }
        for values in [[0.0, 0.0], [1e-300, 1e300], [7.0, 7.000_001]] {
            drawn(&figure(false, &values));
            drawn(&figure(true, &values.map(|v| v.max(1e-300))));
        }
        drawn(&BarFigure { rows: vec![row(&[None])], ..figure(true, &[]) });
    }

    #[test]
    fn nothing_is_written_beyond_the_edges() {
        for log in [false, true] {
            let mut figure = figure(log, &[3.0, 1000.0]);
            for row in &mut figure.rows {
                (row.label, row.bars[0].text, row.mark) = (endless(), endless(), Some(1001.0));
            }
            let image = drawn(&BarFigure {
                title: endless(),
                subtitle: endless(),
                axis: endless(),
                marks: Some(endless()),
                lines: [1.0, 2.0, 500.0, 999.0].map(|at| (at, endless())).to_vec(),
                ..figure
            });
            let within = 16..FIGURE - 16;
            assert!(image.places().all(|(x, _, p)| within.contains(&x) || p == WHITE), "{log}");
        }
    }

    #[test]
    fn bad_numbers_are_refused() {
        let check = |figure: BarFigure| {
            assert!(matches!(refused(&figure), RenderError::Value { .. }), "{figure:?}");
        };
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -1.0] {
            for log in [false, true] {
                check(figure(log, &[1.0, bad]));
                check(BarFigure { lines: vec![(bad, String::new())], ..figure(log, &[1.0]) });
                let mut marked = figure(log, &[1.0]);
                marked.rows[0].mark = Some(bad);
                check(marked);
            }
        }
        check(figure(true, &[1.0, 0.0]));
    }

    #[test]
    fn counts_that_make_no_chart_are_refused() {
        let of = |series, rows| BarFigure {
            series: vec![String::new(); series],
            rows,
            ..BarFigure::default()
        };
        let lines = vec![(1.0, String::new()); MOST_LINES + 1];
        for bad in [
            of(1, Vec::new()),
            of(0, vec![row(&[])]),
            of(4, vec![row(&[None; 4])]),
            of(1, vec![row(&[None]); BarFigure::MOST_ROWS + 1]),
            BarFigure { lines, ..figure(false, &[1.0]) },
        ] {
            assert!(matches!(refused(&bad), RenderError::Count { .. }));
        }
        let bad = refused(&of(2, vec![row(&[None; 2]), row(&[None])]));
        assert!(matches!(bad, RenderError::Bars { bars: 1, series: 2, .. }));
    }
}
