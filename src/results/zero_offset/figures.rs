//! What the pictures of exploding reflectors show.

use crate::job::{Inputs, JobFile};
use crate::{
    grid::Grid,
    render::{Extent, GatherFigure, Plane, ReflectivityFigure, SectionFigure, SnapshotFigure},
};
use ndarray::{Array2, ArrayView2, ArrayView3, Axis, s};

/// Amplitudes beyond this percentile are clipped in a section's picture.
const CLIP: f64 = 98.5;

/// The section, of a grid of receivers that of its middle line.
pub fn section<'a>(
    file: &JobFile,
    inputs: &Inputs,
    section: &'a Array2<f32>,
    interval: f64,
) -> SectionFigure<'a> {
    let receivers = &inputs.setup.shots[0].receivers;
    let (line, which) = match file.receiver_lines(0, receivers) {
        Some(length) if length < receivers.len() => {
            let middle = receivers.len() / length / 2 * length;
            let y = receivers[middle].y / 1000.0;
            (middle..middle + length, format!(" of the receiver line at y = {y:.3} km"))
        }
        _ => (0..receivers.len(), String::new()),
    };
    SectionFigure {
        gather: GatherFigure {
            traces: section.slice(s![line.clone(), ..]),
            interval,
            positions: receivers[line].iter().map(|at| at.x).collect(),
            across: "x (km)".to_owned(),
            title: format!("{}, zero-offset section{which}", file.model_name()),
            clip_percentile: CLIP,
        },
    }
}

/// What is shown of a field: of a volume its plane in the middle of y.
pub fn shown<'a>(grid: &Grid, field: ArrayView3<'a, f32>) -> ArrayView2<'a, f32> {
    field.index_axis_move(Axis(0), grid.n.y / 2)
}

/// What is shown of a map of reflectivity or of its field, over the velocities; its colours may be told to end at a value.
pub fn map<'a>(
    file: &JobFile,
    inputs: &'a Inputs,
    values: ArrayView2<'a, f32>,
    largest: Option<f32>,
    what: &str,
) -> ReflectivityFigure<'a> {
    let grid = &inputs.plan.model_grid;
    let (last, middle) = (grid.last(), grid.n.y / 2);
    let y = match grid.is_volume() {
        true => format!(", y = {:.3} km", middle as f64 * grid.h.y / 1000.0),
        false => String::new(),
    };
    ReflectivityFigure {
        map: SnapshotFigure {
            plane: Plane::Xz,
            wavefield: values,
            velocity: shown(grid, inputs.model.velocity()),
            largest,
            extent: Extent { across: (0.0, last.x), down: (0.0, last.z) },
            title: format!("{}, {what}{y}", file.model_name()),
            sources: Vec::new(),
            found: Vec::new(),
        },
    }
}
