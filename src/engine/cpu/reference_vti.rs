//! The oracle's step of VTI ([`crate::medium::Vti`]). The twin of `shaders/vti.wgsl`.
//!
//! ```text
//! u_next = g (2 u + (v dt)^2/b K u) - g^2 u_prev,    u = (p, m)
//! K u = sum over the axes of (A L u + L(A u)) / 2 + A C u  -  O u,    O = sum of L A / 2
//! ```
//!
//! A is the matrix along the axis or across it, and C u the correction of a CPML, which has memory variables of both
//! fields. Both fields are odd about a free surface. In an adjoint the correction is that of the transposed layers,
//! C' (A u), whose memory A u drives.

use super::{
    padded::{Padded, first, pairs},
    reference::{Along, Wavefield, give},
};
use crate::{
    grid::{Axes, Axis},
    medium::{Pair, Vti},
    plan::{Plan, Window},
};

/// The coefficients of each node, `[y][x][z]`.
pub(crate) struct VtiCoefficients {
    across: Vec<Pair>,
    along: Vec<Pair>,
    own: Vec<Pair>,
    buoyancy: Vec<f64>,
}

impl VtiCoefficients {
    pub(crate) fn new(plan: &Plan, vti: &Vti, window: Window) -> Self {
        let nodes = || plan.grid.nodes().map(|node| window.in_whole(node));
        VtiCoefficients {
            across: nodes().map(|node| vti.across(node)).collect(),
            along: nodes().map(|node| vti.along(node)).collect(),
            own: nodes().map(|node| vti.own(node)).collect(),
            buoyancy: nodes().map(|node| vti.buoyancy(node)).collect(),
        }
    }

    fn matrix(&self, axis: Axis, index: usize) -> Pair {
        match axis {
            Axis::Z => self.along[index],
            Axis::X | Axis::Y => self.across[index],
        }
    }
}

fn times(Pair { p: a, cross, m: d }: Pair, [p, m]: [f64; 2]) -> [f64; 2] {
    [a * p + cross * m, cross * p + d * m]
}

/// A u of both fields on all nodes, with images above a free surface.
fn products(plan: &Plan, of: &VtiCoefficients, axis: Axis, [p, m]: [&Padded; 2]) -> [Padded; 2] {
    let mut products = [Padded::new(plan), Padded::new(plan)];
    for index in 0..plan.grid.cells() {
        let i = p.place(plan.grid.node_of(index));
        let [of_p, of_m] = times(of.matrix(axis, index), [p.values[i], m.values[i]]);
        (products[0].values[i], products[1].values[i]) = (of_p, of_m);
    }
    products.iter_mut().for_each(|product| product.reflect(plan));
    products
}

/// Steps every node of both fields once; each one's p and p_prev change places.
pub(crate) fn step(
    plan: &Plan,
    v2dt2: &[f64],
    coefficients: &VtiCoefficients,
    [p, m]: [&mut Wavefield; 2],
) {
    let of_z = products(plan, coefficients, Axis::Z, [&p.p, &m.p]);
    let of_h = products(plan, coefficients, Axis::X, [&p.p, &m.p]);
    if plan.adjoint {
        for (which, field) in [&mut *p, &mut *m].into_iter().enumerate() {
            let along = |axis| if axis == Axis::Z { &of_z[which] } else { &of_h[which] };
            give(plan, &mut field.axes, along);
        }
    }
    for (index, v2dt2) in v2dt2.iter().enumerate() {
        let node = plan.grid.node_of(index);
        let i = p.p.place(node);
        let own = times(coefficients.own[index], [p.p.values[i], m.p.values[i]]);
        let (mut sum, mut g) = (own.map(|own| -own), 1.0);
        for at in 0..p.axes.len() {
            let axis = p.axes[at].axis;
            let products = if axis == Axis::Z { &of_z } else { &of_h };
            let second = &axis.of(&plan.operator).second;
            let mut terms = [0.0; 2];
            for (which, field) in [&mut *p, &mut *m].into_iter().enumerate() {
                let Wavefield { p: field, axes, .. } = field;
                let d2 = pairs(second, &field.values, i, axes[at].stride);
                terms[which] = 0.5 * d2;
                if plan.adjoint {
                    sum[which] += transposed(plan, &axes[at], i);
                } else {
                    terms[which] += correction(plan, &mut axes[at], &field.values, node, i, d2);
                }
                sum[which] += 0.5 * pairs(second, &products[which].values, i, axes[at].stride);
            }
            let terms = times(coefficients.matrix(axis, index), terms);
            (sum[0], sum[1]) = (sum[0] + terms[0], sum[1] + terms[1]);
            g *= axis.of(&plan.profile).nodes[*axis.of(&node)].damping;
        }
        let push = v2dt2 / coefficients.buoyancy[index];
        for (field, sum) in [&mut *p, &mut *m].into_iter().zip(sum) {
            let Wavefield { p, p_prev, .. } = field;
            let moved = 2.0 * p.values[i] + push * sum;
            p_prev.values[i] = g * (moved - g * p_prev.values[i]);
        }
    }
    std::mem::swap(&mut p.p, &mut p.p_prev);
    std::mem::swap(&mut m.p, &mut m.p_prev);
}

/// The correction of an adjoint's layers along an axis at a node.
fn transposed(plan: &Plan, along: &Along, i: usize) -> f64 {
    let Along { axis, stride, given: [to_first, to_second], .. } = along;
    if to_first.is_empty() {
        return 0.0;
    }
    let operator = axis.of(&plan.operator);
    pairs(&operator.second, to_second, i, *stride) - first(operator, to_first, i, *stride)
}

/// Advances the memory variables of a field along an axis at a node; returns the correction of its second derivative.
fn correction(
    plan: &Plan,
    along: &mut Along,
    field: &[f64],
    node: Axes<usize>,
    i: usize,
    d2: f64,
) -> f64 {
    let Along { axis, stride, chi, zeta, .. } = along;
    let (profile, at) = (axis.of(&plan.profile), *axis.of(&node));
    if !profile.has_memory(at) {
        return 0.0;
    }
    let layer = &profile.nodes[at];
    let d1 = first(axis.of(&plan.operator), field, i, *stride);
    chi[i] -= layer.loss * chi[i] + layer.slope * d1;
    zeta[i] -= layer.loss * (zeta[i] + layer.share * (d2 + chi[i]));
    chi[i] + zeta[i]
}
