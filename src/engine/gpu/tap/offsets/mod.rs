//! Offset gathers: correlates the source wavefield of each shot with its backward wave at several
//! offsets; the gathers are copied out at the end of the run.

mod kernels;
mod sum;

pub(crate) use kernels::USUAL;
pub use kernels::{GATHER_KERNELS, GatherKernel};

use super::{
    Demand, GpuTap, Span, arrays,
    differences::{self, Differences},
    slots::Slots,
};
use crate::{
    EngineError, Observer, OffsetGathers, SourceWavefield,
    gpu::{
        device::Device,
        immediates::Immediates,
        part::Part,
        pipeline::{Bound, Entry},
        shader,
        slab::Slab,
        staging::bring,
        wavefield::Wavefield,
    },
    grid::Axes,
    plan::{Imaging, Offsets, Plan, normal},
};
use ndarray::Array3;
use rayon::prelude::*;
use sum::Sum;
use wgpu::{BufferUsages as Usage, CommandEncoder, ComputePass};

static WAVES: shader::Source = shader::source!("offsets/" "waves", ["differences"]);

const GATHERS: &str = "the offset gathers";
const LINES: &str = "the waves of the offset gathers";

/// Values of a shot's gathers in a model of `n` nodes.
fn values(n: Axes<usize>, offsets: Offsets) -> usize {
    offsets.count() * n.x * n.z
}

pub(crate) fn demand(whole: &Plan, offsets: Offsets, shots: usize) -> Demand {
    let n = whole.model_grid.n;
    let (values, wave) = (values(n, offsets), kernels::wave(n, offsets));
    let groups = GATHER_KERNELS.iter().map(|kernel| kernel.groups(offsets, shots));
    Demand {
        bound: vec![
            arrays(GATHERS, 1, shots * values),
            arrays(LINES, 2, kernels::MOST * shots * wave),
        ],
        staged: vec![arrays("the offset gathers on their way out", 1, values)],
        workgroups: groups.max().unwrap_or(0),
    }
}

/// The constants of shaders/offsets/waves.wgsl for a part that the line passes through.
fn constants(own: &Part, part: &Part, offsets: Offsets) -> Option<shader::Constants> {
    let (here, n) = (part.in_model(own), own.plan.model_grid.n);
    let (line, first) = match n.y > 1 {
        true => (offsets.line.checked_sub(here.start)?, 0),
        false => (0, here.start),
    };
    let passes = !here.is_empty() && (n.y == 1 || here.contains(&offsets.line));
    let constants = differences::constants(part).int("LINE", line).int("FIRST_X", first);
    passes.then(|| constants.lines(n, offsets, own.plan.shots.len()))
}

/// Its shaders, for every kernel.
pub(crate) fn shaders(own: &Part, part: &Part, offsets: Offsets) -> Vec<(&'static str, String)> {
    let (n, shots) = (own.plan.model_grid.n, own.plan.shots.len());
    let waves = constants(own, part, offsets);
    let waves = waves.map(|waves| WAVES.named(&waves));
    let kernels = GATHER_KERNELS
        .iter()
        .map(|kernel| kernel.source.named(&kernel.constants(n, offsets, shots)));
    waves.into_iter().chain([sum::shader(values(n, offsets))]).chain(kernels).collect()
}

pub(crate) struct Gathers {
    imaging: Imaging,
    offsets: Offsets,
    steps: usize,
    /// Imaging steps per dispatch.
    slots: usize,
    /// For each slab that the line passes through.
    waves: Vec<Differences>,
    kernel: Bound,
    gathers: wgpu::Buffer,
    sum: Sum,
}

