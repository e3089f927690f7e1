//! The oracle's field and model in f64, and its operators.

use super::reference_vti::VtiCoefficients;
use crate::{
    grid::Axes,
    plan::Plan,
    stencil::{AxisOperator, Fourth},
};

/// A field with a halo of zeros, so that a stencil needs no branch; `[y][x][z]`. Above a free
/// surface the halo holds images.
pub(crate) struct Padded {
    pub(crate) values: Vec<f64>,
    /// Distance from a column to the next, and from a plane to the next.
    pub(crate) column: usize,
    pub(crate) plane: usize,
    halo: Axes<usize>,
}

impl Padded {
    pub(crate) fn new(plan: &Plan) -> Self {
        let (n, radius) = (plan.grid.n, plan.radius());
        let halo = Axes { z: radius, x: radius, y: if plan.grid.is_volume() { radius } else { 0 } };
        let column = n.z + 2 * halo.z;
        let plane = column * (n.x + 2 * halo.x);
        Padded { values: vec![0.0; plane * (n.y + 2 * halo.y)], column, plane, halo }
    }

    /// Sets p(-z) = -p(z) above the free surface, if the Plan has one.
    pub(crate) fn reflect(&mut self, plan: &Plan) {
        if !plan.free_surface {
            return;
        }
        for (y, x) in (0..plan.grid.n.y).flat_map(|y| (0..plan.grid.n.x).map(move |x| (y, x))) {
            let surface = self.place(Axes { z: 0, x, y });
            for z in 1..=self.halo.z {
                self.values[surface - z] = -self.values[surface + z];
            }
        }
    }

    /// The nodes without the halo, `[y][x][z]`.
    pub(crate) fn flat(&self, plan: &Plan) -> Vec<f64> {
        let nodes = plan.grid.nodes();
        nodes.map(|node| self.values[self.place(node)]).collect()
    }

    /// Writes the nodes back; zeros for `None`.
    pub(crate) fn put(&mut self, plan: &Plan, flat: Option<&[f64]>) {
        for index in 0..plan.grid.cells() {
            let place = self.place(plan.grid.node_of(index));
            self.values[place] = flat.map_or(0.0, |flat| flat[index]);
        }
        self.reflect(plan);
    }

    pub(crate) fn place(&self, node: Axes<usize>) -> usize {
        let halo = self.halo;
        (node.y + halo.y) * self.plane + (node.x + halo.x) * self.column + node.z + halo.z
    }
}

/// The model as a step reads it, shape `[y][x][z]`.
pub(crate) struct Coefficients {
    /// (v dt)^2, m^2.
    pub v2dt2: Vec<f64>,
    /// V, 1/m^2; empty without one.
    pub potential: Vec<f64>,
    pub vti: Option<VtiCoefficients>,
}

impl Coefficients {
    /// For each of `Plan::copies`.
    pub(crate) fn all(plan: &Plan) -> Vec<Self> {
        let of = |window| {
            let v2dt2 = plan.grid.nodes().map(|node| plan.v2dt2(window, node)).collect();
            let potential = plan.grid.nodes().map(|node| plan.potential(window, node));
            let potential = plan.medium.density().map(|_| potential.collect());
            let vti = plan.medium.vti().map(|vti| VtiCoefficients::new(plan, vti, window));
            Coefficients { v2dt2, potential: potential.unwrap_or_default(), vti }
        };
        plan.copies().into_iter().map(of).collect()
    }
}

/// `c_0 p(i) + sum c_j (p(i + j) + p(i - j))`.
pub(crate) fn pairs(weights: &[f64], p: &[f64], i: usize, stride: usize) -> f64 {
    let mut sum = weights[0] * p[i];
    for j in 1..weights.len() {
        sum += weights[j] * (p[i + j * stride] + p[i - j * stride]);
    }
    sum
}

/// The diagonal terms of explicit time evolution.
pub(crate) fn diagonals(
    Fourth { diagonal, .. }: &Fourth,
    p: &Padded,
    i: usize,
    volume: bool,
) -> f64 {
    let (column, plane, p) = (p.column, p.plane, &p.values);
    let of = |weights: &[f64], one: usize, other: usize| {
        let (down, up) = (one + other, one - other);
        let upward = (1..weights.len()).map(|j| weights[j] * (p[i + j * up] + p[i - j * up]));
        pairs(weights, p, i, down) + upward.sum::<f64>()
    };
    let zx = of(&diagonal.zx, column, 1);
    if volume { zx + of(&diagonal.xy, plane, column) + of(&diagonal.yz, plane, 1) } else { zx }
}

/// `sum d_j (p(i + j) - p(i - j))`.
pub(crate) fn first(operator: &AxisOperator, p: &[f64], i: usize, stride: usize) -> f64 {
    let mut sum = 0.0;
    for j in 1..=operator.radius() {
        sum += operator.first[j - 1] * (p[i + j * stride] - p[i - j * stride]);
    }
    sum
}
