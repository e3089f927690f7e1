//! A picture of a survey over its model.

use crate::{
    grid::Position,
    job::{Inputs, JobFile},
    model::ModelQuantity,
    plan::Plan,
    render::{Dots, Marks, ModelFigure, Plane},
};

/// Colours of all receivers, of those of one shot, of its window, and of all sources.
const RECEIVERS: [u8; 3] = [255, 255, 255];
const HEARING: [u8; 3] = [255, 150, 30];
const WINDOW: [u8; 3] = [240, 60, 200];
const SOURCES: [u8; 3] = [200, 20, 30];
/// Dots along each side of a window.
const ALONG_A_SIDE: usize = 60;

/// A 2-D model, or a map of a volume at half its depth, with all sources and receivers of the
/// survey, and those of its middle shot highlighted.
pub(crate) fn over_the_model<'a>(file: &JobFile, inputs: &'a Inputs) -> ModelFigure<'a> {
    let plan = &inputs.plan;
    let grid = plan.survey_grid();
    let (plane, node) = match grid.is_volume() {
        true => (Plane::Xy, grid.n.z / 2),
        false => (Plane::Xz, 0),
    };
    let place = |at: &Position| plane.of(*at);
    // Positions closer than a thousandth of the picture are drawn once.
    let once = |places: Vec<(f64, f64)>| {
        let cell = grid.last().x / 1000.0;
        let mut places: Vec<((i64, i64), (f64, f64))> = places
            .into_iter()
            .map(|(x, y)| (((x / cell).round() as i64, (y / cell).round() as i64), (x, y)))
            .collect();
        places.sort_by_key(|(cell, _)| *cell);
        places.dedup_by_key(|(cell, _)| *cell);
        places.into_iter().map(|(_, place)| place).collect::<Vec<_>>()
    };
    let middle = plan.shots.len() / 2;
    let hearing: Vec<_> = plan.shots[middle].asked.receivers.iter().map(place).collect();
    let mut lists: Vec<&[Position]> =
        plan.shots.iter().map(|shot| &*shot.asked.receivers).collect();
    lists.dedup_by_key(|list| list.as_ptr());
    let receivers = lists.into_iter().flatten().map(place).collect();
    let sources = plan.shots.iter().flat_map(|shot| &shot.asked.sources).map(|s| place(&s.at));
    let of_middle = plan.shots[middle].asked.sources.iter().map(|source| place(&source.at));
    let window = plan.windows.map(|_| once(outline(plan, middle, plane)));
    let window = window.map(|places| Dots {
        name: format!("window of shot {}", middle + 1),
        colour: WINDOW,
        places,
    });
    let z = node as f64 * grid.h.z / 1000.0;
    let what = if grid.is_volume() { format!(" at z = {z:.1} km") } else { String::new() };
    let dots = |name: &str, colour, places| Dots { name: name.to_owned(), colour, places };
    ModelFigure {
        range: None,
        plane,
        quantity: ModelQuantity::Velocity,
        velocity: plane.cut(inputs.model.velocity(), node),
        extent: plane.extent(grid.last()),
        title: format!("{}{what}, {} shots", file.medium_name(), plan.shots.len()),
        marks: Marks { sources: of_middle.collect(), ..Marks::default() },
        dots: [
            dots("receivers", RECEIVERS, once(receivers)),
            dots(&format!("receivers of shot {} (star)", middle + 1), HEARING, once(hearing)),
            dots("sources", SOURCES, once(sources.collect())),
        ]
        .into_iter()
        .chain(window)
        .collect(),
    }
}

/// Places along the sides of the window of a shot.
fn outline(plan: &Plan, shot: usize, plane: Plane) -> Vec<(f64, f64)> {
    let first = plan.shots[shot].window.first.map(|first| first as f64);
    let first = first.zip(plan.model_grid.h).map(|(first, h)| first * h);
    let last = first.zip(plan.model_grid.last()).map(|(first, length)| first + length);
    let ((left, top), (right, bottom)) = (plane.of(first), plane.of(last));
    let along = (0..=ALONG_A_SIDE).map(|i| i as f64 / ALONG_A_SIDE as f64);
    let sides = along.flat_map(|t| {
        let (x, y) = (left + t * (right - left), top + t * (bottom - top));
        [(x, top), (x, bottom), (left, y), (right, y)]
    });
    sides.collect()
}
