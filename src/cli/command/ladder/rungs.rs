//! The rungs of a ladder, as text.

use super::table::{fit, spread, us};
use crate::{
    cli::terminal::table::{Column, NONE, hundredths, of, table},
    engine::gpu::bench::Update,
    ladder::{Case, Clock, Ladder, Row},
    results::numbers::digits,
};
use std::fmt::Write;

pub(crate) fn tables(ladders: &[Ladder]) -> String {
    let mut text = String::new();
    for ladder in ladders {
        let _ = writeln!(text, "{}\n{}", ladder.case, bounds(ladder));
        let titles = match ladder.case.is_volume() {
            false => [
                "The Laplacian alone, as in Sadahiro (2014)",
                "A step of the wave equation, fused with the Laplacian",
            ],
            true => [
                "The Laplacian alone, as in table 1 of Micikevicius (2009)",
                "A step of the wave equation, as in table 2 of Micikevicius (2009)",
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
+-: half of what lies between the fastest and the slowest sample; the median is shown. A sample is of as many steps
as fill 10 ms, 1 to 1000; the rungs take turns, after a warm-up. GB/s: what must be moved at the least, 8 bytes a node for the
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
