//! Sources and receivers between nodes, as weights on nodes.

use super::Plan;
use crate::{
    acquisition::{
        SourceKind,
        spread::{Line, Spread},
    },
    grid::{Axes, Axis, GridError, Position},
};

/// How a receiver reads the field of the computational grid.
#[derive(Clone, Debug, PartialEq)]
pub enum Sampling {
    /// p at a node.
    Node(Axes<usize>),
    /// The sum of p on the nodes around a point, by the weights along each axis.
    Between(Box<Axes<Spread>>),
}

impl Sampling {
    /// p at the receiver, from p on the nodes.
    pub fn sample(&self, p: impl Fn(Axes<usize>) -> f64) -> f64 {
        match self {
            Sampling::Node(node) => p(*node),
            Sampling::Between(spread) => nodes(spread).map(|(node, w)| w * p(node)).sum(),
        }
    }

    /// Its weights along each axis of a grid of `n` nodes.
    pub fn spread(&self, n: Axes<usize>) -> Axes<Spread> {
        let one = |n: usize, at: usize| Line { n, free: false }.monopole(at as f64);
        match self {
            Sampling::Node(at) => Axes { z: one(n.z, at.z), x: one(n.x, at.x), y: one(n.y, at.y) },
            Sampling::Between(spread) => **spread,
        }
    }

    /// Whether every node that it reads is one of `n`.
    pub(super) fn is_on(&self, n: Axes<usize>) -> bool {
        let within = |spread: &Spread, n: usize| {
            let width = Line { n, free: false }.width();
            spread.first.checked_add(width).is_some_and(|end| end <= n)
                && spread.weights[width..].iter().all(|w| *w == 0.0)
        };
        match self {
            Sampling::Node(at) => at.z < n.z && at.x < n.x && at.y < n.y,
            Sampling::Between(spread) => {
                within(&spread.z, n.z) && within(&spread.x, n.x) && within(&spread.y, n.y)
            }
        }
    }
}

/// The nodes of a window that have a weight, and it.
fn nodes(spread: &Axes<Spread>) -> impl Iterator<Item = (Axes<usize>, f64)> {
    spread.y.nodes().flat_map(move |(y, wy)| {
        spread.x.nodes().flat_map(move |(x, wx)| {
            spread.z.nodes().map(move |(z, wz)| (Axes { z, x, y }, wy * wx * wz))
        })
    })
}

impl Plan {
    /// Whether any receiver lies between nodes.
    pub fn samples_between_nodes(&self) -> bool {
        let mut receivers = self.shots.iter().flat_map(|shot| &shot.receivers);
        receivers.any(|receiver| matches!(receiver, Sampling::Between(_)))
    }

    /// The computational grid's axes, with what lies beyond their ends.
    fn lines(&self) -> Axes<Line> {
        let line = |n| Line { n, free: false };
        let n = self.grid.n;
        Axes { z: Line { n: n.z, free: self.free_surface }, x: line(n.x), y: line(n.y) }
    }

    /// A position in nodes of the computational grid.
    fn in_nodes(&self, at: Position) -> Result<Axes<f64>, GridError> {
        let (at, origin) = (self.model_grid.in_nodes(at)?, self.origin);
        let along = |at: f64, origin: usize| at + origin as f64;
        Ok(Axes { z: along(at.z, origin.z), x: along(at.x, origin.x), y: along(at.y, origin.y) })
    }

    /// The nodes that a source fires on, and its weight on each: 1 for a monopole on a node.
    pub(super) fn injection(
        &self,
        at: Position,
        kind: SourceKind,
    ) -> Result<Vec<(Axes<usize>, f64)>, GridError> {
        let (at, lines) = (self.in_nodes(at)?, self.lines());
        let along = |axis: Axis| {
            let (line, at) = (axis.of(&lines), *axis.of(&at));
            if kind != SourceKind::Dipole(axis) {
                return line.monopole(at);
            }
            let Spread { first, weights } = line.dipole(at);
            Spread { first, weights: weights.map(|w| w / axis.of(&self.grid.h)) }
        };
        let spread = Axes { z: along(Axis::Z), x: along(Axis::X), y: along(Axis::Y) };
        Ok(nodes(&spread).collect())
    }

