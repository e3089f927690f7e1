//! A part of the wavefield along its slowest axis, and everything that steps it.
//!
//! A wavefield is a list of slabs; in the simple case one slab covers the grid.

use super::{
    acquisition,
    device::Device,
    immediates::Immediates,
    increments,
    kernel::Kernel,
    kernels::StepKernel,
    layers, model,
    part::Part,
    pipeline::{self, Bound},
    region::{MOST_REGIONS, Regions},
    sleep::{self, Sleep},
    tap::{self, TRACES},
    transposed::Transposed,
    wavelets::Wavelets,
};
use crate::{
    EngineError,
    grid::Axes,
    plan::Plan,
    stencil::{
        Fourth, MAX_RADIUS,
        ete::{self, Planes},
    },
};
use wgpu::BufferUsages as Usage;

/// The row of a step that does not record; no step writes it.
pub(crate) const NO_ROW: u32 = u32::MAX;
/// The most steps of a submit. Encoding takes the host about as long as a fast device takes to step
/// a small grid, and the next submit is encoded while one runs.
pub(crate) const MOST_STEPS: usize = 200;

/// The state that all slabs of a run share.
pub(crate) struct Common {
    operators: wgpu::Buffer,
    pub(crate) wavelets: Wavelets,
    /// The recorded samples, `[row][shot][receiver]`, for the tap that copies them out.
    pub(crate) rows: wgpu::Buffer,
    pub(crate) receivers: usize,
    shots: u32,
    sleep: Sleep,
    pub(crate) immediates: Immediates,
}

impl Common {
    /// For a run of `slabs` slabs.
    pub(crate) fn new(
        device: &Device,
        plan: &Plan,
        slabs: usize,
        sleep: Sleep,
    ) -> Result<Self, EngineError> {
        let rows = tap::rows(plan);
        let (shots, receivers) = (plan.shots.len(), plan.most_receivers());
        let readers = 2 * plan.taps.len();
        let dispatches =
            (MOST_STEPS + 1) * slabs * (MOST_REGIONS + readers) + plan.taps.len() * shots + 1;
        Ok(Common {
            operators: device.upload("operators", &operators(plan), Usage::UNIFORM)?,
            wavelets: Wavelets::new(device, plan)?,
            rows: device.zeros(TRACES.made, rows * shots * receivers, Usage::STORAGE)?,
            receivers,
            shots: shots as u32,
            sleep,
            immediates: Immediates::new(device, dispatches)?,
        })
    }
}

/// The buffers of a slab, and its kernels.
pub(crate) struct Slab {
    pub(crate) part: Part,
    /// p at even and at odd steps; with increments, p and p - p_prev. With VTI, p of all shots, then m.
    fields: [wgpu::Buffer; 2],
    /// Values behind the fields that say which blocks are awake; 0 if none sleeps.
    flags: usize,
    /// Adds the increments to p.
    increments: Option<Bound>,
    memory: wgpu::Buffer,
    inputs: Inputs,
    stepper: Stepper,
    /// Kernels that stepped it before.
    spare: Vec<Stepper>,
    transposed: Option<Transposed>,
}

/// The buffers that no kernel changes.
struct Inputs {
    v2dt2: wgpu::Buffer,
    layers: wgpu::Buffer,
}

/// A kernel, bound to a slab's buffers.
struct Stepper {
    name: &'static str,
    regions: Regions,
    kernel: Kernel,
    acquisition: wgpu::Buffer,
    constant: wgpu::BindGroup,
    /// The fields at even and at odd steps, and the memory variables.
    swapped: [wgpu::BindGroup; 2],
}

const ACQUISITION: &str = "sources and receivers";

/// The bind group that does not change from step to step.
fn constant(
    device: &Device,
    kernel: &Kernel,
    Common { operators, wavelets, rows, .. }: &Common,
    Inputs { v2dt2, layers }: &Inputs,
    acquisition: &wgpu::Buffer,
) -> Result<wgpu::BindGroup, EngineError> {
    let all = [operators, v2dt2, layers, acquisition, &wavelets.buffer, rows];
    device.guarded(|| pipeline::bind(device, &kernel.groups[0], &all))
}

/// A part of a Plan, and what all parts share.
pub(crate) struct SlabOf<'p, P> {
    pub(crate) whole: &'p Plan,
    pub(crate) part: P,
    pub(crate) common: &'p Common,
}

