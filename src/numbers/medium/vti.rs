//! VTI with an energy that is conserved: the self-adjoint pair of Bube, Washbourne, Ergas and Nemeth (2016,
//! "Self-adjoint, energy-conserving second-order pseudoacoustic systems for VTI and TTI media", SEG).
//!
//! With b = 1/rho, f = 1 - (vs/vp)^2 along the axis, `eta = sqrt(2 (epsilon - delta) / (f + 2 epsilon))`, the pressure p, an
//! auxiliary field m, and h standing for x and y:
//!
//! ```text
//! (b/v^2) p_tt = d_h(b (1 + 2 epsilon) d_h p) + d_z(b (1 - f eta^2) d_z p + b f eta sqrt(1 - eta^2) d_z m) + b(xs) s delta
//! (b/v^2) m_tt = d_h(b (1 - f) d_h m) + d_z(b f eta sqrt(1 - eta^2) d_z p + b (1 - f + f eta^2) d_z m)
//! ```
//!
//! The matrix along z is `A = b (I - f n n')`, `n = (eta, -sqrt(1 - eta^2))`, so both fields have an energy. Each term
//! is discretised as
//!
//! ```text
//! D_a u = (a L u + L(a u) - u L a) / 2,    row i: sum_j c_ij (a_i + a_j) / 2 (u_j - u_i)
//! ```
//!
//! with the second derivative L of the step: symmetric, and exactly 0 for a constant u. `L a / 2` is made here, once,
//! with a even about a free surface and constant beyond every other edge; a step needs L of fields alone. Where
//! b and epsilon are constant, `D_a = a L`.

use super::REFERENCE;
use crate::{
    grid::{Axes, Axis},
    model::{Anisotropy, Density},
    plan::ModelValues,
    stencil::AxisOperator,
};
use rayon::prelude::*;
use std::{ops::Range, sync::Arc};

/// The coefficients of VTI on the computational grid.
#[derive(Clone, Debug)]
pub struct Vti {
    f: f64,
    /// b (1 + 2 epsilon).
    across: ModelValues,
    /// b (1 - f eta^2).
    along: ModelValues,
    /// b f eta sqrt(1 - eta^2).
    cross: ModelValues,
    /// b, relative to [`REFERENCE`]; `None` if the density is constant.
    buoyancy: Option<ModelValues>,
    /// The second derivative along each axis of the grid, `c_1 ..= c_L`, 1/m^2.
    operator: Arc<Axes<Vec<f64>>>,
    free_surface: bool,
}

/// How a model lies on a computational grid.
pub(crate) struct Placed<'a> {
    /// Nodes of the model.
    pub inside: Axes<usize>,
    /// Layer cells before the model's first node.
    pub before: Axes<usize>,
    /// Nodes of the grid, layers included.
    pub n: Axes<usize>,
    pub operator: &'a Axes<AxisOperator>,
    pub free_surface: bool,
}

impl Placed<'_> {
    pub(super) fn values(&self, values: Vec<f32>) -> ModelValues {
        ModelValues::new(Arc::new(values), self.inside, self.before, self.n)
    }

    /// `c_1 ..= c_L` of each axis; empty along y in 2-D.
    pub(super) fn wings(&self) -> Arc<Axes<Vec<f64>>> {
        let wing = |axis: &AxisOperator| axis.second[1..].to_vec();
        let Axes { z, x, y } = self.operator;
        let along_y = if self.n.y > 1 { wing(y) } else { Vec::new() };
        Arc::new(Axes { z: wing(z), x: wing(x), y: along_y })
    }
}

/// A coefficient that varies from node to node, as engines read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VtiTerm {
    /// b (1 + 2 epsilon): of p across the axis.
    Across,
    /// b (1 - f eta^2): of p along the axis.
    Along,
    /// b f eta sqrt(1 - eta^2): of each field in the equation of the other, along the axis.
    Cross,
    /// b; of m across the axis b (1 - f), and along it b (2 - f) less [`VtiTerm::Along`].
    Buoyancy,
    /// `L a / 2` of all terms of p in its own equation, 1/m^2.
    OwnOfP,
    /// The same of each field in the equation of the other.
    OwnCross,
    /// The same of m in its own equation.
    OwnOfM,
}

