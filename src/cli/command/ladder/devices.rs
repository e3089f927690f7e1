//! One volume over several devices, as text.

use super::{
    arguments::{Arguments, Kind, What},
    table::ms,
};
use crate::{
    cli::{
        failure::Failure,
        terminal::table::{Column, hundredths, of, table},
    },
    engine::{Description, Engine, ShareTimings, gpu::Gpu},
    ladder::{DevicesRow, DevicesTimes, NeighboursRow},
    results::{ladder::devices::a_step, numbers::digits},
};
use std::{fmt::Write, sync::Arc};

/// Opens the devices of a sweep over devices; none for any other.
pub(crate) fn open(arguments: &Arguments) -> Result<Vec<Arc<dyn Engine>>, Failure> {
    let (kind, devices) = (arguments.kind, &arguments.device);
    if devices.fallback.is_some() {
        let mistake = "a ladder is of its device, and --fallback names another";
        return Err(Failure::input(format!("{mistake}; leave it out")));
    }
    match (arguments.sweep, kind) {
        (Some(What::Devices), Kind::Volume) => {}
        (Some(What::Devices), _) => {
            return Err(Failure::input("--sweep devices belongs to `ladder 3d`; leave it out"));
        }
        _ if devices.are_listed() => {
            return Err(Failure::input(
                "--devices belongs to `ladder 3d --sweep devices`; choose one with --backend or \
                 --adapter",
            ));
        }
        _ => return Ok(Vec::new()),
    }
    if !devices.are_listed() {
        return Err(Failure::input(
            "--sweep devices adds one device after another; give --devices all, or a list such \
             as 0,1 or cpu,cpu",
        ));
    }
    Ok(devices.open()?.into_iter().map(Arc::from).collect())
}

/// One of several devices, if all are GPUs.
pub(crate) fn one_of_gpus(engines: &[Arc<dyn Engine>]) -> Option<&Gpu> {
    let all = engines.iter().all(|engine| Gpu::of(engine.as_ref()).is_some_and(Gpu::is_hardware));
    Gpu::of(engines.first().filter(|_| all)?.as_ref())
}

pub(crate) fn tables(all: &[DevicesTimes]) -> String {
    let mut text = String::new();
    for times in all {
        for (number, Description { device, driver, kernel, .. }) in (1..).zip(&times.devices) {
            let parts = [device, driver, kernel].map(String::as_str);
            let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            let _ = writeln!(text, "device {number}: {}", parts.join(", "));
        }
        if !times.neighbours.is_empty() {
            let _ = writeln!(text, "\n{}, its neighbours\n{}", times.case, neighbours(times));
        }
        if times.devices.len() == 1 {
            continue;
        }
        let _ = writeln!(text, "\n{}, kept\n{}", times.case, speeds(&times.kept, true));
        let paper = times.kept.iter().find_map(|row| row.published);
        if let Some(paper) = paper.filter(|paper| paper.case != times.case) {
            let _ = writeln!(text, "S1070: {}, for the paper does not have ours", paper.case);
        }
        if !times.grown.is_empty() {
            let grown = speeds(&times.grown, false);
            let _ = writeln!(text, "\nGrown with the devices along y\n{grown}");
        }
        let _ = writeln!(text, "\nA step of each share\n{}", shares(times));
        for row in times.kept.iter().chain(&times.grown) {
            if let Some(why) = &row.refused {
                let _ = writeln!(text, "not run: {} over {}: {why}", row.case.size(), row.devices);
            }
        }
        text.push('\n');
    }
    let several = all.iter().any(|times| times.devices.len() > 1);
    let with_neighbours = all.iter().any(|times| !times.neighbours.is_empty());
    let of_neighbours = if with_neighbours { OF_NEIGHBOURS } else { "" };
    text + MEDIANS + of_neighbours + if several { OF_DEVICES } else { "" }
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

/// The legend of the columns.
const MEDIANS: &str = "\
Mpoints/s: 10^6 nodes a second, each counted once a step, by the wall with the exchanges; medians of 7 samples, one row after another,
each after a warm-up.";
const OF_NEIGHBOURS: &str = "
neighbours: sides on which a share of as many planes on the first device exchanges planes, here with itself;
of none: its rate over that without neighbours, the bound for that many devices; halos: how planes travel.";
const OF_DEVICES: &str = "
times one: as fast as one device with the volume that is kept; efficiency: that over the devices.
S1070: table 3 of Micikevicius (2009), GPUs of Tesla S1070 servers, two a host. Shares: computing, with what is done to give and
take planes; waiting for neighbours; idle: done, while others were not. One device steps the volume unsplit.";
