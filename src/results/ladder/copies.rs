//! Copies between host and device.

use super::{Pictures, each, subtitle};
use crate::{
    engine::gpu::bench::Copies,
    ladder::{CopyTimes, Measured},
    render::{Bar, BarFigure, BarRow},
    results::numbers::digits,
};

/// The words for a way to copy.
pub(crate) fn of_copies(copies: Copies) -> &'static str {
    match copies {
        Copies::Whole => "one whole copy",
        Copies::Columns => "a copy a column",
    }
}

/// One chart per case.
pub(crate) fn charts(copies: &[CopyTimes], device: &str) -> Pictures {
    each("ladder", copies, |copied| &copied.case, |copied| trips(copied, device))
}

fn trips(copied: &CopyTimes, device: &str) -> BarFigure {
    let row = |label: String, time: &Measured, mark| {
        let us = 1e6 * time.seconds;
        let bar = Bar { value: Some(us), text: format!("{} us", digits(us)) };
        BarRow { label, bars: vec![bar], mark }
    };
    let (mut rows, thesis) = (Vec::new(), copied.comparable());
    // Uploads and downloads are the same for every kernel.
    for trip in copied.trips.iter().filter(|trip| trip.name.starts_with('5')) {
        let (copies, index) = (of_copies(trip.copies), usize::from(trip.copies == Copies::Columns));
        let up = thesis.map(|thesis| thesis.upload_us[index]);
        let down = thesis.map(|thesis| thesis.download_us[index]);
        rows.push(row(format!("field up, {copies}"), &trip.upload, up));
        rows.push(row(format!("Laplacian down, {copies}"), &trip.download, down));
    }
    for trip in &copied.trips {
        let thesis = thesis.filter(|_| trip.name.starts_with('5')).map(|thesis| thesis.kernel_us);
        if trip.copies == Copies::Whole {
            rows.push(row(format!("{}: kernel alone", trip.name), &trip.kernel, thesis));
        }
        let copies = of_copies(trip.copies);
        rows.push(row(format!("{}: round trip, {copies}", trip.name), &trip.round_trip, None));
        if trip.copies == Copies::Columns {
            rows.push(row(format!("{}: resident wave step", trip.name), &trip.resident, None));
        }
    }
    BarFigure {
        title: "Copies between host and device".into(),
        subtitle: subtitle(&copied.case, device),
        axis: "Microseconds a step (log)".into(),
        log: true,
        series: vec![String::new()],
        rows,
        marks: thesis.map(|_| "Tesla K20m, Sadahiro (2014)".into()),
        lines: vec![(1e6 * copied.submit.seconds, "an empty submit".into())],
    }
}