/// A symmetric matrix of both fields, `[[p, cross], [cross, m]]`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pair {
    /// Of p in the equation of p.
    pub p: f64,
    /// Of each field in the equation of the other.
    pub cross: f64,
    /// Of m in the equation of m.
    pub m: f64,
}

impl Pair {
    pub(super) fn plus(self, factor: f64, other: Self) -> Self {
        Pair {
            p: self.p + factor * other.p,
            cross: self.cross + factor * other.cross,
            m: self.m + factor * other.m,
        }
    }

    /// The largest eigenvalue.
    pub(super) fn largest(self) -> f64 {
        let Pair { p, cross, m } = self;
        0.5 * (p + m) + (0.5 * (p - m)).hypot(cross)
    }

    /// The smallest eigenvalue.
    pub(super) fn smallest(self) -> f64 {
        let Pair { p, cross, m } = self;
        0.5 * (p + m) - (0.5 * (p - m)).hypot(cross)
    }
}

impl Vti {
    /// Of parameters on the nodes of a model.
    pub(crate) fn new(anisotropy: &Anisotropy, density: &Density, placed: &Placed<'_>) -> Self {
        let densities = density.shared().filter(|_| !density.is_constant());
        let b = |i: usize| densities.map_or(1.0, |rho| REFERENCE / f64::from(rho[i]));
        let f = anisotropy.f();
        let eta2 = |[epsilon, delta]: [f64; 2]| match epsilon - delta {
            0.0 => 0.0,
            apart => (2.0 * apart / (f + 2.0 * epsilon)).min(1.0),
        };
        let count = placed.inside.z * placed.inside.x * placed.inside.y;
        let values = |of: &(dyn Fn(usize, [f64; 2]) -> f64 + Sync)| {
            let all = (0..count).into_par_iter().map(|i| of(i, anisotropy.at(i)) as f32);
            placed.values(all.collect())
        };
        let cross = |eta2: f64| f * (eta2 * (1.0 - eta2)).sqrt();
        Vti {
            f,
            across: values(&|i, of| b(i) * (1.0 + 2.0 * of[0])),
            along: values(&|i, of| b(i) * (1.0 - f * eta2(of))),
            cross: values(&|i, of| b(i) * cross(eta2(of))),
            buoyancy: densities.map(|_| values(&|i, _| b(i))),
            operator: placed.wings(),
            free_surface: placed.free_surface,
        }
    }

    /// `f = 1 - (vs/vp)^2`.
    pub fn f(&self) -> f64 {
        self.f
    }

    /// True if the density varies.
    pub fn has_density(&self) -> bool {
        self.buoyancy.is_some()
    }

    /// b at a node, relative to 1/[`REFERENCE`].
    pub fn buoyancy(&self, node: Axes<usize>) -> f64 {
        self.buoyancy_at(node.map(|i| i as isize))
    }

    /// The matrix of the terms across the axis, at a node.
    pub fn across(&self, node: Axes<usize>) -> Pair {
        self.across_at(node.map(|i| i as isize))
    }

    /// The matrix of the terms along the axis, at a node.
    pub fn along(&self, node: Axes<usize>) -> Pair {
        self.along_at(node.map(|i| i as isize))
    }

    fn buoyancy_at(&self, node: Axes<isize>) -> f64 {
        self.buoyancy.as_ref().map_or(1.0, |all| f64::from(all.nearest(node)))
    }

    fn across_at(&self, node: Axes<isize>) -> Pair {
        let b = self.buoyancy_at(node);
        Pair { p: f64::from(self.across.nearest(node)), cross: 0.0, m: b * (1.0 - self.f) }
    }

    fn along_at(&self, node: Axes<isize>) -> Pair {
        let p = f64::from(self.along.nearest(node));
        let m = self.buoyancy_at(node) * (2.0 - self.f) - p;
        Pair { p, cross: f64::from(self.cross.nearest(node)), m }
    }

    /// The matrix along an axis at a node, which may lie beyond the grid's edges.
    pub(super) fn matrix(&self, axis: Axis, node: Axes<isize>) -> Pair {
        match axis {
            Axis::Z => self.along_at(node),
            Axis::X | Axis::Y => self.across_at(node),
        }
    }

