//! What a ladder leaves: the head of its record, and its chart.

use super::PROGRAM;
use crate::{
    engine::{
        Description, Engine,
        cpu::Parallel,
        gpu::{Gpu, bench::Update},
    },
    render::{Bar, BarFigure, BarRow},
    workflow::ladder::{Case, Ladder, Row, Rung, Runner, rungs},
};
use serde::Serialize;

/// The head of `ladder.json`: of which program and device it tells.
#[derive(Clone, Debug, Serialize)]
pub struct Head {
    program: &'static str,
    version: &'static str,
    /// Git revision of the program, if built from one.
    revision: Option<&'static str>,
    /// The device; `null` if only the CPU's rungs ran.
    device: Option<Description>,
    /// The CPU engine.
    cpu: Description,
    /// True if every shader has run-time checks.
    checked: bool,
}

impl Head {
    /// The head for a device, or for none.
    pub fn new(gpu: Option<&Gpu>, checked: bool) -> Self {
        Head {
            program: PROGRAM,
            version: env!("CARGO_PKG_VERSION"),
            revision: option_env!("HUYGENS_REVISION"),
            device: gpu.map(Gpu::describe),
            cpu: Parallel.describe(),
            checked,
        }
    }
}

const K20M: &str = "Tesla K20m, thesis (2014), on its grid; rung 1: a Xeon E5";
const S1060: &str = "Tesla S1060, Micikevicius (2009): the wave equation";

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
pub fn row<'l>(ladder: &'l Ladder, rung: &Rung, update: Update) -> Option<&'l Row> {
    ladder.rows.iter().find(|row| row.name == rung.name && row.update == update)
}

/// The dimensions of a ladder, in a title.
pub fn rank(case: &Case) -> &'static str {
    if case.is_volume() { "3-D" } else { "2-D" }
}

/// The device, the grid and the operator, below a title.
pub fn subtitle(case: &Case, device: &str) -> String {
    let device = if device.is_empty() { "CPU" } else { device };
    format!("{device}; {}, {}", size(case), case.operator)
}

/// Three digits, never in powers of ten.
pub fn digits(value: f64) -> String {
    let places = match value.abs() {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        v if v >= 0.1 || v == 0.0 => 2,
        _ => 3,
    };
    format!("{value:.places$}")
}

/// The name of a case in a title.
pub fn size(case: &Case) -> String {
    format!("{} nodes", case.size())
}
