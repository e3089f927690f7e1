//! The sources of a focus map, and how sharp it is.

use crate::{
    engine::{FocusMap, FocusSummary, Summit},
    grid::{Axes, Grid, Position},
    plan::Mask,
};
use serde::Serialize;

/// A place where waves met.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Peak {
    /// Metres from the model's first node, refined below a cell by a parabola along each axis.
    pub at: Position,
    /// The step at which the field that runs backward was the strongest there.
    pub step: usize,
    /// How strong.
    pub value: f32,
    /// That over the median of the map; none where that is nothing, as where waves have not been everywhere.
    pub over_background: Option<f64>,
}

/// How much a map is one peak.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sharpness {
    /// The largest value.
    pub largest: f64,
    /// That over the root mean square of the values.
    pub over_rms: f64,
    /// The fourth moment of the values over the square of the second, from 1 of a flat map up to the number of nodes of
    /// one with a single node: the kurtosis of the values with both signs (Levy and Oldenburg 1987 call it varimax).
    pub kurtosis: f64,
}

impl Sharpness {
    /// Of a map; all 0 of one of zeros.
    pub fn of(summary: &FocusSummary) -> Self {
        let FocusSummary { largest, square, fourth, .. } = *summary;
        let over = |a: f64, b: f64| if b > 0.0 { a / b } else { 0.0 };
        Sharpness {
            largest: f64::from(largest),
            over_rms: over(1.0, square.sqrt()),
            kurtosis: over(fourth, square * square),
        }
    }

    /// Whether a peak is the strongest place of the map, which else is at the edge of the mask.
    pub fn is_of(&self, peak: f32) -> bool {
        f64::from(peak) >= SAME * self.largest
    }
}

/// What is this much below a peak is nothing.
const NOTHING: f64 = 1e6;

/// Below this part of the largest value that the mask leaves a peak is not what a map is of: rounding makes less.
const SAME: f64 = 0.999;

/// The model that focuses best, by its index: the sharpest of the maps whose strongest place is a peak, else of all, and of equal
/// ones the first. Each map with its highest peak, if it has one. Near the receivers the field is theirs, however sharp.
pub fn sharpest(maps: &[(Sharpness, Option<f32>)]) -> Option<usize> {
    let rank = |index: &usize| {
        let (sharpness, peak) = maps[*index];
        (peak.is_some_and(|peak| sharpness.is_of(peak)), sharpness.kurtosis)
    };
    let better = |a: &usize, b: &usize| {
        let ((peak, kurtosis), (other, less)) = (rank(a), rank(b));
        peak.cmp(&other).then(kurtosis.total_cmp(&less))
    };
    (0..maps.len()).rev().max_by(better)
}

/// The median of a map where the mask leaves it.
fn background(map: &FocusMap, mask: &Mask) -> f64 {
    let left = map.largest.indexed_iter().filter(|(node, _)| !mask.leaves_out(*node));
    let mut values: Vec<f32> = left.map(|(_, value)| *value).collect();
    match values.len() {
        0 => 0.0,
        count => f64::from(*values.select_nth_unstable_by(count / 2, f32::total_cmp).1),
    }
}

/// The strongest `count` peaks that the mask leaves, the strongest first, none nearer than `apart` metres to a
/// stronger one: the summits of the map, the others suppressed.
pub fn peaks(map: &FocusMap, grid: &Grid, mask: &Mask, count: usize, apart: f64) -> Vec<Peak> {
    let background = background(map, mask);
    let mut summits: Vec<((usize, usize, usize), f32)> = map
        .largest
        .indexed_iter()
        .filter(|(node, value)| **value > 0.0 && !mask.leaves_out(*node) && map.is_summit(*node))
        .map(|(node, value)| (node, *value))
        .collect();
    summits.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut found: Vec<Peak> = Vec::new();
    for (node, value) in summits {
        if found.len() == count {
            break;
        }
        let summit = map.summit(node);
        let at = refined(&summit, grid);
        let far = |peak: &Peak| {
            let Axes { z, x, y } = peak.at;
            let (dz, dx, dy) = (at.z - z, at.x - x, at.y - y);
            dz * dz + dx * dx + dy * dy >= apart * apart
        };
        if found.iter().all(far) {
            let over = f64::from(value) / background;
            let over_background = (over < NOTHING).then_some(over);
            found.push(Peak { at, step: summit.step as usize, value, over_background });
        }
    }
    found
}

