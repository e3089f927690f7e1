//! The results of a ladder as text.

use crate::cli::terminal::table::{Column, NONE, add, hundredths, of, percent, table, tenths};
use comfy_table::{ColumnConstraint, Table};
use huygens::{
    engine::gpu::bench::Update,
    ladder::{Case, Clock, CopyTimes, Ladder, Measured, Point, Row, Series, SweepTimes, TripTimes},
    results::{ladder::copies::of_copies, numbers::digits},
};
use std::fmt::Write;

pub fn ladders(ladders: &[Ladder]) -> String {
    let mut text = String::new();
    for ladder in ladders {
        let _ = writeln!(text, "{}\n{}", ladder.case, bounds(ladder));
        let titles = match ladder.case.is_volume() {
            false => [
                "The Laplacian alone, as in the thesis",
                "A step of the wave equation, fused with the Laplacian",
            ],
            true => [
                "The Laplacian alone, as in the paper's table 1",
                "A step of the wave equation, as in the paper's table 2",
            ],
        };
        for (update, title) in [Update::Laplacian, Update::Wave].into_iter().zip(titles) {
            let rows: Vec<_> = ladder.rows.iter().filter(|row| row.update == update).collect();
            let _ = writeln!(text, "\n{title}\n{}", rungs(&rows, &ladder.case));
            if let Some(note) = published(&rows, &ladder.case) {
                let _ = writeln!(text, "{note}");
            }
        }
        // Without a GPU the headline has said so.
        let refused = |row: &&Row| row.refused.is_some() && ladder.floor.is_some();
        for row in ladder.rows.iter().filter(refused) {
            let why = row.refused.as_deref().unwrap_or_default();
            let _ = writeln!(text, "not run: {} {}: {why}", row.rung, row.name);
        }
        text.push('\n');
    }
    text += NOTES;
    for (volume, notes) in [(false, PLANE_NOTES), (true, VOLUME_NOTES)] {
        if ladders.iter().any(|ladder| ladder.case.is_volume() == volume) {
            text = text + "\n" + notes;
        }
    }
    text
}

/// The legend of a ladder's columns.
const NOTES: &str = "\
+-: half of what lies between the fastest and the slowest of the samples, whose median is shown; as many steps
a sample as fill 10 ms, 1 to 1000, taken in turns after a warm-up. GB/s: what must be moved at the least, 8 bytes a node for the
Laplacian and 16 for the wave equation; ceiling: its share of the stream ceiling. x before: speedup over
the rung before; x thread: over one CPU thread. Several steps a pass: Gpts/s count each step, GB/s 20 bytes a node and
pass; B/step: bytes a node and step with the halos of the tiles; afforded: bytes that the stream ceiling could move in
that time; x before: speedup over the fastest kernel of one step a pass.";

/// The legend of 2-D columns.
const PLANE_NOTES: &str = "\
K20m: Sadahiro (2014), a Tesla K20m and, for rung 1, one
thread of a Xeon E5; 310 x 775 nodes, a wing of 8.";

/// The legend of 3-D columns.
const VOLUME_NOTES: &str = "\
threads: invocations along z x x (x y), by columns an invocation, over slices that a workgroup marches through or
an invocation holds. p reads: the read redundancy, values of p that are asked of memory for a node, as if nothing were
cached (Micikevicius 2009, section 3); GB/s counts one. accesses: with what is written and, of a step, the previous p
and the model, in marches through the whole axis; flop: additions and multiplications a node. S1060: his Tesla S1060, tables 1 and 2.";

/// A note if the published figures of a 3-D ladder are not of exactly its case.
fn published(rows: &[&Row], case: &Case) -> Option<String> {
    let of = rows.iter().find_map(|row| row.published.map(|published| published.case))?;
    let same = of.size() == case.size() && of.operator.wing() == case.operator.wing();
    (case.is_volume() && !same).then(|| {
        format!("S1060: {of}, for the paper does not have {} with this order", case.size())
    })
}

fn bounds(ladder: &Ladder) -> String {
    let (Some(ceiling), Some(floor)) = (&ladder.ceiling, &ladder.floor) else {
        return "there is no GPU: the CPU's rungs alone, by the host's clock".into();
    };
    let clock = match floor.clock {
        Clock::Device => "the device's timestamps",
        Clock::Wall => "the host's clock, for the device has none",
    };
    format!(
        "stream ceiling {} GB/s: three reads and a write of vec4 over the same arrays\n\
         launch floor {} us: an all but empty dispatch a step\n\
         GPU rungs by {clock}, CPU rungs by the host's clock; medians of {}",
        digits(ceiling.gb_per_s),
        us(*floor),
        floor.samples
    )
}

