//! One volume over several devices, as text and as charts.

use super::{
    Arguments, Kind, What,
    chart::{Pictures, named, subtitle},
    table::ms,
};
use crate::cli::terminal::{
    failure::Failure,
    table::{Column, digits, hundredths, of, table},
};
use huygens::{
    engine::{
        Description, Engine, ShareTimings,
        gpu::{Gpu, ModelStorage},
    },
    render::{Across, Bar, BarFigure, BarRow, Curve, CurveFigure, Figure, Line},
    workflow::ladder::{DevicesRow, DevicesTimes, NeighboursRow},
};
use std::{fmt::Write, sync::Arc};

/// Opens the devices of a sweep over devices; none for any other.
pub fn open(arguments: &Arguments) -> Result<Vec<Arc<dyn Engine>>, Failure> {
    let (kind, devices) = (arguments.kind, &arguments.device);
    match (arguments.sweep, kind) {
        (Some(What::Devices), Kind::Volume) => {}
        (Some(What::Devices), _) => {
            return Err(Failure::input(("--sweep devices belongs to `ladder 3d`", "leave it out")));
        }
        _ if devices.are_listed() => {
            return Err(Failure::input((
                "--devices belongs to `ladder 3d --sweep devices`",
                "choose one with --backend or --adapter",
            )));
        }
        _ => return Ok(Vec::new()),
    }
    if !devices.are_listed() {
        return Err(Failure::input((
            "--sweep devices adds one device after another",
            "give --devices all, or a list such as 0,1 or cpu,cpu",
        )));
    }
    Ok(devices.open(ModelStorage::F32)?.into_iter().map(Arc::from).collect())
}

/// One of several devices, if all are GPUs.
pub fn one_of_gpus(engines: &[Arc<dyn Engine>]) -> Option<&Gpu> {
    let all = engines.iter().all(|engine| Gpu::of(engine.as_ref()).is_some_and(Gpu::is_hardware));
    Gpu::of(engines.first().filter(|_| all)?.as_ref())
}

/// Devices by name and count: "4 x NVIDIA H200".
pub fn names(devices: &[Description]) -> String {
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

pub fn tables(all: &[DevicesTimes]) -> String {
    let mut text = String::new();
    for times in all {
        for (number, Description { device, driver, kernel, .. }) in (1..).zip(&times.devices) {
            let parts = [device, driver, kernel].map(String::as_str);
            let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            let _ = writeln!(text, "device {number}: {}", parts.join(", "));
        }
        let _ = writeln!(text, "\n{}, its neighbours\n{}", times.case, neighbours(times));
        if times.devices.len() == 1 {
            continue;
        }
        let _ = writeln!(text, "\n{}, kept\n{}", times.case, speeds(&times.kept, true));
        let paper = times.kept.iter().find_map(|row| row.published);
        if let Some(paper) = paper.filter(|paper| paper.case != times.case) {
            let _ = writeln!(text, "S1070: {}, for the paper does not have ours", paper.case);
        }
        let _ = writeln!(text, "\nGrown with the devices along y\n{}", speeds(&times.grown, false));
        let _ = writeln!(text, "\nA step of each share\n{}", shares(times));
        for row in times.kept.iter().chain(&times.grown) {
            if let Some(why) = &row.refused {
                let _ = writeln!(text, "not run: {} over {}: {why}", row.case.size(), row.devices);
            }
        }
        text.push('\n');
    }
    let several = all.iter().any(|times| times.devices.len() > 1);
    text + OF_NEIGHBOURS + if several { OF_DEVICES } else { "" }
}

fn speeds(rows: &[DevicesRow], with_paper: bool) -> String {
    let columns: [Column<'_, &DevicesRow>; 8] = [
        ("devices", &|row| row.devices.to_string()),
        ("nodes", &|row| row.case.size()),
        ("ms a step", &|row| of(row.time, ms)),
        ("Mpoints/s", &|row| of(row.mpoints, digits)),
        ("times one", &|row| of(row.times, hundredths)),
        ("efficiency", &|row| of(row.efficiency, hundredths)),
        ("S1070 Mpoints/s", &|row| of(row.published, |paper| format!("{:.0}", paper.mpoints))),
        ("S1070 times one", &|row| of(row.published, |paper| hundredths(paper.times))),
    ];
    table(rows, 0, &columns[..if with_paper { 8 } else { 6 }]).to_string()
}

fn neighbours(times: &DevicesTimes) -> String {
    let columns: [Column<'_, (&NeighboursRow, &str)>; 6] = [
        ("neighbours", &|(row, _)| row.neighbours.to_string()),
        ("ms a step", &|(row, _)| ms(row.time)),
        ("Mpoints/s", &|(row, _)| digits(row.mpoints)),
        ("of none", &|(row, _)| format!("{:.3}", row.part)),
        ("devices", &|(_, devices)| (*devices).into()),
        ("halos", &|(row, _)| row.halos.into()),
    ];
    table(times.neighbours.iter().zip(["1", "2", "3 or more"]), 0, &columns).to_string()
}

fn shares(times: &DevicesTimes) -> String {
    let rows = times.kept.iter().chain(&times.grown);
    let shares = rows.flat_map(|row| (1..).zip(&row.shares).map(move |(n, share)| (row, n, share)));
    let ms = |row, seconds| digits(1e3 * a_step(row, seconds));
    let columns: [Column<'_, (&DevicesRow, usize, &ShareTimings)>; 8] = [
        ("nodes", &|(row, ..)| row.case.size()),
        ("devices", &|(row, ..)| row.devices.to_string()),
        ("device", &|(_, number, _)| number.to_string()),
        ("planes", &|(.., share)| share.pieces.to_string()),
        ("computing ms", &|(row, _, share)| ms(row, share.computing)),
        ("waiting ms", &|(row, _, share)| ms(row, share.waiting)),
        ("idle ms", &|(row, _, share)| ms(row, share.idle)),
        ("halos", &|(.., share)| share.halos.into()),
    ];
    table(shares, 0, &columns).to_string()
}

/// Seconds per step, from the seconds of all samples.
fn a_step(row: &DevicesRow, seconds: f64) -> f64 {
    let steps = row.time.map_or(1, |time| time.samples * time.steps);
    seconds / steps as f64
}

/// The legend of the columns.
const OF_NEIGHBOURS: &str = "\
Mpoints/s: 10^6 nodes a second, each counted once a step, by the wall with the exchanges; medians of 7 samples, one row after another,
each after a warm-up. neighbours: sides on which a share of as many planes on the first device exchanges planes, here with itself;
of none: its rate over that without neighbours, the bound for that many devices; halos: how planes travel.";
const OF_DEVICES: &str = "
times one: as fast as one device with the volume that is kept; efficiency: that over the devices.
S1070: table 3 of Micikevicius (2009), GPUs of Tesla S1070 servers, two a host. Shares: computing, with what is done to give and
take planes; waiting for neighbours; idle: done, while others were not. One device steps the volume unsplit.";

pub fn charts(all: &[DevicesTimes]) -> Pictures {
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
    let grown = of(&mut times.kept.iter().take(1).chain(&times.grown));
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
