//! Sources and receivers as shaders/lib/acquisition.wgsl reads them.

use super::{part::Part, region::Regions, wavelets};
use crate::{
    Layout,
    acquisition::spread::Line,
    grid::Axes,
    plan::{Plan, PointShot, PointSource, Sampling},
};

/// A quad of values as the shader reads them.
type Quad = [u32; 4];
/// Quads per source: position and wavelet, and the scales for four nodes.
const SOURCE_LEN: usize = 2;

/// The scales of a wavelet for a quad of nodes.
struct Source {
    four: u32,
    wavelet: u32,
    scale: [f32; 4],
}

/// The tables of a part of a Plan, one after the other: the sources of each tile of each shot, the
/// receivers, the sources.
pub(crate) fn tables(whole: &Plan, part: &Part, regions: &Regions) -> Vec<Quad> {
    let (starts, sources) = sources(&part.plan, &part.layout, regions);
    let mut tables: Vec<Quad> = starts.windows(2).map(|two| [two[0], two[1], 0, 0]).collect();
    let mut receivers = receivers(whole, part);
    receivers.resize(receivers.len().next_multiple_of(4), 0);
    tables.extend(bytemuck::cast_slice::<u32, Quad>(&receivers));
    for Source { four, wavelet, scale } in sources {
        tables.extend([[four, wavelet, 0, 0], scale.map(f32::to_bits)]);
    }
    tables
}

/// Length of the tables for `shots` shots with this many tiles and sources each, in 4-byte values.
pub(crate) fn len(whole: &Plan, tiles: usize, sources: usize, shots: usize) -> usize {
    let receivers = (shots * whole.most_receivers() * record_len(whole)).div_ceil(4);
    4 * (shots * (tiles + SOURCE_LEN * sources) + receivers)
}

/// The sources of all shots sorted by tile, those of the same quad and wavelet merged, and the
/// first of each tile (with one past the last).
fn sources(plan: &Plan, layout: &Layout, regions: &Regions) -> (Vec<u32>, Vec<Source>) {
    let tile = |source: &PointSource| regions.tile(source.at).expect("regions cover the grid");
    let place = |source: &PointSource| (layout.index(source.at), source.wavelet);
    let samples = wavelets::samples(plan);
    let (mut starts, mut all) = (vec![0], Vec::<Source>::new());
    for shot in &plan.shots {
        let mut sorted = shot.sources.to_vec();
        sorted.sort_by_key(|source| (tile(source), place(source)));
        let mut sorted = sorted.iter().peekable();
        for index in 0..regions.tiles() {
            let first = all.len();
            while let Some(source) = sorted.next_if(|source| tile(source) == index) {
                let (cell, row) = place(source);
                let (four, wavelet) = (cell as u32 / 4, (row * samples) as u32);
                let same = |other: &Source| (other.four, other.wavelet) == (four, wavelet);
                let known = all[first..].iter().rposition(same).map(|known| first + known);
                let known = known.unwrap_or_else(|| {
                    all.push(Source { four, wavelet, scale: [0.0; 4] });
                    all.len() - 1
                });
                all[known].scale[cell % 4] += source.scale as f32;
            }
            starts.push(all.len() as u32);
        }
    }
    (starts, all)
}

/// Whether the record of a receiver has weights: if any lies between nodes, or p is not the field that
/// is stepped.
pub(crate) fn has_weights(plan: &Plan) -> bool {
    plan.samples_between_nodes() || plan.medium.density().is_some()
}

/// The samples that a receiver with weights interpolates: quads along z, nodes along x and y.
pub(crate) fn samples(plan: &Plan) -> Axes<usize> {
    if has_weights(plan) && !plan.samples_between_nodes() {
        return Axes { z: 1, x: 1, y: 1 };
    }
    let width = |n| Line { n, free: false }.width();
    let n = plan.grid.n;
    // The first node may be the last of its quad.
    Axes { z: (3 + width(n.z)).div_ceil(4), x: width(n.x), y: width(n.y) }
}

/// Length of a receiver's record in 4-byte values.
fn record_len(plan: &Plan) -> usize {
    let Axes { z, x, y } = samples(plan);
    match plan.medium.density() {
        Some(_) => 4 * (1 + z * x * y),
        None if has_weights(plan) => 4 * (1 + z + x.div_ceil(4) + y.div_ceil(4)),
        None => 1,
    }
}

/// The offset of a receiver that another slab reads.
const ELSEWHERE: u32 = u32::MAX;

/// The record of each receiver of a Plan for one of its parts, equally many for each shot: the
/// offset of its node; or, if any receiver lies between nodes, the offset of its first quad and the
/// weights along z, x and y. The value at offset 0 is always zero.
fn receivers(plan: &Plan, part: &Part) -> Vec<u32> {
    let (between, samples) = (plan.samples_between_nodes(), samples(plan));
    let (len, split) = (record_len(plan), part.is_split());
    let shot_len = plan.most_receivers() * len;
    let mut records = Vec::with_capacity(plan.shots.len() * shot_len);
    for (index, shot) in plan.shots.iter().enumerate() {
        for receiver in shot.receivers.iter() {
            match receiver {
                _ if split && !part.reads(receiver, plan) => {
                    records.resize(records.len() + len, ELSEWHERE);
                }
                _ if plan.medium.density().is_some() => {
                    records.extend(weights_of_nodes(plan, part, shot, receiver));
                }
                Sampling::Node(node) if !between => {
                    records.push(part.index(node.map(|n| n as usize)) as u32);
                }
                _ => {
                    let Axes { z, x, y } = receiver.spread(plan.grid.n);
                    let first = part.index(Axes { z: z.first, x: x.first, y: y.first });
                    records.extend([first as u32 / 4, 0, 0, 0]);
                    let bits = |w: &f64| (*w as f32).to_bits();
                    let mut along_z = vec![0; 4 * samples.z];
                    for (weight, bits) in
                        along_z[first % 4..].iter_mut().zip(z.weights.iter().map(bits))
                    {
                        *weight = bits;
                    }
                    records.extend(along_z);
                    for weights in [&x.weights[..samples.x], &y.weights[..samples.y]] {
                        records.extend(weights.iter().map(bits));
                        records.resize(records.len().next_multiple_of(4), 0);
                    }
                }
            }
        }
        records.resize((index + 1) * shot_len, 0);
    }
    records
}

/// The record of a receiver with separate weights for each node: the offset of its first quad, and the
/// quads of weights along z, x and y.
fn weights_of_nodes(plan: &Plan, part: &Part, shot: &PointShot, receiver: &Sampling) -> Vec<u32> {
    let (n, samples) = (plan.grid.n, samples(plan));
    let spread = receiver.spread(n);
    let begin = match receiver {
        Sampling::Node(node) if !plan.samples_between_nodes() => node.map(|n| n as usize),
        _ => Axes { z: spread.z.first, x: spread.x.first, y: spread.y.first },
    };
    let first = part.index(begin);
    let mut record = vec![0; record_len(plan)];
    record[0] = first as u32 / 4;
    receiver.each_node(n, |node, weight| {
        let column = (node.y - begin.y) * samples.x + node.x - begin.x;
        let row = first % 4 + node.z - begin.z;
        let weight = weight * plan.pressure_factor(shot.window, node);
        record[4 + 4 * samples.z * column + row] = (weight as f32).to_bits();
    });
    record
}
