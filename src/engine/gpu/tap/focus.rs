//! The largest of what the field was at each node, and when: a look every so many steps; at the end of the run the
//! maps are brought out, or what matters of them.

use super::{
    GpuTap, Span,
    summary::{self, Summaries},
};
use crate::{
    engine::{
        EngineError, FocusMap, Layout, Observer,
        gpu::{device::Device, pipeline, shader, slab::Slab, staging::Staging},
    },
    plan::{Brought, Condition, Focus, Look, Plan, QUARTERS, Tap},
};
use ndarray::Array3;
use wgpu::BufferUsages as Usage;

/// Invocations of a workgroup along z and x, each of four nodes along z.
const WORKGROUP: [usize; 2] = [16, 16];

/// Values of the buffers.
#[derive(Default)]
pub struct Lengths {
    /// Of the largest; of their steps as well.
    pub map: usize,
    /// Of the windows' sums.
    pub windows: usize,
    /// Of a map's largest or steps on its way out.
    pub staged: usize,
    /// Of the summaries.
    pub summaries: usize,
    /// Of the mask.
    pub mask: usize,
}

/// What a focus takes for so many shots.
pub fn len(plan: &Plan, shots: usize) -> Lengths {
    let tap = plan.taps.iter().find_map(|tap| match tap {
        Tap::Focus { focus, brought } => Some((focus, brought)),
        _ => None,
    });
    let Some((focus, brought)) = tap else { return Lengths::default() };
    let (n, sets) = (plan.grid.n, shots / focus.groups);
    let map = sets * n.y * n.x * n.z.next_multiple_of(4);
    let energy = matches!(focus.condition, Condition::Energy { .. });
    let windows = if energy { QUARTERS * map } else { 0 };
    let lengths = Lengths { map, windows, ..Lengths::default() };
    match brought {
        Brought::Maps => Lengths { staged: map, ..lengths },
        Brought::Summaries(_) => Lengths {
            summaries: summary::len(plan, sets),
            mask: plan.model_grid.cells(),
            ..lengths
        },
    }
}

/// What specialises shaders/focus.wgsl.
pub fn constants(layout: &Layout, focus: &Focus, shots: usize) -> shader::Constants {
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
        .int("MAPS", shots / focus.groups)
        .int("QUARTERS", QUARTERS)
        .int("QUARTER", focus.quarter_steps())
        .flag("ENERGY", matches!(focus.condition, Condition::Energy { .. }))
}

pub struct Focuses {
    focus: Focus,
    sets: usize,
    pipeline: wgpu::ComputePipeline,
    /// On p at even steps and at odd ones.
    groups: [wgpu::BindGroup; 2],
    largest: wgpu::Buffer,
    steps: wgpu::Buffer,
    out: Out,
}

/// What is brought out, and how.
enum Out {
    /// So many values of both.
    Maps([Staging; 2], usize),
    Summaries(Box<Summaries>),
}

impl Focuses {
    pub fn new(
        device: &Device,
        plan: &Plan,
        slab: &Slab,
        (focus, brought): (Focus, &Brought),
        checked: bool,
    ) -> Result<Self, EngineError> {
        let lengths = len(plan, plan.shots.len());
        let usage = Usage::STORAGE | Usage::COPY_SRC;
        let largest = device.zeros("focus", lengths.map, usage)?;
        let steps = device.zeros("focus", lengths.map, usage)?;
        let windows = device.zeros("focus windows", lengths.windows, Usage::STORAGE)?;
        let sets = plan.shots.len() / focus.groups;
        let out = match brought {
            Brought::Maps => {
                let staging = || Staging::new(device, "focus out", lengths.staged);
                Out::Maps([staging()?, staging()?], lengths.staged)
            }
            Brought::Summaries(mask) => {
                let (layout, maps) = (&slab.layout, [&largest, &steps]);
                let summaries = Summaries::new(device, plan, layout, mask, maps, sets, checked)?;
                Out::Summaries(Box::new(summaries))
            }
        };
        let constants = constants(&slab.layout, &focus, plan.shots.len());
        let module = shader::FOCUS.module(device, &constants, checked)?;
        let (pipeline, groups) = device.guarded(|| {
            let written = Some(true);
            let layout = pipeline::bindings(device, &[Some(false), written, written, written]);
            let bind =
                |at| pipeline::bind(device, &layout, &[slab.field(at), &largest, &steps, &windows]);
            (pipeline::pipeline(device, &module, "focus", &[&layout], 16), [bind(0), bind(1)])
        })?;
        Ok(Focuses { focus, sets, pipeline, groups, largest, steps, out })
    }
}

impl GpuTap for Focuses {
    fn horizon(&self, _step: usize) -> usize {
        usize::MAX
    }

    fn encode(
        &self,
        slab: &Slab,
        span: &Span,
        step: usize,
        pass: &mut wgpu::ComputePass<'_>,
    ) -> bool {
        let looks = step.is_multiple_of(self.focus.every);
        if looks {
            self.look(slab, step, pass);
        }
        let ends = span.last && step == span.end;
        match &self.out {
            Out::Summaries(summaries) if ends => summaries.encode(pass),
            _ => return looks,
        }
        true
    }

    fn encode_after(&mut self, _slab: &Slab, span: &Span, encoder: &mut wgpu::CommandEncoder) {
        match &self.out {
            _ if !span.last => (),
            Out::Maps([largest, steps], values) => {
                largest.copy(span.slot, encoder, &self.largest, 0, *values);
                steps.copy(span.slot, encoder, &self.steps, 0, *values);
            }
            Out::Summaries(summaries) => summaries.copy(span.slot, encoder),
        }
    }

    fn map(&self, span: &Span) {
        match &self.out {
            _ if !span.last => (),
            Out::Maps(staging, values) => {
                staging.iter().for_each(|staging| staging.map(span.slot, *values));
            }
            Out::Summaries(summaries) => summaries.map(span.slot),
        }
    }

    fn collect(
        &mut self,
        device: &Device,
        plan: &Plan,
        span: &Span,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        match &self.out {
            _ if !span.last => Ok(()),
            Out::Maps([largest, steps], values) => {
                largest.read(device, span.slot, *values, |largest: &[f32]| {
                    steps.read(device, span.slot, *values, |steps: &[u32]| {
                        for set in 0..self.sets {
                            let (largest, step) =
                                (of_model(plan, set, largest), of_model(plan, set, steps));
                            observer.focus(FocusMap { set, largest, step });
                        }
                    })
                })?
            }
            Out::Summaries(summaries) => {
                let all = summaries.collect(device, plan, span.slot)?;
                all.into_iter().for_each(|summary| observer.summary(summary));
                Ok(())
            }
        }
    }
}

impl Focuses {
    fn look(&self, slab: &Slab, step: usize, pass: &mut wgpu::ComputePass<'_>) {
        let Look { step: at, quarter, begins, ends } = self.focus.look(step);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.groups[step % 2], &[]);
        let look = [at, quarter as i32, i32::from(begins), i32::from(ends)];
        pass.set_immediates(0, bytemuck::bytes_of(&look));
        let n = slab.layout.n;
        let [z, x] = [n.z.div_ceil(4 * WORKGROUP[0]), n.x.div_ceil(WORKGROUP[1])];
        pass.dispatch_workgroups(z as u32, x as u32, (n.y * self.sets) as u32);
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
