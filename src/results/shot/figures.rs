//! What the pictures of a shot show.

use crate::{
    engine::Snapshot,
    grid::Position,
    job::{Inputs, JobFile},
    plan::Plan,
    render::{GatherFigure, Plane, SnapshotFigure},
    results::view::{Cut, Marks, View},
    workflow::shot::ShotResult,
};
use ndarray::s;
use std::ops::Range;

/// Amplitudes beyond this percentile are clipped in a gather's picture.
const CLIP: f64 = 98.5;

/// A source this close to a receiver line in the plane, in metres, lies on it.
const ON_LINE: f64 = 1e-3;

/// Sources of a shot, metres.
fn sources(plan: &Plan, shot: usize) -> Vec<Position> {
    plan.shots[shot].asked.sources.iter().map(|source| source.at).collect()
}

/// Which of several shots it is, for titles.
fn number(plan: &Plan, shot: usize) -> String {
    if plan.shots.len() > 1 { format!(", shot {}", shot + 1) } else { String::new() }
}

/// When a snapshot was taken, for its title.
fn moment(plan: &Plan, step: usize) -> String {
    format!("step {step}, t = {:.3} s", plan.time.at(step))
}

/// The gather, or that of the receiver line nearest to the source where the receivers are a grid.
pub fn gather<'a>(file: &JobFile, inputs: &Inputs, result: &'a ShotResult) -> GatherFigure<'a> {
    let plan = &inputs.plan;
    let sources = sources(plan, result.shot);
    let receivers = &plan.shots[result.shot].asked.receivers;
    let (line, which) = match file.receiver_lines(result.shot, receivers) {
        Some(length) if length < receivers.len() => nearest_line(receivers, length, &sources),
        _ => (0..receivers.len(), String::new()),
    };
    let (positions, across) = along(&receivers[line.clone()], &sources);
    let number = number(plan, result.shot);
    let until = result.until.map_or_else(String::new, |step| format!(", until step {step}"));
    GatherFigure {
        traces: result.gather.view().slice_move(s![line, ..]),
        interval: plan.time.interval(),
        positions,
        across: across.into(),
        title: format!("{}{number}, gather{which}{until}", file.model_name()),
        clip_percentile: CLIP,
    }
}

/// The line, of so many receivers each, that is nearest to the first source, and what to call it.
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

/// Where the receivers of a line lie along it, metres, and what to call that: for one source the signed
/// distance from where the source projects onto the line, whatever its azimuth. It grows with x or, on a
/// line nearer to y, with y. Receivers down a hole lie by their depth.
fn along(receivers: &[Position], sources: &[Position]) -> (Vec<f64>, &'static str) {
    let (Some(first), Some(last)) = (receivers.first(), receivers.last()) else {
        return (Vec::new(), "Receiver");
    };
    let (dx, dy) = (last.x - first.x, last.y - first.y);
    let length = dx.hypot(dy);
    if length == 0.0 && first.z != last.z {
        return (receivers.iter().map(|at| at.z).collect(), "Depth (km)");
    }
    // A single receiver has no direction: x serves.
    let (dx, dy) = if length > 0.0 { (dx / length, dy / length) } else { (1.0, 0.0) };
    let sign = if dx.abs() >= dy.abs() { dx.signum() } else { dy.signum() };
    let place = |at: &Position| sign * (at.x * dx + at.y * dy);
    let (zero, name) = match sources {
        // Offset has a meaning for one source only.
        [source] => {
            let aside = (source.x - first.x) * dy - (source.y - first.y) * dx;
            let on_line = aside.abs() < ON_LINE;
            (place(source), if on_line { "Offset (km)" } else { "Offset along the line (km)" })
        }
        _ if dy == 0.0 => (0.0, "x (km)"),
        _ if dx == 0.0 => (0.0, "y (km)"),
        _ => (place(first), "Distance along the line (km)"),
    };
    (receivers.iter().map(|at| place(at) - zero).collect(), name)
}

/// What the pictures of a shot's field show: in a volume the three planes through the first slice that the job names along each axis,
/// else the first source.
pub fn view(inputs: &Inputs, shot: usize) -> View {
    let source = sources(&inputs.plan, shot).first().copied().unwrap_or_default();
    View::through(&inputs.slices, source, &inputs.plan.model_grid)
}

