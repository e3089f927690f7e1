//! Where a shot fires and listens, piece by piece of the slowest axis: what a pass of several steps ([`super::front`]) needs while it is under
//! way, because no step of it is whole at any time.

use super::columns::Part;
use crate::{
    engine::Layout,
    grid::Axes,
    plan::{Plan, PointShot, Tap},
};
use std::{
    cell::{Cell, RefCell},
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};

/// The sources and receivers of a shot.
pub struct Stations {
    sources: ByPiece,
    receivers: ByPiece,
    /// p that receivers read, in the order in which they ask for it, step after step of the pass but the last.
    heard: Vec<AtomicU32>,
}

/// Nodes in the order of the pieces that they lie in, else in the order in which they were given.
struct ByPiece {
    nodes: Vec<Station>,
    /// Where the nodes of each piece begin, and where the last end.
    starts: Vec<usize>,
}

struct Station {
    /// Column of its piece.
    column: usize,
    /// Its place in the field.
    place: usize,
    /// Its number among those that were given.
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
    /// Those of a shot, for passes of so many steps.
    pub fn new(plan: &Plan, shot: &PointShot, layout: &Layout, steps: usize) -> Self {
        let sources = ByPiece::new(layout, shot.sources.iter().map(|source| source.at));
        let traces = plan.taps.iter().any(|tap| matches!(tap, Tap::Traces { .. }));
        let nodes = if traces { nodes_heard(shot) } else { Vec::new() };
        let heard = nodes.len() * steps.saturating_sub(1);
        let receivers = ByPiece::new(layout, nodes.into_iter());
        let heard = (0..heard).map(|_| AtomicU32::new(0)).collect();
        Stations { sources, receivers, heard }
    }

    /// Adds what sources fire to a part of the field, whose values begin at a place.
    pub fn fire(&self, part: &Part, p: &mut [f32], from: usize, sample: impl Fn(usize) -> f32) {
        for source in self.sources.of(part) {
            p[source.place - from] += sample(source.number);
        }
    }

    /// Keeps what receivers read of a part of the field after a step of the pass.
    pub fn listen(&self, step: usize, part: &Part, p: &[f32], from: usize) {
        let all = self.receivers.nodes.len();
        // The last step is there for all to read.
        let Some(heard) = self.heard.get(step * all..(step + 1) * all) else { return };
        for node in self.receivers.of(part) {
            heard[node.number].store(p[node.place - from].to_bits(), Relaxed);
        }
    }

    /// What receivers have read after a step of the pass, to whom asks as they do: node after node.
    pub fn heard(&self, step: usize) -> impl Fn(Axes<usize>) -> f64 {
        let next = Cell::new(step * self.receivers.nodes.len());
        move |_| {
            let value = self.heard.get(next.replace(next.get() + 1));
            f64::from(value.map_or(0.0, |bits| f32::from_bits(bits.load(Relaxed))))
        }
    }
}

/// How many nodes the receivers of a shot ask for.
pub fn asked(shot: &PointShot) -> usize {
    let asked = Cell::new(0);
    for receiver in shot.receivers.iter() {
        receiver.sample(|_| {
            asked.set(asked.get() + 1);
            0.0
        });
    }
    asked.get()
}

/// The nodes that receivers ask for, in this order.
fn nodes_heard(shot: &PointShot) -> Vec<Axes<usize>> {
    let nodes = RefCell::new(Vec::new());
    for receiver in shot.receivers.iter() {
        receiver.sample(|node| {
            nodes.borrow_mut().push(node);
            0.0
        });
    }
    nodes.into_inner()
}
