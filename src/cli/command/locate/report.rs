//! The located sources, as tables.

use comfy_table::{CellAlignment, Table, presets::NOTHING};
use huygens::{grid::Position, results::locate::Report, workflow::locate::Ellipse};

/// The report as tables.
pub fn text(report: &Report<'_>, volume: bool) -> String {
    let place = |at: &Position| {
        let y = if volume { format!(", y {:.1}", at.y) } else { String::new() };
        format!("x {:.1}{y}, z {:.1}", at.x, at.z)
    };
    let size = |Ellipse { half, .. }: &Ellipse| {
        let y = if volume { format!(", y {:.0}", half.y) } else { String::new() };
        format!("+- x {:.0}{y}, z {:.0}", half.x, half.z)
    };
    let over = |over: Option<f64>| over.map_or_else(|| "-".into(), |over| format!("{over:.1}"));
    let mut text = String::new();
    if !report.tried.is_empty() {
        let head =
            ["model", "strength", "explains", "kurtosis", "peak / rms", "source at, m", "at, s"];
        let mut table = table(&head);
        for (index, tried) in report.tried.iter().enumerate() {
            let best = match (report.best == Some(index), tried.is_a_peak()) {
                (true, _) => " <- best",
                (_, true) if tried.is_as_good() => " <- as good",
                (_, true) => "",
                (_, false) => " (at the receivers)",
            };
            let map = tried.found.map(|found| (found.at, found.time));
            let source = tried.fit.map(|fit| (fit.at, fit.time)).or(map);
            let (at, time) = source
                .map_or_else(Default::default, |(at, time)| (place(&at), format!("{time:.3}")));
            table.add_row([
                format!("{}{best}", tried.model),
                tried.strength.map_or_else(|| "-".into(), |of| format!("{of:.3}")),
                tried.fit.map_or_else(|| "-".into(), |fit| percent(fit.explained)),
                format!("{:.1}", tried.sharpness.kurtosis),
                format!("{:.1}", tried.sharpness.over_rms),
                at,
                time,
            ]);
        }
        text += &format!("{table}\n\n");
    }
    let mut table =
        table(&["source", "at, m", "focus, m", "at, s", "peak / median", "peak / next"]);
    for (number, found) in (1..).zip(&report.found) {
        table.add_row([
            number.to_string(),
            place(&found.at),
            size(&found.extent),
            format!("{:.3}", found.time),
            over(found.over_background),
            over(found.over_next),
        ]);
    }
    let rate = report.recorded_per_second;
    text += &format!(
        "{table}\n{rate:.1} s of the recording ran back in each second, through {}",
        report.model
    );
    text
}

fn percent(part: f64) -> String {
    format!("{:.2} %", 100.0 * part)
}

fn table(head: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(NOTHING).set_header(head.iter().copied());
    table.column_iter_mut().skip(1).for_each(|c| c.set_cell_alignment(CellAlignment::Right));
    table
}
