//! Sources and receivers as shaders/lib/acquisition.wgsl reads them.

use super::{model::Model, region::Regions};
use crate::{
    acquisition::spread::Line,
    engine::Layout,
    grid::Axes,
    plan::{Plan, PointSource, Sampling},
};

/// A source as the shader reads it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Source {
    cell: u32,
    wavelet: u32,
    scale: f32,
}

/// The sources of all shots sorted by tile, and the first of each tile (with one past the last).
pub fn sources(
    plan: &Plan,
    layout: &Layout,
    regions: &Regions,
    model: &Model<'_>,
) -> (Vec<u32>, Vec<Source>) {
    let tile = |source: &PointSource| regions.tile(source.at).expect("regions cover the grid");
    let (mut starts, mut all) = (vec![0], Vec::new());
    for shot in &plan.shots {
        let mut sorted = shot.sources.clone();
        sorted.sort_by_key(tile);
        let mut sorted = sorted.iter().peekable();
        for index in 0..regions.tiles() {
            while let Some(source) = sorted.next_if(|source| tile(source) == index) {
                all.push(Source {
                    cell: layout.index(source.at) as u32,
                    wavelet: (source.wavelet * plan.time.steps) as u32,
                    scale: model.source_scale(source) as f32,
                });
            }
            starts.push(all.len() as u32);
        }
    }
    (starts, all)
}

/// Nodes along each axis that a receiver between nodes is taken from.
pub fn samples(plan: &Plan) -> Axes<usize> {
    let width = |n| Line { n, free: false }.width();
    let n = plan.grid.n;
    Axes { z: width(n.z), x: width(n.x), y: width(n.y) }
}

/// Values of a receiver's record.
pub fn record_len(plan: &Plan) -> usize {
    let Axes { z, x, y } = samples(plan);
    if plan.samples_between_nodes() { 1 + z + x + y } else { 1 }
}

/// The record of each receiver, the same number for each shot: the place of its node; or, where any receiver
/// lies between nodes, the place of the first of its nodes and the weights along z, x and y. Place 0 is always
/// zero.
pub fn receivers(plan: &Plan, layout: &Layout) -> Vec<u32> {
    let (between, samples) = (plan.samples_between_nodes(), samples(plan));
    let shot_len = plan.most_receivers() * record_len(plan);
    let mut records = Vec::with_capacity(plan.shots.len() * shot_len);
    for (index, shot) in plan.shots.iter().enumerate() {
        for receiver in &shot.receivers {
            match receiver {
                Sampling::Node(node) if !between => records.push(layout.index(*node) as u32),
                _ => {
                    let Axes { z, x, y } = receiver.spread(plan.grid.n);
                    let first = Axes { z: z.first, x: x.first, y: y.first };
                    records.push(layout.index(first) as u32);
                    for (spread, width) in [(z, samples.z), (x, samples.x), (y, samples.y)] {
                        let bits = |w: &f64| (*w as f32).to_bits();
                        records.extend(spread.weights[..width].iter().map(bits));
                    }
                }
            }
        }
        records.resize((index + 1) * shot_len, 0);
    }
    records
}
