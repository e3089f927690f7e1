//! The sources and receivers of a shot, by piece of the slowest axis. A pass of several steps
//! ([`super::front`]) needs this because none of its steps is complete at any one time.

use super::{bands::Part, shared::Writer};
use crate::{
    Layout,
    grid::Axes,
    plan::{Plan, PointShot, Sampling, Tap},
};
use std::{
    cell::{Cell, RefCell},
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};

/// The sources and receivers of a shot.
pub(crate) struct Stations {
    sources: ByPiece,
    receivers: ByPiece,
    /// The first of each receiver's nodes, in recorded order.
    firsts: Vec<usize>,
    /// p at the receivers' nodes, in recorded order, for every step of the pass but the last.
    recorded: Vec<AtomicU32>,
}

/// Nodes in the order of the pieces that they lie in, otherwise in the given order.
struct ByPiece {
    nodes: Vec<Station>,
    /// Index of each piece's first node, and the end of the last.
    starts: Vec<usize>,
}

struct Station {
    /// Column within its piece.
    column: usize,
    /// Its offset in the field.
    place: usize,
    /// Its index in the given order.
    number: usize,
}

impl ByPiece {
    fn new(layout: &Layout, nodes: impl Iterator<Item = Axes<usize>>) -> Self {
        let volume = layout.is_volume();
        let pieces = layout.slowest().0;
        let station = |(number, node): (usize, Axes<usize>)| {
            let (piece, column) = if volume { (node.y, node.x) } else { (node.x, 0) };
            (piece, Station { column, place: layout.index(node), number })
        };
        let mut all: Vec<_> = nodes.enumerate().map(station).collect();
        all.sort_by_key(|(piece, _)| *piece);
        let starts = (0..=pieces).map(|first| all.partition_point(|(piece, _)| *piece < first));
        ByPiece { starts: starts.collect(), nodes: all.into_iter().map(|(_, node)| node).collect() }
    }

    fn of<'a>(&'a self, part: &'a Part) -> impl Iterator<Item = &'a Station> {
        let nodes = self.starts[part.pieces.start]..self.starts[part.pieces.end];
        self.nodes[nodes].iter().filter(|node| part.columns.contains(&node.column))
    }
}

impl Stations {
    /// The stations of a shot, for passes of `steps` steps.
    pub(crate) fn new(plan: &Plan, shot: &PointShot, layout: &Layout, steps: usize) -> Self {
        let sources = ByPiece::new(layout, shot.sources.iter().map(|source| source.at));
        let traces = plan.taps.iter().any(|tap| matches!(tap, Tap::Traces { .. }));
        let (mut nodes, mut firsts) = (Vec::new(), Vec::new());
        for receiver in shot.receivers.iter().filter(|_| traces) {
            firsts.push(nodes.len());
            nodes.extend(nodes_of(receiver));
        }
        let recorded = nodes.len() * steps.saturating_sub(1);
        let receivers = ByPiece::new(layout, nodes.into_iter());
        let recorded = (0..recorded).map(|_| AtomicU32::new(0)).collect();
        Stations { sources, receivers, firsts, recorded }
    }

    /// Adds the sources' samples to a part of the field.
    pub(crate) fn inject(&self, part: &Part, p: &mut Writer<'_>, sample: impl Fn(usize) -> f32) {
        for source in self.sources.of(part) {
            p.part(source.place, 1)[0] += sample(source.number);
        }
    }

    /// Records the receivers' nodes in a part of the field after a step of the pass.
    pub(crate) fn record(&self, step: usize, part: &Part, p: &mut Writer<'_>) {
        let all = self.receivers.nodes.len();
        // After the last step the field itself can be read.
        let Some(recorded) = self.recorded.get(step * all..(step + 1) * all) else { return };
        for node in self.receivers.of(part) {
            recorded[node.number].store(p.part(node.place, 1)[0].to_bits(), Relaxed);
        }
    }

    /// p at a receiver, by its number, after a step of the pass; `factor` is that of a node's p.
    pub(crate) fn sample(
        &self,
        receiver: &Sampling,
        number: usize,
        step: usize,
        factor: impl Fn(Axes<usize>) -> f64,
    ) -> f64 {
        let next = Cell::new(step * self.receivers.nodes.len() + self.firsts[number]);
        receiver.sample(|node| {
            let value = self.recorded.get(next.replace(next.get() + 1));
            factor(node) * f64::from(value.map_or(0.0, |bits| f32::from_bits(bits.load(Relaxed))))
        })
    }
}

/// The number of nodes that the receivers of a shot read.
pub(crate) fn node_count(shot: &PointShot) -> usize {
    shot.receivers.iter().map(|receiver| nodes_of(receiver).len()).sum()
}

/// The nodes that a receiver reads, in order.
fn nodes_of(receiver: &Sampling) -> Vec<Axes<usize>> {
    let nodes = RefCell::new(Vec::new());
    receiver.sample(|node| {
        nodes.borrow_mut().push(node);
        0.0
    });
    nodes.into_inner()
}
