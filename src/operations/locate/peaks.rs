//! The sources of a focus map, and its sharpness.

use super::Ellipse;
use crate::{
    engine::{FocusMap, FocusSummary, Summit},
    grid::{Axes, Grid, Position},
    plan::Mask,
};
use serde::Serialize;
use std::collections::HashSet;

/// A place where waves focus.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Peak {
    /// Metres from the model's first node, refined below a cell by a parabola along each axis.
    pub at: Position,
    /// The step of the backward run at which the field was strongest there.
    pub step: usize,
    /// Strength.
    pub value: f32,
    /// `value` over the median of the map; `None` if the median is negligible, as where waves have
    /// not been everywhere.
    pub over_background: Option<f64>,
    /// `value` over the highest peak that is not named, as far from all named ones as these from
    /// each other; `None` without another.
    pub over_next: Option<f64>,
    /// Size of the focus, within the least distance between peaks.
    pub(crate) extent: Ellipse,
    /// The highest peak nearer than that distance, but outside the focus.
    pub(crate) beside: Option<Beside>,
}

/// A peak too near to a stronger one to be named.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Beside {
    /// Metres from the model's first node.
    pub(crate) at: Position,
    /// The step at which the field was strongest there.
    pub(crate) step: usize,
    /// Its value over that of the named peak.
    pub(crate) share: f64,
}

/// Concentration of a map in one peak.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sharpness {
    /// The largest value.
    pub(crate) largest: f64,
    /// `largest` over the root mean square of the values.
    pub(crate) over_rms: f64,
    /// The fourth moment of the values over the square of the second, from 1 for a flat map up to
    /// the number of nodes for one with a single node: the kurtosis of the values with both signs
    /// (Levy and Oldenburg 1987 call it varimax).
    pub kurtosis: f64,
}

impl Sharpness {
    /// Sharpness of a map; all 0 for one of zeros.
    pub fn of(summary: &FocusSummary) -> Self {
        let FocusSummary { largest, square, fourth, .. } = *summary;
        let over = |a: f64, b: f64| if b > 0.0 { a / b } else { 0.0 };
        Sharpness {
            largest: f64::from(largest),
            over_rms: over(1.0, square.sqrt()),
            kurtosis: over(fourth, square * square),
        }
    }

    /// True if a peak is the strongest place of the map, which may otherwise be at the edge of the
    /// mask.
    pub fn is_of(&self, peak: f32) -> bool {
        f64::from(peak) >= SAME * self.largest
    }
}

/// A value this many times below a peak is negligible.
const NOTHING: f64 = 1e6;

/// A peak below this fraction of the largest unmasked value is not the map's maximum: rounding
/// makes a smaller difference.
const SAME: f64 = 0.999;

/// The median of a map outside the mask.
fn background(map: &FocusMap, mask: &Mask) -> f64 {
    let left = map.largest.indexed_iter().filter(|(node, _)| !mask.leaves_out(*node));
    let mut values: Vec<f32> = left.map(|(node, value)| value * mask.weight(node)).collect();
    match values.len() {
        0 => 0.0,
        count => f64::from(*values.select_nth_unstable_by(count / 2, f32::total_cmp).1),
    }
}

/// The strongest `count` peaks outside the mask, the strongest first, none nearer than `apart`
/// metres to a stronger one: the summits of the map times the weights of the mask, the others
/// suppressed.
pub fn peaks(map: &FocusMap, grid: &Grid, mask: &Mask, count: usize, apart: f64) -> Vec<Peak> {
    let background = background(map, mask);
    let mut summits: Vec<((usize, usize, usize), f32)> = map
        .largest
        .indexed_iter()
        .filter(|(node, value)| **value > 0.0 && !mask.leaves_out(*node))
        .filter(|(node, _)| map.is_summit(*node, mask))
        .map(|(node, value)| (node, value * mask.weight(node)))
        .collect();
    summits.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut found: Vec<Peak> = Vec::new();
    let mut foci = Vec::new();
    for (node, value) in summits {
        let summit = map.summit(node, mask);
        let (at, step) = (refined(&summit, grid), summit.step as usize);
        let over = |less: f64| f64::from(value) / less;
        match found.iter().position(|peak| at.distance(&peak.at) < apart) {
            Some(near) => {
                let other: &mut Peak = &mut found[near];
                let focus: &HashSet<_> = &foci[near];
                if other.beside.is_none() && !focus.contains(&node) {
                    other.beside = Some(Beside { at, step, share: over(f64::from(other.value)) });
                }
            }
            None if found.len() == count => {
                for peak in &mut found {
                    peak.over_next = Some(1.0 / over(f64::from(peak.value)));
                }
                break;
            }
            None => {
                let over_background = Some(over(background)).filter(|over| *over < NOTHING);
                let (extent, focus) = Ellipse::around(map, grid, mask, node, apart);
                let (over_next, beside) = (None, None);
                found.push(Peak { at, step, value, over_background, over_next, extent, beside });
                foci.push(focus);
            }
        }
    }
    found
}

/// A summit's place, metres from the model's first node: the vertex of the parabola through it and
/// its neighbours along each axis.
pub fn refined(summit: &Summit, grid: &Grid) -> Position {
    let vertex = |beside| vertex(summit.value, beside).0;
    let (y, x, z) = summit.node;
    let [along_z, along_x, along_y] = summit.beside.map(vertex);
    Axes {
        z: (z as f64 + along_z) * grid.h.z,
        x: (x as f64 + along_x) * grid.h.x,
        y: if grid.is_volume() { (y as f64 + along_y) * grid.h.y } else { 0.0 },
    }
}

/// A summit's height by the same parabolas.
pub(super) fn crest(summit: &Summit) -> f64 {
    let above: f64 = summit.beside.map(|beside| vertex(summit.value, beside).1).iter().sum();
    f64::from(summit.value) + above
}

/// The vertex of the parabola through a summit and its neighbours along an axis: its distance, in
/// cells, and its height above the summit.
fn vertex(here: f32, [before, after]: [Option<f32>; 2]) -> (f64, f64) {
    let (Some(before), Some(after)) = (before, after) else { return (0.0, 0.0) };
    let [before, here, after] = [before, here, after].map(f64::from);
    let bend = before - 2.0 * here + after;
    if bend >= 0.0 {
        return (0.0, 0.0);
    }
    // Half a cell at most, because the node is the largest of the three.
    let shift = (0.5 * (before - after) / bend).clamp(-0.5, 0.5);
    (shift, -0.25 * (before - after) * shift)
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
