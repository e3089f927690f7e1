//! Offset gathers of each shot where its wave meets the one that goes back; at the end of the run they are brought out.

mod kernels;
mod sum;

pub use kernels::{GATHER_KERNELS, GatherKernel, USUAL};

use super::{
    Demand, GpuTap, Span, arrays,
    differences::{self, Differences},
    store::Slots,
};
use crate::{
    engine::{
        EngineError, Observer, OffsetGathers, SourceWavefield,
        gpu::{
            device::Device, immediates::Immediates, part::Part, pipeline, shader, staging::bring,
            wavefield::Wavefield,
        },
    },
    plan::{Imaging, Offsets, normal},
};
use ndarray::Array3;
use rayon::prelude::*;
use sum::Sum;
use wgpu::BufferUsages as Usage;

static WAVES: shader::Source = shader::Source {
    name: "waves",
    text: include_str!("../../../../../shaders/offsets/waves.wgsl"),
    library: &[differences::LIBRARY],
};

/// Values of the gathers of a shot.
fn values(part: &Part, offsets: Offsets) -> usize {
    let n = part.plan.model_grid.n;
    offsets.count() * n.x * n.z
}

/// What it takes for so many shots.
pub fn demand(part: &Part, offsets: Offsets, shots: usize) -> Demand {
    let (values, wave) = (values(part, offsets), kernels::wave(part, offsets));
    let groups = GATHER_KERNELS.iter().map(|kernel| kernel.groups(offsets, shots));
    Demand {
        bound: vec![
            arrays("the offset gathers", 1, shots * values),
            arrays("the waves of the offset gathers", 2, kernels::MOST * shots * wave),
        ],
        staged: vec![arrays("the offset gathers on their way out", 1, values)],
        workgroups: groups.max().unwrap_or(0),
    }
}

/// What specialises shaders/offsets/waves.wgsl.
fn constants(part: &Part, offsets: Offsets, shots: usize) -> shader::Constants {
    differences::constants(part).int("LINE", offsets.line).lines(part, offsets, shots)
}

/// Its shaders, whichever kernel is taken.
pub fn shaders(part: &Part, offsets: Offsets) -> Vec<(&'static str, String)> {
    let shots = part.plan.shots.len();
    let waves = (WAVES.name, WAVES.specialised(&constants(part, offsets, shots)));
    let kernels = GATHER_KERNELS.iter().map(|kernel| {
        (kernel.name(), kernel.source.specialised(&kernel.constants(part, offsets, shots)))
    });
    [waves, sum::shader(values(part, offsets))].into_iter().chain(kernels).collect()
}

pub struct Gathers {
    imaging: Imaging,
    offsets: Offsets,
    /// Of the run.
    steps: usize,
    /// Imaging steps that the kernel takes at a time.
    slots: usize,
    waves: Differences,
    kernel: wgpu::ComputePipeline,
    bound: wgpu::BindGroup,
    groups: [u32; 3],
    gathers: wgpu::Buffer,
    sum: Sum,
}

