//! The panels of a page that shows the quality of traces.

use super::survey::{Near, Survey};
use crate::{
    job::Figures,
    render::{
        ChartFigure, Figure, GatherFigure, LeastSize, PageFigure, Quantity, SampleAxis, Series,
        SeriesKind,
    },
    results::gain,
};
use std::{collections::BTreeMap, ops::RangeInclusive};

/// Panels in a row.
const COLUMNS: usize = 2;
/// Bars of a histogram, and bins of the fold along a line, at most.
const BARS: usize = 60;
const BINS: usize = 400;
/// Classes of the fold over an area, at most.
const CLASSES: usize = 4;
/// A survey narrower than this fraction of its length is a line.
const LINE: f64 = 0.1;
/// Spectra are drawn down to this level, decibels.
const FLOOR: f64 = -60.0;

/// The least size of the page.
pub(crate) fn least() -> LeastSize {
    PageFigure::least(6, COLUMNS, ChartFigure::LEAST)
}

fn of<'a>(title: &str) -> PageFigure<'a> {
    let least = ChartFigure::LEAST;
    PageFigure {
        title: title.to_owned(),
        panels: Vec::new(),
        columns: COLUMNS,
        least,
        height: 0.75,
    }
}

/// The page.
pub(crate) fn page<'a>(
    name: String,
    survey: &Survey,
    near: &'a Near,
    figures: &Figures,
) -> PageFigure<'a> {
    let panels = vec![
        base_map(survey),
        fold(survey),
        offsets(survey),
        spectra(survey),
        near_traces(near, figures),
        amplitudes(survey),
    ];
    PageFigure { panels, ..of(&name) }
}

fn chart<'a>(title: &str, across: &str, up: &str, series: Vec<Series>) -> Box<dyn Figure + 'a> {
    Box::new(chart_of(title, across, up, series))
}

fn chart_of(title: &str, across: &str, up: &str, series: Vec<Series>) -> ChartFigure {
    let [title, across, up] = [title, across, up].map(str::to_owned);
    ChartFigure { title, across, up, series, ..ChartFigure::default() }
}

fn series(name: &str, kind: SeriesKind, points: Vec<(f64, f64)>) -> Series {
    Series { name: name.to_owned(), kind, points }
}

/// Places once each, km.
fn places(all: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let key = |value: f64| (value * 1e3).round() as i64;
    let once: BTreeMap<_, _> = all.map(|(x, y)| ((key(x), key(y)), (x / 1e3, y / 1e3))).collect();
    once.into_values().collect()
}

fn base_map<'a>(survey: &Survey) -> Box<dyn Figure + 'a> {
    let receivers = places(survey.traces.iter().map(|of| (of.receiver.x, of.receiver.y)));
    let sources = places(survey.traces.iter().map(|of| (of.source.x, of.source.y)));
    let all = vec![
        series(&format!("receivers: {}", receivers.len()), SeriesKind::Dots, receivers),
        series(&format!("sources: {}", sources.len()), SeriesKind::Markers, sources),
    ];
    Box::new(ChartFigure { equal: true, ..chart_of("Base map", "x (km)", "y (km)", all) })
}

/// Traces whose midpoints lie together: along a line as bars, over an area by classes.
fn fold<'a>(survey: &Survey) -> Box<dyn Figure + 'a> {
    let midpoints: Vec<_> = survey.traces.iter().map(|trace| trace.midpoint()).collect();
    let range = |of: fn(&(f64, f64)) -> f64| {
        let least = midpoints.iter().map(of).fold(f64::INFINITY, f64::min);
        (least, midpoints.iter().map(of).fold(f64::NEG_INFINITY, f64::max) - least)
    };
    let ((x, wide), (y, deep)) = (range(|at| at.0), range(|at| at.1));
    if wide.min(deep) <= LINE * wide.max(deep) {
        let along_x = wide >= deep;
        let along = midpoints.iter().map(|at| if along_x { at.0 } else { at.1 });
        let bins = Bins::of(along.clone(), BINS);
        let axis = if along_x { "Midpoint x (km)" } else { "Midpoint y (km)" };
        return chart(
            &format!("Fold, bins of {} m", digits(bins.width)),
            axis,
            "Traces in a bin",
            vec![bins.bars(along)],
        );
    }
    let width = (wide.max(deep) / BARS as f64).max(1e-3);
    let bin =
        |(a, b): &(f64, f64)| (((a - x) / width).floor() as i64, ((b - y) / width).floor() as i64);
    let bins = counted(midpoints.iter().map(bin));
    let most = bins.values().fold(1.0, |a: f64, b| a.max(*b));
    let all = classes(most as usize).into_iter().map(|(name, class)| {
        let inside = bins.iter().filter(|(_, count)| class.contains(&(**count as usize)));
        let centre = |k: i64, from: f64| (from + (k as f64 + 0.5) * width) / 1e3;
        let points = inside.map(|((a, b), _)| (centre(*a, x), centre(*b, y)));
        series(&name, SeriesKind::Dots, points.collect())
    });
    let title = format!("Fold, bins of {} m", digits(width));
    Box::new(ChartFigure {
        equal: true,
        ..chart_of(&title, "Midpoint x (km)", "y (km)", all.collect())
    })
}

fn counted<K: Ord>(keys: impl Iterator<Item = K>) -> BTreeMap<K, f64> {
    let mut bins = BTreeMap::new();
    keys.for_each(|key| *bins.entry(key).or_insert(0.0) += 1.0);
    bins
}

