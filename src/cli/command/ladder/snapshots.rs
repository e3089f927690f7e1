//! The cost of snapshots, as text and as curves.

use super::chart::{Pictures, each, subtitle};
use crate::cli::terminal::table::{Column, digits, of, table};
use huygens::{
    render::{Across, Curve, CurveFigure, Line},
    workflow::ladder::{SNAPSHOT_STEPS, SnapshotRow, SnapshotTimes},
};
use std::fmt::Write;

pub fn tables(all: &[SnapshotTimes]) -> String {
    let mut text = String::new();
    for times in all {
        let _ = writeln!(
            text,
            "{}: {SNAPSHOT_STEPS} steps take {} s; a snapshot is {} MB",
            times.case,
            digits(times.seconds),
            digits(1e-6 * times.bytes as f64)
        );
        let snapshots = |row: &SnapshotRow| SNAPSHOT_STEPS / row.every;
        let slower = |seconds: f64| format!("{:.1} %", 100.0 * (seconds / times.seconds - 1.0));
        let rate = |row: &SnapshotRow, seconds| {
            digits(1e-9 * (snapshots(row) as u64 * times.bytes) as f64 / seconds)
        };
        let columns: [Column<'_, &SnapshotRow>; 8] = [
            ("every", &|row| row.every.to_string()),
            ("snapshots", &|row| snapshots(row).to_string()),
            ("in turn s", &|row| digits(row.in_turn)),
            ("slower", &|row| slower(row.in_turn)),
            ("beside s", &|row| of(row.beside, digits)),
            ("slower", &|row| of(row.beside, slower)),
            ("GB/s", &|row| of(row.beside, |seconds| rate(row, seconds))),
            ("copied s", &|row| of(row.copied, digits)),
        ];
        let rows = table(&times.rows, 0, &columns);
        let _ = writeln!(text, "{rows}\n");
    }
    text + NOTES
}

/// The legend of the columns.
const NOTES: &str = "\
every: steps from one snapshot to the next; times of 1,000 steps by the wall, medians of 3, after a warm-up.
in turn: steps wait until a snapshot is in the host's memory; beside: they go on; GB/s: what then leaves the device, on average;
copied: the host copies each snapshot once more, as who keeps it does. Dashes: the device has no queue that copies while another steps.";

pub fn charts(all: &[SnapshotTimes], device: &str) -> Pictures {
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
