//! The largest of what the field was at each node, and when: a look every so many steps, brought out at the end of
//! the run.

use super::{GpuTap, Span};
use crate::{
    engine::{
        EngineError, FocusMap, Layout, Observer,
        gpu::{device::Device, pipeline, shader, slab::Slab, staging::Staging},
    },
    plan::{Condition, Focus, Plan},
};
use ndarray::Array3;
use wgpu::BufferUsages as Usage;

/// Invocations of a workgroup along z and x, each of four nodes along z.
const WORKGROUP: [usize; 2] = [16, 16];

/// Values of the buffers.
pub struct Lengths {
    /// Of the largest; of their steps as well.
    pub map: usize,
    /// Of the windows' sums.
    pub windows: usize,
}

/// What a focus takes for so many shots.
pub fn len(plan: &Plan, shots: usize) -> Lengths {
    let Some(focus) = plan.focus() else { return Lengths { map: 0, windows: 0 } };
    let n = plan.grid.n;
    let map = (shots / focus.groups) * n.y * n.x * n.z.next_multiple_of(4);
    let energy = matches!(focus.condition, Condition::Energy { .. });
    Lengths { map, windows: if energy { 2 * map } else { 0 } }
}

/// What specialises shaders/focus.wgsl.
pub fn constants(layout: &Layout, focus: &Focus) -> shader::Constants {
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
        .int("GROUPS", focus.groups)
        .flag("ENERGY", matches!(focus.condition, Condition::Energy { .. }))
}

pub struct Focuses {
    focus: Focus,
    sets: usize,
    values: usize,
    pipeline: wgpu::ComputePipeline,
    /// On p at even steps and at odd ones.
    groups: [wgpu::BindGroup; 2],
    largest: wgpu::Buffer,
    steps: wgpu::Buffer,
    staging: [Staging; 2],
}

impl Focuses {
    pub fn new(
        device: &Device,
        plan: &Plan,
        slab: &Slab,
        focus: Focus,
        checked: bool,
    ) -> Result<Self, EngineError> {
        let lengths = len(plan, plan.shots.len());
        let usage = Usage::STORAGE | Usage::COPY_SRC;
        let largest = device.zeros("focus", lengths.map, usage)?;
        let steps = device.zeros("focus", lengths.map, usage)?;
        let windows = device.zeros("focus windows", lengths.windows, Usage::STORAGE)?;
        let staging = || Staging::new(device, "focus out", lengths.map);
        let staging = [staging()?, staging()?];
        let module = shader::FOCUS.module(device, &constants(&slab.layout, &focus), checked)?;
        let (pipeline, groups) = device.guarded(|| {
            let written = Some(true);
            let layout = pipeline::bindings(device, &[Some(false), written, written, written]);
            let bind =
                |at| pipeline::bind(device, &layout, &[slab.field(at), &largest, &steps, &windows]);
            (pipeline::pipeline(device, &module, "focus", &[&layout], 8), [bind(0), bind(1)])
        })?;
        let sets = plan.shots.len() / focus.groups;
        let values = lengths.map;
        Ok(Focuses { focus, sets, values, pipeline, groups, largest, steps, staging })
    }
}

impl GpuTap for Focuses {
    fn horizon(&self, _step: usize) -> usize {
        usize::MAX
    }

    fn encode(
        &self,
        slab: &Slab,
        _span: &Span,
        step: usize,
        pass: &mut wgpu::ComputePass<'_>,
    ) -> bool {
        let Focus { every, condition, .. } = self.focus;
        if !step.is_multiple_of(every) {
            return false;
        }
        let look = step / every;
        // The middle of its window; the first windows begin before the run.
        let at = look.saturating_sub(condition.delay()) * every;
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.groups[step % 2], &[]);
        let ends_half = u32::from(condition.ends_half(look));
        pass.set_immediates(0, bytemuck::bytes_of(&[at as u32, ends_half]));
        let n = slab.layout.n;
        let [z, x] = [n.z.div_ceil(4 * WORKGROUP[0]), n.x.div_ceil(WORKGROUP[1])];
        pass.dispatch_workgroups(z as u32, x as u32, (n.y * self.sets) as u32);
        true
    }

    fn encode_after(&mut self, _slab: &Slab, span: &Span, encoder: &mut wgpu::CommandEncoder) {
        if span.last {
            self.staging[0].copy(span.slot, encoder, &self.largest, 0, self.values);
            self.staging[1].copy(span.slot, encoder, &self.steps, 0, self.values);
        }
    }

    fn map(&self, span: &Span) {
        if span.last {
            self.staging.iter().for_each(|staging| staging.map(span.slot, self.values));
        }
    }

    fn collect(
        &mut self,
        device: &Device,
        plan: &Plan,
        span: &Span,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        if !span.last {
            return Ok(());
        }
        let [largest, steps] = &self.staging;
        largest.read(device, span.slot, self.values, |largest: &[f32]| {
            steps.read(device, span.slot, self.values, |steps: &[u32]| {
                for set in 0..self.sets {
                    let (largest, step) =
                        (of_model(plan, set, largest), of_model(plan, set, steps));
                    observer.focus(FocusMap { set, largest, step });
                }
            })
        })?
    }
}

/// The model's nodes of a set's map, shape `[y][x][z]`.
fn of_model<T: Copy>(plan: &Plan, set: usize, map: &[T]) -> Array3<T> {
    let (n, origin) = (plan.grid.n, plan.origin);
    Array3::from_shape_fn(plan.model_grid.shape(), |(y, x, z)| {
        let column = (set * n.y + origin.y + y) * n.x + origin.x + x;
        map[column * n.z.next_multiple_of(4) + origin.z + z]
    })
}
