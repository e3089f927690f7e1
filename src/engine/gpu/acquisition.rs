//! Sources and receivers as shaders/lib/acquisition.wgsl reads them.

use super::{model::Model, region::Regions};
use crate::{
    engine::Layout,
    plan::{Plan, PointSource},
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

/// The place of each receiver, the same number for each shot; place 0 is always zero.
pub fn receivers(plan: &Plan, layout: &Layout) -> Vec<u32> {
    let most = plan.most_receivers();
    let mut places = Vec::with_capacity(plan.shots.len() * most);
    for shot in &plan.shots {
        places.extend(shot.receivers.iter().map(|node| layout.index(*node) as u32));
        places.resize(places.len() + most - shot.receivers.len(), 0);
    }
    places
}
