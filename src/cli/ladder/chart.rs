//! The charts of a ladder: (file, picture) each.

use super::table::{digits, of_copies, size};
pub use huygens::results::ladder::subtitle;
use huygens::{
    engine::gpu::bench::{Copies, Update},
    render::{Across, Bar, BarFigure, BarRow, Curve, CurveFigure, Figure, Line},
    results::ladder::{bars, rank, row},
    workflow::ladder::{
        Case, Chart, CopyTimes, Ladder, Measured, Operator, Point, Rung, Series, Sweep, SweepTimes,
        rungs,
    },
};

pub type Pictures = Vec<(String, Box<dyn Figure>)>;

/// One chart per case; or one for all if the size or the wing varies over three or more planes, or
/// volumes.
pub fn ladders(ladders: &[Ladder], device: &str) -> Pictures {
    let volumes = ladders.iter().filter(|ladder| ladder.case.is_volume()).count();
    if ladders.len() > 2 && (volumes == 0 || volumes == ladders.len()) {
        return vec![("ladder.png".into(), Box::new(curves(ladders, device)))];
    }
    each("ladder", ladders, |ladder| &ladder.case, |ladder| bars(ladder, device))
}

/// A chart of every case, by the first part of its file's name.
pub fn each<T, F: Figure + 'static>(
    name: &str,
    all: &[T],
    case: impl Fn(&T) -> &Case,
    draw: impl Fn(&T) -> F,
) -> Pictures {
    let each = (0..).zip(all);
    each.map(|(k, of)| (named(name, k, case(of)), Box::new(draw(of)) as Box<dyn Figure>)).collect()
}

/// A bar of a speed, if it was measured.
pub fn speed(gpts: Option<f64>) -> Bar {
    Bar { value: gpts, text: gpts.map_or_else(|| "not run".into(), digits) }
}

/// The file of the first case has no suffix.
pub fn named(name: &str, index: usize, case: &Case) -> String {
    match index {
        0 => format!("{name}.png"),
        _ => {
            let size = case.size().replace(' ', "");
            format!("{name}-{size}-wing{}.png", case.operator.wing())
        }
    }
}

/// Gpts/s of the wave equation against the wing or the size.
fn curves(ladders: &[Ladder], device: &str) -> CurveFigure {
    let first = &ladders[0].case;
    let by_wing = ladders.iter().all(|ladder| ladder.case.size() == first.size());
    // Orders are even: categories, not numbers with odd ones between.
    let names: Option<Vec<_>> = ladders
        .iter()
        .map(|ladder| match ladder.case.operator {
            Operator::Order(order) => Some(order.to_string()),
            Operator::Wing(_) => None,
        })
        .collect();
    let names = names.filter(|_| by_wing);
    let place = |case: &Case| match (by_wing, &names, case.operator) {
        (true, Some(names), Operator::Order(order)) => {
            names.iter().position(|name| *name == order.to_string()).unwrap_or(0) as f64
        }
        (true, ..) => case.operator.wing() as f64,
        (false, ..) if case.is_volume() => case.nodes().cbrt(),
        (false, ..) => case.nodes().sqrt(),
    };
    let whole = |rung: &&Rung| {
        // A chart holds eight curves, one of them the ceiling: the CPU's rungs only without a GPU;
        // in 3-D without the two passes, which the paper abandoned, all tiles but one, and the step
        // of `shot`; in 2-D without the rungs before the uniform coefficients, and those between
        // them and vec4.
        let left_out: &[usize] =
            if first.is_volume() { &[4, 5, 6, 8, 11, 13] } else { &[2, 3, 5, 6] };
        let left_out = left_out.contains(&rung.number);
        !rung.part && (rung.number > 1 || device.is_empty()) && rung.has(Update::Wave) && !left_out
    };
    let mut all: Vec<Curve> = rungs(first)
        .iter()
        .filter(whole)
        .map(|rung| {
            let point = |ladder: &Ladder| {
                Some((place(&ladder.case), row(ladder, rung, Update::Wave)?.gpts?))
            };
            Curve {
                name: format!("{} {}", rung.number, rung.name),
                points: ladders.iter().filter_map(point).collect(),
                line: Line::Solid,
            }
        })
        .collect();
    let ceiling = |ladder: &Ladder| {
        let ceiling = ladder.ceiling.as_ref()?;
        Some((place(&ladder.case), ceiling.gb_per_s / Update::Wave.bytes(1)))
    };
    all.push(Curve {
        name: "stream ceiling".into(),
        points: ladders.iter().filter_map(ceiling).collect(),
        line: Line::Dashed,
    });
    all.retain(|curve| !curve.points.is_empty());
    let device = if device.is_empty() { "CPU" } else { device };
    let longer = format!("The {} ladder against the length of the operator", rank(first));
    let (title, what, across, ticks) = match (by_wing, names) {
        (true, None) => (longer, size(first), "Wing (cells)", Across::Linear),
        (true, Some(names)) => (longer, size(first), "Order", Across::Categories(names)),
        (false, _) => (
            format!("The {} ladder against the size of the grid", rank(first)),
            first.operator.to_string(),
            "Nodes along each axis",
            Across::Log2,
        ),
    };
    CurveFigure {
        title,
        subtitle: format!("{device}; a step of the wave equation, {what}"),
        across: across.into(),
        up: "Gpts/s (log)".into(),
        ticks,
        log: true,
        curves: all,
        ..CurveFigure::default()
    }
}

