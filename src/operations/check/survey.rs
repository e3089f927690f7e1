//! A picture of a survey over its model.

use crate::{
    grid::Position,
    job::{Inputs, JobFile},
    render::{Dots, Marks, ModelFigure, Plane},
};

/// Colours of all receivers, of those of one shot, and of all sources.
const RECEIVERS: [u8; 3] = [255, 255, 255];
const HEARING: [u8; 3] = [255, 150, 30];
const SOURCES: [u8; 3] = [200, 20, 30];

/// A 2-D model, or a map of a volume at half its depth, with all sources and receivers of the
/// survey, and those of its middle shot highlighted.
pub fn over_the_model<'a>(file: &JobFile, inputs: &'a Inputs) -> ModelFigure<'a> {
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
    let z = node as f64 * grid.h.z / 1000.0;
    let what = if grid.is_volume() { format!(" at z = {z:.1} km") } else { String::new() };
    let dots = |name: &str, colour, places| Dots { name: name.to_owned(), colour, places };
    ModelFigure {
        range: None,
        plane,
        velocity: plane.cut(inputs.model.velocity(), node),
        extent: plane.extent(grid.last()),
        title: format!("{}{what}, {} shots", file.model_name(), plan.shots.len()),
        marks: Marks { sources: of_middle.collect(), ..Marks::default() },
        dots: vec![
            dots("receivers", RECEIVERS, once(receivers)),
            dots(&format!("receivers of shot {} (star)", middle + 1), HEARING, once(hearing)),
            dots("sources", SOURCES, once(sources.collect())),
        ],
    }
}
