//! The cost of snapshots.

use super::{Pictures, each, subtitle};
use crate::{
    ladder::{SnapshotRow, SnapshotTimes},
    render::{Across, Curve, CurveFigure, Line},
};

/// One chart per case.
pub(crate) fn charts(all: &[SnapshotTimes], device: &str) -> Pictures {
    each("ladder", all, |times| &times.case, |times| chart(times, device))
}

fn chart(times: &SnapshotTimes, device: &str) -> CurveFigure {
    let curve = |name: &str, line, seconds: fn(&SnapshotRow) -> Option<f64>| {
        let point = |row: &SnapshotRow| Some((row.every as f64, seconds(row)?));
        let points: Vec<_> = times.rows.iter().filter_map(point).collect();
        (!points.is_empty()).then(|| Curve { name: name.into(), points, line })
    };
    let curves = [
        curve("steps wait for the copy", Line::Solid, |row| Some(row.in_turn)),
        curve("beside the steps", Line::Solid, |row| row.beside),
        curve("and copied by the host", Line::Dashed, |row| row.copied),
    ];
    CurveFigure {
        title: "Snapshots that leave the device".into(),
        subtitle: subtitle(&times.case, device),
        across: "Steps from one snapshot to the next".into(),
        up: "Seconds of 1,000 steps (log)".into(),
        ticks: Across::Log2,
        log: true,
        curves: curves.into_iter().flatten().collect(),
        lines: vec![(times.seconds, "without snapshots".into())],
    }
}
