//! What the pictures of exploding reflectors show.

use crate::cli::picture::gain;
use huygens::job::{Inputs, JobFile};
use huygens::{
    grid::{Grid, Position},
    render::{GatherFigure, Marks, Plane, Quantity, SnapshotFigure},
};
use ndarray::{Array2, ArrayView2, ArrayView3, s};

/// The section, of a grid of receivers that of its middle line.
pub fn section<'a>(
    file: &JobFile,
    inputs: &Inputs,
    section: &'a Array2<f32>,
    interval: f64,
) -> GatherFigure<'a> {
    let receivers = &inputs.setup.shots[0].receivers;
    let (line, which) = match file.receiver_lines(0, receivers) {
        Some(length) if length < receivers.len() => {
            let middle = receivers.len() / length / 2 * length;
            let y = receivers[middle].y / 1000.0;
            (middle..middle + length, format!(" of the receiver line at y = {y:.3} km"))
        }
        _ => (0..receivers.len(), String::new()),
    };
    GatherFigure {
        traces: section.slice(s![line.clone(), ..]),
        quantity: Quantity::REFLECTIVITY,
        interval,
        positions: receivers[line].iter().map(|at| at.x).collect(),
        across: "x (km)".to_owned(),
        title: format!("{}, zero-offset section{which}", file.model_name()),
        gain: gain(&file.job.output.figures),
    }
}

/// What is shown of a field: of a volume its plane in the middle of y.
pub fn shown<'a>(grid: &Grid, field: ArrayView3<'a, f32>) -> ArrayView2<'a, f32> {
    Plane::Xz.cut(field, grid.n.y / 2)
}

/// What is shown of a map of reflectivity or of its field, over the velocities; its colours may be told to end at a value.
pub fn map<'a>(
    file: &JobFile,
    inputs: &'a Inputs,
    values: ArrayView2<'a, f32>,
    largest: Option<f32>,
    what: &str,
) -> SnapshotFigure<'a> {
    let grid = &inputs.plan.model_grid;
    let middle = grid.n.y / 2;
    let y = match grid.is_volume() {
        true => format!(", y = {:.3} km", middle as f64 * grid.h.y / 1000.0),
        false => String::new(),
    };
    let on_it = |at: &&Position| {
        !grid.is_volume() || (at.y - middle as f64 * grid.h.y).abs() < 0.5 * grid.h.y
    };
    let receivers = inputs.setup.shots.iter().flat_map(|shot| shot.receivers.iter());
    let receivers = receivers.filter(on_it).map(|at| Plane::Xz.of(*at));
    SnapshotFigure {
        plane: Plane::Xz,
        wavefield: values,
        quantity: Quantity::REFLECTIVITY,
        velocity: shown(grid, inputs.model.velocity()),
        largest,
        extent: Plane::Xz.extent(grid.last()),
        title: format!("{}, {what}{y}", file.model_name()),
        marks: Marks { receivers: receivers.collect(), ..Marks::default() },
    }
}