impl Gathers {
    pub fn new(
        device: &Device,
        wavefield: &Wavefield,
        (imaging, offsets): (Imaging, Offsets),
        source: Option<&SourceWavefield>,
        (kernel, checked): (&GatherKernel, bool),
    ) -> Result<Self, EngineError> {
        let shots = wavefield.plan.shots.len();
        let source = Slots::of(source, wavefield, imaging)?;
        // A node's neighbours at an offset may lie in another slab.
        let ([slab], [kept]) = (&wavefield.slabs[..], &source.0[..]) else {
            return Err(EngineError::OffsetSlabs { slabs: wavefield.slabs.len() });
        };
        let part = &slab.part;
        let usage = Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST;
        let gathers = device.zeros("offset gathers", shots * values(part, offsets), usage)?;
        let wave = kernel.steps * shots * kernels::wave(part, offsets);
        let wave = || device.zeros("waves of the offset gathers", wave, Usage::STORAGE);
        let (forward, backward) = (wave()?, wave()?);
        let of = (&WAVES, "put", constants(part, offsets, shots));
        let bound = (&[&forward, &backward][..], [false, false, false, true, true]);
        let waves = Differences::new(device, (slab, shots, 4), of, kept, bound, checked)?;
        let module =
            kernel.source.module(device, &kernel.constants(part, offsets, shots), checked)?;
        let immediates = if kernel.steps > 1 { 4 } else { 0 };
        let (pipeline, bound) = device.guarded(|| {
            let layout = pipeline::bindings(device, &[false, false, true].map(Some));
            let bound = pipeline::bind(device, &layout, &[&forward, &backward, &gathers]);
            let pipeline = pipeline::pipeline(device, &module, "gather", &[&layout], immediates);
            (pipeline, bound)
        })?;
        let (n, [z, x]) = (part.plan.model_grid.n, kernel.workgroup);
        let groups = [n.z.div_ceil(z), n.x.div_ceil(x), kernel.groups(offsets, shots)];
        Ok(Gathers {
            imaging,
            offsets,
            steps: wavefield.plan.time.steps,
            slots: kernel.steps,
            waves,
            kernel: pipeline,
            bound,
            groups: groups.map(|groups| groups as u32),
            sum: Sum::new(device, &gathers, values(part, offsets), checked)?,
            gathers,
        })
    }

    /// Imaging steps that the wave that goes back has met, this one included.
    fn met(&self, step: usize) -> usize {
        self.steps / self.imaging.every - (self.steps - step) / self.imaging.every
    }

    /// Adds what so many slots hold.
    fn gather(&self, immediates: &Immediates, pass: &mut wgpu::ComputePass<'_>, slots: usize) {
        pass.set_pipeline(&self.kernel);
        pass.set_bind_group(0, &self.bound, &[]);
        if self.slots > 1 {
            immediates.give(pass, bytemuck::bytes_of(&(slots as u32)));
        }
        let [z, x, y] = self.groups;
        pass.dispatch_workgroups(z, x, y);
    }
}

impl GpuTap for Gathers {
    fn restart(&mut self, encoder: &mut wgpu::CommandEncoder) {
        encoder.clear_buffer(&self.gathers, 0, None);
    }

    fn reads(&self, _span: &Span, step: usize) -> bool {
        self.imaging.slot_back(step, self.steps).is_some()
    }

    fn encode(
        &self,
        wavefield: &Wavefield,
        _span: &Span,
        step: usize,
        pass: &mut wgpu::ComputePass<'_>,
    ) {
        let Some(kept) = self.imaging.slot_back(step, self.steps) else { return };
        let immediates = &wavefield.common.immediates;
        let met = self.met(step);
        let slot = (met - 1) % self.slots;
        self.waves.encode_with(immediates, pass, (step, kept), &[slot as u32]);
        if met.is_multiple_of(self.slots) {
            self.gather(immediates, pass, self.slots);
        }
    }

    fn encode_last(&self, wavefield: &Wavefield, span: &Span, pass: &mut wgpu::ComputePass<'_>) {
        let rest = self.met(span.end) % self.slots;
        if span.last && rest > 0 {
            self.gather(&wavefield.common.immediates, pass, rest);
        }
        if span.last {
            self.sum.encode(&wavefield.common.immediates, pass, &wavefield.plan.summed);
        }
    }

    fn collect(
        &mut self,
        device: &Device,
        Wavefield { plan, .. }: &Wavefield,
        span: &Span,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        if !span.last {
            return Ok(());
        }
        let n = plan.model_grid.n;
        let shape = (self.offsets.count(), n.x, n.z);
        let len = shape.0 * shape.1 * shape.2;
        for (of, unit) in plan.summed.left(plan.shots.len()) {
            // Fresh memory is touched first by the threads that fill it.
            let copied = |values: &[f32]| {
                values.par_iter().map(|value| normal(unit * value)).collect::<Vec<_>>()
            };
            let values = bring(device, &self.gathers, of * len, len, copied)?;
            let values = Array3::from_shape_vec(shape, values).expect("as many as were brought");
            observer.offset_gathers(OffsetGathers { of, along: self.offsets.along, values });
        }
        Ok(())
    }
}
