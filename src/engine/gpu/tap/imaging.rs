//! Correlates the source wavefield of each shot with its backward wave; the sums are copied out at
//! the end of the run.

use super::{
    Demand, GpuTap, Span, arrays,
    differences::{self, Differences},
    slots::Slots,
};
use crate::{
    EngineError, Image, Observer, SourceWavefield,
    gpu::{
        device::Device,
        part::Part,
        shader,
        slab::Slab,
        staging::{IN_FLIGHT, Staging},
        wavefield::Wavefield,
    },
    plan::Imaging,
};
use ndarray::Array3;
use wgpu::{BufferUsages as Usage, CommandEncoder, ComputePass};

static IMAGING: shader::Source = shader::source!("imaging", ["differences"]);

pub fn demand(part: &Part, shots: usize) -> Demand {
    let values = 2 * differences::values(part, shots);
    Demand {
        bound: vec![arrays("the images", 1, values)],
        staged: vec![arrays("the images on their way out", IN_FLIGHT, values)],
        workgroups: 0,
    }
}

pub fn shaders(part: &Part) -> Vec<(&'static str, String)> {
    vec![(IMAGING.name, IMAGING.specialised(&differences::constants(part)))]
}

pub struct Images {
    imaging: Imaging,
    steps: usize,
    slabs: Vec<Sums>,
}

/// The sums of a slab: an image and an illumination per shot.
struct Sums {
    kernel: Differences,
    sums: wgpu::Buffer,
    staging: Staging,
}

impl Images {
    pub fn new(
        device: &Device,
        wavefield: &Wavefield,
        (imaging, source): (Imaging, Option<&SourceWavefield>),
        checked: bool,
    ) -> Result<Self, EngineError> {
        let shots = wavefield.plan.shots.len();
        let source = Slots::of(source, wavefield, imaging)?;
        let slab = |(slab, slots): (&Slab, &Vec<wgpu::Buffer>)| -> Result<Sums, EngineError> {
            let values = 2 * differences::values(&slab.part, shots);
            let usage = Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST;
            let sums = device.zeros("images", values, usage)?;
            let staging = Staging::new(device, "images out", values)?;
            let entry = (&IMAGING, "meet", differences::constants(&slab.part));
            let of = (slab, differences::planes(&slab.part, shots), 0);
            let bound: (&[_], _) = (&[&sums], [false, false, false, true, false]);
            let kernel = Differences::new(device, of, entry, slots, bound, checked)?;
            Ok(Sums { kernel, sums, staging })
        };
        let slabs =
            wavefield.slabs.iter().zip(&source.slabs).map(slab).collect::<Result<_, _>>()?;
        Ok(Images { imaging, steps: wavefield.plan.time.steps, slabs })
    }
}

impl GpuTap for Images {
    fn restart(&mut self, encoder: &mut CommandEncoder) {
        self.slabs.iter().for_each(|slab| encoder.clear_buffer(&slab.sums, 0, None));
    }

    fn reads(&self, _: &Span, step: usize) -> bool {
        self.imaging.slot_back(step, self.steps).is_some()
    }

    fn encode(&self, _: &Wavefield, _: &Span, step: usize, pass: &mut ComputePass<'_>) {
        if let Some(slot) = self.imaging.slot_back(step, self.steps) {
            self.slabs.iter().for_each(|slab| slab.kernel.encode(pass, step, slot));
        }
    }

    fn encode_after(
        &mut self,
        _: &Wavefield,
        span: &Span,
        encoder: &mut CommandEncoder,
    ) -> Result<(), EngineError> {
        for Sums { sums, staging, .. } in self.slabs.iter().filter(|_| span.last) {
            staging.copy(span.slot, encoder, sums, 0, staging.values());
        }
        Ok(())
    }

    fn map(&self, span: &Span) {
        for Sums { staging, .. } in self.slabs.iter().filter(|_| span.last) {
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
        let nothing = || Array3::zeros(own.plan.model_grid.shape());
        let mut all: Vec<_> = own.plan.shots.iter().map(|_| [nothing(), nothing()]).collect();
        for (Slab { part, .. }, Sums { staging, .. }) in slabs.iter().zip(&self.slabs) {
            let cells = part.plan.model_grid.cells().max(1);
            staging.read(device, span.slot, staging.values(), |sums: &[[f32; 2]]| {
                for (arrays, sums) in all.iter_mut().zip(sums.chunks(cells)) {
                    for (which, array) in arrays.iter_mut().enumerate() {
                        let values = sums.iter().map(|sums| sums[which]);
                        part.of_model(own, array)
                            .iter_mut()
                            .zip(values)
                            .for_each(|(to, v)| *to = v);
                    }
                }
            })?;
        }
        for (of, [values, illumination]) in all.into_iter().enumerate() {
            observer.image(Image { of, values });
            observer.illumination(Image { of, values: illumination });
        }
        Ok(())
    }
}
