//! A survey over the model, as a picture.

use huygens::{
    grid::Position,
    job::{Inputs, JobFile},
    render::{Extent, ModelFigure, Plane},
};
use ndarray::Axis;

/// All receivers, those of one shot, and all sources.
const RECEIVERS: [u8; 3] = [255, 255, 255];
const HEARING: [u8; 3] = [255, 150, 30];
const SOURCES: [u8; 3] = [200, 20, 30];

/// A 2-D model, or a map of a volume at half its depth, with every source and receiver of the survey and those of the
/// shot in its middle.
pub fn over_the_model<'a>(file: &JobFile, inputs: &'a Inputs) -> ModelFigure<'a> {
    let plan = &inputs.plan;
    let (last, volume, n) = (plan.model_grid.last(), plan.grid.is_volume(), plan.model_grid.n);
    let place = |at: &Position| if volume { (at.x, at.y) } else { (at.x, at.z) };
    // What lies closer than a thousandth of the picture is drawn once.
    let once = |places: Vec<(f64, f64)>| {
        let cell = last.x / 1000.0;
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
    let (plane, velocity, down, what) = match volume {
        true => {
            let depth = n.z / 2;
            let map = inputs.model.velocity().index_axis_move(Axis(2), depth).reversed_axes();
            let z = depth as f64 * plan.model_grid.h.z / 1000.0;
            (Plane::Xy, map, last.y, format!(" at z = {z:.1} km"))
        }
        false => {
            let section = inputs.model.velocity().index_axis_move(Axis(0), 0);
            (Plane::Xz, section, last.z, String::new())
        }
    };
    ModelFigure {
        plane,
        velocity,
        extent: Extent { across: (0.0, last.x), down: (0.0, down) },
        title: format!(
            "{}{what}: {} shots in red, receivers of shot {} in orange",
            file.model_name(),
            plan.shots.len(),
            middle + 1
        ),
        sources: of_middle.collect(),
        dots: vec![
            (RECEIVERS, once(receivers)),
            (HEARING, once(hearing)),
            (SOURCES, once(sources.collect())),
        ],
    }
}