    /// How a receiver at a position reads the field.
    pub(super) fn sampling(&self, at: Position) -> Result<Sampling, GridError> {
        let (at, lines) = (self.in_nodes(at)?, self.lines());
        let z = lines.z.monopole(at.z);
        let (x, y) = (lines.x.monopole(at.x), lines.y.monopole(at.y));
        Ok(match (z.node(), x.node(), y.node()) {
            (Some(z), Some(x), Some(y)) => Sampling::Node(Axes { z, x, y }),
            _ => Sampling::Between(Box::new(Axes { z, x, y })),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        acquisition::{Ricker, Shot, Source, TimeDispersion, Wavelet},
        boundary::{Absorber, Boundary, Top},
        model::VelocityModel,
        plan::{PointShot, Setup, Step, Time},
        stencil::Family,
    };
    use ndarray::Array3;

    fn plan(at: Position, top: Top) -> Plan {
        let wavelet = Wavelet::Ricker(Ricker { peak_hz: 10.0, delay: 0.1 });
        let source = Source { kind: SourceKind::Monopole, at, wavelet, amplitude: 2.5 };
        let velocity =
            Array3::from_shape_fn((11, 7, 12), |(y, x, z)| (1500 + y + 9 * x * z) as f32);
        let h = Axes { z: 10.0, x: 12.5, y: 15.0 };
        Plan::new(Setup {
            model: VelocityModel::volume(velocity, h).expect("a valid model"),
            operator: Family::Taylor { order: 8 },
            boundary: Boundary { top, sides: Absorber::Zero },
            time: Time {
                duration: 0.1,
                step: Step::Auto,
                record: None,
                dispersion: TimeDispersion::Kept,
            },
            shots: vec![Shot { sources: vec![source], receivers: vec![at] }],
            snapshots: Vec::new(),
            initial: None,
            allow_unstable: false,
        })
        .expect("a valid setup")
    }

    #[test]
    fn on_a_node_there_is_a_node_and_the_plain_scale() {
        let plan = plan(Axes { z: 30.0, x: 62.5, y: 150.0 }, Top::Zero);
        let node = Axes { z: 3, x: 5, y: 10 };
        let PointShot { sources, receivers, .. } = &plan.shots[0];
        assert_eq!(receivers[..], [Sampling::Node(node)]);
        assert!(!plan.samples_between_nodes());
        let scale = 2.5 * (plan.v2dt2(0, plan.grid.index(node)) / plan.grid.cell_volume());
        assert_eq!((sources.len(), sources[0].at, sources[0].scale), (1, node, scale));
        // As weights, too.
        let spread = receivers[0].spread(plan.grid.n);
        assert_eq!(nodes(&spread).collect::<Vec<_>>(), [(node, 1.0)]);
        assert!(Sampling::Between(Box::new(spread)).is_on(plan.grid.n));
    }

    /// `<inject s, p / (v dt)^2> = <s, sample p> / cell volume`, to the rounding of f64.
    #[test]
    fn injection_is_the_adjoint_of_sampling() {
        let places =
            [(44.0, 31.0, 77.0), (3.0, 1.0, 149.0), (108.0, 70.0, 40.0), (12.0, 25.0, 9.0)];
        for (z, x, y) in places {
            for top in [Top::Zero, Top::Free] {
                let plan = plan(Axes { z, x, y }, top);
                let field = |node: Axes<usize>| {
                    let i = plan.grid.index(node);
                    // A free surface has no field.
                    if plan.v2dt2(0, i) > 0.0 { (0.37 * (i * i % 101) as f64).sin() } else { 0.0 }
                };
                let PointShot { sources, receivers, .. } = &plan.shots[0];
                let v2dt2 = |node| plan.v2dt2(0, plan.grid.index(node));
                let injected = sources.iter().filter(|source| v2dt2(source.at) > 0.0);
                let injected =
                    injected.map(|source| source.scale / v2dt2(source.at) * field(source.at));
                let injected: f64 = injected.sum::<f64>() * plan.grid.cell_volume() / 2.5;
                let spread = receivers[0].spread(plan.grid.n);
                let sampled: f64 = nodes(&spread).map(|(node, w)| w * field(node)).sum();
                assert!(sources.len() > 16 && sampled != 0.0);
                assert!(
                    (injected - sampled).abs() <= 1e-12 * sampled.abs(),
                    "{injected} {sampled}"
                );
            }
        }
    }
}
