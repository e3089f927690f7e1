//! Sources and receivers on a free surface, where the field is always zero.

use super::{Plan, from_one};
use crate::plan::Sampling;
use serde::Serialize;
use std::fmt;

/// Sources or receivers on a free surface.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct OnSurface {
    /// Which kind it is.
    pub what: Point,
    /// Their number.
    pub(crate) count: usize,
    /// Index of the first one's shot.
    #[serde(serialize_with = "from_one")]
    pub shot: usize,
    /// Index of the first one in its shot.
    #[serde(rename = "number", serialize_with = "from_one")]
    pub index: usize,
    /// A depth that works, m: a node's.
    pub(crate) depth: f64,
}

/// A source or a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Point {
    /// Adds nothing to the field.
    Source,
    /// Records zeros.
    Receiver,
}

impl fmt::Display for OnSurface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OnSurface { what, count, shot, index, depth } = self;
        let (name, hears) = match what {
            Point::Source => ("source", "makes no wave"),
            Point::Receiver => ("receiver", "records nothing but zeros"),
        };
        let more = match count {
            1 => String::new(),
            _ => format!(" (and {} more)", count - 1),
        };
        write!(
            f,
            "{name} {} of shot {}{more} is at z = 0 m, on the free surface, where p = 0, and \
             {hears}; put it below, at z = {depth} m or more",
            index + 1,
            shot + 1,
        )
    }
}

impl Plan {
    /// The sources and the receivers on a free surface, each kind once. A dipole along z there adds
    /// up with its image, and radiates.
    pub(crate) fn on_surface(&self) -> Vec<OnSurface> {
        let of = |what| -> Option<OnSurface> {
            let mut shots = (0..self.shots.len()).filter_map(|shot| self.on_surface_of(what, shot));
            let first = shots.next()?;
            let count = first.count + shots.map(|more| more.count).sum::<usize>();
            Some(OnSurface { count, ..first })
        };
        [Point::Source, Point::Receiver].into_iter().filter_map(of).collect()
    }

    /// [`Plan::on_surface`], for a shot.
    pub(super) fn on_surface_of(&self, what: Point, shot: usize) -> Option<OnSurface> {
        if !self.free_surface {
            return None;
        }
        let points = &self.shots[shot];
        let mut moves = vec![false; points.asked.sources.len()];
        for point in points.sources.iter() {
            moves.get_mut(point.source).into_iter().for_each(|moves| *moves |= point.at.z > 0);
        }
        let hears = |index: usize| match &points.receivers[index] {
            Sampling::Node(at) => at.z > 0,
            Sampling::Between(spread) => spread.z.nodes().any(|(z, _)| z > 0),
        };
        let (count, first) = match what {
            Point::Source => count_and_first(moves.iter().map(|moves| !moves)),
            Point::Receiver => {
                count_and_first((0..points.receivers.len()).map(|index| !hears(index)))
            }
        };
        first.map(|index| OnSurface { what, count, shot, index, depth: self.grid.h.z })
    }
}

/// The number of silent points, and the index of the first.
fn count_and_first(silent: impl Iterator<Item = bool>) -> (usize, Option<usize>) {
    let silent = silent.enumerate().filter(|(_, silent)| *silent);
    silent.fold((0, None), |(count, first), (index, _)| (count + 1, first.or(Some(index))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        acquisition::{Shot, Source, SourceKind, Wavelet},
        boundary::{Absorber, Boundary, Top},
        grid::{Axes, Axis},
        plan::{Setup, Warning},
        testing::{rock, setup},
    };

    fn on_surface(top: Top, kind: SourceKind, z: f64, receivers: &[f64]) -> Vec<OnSurface> {
        // The first lies between nodes along x, and below.
        let below = Source::new(Axes::xz(43.0, 20.0), Wavelet::ricker(10.0));
        let source = Source { kind, at: Axes::xz(57.0, z), ..below.clone() };
        let receivers = receivers.iter().map(|z| Axes::xz(33.0, *z)).collect();
        let shots = vec![Shot { sources: vec![below, source], receivers }];
        let plan = Plan::new(Setup {
            boundary: Boundary { top, sides: Absorber::Zero },
            ..setup(rock([30; 2], [10.0, 5.0], 1500.0), shots)
        });
        let plan = plan.expect("a valid setup");
        let (warned, on_surface) = (plan.warnings(), plan.on_surface());
        assert!(on_surface.iter().all(|one| warned.contains(&Warning::OnSurface(*one))));
        on_surface
    }

    #[test]
    fn points_on_a_free_surface_are_reported() {
        let monopole = SourceKind::Monopole;
        let told = on_surface(Top::Free, monopole, 0.0, &[7.0, 0.0, 0.0]);
        let depth = told[0].depth;
        let of = |what, count| OnSurface { what, count, shot: 0, index: 1, depth };
        let source = of(Point::Source, 1);
        assert_eq!(told, [source, of(Point::Receiver, 2)]);
        for (told, begins) in told.iter().zip([
            "source 2 of shot 1 is at z = 0 m, on the free",
            "receiver 2 of shot 1 (and 1 more) is",
        ]) {
            assert!(told.to_string().starts_with(begins), "{told}");
        }
        // The suggested depth works, as does half a spacing.
        for z in [depth, 0.5 * depth] {
            assert_eq!(on_surface(Top::Free, monopole, z, &[z]), []);
        }
        for top in [Top::Zero, Top::Absorb] {
            assert_eq!(on_surface(top, monopole, 0.0, &[0.0]), []);
        }
        // A dipole across the surface and its image add up; one along it and its image cancel.
        assert_eq!(on_surface(Top::Free, SourceKind::Dipole(Axis::Z), 0.0, &[]), []);
        assert_eq!(on_surface(Top::Free, SourceKind::Dipole(Axis::X), 0.0, &[]), [source]);
    }
}
