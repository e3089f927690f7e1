//! The imaging kernels, as text and as a bar chart.

use super::{
    chart::{Pictures, named, subtitle},
    table::{add, digits, of, table},
};
use huygens::{
    render::{Bar, BarFigure, BarRow, Figure},
    workflow::ladder::{GatherTimes, ImagingTimes},
};
use std::fmt::Write;

pub fn tables(all: &[ImagingTimes]) -> String {
    let mut text = String::new();
    for times in all {
        let _ = writeln!(
            text,
            "{}: {} steps, {} of them imaged, {} offsets\n\
             propagation {} ms a wave, {} Gpts/s = Nx Nz Nt / time of a wave\n\
             stream ceiling {} GB/s: three reads and a write of vec4 over arrays that no cache holds",
            times.case,
            times.steps,
            times.imaging_steps,
            times.offsets,
            digits(1e3 * times.propagation_seconds),
            digits(times.propagation_gpts),
            digits(times.ceiling_gb_per_s)
        );
        let header = [
            "kernel",
            "offsets",
            "total ms",
            "imaging ms",
            "Gpts/s",
            "counted",
            "least",
            "afforded",
            "bound",
            "x naive",
            "S1060 x naive",
        ];
        let mut rows = table(&header, 2);
        for row in &times.rows {
            let cells = vec![
                row.kernel.into(),
                format!("along {}", letter(row)),
                digits(1e3 * row.seconds),
                digits(1e3 * row.imaging_seconds),
                digits(row.gpts),
                digits(row.counted),
                digits(row.least),
                digits(row.afforded),
                format!("{:.2}", row.least / row.afforded),
                format!("{:.2}", row.against_naive),
                of(row.published.as_ref(), |times| format!("{times:.1}")),
            ];
            add(&mut rows, cells, 2);
        }
        let _ = writeln!(text, "{rows}\n");
    }
    text + NOTES
}

/// The legend of the columns.
const NOTES: &str = "\
total: both waves and the imaging; imaging: that less two waves; Gpts/s: Ni Nx Nz Nh over it, of imaging steps, nodes and offsets.
counted: accesses of memory a point, as Al Theyab and Clapp (SEP-138) count them, as if nothing were cached;
least: those that are left where caches hold both waves; afforded: those that the stream ceiling has time for; bound: least over afforded.
S1060: their Tesla S1060. Medians of 3, in turns, after a warm-up.";

pub fn charts(all: &[ImagingTimes], device: &str) -> Pictures {
    let named = |(index, times): (usize, &ImagingTimes)| {
        (named("ladder", index, &times.case), chart(times, device))
    };
    all.iter().enumerate().map(named).collect()
}

fn chart(times: &ImagingTimes, device: &str) -> Box<dyn Figure> {
    let rows = times.rows.iter().map(|row| {
        // No bar if the cost is below the noise of the propagation.
        let value = (row.gpts.is_finite() && row.gpts > 0.0).then_some(row.gpts);
        let text = of(value.as_ref(), |gpts| format!("{} Gpts/s", digits(*gpts)));
        BarRow {
            label: format!("{}, along {}", row.kernel, letter(row)),
            bars: vec![Bar { value, text }],
            mark: None,
        }
    });
    Box::new(BarFigure {
        title: format!("Offset gathers, {} offsets", times.offsets),
        subtitle: subtitle(&times.case, device),
        axis: "Gpts/s of imaging (log)".into(),
        log: true,
        series: vec![String::new()],
        rows: rows.collect(),
        marks: None,
        lines: vec![(times.propagation_gpts, "propagation".into())],
    })
}

fn letter(row: &GatherTimes) -> char {
    if row.along == huygens::grid::Axis::X { 'x' } else { 'z' }
}
