//! What a ladder measured, as pictures: (file, picture) each.

use super::table::{digits, size};
use huygens::{
    engine::gpu::bench::{Copies, Update},
    render::{Across, Bar, BarFigure, BarRow, Curve, CurveFigure, RenderError},
    workflow::ladder::{
        Case, Chart, CopyTimes, Ladder, Measured, Point, RUNGS, Row, Series, Sweep, SweepTimes,
    },
};
use image::RgbImage;

type Pictures = Vec<(String, Result<RgbImage, RenderError>)>;

const K20M: &str = "Tesla K20m, thesis (2014), on its grid; rung 1: a Xeon E5";

/// One chart a case; or one for all where the size or the wing varies over three or more.
pub fn ladders(ladders: &[Ladder], device: &str) -> Pictures {
    match ladders {
        [one] => vec![("ladder.png".into(), bars(one, device))],
        [first, second] => vec![
            ("ladder.png".into(), bars(first, device)),
            (
                format!(
                    "ladder-{}x{}-wing{}.png",
                    second.case.nz,
                    second.case.nx,
                    second.case.operator.wing()
                ),
                bars(second, device),
            ),
        ],
        many => vec![("ladder.png".into(), curves(many, device))],
    }
}

/// The file of the first case has a plain name.
fn named(name: &str, index: usize, case: &Case) -> String {
    match index {
        0 => format!("{name}.png"),
        _ => format!("{name}-{}x{}-wing{}.png", case.nz, case.nx, case.operator.wing()),
    }
}

fn subtitle(case: &Case, device: &str) -> String {
    let device = if device.is_empty() { "CPU" } else { device };
    format!("{device}; {}, {}", size(case), case.operator)
}

fn bars(ladder: &Ladder, device: &str) -> Result<RgbImage, RenderError> {
    let of = |rung: usize, name: &str, update| {
        let same = |row: &&Row| row.rung == rung && row.name == name && row.update == update;
        ladder.rows.iter().find(same)
    };
    let bar = |row: Option<&Row>| match row {
        Some(Row { time: Some(time), gpts: Some(gpts), .. }) => {
            Bar { value: Some(*gpts), text: format!("{} us", digits(1e6 * time.seconds)) }
        }
        Some(_) => Bar { value: None, text: "not run".into() },
        None => Bar::default(),
    };
    let rows = RUNGS.iter().map(|rung| {
        let [laplacian, wave] =
            [Update::Laplacian, Update::Wave].map(|update| of(rung.number, rung.name, update));
        BarRow {
            label: format!("{} {}", rung.number, rung.name),
            bars: vec![bar(laplacian), bar(wave)],
            mark: laplacian.and_then(Row::thesis_gpts),
        }
    });
    let nodes = ladder.case.nodes();
    let mut lines = Vec::new();
    if let Some(ceiling) = &ladder.ceiling {
        for (update, name) in [(Update::Laplacian, "Laplacian"), (Update::Wave, "wave equation")] {
            lines.push((ceiling.gb_per_s / update.bytes(), format!("stream ceiling, {name}")));
        }
    }
    if let Some(floor) = &ladder.floor {
        lines.push((1e-9 * nodes / floor.seconds, "launch floor".into()));
    }
    BarFigure {
        title: "The 2-D ladder".into(),
        subtitle: subtitle(&ladder.case, device),
        axis: "Gpts/s (log)".into(),
        log: true,
        series: vec!["the Laplacian alone".into(), "a step of the wave equation".into()],
        rows: rows.collect(),
        marks: Some(K20M.into()),
        lines,
    }
    .draw()
}

/// Gpts/s of the wave equation against the wing or the size.
fn curves(ladders: &[Ladder], device: &str) -> Result<RgbImage, RenderError> {
    let first = &ladders[0].case;
    let by_wing =
        ladders.iter().all(|ladder| (ladder.case.nz, ladder.case.nx) == (first.nz, first.nx));
    let place = |case: &Case| match by_wing {
        true => case.operator.wing() as f64,
        false => case.nodes().sqrt(),
    };
    let whole = |rung: &&huygens::workflow::ladder::Rung| {
        // The CPU's rungs alone where there is no GPU: a chart takes eight curves.
        !rung.part && (rung.number > 1 || device.is_empty()) && rung.has(Update::Wave)
    };
    let mut all: Vec<Curve> = RUNGS
        .iter()
        .filter(whole)
        .map(|rung| {
            let point = |ladder: &Ladder| {
                let same = |row: &&Row| row.name == rung.name && row.update == Update::Wave;
                let row = ladder.rows.iter().find(same)?;
                Some((place(&ladder.case), row.gpts?))
            };
            Curve {
                name: format!("{} {}", rung.number, rung.name),
                points: ladders.iter().filter_map(point).collect(),
                dashed: false,
            }
        })
        .collect();
    let ceiling = |ladder: &Ladder| {
        let ceiling = ladder.ceiling.as_ref()?;
        Some((place(&ladder.case), ceiling.gb_per_s / Update::Wave.bytes()))
    };
    all.push(Curve {
        name: "stream ceiling".into(),
        points: ladders.iter().filter_map(ceiling).collect(),
        dashed: true,
    });
    all.retain(|curve| !curve.points.is_empty());
    let device = if device.is_empty() { "CPU" } else { device };
    let (title, what, across, ticks) = match by_wing {
        true => (
            "The 2-D ladder against the length of the operator",
            size(first),
            "Wing (cells)",
            Across::Linear,
        ),
        false => (
            "The 2-D ladder against the size of the grid",
            first.operator.to_string(),
            "Nodes along each axis",
            Across::Log2,
        ),
    };
    CurveFigure {
        title: title.into(),
        subtitle: format!("{device}; a step of the wave equation, {what}"),
        across: across.into(),
        up: "Gpts/s (log)".into(),
        ticks,
        log: true,
        curves: all,
        lines: Vec::new(),
    }
    .draw()
}

