//! Ends a run whose field grows without bound: a look at the field every so many steps, whose result
//! is read when the submit is done.

use super::{GpuTap, Span};
use crate::{
    engine::{
        EngineError, Observer,
        blow_up::{BIN_SHIFT, BINS, blow_up},
        gpu::{device::Device, pipeline, shader, slab::Slab, staging::Staging},
    },
    grid::Axes,
    plan::Plan,
};
use wgpu::BufferUsages as Usage;

/// Invocations of a workgroup along z and x, each of four nodes along z.
const WORKGROUP: [usize; 2] = [16, 16];
/// Looks that a submit has room for.
const LOOKS: usize = 32;
/// 4-byte values of an alarm: the largest |p|, and the first node of each bin.
const ALARM: usize = 1 + BINS;

pub struct Watchdog {
    every: usize,
    shots: usize,
    pipeline: wgpu::ComputePipeline,
    /// On p at even steps and at odd ones.
    groups: [wgpu::BindGroup; 2],
    alarms: wgpu::Buffer,
    staging: Staging,
}

/// What specialises shaders/watchdog.wgsl.
pub fn constants(plan: &Plan, layout: &crate::engine::Layout, limit: f32) -> shader::Constants {
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
        .int("SHOTS", plan.shots.len())
        .int("LIMIT", limit.to_bits() as usize)
        .int("BIN_SHIFT", BIN_SHIFT as usize)
        .int("BINS", BINS)
}

/// Workgroups of a look along each axis of its dispatch.
pub fn groups(n: Axes<usize>, shots: usize) -> [usize; 3] {
    [n.z.div_ceil(4 * WORKGROUP[0]), n.x.div_ceil(WORKGROUP[1]), n.y * shots]
}

impl Watchdog {
    pub fn new(
        device: &Device,
        plan: &Plan,
        slab: &Slab,
        every: usize,
        limit: f32,
        checked: bool,
    ) -> Result<Self, EngineError> {
        let shots = plan.shots.len();
        let values = LOOKS * shots * ALARM;
        let usage = Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST;
        let alarms = device.zeros("alarms", values, usage)?;
        let staging = Staging::new(device, "alarms out", values)?;
        let constants = constants(plan, &slab.layout, limit);
        let module = shader::WATCHDOG.module(device, &constants, checked)?;
        let (pipeline, groups) = device.guarded(|| {
            let layout = pipeline::bindings(device, &[Some(false), Some(true)]);
            let groups =
                [0, 1].map(|at| pipeline::bind(device, &layout, &[slab.field(at), &alarms]));
            (pipeline::pipeline(device, &module, "watch", &[&layout], 4), groups)
        })?;
        Ok(Watchdog { every, shots, pipeline, groups, alarms, staging })
    }

    fn values(&self) -> usize {
        LOOKS * self.shots * ALARM
    }

    /// Which of a submit's looks falls on a step, if any: one at each multiple of `every`, and one at
    /// the end of the run.
    fn look(&self, span: &Span, step: usize) -> Option<usize> {
        let regular = step.is_multiple_of(self.every) && step < span.end;
        let last = span.last && step == span.end;
        let before = step.div_ceil(self.every) - span.first.div_ceil(self.every);
        (regular || last).then_some(before)
    }
}

impl GpuTap for Watchdog {
    fn horizon(&self, _step: usize) -> usize {
        (LOOKS - 2) * self.every
    }

    fn encode(
        &self,
        slab: &Slab,
        span: &Span,
        step: usize,
        pass: &mut wgpu::ComputePass<'_>,
    ) -> bool {
        let Some(look) = self.look(span, step) else { return false };
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.groups[step % 2], &[]);
        pass.set_immediates(0, bytemuck::bytes_of(&(look as u32)));
        let [z, x, y] = groups(slab.layout.n, self.shots).map(|groups| groups as u32);
        pass.dispatch_workgroups(z, x, y);
        true
    }

    fn encode_after(&mut self, _slab: &Slab, span: &Span, encoder: &mut wgpu::CommandEncoder) {
        self.staging.copy(span.slot, encoder, &self.alarms, 0, self.values());
        encoder.clear_buffer(&self.alarms, 0, None);
    }

    fn map(&self, span: &Span) {
        self.staging.map(span.slot, self.values());
    }

    fn collect(
        &mut self,
        device: &Device,
        plan: &Plan,
        span: &Span,
        _observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let shots = self.shots;
        let alarm = self.staging.read(device, span.slot, self.values(), |alarms: &[u32]| {
            let rung = alarms.chunks_exact(ALARM).position(|alarm| alarm[0] > 0)?;
            let (peak, bins) = alarms[rung * ALARM..][..ALARM].split_first()?;
            let first = bins.iter().rfind(|first| **first > 0)?;
            Some((rung / shots, rung % shots, *peak, *first))
        })?;
        let Some((look, shot, peak, first)) = alarm else { return Ok(()) };
        let step = (span.first..=span.end).find(|step| self.look(span, *step) == Some(look));
        let node = plan.grid.node_of(plan.grid.cells() - first as usize);
        let value = f32::from_bits(peak);
        Err(blow_up(plan, step.unwrap_or(span.end), self.every, shot, node, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::WATCHDOG_EVERY;

    /// A step moves 16 bytes a node at the least: p, the field before, the model, and the new field. A look reads p
    /// and, where all is well, writes nothing; a submit brings its alarms out.
    #[test]
    fn looks_are_less_than_a_per_cent_of_what_steps_move() {
        // The thesis' plane, a volume, and odd extents; a submit of two looks.
        let plane: Axes<usize> = Axes { z: 260, x: 775, y: 1 };
        let (cube, odd) = (Axes { z: 552, x: 552, y: 552 }, Axes { z: 487, x: 391, y: 133 });
        for n in [plane, cube, odd] {
            let (nodes, steps) = (n.z * n.x * n.y, 2 * WATCHDOG_EVERY);
            let look = 16 * n.z.div_ceil(4) * n.x * n.y;
            let submit = 4 * LOOKS * ALARM;
            let share = (2 * look + submit) as f64 / (16 * nodes * steps) as f64;
            println!("{n:?}: {:.3} %", 100.0 * share);
            assert!(share < 0.01, "{n:?}: {share}");
            // As many invocations as groups of four nodes, and no more than a workgroup over.
            let [z, x, planes] = groups(n, 1);
            assert!(
                4 * WORKGROUP[0] * z < n.z + 4 * WORKGROUP[0]
                    && WORKGROUP[1] * x < n.x + WORKGROUP[1]
            );
            assert_eq!(planes, n.y);
        }
    }
}