pub fn sweeps(sweeps: &[SweepTimes], device: &str) -> Pictures {
    let mut pictures: Pictures = Vec::new();
    for (index, swept) in sweeps.iter().enumerate() {
        for chart in &swept.charts {
            let name = named(chart.name, index, &swept.case);
            pictures.push((name, Box::new(sweep(swept, chart, device))));
        }
    }
    pictures
}

fn sweep(swept: &SweepTimes, chart: &Chart, device: &str) -> CurveFigure {
    // Categories in order of first occurrence.
    let mut names: Vec<String> = Vec::new();
    let name = |series: &Series, point: &Point| match (series.kernel, swept.sweep) {
        (_, Sweep::Slices) => point.workgroup.planes.to_string(),
        ("major_columns" | "major_plane", _) => format!("{} col", point.workgroup.x),
        ("tile_steps" | "strip_steps", _) => point.workgroup.to_string(),
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
        Sweep::Slices => point.workgroup.planes as f64,
        Sweep::Geometry => {
            let name = name(series, point);
            names.iter().position(|known| *known == name).unwrap_or(0) as f64
        }
    };
    let us = |time: &Measured| 1e6 * time.seconds;
    let mut curves = Vec::new();
    for series in &chart.series {
        let curve = |name: String, line, value: &dyn Fn(&Point) -> Option<f64>| {
            let point = |point: &Point| Some((across(series, point), value(point)?));
            let mut points: Vec<_> = series.points.iter().filter_map(point).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            Curve { name, points, line }
        };
        curves.push(curve(series.name.clone(), Line::Solid, &|point| point.time.as_ref().map(us)));
        curves
            .push(curve(format!("{}, K20m", series.name), Line::Dashed, &|point| point.thesis_us));
    }
    curves.retain(|curve| !curve.points.is_empty());
    CurveFigure {
        title: format!("Workgroups, {}", chart.title),
        subtitle: subtitle(&swept.case, device),
        across: match swept.sweep {
            Sweep::Threads => "Invocations a workgroup, all along z".into(),
            Sweep::Slices => "Slices a workgroup marches through, or an invocation holds".into(),
            Sweep::Geometry if chart.name == "segmentation" => {
                "Invocations of a piece, or columns a workgroup".into()
            }
            Sweep::Geometry => "Invocations a workgroup, along z x along x".into(),
        },
        up: "us a step (log)".into(),
        ticks: match swept.sweep {
            Sweep::Threads | Sweep::Slices => Across::Log2,
            Sweep::Geometry => Across::Categories(names.clone()),
        },
        log: true,
        curves,
        ..CurveFigure::default()
    }
}

pub fn copies(copies: &[CopyTimes], device: &str) -> Pictures {
    each("ladder", copies, |copied| &copied.case, |copied| trips(copied, device))
}

fn trips(copied: &CopyTimes, device: &str) -> BarFigure {
    let row = |label: String, time: &Measured, mark| {
        let us = 1e6 * time.seconds;
        let bar = Bar { value: Some(us), text: format!("{} us", digits(us)) };
        BarRow { label, bars: vec![bar], mark }
    };
    let mut rows = Vec::new();
    // Uploads and downloads are the same for every kernel.
    for trip in copied.trips.iter().take(2) {
        let (copies, index) = (of_copies(trip.copies), usize::from(trip.copies == Copies::Columns));
        let [up, down] =
            [copied.thesis.upload_us, copied.thesis.download_us].map(|us| Some(us[index]));
        rows.push(row(format!("field up, {copies}"), &trip.upload, up));
        rows.push(row(format!("Laplacian down, {copies}"), &trip.download, down));
    }
    for trip in &copied.trips {
        let thesis = (trip.name.starts_with('5')).then_some(copied.thesis.kernel_us);
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
        marks: Some("Tesla K20m, thesis (2014), on its grid".into()),
        lines: vec![(1e6 * copied.submit.seconds, "an empty submit".into())],
    }
}
