//! Reconstruction of a wave backward in time, from boundary values saved on the way forward.
//!
//! Inside the model leapfrog is its own inverse,
//!
//! ```text
//! p(n-1) = 2 p(n) - p(n+1) + (v dt)^2 (lap p(n) + f(n))
//! ```
//!
//! but absorbed energy does not come back. So the field is saved at every step on the ring of nodes
//! just outside the model, as wide as the stencil's reach, and restored there: nothing beyond the
//! ring then affects the model (Dussaud et al. 2008, "Computational strategies for reverse-time
//! migration", SEG; alternatives in Clapp 2009, "Reverse time migration with random boundaries").
//!
//! With N steps, step m of the reconstructed wave is p(N - 1 - m); it starts with p(N - 1), and
//! p(N) as p_prev.

use crate::{
    grid::Axes,
    plan::{Imaging, Plan, PointShot, Saved, Tap},
    stencil::Fourth,
};
use std::{ops::Range, sync::Arc};

/// A run of the ring's nodes along a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The first of them, on the computational grid.
    pub first: Axes<usize>,
    /// Number of nodes.
    pub len: usize,
    /// Its offset among all nodes of the ring.
    pub at: usize,
}

/// The ring, piece by piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ring {
    /// Its pieces.
    pub pieces: Vec<Piece>,
    /// Number of all nodes.
    pub nodes: usize,
}

impl Plan {
    /// The nodes outside the model that a stencil on one of its nodes reads, as far as the grid has
    /// them: six blocks, those along x and y including the edges that the diagonals of explicit
    /// time evolution reach; none above a free surface.
    pub fn ring(&self) -> Ring {
        let radius = self.radius();
        let (n, first, inside) = (self.grid.n, self.origin, self.model_grid.n);
        let model = first.zip(inside).map(|(first, n)| first..first + n);
        let ends = |model: &Range<usize>, n: usize| {
            let low = model.start.saturating_sub(radius)..model.start;
            [low, model.end..(model.end + radius).min(n)]
        };
        let edge = self.fourth.as_ref().map_or(0, Fourth::diagonals);
        let longer = |model: &Range<usize>, n: usize| {
            model.start.saturating_sub(edge)..(model.end + edge).min(n)
        };
        let (z, x) = (longer(&model.z, n.z), longer(&model.x, n.x));
        let with_x = ends(&model.x, n.x).map(|x| Axes { z: z.clone(), x, y: model.y.clone() });
        let with_y = ends(&model.y, n.y).map(|y| Axes { z: z.clone(), x: x.clone(), y });
        let with_z = ends(&model.z, n.z).map(|z| Axes { z, ..model.clone() });
        let (mut pieces, mut nodes) = (Vec::new(), 0);
        for Axes { z, x, y } in with_x.into_iter().chain(with_y).chain(with_z) {
            let columns = y.flat_map(|y| x.clone().map(move |x| (y, x)));
            for (y, x) in columns.filter(|_| !z.is_empty()) {
                let first = Axes { z: z.start, x, y };
                pieces.push(Piece { first, len: z.len(), at: nodes });
                nodes += z.len();
            }
        }
        Ring { pieces, nodes }
    }

    /// Steps at which the ring is saved: the last two are kept whole, the first is not needed.
    pub fn saved_steps(&self) -> Range<usize> {
        1..self.time.steps.saturating_sub(1).max(1)
    }

    /// The same shots without receivers, with the field on the ring saved.
    #[must_use]
    pub fn saving(&self, saved: Saved) -> Plan {
        self.without_receivers().with_taps([Tap::Boundaries(saved)])
    }

    /// The wave of these shots backward in time, reconstructed from the values saved by
    /// [`Plan::saving`], and stored at imaging steps like that of [`Plan::stored`]. Its run starts
    /// from the end of the other (`Run::turn`).
    #[must_use]
    pub fn rebuilt(&self, saved: Saved, imaging: Imaging) -> Plan {
        let steps = self.time.steps;
        let reversed = |wavelet: &Arc<[f64]>| -> Arc<[f64]> {
            wavelet[..steps.min(wavelet.len())].iter().rev().copied().collect()
        };
        let wavelets = self.wavelets.iter().map(reversed).collect();
        let mut plan = self.without_receivers();
        for profile in [&mut plan.profile.z, &mut plan.profile.x, &mut plan.profile.y] {
            profile.clear();
        }
        plan = plan.with_taps([Tap::Store(imaging)]);
        Plan { wavelets, initial: None, rebuilt: Some(saved), ..plan }
    }

    /// A [`Plan::stored`] or [`Plan::saving`] of these shots that records their traces as well.
    #[must_use]
    pub fn with_traces(&self, plan: Plan) -> Plan {
        let traces = Tap::Traces { every: self.time.record_every };
        let taps = plan.taps.into_iter().chain([traces]).collect();
        Plan { shots: self.shots.clone(), taps, ..plan }
    }

