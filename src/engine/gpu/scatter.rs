//! The wave that a perturbation of the model scatters from a source wavefield, injected by
//! shaders/scatter.wgsl after each step.

use super::{
    device::Device,
    shader,
    slab::Slab,
    tap::{Differences, Slots, differences_constants, differences_entry},
    wavefield::Wavefield,
};
use crate::{EngineError, SourceWavefield, plan::Imaging};
use std::sync::Arc;
use wgpu::BufferUsages as Usage;

static SCATTER: shader::Source = shader::source!("scatter");

/// Both entry points, for each slab.
pub(crate) struct Scatter {
    imaging: Imaging,
    slabs: Vec<[Differences; 2]>,
    /// Keeps the buffers that they read.
    _source: Arc<Slots>,
}

impl Scatter {
    /// `None` unless the Plan has a perturbation.
    pub(crate) fn new(
        device: &Device,
        wavefield: &Wavefield,
        source: Option<&SourceWavefield>,
    ) -> Result<Option<Self>, EngineError> {
        let plan = &wavefield.plan;
        let Some(scattering) = plan.scattering.clone() else { return Ok(None) };
        let source = Slots::of(source, wavefield, scattering.imaging)?;
        let fields = plan.shots.len() * plan.medium.fields();
        let slab = |(slab, slots): (&Slab, &Vec<wgpu::Buffer>)| -> Result<_, EngineError> {
            let part = plan.of_model(&slab.part.pieces, &scattering.perturbation);
            let part: Vec<f32> = part.iter().map(|e| *e as f32).collect();
            let perturbation = device.upload("perturbation", &part, Usage::STORAGE)?;
            let written = [true, true, false, false];
            let entry = |name| {
                let entry = differences_entry(slab, fields, (&SCATTER, name));
                Differences::new(device, slab, slots, entry, (&[&perturbation], &written))
            };
            Ok([entry("scatter")?, entry("release")?])
        };
        let slabs =
            wavefield.slabs.iter().zip(&source.slabs).map(slab).collect::<Result<_, _>>()?;
        Ok(Some(Scatter { imaging: scattering.imaging, slabs, _source: source }))
    }

    /// Injects into some slabs' field at the step just reached; returns whether it did in any.
    pub(crate) fn encode(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        step: usize,
        of: impl Fn(usize) -> bool,
    ) -> bool {
        let slots = [self.imaging.slot(step), self.imaging.slot(step - 1)];
        for (_, entries) in self.slabs.iter().enumerate().filter(|(slab, _)| of(*slab)) {
            for (entry, slot) in entries.iter().zip(slots) {
                if let Some(slot) = slot {
                    entry.encode(pass, step, slot);
                }
            }
        }
        slots.iter().any(Option::is_some)
    }
}

pub(crate) fn shaders(part: &super::part::Part) -> Vec<(&'static str, String)> {
    vec![SCATTER.named(&differences_constants(part))]
}