impl Stepper {
    fn new(
        device: &Device,
        SlabOf { whole, part, common }: SlabOf<'_, &Part>,
        kernel: &StepKernel,
        inputs: &Inputs,
        fields: [&wgpu::Buffer; 2],
        memory: &wgpu::Buffer,
    ) -> Result<Self, EngineError> {
        let (name, regions) = (kernel.name, kernel.regions(part));
        let kernel = Kernel::new(device, whole, part, &regions, kernel, common.sleep)?;
        let tables = acquisition::tables(whole, part, &regions);
        let refilled = Usage::STORAGE | Usage::COPY_DST;
        let acquisition = device.upload(ACQUISITION, &tables, refilled)?;
        let at = |now: usize| [fields[now], fields[1 - now], memory];
        let constant = constant(device, &kernel, common, inputs, &acquisition)?;
        let swapped = device
            .guarded(|| [0, 1].map(|now| pipeline::bind(device, &kernel.groups[1], &at(now))))?;
        Ok(Stepper { name, regions, kernel, acquisition, constant, swapped })
    }

    /// Replaces the sources and receivers.
    fn restart(
        &mut self,
        device: &Device,
        SlabOf { whole, part, common }: SlabOf<'_, &Part>,
        inputs: &Inputs,
    ) -> Result<(), EngineError> {
        let Stepper { regions, kernel, acquisition, .. } = self;
        let tables = acquisition::tables(whole, part, regions);
        if device.refill(acquisition, ACQUISITION, &tables)? {
            self.constant = constant(device, kernel, common, inputs, acquisition)?;
        }
        Ok(())
    }
}

impl Slab {
    /// Uploads a part of a Plan and zeroes its fields.
    pub(crate) fn new(
        device: &Device,
        SlabOf { whole, part, common }: SlabOf<'_, Part>,
        layers: &Plan,
        kernel: &StepKernel,
    ) -> Result<Self, EngineError> {
        let (layout, count) = (part.layout, common.shots as usize * whole.medium.fields());
        let usage = Usage::STORAGE;
        let inputs = Inputs {
            v2dt2: model::upload(device, whole, &part)?,
            layers: device.upload("layers", &layers::coefficients(&part.plan), usage)?,
        };
        let usage = usage | Usage::COPY_SRC | Usage::COPY_DST;
        let shots = common.shots as usize;
        let flags = match common.sleep.is_possible(whole, &part, shots) {
            true => sleep::len(&layout, shots),
            false => 0,
        };
        let field = || device.zeros("p", count * layout.len() + flags, usage);
        let fields = [field()?, field()?];
        let increments = match whole.by_increments {
            true => Some(increments::bind(device, &fields)?),
            false => None,
        };
        let memory = device.zeros("layer memory", count * layers::memory_len(&part.plan), usage)?;
        let of = SlabOf { whole, part: &part, common };
        let stepper = Stepper::new(device, of, kernel, &inputs, fields.each_ref(), &memory)?;
        let constant = [&common.operators, &inputs.v2dt2];
        let transposed = Transposed::new(device, layers, &part, constant, &fields)?;
        let spare = Vec::new();
        Ok(Slab { part, fields, flags, increments, memory, inputs, stepper, spare, transposed })
    }

    /// Zeroes the fields, for the shots of another batch of the same survey.
    pub(crate) fn restart(
        &mut self,
        device: &Device,
        SlabOf { whole, part, common }: SlabOf<'_, Part>,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), EngineError> {
        self.part = part;
        let Part { plan, layout, .. } = &self.part;
        model::place_windows(device, &self.inputs.v2dt2, plan, layout)?;
        let of = SlabOf { whole, part: &self.part, common };
        self.stepper.restart(device, of, &self.inputs)?;
        self.spare.clear();
        for buffer in [&self.fields[0], &self.fields[1], &self.memory] {
            encoder.clear_buffer(buffer, 0, None);
        }
        self.transposed.iter().for_each(|layers| layers.restart(encoder));
        Ok(())
    }

    /// Continues with another kernel.
    pub(crate) fn switch(
        &mut self,
        device: &Device,
        whole: &Plan,
        common: &Common,
        kernel: &StepKernel,
    ) -> Result<(), EngineError> {
        if let Some(known) = self.spare.iter_mut().find(|spare| spare.name == kernel.name) {
            std::mem::swap(known, &mut self.stepper);
        }
        if self.stepper.name == kernel.name {
            return Ok(());
        }
        let (fields, of) = (self.fields.each_ref(), SlabOf { whole, part: &self.part, common });
        let stepper = Stepper::new(device, of, kernel, &self.inputs, fields, &self.memory)?;
        self.wake(device, common)?;
        self.spare.push(std::mem::replace(&mut self.stepper, stepper));
        Ok(())
    }

    /// Wakes all blocks: something else than its kernel has changed the fields.
    pub(crate) fn wake(&self, device: &Device, common: &Common) -> Result<(), EngineError> {
        let first = common.shots as usize * self.part.layout.len();
        let awake = vec![1.0f32; self.flags];
        let mut fields = self.fields.iter().filter(|_| self.flags > 0);
        fields.try_for_each(|field| device.write(field, first, &awake).map(drop))
    }

