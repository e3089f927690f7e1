//! (v dt)^2 as shaders/lib/model.wgsl and model16.wgsl read it.

use super::{device::Device, shader::text};
use crate::{
    EngineError, Layout,
    grid::Axes,
    plan::{Plan, PointSource},
};
use ndarray::Array3;
use rayon::prelude::*;
use std::borrow::Cow;
use wgpu::BufferUsages as Usage;

/// Values in transfer to the device at once: few where they are copied within the host's memory.
fn at_once(device: &Device) -> usize {
    match device.info.device_type {
        wgpu::DeviceType::Cpu => 1 << 20,
        _ => 8 << 20,
    }
}

/// How a device stores the velocity model, as (v dt)^2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModelStorage {
    /// f32: 4 bytes per node.
    #[default]
    F32,
    /// 16-bit unorm: 2 bytes per node, rounded to the nearest of 65,535 equally spaced values from
    /// the smallest to the largest of the model.
    Unorm16,
}

impl ModelStorage {
    /// Both.
    pub const ALL: [Self; 2] = [ModelStorage::F32, ModelStorage::Unorm16];

    /// Bytes per node.
    pub fn bytes(self) -> usize {
        match self {
            ModelStorage::F32 => 4,
            ModelStorage::Unorm16 => 2,
        }
    }

    /// The file in shaders/lib/ that reads it.
    pub(super) fn library(self) -> &'static str {
        match self {
            ModelStorage::F32 => text!("lib/model"),
            ModelStorage::Unorm16 => text!("lib/model16"),
        }
    }

    /// The Plan that a device with this storage actually steps, with rounded velocities and the
    /// sources in them. The CPU engines run it to the same results.
    pub fn stored(self, plan: &Plan) -> Plan {
        Model::new(plan, Levels::of(plan, self)).stored().into_owned()
    }
}

/// (v dt)^2 of a Plan as a device stores it.
pub struct Model<'p> {
    plan: &'p Plan,
    /// The levels that it is rounded to, if any.
    levels: Option<Levels>,
}

impl<'p> Model<'p> {
    pub fn new(plan: &'p Plan, levels: Option<Levels>) -> Self {
        Model { plan, levels }
    }

    /// The Plan of the stored model.
    pub fn stored(&self) -> Cow<'p, Plan> {
        let plan = self.plan;
        if self.levels.is_none() {
            return Cow::Borrowed(plan);
        }
        let mut stored = plan.clone();
        for (index, velocities) in stored.velocities.iter_mut().enumerate() {
            let velocity =
                |(y, x, z)| (self.v2dt2(index, Axes { z, x, y }).sqrt() / plan.time.dt) as f32;
            *velocities = Array3::from_shape_fn(plan.grid.shape(), velocity).into();
        }
        for shot in &mut stored.shots {
            let model = shot.model;
            let kept = |source: &PointSource| PointSource {
                scale: self.source_scale(model, source),
                ..*source
            };
            shot.sources = shot.sources.iter().map(kept).collect();
        }
        Cow::Owned(stored)
    }

    /// (v dt)^2 of a model at a node as stored, m^2.
    fn v2dt2(&self, model: usize, node: Axes<usize>) -> f64 {
        let exact = self.plan.v2dt2(model, node);
        self.levels.as_ref().map_or(exact, |levels| levels.value(levels.code(exact)))
    }

    /// The increment of the next field per unit of a source's wavelet. The equation has one (v
    /// dt)^2 for the Laplacian and for the source; with two, amplitudes would be off and
    /// reciprocity lost.
    pub fn source_scale(&self, model: usize, source: &PointSource) -> f64 {
        let exact = self.plan.v2dt2(model, source.at);
        // On a free surface the scale is already 0.
        let ratio = |levels: &Levels| match exact {
            0.0 => 1.0,
            exact => levels.value(levels.code(exact)) / exact,
        };
        source.scale * self.levels.as_ref().map_or(1.0, ratio)
    }

    /// The buffer that the shaders read: the copies of `Plan::copies`, one after the other.
    pub fn upload(&self, device: &Device, layout: &Layout) -> Result<wgpu::Buffer, EngineError> {
        let (plan, copies) = (self.plan, self.plan.copies());
        let storage = if self.levels.is_some() { ModelStorage::Unorm16 } else { ModelStorage::F32 };
        let bytes = copies.len() * layout.len() * storage.bytes();
        let buffer =
            device.zeros("(v dt)^2", bytes.div_ceil(4), Usage::STORAGE | Usage::COPY_DST)?;
        // A part at a time, so that the host never holds the whole model.
        let mut last = None;
        for (copy, model) in copies.into_iter().enumerate() {
            for places in layout.parts(at_once(device)) {
                let first = copy * layout.len() + places.start;
                let exact = |node| plan.v2dt2(model, node);
                let sent = match &self.levels {
                    None => {
                        let part = layout.part(places, |node| exact(node) as f32);
                        device.write(&buffer, first, &part)?
                    }
                    Some(levels) => {
                        let part = layout.part(places, |node| levels.code(exact(node)));
                        device.write(&buffer, first, &part)?
                    }
                };
                // A part is computed while the previous one is in transfer.
                if let Some(before) = last.replace(sent) {
                    device.wait_where_possible(before)?;
                }
            }
        }
        Ok(buffer)
    }
}

