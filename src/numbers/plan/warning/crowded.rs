//! Surveys within a single cell, typical of kilometres given as metres.

use super::Plan;
use crate::{grid::Position, rounded::rounded};
use serde::Serialize;
use std::fmt;

/// A survey smaller than a cell of its grid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Crowded {
    /// Number of distinct positions of sources and receivers.
    pub(crate) places: usize,
    /// The longest side of the box around them, m.
    pub(crate) extent: f64,
    /// The shortest side of a cell, m.
    pub(crate) cell: f64,
}

impl Crowded {
    /// Fewer are a source and its receiver, which may be near.
    pub(crate) const FEWEST: usize = 3;
}

impl fmt::Display for Crowded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Crowded { places, extent, cell } = self;
        let [extent, cell] = [extent, cell].map(|metres| rounded(*metres));
        write!(
            f,
            "all {places} places of sources and receivers lie within {extent} m, less than a \
             cell of the grid, {cell} m; positions are in metres, so multiply them by 1000 if \
             these are kilometres"
        )
    }
}

impl Plan {
    /// The survey, if [`Crowded::FEWEST`] or more distinct positions lie within one cell.
    pub fn crowded(&self) -> Option<Crowded> {
        let places = || {
            self.shots.iter().flat_map(|shot| {
                let sources = shot.asked.sources.iter().map(|source| source.at);
                sources.chain(shot.asked.receivers.iter().copied())
            })
        };
        let (h, volume) = (self.grid.h, self.grid.is_volume());
        let [low, high] = Position::box_around(places())?;
        let extent = high.zip(low).map(|(high, low)| high - low).largest(volume);
        let cell = if volume { h.z.min(h.x).min(h.y) } else { h.z.min(h.x) };
        if extent >= cell {
            return None;
        }
        let mut places: Vec<[u64; 3]> =
            places().map(|at| [at.z, at.x, at.y].map(f64::to_bits)).collect();
        places.sort_unstable();
        places.dedup();
        let places = places.len();
        (places >= Crowded::FEWEST).then_some(Crowded { places, extent, cell })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        acquisition::line,
        grid::Axes,
        plan::Warning,
        testing::{rock, setup, shot},
    };

    /// A line of `count` receivers up to `x`, m, in cells of 20 m x 10 m.
    fn crowded(x: f64, count: usize) -> Option<Crowded> {
        let receivers = line(Axes::xz(0.0, 0.0), Axes::xz(x, 0.0), count);
        let model = rock([80, 60], [20.0, 10.0], 1500.0);
        let plan = Plan::new(setup(model, vec![shot(0.5 * x, 0.2, receivers)]));
        let plan = plan.expect("a valid setup");
        let crowded = plan.crowded();
        let is_told = plan.warnings().iter().any(|told| matches!(told, Warning::Crowded(_)));
        assert_eq!(is_told, crowded.is_some());
        crowded
    }

    #[test]
    fn a_line_in_kilometres_is_seen_and_other_surveys_are_not() {
        let told = crowded(1.58, 80).expect("it is in one cell");
        assert_eq!(told, Crowded { places: 81, extent: 1.58, cell: 10.0 });
        let said = told.to_string();
        for part in ["all 81 places", "within 1.58 m", "10 m", "by 1000"] {
            assert!(said.contains(part), "{said}");
        }
        assert_eq!(crowded(1.58, 2).expect("it is in one cell").places, 3);
        // The same in metres, just beyond a cell, one close receiver, and many at one position.
        for (x, count) in [(1580.0, 80), (10.0, 80), (1.58, 1), (0.0, 80)] {
            assert_eq!(crowded(x, count), None, "{count} up to {x} m");
        }
    }
}