/// What they have beside it.
pub fn marks(file: &JobFile, plan: &Plan, shot: usize, step: usize) -> Marks {
    let title = format!("{}{}, {}", file.model_name(), number(plan, shot), moment(plan, step));
    Marks { title, sources: sources(plan, shot), ..Marks::default() }
}

/// What the movie of a shot shows.
pub fn movie_title(file: &JobFile, inputs: &Inputs, shot: usize) -> String {
    format!("{}{}, wavefield", file.model_name(), number(&inputs.plan, shot))
}

/// The slices of a snapshot of a volume that the job names, each with its name such as `x4000`. Sources
/// are marked on the planes they lie on.
pub fn slices<'a>(
    file: &JobFile,
    inputs: &'a Inputs,
    shot: usize,
    snapshot: &'a Snapshot,
) -> Vec<(String, SnapshotFigure<'a>)> {
    let (plan, wanted) = (&inputs.plan, &inputs.slices);
    let figure = |axis: char, along: fn(&Position) -> f64, plane, node: usize, h: f64| {
        let at = node as f64 * h;
        let title = format!(
            "{}{}, {axis} = {:.3} km, {}",
            file.model_name(),
            number(plan, shot),
            at / 1000.0,
            moment(plan, snapshot.step)
        );
        let mut sources = sources(plan, shot);
        // One half way to the next node lies on neither plane.
        sources.retain(|source| (along(source) - at).abs() < 0.5 * h);
        let marks = Marks { title, sources, ..Marks::default() };
        let cut = Cut { plane, node };
        // To the millimetre: a product such as 3 x 0.1 has a long tail.
        let name = format!("{axis}{}", (1e3 * at).round() / 1e3);
        (name, cut.figure(cut.of(snapshot.field.view()), &inputs.model, marks))
    };
    let h = plan.model_grid.h;
    let along_x = wanted.x.iter().map(|&node| figure('x', |at| at.x, Plane::Yz, node, h.x));
    let along_y = wanted.y.iter().map(|&node| figure('y', |at| at.y, Plane::Xz, node, h.y));
    let along_z = wanted.z.iter().map(|&node| figure('z', |at| at.z, Plane::Xy, node, h.z));
    along_x.chain(along_y).chain(along_z).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f64, y: f64) -> Position {
        Position { z: 0.0, x, y }
    }

    #[test]
    fn offsets_are_signed_along_the_line_whatever_its_azimuth() {
        // Of Pythagoras: 3, 4, 5.
        let line = [at(0.0, 0.0), at(30.0, 40.0), at(60.0, 80.0)];
        let (offsets, name) = along(&line, &[at(30.0, 40.0)]);
        assert_eq!((offsets, name), (vec![-50.0, 0.0, 50.0], "Offset (km)"));
        let (offsets, name) = along(&line, &[at(34.0, 37.0)]);
        assert_eq!((offsets, name), (vec![-50.0, 0.0, 50.0], "Offset along the line (km)"));
        // As in 2-D, offset grows with x however the line is given.
        let reversed = [at(200.0, 5.0), at(100.0, 5.0)];
        let (offsets, name) = along(&reversed, &[at(120.0, 5.0)]);
        assert_eq!((offsets, name), (vec![80.0, -20.0], "Offset (km)"));
        let two = [at(0.0, 0.0), at(1.0, 1.0)];
        assert_eq!(along(&reversed, &two), (vec![200.0, 100.0], "x (km)"));
        assert_eq!(along(&line, &two), (vec![0.0, 50.0, 100.0], "Distance along the line (km)"));
        assert_eq!(along(&line[..1], &two[..1]), (vec![0.0], "Offset (km)"));
    }

    #[test]
    fn receivers_down_a_hole_lie_by_their_depth() {
        let hole = [100.0, 120.0, 140.0].map(|z| Position { z, ..at(800.0, 0.0) });
        assert_eq!(along(&hole, &[at(700.0, 0.0)]), (vec![100.0, 120.0, 140.0], "Depth (km)"));
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
