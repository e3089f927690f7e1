//! One volume over several devices.

use super::{Pictures, named, subtitle};
use crate::{
    engine::Description,
    ladder::{DevicesRow, DevicesTimes},
    render::{Across, Bar, BarFigure, BarRow, Curve, CurveFigure, Figure, Line},
    results::numbers::digits,
};

/// Devices by name and count: "4 x NVIDIA H200".
fn names(devices: &[Description]) -> String {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for Description { device, .. } in devices {
        match kinds.iter_mut().find(|(name, _)| name == device) {
            Some((_, count)) => *count += 1,
            None => kinds.push((device, 1)),
        }
    }
    let each = kinds.iter().map(|(name, count)| format!("{count} x {name}"));
    each.collect::<Vec<_>>().join(" + ")
}

/// Seconds per step, from the seconds of all samples.
pub(crate) fn a_step(row: &DevicesRow, seconds: f64) -> f64 {
    let steps = row.time.map_or(1, |time| time.samples * time.steps);
    seconds / steps as f64
}

/// The speedup of each case and, of the most devices, where a step went.
pub(crate) fn charts(all: &[DevicesTimes]) -> Pictures {
    let mut pictures: Pictures = Vec::new();
    for (index, times) in all.iter().enumerate().filter(|(_, times)| times.devices.len() > 1) {
        pictures.push((named("devices", index, &times.case), Box::new(scaling(times))));
        if let Some(row) = times.kept.iter().rev().find(|row| !row.shares.is_empty()) {
            let figure: Box<dyn Figure> = Box::new(spent(times, row));
            pictures.push((named("shares", index, &times.case), figure));
        }
    }
    pictures
}

/// Speedup over the number of devices.
fn scaling(times: &DevicesTimes) -> CurveFigure {
    let curve = |name: String, line, points: Vec<(f64, f64)>| Curve { name, points, line };
    let of = |rows: &mut dyn Iterator<Item = &DevicesRow>| -> Vec<_> {
        rows.filter_map(|row| Some((row.devices as f64, row.times?))).collect()
    };
    let paper = times.kept.iter().filter_map(|row| Some((row.devices, row.published?)));
    let paper: Vec<_> = paper.map(|(devices, paper)| (devices as f64, paper.times)).collect();
    let linear = times.kept.iter().map(|row| (row.devices as f64, row.devices as f64)).collect();
    let first = times.kept.iter().take(usize::from(!times.grown.is_empty()));
    let grown = of(&mut first.chain(&times.grown));
    let mut curves = vec![
        curve("the volume kept".into(), Line::Solid, of(&mut times.kept.iter())),
        curve("grown with the devices".into(), Line::Solid, grown),
        curve("linear".into(), Line::Dashed, linear),
        curve("Tesla S1070, Micikevicius (2009), kept".into(), Line::Dashed, paper),
    ];
    curves.retain(|curve| !curve.points.is_empty());
    CurveFigure {
        title: "One volume over several devices".into(),
        subtitle: subtitle(&times.case, &names(&times.devices)),
        across: "Devices".into(),
        up: "Times as fast as one device (log)".into(),
        ticks: Across::Log2,
        log: true,
        curves,
        ..CurveFigure::default()
    }
}

/// Time per step of each part in a row's shares.
fn spent(times: &DevicesTimes, row: &DevicesRow) -> BarFigure {
    let bar = |seconds: f64| {
        let ms = 1e3 * a_step(row, seconds.max(0.0));
        Bar { value: Some(ms), text: digits(ms) }
    };
    // As many rows as a bar chart holds.
    let rows = (1..).zip(&row.shares).take(60).map(|(number, share)| BarRow {
        label: format!("device {number}, {} planes", share.pieces),
        bars: [share.computing, share.waiting, share.idle].map(bar).into(),
        mark: None,
    });
    BarFigure {
        title: format!("A step of each share, {} devices", row.devices),
        subtitle: subtitle(&row.case, &names(&times.devices)),
        axis: "Milliseconds a step".into(),
        series: vec!["computing".into(), "waiting for neighbours".into(), "idle".into()],
        rows: rows.collect(),
        lines: row.time.map(|time| (1e3 * time.seconds, "a step".into())).into_iter().collect(),
        ..BarFigure::default()
    }
}