/// A summit's place, metres from the model's first node: the vertex of the parabola through it and its neighbours along each
/// axis.
pub fn refined(summit: &Summit, grid: &Grid) -> Position {
    let vertex = |[before, after]: [Option<f32>; 2]| {
        let (Some(before), Some(after)) = (before, after) else { return 0.0 };
        let [before, here, after] = [before, summit.value, after].map(f64::from);
        let bend = before - 2.0 * here + after;
        // Half a cell at most, for the node is the largest of the three.
        if bend < 0.0 { (0.5 * (before - after) / bend).clamp(-0.5, 0.5) } else { 0.0 }
    };
    let (y, x, z) = summit.node;
    let [along_z, along_x, along_y] = summit.beside.map(vertex);
    Axes {
        z: (z as f64 + along_z) * grid.h.z,
        x: (x as f64 + along_x) * grid.h.x,
        y: if grid.is_volume() { (y as f64 + along_y) * grid.h.y } else { 0.0 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array3;

    /// Bells of given heights over a floor, at places between nodes.
    fn map(grid: &Grid, bells: &[(f64, f64, f32)]) -> FocusMap {
        let value = |(_, x, z): (usize, usize, usize)| {
            let bell = |(bx, bz, height): &(f64, f64, f32)| {
                let r = (x as f64 * grid.h.x - bx).hypot(z as f64 * grid.h.z - bz);
                height * (-(r / 30.0).powi(2)).exp() as f32
            };
            0.01 + bells.iter().map(bell).sum::<f32>()
        };
        FocusMap {
            set: 0,
            largest: Array3::from_shape_fn(grid.shape(), value),
            step: Array3::from_shape_fn(grid.shape(), |(_, x, z)| (1000 * x + z) as u32),
        }
    }

    #[test]
    fn peaks_are_told_apart_and_refined_below_a_cell() {
        let grid = Grid::plane(60, 50, 10.0, 10.0).expect("a grid");
        let bells = [(203.0, 148.0, 1.0), (402.0, 306.0, 2.0), (470.0, 306.0, 0.8)];
        let map = map(&grid, &bells);
        let everywhere = Mask::new(&grid, &[], 0.0);
        let found = peaks(&map, &grid, &everywhere, 9, 100.0);
        assert_eq!(found.len(), 2, "the third is too near: {found:?}");
        for (peak, (x, z, height)) in found.iter().zip([bells[1], bells[0]]) {
            assert!((peak.at.x - x).abs() < 0.5 && (peak.at.z - z).abs() < 0.5, "{peak:?}");
            assert!((peak.value / height - 1.0).abs() < 0.05, "{peak:?}");
            assert_eq!(peak.step, 1000 * (x / 10.0).round() as usize + (z / 10.0).round() as usize);
        }
        // A mask over the strongest leaves the other.
        let mask = Mask::new(&grid, &[Axes::xz(420.0, 300.0)], 120.0);
        let found = peaks(&map, &grid, &mask, 1, 100.0);
        assert!((found[0].at.x - 203.0).abs() < 0.5);
    }

    #[test]
    fn one_peak_is_sharper_than_two_and_two_than_none() {
        let grid = Grid::plane(60, 50, 10.0, 10.0).expect("a grid");
        let everywhere = Mask::new(&grid, &[], 0.0);
        let of = |bells: &[_]| Sharpness::of(&map(&grid, bells).summary(&everywhere));
        let (one, two, none) =
            (of(&[(200.0, 150.0, 1.0)]), of(&[(200.0, 150.0, 1.0), (400.0, 300.0, 1.0)]), of(&[]));
        assert!(one.kurtosis > two.kurtosis && two.kurtosis > none.kurtosis);
        assert!((none.kurtosis - 1.0).abs() < 1e-9 && (none.over_rms - 1.0).abs() < 1e-9);
        assert!(one.over_rms > two.over_rms && two.over_rms > 5.0);
    }
}
