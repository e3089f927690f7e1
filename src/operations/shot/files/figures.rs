//! The content of a shot's pictures.

use crate::{
    engine::Snapshot,
    grid::{Axes, Position},
    job::{Inputs, JobFile},
    operations::shot::{
        ShotResult,
        files::receiver_line::{PlacedBy, along},
    },
    plan::Plan,
    render::{
        Figure, GatherFigure, Marks, Plane, Quantity, RenderError, SampleAxis, SnapshotFigure,
    },
    results::{Caption, Cut, View, gain},
};
use ndarray::{ArrayView2, ArrayView3, s};
use std::ops::Range;

/// Sources of a shot, metres.
fn sources(plan: &Plan, shot: usize) -> Vec<Position> {
    plan.shots[shot].asked.sources.iter().map(|source| source.at).collect()
}

/// Marks in pictures of a shot.
fn marks(plan: &Plan, shot: usize) -> Marks<Position> {
    let receivers = plan.shots[shot].asked.receivers.to_vec();
    Marks { sources: sources(plan, shot), receivers, found: Vec::new() }
}

/// The number of the shot, if there are several, for titles.
fn number(plan: &Plan, shot: usize) -> String {
    if plan.shots.len() > 1 { format!(", shot {}", shot + 1) } else { String::new() }
}

/// The time of a snapshot, for its title.
fn moment(plan: &Plan, step: usize) -> String {
    format!("step {step}, t = {:.3} s", plan.time.at(step))
}

/// The gather; for a grid of receivers that of the line nearest to the source.
pub fn gather<'a>(file: &JobFile, inputs: &Inputs, result: &'a ShotResult) -> GatherFigure<'a> {
    let figure = traces(file, inputs, result.shot, result.gather.view());
    let until = result.until.map_or_else(String::new, |step| format!(", until step {step}"));
    GatherFigure { title: figure.title + &until, ..figure }
}

/// The same of any traces of a shot.
pub(crate) fn traces<'a>(
    file: &JobFile,
    inputs: &Inputs,
    shot: usize,
    traces: ArrayView2<'a, f32>,
) -> GatherFigure<'a> {
    let plan = &inputs.plan;
    let sources = sources(plan, shot);
    let receivers = &plan.shots[shot].asked.receivers;
    let (line, which) = match file.receiver_lines(shot, receivers) {
        Some(length) if length < receivers.len() => nearest_line(receivers, length, &sources),
        _ => (0..receivers.len(), String::new()),
    };
    let (positions, across) = along(&receivers[line.clone()], PlacedBy::sources(&sources));
    let number = number(plan, shot);
    GatherFigure {
        traces: traces.slice_move(s![line, ..]),
        quantity: Quantity::PRESSURE,
        samples: SampleAxis::Time,
        interval: plan.time.interval(),
        positions,
        across: across.into(),
        title: format!("{}{number}, gather{which}", file.medium_name()),
        gain: gain(&file.job.output.figures),
        largest: None,
        zero_line: false,
    }
}

/// The line nearest to the first source, of lines of `length` receivers each, and its name.
fn nearest_line(
    receivers: &[Position],
    length: usize,
    sources: &[Position],
) -> (Range<usize>, String) {
    let to_source = |y: f64| sources.first().map_or(0.0, |source| (y - source.y).abs());
    let lines = receivers.chunks(length).enumerate();
    let nearest = lines.min_by(|(_, a), (_, b)| to_source(a[0].y).total_cmp(&to_source(b[0].y)));
    let number = nearest.map_or(0, |(number, _)| number);
    let line = number * length..(number + 1) * length;
    let y = receivers[line.start].y / 1000.0;
    (line, format!(" of the receiver line at y = {y:.3} km"))
}

/// The view of a shot's field: in a volume the three planes through the first slice that the job
/// names along each axis, else the first source.
pub(crate) fn view(inputs: &Inputs, shot: usize) -> View {
    let source = sources(&inputs.plan, shot).first().copied().unwrap_or_default();
    View::through(&inputs.slices, source, inputs.plan.survey_grid())
}

/// The caption of a snapshot.
pub(crate) fn caption(file: &JobFile, plan: &Plan, shot: usize, step: usize) -> Caption {
    let title = format!("{}{}, {}", file.medium_name(), number(plan, shot), moment(plan, step));
    let largest = file.job.output.figures.largest();
    Caption {
        title,
        quantity: Quantity::PRESSURE,
        largest,
        marks: marks(plan, shot),
        ..Caption::default()
    }
}

/// The picture of the field of a shot at a step, shape `[y][x][z]`.
pub fn snapshot<'a>(
    file: &JobFile,
    inputs: &'a Inputs,
    shot: usize,
    step: usize,
    field: ArrayView3<'a, f32>,
) -> Result<Box<dyn Figure + 'a>, RenderError> {
    let caption = caption(file, &inputs.plan, shot, step);
    view(inputs, shot).figure(field, &inputs.model, caption)
}

/// Title of a shot's movie.
pub(crate) fn movie_title(file: &JobFile, inputs: &Inputs, shot: usize) -> String {
    format!("{}{}, wavefield", file.medium_name(), number(&inputs.plan, shot))
}

/// The slices of a volume snapshot that the job names, each with its name such as `x4000`. Sources
/// are marked wherever they lie along the normal, receivers on their planes and on maps.
pub(crate) fn slices<'a>(
    file: &JobFile,
    inputs: &'a Inputs,
    shot: usize,
    snapshot: &'a Snapshot,
) -> Vec<(String, SnapshotFigure<'a>)> {
    let (plan, grid) = (&inputs.plan, inputs.plan.survey_grid());
    let figure = |plane: Plane, node: usize| {
        let (axis, h) = plane.normal(grid.h);
        let at = node as f64 * h;
        let on_it = |of: &Position| (plane.normal(*of).1 - at).abs() < 0.5 * h;
        let mut marks = marks(plan, shot);
        marks.receivers.retain(|of| plane == Plane::Xy || on_it(of));
        let title = format!(
            "{}{}, {axis} = {:.3} km, {}",
            file.medium_name(),
            number(plan, shot),
            at / 1000.0,
            moment(plan, snapshot.step)
        );
        let cut = Cut { plane, node };
        let largest = file.job.output.figures.largest();
        let quantity = Quantity::PRESSURE;
        let caption = Caption { title, quantity, largest, ..Caption::default() };
        let figure = SnapshotFigure {
            marks: marks.placed(|of| Some(plane.of(*of))),
            ..cut.figure(cut.of(snapshot.field.view()), &inputs.model, caption)
        };
        // To the millimetre: a product such as 3 x 0.1 has many digits.
        (format!("{axis}{}", (1e3 * at).round() / 1e3), figure)
    };
    let Axes { x, y, z } = &inputs.slices;
    let planes = [(Plane::Yz, x), (Plane::Xz, y), (Plane::Xy, z)];
    let all = planes.iter().flat_map(|(plane, nodes)| nodes.iter().map(|node| (*plane, *node)));
    all.map(|(plane, node)| figure(plane, node)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f64, y: f64) -> Position {
        Position { z: 0.0, x, y }
    }

    #[test]
    fn the_line_nearest_to_the_source_is_drawn() {
        let grid: Vec<Position> =
            [0.0, 10.0, 20.0].into_iter().flat_map(|y| [at(0.0, y), at(5.0, y)]).collect();
        let (line, name) = nearest_line(&grid, 2, &[at(3.0, 12.0), at(0.0, 0.0)]);
        assert_eq!(line, 2..4);
        assert!(name.ends_with("y = 0.010 km"), "{name}");
    }
}
