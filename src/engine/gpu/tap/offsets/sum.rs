//! Sums the offset gathers of shots on the device: shaders/offsets/sum.wgsl, a dispatch per pair.

use crate::{
    EngineError,
    gpu::{
        device::Device,
        immediates::Immediates,
        pipeline::{Bound, Entry, rows},
        shader,
    },
    plan::Summed,
};
use wgpu::ComputePass;

static SUM: shader::Source = shader::source!("offsets/" "sum");

const WORKGROUP: usize = 256;

fn constants(values: usize) -> shader::Constants {
    shader::Constants::default().int("VALUES", values).int("WG", WORKGROUP)
}

pub(crate) fn shader(values: usize) -> (&'static str, String) {
    SUM.named(&constants(values))
}

pub(crate) struct Sum(Bound);

#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Pair {
    shots: [u32; 2],
    units: [f32; 2],
}

impl Sum {
    /// For gathers with this many values per shot.
    pub(crate) fn new(
        device: &Device,
        gathers: &wgpu::Buffer,
        values: usize,
    ) -> Result<Self, EngineError> {
        let [x, y] = rows(values.div_ceil(WORKGROUP));
        let entry = Entry {
            source: &SUM,
            name: "sum",
            constants: constants(values),
            workgroups: [x, y, 1],
            immediates: size_of::<Pair>() as u32,
        };
        Ok(Sum(entry.bind(device, &[true], &[[gathers]])?))
    }

    /// Adds the pairs.
    pub(crate) fn encode(
        &self,
        immediates: &Immediates,
        pass: &mut ComputePass<'_>,
        summed: &Summed,
    ) {
        for (shots, units) in summed.with_units() {
            let pair = Pair { shots: shots.map(|shot| shot as u32), units };
            self.0.encode_with(immediates, pass, 0, bytemuck::bytes_of(&pair));
        }
    }
}