pub fn sweeps(sweeps: &[SweepTimes], device: &str) -> Pictures {
    let mut pictures = Vec::new();
    for (index, swept) in sweeps.iter().enumerate() {
        for chart in &swept.charts {
            pictures.push((named(chart.name, index, &swept.case), sweep(swept, chart, device)));
        }
    }
    pictures
}

fn sweep(swept: &SweepTimes, chart: &Chart, device: &str) -> Result<RgbImage, RenderError> {
    // Categories in the order in which they come first.
    let mut names: Vec<String> = Vec::new();
    let name = |series: &Series, point: &Point| match (series.kernel, swept.sweep) {
        ("major_columns" | "major_plane", _) => format!("{} col", point.workgroup.x),
        ("major", Sweep::Geometry) => point.workgroup.z.to_string(),
        _ => format!("{}x{}", point.workgroup.z, point.workgroup.x),
    };
    for (series, point) in chart.points() {
        let name = name(series, point);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let across = |series: &Series, point: &Point| match swept.sweep {
        Sweep::Threads => point.workgroup.z as f64,
        Sweep::Geometry => {
            let name = name(series, point);
            names.iter().position(|known| *known == name).unwrap_or(0) as f64
        }
    };
    let us = |time: &Measured| 1e6 * time.seconds;
    let mut curves = Vec::new();
    for series in &chart.series {
        let curve = |name: String, dashed, value: &dyn Fn(&Point) -> Option<f64>| {
            let point = |point: &Point| Some((across(series, point), value(point)?));
            let mut points: Vec<_> = series.points.iter().filter_map(point).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            Curve { name, points, dashed }
        };
        curves.push(curve(series.name.clone(), false, &|point| point.time.as_ref().map(us)));
        curves.push(curve(format!("{}, K20m", series.name), true, &|point| point.thesis_us));
    }
    curves.retain(|curve| !curve.points.is_empty());
    CurveFigure {
        title: format!("Workgroups, {}", chart.title),
        subtitle: subtitle(&swept.case, device),
        across: match swept.sweep {
            Sweep::Threads => "Invocations a workgroup, all along z".into(),
            Sweep::Geometry if chart.name == "segmentation" => {
                "Invocations of a piece, or columns a workgroup".into()
            }
            Sweep::Geometry => "Invocations a workgroup, along z x along x".into(),
        },
        up: "us a step (log)".into(),
        ticks: match swept.sweep {
            Sweep::Threads => Across::Log2,
            Sweep::Geometry => Across::Categories(names.clone()),
        },
        log: true,
        curves,
        lines: Vec::new(),
    }
    .draw()
}

pub fn copies(copies: &[CopyTimes], device: &str) -> Pictures {
    let mut pictures = Vec::new();
    for (index, copied) in copies.iter().enumerate() {
        pictures.push((named("ladder", index, &copied.case), trips(copied, device)));
    }
    pictures
}

fn trips(copied: &CopyTimes, device: &str) -> Result<RgbImage, RenderError> {
    let row = |label: String, time: &Measured, mark| {
        let us = 1e6 * time.seconds;
        let bar = Bar { value: Some(us), text: format!("{} us", digits(us)) };
        BarRow { label, bars: vec![bar], mark }
    };
    let mut rows = Vec::new();
    // Uploads and downloads are the same whatever kernel they serve.
    for trip in copied.trips.iter().take(2) {
        let (copies, index) = match trip.copies {
            Copies::Whole => ("one whole copy", 0),
            Copies::Columns => ("a copy a column", 1),
        };
        let thesis = &copied.thesis;
        rows.push(row(format!("field up, {copies}"), &trip.upload, Some(thesis.upload_us[index])));
        rows.push(row(
            format!("Laplacian down, {copies}"),
            &trip.download,
            Some(thesis.download_us[index]),
        ));
    }
    for trip in &copied.trips {
        let thesis = (trip.name.starts_with('5')).then_some(copied.thesis.kernel_us);
        if trip.copies == Copies::Whole {
            rows.push(row(format!("{}: kernel alone", trip.name), &trip.kernel, thesis));
        }
        let copies = match trip.copies {
            Copies::Whole => "one whole copy",
            Copies::Columns => "a copy a column",
        };
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
        marks: Some("Tesla K20m, thesis (2014), on its grid".into()),
        lines: vec![(1e6 * copied.submit.seconds, "an empty submit".into())],
    }
    .draw()
}
