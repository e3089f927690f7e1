//! Sources and receivers between nodes, as weights on nodes.

use super::Plan;
use crate::{
    acquisition::{
        SourceKind,
        spread::{Line, Spread},
    },
    grid::{Axes, Axis, GridError, Position},
};
use std::{collections::HashMap, sync::Arc};

/// The sampling of the computational grid's field by a receiver.
#[derive(Clone, Debug, PartialEq)]
pub enum Sampling {
    /// p at a node. Surveys have millions of these, so the type is small.
    Node(Axes<u32>),
    /// The sum of p on the nodes around a point, by the weights along each axis. Receivers that lie
    /// on a line across an axis share their weights along it.
    Between(Axes<Arc<Spread>>),
}

impl Sampling {
    /// p at the receiver, from p on the nodes.
    pub fn sample(&self, p: impl Fn(Axes<usize>) -> f64) -> f64 {
        match self {
            Sampling::Node(node) => p(node.map(|n| n as usize)),
            Sampling::Between(spread) => {
                let spread = spread.each().map(Arc::as_ref);
                nodes(spread).map(|(node, w)| w * p(node)).sum()
            }
        }
    }

    /// Calls back with each node of a grid of `n` nodes that it reads, and its weight.
    pub fn each_node(&self, n: Axes<usize>, mut to: impl FnMut(Axes<usize>, f64)) {
        match self {
            Sampling::Node(node) => to(node.map(|n| n as usize), 1.0),
            Sampling::Between(_) => {
                let spread = self.spread(n);
                nodes(spread.each()).for_each(|(node, weight)| to(node, weight));
            }
        }
    }

    /// Its weights along each axis of a grid of `n` nodes.
    pub fn spread(&self, n: Axes<usize>) -> Axes<Spread> {
        let one = |(n, at): (usize, u32)| Line { n, free: false }.monopole(f64::from(at));
        match self {
            Sampling::Node(at) => n.zip(*at).map(one),
            Sampling::Between(spread) => spread.each().map(|along| **along),
        }
    }

    /// True if every node that it reads is one of `n`.
    pub(super) fn is_on(&self, n: Axes<usize>) -> bool {
        let within = |(spread, n): (&Arc<Spread>, usize)| {
            let width = Line { n, free: false }.width();
            spread.first.checked_add(width).is_some_and(|end| end <= n)
                && spread.weights[width..].iter().all(|w| *w == 0.0)
        };
        match self {
            Sampling::Node(at) => {
                let at = at.map(|n| n as usize);
                at.z < n.z && at.x < n.x && at.y < n.y
            }
            Sampling::Between(spread) => {
                let Axes { z, x, y } = spread.each().zip(n).map(within);
                z && x && y
            }
        }
    }
}

/// The nodes of a window with nonzero weights.
pub(super) fn nodes(spread: Axes<&Spread>) -> impl Iterator<Item = (Axes<usize>, f64)> {
    spread.y.nodes().flat_map(move |(y, wy)| {
        spread.x.nodes().flat_map(move |(x, wx)| {
            spread.z.nodes().map(move |(z, wz)| (Axes { z, x, y }, wy * wx * wz))
        })
    })
}

impl Plan {
    /// True if any receiver lies between nodes.
    pub fn samples_between_nodes(&self) -> bool {
        let mut receivers = self.shots.iter().flat_map(|shot| shot.receivers.iter());
        receivers.any(|receiver| matches!(receiver, Sampling::Between(_)))
    }

    /// The axes of the whole model with its layers, and their ends' conditions.
    fn lines(&self) -> Axes<Line> {
        let line = |n| Line { n, free: false };
        let n = self.whole_nodes();
        Axes { z: Line { n: n.z, free: self.free_surface }, x: line(n.x), y: line(n.y) }
    }

    /// A position in nodes of the whole model with its layers.
    pub(super) fn in_nodes(&self, at: Position) -> Result<Axes<f64>, GridError> {
        let at = self.survey_grid().in_nodes(at)?.zip(self.origin);
        Ok(at.map(|(at, origin)| at + origin as f64))
    }

    /// The nodes that a source injects into in the window that begins at `first`, and its weight on
    /// each: 1 for a monopole on a node.
    pub(super) fn injection(
        &self,
        at: Position,
        kind: SourceKind,
        first: Axes<usize>,
    ) -> Result<Vec<(Axes<usize>, f64)>, GridError> {
        let (at, lines) = (self.in_nodes(at)?, self.lines());
        let along = |axis: Axis| -> Vec<(usize, f64)> {
            let (line, at, h) = (axis.of(&lines), *axis.of(&at), axis.of(&self.grid.h));
            let first = axis.of(&first);
            match kind == SourceKind::Dipole(axis) {
                true => line.dipole(at).into_iter().map(|(n, w)| (n - first, w / h)).collect(),
                false => line.monopole(at).nodes().map(|(n, w)| (n - first, w)).collect(),
            }
        };
        let (z, x, y) = (along(Axis::Z), along(Axis::X), along(Axis::Y));
        let mut nodes = Vec::with_capacity(z.len() * x.len() * y.len());
        for (y, wy) in y {
            for &(x, wx) in &x {
                nodes.extend(z.iter().map(|&(z, wz)| (Axes { z, x, y }, wy * wx * wz)));
            }
        }
        Ok(nodes)
    }

