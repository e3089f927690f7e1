//! The rows of a ladder.

use super::{Case, Kernels, Measured, Published, Rung, s1060};
use crate::engine::gpu::bench::{Update, Workgroup};
use serde::Serialize;

/// A row of a finished ladder.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Row {
    /// Number of the rung.
    pub rung: usize,
    /// Its description.
    pub name: &'static str,
    /// Difference from the rung before.
    pub change: &'static str,
    /// Use of the Laplacian.
    pub update: Update,
    /// A part of a rung, timed apart.
    pub part: bool,
    /// With run-time checks.
    pub(crate) checked: bool,
    /// Kernels and their workgroups; empty for an engine.
    pub kernels: Vec<(&'static str, Workgroup)>,
    /// Time of a step; `None` if it was not run.
    pub time: Option<Measured>,
    /// Reason it was not run.
    pub refused: Option<String>,
    /// Steps per pass over the grid.
    pub(crate) steps: usize,
    /// Least bytes to move per node and step.
    pub(crate) bytes: f64,
    /// `bytes` with the halos of overlapping tiles, as if each were fetched, for several steps per
    /// pass; else `bytes`.
    pub predicted: f64,
    /// Bytes per node and step that the stream ceiling can move in the time.
    pub afforded: Option<f64>,
    /// 10^9 nodes/s, each counted once per step.
    pub gpts: Option<f64>,
    /// 10^9 bytes/s, by the least bytes to move: `bytes` per node.
    pub gb_per_s: Option<f64>,
    /// `gb_per_s` over that of the stream ceiling.
    pub of_ceiling: Option<f64>,
    /// Values that its kernels request from memory per node, as if nothing were cached; `None` in
    /// 2-D and for an engine.
    pub redundancy: Option<f64>,
    /// Values read and written per node by the same count, with marches through the whole axis.
    pub accesses: Option<f64>,
    /// Additions and multiplications per node, by the loops of the paper's kernel; of a volume.
    pub flops: Option<f64>,
    /// Speed-up over the rung before; with checks over the rung without; with several steps per
    /// pass over the fastest kernel of one; `None` for a part of a rung.
    pub against_previous: Option<f64>,
    /// Speed-up over one thread of the CPU.
    pub against_one_thread: Option<f64>,
    /// Published figure.
    pub published: Option<Published>,
}

/// A finished ladder of one case.
#[derive(Clone, Debug, Serialize)]
pub struct Ladder {
    /// Grid and operator.
    pub case: Case,
    /// Three reads and a write of vec4 over the same arrays; `None` without a GPU.
    pub ceiling: Option<Ceiling>,
    /// A nearly empty dispatch per step; `None` without a GPU.
    pub floor: Option<Measured>,
    /// Rows of both updates.
    pub rows: Vec<Row>,
}

/// The stream ceiling.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Ceiling {
    /// Time of a pass over the arrays.
    pub(crate) time: Measured,
    /// 10^9 bytes/s.
    pub gb_per_s: f64,
}

impl Row {
    /// A row without a measurement.
    pub fn new(rung: &Rung, update: Update, case: &Case) -> Self {
        let bytes = rung.bytes.unwrap_or(update.bytes(rung.steps()));
        Row {
            rung: rung.number,
            name: rung.name,
            change: rung.change,
            update,
            part: rung.part,
            checked: rung.checked,
            steps: rung.steps(),
            bytes,
            predicted: bytes,
            published: rung.published(update, case),
            ..Row::default()
        }
    }

    /// Adds what follows from the kernels of the rung and the wing of the operator.
    pub(crate) fn describe(&mut self, kernels: &Kernels, wing: usize, update: Update) {
        let named = kernels.iter().map(|(kernel, workgroup)| (kernel.name, *workgroup));
        self.kernels = named.collect();
        self.redundancy = Rung::redundancy(kernels, 2 * wing);
        self.accesses = Rung::accesses(kernels, 2 * wing, update);
        self.flops = self.accesses.map(|_| s1060::flops(update, 2 * wing));
        self.predicted = Rung::traffic(kernels, wing).unwrap_or(self.bytes);
    }
}

