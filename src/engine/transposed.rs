//! The layers of an adjoint ([`Plan::adjoint`]) in the f32 engines; shaders/transposed.wgsl has the
//! equations.
//!
//! Along each axis a strip holds both ends, with zeros on either side as far as a stencil reaches:
//! `[zeros | low | zeros | zeros | high | zeros]`. Each place has chi, zeta and the step's terms of
//! the first and the second derivative. A shot's strips are those along x, `[y][place][z]`, along
//! y, `[place][x][z]`, and along z, `[y][x][place]`.

use crate::{
    boundary::{Coefficients, Profile},
    grid::Axes,
    plan::Plan,
};
use std::ops::Range;

/// The strip of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Strip {
    /// Nodes of the axis, and those of the layers at its ends.
    pub(crate) n: usize,
    pub(crate) low: usize,
    pub(crate) high: usize,
    /// Reach of a stencil, nodes.
    pub(crate) radius: usize,
}

/// An end of an axis.
pub(crate) struct End {
    /// Its nodes.
    pub(crate) nodes: Range<usize>,
    /// The place of the first of them in the strip.
    pub(crate) place: usize,
}

impl Strip {
    fn new(profile: &Profile, radius: usize) -> Self {
        let [low, high] = profile.memory;
        Strip { n: profile.nodes.len(), low, high, radius }
    }

    /// Number of its places; 0 without layers.
    pub(crate) fn len(&self) -> usize {
        if self.low + self.high == 0 { 0 } else { self.low + self.high + 4 * self.radius }
    }

    /// For each place, the index of the layer's node there.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = Option<usize>> {
        let Strip { n, low, high, radius } = *self;
        let zeros = move || std::iter::repeat_n(None, radius);
        let all = zeros().chain((0..low).map(Some)).chain(zeros()).chain(zeros());
        all.chain((n - high..n).map(Some)).chain(zeros()).take(self.len())
    }

    /// The nodes of both layers, widened by `reach`, at most a radius; they may overlap.
    pub(crate) fn ends(&self, reach: usize) -> [End; 2] {
        let Strip { n, low, high, radius } = *self;
        let before = if low > 0 { (low + reach).min(n) } else { 0 };
        let after = if high > 0 { (n - high).saturating_sub(reach) } else { n };
        let of_high = (low + 3 * radius + after).saturating_sub(n - high);
        [End { nodes: 0..before, place: radius }, End { nodes: after..n, place: of_high }]
    }

    /// The places of a node in the ends that a stencil about it reaches: the low one, the high one,
    /// both or neither.
    pub(crate) fn about(&self, node: usize) -> impl Iterator<Item = usize> {
        let Strip { n, low, high, radius } = *self;
        let at_low = (low > 0 && node < low + radius).then_some(radius + node);
        let at_high =
            (high > 0 && node + radius >= n - high).then(|| low + 3 * radius + node - (n - high));
        at_low.into_iter().chain(at_high)
    }
}

/// The strips of a Plan.
pub(crate) fn strips(plan: &Plan) -> Axes<Strip> {
    let Axes { z, x, y } = &plan.profile;
    let of = |profile| Strip::new(profile, plan.radius());
    Axes { z: of(z), x: of(x), y: of(y) }
}

/// Places of a shot along x, y and z; zeros unless the Plan is an adjoint.
pub(crate) fn lens(plan: &Plan) -> [usize; 3] {
    if !plan.adjoint {
        return [0; 3];
    }
    let (n, strips) = (plan.grid.n, strips(plan));
    [n.y * strips.x.len() * n.z, strips.y.len() * n.x * n.z, n.y * n.x * strips.z.len()]
}

/// -e, f and -g at each place of a strip.
pub(crate) fn gains(strip: &Strip, profile: &Profile) -> Vec<[f32; 3]> {
    let of = |node: Option<usize>| {
        node.map_or([0.0; 3], |node| {
            let Coefficients { loss, share, slope, .. } = profile.nodes[node];
            [-loss, share, -slope].map(|gain| gain as f32)
        })
    };
    strip.nodes().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stencil finds the nodes of one layer in their places, and none of the other end.
    #[test]
    fn a_stencil_finds_its_neighbours() {
        for (n, low, high) in [(30, 5, 6), (12, 5, 6), (20, 0, 4), (20, 3, 0)] {
            let strip = Strip { n, low, high, radius: 4 };
            let nodes: Vec<_> = strip.nodes().collect();
            assert_eq!(nodes.len(), strip.len());
            for node in 0..n {
                let mut seen = Vec::new();
                for place in strip.about(node) {
                    for (i, found) in nodes[place - 4..=place + 4].iter().enumerate() {
                        if let Some(found) = found {
                            assert_eq!(found + 4, node + i);
                            seen.push(*found);
                        }
                    }
                }
                let ends = strip.ends(4).into_iter().filter(|end| end.nodes.contains(&node));
                let places = ends.map(|end| end.place + node - end.nodes.start);
                assert!(places.eq(strip.about(node)), "{n} {low} {high} {node}");
                seen.sort_unstable();
                let layer = |at: &usize| (*at < low || *at >= n - high) && at.abs_diff(node) <= 4;
                assert_eq!(
                    seen,
                    (0..n).filter(layer).collect::<Vec<_>>(),
                    "{n} {low} {high} {node}"
                );
            }
        }
    }
}
