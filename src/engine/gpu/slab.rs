//! A piece of the wavefield along its slowest axis, with all that steps it.
//!
//! A wavefield is a list of slabs; one slab that covers the grid is the simple case.

use super::{
    acquisition,
    device::Device,
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

/// Buffers and pipelines of a slab.
pub struct Slab {
    pub layout: Layout,
    regions: Regions,
    pub receivers: usize,
    kernel: Kernel,
    shots: u32,
    /// p at even steps and at odd ones.
    pub fields: [wgpu::Buffer; 2],
    /// [row][shot][receiver], for the tap that brings them out.
    pub traces: wgpu::Buffer,
    constant: wgpu::BindGroup,
    /// The fields and memory variables at even steps and at odd ones.
    swapped: [wgpu::BindGroup; 2],
}

impl Slab {
    /// Uploads a Plan and puts its fields to t = 0; `rows` samples of traces fit before they must be
    /// brought out.
    pub fn new(
        device: &Device,
        plan: &Plan,
        kernel: &StepKernel,
        model: ModelStorage,
        rows: usize,
        checked: bool,
    ) -> Result<Self, EngineError> {
        let layout = Layout::new(plan);
        let regions = kernel.regions(plan, &layout);
        let receivers = plan.most_receivers();
        let shots = plan.shots.len();
        let kernel = Kernel::new(device, plan, &layout, kernel, &regions, model, checked)?;

        let storage = Usage::STORAGE;
        let model = Model::new(plan, model);
        let mut operators = operators(plan);
        operators[ALONG_Y][2..].copy_from_slice(&model.base_and_scale());
        let operators = device.upload("operators", &operators, Usage::UNIFORM)?;
        let v2dt2 = model.upload(device, &layout)?;
        let layers = device.upload("layers", &layers::coefficients(plan), storage)?;
        let (starts, sources) = acquisition::sources(plan, &layout, &regions, &model);
        let starts = device.upload("source tiles", &starts, storage)?;
        let sources = device.upload("sources", &sources, storage)?;
        let wavelets: Vec<f32> = plan
            .wavelets
            .iter()
            .flat_map(|row| &row[..plan.time.steps])
            .map(|s| *s as f32)
            .collect();
        let wavelets = device.upload("wavelets", &wavelets, storage)?;
        let places = acquisition::receivers(plan, &layout);
        let places = device.upload("receivers", &places, storage)?;
        let traces = rows * shots * receivers;
        let traces = device.zeros("traces", traces, storage | Usage::COPY_SRC)?;

        let initial = |field: fn(&crate::plan::Initial) -> &Array3<f32>| match &plan.initial {
            None => device.zeros("p", shots * layout.len(), storage | Usage::COPY_SRC),
            Some(initial) => {
                let field = field(initial);
                let padded = layout.padded(|node| field[[node.y, node.x, node.z]]).repeat(shots);
                device.upload("p", &padded, storage | Usage::COPY_SRC)
            }
        };
        let fields = [initial(|initial| &initial.now)?, initial(|initial| &initial.before)?];
        let memory = || device.zeros("layer memory", shots * layers::memory_len(plan), storage);
        let memory = [memory()?, memory()?];

        let constant =
            [&operators, &v2dt2, &layers, &starts, &sources, &wavelets, &places, &traces];
        let [even, odd] = [(0, 1), (1, 0)];
        let fields_at = |(now, next): (usize, usize)| {
            [&fields[now], &fields[next], &memory[now], &memory[next]]
        };
        let (constant, swapped) = device.guarded(|| {
            let bind = |group: usize, buffers: &[&wgpu::Buffer]| {
                pipeline::bind(device, &kernel.groups[group], buffers)
            };
            let swapped = [bind(1, &fields_at(even)), bind(1, &fields_at(odd))];
            (bind(0, &constant), swapped)
        })?;
        Ok(Slab {
            layout,
            regions,
            receivers,
            kernel,
            shots: shots as u32,
            fields,
            traces,
            constant,
            swapped,
        })
    }

    /// The buffer that holds p at a step.
    pub fn field(&self, step: usize) -> &wgpu::Buffer {
        &self.fields[step % 2]
    }

    /// Makes ready for [`Slab::step`]s.
    pub fn begin(&self, pass: &mut wgpu::ComputePass<'_>) {
        pass.set_pipeline(&self.kernel.steps[0]);
        pass.set_bind_group(0, &self.constant, &[]);
    }

    /// Steps from `step` to the next, recording p at `step` in a row of the traces.
    pub fn step(&self, pass: &mut wgpu::ComputePass<'_>, step: usize, row: u32) {
        pass.set_bind_group(1, &self.swapped[step % 2], &[]);
        pass.set_immediates(0, bytemuck::bytes_of(&[step as u32, row]));
        let single = self.kernel.steps.len() == 1;
        for (index, (region, pipeline)) in self.regions.iter().zip(&self.kernel.steps).enumerate() {
            if !single {
                pass.set_pipeline(pipeline);
                pass.set_immediates(0, bytemuck::bytes_of(&[step as u32, row]));
            }
            let records = index == 0 && row != NO_ROW;
            let recording = if records { region.recording(self.receivers) } else { 0 };
            let Axes { z, x, y } = region.tiles;
            pass.dispatch_workgroups(z as u32, (x + recording) as u32, y as u32 * self.shots);
        }
    }

    /// Records p at `step` and does not step.
    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>, step: usize, row: u32) {
        pass.set_pipeline(&self.kernel.record);
        pass.set_bind_group(0, &self.constant, &[]);
        pass.set_bind_group(1, &self.swapped[step % 2], &[]);
        pass.set_immediates(0, bytemuck::bytes_of(&[step as u32, row]));
        let groups = self.receivers.div_ceil(self.regions.first().shape.invocations());
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