    /// `L a / 2` of all terms at a node, 1/m^2.
    pub fn own(&self, node: Axes<usize>) -> Pair {
        let mut own = Pair::default();
        self.each_neighbour(node, |c, matrix, here| {
            own = own.plus(0.5 * c, Pair::default().plus(1.0, matrix).plus(-1.0, here));
        });
        own
    }

    /// Calls back with c_j, the matrix at each node that the operator reads beside a node, and the one here along the same
    /// axis.
    fn each_neighbour(&self, node: Axes<usize>, mut to: impl FnMut(f64, Pair, Pair)) {
        let Vti { operator, free_surface, .. } = self;
        let node = node.map(|i| i as isize);
        for axis in [Axis::Z, Axis::X, Axis::Y] {
            let here = self.matrix(axis, node);
            for (c, j) in axis.of(operator).iter().zip(1..) {
                for by in [-j, j] {
                    let mut beside = node;
                    *axis.of_mut(&mut beside) += by;
                    if *free_surface {
                        beside.z = beside.z.abs();
                    }
                    to(*c, self.matrix(axis, beside), here);
                }
            }
        }
    }

    /// A coefficient at the nodes of a column from a node on.
    pub(crate) fn of_column(&self, term: VtiTerm, from: Axes<usize>, to: &mut [f32]) {
        for (row, to) in to.iter_mut().enumerate() {
            let node = Axes { z: from.z + row, ..from };
            *to = match term {
                VtiTerm::Across => self.across.at(node),
                VtiTerm::Along => self.along.at(node),
                VtiTerm::Cross => self.cross.at(node),
                VtiTerm::Buoyancy => self.buoyancy(node) as f32,
                VtiTerm::OwnOfP => self.own(node).p as f32,
                VtiTerm::OwnCross => self.own(node).cross as f32,
                VtiTerm::OwnOfM => self.own(node).m as f32,
            };
        }
    }

    /// The largest of a bound of the eigenvalues of `v^2/b K`, K the operator of both fields, over the nodes of a
    /// grid: that of Gershgorin by blocks of both fields, `v^2/b (|K_ii| + sum_j |K_ij|)`.
    pub(crate) fn largest(&self, velocities: &ModelValues) -> f64 {
        let n = velocities.n();
        let column = |index: usize| {
            let from = Axes { z: 0, x: index % n.x, y: index / n.x };
            let bound = |z: usize| {
                let node = Axes { z, ..from };
                let (mut own, mut others) = (Pair::default(), 0.0);
                self.each_neighbour(node, |c, matrix, here| {
                    let mean = Pair::default().plus(0.5, matrix).plus(0.5, here);
                    own = own.plus(c, mean);
                    others += c.abs() * mean.largest();
                });
                let v = f64::from(velocities.at(node));
                v * v / self.buoyancy(node) * (own.largest().max(-own.smallest()) + others)
            };
            (0..n.z).map(bound).fold(0.0, f64::max)
        };
        (0..n.x * n.y).into_par_iter().map(column).reduce(|| 0.0, f64::max)
    }

    pub(super) fn operator(&self) -> &Axes<Vec<f64>> {
        &self.operator
    }

    pub(super) fn free_surface(&self) -> bool {
        self.free_surface
    }

    /// The values of each node that determine it.
    pub(crate) fn values(&self) -> impl Iterator<Item = &ModelValues> {
        [&self.across, &self.along, &self.cross].into_iter().chain(&self.buoyancy)
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        let alike = self.values().zip(other.values()).all(|(one, other)| one.is_same(other));
        let whole = [self, other].map(|vti| (vti.f, vti.has_density(), vti.free_surface));
        alike && whole[0] == whole[1] && self.operator == other.operator
    }

    pub(super) fn cut(&self, pieces: Range<usize>) -> Self {
        Vti {
            across: self.across.cut(pieces.clone()),
            along: self.along.cut(pieces.clone()),
            cross: self.cross.cut(pieces.clone()),
            buoyancy: self.buoyancy.as_ref().map(|all| all.cut(pieces)),
            ..self.clone()
        }
    }
}