fn rungs(rows: &[&Row], case: &Case) -> String {
    let volume = case.is_volume();
    let title = if volume { "S1060 Gpts/s" } else { "K20m Gpts/s" };
    let mut columns: Vec<Column<'_, &Row>> = vec![
        ("rung", &|row| format!("{}{} {}", if row.part { "   " } else { "" }, row.rung, row.name)),
        ("what changes", &|row| row.change.into()),
        ("threads", &|row| {
            let threads: Vec<_> = row.kernels.iter().map(|(_, group)| group.to_string()).collect();
            if threads.is_empty() { NONE.into() } else { threads.join(", ") }
        }),
        ("us/step", &|row| of(row.time, us)),
        ("+-", &|row| of(row.time, spread)),
        ("Gpts/s", &|row| of(row.gpts, digits)),
        ("GB/s", &|row| of(row.gb_per_s, digits)),
        ("ceiling", &|row| of(row.of_ceiling, hundredths)),
        ("p reads", &|row| of(row.redundancy, hundredths)),
        ("accesses", &|row| of(row.accesses, hundredths)),
        ("flop", &|row| of(row.flops, digits)),
        ("B/step", &|row| of(row.time, |_| digits(row.predicted))),
        ("afforded", &|row| of(row.afforded, digits)),
        ("x before", &|row| of(row.against_previous, hundredths)),
        ("x thread", &|row| of(row.against_one_thread, digits)),
        (title, &|row| of(row.published, |known| format!("{:.3}", known.gpts))),
    ];
    columns.retain(|(name, _)| volume || !["p reads", "accesses", "flop"].contains(name));
    if rows.iter().all(|row| row.published.is_none()) {
        columns.pop();
    }
    let mut table = table(rows.iter().copied(), 3, &columns);
    let note = fit(&mut table, &columns);
    format!("{table}{note}")
}

/// Columns that a narrow terminal omits, in order of removal.
const LESS: [&str; 12] = [
    "what changes",
    "threads",
    "+-",
    "x thread",
    "flop",
    "accesses",
    "p reads",
    "GB/s",
    "afforded",
    "B/step",
    "x before",
    "ceiling",
];

