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
        0.5 * (self.p + self.m) + self.apart()
    }

    /// The smallest eigenvalue.
    pub(super) fn smallest(self) -> f64 {
        0.5 * (self.p + self.m) - self.apart()
    }

    /// Half of the distance between both eigenvalues.
    fn apart(self) -> f64 {
        let half = 0.5 * (self.p - self.m);
        // `hypot` is slow, and most matrices are diagonal.
        if self.cross == 0.0 { half.abs() } else { half.hypot(self.cross) }
    }

    fn mean(self, other: Self) -> Self {
        Pair::default().plus(0.5, self).plus(0.5, other)
    }

    /// True if it is at most `ratio` times another: the difference has no negative eigenvalue.
    pub(super) fn is_within(self, ratio: f64, other: Self) -> bool {
        let apart = Pair::default().plus(ratio, other).plus(-1.0, self);
        apart.p >= 0.0 && apart.m >= 0.0 && apart.p * apart.m >= apart.cross * apart.cross
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

    /// [`Vti::own`] of one pair of fields at the nodes of a column from a node on, to the same bits.
    fn own_of_column(&self, term: VtiTerm, from: Axes<usize>, to: &mut [f32]) {
        let n = self.across.n();
        let (x, y) = (from.x as isize, from.y as isize);
        let part = |pair: Pair| match term {
            VtiTerm::OwnOfP => pair.p,
            VtiTerm::OwnCross => pair.cross,
            _ => pair.m,
        };
        let rows = self.rows_along(x, y);
        let rows: Vec<f64> = rows.into_iter().map(part).collect();
        let mut own = vec![0.0; to.len()];
        for (c, j) in self.operator.z.iter().zip(1..) {
            for by in [-j, j] {
                for (own, z) in own.iter_mut().zip(from.z as isize..) {
                    let beside = if self.free_surface { (z + by).abs() } else { z + by };
                    let beside = beside.clamp(0, n.z as isize - 1) as usize;
                    *own += 0.5 * c * (rows[beside] - rows[z as usize]);
                }
            }
        }
        // Across the axis the matrices are diagonal.
        let (across, factor) = match term {
            VtiTerm::OwnOfP => (Some(&self.across), 1.0),
            VtiTerm::OwnCross => (None, 0.0),
            _ => (self.buoyancy.as_ref(), 1.0 - self.f),
        };
        if let Some(across) = across {
            let here: Vec<f64> =
                across.column(from).take(to.len()).map(|a| f64::from(a) * factor).collect();
            for (axis, [by_x, by_y]) in [(Axis::X, [1, 0]), (Axis::Y, [0, 1])] {
                for (c, j) in axis.of(&self.operator).iter().zip(1..) {
                    for by in [-j, j] {
                        let beside = across.rows(x + by * by_x, y + by * by_y, from.z);
                        for ((own, beside), here) in own.iter_mut().zip(beside).zip(&here) {
                            *own += 0.5 * c * (f64::from(beside) * factor - here);
                        }
                    }
                }
            }
        }
        to.iter_mut().zip(own).for_each(|(to, own)| *to = own as f32);
    }

    /// The matrices along the axis at all rows of a column of the grid.
    fn rows_along(&self, x: isize, y: isize) -> Vec<Pair> {
        let rows = |values: &ModelValues| -> Vec<f32> {
            values.rows(x, y, 0).take(values.n().z).collect()
        };
        let b = self.buoyancy.as_ref().map(rows);
        let pair = |(z, (p, cross)): (usize, (f32, f32))| {
            let p = f64::from(p);
            let b = b.as_ref().map_or(1.0, |b| f64::from(b[z]));
            Pair { p, cross: f64::from(cross), m: b * (2.0 - self.f) - p }
        };
        rows(&self.along).into_iter().zip(rows(&self.cross)).enumerate().map(pair).collect()
    }

    /// The matrices along the axis at all rows of a column of the model.
    pub(super) fn column_along(&self, x: usize, y: usize) -> Vec<Pair> {
        let before = self.across.before();
        self.rows_along((x + before.x) as isize, (y + before.y) as isize)
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
        let plain = match term {
            VtiTerm::Across => &self.across,
            VtiTerm::Along => &self.along,
            VtiTerm::Cross => &self.cross,
            VtiTerm::Buoyancy => return self.buoyancies_of_column(from, to),
            VtiTerm::OwnOfP | VtiTerm::OwnCross | VtiTerm::OwnOfM => {
                return self.own_of_column(term, from, to);
            }
        };
        to.iter_mut().zip(plain.column(from)).for_each(|(to, value)| *to = value);
    }

    fn buoyancies_of_column(&self, from: Axes<usize>, to: &mut [f32]) {
        match &self.buoyancy {
            Some(b) => to.iter_mut().zip(b.column(from)).for_each(|(to, b)| *to = b),
            None => to.fill(1.0),
        }
    }

    /// The largest of a bound of the eigenvalues of `v^2/b K`, K the operator of both fields, over the nodes of a
    /// grid: that of Gershgorin by blocks of both fields, `v^2/b (|K_ii| + sum_j |K_ij|)`.
    pub(crate) fn largest(&self, velocities: &ModelValues) -> f64 {
        let n = velocities.n();
        let column = |index: usize| {
            let (x, y) = (index % n.x, index / n.x);
            let bounds = self.bounds_of_column(x, y);
            let v = velocities.column(Axes { z: 0, x, y });
            let b = self.across_rows(x as isize, y as isize).1;
            let bound =
                |((bound, v), b): ((f64, f32), f64)| f64::from(v) * f64::from(v) / b * bound;
            bounds.into_iter().zip(v).zip(b).map(bound).fold(0.0, f64::max)
        };
        (0..n.x * n.y).into_par_iter().map(column).reduce(|| 0.0, f64::max)
    }

    /// `|K_ii| + sum_j |K_ij|` at all rows of a column of the grid.
    fn bounds_of_column(&self, x: usize, y: usize) -> Vec<f64> {
        let (x, y) = (x as isize, y as isize);
        let rows = self.rows_along(x, y);
        let last = rows.len() as isize - 1;
        let (mut own, mut others) = (vec![Pair::default(); rows.len()], vec![0.0; rows.len()]);
        for (c, j) in self.operator.z.iter().zip(1..) {
            for by in [-j, j] {
                for (z, here) in rows.iter().enumerate() {
                    let beside = z as isize + by;
                    let beside = if self.free_surface { beside.abs() } else { beside };
                    let mean = rows[beside.clamp(0, last) as usize].mean(*here);
                    own[z] = own[z].plus(*c, mean);
                    others[z] += c.abs() * mean.largest();
                }
            }
        }
        // Across the axis the matrices are diagonal.
        let (a_here, b_here) = self.across_rows(x, y);
        for (axis, [by_x, by_y]) in [(Axis::X, [1, 0]), (Axis::Y, [0, 1])] {
            for (c, j) in axis.of(&self.operator).iter().zip(1..) {
                for by in [-j, j] {
                    let (a, b) = self.across_rows(x + by * by_x, y + by * by_y);
                    for z in 0..rows.len() {
                        let mean =
                            self.diagonal(a[z], b[z]).mean(self.diagonal(a_here[z], b_here[z]));
                        own[z] = own[z].plus(*c, mean);
                        others[z] += c.abs() * mean.largest();
                    }
                }
            }
        }
        own.into_iter()
            .zip(others)
            .map(|(own, others)| own.largest().max(-own.smallest()) + others)
            .collect()
    }

    /// `b (1 + 2 epsilon)` and b at all rows of a column of the grid, which may lie beyond its edges.
    fn across_rows(&self, x: isize, y: isize) -> (Vec<f64>, Vec<f64>) {
        let rows =
            |values: &ModelValues| values.rows(x, y, 0).take(values.n().z).map(f64::from).collect();
        let b = self.buoyancy.as_ref().map_or_else(|| vec![1.0; self.across.n().z], rows);
        (rows(&self.across), b)
    }

    fn diagonal(&self, across: f64, b: f64) -> Pair {
        Pair { p: across, cross: 0.0, m: b * (1.0 - self.f) }
    }

    pub(super) fn values_across(&self) -> &ModelValues {
        &self.across
    }

    pub(super) fn buoyancies(&self) -> Option<&ModelValues> {
        self.buoyancy.as_ref()
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