    /// The samplings of receivers at some positions in the window that begins at `first`; or the first
    /// receiver that is not in the model, and why.
    pub(super) fn sampling(
        &self,
        places: &[Position],
        first: Axes<usize>,
    ) -> Result<Arc<[Sampling]>, (usize, GridError)> {
        let at_fault = |(index, at)| self.in_nodes(at).err().map(|error| (index, error));
        if let Some(refused) = places.iter().copied().enumerate().find_map(at_fault) {
            return Err(refused);
        }
        let lines = self.lines();
        let mut known = Axes::<HashMap<u64, Arc<Spread>>>::default();
        let n = self.grid.n;
        let shared = |known: &mut HashMap<u64, Arc<Spread>>, axis: Axis, at: f64| {
            let spread = known.entry(at.to_bits());
            let of_window = || {
                let (line, n) = (axis.of(&lines), *axis.of(&n));
                Arc::new(line.monopole(at).within(*axis.of(&first), n))
            };
            spread.or_insert_with(of_window).clone()
        };
        let one = |at: &Position| {
            let at = self.in_nodes(*at).expect("every position has been looked at");
            match [at.z, at.x, at.y].iter().all(|along| along.fract() == 0.0) {
                true => Sampling::Node(
                    at.zip(first).map(|(along, first)| (along as usize - first) as u32),
                ),
                false => Sampling::Between(Axes {
                    z: shared(&mut known.z, Axis::Z, at.z),
                    x: shared(&mut known.x, Axis::X, at.x),
                    y: shared(&mut known.y, Axis::Y, at.y),
                }),
            }
        };
        Ok(places.iter().map(one).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        acquisition::{Shot, Source, Wavelet},
        boundary::{Absorber, Boundary, Top},
        model::VelocityModel,
        plan::{PointShot, Setup, Window},
        testing::setup,
    };
    use ndarray::Array3;

    fn plan(at: Position, top: Top) -> Plan {
        let source = Source { amplitude: 2.5, ..Source::new(at, Wavelet::ricker(10.0)) };
        let velocity =
            Array3::from_shape_fn((11, 7, 12), |(y, x, z)| (1500 + y + 9 * x * z) as f32);
        let h = Axes { z: 10.0, x: 12.5, y: 15.0 };
        let model = VelocityModel::volume(velocity, h).expect("a valid model");
        let boundary = Boundary { top, sides: Absorber::Zero };
        let setup = Setup { boundary, ..setup(model, vec![Shot::new(source, vec![at])]) };
        Plan::new(setup).expect("a valid setup")
    }

    #[test]
    fn on_a_node_there_is_a_node_and_the_plain_scale() {
        let plan = plan(Axes { z: 30.0, x: 62.5, y: 150.0 }, Top::Zero);
        let node = Axes { z: 3, x: 5, y: 10 };
        let PointShot { sources, receivers, .. } = &plan.shots[0];
        assert_eq!(receivers[..], [Sampling::Node(node.map(|n| n as u32))]);
        assert!(!plan.samples_between_nodes());
        let scale = 2.5 * (plan.v2dt2(Window::whole(0), node) / plan.grid.cell_volume());
        assert_eq!((sources.len(), sources[0].at, sources[0].scale), (1, node, scale));
        // By weights, too.
        let spread = receivers[0].spread(plan.grid.n);
        assert_eq!(nodes(spread.each()).collect::<Vec<_>>(), [(node, 1.0)]);
        assert!(Sampling::Between(spread.map(Arc::new)).is_on(plan.grid.n));
        assert_eq!(size_of::<Sampling>(), 24, "surveys have millions of them");
    }

    /// `<inject s, p / (v dt)^2> = <s, sample p> / cell volume`, to the rounding of f64.
    #[test]
    fn injection_is_the_adjoint_of_sampling() {
        let places =
            [(44.0, 31.0, 77.0), (3.0, 1.0, 149.0), (108.0, 70.0, 40.0), (12.0, 25.0, 9.0)];
        for ((z, x, y), top) in places.into_iter().flat_map(|at| [(at, Top::Zero), (at, Top::Free)])
        {
            let plan = plan(Axes { z, x, y }, top);
            let v2dt2 = |node| plan.v2dt2(Window::whole(0), node);
            // A free surface has no field.
            let field = |node: Axes<usize>| {
                let i = plan.grid.index(node);
                if v2dt2(node) > 0.0 { (0.37 * (i * i % 101) as f64).sin() } else { 0.0 }
            };
            let PointShot { sources, receivers, .. } = &plan.shots[0];
            let injected = sources.iter().filter(|source| v2dt2(source.at) > 0.0);
            let injected = injected.map(|point| point.scale / v2dt2(point.at) * field(point.at));
            let injected: f64 = injected.sum::<f64>() * plan.grid.cell_volume() / 2.5;
            let spread = receivers[0].spread(plan.grid.n);
            let sampled: f64 = nodes(spread.each()).map(|(node, w)| w * field(node)).sum();
            assert!(sources.len() > 16 && sampled != 0.0);
            assert!((injected / sampled - 1.0).abs() <= 1e-12, "{injected} {sampled}");
        }
    }

    /// The first moment of a delta's derivative is -1, in metres.
    #[test]
    fn a_dipole_has_the_same_strength_at_any_spacing() {
        let at = Axes { z: 44.0, x: 31.0, y: 77.0 };
        let plan = plan(at, Top::Zero);
        for axis in [Axis::Z, Axis::X, Axis::Y] {
            let nodes = plan
                .injection(at, SourceKind::Dipole(axis), Axes::default())
                .expect("in the model");
            let from = |node| *axis.of(&node) as f64 * axis.of(&plan.grid.h) - axis.of(&at);
            let moment: f64 = nodes.into_iter().map(|(node, w)| w * from(node)).sum();
            assert!((moment + 1.0).abs() < 0.01, "{axis:?}: {moment}");
        }
    }
}
