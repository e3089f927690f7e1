//! Offset gathers of each shot where its wave meets the one that goes back; at the end of the run they are brought out.

use super::{
    Demand, GpuTap, Span, arrays,
    differences::{self, Differences},
    store::Slots,
};
use crate::{
    engine::{
        EngineError, Observer, OffsetGathers, SourceWavefield,
        gpu::{device::Device, part::Part, shader, staging::bring, wavefield::Wavefield},
    },
    grid::Axis,
    plan::{Imaging, Offsets},
};
use ndarray::Array3;
use rayon::prelude::*;
use wgpu::BufferUsages as Usage;

static OFFSETS: shader::Source = shader::Source {
    name: "offsets",
    text: include_str!("../../../../shaders/offsets.wgsl"),
    library: &[differences::LIBRARY],
};

/// What it takes for so many shots.
pub fn demand(part: &Part, offsets: Offsets, shots: usize) -> Demand {
    let values = offsets.count() * differences::values(part, 1);
    Demand {
        bound: vec![arrays("the offset gathers", 1, shots * values)],
        staged: vec![arrays("the offset gathers on their way out", 1, values)],
        workgroups: shots * offsets.count(),
    }
}

fn constants(part: &Part, offsets: Offsets) -> shader::Constants {
    differences::constants(part)
        .int("OFFSETS", offsets.count())
        .int("MOST", offsets.most)
        .int("STEP", offsets.step)
        .flag("ALONG_X", offsets.along == Axis::X)
}

/// Its shader.
pub fn shaders(part: &Part, offsets: Offsets) -> Vec<(&'static str, String)> {
    vec![(OFFSETS.name, OFFSETS.specialised(&constants(part, offsets)))]
}

pub struct Gathers {
    imaging: Imaging,
    offsets: Offsets,
    /// Of the run.
    steps: usize,
    kernel: Differences,
    gathers: wgpu::Buffer,
}

impl Gathers {
    pub fn new(
        device: &Device,
        wavefield: &Wavefield,
        (imaging, offsets): (Imaging, Offsets),
        source: Option<&SourceWavefield>,
        checked: bool,
    ) -> Result<Self, EngineError> {
        let shots = wavefield.plan.shots.len();
        let source = Slots::of(source, wavefield, imaging)?;
        // A node's neighbours at an offset may lie in another slab.
        let ([slab], [slots]) = (&wavefield.slabs[..], &source.0[..]) else {
            return Err(EngineError::OffsetSlabs { slabs: wavefield.slabs.len() });
        };
        let values = shots * offsets.count() * differences::values(&slab.part, 1);
        let usage = Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST;
        let gathers = device.zeros("offset gathers", values, usage)?;
        let of = (&OFFSETS, "meet", constants(&slab.part, offsets));
        let fields = shots * offsets.count();
        let bound: (&[_], _) = (&[&gathers], [false, false, false, true]);
        let kernel = Differences::new(device, (slab, fields), of, slots, bound, checked)?;
        Ok(Gathers { imaging, offsets, steps: wavefield.plan.time.steps, kernel, gathers })
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
        _wavefield: &Wavefield,
        _span: &Span,
        step: usize,
        pass: &mut wgpu::ComputePass<'_>,
    ) {
        if let Some(slot) = self.imaging.slot_back(step, self.steps) {
            self.kernel.encode(pass, step, slot);
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
        for of in 0..plan.shots.len() {
            // Fresh memory is touched first by the threads that fill it.
            let copied = |values: &[f32]| values.par_iter().copied().collect::<Vec<_>>();
            let values = bring(device, &self.gathers, of * len, len, copied)?;
            let values = Array3::from_shape_vec(shape, values).expect("as many as were brought");
            observer.offset_gathers(OffsetGathers { of, along: self.offsets.along, values });
        }
        Ok(())
    }
}
