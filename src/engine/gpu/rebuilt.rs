//! A wave reconstructed backward in time: `put` of shaders/boundaries.wgsl after each step, and its
//! start, shaders/backward.wgsl.

use super::{
    device::Device,
    pipeline::{Bound, rows},
    shader,
    tap::{Boundaries, Entry},
    wavefield::Wavefield,
};
use crate::{EngineError, SourceWavefield};
use std::sync::Arc;

static BACKWARD: shader::Source = shader::source!("backward");

/// Invocations per workgroup, each for a quad of nodes.
const WORKGROUP: usize = 256;

/// The values saved on the ring around the model, for each step.
pub struct Rebuilt {
    steps: usize,
    entry: Entry,
    /// Keeps the buffers that it reads.
    _saved: Arc<Boundaries>,
}

impl Rebuilt {
    /// For a Plan that runs backward in time.
    pub fn new(
        device: &Device,
        wavefield: &Wavefield,
        source: Option<&SourceWavefield>,
        checked: bool,
    ) -> Result<Option<Self>, EngineError> {
        let plan = &wavefield.plan;
        let Some(how) = plan.rebuilt else { return Ok(None) };
        let saved: Arc<Boundaries> = SourceWavefield::of(source, plan, how)?;
        let entry = Entry::new(device, wavefield, ("put", how), &saved, checked)?;
        Ok(Some(Rebuilt { steps: plan.time.steps, entry, _saved: saved }))
    }

    /// Restores the saved values at the step just reached, which is step N - 1 - step of the
    /// forward run, in some of the slabs; returns whether there were any.
    pub fn encode(
        &self,
        wavefield: &Wavefield,
        pass: &mut wgpu::ComputePass<'_>,
        step: usize,
        of: impl Fn(usize) -> bool,
    ) -> bool {
        let forward = (self.steps - 1).saturating_sub(step);
        if forward > 0 {
            self.entry.encode(wavefield, pass, (step, forward - 1), of);
        }
        forward > 0
    }
}

/// The constants of shaders/backward.wgsl for a number of values.
fn constants(values: usize) -> shader::Constants {
    shader::Constants::default().int("FOURS", values / 4).int("WG", WORKGROUP)
}

/// Its shader for a number of values.
pub fn shaders(values: usize) -> Vec<(&'static str, String)> {
    vec![(BACKWARD.name, BACKWARD.specialised(&constants(values)))]
}

/// Turns p and p - p_prev at the end of a run into those at the start of a backward run.
pub fn turn(
    device: &Device,
    [end, end_increments]: [&wgpu::Buffer; 2],
    [p, increments]: [&wgpu::Buffer; 2],
    checked: bool,
) -> Result<(), EngineError> {
    let values = p.size() as usize / 4;
    let [x, y] = rows((values / 4).div_ceil(WORKGROUP));
    let source = (&BACKWARD, "turn", constants(values));
    let fields = (&[false, false, true, true][..], &[[end, end_increments, p, increments]][..]);
    let bound = Bound::new(device, source, fields, ([x, y, 1], 0), checked)?;
    let index = device.guarded(|| {
        let mut encoder = device.wgpu.create_command_encoder(&Default::default());
        bound.encode(&mut encoder.begin_compute_pass(&Default::default()), 0);
        device.queue.submit([encoder.finish()])
    })?;
    device.wait_where_possible(index)
}
