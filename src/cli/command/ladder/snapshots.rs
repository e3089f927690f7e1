//! The cost of snapshots, as text.

use crate::{
    cli::terminal::table::{Column, of, table},
    ladder::{SNAPSHOT_STEPS, SnapshotRow, SnapshotTimes},
    results::numbers::digits,
};
use std::fmt::Write;

pub(crate) fn tables(all: &[SnapshotTimes]) -> String {
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
