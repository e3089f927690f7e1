//! The zero-lag correlation of the fields of each pair of shots; at the end of the run the images are brought out.

use super::{Demand, GpuTap, Span, arrays, focus::copy};
use crate::engine::{
    EngineError, Image, Observer,
    gpu::{
        device::Device,
        part::Part,
        pipeline, shader,
        slab::Slab,
        staging::{IN_FLIGHT, Staging},
        wavefield::Wavefield,
    },
};
use ndarray::Array3;
use wgpu::BufferUsages as Usage;

static CORRELATION: shader::Source = shader::Source {
    name: "correlation",
    text: include_str!("../../../../shaders/correlation.wgsl"),
    library: &[],
};

/// Invocations of a workgroup along z and x, each of four nodes along z.
const WORKGROUP: [usize; 2] = [16, 16];

const RESET: Usage = Usage::STORAGE.union(Usage::COPY_DST);

/// Values of the images of so many pairs.
fn len(part: &Part, pairs: usize) -> usize {
    let n = part.plan.grid.n;
    pairs * n.y * n.x * n.z.next_multiple_of(4)
}

/// What it takes for so many shots.
pub fn demand(part: &Part, shots: usize) -> Demand {
    let values = len(part, shots / 2);
    Demand {
        bound: vec![arrays("the correlations", 1, values)],
        staged: vec![arrays("the correlations on their way out", IN_FLIGHT, values)],
        workgroups: 0,
    }
}

fn constants(part: &Part) -> shader::Constants {
    let layout = &part.layout;
    shader::Constants::default()
        .int("NX", layout.n.x)
        .int("NY", layout.n.y)
        .int("NZ", layout.n.z)
        .int("STRIDE", layout.column)
        .int("PLANE", layout.plane)
        .int("LEAD", layout.lead)
        .int("FIELD", layout.len())
        .int("WG_Z", WORKGROUP[0])
        .int("WG_X", WORKGROUP[1])
}

/// Its shader.
pub fn shaders(part: &Part) -> Vec<(&'static str, String)> {
    vec![(CORRELATION.name, CORRELATION.specialised(&constants(part)))]
}

pub struct Correlations {
    every: usize,
    pairs: usize,
    slabs: Vec<Images>,
}

/// Those of a slab.
struct Images {
    pipeline: wgpu::ComputePipeline,
    /// On p at even steps and at odd ones.
    groups: [wgpu::BindGroup; 2],
    dispatch: [usize; 3],
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
            let part = &slab.part;
            let values = len(part, pairs);
            let images = device.zeros("correlations", values, RESET | Usage::COPY_SRC)?;
            let staging = Staging::new(device, "correlations out", values)?;
            let module = CORRELATION.module(device, &constants(part), checked)?;
            let (pipeline, groups) = device.guarded(|| {
                let layout = pipeline::bindings(device, &[Some(false), Some(true)]);
                let bind = |at| pipeline::bind(device, &layout, &[slab.field(at), &images]);
                let pipeline = pipeline::pipeline(device, &module, "correlate", &[&layout], 0);
                (pipeline, [bind(0), bind(1)])
            })?;
            let n = part.layout.n;
            let [z, x] = [n.z.div_ceil(4 * WORKGROUP[0]), n.x.div_ceil(WORKGROUP[1])];
            Ok(Images { pipeline, groups, dispatch: [z, x, n.y * pairs], images, staging })
        };
        let slabs = slabs.iter().map(slab).collect::<Result<_, _>>()?;
        Ok(Correlations { every, pairs, slabs })
    }
}

impl GpuTap for Correlations {
    fn restart(&mut self, encoder: &mut wgpu::CommandEncoder) {
        self.slabs.iter().for_each(|slab| encoder.clear_buffer(&slab.images, 0, None));
    }

    fn horizon(&self, _step: usize) -> usize {
        usize::MAX
    }

    fn encode(
        &self,
        _wavefield: &Wavefield,
        _span: &Span,
        step: usize,
        pass: &mut wgpu::ComputePass<'_>,
    ) -> bool {
        if !step.is_multiple_of(self.every) {
            return false;
        }
        for Images { pipeline, groups, dispatch, .. } in &self.slabs {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &groups[step % 2], &[]);
            let [z, x, y] = dispatch.map(|groups| groups as u32);
            pass.dispatch_workgroups(z, x, y);
        }
        true
    }

    fn encode_after(
        &mut self,
        _wavefield: &Wavefield,
        span: &Span,
        encoder: &mut wgpu::CommandEncoder,
    ) {
        for Images { images, staging, .. } in self.slabs.iter().filter(|_| span.last) {
            staging.copy(span.slot, encoder, images, 0, staging.values());
        }
    }

    fn map(&self, span: &Span) {
        for Images { staging, .. } in self.slabs.iter().filter(|_| span.last) {
            staging.map(span.slot, staging.values());
        }
    }

    fn collect(
        &mut self,
        device: &Device,
        Wavefield { plan, slabs, .. }: &Wavefield,
        span: &Span,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        if !span.last {
            return Ok(());
        }
        let mut images = vec![Array3::zeros(plan.model_grid.shape()); self.pairs];
        for (Slab { part, .. }, Images { staging, .. }) in slabs.iter().zip(&self.slabs) {
            staging.read(device, span.slot, staging.values(), |values: &[f32]| {
                for (pair, image) in images.iter_mut().enumerate() {
                    copy(&part.plan, pair, values, part.of_model(plan, image));
                }
            })?;
        }
        for (pair, values) in images.into_iter().enumerate() {
            observer.image(Image { pair, values });
        }
        Ok(())
    }
}
