//! Correlates the source wavefield of each shot with its backward wave; the sums are copied out at
//! the end of the run.

use super::{
    CopyOut, Demand, GpuTap, Named, Output, Span,
    differences::{self, Differences},
    slots::Slots,
};
use crate::{
    EngineError, Image, Observer, SourceWavefield,
    gpu::{device::Device, part::Part, pipeline::Entry, shader, slab::Slab, wavefield::Wavefield},
    plan::Imaging,
};
use ndarray::Array3;
use wgpu::{CommandEncoder, ComputePass};

static IMAGING: shader::Source = shader::source!("imaging", ["differences"]);

/// An image and an illumination per shot.
const IMAGES: Named = Named { made: "the images", staged: "the images on their way out" };

pub(crate) fn demand(part: &Part, shots: usize) -> Demand {
    IMAGES.demand(1, 2 * differences::values(part, shots))
}

pub(crate) fn shaders(part: &Part) -> Vec<(&'static str, String)> {
    vec![IMAGING.named(&constants(part))]
}

/// Those of differences, and the planes from p of a shot to its m; 0 without VTI.
fn constants(part: &Part) -> shader::Constants {
    let plan = &part.plan;
    let planes = (plan.medium.fields() - 1) * plan.shots.len() * plan.model_grid.n.y.max(1);
    differences::constants(part).int("AUXILIARY", planes)
}

pub(crate) struct Images {
    imaging: Imaging,
    steps: usize,
    slabs: Vec<Sums>,
}

/// The sums of a slab.
struct Sums {
    kernel: Differences,
    sums: Output,
}

impl Images {
    pub(crate) fn new(
        device: &Device,
        wavefield: &Wavefield,
        imaging: Imaging,
        source: Option<&SourceWavefield>,
    ) -> Result<Self, EngineError> {
        let shots = wavefield.plan.shots.len();
        let source = Slots::of(source, wavefield, imaging)?;
        let slab = |(slab, slots): (&Slab, &Vec<wgpu::Buffer>)| -> Result<Sums, EngineError> {
            let values = 2 * differences::values(&slab.part, shots);
            let sums = Output::new(device, &IMAGES, values)?;
            let entry = differences::entry(slab, shots, &IMAGING, "meet");
            let entry = Entry { constants: constants(&slab.part), ..entry };
            let written = [false, false, false, true];
            let kernel = Differences::new(device, slab, slots, entry, &[&sums.buffer], &written)?;
            Ok(Sums { kernel, sums })
        };
        let slabs =
            wavefield.slabs.iter().zip(&source.slabs).map(slab).collect::<Result<_, _>>()?;
        Ok(Images { imaging, steps: wavefield.plan.time.steps, slabs })
    }
}

impl GpuTap for Images {
    fn restart(&mut self, encoder: &mut CommandEncoder) {
        self.slabs.iter().for_each(|slab| encoder.clear_buffer(&slab.sums.buffer, 0, None));
    }

    fn reads(&self, _: &Span, step: usize) -> bool {
        self.imaging.slot_back(step, self.steps).is_some()
    }

    fn encode(&self, _: &Wavefield, _: &Span, step: usize, pass: &mut ComputePass<'_>) {
        if let Some(slot) = self.imaging.slot_back(step, self.steps) {
            self.slabs.iter().for_each(|slab| slab.kernel.encode(pass, step, slot));
        }
    }

    fn copies<'a>(&'a self, _: &'a Wavefield, span: &Span) -> Vec<CopyOut<'a>> {
        self.slabs.iter().filter(|_| span.last).map(|slab| slab.sums.copy(span)).collect()
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
        for (Slab { part, .. }, Sums { sums, .. }) in slabs.iter().zip(&self.slabs) {
            let cells = part.plan.model_grid.cells().max(1);
            sums.read(device, span, |sums: &[[f32; 2]]| {
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