    /// The same shots without receivers.
    pub(super) fn without_receivers(&self) -> Plan {
        let shot = |shot: &PointShot| PointShot { receivers: Arc::default(), ..shot.clone() };
        Plan { shots: self.shots.iter().map(shot).collect(), ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        acquisition::{Shot, Source, Wavelet},
        boundary::{Absorber, Boundary, Cpml, Top},
        model::VelocityModel,
        plan::{Setup, Step, Time},
        stencil::{Family, ete::Points},
    };
    use ndarray::Array3;
    use std::collections::HashSet;

    fn plan(operator: Family, n: (usize, usize, usize), top: Top) -> Plan {
        let wavelet = Wavelet::ricker(10.0);
        let at = Axes { z: 50.0, x: 50.0, y: 0.0 };
        let source = Source::new(at, wavelet);
        let h = Axes { z: 10.0, x: 10.0, y: 10.0 };
        let (duration, step) = (0.1, Step::Auto);
        let model = VelocityModel::volume(Array3::from_elem(n, 1500.0), h).expect("a model");
        let shots = vec![Shot { sources: vec![source], receivers: Default::default() }];
        Plan::new(Setup {
            operator,
            boundary: Boundary { top, sides: Absorber::Cpml(Cpml::new(6)) },
            time: Time { step, ..Time::new(duration) },
            ..Setup::new(model, shots, duration)
        })
        .expect("a valid setup")
    }

    /// The ring has each node that the star of a node of the model reads outside of it, once.
    #[test]
    fn the_ring_is_what_a_stencil_reads() {
        for (n, top) in [((1, 20, 30), Top::Absorb), ((12, 14, 16), Top::Free)] {
            let plan = plan(Family::Taylor { order: 8 }, n, top);
            let (origin, inside) = (plan.origin, plan.model_grid.n);
            let mut read = HashSet::new();
            let model = |z: usize, x: usize, y: usize| {
                let along = |i: usize, first: usize, n: usize| (first..first + n).contains(&i);
                along(z, origin.z, inside.z)
                    && along(x, origin.x, inside.x)
                    && along(y, origin.y, inside.y)
            };
            for Axes { z, x, y } in plan.grid.nodes().filter(|node| model(node.z, node.x, node.y)) {
                for j in 1..=plan.radius() {
                    let steps = [(j, 0, 0), (0, j, 0), (0, 0, j)];
                    for (dz, dx, dy) in steps {
                        read.insert((Some(z + dz), Some(x + dx), Some(y + dy)));
                        let back = (z.checked_sub(dz), x.checked_sub(dx), y.checked_sub(dy));
                        read.insert(back);
                    }
                }
            }
            let expected = read.into_iter().filter_map(|(z, x, y)| Some((z?, x?, y?)));
            let on_grid = |(z, x, y): &(usize, usize, usize)| {
                *z < plan.grid.n.z && *x < plan.grid.n.x && *y < plan.grid.n.y
            };
            let expected: HashSet<_> =
                expected.filter(on_grid).filter(|(z, x, y)| !model(*z, *x, *y)).collect();
            let Ring { pieces, nodes } = plan.ring();
            let each = pieces.iter().flat_map(|piece| {
                (0..piece.len).map(|i| (piece.first.z + i, piece.first.x, piece.first.y))
            });
            assert_eq!((each.clone().count(), each.collect()), (nodes, expected));
            let ends = pieces.iter().scan(0, |end, piece| {
                let begins_there = piece.at == *end;
                *end += piece.len;
                Some(begins_there)
            });
            assert!(ends.into_iter().all(|begins_there| begins_there));
        }
    }

    /// It has each node that a diagonal reads outside the model.
    #[test]
    fn the_ring_has_the_edges_that_diagonals_read() {
        for points in [Points::Few, Points::Many] {
            for (n, top) in [((1, 20, 30), Top::Absorb), ((12, 14, 16), Top::Free)] {
                let plan = plan(Family::Ete { points }, n, top);
                let (origin, inside, volume) = (plan.origin, plan.model_grid.n, n.0 > 1);
                let each = plan.ring().pieces.into_iter().flat_map(|piece| {
                    (0..piece.len).map(move |i| (piece.first.z + i, piece.first.x, piece.first.y))
                });
                let ring: HashSet<_> = each.collect();
                let reach = points.diagonal();
                let first = [origin.z, origin.x, origin.y];
                let last = [inside.z, inside.x, inside.y];
                let ends = [0, 1, 2].map(|axis| (first[axis], first[axis] + last[axis] - 1));
                // From a corner of the model outward along each plane's diagonal.
                for j in 1..=reach {
                    let out = |axis: usize, low: bool| match low {
                        true => ends[axis].0.checked_sub(j),
                        false => Some(ends[axis].1 + j),
                    };
                    let below = |axis: usize| ends[axis].1;
                    for low in [false, true] {
                        if let (Some(z), Some(x)) = (out(0, false), out(1, low)) {
                            assert!(ring.contains(&(z, x, below(2))), "zx, {j}");
                        }
                        if let (true, Some(x), Some(y)) = (volume, out(1, low), out(2, false)) {
                            assert!(ring.contains(&(below(0), x, y)), "xy, {j}");
                        }
                        if let (true, Some(z), Some(y)) = (volume, out(0, false), out(2, low)) {
                            assert!(ring.contains(&(z, below(1), y)), "yz, {j}");
                        }
                    }
                }
            }
        }
    }
}
