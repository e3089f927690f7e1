//! A piece of the wavefield along its slowest axis, with all that steps it.
//!
//! A wavefield is a list of slabs; one slab that covers the grid is the simple case.

use super::{
    acquisition,
    device::Device,
    increments::Increments,
    kernel::Kernel,
    kernels::StepKernel,
    layers,
    model::{Model, ModelStorage},
    pipeline,
    region::Regions,
};
use crate::{
    engine::{EngineError, Layout},
    grid::Axes,
    plan::Plan,
    stencil::MAX_RADIUS,
};
use ndarray::Array3;
use wgpu::BufferUsages as Usage;

/// A row that no step writes: this step does not record.
pub const NO_ROW: u32 = u32::MAX;

/// Buffers of a slab, and what steps them.
pub struct Slab {
    pub layout: Layout,
    pub receivers: usize,
    shots: u32,
    storage: ModelStorage,
    /// p at even steps and at odd ones; by increments p, and p less p before.
    fields: [wgpu::Buffer; 2],
    /// What adds the increments to p.
    increments: Option<Increments>,
    /// The layers' memory variables.
    memory: wgpu::Buffer,
    /// [row][shot][receiver], for the tap that brings them out.
    pub traces: wgpu::Buffer,
    inputs: Inputs,
    stepper: Stepper,
    /// Of kernels that stepped before.
    spare: Vec<Stepper>,
}

/// What never changes, whichever kernel steps.
struct Inputs {
    operators: wgpu::Buffer,
    v2dt2: wgpu::Buffer,
    layers: wgpu::Buffer,
    wavelets: wgpu::Buffer,
    /// Places of the receivers.
    places: wgpu::Buffer,
}

/// A kernel, bound to a slab's buffers.
struct Stepper {
    name: &'static str,
    regions: Regions,
    kernel: Kernel,
    constant: wgpu::BindGroup,
    /// The fields at even steps and at odd ones, and the memory variables.
    swapped: [wgpu::BindGroup; 2],
}

impl Stepper {
    fn new(
        device: &Device,
        plan: &Plan,
        kernel: &StepKernel,
        model: &Model<'_>,
        checked: bool,
        slab: (&Layout, ModelStorage, &Inputs, &wgpu::Buffer),
        (fields, memory): ([&wgpu::Buffer; 2], &wgpu::Buffer),
    ) -> Result<Self, EngineError> {
        let (layout, storage, inputs, traces) = slab;
        let (name, regions) = (kernel.name, kernel.regions(plan, layout));
        let kernel = Kernel::new(device, plan, layout, kernel, &regions, storage, checked)?;
        let (starts, sources) = acquisition::sources(plan, layout, &regions, model);
        let starts = device.upload("source tiles", &starts, Usage::STORAGE)?;
        let sources = device.upload("sources", &sources, Usage::STORAGE)?;
        let Inputs { operators, v2dt2, layers, wavelets, places } = inputs;
        let constant = [operators, v2dt2, layers, &starts, &sources, wavelets, places, traces];
        let at = |now: usize| [fields[now], fields[1 - now], memory];
        let (constant, swapped) = device.guarded(|| {
            let bind = |group: usize, buffers: &[&wgpu::Buffer]| {
                pipeline::bind(device, &kernel.groups[group], buffers)
            };
            (bind(0, &constant), [bind(1, &at(0)), bind(1, &at(1))])
        })?;
        Ok(Stepper { name, regions, kernel, constant, swapped })
    }
}

impl Slab {
    /// Uploads a Plan and puts its fields to t = 0; `rows` samples of traces fit before they must be
    /// brought out.
    pub fn new(
        device: &Device,
        plan: &Plan,
        kernel: &StepKernel,
        storage: ModelStorage,
        rows: usize,
        checked: bool,
    ) -> Result<Self, EngineError> {
        let layout = Layout::new(plan);
        let receivers = plan.most_receivers();
        let shots = plan.shots.len();

        let usage = Usage::STORAGE;
        let model = Model::new(plan, storage);
        let mut operators = operators(plan);
        operators[ALONG_Y][2..].copy_from_slice(&model.base_and_scale());
        let wavelets: Vec<f32> = plan
            .wavelets
            .iter()
            .flat_map(|row| &row[..plan.time.steps])
            .map(|s| *s as f32)
            .collect();
        let inputs = Inputs {
            operators: device.upload("operators", &operators, Usage::UNIFORM)?,
            v2dt2: model.upload(device, &layout)?,
            layers: device.upload("layers", &layers::coefficients(&storage.stored(plan)), usage)?,
            wavelets: device.upload("wavelets", &wavelets, usage)?,
            places: device.upload("receivers", &acquisition::receivers(plan, &layout), usage)?,
        };
        let traces = rows * shots * receivers;
        let traces = device.zeros("traces", traces, usage | Usage::COPY_SRC)?;

        let initial = |field: Option<&Array3<f32>>| match field {
            None => device.zeros("p", shots * layout.len(), usage | Usage::COPY_SRC),
            Some(field) => {
                let padded = layout.padded(|node| field[[node.y, node.x, node.z]]).repeat(shots);
                device.upload("p", &padded, usage | Usage::COPY_SRC)
            }
        };
        let now = plan.initial.as_ref().map(|initial| &initial.now);
        let fields = [initial(now)?, initial(plan.second_field().as_deref())?];
        let increments = match plan.by_increments {
            true => Some(Increments::new(device, &fields, checked)?),
            false => None,
        };
        let memory = device.zeros("layer memory", shots * layers::memory_len(plan), usage)?;

        let stepper = Stepper::new(
            device,
            plan,
            kernel,
            &model,
            checked,
            (&layout, storage, &inputs, &traces),
            (fields.each_ref(), &memory),
        )?;
        let shots = shots as u32;
        let spare = Vec::new();
        Ok(Slab {
            layout,
            receivers,
            shots,
            storage,
            fields,
            increments,
            memory,
            traces,
            inputs,
            stepper,
            spare,
        })
    }

