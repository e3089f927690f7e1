//! The zero-lag correlation of the fields of each pair of shots, copied out at the end.

use super::{
    Demand, GpuTap, Span, arrays,
    pointwise::{bound, constants, copy_map, map_len},
};
use crate::{
    EngineError, Image, Observer,
    gpu::{
        device::Device,
        part::Part,
        pipeline::Bound,
        shader,
        slab::Slab,
        staging::{IN_FLIGHT, Staging},
        wavefield::Wavefield,
    },
};
use ndarray::Array3;
use wgpu::{BufferUsages as Usage, CommandEncoder, ComputePass};

static CORRELATION: shader::Source = shader::source!("correlation");

pub fn demand(part: &Part, shots: usize) -> Demand {
    let values = map_len(&part.plan, shots / 2);
    Demand {
        bound: vec![arrays("the correlations", 1, values)],
        staged: vec![arrays("the correlations on their way out", IN_FLIGHT, values)],
        workgroups: 0,
    }
}

pub fn shaders(part: &Part) -> Vec<(&'static str, String)> {
    vec![(CORRELATION.name, CORRELATION.specialised(&constants(&part.layout)))]
}

pub struct Correlations {
    every: usize,
    pairs: usize,
    slabs: Vec<Images>,
}

/// The images of a slab.
struct Images {
    kernel: Bound,
    images: wgpu::Buffer,
    staging: Staging,
}

impl Correlations {
    pub fn new(
        device: &Device,
        Wavefield { plan, slabs, .. }: &Wavefield,
        every: usize,
        checked: bool,
    ) -> Result<Self, EngineError> {
        let pairs = plan.shots.len() / 2;
        let slab = |slab: &Slab| -> Result<Images, EngineError> {
            let values = map_len(&slab.part.plan, pairs);
            let usage = Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST;
            let images = device.zeros("correlations", values, usage)?;
            let staging = Staging::new(device, "correlations out", values)?;
            let source = (&CORRELATION, "correlate", constants(&slab.part.layout));
            let kernel = bound(device, slab, source, &[&images], (pairs, 0), checked)?;
            Ok(Images { kernel, images, staging })
        };
        let slabs = slabs.iter().map(slab).collect::<Result<_, _>>()?;
        Ok(Correlations { every, pairs, slabs })
    }
}

impl GpuTap for Correlations {
    fn restart(&mut self, encoder: &mut CommandEncoder) {
        self.slabs.iter().for_each(|slab| encoder.clear_buffer(&slab.images, 0, None));
    }

    fn reads(&self, _: &Span, step: usize) -> bool {
        step.is_multiple_of(self.every)
    }

    fn encode(&self, _: &Wavefield, _: &Span, step: usize, pass: &mut ComputePass<'_>) {
        self.slabs.iter().for_each(|slab| slab.kernel.encode(pass, step % 2));
    }

    fn encode_after(
        &mut self,
        _: &Wavefield,
        span: &Span,
        encoder: &mut CommandEncoder,
    ) -> Result<(), EngineError> {
        for Images { images, staging, .. } in self.slabs.iter().filter(|_| span.last) {
            staging.copy(span.slot, encoder, images, 0, staging.values());
        }
        Ok(())
    }

    fn map(&self, span: &Span) {
        for Images { staging, .. } in self.slabs.iter().filter(|_| span.last) {
            staging.map(span.slot, staging.values());
        }
    }

    fn collect(
        &mut self,
        device: &Device,
        Wavefield { own, slabs, .. }: &Wavefield,
        span: &Span,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        if !span.last {
            return Ok(());
        }
        let mut images = vec![Array3::zeros(own.plan.model_grid.shape()); self.pairs];
        for (Slab { part, .. }, Images { staging, .. }) in slabs.iter().zip(&self.slabs) {
            staging.read(device, span.slot, staging.values(), |values: &[f32]| {
                for (pair, image) in images.iter_mut().enumerate() {
                    copy_map(&part.plan, pair, values, part.of_model(own, image));
                }
            })?;
        }
        for (pair, values) in images.into_iter().enumerate() {
            observer.image(Image { of: pair, values });
        }
        Ok(())
    }
}
