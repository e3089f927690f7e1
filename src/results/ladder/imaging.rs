//! The imaging kernels.

use super::{Pictures, each, subtitle};
use crate::{
    ladder::{GatherTimes, ImagingTimes},
    render::{Bar, BarFigure, BarRow},
    results::numbers::digits,
};

/// Two charts per case: the kernels' rates, and their times beside the waves' (figures 4 and 5 of the report).
pub(crate) fn charts(all: &[ImagingTimes], device: &str) -> Pictures {
    let mut charts = each("ladder", all, |times| &times.case, |times| rates(times, device));
    charts.extend(each("times", all, |times| &times.case, |times| parts(times, device)));
    charts
}

fn parts(times: &ImagingTimes, device: &str) -> BarFigure {
    let bar = |seconds: f64| {
        let ms = 1e3 * seconds.max(0.0);
        Bar { value: Some(ms), text: format!("{} ms", digits(ms)) }
    };
    let waves = bar(2.0 * times.propagation_seconds);
    let row = |row: &GatherTimes| BarRow {
        label: name(row),
        bars: vec![waves.clone(), bar(row.imaging_seconds)],
        mark: None,
    };
    BarFigure {
        title: format!("{} steps, {} of them imaged", times.steps, times.imaging_steps),
        subtitle: subtitle(&times.case, device),
        axis: "Milliseconds a shot".into(),
        series: vec!["both waves".into(), format!("imaging, {} offsets", times.offsets)],
        rows: times.rows.iter().map(row).collect(),
        ..BarFigure::default()
    }
}

fn name(row: &GatherTimes) -> String {
    format!("{}, along {}", row.kernel, letter(row))
}

fn rates(times: &ImagingTimes, device: &str) -> BarFigure {
    let rows = times.rows.iter().map(|row| {
        // No bar if the cost is below the noise of the propagation.
        let value = (row.gpts.is_finite() && row.gpts > 0.0).then_some(row.gpts);
        let text = value.map_or_else(|| "-".into(), |gpts| format!("{} Gpts/s", digits(gpts)));
        BarRow { label: name(row), bars: vec![Bar { value, text }], mark: None }
    });
    BarFigure {
        title: format!("Offset gathers, {} offsets", times.offsets),
        subtitle: subtitle(&times.case, device),
        axis: "Gpts/s of imaging (log)".into(),
        log: true,
        series: vec![String::new()],
        rows: rows.collect(),
        lines: vec![(times.propagation_gpts, "propagation".into())],
        ..BarFigure::default()
    }
}

/// The axis of the offsets.
pub(crate) fn letter(row: &GatherTimes) -> char {
    if row.along == crate::grid::Axis::X { 'x' } else { 'z' }
}
