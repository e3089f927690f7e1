//! The headers of traces as a table.

use crate::{
    cli::terminal::table::{self, Column},
    results::quality::{RecordRow, Survey, Trace},
};

/// Records in the table; the first of more.
const LISTED: usize = 30;

/// The ranges of the headers, and the records.
pub(super) fn table(survey: &Survey) -> String {
    type Of = fn(&Trace) -> f64;
    let values: [(&str, Of); 9] = [
        ("source x, m", |of| of.source.x),
        ("source y, m", |of| of.source.y),
        ("source depth, m", |of| of.source.z),
        ("receiver x, m", |of| of.receiver.x),
        ("receiver y, m", |of| of.receiver.y),
        ("receiver depth, m", |of| of.receiver.z),
        ("offset, m", |of| of.offset),
        ("midpoint x, m", |of| of.midpoint().0),
        ("RMS amplitude", |of| of.rms),
    ];
    let ranges = values.map(|(name, of)| {
        let mut all: Vec<f64> = survey.traces.iter().map(of).collect();
        all.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| short(all[((all.len() - 1) as f64 * share).round() as usize]);
        [name.to_owned(), at(0.0), at(0.5), at(1.0)]
    });
    let columns: [Column<'_, [String; 4]>; 4] = [
        ("header", &|row| row[0].clone()),
        ("least", &|row| row[1].clone()),
        ("median", &|row| row[2].clone()),
        ("most", &|row| row[3].clone()),
    ];
    let ranges = table::table(ranges, 1, &columns);
    let columns: [Column<'_, &RecordRow>; 10] = [
        ("record", &|row| row.number.to_string()),
        ("traces", &|row| row.traces.to_string()),
        ("samples", &|row| row.samples.to_string()),
        ("interval, s", &|row| short(row.interval)),
        ("source x, m", &|row| short(row.source.x)),
        ("source y, m", &|row| short(row.source.y)),
        ("least offset, m", &|row| short(row.offsets.0)),
        ("most, m", &|row| short(row.offsets.1)),
        ("RMS", &|row| short(row.rms)),
        ("dead", &|row| row.dead.to_string()),
    ];
    let records = table::table(survey.records.iter().take(LISTED), 0, &columns);
    let more = match survey.records.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!("\nand {more} more records"),
    };
    let bad = survey.traces.iter().filter(|trace| !trace.finite).count();
    let dead = survey.traces.iter().filter(|trace| trace.rms == 0.0).count();
    format!(
        "{ranges}\n\n{records}{more}\n\n{} traces: {dead} of zeros, {bad} with samples that are not finite",
        survey.traces.len()
    )
}

/// A number with six digits at most.
fn short(value: f64) -> String {
    let size = value.abs();
    match size {
        0.0 => "0".into(),
        1e-3..1e9 => {
            let decimals = (5 - size.log10().floor() as i32).clamp(0, 6) as usize;
            let text = format!("{value:.decimals$}");
            match text.contains('.') {
                true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
                false => text,
            }
        }
        _ => format!("{value:.3e}"),
    }
}
