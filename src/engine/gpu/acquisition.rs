//! Sources and receivers as shaders/lib/acquisition.wgsl reads them.

use super::tiles::{TILE, Tiles};
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
pub fn sources(plan: &Plan, layout: &Layout, tiles: &Tiles) -> (Vec<u32>, Vec<Source>) {
    let tile = |source: &PointSource| {
        let at = source.at;
        (at.y * tiles.x + at.x / TILE.x) * tiles.z + at.z / TILE.z
    };
    let (mut starts, mut all) = (vec![0], Vec::new());
    for shot in &plan.shots {
        let mut sorted = shot.sources.clone();
        sorted.sort_by_key(tile);
        let mut sorted = sorted.iter().peekable();
        for index in 0..tiles.count() {
            while let Some(source) = sorted.next_if(|source| tile(source) == index) {
                all.push(Source {
                    cell: layout.index(source.at) as u32,
                    wavelet: (source.wavelet * plan.time.steps) as u32,
                    scale: source.scale as f32,
                });
            }
            starts.push(all.len() as u32);
        }
    }
    (starts, all)
}

/// The place of each receiver, the same number for each shot; place 0 is always zero.
pub fn receivers(plan: &Plan, layout: &Layout, tiles: &Tiles) -> Vec<u32> {
    let mut places = Vec::with_capacity(plan.shots.len() * tiles.receivers);
    for shot in &plan.shots {
        places.extend(shot.receivers.iter().map(|node| layout.index(*node) as u32));
        places.resize(places.len() + tiles.receivers - shot.receivers.len(), 0);
    }
    places
}
