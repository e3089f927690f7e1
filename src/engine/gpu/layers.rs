//! Absorbing layers as shaders/lib/layers.wgsl reads them.

use crate::{
    boundary::{Coefficients, Profile},
    grid::Axes,
    plan::Plan,
};

/// Quads of nodes along z with memory variables, at the low and the high end. If the two meet, the
/// whole axis counts as the low end.
pub(crate) fn memory_z(plan: &Plan) -> [usize; 2] {
    quads(plan.grid.n.z, plan.profile.z.memory)
}

fn quads(n: usize, [low, high]: [usize; 2]) -> [usize; 2] {
    let (all, low, before) = (n.div_ceil(4), low.div_ceil(4), (n - high) / 4);
    match high {
        0 => [low, 0],
        _ if low > before => [all, 0],
        _ => [low, all - before],
    }
}

/// Memory variables per shot; see shaders/lib/layers.wgsl.
pub(crate) fn memory_len(plan: &Plan) -> usize {
    memory_lens(plan).iter().sum()
}

/// The numbers of memory variables of the layers along x, z and y, in storage order.
pub(crate) fn memory_lens(plan: &Plan) -> [usize; 3] {
    if !plan.has_cpml() {
        return [0; 3];
    }
    let (n, along_z) = (plan.grid.n, plan.grid.n.z.div_ceil(4));
    let strip = |memory: [usize; 2]| memory.iter().sum::<usize>();
    let x = n.y * strip(plan.profile.x.memory) * along_z;
    let z = n.y * strip(memory_z(plan)) * n.x;
    let y = strip(plan.profile.y.memory) * n.x * along_z;
    [x, z, y].map(|quads| 4 * 2 * quads)
}

/// Nodes at either end that a sponge damps.
fn damped(profile: &Profile) -> [usize; 2] {
    let calm = |node: &Coefficients| node.damping == 1.0;
    let nodes = &profile.nodes;
    let low = nodes.iter().position(calm).unwrap_or(nodes.len());
    let high = nodes[low..].iter().rev().position(calm).unwrap_or(0);
    [low, high]
}

/// How far a layer of either kind reaches in from each end of each axis; in quads along z.
pub(crate) fn reach(plan: &Plan) -> Axes<[usize; 2]> {
    let along = |profile: &Profile| match profile.memory {
        [0, 0] => damped(profile),
        memory => memory,
    };
    let Axes { z, x, y } = &plan.profile;
    Axes { z: quads(plan.grid.n.z, along(z)), x: along(x), y: along(y) }
}

/// (-e, f, -g, 0) of a CPML or the factor of a sponge at each node along x; then at each quad along
/// z; then at each node along y.
pub(crate) fn coefficients(plan: &Plan) -> Vec<[f32; 4]> {
    let cpml = plan.has_cpml();
    let values = |node: &Coefficients| {
        let Coefficients { damping, loss, share, slope } = *node;
        let values = if cpml { [-loss, share, -slope, 0.0] } else { [damping, 0.0, 0.0, 0.0] };
        values.map(|value| value as f32)
    };
    let along_x = plan.profile.x.nodes.iter().map(values);
    let along_z = plan.profile.z.nodes.chunks(4).flat_map(|four| {
        // Nothing is absorbed after the last node.
        let of = |node: usize| four.get(node).map_or([0.0; 4], values);
        [0, 1, 2, 3].map(|value| [0, 1, 2, 3].map(|node| of(node)[value]))
    });
    along_x.chain(along_z).chain(plan.profile.y.nodes.iter().map(values)).collect()
}