    /// True if it has the layers of an adjoint.
    pub(crate) fn is_adjoint(&self) -> bool {
        self.transposed.is_some()
    }

    /// The buffer that holds p at a step.
    pub(crate) fn field(&self, step: usize) -> &wgpu::Buffer {
        &self.fields[self.place(step)]
    }

    /// The state at a step: p, the array kept beside it, and the layers' memory.
    pub(crate) fn state(&self, step: usize) -> [&wgpu::Buffer; 3] {
        let now = self.place(step);
        [&self.fields[now], &self.fields[1 - now], &self.memory]
    }

    /// Index of the field that holds p at a step.
    fn place(&self, step: usize) -> usize {
        if self.increments.is_some() { 0 } else { step % 2 }
    }

    /// Prepares a pass for [`Slab::step`].
    pub(crate) fn begin(&self, pass: &mut wgpu::ComputePass<'_>) {
        pass.set_pipeline(&self.stepper.kernel.steps[0]);
        pass.set_bind_group(0, &self.stepper.constant, &[]);
    }

    /// Steps from `step` to the next, and records p at `step` in a row of the traces.
    pub(crate) fn step(
        &self,
        common: &Common,
        pass: &mut wgpu::ComputePass<'_>,
        step: usize,
        row: u32,
    ) {
        if let Some(layers) = self.transposed.as_ref().filter(|_| step == 0) {
            layers.begin(pass);
            self.begin(pass);
        }
        pass.set_bind_group(1, &self.stepper.swapped[self.place(step)], &[]);
        let Stepper { regions, kernel, .. } = &self.stepper;
        let single = kernel.steps.len() == 1;
        for (index, (region, pipeline)) in regions.iter().zip(&kernel.steps).enumerate() {
            if !single {
                pass.set_pipeline(pipeline);
            }
            common.immediates.give(pass, bytemuck::bytes_of(&[step as u32, row]));
            let records = index == 0 && row != NO_ROW;
            let recording = if records { region.recording(common.receivers) } else { 0 };
            let Axes { z, x, y } = region.tiles;
            pass.dispatch_workgroups(z as u32, (x + recording) as u32, y as u32 * common.shots);
        }
        if let Some(layers) = &self.transposed {
            layers.step(pass, step);
        }
        if let Some(increments) = &self.increments {
            increments.encode(pass, 0);
        }
        if self.transposed.is_some() || self.increments.is_some() {
            self.begin(pass);
        }
    }

    /// Records p at `step` without stepping.
    pub(crate) fn record(
        &self,
        common: &Common,
        pass: &mut wgpu::ComputePass<'_>,
        step: usize,
        row: u32,
    ) {
        pass.set_pipeline(&self.stepper.kernel.record);
        pass.set_bind_group(0, &self.stepper.constant, &[]);
        pass.set_bind_group(1, &self.stepper.swapped[self.place(step)], &[]);
        common.immediates.give(pass, bytemuck::bytes_of(&[step as u32, row]));
        let groups = common.receivers.div_ceil(self.stepper.regions.first().shape.invocations());
        pass.dispatch_workgroups(groups as u32, 1, common.shots);
    }
}

/// Coefficients j of: the second derivatives along x and z, the first along x and z; then the
/// second and first along y; then, for explicit time evolution, the star along x, z and y, and the
/// diagonals.
pub(crate) fn operators(plan: &Plan) -> Vec<[f32; 4]> {
    let Axes { z, x, y } = &plan.operator;
    let at = |values: &[f64], j: usize| values.get(j).map_or(0.0, |c| *c as f32);
    let first = |values: &[f64], j: usize| if j == 0 { 0.0 } else { at(values, j - 1) };
    let plane = |j| [at(&x.second, j), at(&z.second, j), first(&x.first, j), first(&z.first, j)];
    let along_y = |j| [at(&y.second, j), first(&y.first, j), 0.0, 0.0];
    let star = |j| {
        let of =
            |fourth: &Fourth| [&fourth.star.x, &fourth.star.z, &fourth.star.y].map(|b| at(b, j));
        plan.fourth.as_ref().map_or([0.0; 4], |fourth| four(of(fourth)))
    };
    let diagonal = |j| {
        let of = |Fourth { diagonal: Planes { zx, xy, yz }, .. }: &Fourth| {
            [zx, xy, yz].map(|d| at(d, j))
        };
        plan.fourth.as_ref().map_or([0.0; 4], |fourth| four(of(fourth)))
    };
    let axes = (0..=MAX_RADIUS).map(plane).chain((0..=MAX_RADIUS).map(along_y));
    axes.chain((0..=ete::RADIUS).map(star)).chain((0..=ete::RADIUS).map(diagonal)).collect()
}

fn four([x, y, z]: [f32; 3]) -> [f32; 4] {
    [x, y, z, 0.0]
}
