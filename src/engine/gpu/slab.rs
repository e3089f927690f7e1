//! A piece of the wavefield along its slowest axis, with all that steps it.
//!
//! A wavefield is a list of slabs; one slab that covers the grid is the simple case.

use super::{
    acquisition,
    device::Device,
    kernel::{self, Kernel},
    tiles::Tiles,
};
use crate::{
    boundary::Coefficients,
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
    pub tiles: Tiles,
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
        rows: usize,
        checked: bool,
    ) -> Result<Self, EngineError> {
        let layout = Layout::new(plan);
        let tiles = Tiles::new(plan, &layout);
        let shots = plan.shots.len();
        let kernel = Kernel::new(device, &kernel::constants(plan, &layout, &tiles), checked)?;

        let storage = Usage::STORAGE;
        let operators = device.upload("operators", &operators(plan), Usage::UNIFORM)?;
        let v2dt2 = layout.padded(|node| plan.v2dt2(plan.grid.index(node)) as f32);
        let v2dt2 = device.upload("(v dt)^2", &v2dt2, storage)?;
        let layers = device.upload("layers", &layers(plan), storage)?;
        let (starts, sources) = acquisition::sources(plan, &layout, &tiles);
        let starts = device.upload("source tiles", &starts, storage)?;
        let sources = device.upload("sources", &sources, storage)?;
        let wavelets: Vec<f32> = plan
            .wavelets
            .iter()
            .flat_map(|row| &row[..plan.time.steps])
            .map(|s| *s as f32)
            .collect();
        let wavelets = device.upload("wavelets", &wavelets, storage)?;
        let receivers = acquisition::receivers(plan, &layout, &tiles);
        let receivers = device.upload("receivers", &receivers, storage)?;
        let traces = rows * shots * tiles.receivers;
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
        let memory = || device.zeros("layer memory", shots * kernel::memory_len(plan), storage);
        let memory = [memory()?, memory()?];

        let constant =
            [&operators, &v2dt2, &layers, &starts, &sources, &wavelets, &receivers, &traces];
        let [even, odd] = [(0, 1), (1, 0)];
        let fields_at = |(now, next): (usize, usize)| {
            [&fields[now], &fields[next], &memory[now], &memory[next]]
        };
        let (constant, swapped) = device.guarded(|| {
            let bind = |group: usize, buffers: &[&wgpu::Buffer]| {
                kernel::bind(device, &kernel.groups[group], buffers)
            };
            let swapped = [bind(1, &fields_at(even)), bind(1, &fields_at(odd))];
            (bind(0, &constant), swapped)
        })?;
        Ok(Slab { layout, tiles, kernel, shots: shots as u32, fields, traces, constant, swapped })
    }

    /// The buffer that holds p at a step.
    pub fn field(&self, step: usize) -> &wgpu::Buffer {
        &self.fields[step % 2]
    }

    /// Makes ready for [`Slab::step`]s.
    pub fn begin(&self, pass: &mut wgpu::ComputePass<'_>) {
        pass.set_pipeline(&self.kernel.step);
        pass.set_bind_group(0, &self.constant, &[]);
    }

    /// Steps from `step` to the next, recording p at `step` in a row of the traces.
    pub fn step(&self, pass: &mut wgpu::ComputePass<'_>, step: usize, row: u32) {
        let recording = if row == NO_ROW { 0 } else { self.tiles.recording() };
        pass.set_bind_group(1, &self.swapped[step % 2], &[]);
        pass.set_immediates(0, bytemuck::bytes_of(&[step as u32, row]));
        let x = self.tiles.x + recording;
        let planes = self.tiles.planes as u32 * self.shots;
        pass.dispatch_workgroups(self.tiles.z as u32, x as u32, planes);
    }

    /// Records p at `step` and does not step.
    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>, step: usize, row: u32) {
        pass.set_pipeline(&self.kernel.record);
        pass.set_bind_group(0, &self.constant, &[]);
        pass.set_bind_group(1, &self.swapped[step % 2], &[]);
        pass.set_immediates(0, bytemuck::bytes_of(&[step as u32, row]));
        pass.dispatch_workgroups(self.tiles.recording_only() as u32, 1, self.shots);
    }
}

/// Coefficient j of: second derivative along x and z, first along x and z; then second and first along y.
pub fn operators(plan: &Plan) -> Vec<[f32; 4]> {
    let Axes { z, x, y } = &plan.operator;
    let at = |values: &[f64], j: usize| values.get(j).map_or(0.0, |c| *c as f32);
    let first = |values: &[f64], j: usize| if j == 0 { 0.0 } else { at(values, j - 1) };
    let plane = |j| [at(&x.second, j), at(&z.second, j), first(&x.first, j), first(&z.first, j)];
    let along_y = |j| [at(&y.second, j), first(&y.first, j), 0.0, 0.0];
    (0..=MAX_RADIUS).map(plane).chain((0..=MAX_RADIUS).map(along_y)).collect()
}

/// (g, b, a, da/dx) at each node along x; then g, b, a and da/dx of each four nodes along z; then as along x
/// along y.
fn layers(plan: &Plan) -> Vec<[f32; 4]> {
    let values = |node: &Coefficients| {
        [node.damping, node.decay, node.gain, node.gain_slope].map(|v| v as f32)
    };
    let along_x = plan.profile.x.nodes.iter().map(values);
    let along_z = plan.profile.z.nodes.chunks(4).flat_map(|four| {
        // Past the last node there is nothing to absorb.
        let of = |node: usize| four.get(node).map_or([0.0; 4], values);
        [0, 1, 2, 3].map(|value| [0, 1, 2, 3].map(|node| of(node)[value]))
    });
    along_x.chain(along_z).chain(plan.profile.y.nodes.iter().map(values)).collect()
}