/// Removes columns until the table fits the terminal, and returns a note of them.
fn fit<R>(table: &mut Table, columns: &[Column<'_, R>]) -> String {
    let Some(room) = table.width() else { return String::new() };
    let widths = table.column_max_content_widths();
    let mut wide: usize = widths.iter().map(|width| usize::from(*width) + BLANKS).sum();
    let mut left_out = Vec::new();
    for name in LESS {
        let at = columns.iter().position(|column| column.0 == name);
        let Some((at, column)) = at.and_then(|at| Some((at, table.column_mut(at)?))) else {
            continue;
        };
        if wide <= usize::from(room) {
            break;
        }
        column.set_constraint(ColumnConstraint::Hidden);
        wide -= usize::from(widths[at]) + BLANKS;
        left_out.push(name);
    }
    match left_out.as_slice() {
        [] => String::new(),
        names => {
            format!("\nwithout room in {room} columns: {}; ladder.json has them", names.join(", "))
        }
    }
}

/// Spaces between adjacent cells.
const BLANKS: usize = 3;

pub fn sweeps(sweeps: &[SweepTimes]) -> String {
    let mut text = String::new();
    for swept in sweeps {
        for chart in &swept.charts {
            let _ = writeln!(text, "{}: {}, us a step", swept.case, chart.title);
            let gpts = |time: Measured| digits(1e-9 * swept.case.nodes() / time.seconds);
            let columns: [Column<'_, (&Series, &Point)>; 6] = [
                ("kernel", &|(series, _)| series.name.clone()),
                ("threads", &|(_, point)| point.workgroup.to_string()),
                ("us/step", &|(_, point)| of(point.time, us)),
                ("+-", &|(_, point)| of(point.time, spread)),
                ("Gpts/s", &|(_, point)| of(point.time, gpts)),
                ("K20m us", &|(_, point)| of(point.thesis_us, tenths)),
            ];
            let count = if swept.case.is_volume() { 5 } else { 6 };
            let table = table(chart.points(), 2, &columns[..count]);
            let _ = writeln!(text, "{table}");
            for (series, point) in chart.points() {
                if let Some(why) = &point.refused {
                    let _ =
                        writeln!(text, "not taken: {}, {}: {why}", series.name, point.workgroup);
                }
            }
            text.push('\n');
        }
    }
    let own = match sweeps.first().is_some_and(|swept| swept.case.is_volume()) {
        true => {
            "threads: invocations along z x x, by columns an invocation, over slices that a workgroup marches through or an invocation holds."
        }
        false => {
            "K20m: Sadahiro (2014), figures 13, 18 and 19 as far as the text gives them: a Tesla K20m, 310 x 775 nodes, a wing of 8."
        }
    };
    text + own
}

pub fn copies(copies: &[CopyTimes]) -> String {
    let mut text = String::new();
    for copied in copies {
        let _ = writeln!(
            text,
            "{}: the field to the device and the Laplacian back, at every step",
            copied.case
        );
        let columns: [Column<'_, &TripTimes>; 9] = [
            ("kernel", &|trip| trip.name.into()),
            ("copies", &|trip| of_copies(trip.copies).into()),
            ("upload", &|trip| us(trip.upload)),
            ("kernel", &|trip| us(trip.kernel)),
            ("download", &|trip| us(trip.download)),
            ("round trip", &|trip| us(trip.round_trip)),
            ("outside kernel", &|trip| percent(trip.share_outside, 0)),
            ("resident", &|trip| us(trip.resident)),
            ("residency buys", &|trip| format!("{:.1} x", trip.gain)),
        ];
        let mut table = table(&copied.trips, 2, &columns);
        let thesis = &copied.thesis;
        for (index, copies) in ["1-D memcpy", "2-D memcpy"].into_iter().enumerate() {
            // Fractions and predictions refer to the final version, which pads.
            let padded = |text: String| if index == 1 { text } else { NONE.into() };
            let cells = [
                "5 two passes, K20m".into(),
                copies.into(),
                tenths(thesis.upload_us[index]),
                tenths(thesis.kernel_us),
                tenths(thesis.download_us[index]),
                NONE.into(),
                padded(percent(thesis.share_of_transfers, 0)),
                NONE.into(),
                padded(format!("hoped: {:.0} x", thesis.hoped_for)),
            ];
            add(&mut table, cells, 2);
        }
        let _ = writeln!(
            text,
            "{table}\nmicroseconds a step; an empty submit and the wait for it take {} us of each part",
            us(copied.submit)
        );
        if let Some(trip) = copied.trips.first() {
            let share = |part: Measured| percent(part.seconds / trip.round_trip.seconds, 0);
            let rate =
                |part: Measured, bytes| digits(1e-9 * bytes * copied.case.nodes() / part.seconds);
            let _ = writeln!(
                text,
                "{}, {}: up {} of the round trip, {} GB/s; kernel {}, {} GB/s; down {}, {} GB/s",
                trip.name,
                of_copies(trip.copies),
                share(trip.upload),
                rate(trip.upload, 4.0),
                share(trip.kernel),
                rate(trip.kernel, 8.0),
                share(trip.download),
                rate(trip.download, 4.0),
            );
        }
    }
    text + "GB/s: 4 bytes a node up and down, 8 in the kernel.\n\
            The field is as in the thesis on the host, which makes the time step; its arithmetic there is not counted.\n\
            Kernels by the device's clock where it has one, the rest by the wall. Resident: a step of the wave equation."
}

pub fn us(time: Measured) -> String {
    digits(1e6 * time.seconds)
}

fn spread(time: Measured) -> String {
    digits(0.5e6 * (time.slowest - time.fastest))
}

pub fn ms(time: Measured) -> String {
    digits(1e3 * time.seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_terminal_has_fewer_columns_and_no_broken_words() {
        let row = ["2 global memory", "a GPU instead of a CPU", "32x4x4", "748", "9.68", "179"];
        let columns: [Column<'_, [&str; 6]>; 6] = [
            ("rung", &|row| row[0].into()),
            ("what changes", &|row| row[1].into()),
            ("threads", &|row| row[2].into()),
            ("us/step", &|row| row[3].into()),
            ("+-", &|row| row[4].into()),
            ("Gpts/s", &|row| row[5].into()),
        ];
        let narrow = |room| {
            let mut table = table([row], 3, &columns);
            table.set_width(room);
            let note = fit(&mut table, &columns);
            (table.to_string(), note)
        };
        let (whole, note) = narrow(90);
        assert!(whole.contains("a GPU instead of a CPU") && note.is_empty(), "{whole}{note}");
        let (few, note) = narrow(48);
        assert!(few.lines().all(|line| line.chars().count() <= 48), "{few}");
        assert_eq!(few.lines().count(), 5, "no cell is wrapped: {few}");
        assert!(few.contains("2 global memory") && few.contains("9.68"), "{few}");
        assert!(!few.contains("what changes") && !few.contains("32x4x4"), "{few}");
        assert_eq!(
            note,
            "\nwithout room in 48 columns: what changes, threads; ladder.json has them"
        );
    }
}
