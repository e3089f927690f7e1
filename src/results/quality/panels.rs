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
use std::collections::BTreeMap;

/// Panels in a row.
const COLUMNS: usize = 2;
/// Bars of a histogram, and bins of the fold along a line, at most.
const BARS: usize = 60;
const BINS: usize = 400;
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
        let (from, length) = if along_x { (x, wide) } else { (y, deep) };
        let along: Vec<f64> =
            midpoints.iter().map(|at| if along_x { at.0 } else { at.1 }).collect();
        let width = bin(&along, length);
        let points = counted(along.iter().map(|at| ((at - from) / width).round() as i64));
        let points = points.into_iter().map(|(k, count)| ((from + k as f64 * width) / 1e3, count));
        let bars = series("", SeriesKind::Bars(width / 1e3), points.collect());
        let axis = if along_x { "Midpoint x (km)" } else { "Midpoint y (km)" };
        return chart(
            &format!("Fold, bins of {} m", digits(width)),
            axis,
            "Traces in a bin",
            vec![bars],
        );
    }
    let width = (wide.max(deep) / BARS as f64).max(1e-3);
    let bin =
        |(a, b): &(f64, f64)| (((a - x) / width).floor() as i64, ((b - y) / width).floor() as i64);
    let bins = counted(midpoints.iter().map(bin));
    let most = bins.values().fold(1.0, |a: f64, b| a.max(*b));
    let classes = 4;
    let class = |count: f64| (((count / most) * f64::from(classes)).ceil() as i32).max(1);
    let all = (1..=classes).map(|of| {
        let inside = bins.iter().filter(|(_, count)| class(**count) == of);
        let centre = |k: i64, from: f64| (from + (k as f64 + 0.5) * width) / 1e3;
        let points = inside.map(|((a, b), _)| (centre(*a, x), centre(*b, y)));
        let upper = (most * f64::from(of) / f64::from(classes)).floor();
        series(&format!("up to {upper:.0}"), SeriesKind::Dots, points.collect())
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

/// The distance of neighbouring midpoints along a line, or a part of the line.
fn bin(along: &[f64], length: f64) -> f64 {
    let mut sorted = along.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let mut steps: Vec<f64> =
        sorted.windows(2).map(|pair| pair[1] - pair[0]).filter(|step| *step > 1e-3).collect();
    steps.sort_unstable_by(f64::total_cmp);
    let usual = steps.get(steps.len() / 2).copied().unwrap_or(1.0);
    usual.max(length / BINS as f64)
}

/// Three digits.
fn digits(value: f64) -> f64 {
    let unit = 10_f64.powf(value.abs().max(1e-9).log10().floor() - 2.0);
    let rounded = (value / unit).round() * unit;
    (rounded * 1e6).round() / 1e6
}

fn offsets<'a>(survey: &Survey) -> Box<dyn Figure + 'a> {
    let most = survey.traces.iter().map(|trace| trace.offset).fold(0.0, f64::max);
    let width = (most / BARS as f64).max(1e-3);
    let bins =
        counted(survey.traces.iter().map(|trace| ((trace.offset / width) as usize).min(BARS - 1)));
    let points = bins.into_iter().map(|(k, count)| ((k as f64 + 0.5) * width / 1e3, count));
    let bars = series("", SeriesKind::Bars(width / 1e3), points.collect());
    chart("Offsets", "Offset (km)", "Traces", vec![bars])
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