/// Fills in the fields that follow from the times.
pub(super) fn compare(rows: &mut [Row], nodes: f64, ceiling: Option<&Ceiling>) {
    let unchecked: Vec<_> = rows
        .iter()
        .filter(|row| !row.part)
        .map(|row| (row.update, row.rung, row.time.map(|time| time.seconds)))
        .collect();
    let of_one: Vec<_> = rows
        .iter()
        .filter(|row| !row.part && row.steps == 1 && !row.kernels.is_empty())
        .filter_map(|row| Some((row.update, row.time?.seconds)))
        .collect();
    // Of the current update: one thread, and the last whole rung.
    let mut seen: Option<(Update, Option<f64>, Option<f64>)> = None;
    for row in rows {
        let (_, one_thread, previous) = match &mut seen {
            Some(seen) if seen.0 == row.update => seen,
            seen => seen.insert((row.update, None, None)),
        };
        let Some(time) = row.time else { continue };
        let gb_per_s = 1e-9 * row.bytes * nodes / time.seconds;
        row.gpts = Some(1e-9 * nodes / time.seconds);
        row.gb_per_s = Some(gb_per_s);
        row.afforded = ceiling.map(|ceiling| 1e9 * ceiling.gb_per_s * time.seconds / nodes);
        row.of_ceiling = ceiling.map(|ceiling| gb_per_s / ceiling.gb_per_s);
        let same = |(update, rung, _): &&(_, _, _)| (*update, *rung) == (row.update, row.rung);
        let fastest_of_one = || {
            let seconds = of_one.iter().filter(|(update, _)| *update == row.update);
            seconds.map(|(_, seconds)| *seconds).min_by(f64::total_cmp)
        };
        let comparable = match (row.checked, row.part) {
            (true, _) => unchecked.iter().find(same).and_then(|same| same.2),
            // A part of a rung is no rung.
            (false, true) => None,
            (false, false) if row.steps > 1 => fastest_of_one(),
            (false, false) => *previous,
        };
        row.against_previous = comparable.map(|previous| previous / time.seconds);
        row.against_one_thread = one_thread.map(|one_thread| one_thread / time.seconds);
        if one_thread.is_none() && row.rung == 1 {
            *one_thread = Some(time.seconds);
        }
        if !row.part {
            *previous = Some(time.seconds);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Clock, THESIS, rungs::PLANE_RUNGS, timing::SAMPLES},
        *,
    };

    #[test]
    fn rows_are_compared_within_their_update_and_parts_with_nothing() {
        let time = |seconds| Measured {
            seconds,
            fastest: seconds,
            slowest: seconds,
            wall: seconds,
            samples: SAMPLES,
            steps: 1,
            clock: Clock::Device,
        };
        let mut rows: Vec<Row> = [Update::Laplacian, Update::Wave]
            .into_iter()
            .flat_map(|update| {
                let rungs = PLANE_RUNGS.iter().filter(move |rung| rung.has(update));
                rungs.map(move |rung| (rung, update))
            })
            .enumerate()
            .map(|(k, (rung, update))| Row {
                time: Some(time(1.0 / (k + 1) as f64)),
                ..Row::new(rung, update, &THESIS)
            })
            .collect();
        let ceiling = Ceiling { time: time(1.0), gb_per_s: 100.0 };
        compare(&mut rows, 1e9, Some(&ceiling));
        let find = |name: &str, update| {
            let row = rows.iter().find(|row| row.name == name && row.update == update);
            row.expect("a row")
        };
        // The Laplacian: one thread, 2, 3, 4, 5 and its two parts, 6 take 1, 1/2, ... 1/8 s.
        let minor = find("minor axis alone", Update::Laplacian);
        assert_eq!((minor.against_previous, minor.gpts), (None, Some(7.0)));
        // 12 bytes per node, 7 times 10^9 nodes/s.
        assert!((minor.of_ceiling.expect("a share") - 0.84).abs() < 1e-12);
        let six = find("workgroup memory, one pass", Update::Laplacian);
        assert!((six.against_previous.expect("a rung before") - 8.0 / 5.0).abs() < 1e-12);
        assert!((six.against_one_thread.expect("a thread") - 8.0).abs() < 1e-12);
        // With checks: relative to the rung without, the row before.
        let checked = find("the same, checked", Update::Laplacian);
        assert!((checked.against_previous.expect("the same rung") - 10.0 / 9.0).abs() < 1e-12);
        let first = find("CPU, one thread", Update::Wave);
        assert_eq!((first.against_previous, first.against_one_thread), (None, None));
        // A wave moves 16 bytes per node.
        assert!(
            (first.gb_per_s.expect("a rate") / first.gpts.expect("a rate") - 16.0).abs() < 1e-9
        );
    }
}
