//! Stores the first differences of the field, to correlate them with another wave.

use super::{
    Demand, GpuTap, Span, arrays,
    differences::{self, Differences},
    slots::Slots,
};
use crate::{
    EngineError, SourceWavefield,
    gpu::{device::Device, part::Part, shader, slab::Slab, wavefield::Wavefield},
    plan::Imaging,
    source_wavefield::About,
};
use std::sync::Arc;
use wgpu::{BufferUsages as Usage, ComputePass};

static STORE: shader::Source = shader::source!("store", ["differences"]);

const WAVE: &str = "the source wavefield";

pub(crate) fn demand(part: &Part, imaging: Imaging, shots: usize) -> Demand {
    let values = differences::values(part, shots * part.plan.medium.fields());
    Demand { bound: vec![arrays(WAVE, imaging.slots, values)], ..Demand::default() }
}

pub(crate) fn shaders(part: &Part) -> Vec<(&'static str, String)> {
    vec![STORE.named(&differences::constants(part))]
}

pub(crate) struct Store {
    imaging: Imaging,
    about: About,
    kept: Arc<Slots>,
    slabs: Vec<Differences>,
}

impl Store {
    pub(crate) fn new(
        device: &Device,
        wavefield: &Wavefield,
        imaging: Imaging,
    ) -> Result<Self, EngineError> {
        let fields = wavefield.plan.shots.len() * wavefield.plan.medium.fields();
        let buffers = |slab: &Slab| {
            let values = differences::values(&slab.part, fields);
            let usage = Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST;
            let slot = |_| device.zeros(WAVE, values, usage);
            (0..imaging.slots).map(slot).collect::<Result<Vec<_>, _>>()
        };
        let kept: Vec<_> = wavefield.slabs.iter().map(buffers).collect::<Result<_, _>>()?;
        let kernel = |(slab, slots): (&Slab, &Vec<wgpu::Buffer>)| {
            let entry = differences::entry(slab, fields, &STORE, "store");
            Differences::new(device, slab, slots, entry, &[], &[false, false, true])
        };
        let slabs = wavefield.slabs.iter().zip(&kept).map(kernel).collect::<Result<_, _>>()?;
        let about = About::new(&wavefield.plan, imaging);
        let kept = Arc::new(Slots::new(kept, device));
        Ok(Store { imaging, about, kept, slabs })
    }
}

impl GpuTap for Store {
    fn source_wavefield(&self) -> Option<SourceWavefield> {
        let kept = SourceWavefield::new(self.kept.clone(), self.about.clone());
        Some(kept.staged_by(self.kept.clone()))
    }

    fn reads(&self, _: &Span, step: usize) -> bool {
        self.imaging.slot(step).is_some()
    }

    fn encode(&self, _: &Wavefield, _: &Span, step: usize, pass: &mut ComputePass<'_>) {
        if let Some(slot) = self.imaging.slot(step) {
            self.slabs.iter().for_each(|slab| slab.encode(pass, step, slot));
        }
    }
}