/// The values of 16-bit codes: code c is low + (c - 1) step, m^2; code 0 is 0 (padding, surface).
#[derive(Clone, Copy)]
pub struct Levels {
    low: f64,
    step: f64,
}

impl Levels {
    /// The levels of all of a Plan's models; `None` with f32 storage.
    pub fn of(plan: &Plan, storage: ModelStorage) -> Option<Self> {
        if storage == ModelStorage::F32 {
            return None;
        }
        let (models, cells) = (plan.velocities.len(), plan.grid.cells());
        let all = (0..models * cells)
            .into_par_iter()
            .map(|i| plan.v2dt2(i / cells, plan.grid.node_of(i % cells)));
        let low = all.clone().filter(|v| *v > 0.0).reduce(|| f64::INFINITY, f64::min);
        let high = all.reduce(|| 0.0, f64::max);
        Some(Levels { low, step: (high - low) / f64::from(u16::MAX - 1) })
    }

    fn code(&self, v2dt2: f64) -> u16 {
        if v2dt2 == 0.0 {
            return 0;
        }
        // With step 0 there is one value.
        let steps = if self.step > 0.0 { (v2dt2 - self.low) / self.step } else { 0.0 };
        1 + steps.round() as u16
    }

    fn value(&self, code: u16) -> f64 {
        if code == 0 { 0.0 } else { self.low + self.step * f64::from(code - 1) }
    }

    /// base and scale of model16.wgsl: unorm is c / 65535.
    pub fn base_and_scale(self) -> [f32; 2] {
        [self.low - self.step, self.step * f64::from(u16::MAX)].map(|value| value as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extremes_are_kept_and_the_rest_is_off_by_half_a_step_at_most() {
        let (low, high) = (2.25, 20.25);
        let levels = Levels { low, step: (high - low) / 65_534.0 };
        assert_eq!(levels.code(low), 1);
        assert_eq!(levels.code(high), u16::MAX);
        assert_eq!(levels.value(1), low);
        assert!((levels.value(u16::MAX) - high).abs() < 1e-14);
        for i in 0..=1000 {
            let value = low + (high - low) * f64::from(i) / 1000.0;
            let error = (levels.value(levels.code(value)) - value).abs();
            assert!(error <= 0.5 * levels.step * (1.0 + 1e-9), "{value}: {error}");
        }
    }

    #[test]
    fn a_homogeneous_model_has_one_value() {
        let levels = Levels { low: 2.25, step: 0.0 };
        assert_eq!((levels.code(2.25), levels.value(1)), (1, 2.25));
        assert_eq!(levels.base_and_scale(), [2.25, 0.0]);
    }
}