/// Counts of traces from 1 to the most in four classes or fewer, each with its name.
fn classes(most: usize) -> Vec<(String, RangeInclusive<usize>)> {
    let mut upper: Vec<_> = (1..=CLASSES).map(|of| (most * of).div_ceil(CLASSES)).collect();
    upper.dedup();
    let lower = std::iter::once(1).chain(upper.iter().map(|upper| upper + 1));
    let class = |(low, high): (usize, &usize)| match low == *high {
        true => (format!("{low}"), low..=low),
        false => (format!("{low} to {high}"), low..=*high),
    };
    lower.zip(&upper).map(class).collect()
}

/// Bins of numbers that are about evenly spaced: each holds as many of the places.
struct Bins {
    /// The start of the first.
    from: f64,
    width: f64,
}

impl Bins {
    /// So many bins at most, as wide as the usual step between numbers or a multiple of it. A number
    /// lies in the middle of its step, so that rounding does not move it to another bin.
    fn of(numbers: impl Iterator<Item = f64>, most: usize) -> Self {
        let mut sorted: Vec<_> = numbers.collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let steps = sorted.windows(2).map(|pair| pair[1] - pair[0]);
        let mut steps: Vec<_> = steps.filter(|step| *step > 1e-3).collect();
        steps.sort_unstable_by(f64::total_cmp);
        let step = steps.get(steps.len() / 2).copied().unwrap_or(1.0);
        let first = sorted.first().copied().unwrap_or(0.0);
        let length = sorted.last().copied().unwrap_or(0.0) - first;
        let steps = (length / step / most as f64).ceil().max(1.0);
        Self { from: first - step / 2.0, width: steps * step }
    }

    /// The numbers in each bin, over kilometres.
    fn bars(&self, numbers: impl Iterator<Item = f64>) -> Series {
        let bins = counted(numbers.map(|at| ((at - self.from) / self.width).floor() as i64));
        let middle = |k: i64| (self.from + (k as f64 + 0.5) * self.width) / 1e3;
        let points = bins.into_iter().map(|(k, count)| (middle(k), count)).collect();
        series("", SeriesKind::Bars(self.width / 1e3), points)
    }
}

/// Three digits.
fn digits(value: f64) -> f64 {
    let unit = 10_f64.powf(value.abs().max(1e-9).log10().floor() - 2.0);
    let rounded = (value / unit).round() * unit;
    (rounded * 1e6).round() / 1e6
}

fn offsets<'a>(survey: &Survey) -> Box<dyn Figure + 'a> {
    let offsets = survey.traces.iter().map(|trace| trace.offset);
    let bins = Bins::of(offsets.clone(), BARS);
    let title = format!("Offsets, bins of {} m", digits(bins.width));
    chart(&title, "Offset (km)", "Traces in a bin", vec![bins.bars(offsets)])
}

fn spectra<'a>(survey: &Survey) -> Box<dyn Figure + 'a> {
    let most = survey.spectra.iter().flatten().map(|of| of.1).fold(0.0, f64::max);
    let decibels = |of: &[(f64, f64)]| {
        let level = |amplitude: f64| (20.0 * (amplitude / most).log10()).max(FLOOR);
        of.iter().filter(|_| most > 0.0).map(|(hertz, of)| (*hertz, level(*of))).collect()
    };
    let names = ["all", "nearer half", "farther half"];
    let all = names.iter().zip(&survey.spectra);
    let all = all.map(|(name, of)| series(name, SeriesKind::Line, decibels(of)));
    chart("Mean spectra", "Frequency (Hz)", "Amplitude (dB)", all.collect())
}

fn near_traces<'a>(near: &'a Near, figures: &Figures) -> Box<dyn Figure + 'a> {
    Box::new(GatherFigure {
        traces: near.traces.view(),
        quantity: Quantity::AMPLITUDE,
        samples: SampleAxis::Time,
        interval: near.interval,
        positions: near.positions.clone(),
        across: near.across.into(),
        title: near.title.into(),
        gain: gain(figures),
        largest: figures.largest(),
        zero_line: false,
    })
}

fn amplitudes<'a>(survey: &Survey) -> Box<dyn Figure + 'a> {
    let points = survey.traces.iter().map(|trace| (trace.offset / 1e3, trace.rms)).collect();
    let dots = vec![series("", SeriesKind::Dots, points)];
    let title = "Amplitude over offset";
    Box::new(ChartFigure { log: true, ..chart_of(title, "Offset (km)", "RMS of a trace", dots) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_the_fold_are_told_apart_and_hold_every_count() {
        let names = |most| classes(most).into_iter().map(|of| of.0).collect::<Vec<_>>();
        assert_eq!(names(1), ["1"]);
        assert_eq!(names(3), ["1", "2", "3"]);
        assert_eq!(names(9), ["1 to 3", "4 to 5", "6 to 7", "8 to 9"]);
        for most in 1..50 {
            let all = classes(most);
            let of = |count: usize| all.iter().filter(|(_, class)| class.contains(&count)).count();
            assert!((1..=most).all(|count| of(count) == 1) && of(most + 1) == 0, "{most}");
        }
    }

    /// 150 receivers 20 m apart with as many traces each: every bin but the last has as many, whatever
    /// their number.
    #[test]
    fn evenly_spaced_offsets_fill_their_bins_evenly() {
        for first in [0.0, 10.0, 7.3] {
            let offsets = || (0..150).map(move |k| first + 20.0 * f64::from(k));
            for most in [7, 60, 149, 400] {
                let bars = Bins::of(offsets(), most).bars(offsets());
                let counts: Vec<_> = bars.points.iter().map(|of| of.1).collect();
                let (last, others) = counts.split_last().expect("bins");
                assert!(
                    others.iter().all(|count| *count == others[0]),
                    "{first} {most} {counts:?}"
                );
                assert!(counts.len() <= most + 1 && *last <= counts[0], "{counts:?}");
            }
        }
    }
}
