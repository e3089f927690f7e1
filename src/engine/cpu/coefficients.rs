//! The constant inputs of a step, in f32.

use super::{cache, shared::Reader};
use crate::{
    Layout,
    boundary::Profile,
    grid::Axes,
    plan::{Plan, PointShot},
    stencil::{MAX_RADIUS, ete},
};

/// Operators and sponge as f32.
pub(crate) struct Coefficients {
    pub(crate) second: Axes<Operator>,
    /// d_0 = 0, so both operators count from 1.
    pub(crate) first: Axes<Operator>,
    /// The sponge's factor along each axis, zero after the last node of z; empty without a sponge.
    damping: Axes<Vec<f32>>,
    pub(crate) free_surface: bool,
    /// Values of a core's private cache that a tile may use.
    tile: usize,
    /// Whether the second field is the increment p - p_prev ([`Plan::by_increments`]).
    pub(crate) increments: bool,
    /// The operator of explicit time evolution.
    pub(crate) fourth: Fourth,
}

/// Coefficients by distance, zero beyond the radius.
pub(crate) type Operator = [f32; MAX_RADIUS + 1];

/// Columns of the smallest tile. A smaller one reads mostly its neighbours' values.
const SMALLEST_TILE: usize = 16;

/// A value this small relative to the injected ones is negligible. Ahead of a wave the stencil
/// spreads ever smaller values, down to denormal ones, which many processors process slowly.
const NEGLIGIBLE: f64 = 1e-22;

impl Coefficients {
    pub(crate) fn new(plan: &Plan, layout: &Layout) -> Self {
        let of = |axis: &Profile| axis.nodes.iter().map(|node| node.damping as f32).collect();
        let Axes { z, x, y } = &plan.profile;
        let mut damping: Axes<Vec<f32>> = Axes { z: of(z), x: of(x), y: of(y) };
        if [&damping.z, &damping.x, &damping.y].into_iter().flatten().all(|g| *g == 1.0) {
            damping = Axes::default();
        } else {
            damping.z.resize(layout.column, 0.0);
        }
        let Axes { z, x, y } = &plan.operator;
        Coefficients {
            second: Axes { z: from(0, &z.second), x: from(0, &x.second), y: from(0, &y.second) },
            first: Axes { z: from(1, &z.first), x: from(1, &x.first), y: from(1, &y.first) },
            damping,
            free_surface: plan.free_surface,
            tile: cache::second() / size_of::<f32>() * 3 / 4,
            increments: plan.by_increments,
            fourth: plan.fourth.as_ref().map(Fourth::new).unwrap_or_default(),
        }
    }

    /// The most columns that are stepped in every plane before the next ones.
    pub(crate) fn tile(&self, layout: &Layout) -> usize {
        // The planes of p that a stencil reaches, and one each of (v dt)^2 and p_next.
        let planes = 2 * layout.radius + 3;
        let width = (self.tile / (planes * layout.column)).saturating_sub(2 * layout.radius);
        width.max(SMALLEST_TILE)
    }
}

/// Coefficients from index `start` on; zero elsewhere.
fn from(start: usize, values: &[f64]) -> Operator {
    std::array::from_fn(|j| {
        j.checked_sub(start).and_then(|j| values.get(j)).map_or(0.0, |c| *c as f32)
    })
}

/// |p| of a shot below this is set to zero.
pub(crate) fn negligible(plan: &Plan, shot: &PointShot) -> f32 {
    (NEGLIGIBLE * plan.injected(shot)) as f32
}

/// The inputs of a step.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) coefficients: &'a Coefficients,
    pub(crate) p: Reader<'a>,
    pub(crate) v2dt2: &'a [f32],
    /// (v dt)^2 V; empty if the density is constant.
    pub(crate) potential: &'a [f32],
    /// |p| below this is set to zero.
    pub(crate) negligible: f32,
}

/// The sponge's factor along x and y of a column, and its factors along z; `None` without a sponge.
pub(crate) fn damping(
    coefficients: &Coefficients,
    node: Axes<usize>,
    volume: bool,
) -> Option<(f32, &[f32])> {
    let Axes { z, x, y } = &coefficients.damping;
    let along_x = x.get(node.x)?;
    Some((if volume { along_x * y[node.y] } else { *along_x }, z))
}

/// B as f32.
#[derive(Default)]
pub(crate) struct Fourth {
    pub(crate) star: Axes<Operator>,
    /// In the planes zx, xy and yz.
    pub(crate) diagonal: [Operator; 3],
    /// Length of the diagonals, cells; 0 without B.
    pub(crate) reach: usize,
}

impl Fourth {
    pub(crate) fn new(fourth: &ete::Fourth) -> Self {
        let of = |weights: &Vec<f64>| -> Operator {
            std::array::from_fn(|j| weights.get(j).map_or(0.0, |weight| *weight as f32))
        };
        let (Axes { z, x, y }, diagonal) = (&fourth.star, &fourth.diagonal);
        Fourth {
            star: Axes { z: of(z), x: of(x), y: of(y) },
            diagonal: [of(&diagonal.zx), of(&diagonal.xy), of(&diagonal.yz)],
            reach: fourth.diagonals().min(MAX_RADIUS),
        }
    }
}
