//! The imaging kernels.

use super::{Pictures, each, subtitle};
use crate::{
    ladder::{GatherTimes, ImagingTimes},
    render::{Bar, BarFigure, BarRow},
    results::numbers::digits,
};

/// One chart per case.
pub(crate) fn charts(all: &[ImagingTimes], device: &str) -> Pictures {
    each("ladder", all, |times| &times.case, |times| chart(times, device))
}

fn chart(times: &ImagingTimes, device: &str) -> BarFigure {
    let rows = times.rows.iter().map(|row| {
        // No bar if the cost is below the noise of the propagation.
        let value = (row.gpts.is_finite() && row.gpts > 0.0).then_some(row.gpts);
        let text = value.map_or_else(|| "-".into(), |gpts| format!("{} Gpts/s", digits(gpts)));
        BarRow {
            label: format!("{}, along {}", row.kernel, letter(row)),
            bars: vec![Bar { value, text }],
            mark: None,
        }
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