impl Gathers {
    pub(crate) fn new(
        device: &Device,
        wavefield: &Wavefield,
        imaging: Imaging,
        offsets: Offsets,
        source: Option<&SourceWavefield>,
        kernel: &'static GatherKernel,
    ) -> Result<Self, EngineError> {
        let (shots, n) = (wavefield.plan.shots.len(), wavefield.own.plan.model_grid.n);
        let source = Slots::of(source, wavefield, imaging)?;
        let usage = Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST;
        let gathers = device.zeros(GATHERS, shots * values(n, offsets), usage)?;
        let wave = kernel.steps * shots * kernels::wave(n, offsets);
        let wave = || device.zeros(LINES, wave, Usage::STORAGE);
        let (forward, backward) = (wave()?, wave()?);
        let put = |(slab, kept): (&Slab, &Vec<wgpu::Buffer>)| {
            let entry = Entry {
                source: &WAVES,
                name: "put",
                constants: constants(&wavefield.own, &slab.part, offsets)?,
                workgroups: differences::workgroups(slab.part.plan.model_grid.n, shots),
                immediates: 4,
            };
            let (others, written) = ([&forward, &backward], [false, false, false, true, true]);
            Some(Differences::new(device, slab, kept, entry, &others, &written))
        };
        let waves = wavefield.slabs.iter().zip(&source.slabs).filter_map(put);
        let waves = waves.collect::<Result<_, _>>()?;
        let [z, x] = kernel.workgroup;
        let groups = [n.z.div_ceil(z), n.x.div_ceil(x), kernel.groups(offsets, shots)];
        let entry = Entry {
            source: &kernel.source,
            name: "gather",
            constants: kernel.constants(n, offsets, shots),
            workgroups: groups.map(|groups| groups as u32),
            immediates: if kernel.steps > 1 { 4 } else { 0 },
        };
        let buffers = [&forward, &backward, &gathers];
        Ok(Gathers {
            imaging,
            offsets,
            steps: wavefield.plan.time.steps,
            slots: kernel.steps,
            waves,
            kernel: entry.bind(device, &[false, false, true], &[buffers])?,
            sum: Sum::new(device, &gathers, values(n, offsets))?,
            gathers,
        })
    }

    /// The number of imaging steps so far, this one included.
    fn met(&self, step: usize) -> usize {
        self.steps / self.imaging.every - (self.steps - step) / self.imaging.every
    }

    /// Adds the contributions of the filled slots.
    fn gather(&self, immediates: &Immediates, pass: &mut ComputePass<'_>, slots: usize) {
        match self.slots > 1 {
            true => {
                let slots = slots as u32;
                self.kernel.encode_with(immediates, pass, 0, bytemuck::bytes_of(&slots));
            }
            false => self.kernel.encode(pass, 0),
        }
    }
}

impl GpuTap for Gathers {
    fn restart(&mut self, encoder: &mut CommandEncoder) {
        encoder.clear_buffer(&self.gathers, 0, None);
    }

    fn reads(&self, _: &Span, step: usize) -> bool {
        self.imaging.slot_back(step, self.steps).is_some()
    }

    fn encode(&self, wavefield: &Wavefield, _: &Span, step: usize, pass: &mut ComputePass<'_>) {
        let Some(kept) = self.imaging.slot_back(step, self.steps) else { return };
        let immediates = &wavefield.common.immediates;
        let met = self.met(step);
        let slot = (met - 1) % self.slots;
        for waves in &self.waves {
            waves.encode_with(immediates, pass, step, kept, &[slot as u32]);
        }
        if met.is_multiple_of(self.slots) {
            self.gather(immediates, pass, self.slots);
        }
    }

    fn encode_last(&self, wavefield: &Wavefield, span: &Span, pass: &mut ComputePass<'_>) {
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
        Wavefield { plan, own, .. }: &Wavefield,
        span: &Span,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        if !span.last {
            return Ok(());
        }
        let n = own.plan.model_grid.n;
        let shape = (self.offsets.count(), n.x, n.z);
        let len = shape.0 * shape.1 * shape.2;
        for (of, unit) in plan.summed.left(plan.shots.len()) {
            // Fresh memory is first touched by the threads that fill it.
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
