//! The speeds of rungs.

use super::{Pictures, each, size, subtitle};
use crate::{
    engine::gpu::bench::Update,
    ladder::{Case, Ladder, Operator, Row, Rung, Runner, rungs},
    render::{Across, Bar, BarFigure, BarRow, Curve, CurveFigure, Line},
    results::numbers::digits,
};

const K20M: &str = "Tesla K20m, Sadahiro (2014), on its grid; rung 1: a Xeon E5";
const S1060: &str = "Tesla S1060, Micikevicius (2009): the wave equation";

/// One chart per case; or one for all if the size or the wing varies over three or more planes, or
/// volumes.
pub(crate) fn charts(ladders: &[Ladder], device: &str) -> Pictures {
    let volumes = ladders.iter().filter(|ladder| ladder.case.is_volume()).count();
    if ladders.len() > 2 && (volumes == 0 || volumes == ladders.len()) {
        return vec![("ladder.png".into(), Box::new(curves(ladders, device)))];
    }
    each("ladder", ladders, |ladder| &ladder.case, |ladder| bars(ladder, device))
}

/// The speed of every rung, with each update, beside the published ones.
pub fn bars(ladder: &Ladder, device: &str) -> BarFigure {
    let bar = |row: Option<&Row>| match row {
        Some(Row { time: Some(time), gpts: Some(gpts), .. }) => {
            Bar { value: Some(*gpts), text: format!("{} us", digits(1e6 * time.seconds)) }
        }
        Some(_) => Bar { value: None, text: "not run".into() },
        None => Bar::default(),
    };
    let volume = ladder.case.is_volume();
    let rows = rungs(&ladder.case).iter().map(|rung| {
        let [laplacian, wave] = [Update::Laplacian, Update::Wave].map(|of| row(ladder, rung, of));
        // The thesis has no wave equation, and the paper no Laplacian with a 32x32 tile.
        let published = if volume { wave } else { laplacian };
        // The fastest rung may differ between the two updates.
        let label = match rung.runner {
            Runner::Fastest => rung.name.into(),
            _ => format!("{} {}", rung.number, rung.name),
        };
        BarRow {
            label,
            bars: vec![bar(laplacian), bar(wave)],
            mark: published.and_then(|row| row.published).map(|known| known.gpts),
        }
    });
    let nodes = ladder.case.nodes();
    let mut lines = Vec::new();
    if let Some(ceiling) = &ladder.ceiling {
        for (update, name) in [(Update::Laplacian, "Laplacian"), (Update::Wave, "wave equation")] {
            lines.push((ceiling.gb_per_s / update.bytes(1), format!("stream ceiling, {name}")));
        }
    }
    if let Some(floor) = &ladder.floor {
        lines.push((1e-9 * nodes / floor.seconds, "launch floor".into()));
    }
    BarFigure {
        title: format!("The {} ladder", rank(&ladder.case)),
        subtitle: subtitle(&ladder.case, device),
        axis: "Gpts/s (log)".into(),
        log: true,
        series: vec!["the Laplacian alone".into(), "a step of the wave equation".into()],
        rows: rows.collect(),
        marks: Some(if volume { S1060 } else { K20M }.into()),
        lines,
    }
}

/// The row of a rung.
fn row<'l>(ladder: &'l Ladder, rung: &Rung, update: Update) -> Option<&'l Row> {
    ladder.rows.iter().find(|row| row.name == rung.name && row.update == update)
}

fn rank(case: &Case) -> &'static str {
    if case.is_volume() { "3-D" } else { "2-D" }
}

/// Gpts/s of the wave equation, each ladder at a place, and the ceiling.
fn lines(ladders: &[Ladder], device: &str, place: impl Fn(&Case) -> f64) -> Vec<Curve> {
    let first = &ladders[0].case;
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
    all
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
    let curves = lines(ladders, device, |case| match (by_wing, &names, case.operator) {
        (true, Some(names), Operator::Order(order)) => {
            names.iter().position(|name| *name == order.to_string()).unwrap_or(0) as f64
        }
        (true, ..) => case.operator.wing() as f64,
        (false, ..) if case.is_volume() => case.nodes().cbrt(),
        (false, ..) => case.nodes().sqrt(),
    });
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
        curves,
        ..CurveFigure::default()
    }
}
