//! What a ladder has to say, line by line.

use super::{Case, Measured, Published, Rung};
use crate::engine::gpu::bench::{Update, Workgroup};
use serde::Serialize;

/// A line of a finished ladder.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Row {
    /// Number of the rung.
    pub rung: usize,
    /// What it is.
    pub name: &'static str,
    /// What differs from the rung before.
    pub change: &'static str,
    /// What becomes of the Laplacian.
    pub update: Update,
    /// A part of a rung, timed apart.
    pub part: bool,
    /// With run-time checks.
    pub checked: bool,
    /// Kernels and their workgroups; empty for an engine.
    pub kernels: Vec<(&'static str, Workgroup)>,
    /// What a step takes; `None` where it was not run.
    pub time: Option<Measured>,
    /// Why it was not run.
    pub refused: Option<String>,
    /// Steps a pass over the grid.
    pub steps: usize,
    /// What must be moved for a node and step at the least.
    pub bytes: f64,
    /// The same with the halos of tiles that overlap, as if each were fetched: with several steps a pass, else `bytes`.
    pub predicted: f64,
    /// Bytes a node and step that the stream ceiling has time for.
    pub afforded: Option<f64>,
    /// 10^9 nodes a second, each counted as often as it is stepped.
    pub gpts: Option<f64>,
    /// 10^9 bytes a second, counting what must be moved at the least: `bytes` a node.
    pub gb_per_s: Option<f64>,
    /// `gb_per_s` over that of the stream ceiling.
    pub of_ceiling: Option<f64>,
    /// Values that its kernels ask memory for a node, as if nothing were cached; `None` in 2-D and for an
    /// engine.
    pub redundancy: Option<f64>,
    /// Times as fast as the rung before; with checks as the rung without; with several steps a pass as the fastest kernel
    /// of one; `None` for a part of a rung.
    pub against_previous: Option<f64>,
    /// Times as fast as one thread of the CPU.
    pub against_one_thread: Option<f64>,
    /// What was published of it.
    pub published: Option<Published>,
}

/// A finished ladder of one case.
#[derive(Clone, Debug, Serialize)]
pub struct Ladder {
    /// Grid and operator.
    pub case: Case,
    /// Three reads and a write of vec4 over the same arrays; `None` without a GPU.
    pub ceiling: Option<Ceiling>,
    /// An all but empty dispatch a step; `None` without a GPU.
    pub floor: Option<Measured>,
    /// Lines of both updates.
    pub rows: Vec<Row>,
}

/// The stream ceiling.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Ceiling {
    /// What a pass over the arrays takes.
    pub time: Measured,
    /// 10^9 bytes a second.
    pub gb_per_s: f64,
}

impl Row {
    /// A line that nothing was measured for yet.
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
}

/// Fills in what follows from the times.
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
    // Of the update at hand: one thread, and the last whole rung.
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
        super::{Clock, PLANE_RUNGS, SAMPLES, THESIS},
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
        // 12 bytes a node, 7 times 10^9 nodes a second.
        assert!((minor.of_ceiling.expect("a share") - 0.84).abs() < 1e-12);
        let six = find("workgroup memory, one pass", Update::Laplacian);
        assert!((six.against_previous.expect("a rung before") - 8.0 / 5.0).abs() < 1e-12);
        assert!((six.against_one_thread.expect("a thread") - 8.0).abs() < 1e-12);
        // With checks: beside the rung without, which is the line before.
        let checked = find("the same, checked", Update::Laplacian);
        assert!((checked.against_previous.expect("the same rung") - 10.0 / 9.0).abs() < 1e-12);
        let first = find("CPU, one thread", Update::Wave);
        assert_eq!((first.against_previous, first.against_one_thread), (None, None));
        // A wave moves 16 bytes a node.
        assert!(
            (first.gb_per_s.expect("a rate") / first.gpts.expect("a rate") - 16.0).abs() < 1e-9
        );
    }
}
