//! Kernels with other workgroups, as text.

use super::table::{spread, us};
use crate::{
    cli::terminal::table::{Column, of, table, tenths},
    ladder::{Measured, Point, Series, SweepTimes},
    results::numbers::digits,
};
use std::fmt::Write;

pub(crate) fn tables(sweeps: &[SweepTimes]) -> String {
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