    /// Goes on with another kernel.
    pub fn switch(
        &mut self,
        device: &Device,
        plan: &Plan,
        kernel: &StepKernel,
        checked: bool,
    ) -> Result<(), EngineError> {
        if let Some(known) = self.spare.iter_mut().find(|spare| spare.name == kernel.name) {
            std::mem::swap(known, &mut self.stepper);
        }
        if self.stepper.name == kernel.name {
            return Ok(());
        }
        let stepper = Stepper::new(
            device,
            plan,
            kernel,
            &Model::new(plan, self.storage),
            checked,
            (&self.layout, self.storage, &self.inputs, &self.traces),
            (self.fields.each_ref(), &self.memory),
        )?;
        self.spare.push(std::mem::replace(&mut self.stepper, stepper));
        Ok(())
    }

    /// The buffer that holds p at a step.
    pub fn field(&self, step: usize) -> &wgpu::Buffer {
        &self.fields[self.place(step)]
    }

    /// Which of the fields holds p at a step.
    fn place(&self, step: usize) -> usize {
        if self.increments.is_some() { 0 } else { step % 2 }
    }

    /// Makes ready for [`Slab::step`]s.
    pub fn begin(&self, pass: &mut wgpu::ComputePass<'_>) {
        pass.set_pipeline(&self.stepper.kernel.steps[0]);
        pass.set_bind_group(0, &self.stepper.constant, &[]);
    }

    /// Steps from `step` to the next, recording p at `step` in a row of the traces.
    pub fn step(&self, pass: &mut wgpu::ComputePass<'_>, step: usize, row: u32) {
        pass.set_bind_group(1, &self.stepper.swapped[self.place(step)], &[]);
        let Stepper { regions, kernel, .. } = &self.stepper;
        let single = kernel.steps.len() == 1;
        for (index, (region, pipeline)) in regions.iter().zip(&kernel.steps).enumerate() {
            if !single {
                pass.set_pipeline(pipeline);
            }
            pass.set_immediates(0, bytemuck::bytes_of(&[step as u32, row]));
            let records = index == 0 && row != NO_ROW;
            let recording = if records { region.recording(self.receivers) } else { 0 };
            let Axes { z, x, y } = region.tiles;
            pass.dispatch_workgroups(z as u32, (x + recording) as u32, y as u32 * self.shots);
        }
        if let Some(increments) = &self.increments {
            increments.add(pass);
            self.begin(pass);
        }
    }

    /// Records p at `step` and does not step.
    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>, step: usize, row: u32) {
        pass.set_pipeline(&self.stepper.kernel.record);
        pass.set_bind_group(0, &self.stepper.constant, &[]);
        pass.set_bind_group(1, &self.stepper.swapped[self.place(step)], &[]);
        pass.set_immediates(0, bytemuck::bytes_of(&[step as u32, row]));
        let groups = self.receivers.div_ceil(self.stepper.regions.first().shape.invocations());
        pass.dispatch_workgroups(groups as u32, 1, self.shots);
    }
}

/// First of the coefficients along y.
const ALONG_Y: usize = MAX_RADIUS + 1;

/// Coefficient j of: second derivative along x and z, first along x and z; then second and first along y.
pub fn operators(plan: &Plan) -> Vec<[f32; 4]> {
    let Axes { z, x, y } = &plan.operator;
    let at = |values: &[f64], j: usize| values.get(j).map_or(0.0, |c| *c as f32);
    let first = |values: &[f64], j: usize| if j == 0 { 0.0 } else { at(values, j - 1) };
    let plane = |j| [at(&x.second, j), at(&z.second, j), first(&x.first, j), first(&z.first, j)];
    let along_y = |j| [at(&y.second, j), first(&y.first, j), 0.0, 0.0];
    (0..=MAX_RADIUS).map(plane).chain((0..=MAX_RADIUS).map(along_y)).collect()
}
