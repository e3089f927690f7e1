//! Absorbing layers as shaders/lib/layers.wgsl reads them.

use crate::{
    Losses,
    boundary::{Coefficients, Profile},
    grid::Axes,
    plan::Plan,
};

/// Quads of nodes along z with memory variables, at the low and the high end. If the two meet, the
/// whole axis counts as the low end.
pub fn memory_z(plan: &Plan) -> [usize; 2] {
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
pub fn memory_len(plan: &Plan) -> usize {
    memory_lens(plan).iter().sum()
}

/// The numbers of memory variables of the layers along x, z and y, in storage order.
pub fn memory_lens(plan: &Plan) -> [usize; 3] {
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
pub fn reach(plan: &Plan) -> Axes<[usize; 2]> {
    let along = |profile: &Profile| match profile.memory {
        [0, 0] => damped(profile),
        memory => memory,
    };
    let Axes { z, x, y } = &plan.profile;
    Axes { z: quads(plan.grid.n.z, along(z)), x: along(x), y: along(y) }
}

/// (g or f, df/dx, 0, 0) at each node along x; then at each quad along z; then at each node along
/// y. A layer is a sponge or a CPML. For a CPML the losses follow, for each copy of a model
/// ([`losses_len`]).
pub fn coefficients(plan: &Plan) -> Vec<[f32; 4]> {
    let cpml = plan.has_cpml();
    let values = |node: &Coefficients| {
        let first = if cpml { node.share } else { node.damping };
        [first as f32, node.slope as f32, 0.0, 0.0]
    };
    let along_x = plan.profile.x.nodes.iter().map(values);
    let along_z = plan.profile.z.nodes.chunks(4).flat_map(|four| {
        // Nothing is absorbed after the last node.
        let of = |node: usize| four.get(node).map_or([0.0; 4], values);
        [0, 1, 2, 3].map(|value| [0, 1, 2, 3].map(|node| of(node)[value]))
    });
    let nodes = along_x.chain(along_z).chain(plan.profile.y.nodes.iter().map(values));
    let models = if cpml { plan.copies() } else { Vec::new() };
    nodes.chain(models.into_iter().flat_map(|model| losses(plan, model))).collect()
}

/// The losses of a model: along x in each plane, at either end of each quad; in 3-D along y, at
/// either end of each column's quads; along z, (low end, high end, 0, 0) of each column.
fn losses(plan: &Plan, model: usize) -> Vec<[f32; 4]> {
    let Losses { slowest, middle, along_z, .. } =
        Losses::new(plan, model, plan.grid.n.z.next_multiple_of(4));
    let (x, y) = if plan.grid.is_volume() { (middle, slowest) } else { (slowest, middle) };
    let across = |values: &[f32]| values.as_chunks().0.to_vec();
    let (columns, _) = along_z.as_chunks();
    let z = columns.iter().map(|[low, high]| [*low, *high, 0.0, 0.0]).collect();
    [across(&x), across(&y), z].concat()
}

/// Quads of a model's losses along x, y and z.
pub fn losses_len(plan: &Plan) -> [usize; 3] {
    let (n, along_z) = (plan.grid.n, plan.grid.n.z.div_ceil(4));
    let of = |profile: &Profile, quads: usize| if profile.memory == [0, 0] { 0 } else { quads };
    let Axes { z, x, y } = &plan.profile;
    [of(x, 2 * n.y * along_z), of(y, 2 * n.x * along_z), of(z, n.x * n.y)]
}
