//! Bare kernels on a device, for the ladder: no sources, no boundaries, no receivers; only a field, a
//! model and an operator, stepped as often as asked and timed.

mod chain;
mod copy;
mod kernel;

pub use chain::{Chain, Sample};
pub use copy::{Copies, Part, RoundTrip};
pub use kernel::{
    EMPTY, EXPLICIT, KERNELS, Kernel, MAJOR, MAJOR_COLUMNS, MAJOR_PLANE, MINOR, PADDED, STREAM,
    TILE, UNIFORM, VECTOR, Workgroup,
};

use super::{Gpu, device::Device, slab, staging::Staging};
use crate::{
    engine::{EngineError, Layout, check},
    grid::Axes,
    plan::{Initial, Plan},
};
use ndarray::Array3;
use serde::Serialize;
use wgpu::BufferUsages as Usage;

/// What a kernel makes of the Laplacian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Update {
    /// The Laplacian itself, as the thesis does.
    Laplacian,
    /// A step of the wave equation.
    Wave,
}

impl Update {
    /// Bytes that must pass between memory and the device for a node, at the least.
    pub fn bytes(self) -> f64 {
        match self {
            // p in, the Laplacian out.
            Update::Laplacian => 8.0,
            // p, p_prev and the model in, p_next out.
            Update::Wave => 16.0,
        }
    }
}

/// Why a step is not timed.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The device does not take the kernel with this grouping.
    #[error("{kernel} with {workgroup} needs {why}")]
    Refused {
        /// Name of the kernel.
        kernel: &'static str,
        /// The grouping asked for.
        workgroup: Workgroup,
        /// What it needs and what the device takes.
        why: String,
    },
    /// The device failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// The arrays of a Plan in one layout.
pub(super) struct Fields {
    layout: Layout,
    v2dt2: wgpu::Buffer,
    /// p and, before the first step, p_prev.
    p: [wgpu::Buffer; 2],
    /// Where a Laplacian alone goes, so that it leaves the field as it is.
    laplacian: wgpu::Buffer,
    /// What a first pass leaves to a second.
    partial: wgpu::Buffer,
}

impl Fields {
    fn new(device: &Device, plan: &Plan, layout: Layout) -> Result<Self, EngineError> {
        let storage = Usage::STORAGE;
        let v2dt2 = layout.padded(|node| plan.v2dt2(plan.grid.index(node)) as f32);
        let moved = storage | Usage::COPY_SRC | Usage::COPY_DST;
        let field = || device.zeros("p", layout.len(), moved);
        Ok(Fields {
            layout,
            v2dt2: device.upload("(v dt)^2", &v2dt2, storage)?,
            p: [field()?, field()?],
            laplacian: field()?,
            partial: device.zeros("partial Laplacian", layout.len(), storage)?,
        })
    }
}

impl Fields {
    /// Brings the nodes of an array to the host.
    fn read(&self, device: &Device, from: &wgpu::Buffer) -> Result<Array3<f32>, EngineError> {
        let values = self.layout.len();
        let staging = Staging::new(device, "field", values)?;
        let mut encoder = device.wgpu.create_command_encoder(&Default::default());
        staging.copy(0, &mut encoder, from, 0, values);
        let index = device.queue.submit([encoder.finish()]);
        staging.map(0, values);
        device.wait(index)?;
        staging.read(device, 0, values, |p: &[f32]| self.layout.nodes(p))
    }
}

/// A Plan's field, model and operator on a device.
pub struct Bench<'p> {
    device: Device,
    plan: &'p Plan,
    uniform: wgpu::Buffer,
    storage: wgpu::Buffer,
    padded: Fields,
    compact: Fields,
}

impl<'p> Bench<'p> {
    /// Uploads what a Plan starts from. Its layers, sources and receivers are left out.
    pub fn new(gpu: &Gpu, plan: &'p Plan) -> Result<Self, EngineError> {
        check(plan)?;
        let device = gpu.device.clone();
        if plan.grid.is_volume() {
            return Err(EngineError::PlaneOnly { planes: plan.grid.n.y });
        }
        let padded = Layout::new(plan);
        Bench::check(gpu, padded.n.z, padded.n.x, padded.radius)?;
        let operators = slab::operators(plan);
        let bench = Bench {
            uniform: device.upload("operators", &operators, Usage::UNIFORM)?,
            storage: device.upload("operators", &operators, Usage::STORAGE)?,
            padded: Fields::new(&device, plan, padded)?,
            compact: Fields::new(&device, plan, Layout::compact(plan))?,
            device,
            plan,
        };
        bench.reset(&bench.padded);
        bench.reset(&bench.compact);
        Ok(bench)
    }

    /// Refuses a grid whose field a shader cannot see whole.
    pub fn check(gpu: &Gpu, nz: usize, nx: usize, radius: usize) -> Result<(), EngineError> {
        let (device, size) =
            (&gpu.device, 4 * Layout::of(Axes { z: nz, x: nx, y: 1 }, radius).len() as u64);
        let limit = device.largest_binding();
        if size <= limit {
            return Ok(());
        }
        let (what, unit, device) = ("a field", "bytes", device.info.name.clone());
        Err(EngineError::TooLarge { what, size, limit, unit, device })
    }

    /// Prepares a step made of kernels that follow one another, with or without run-time checks.
    pub fn chain(
        &self,
        kernels: &[(&'static Kernel, Workgroup)],
        update: Update,
        checked: bool,
    ) -> Result<Chain<'_>, BenchError> {
        let compact = kernels.iter().any(|(kernel, _)| kernel.compact);
        let fields = if compact { &self.compact } else { &self.padded };
        for (kernel, workgroup) in kernels {
            let refusal = kernel.refusal(&fields.layout, *workgroup, &self.device.limits());
            if let Some(why) = refusal {
                let (kernel, workgroup) = (kernel.name, *workgroup);
                return Err(BenchError::Refused { kernel, workgroup, why });
            }
        }
        Ok(Chain::new(self, fields, kernels, update, checked)?)
    }

    /// p as the last steps left it, shape `[y][x][z]`.
    pub fn field(&self) -> Result<Array3<f32>, EngineError> {
        self.padded.read(&self.device, &self.padded.p[0])
    }

    /// Values of the padded array: what the stream ceiling moves.
    pub fn values(&self) -> usize {
        self.padded.layout.len()
    }

    /// A node of the Plan's field at t = 0, or before.
    fn initial(&self, of: fn(&Initial) -> &Array3<f32>, node: Axes<usize>) -> f32 {
        self.plan.initial.as_ref().map_or(0.0, |both| of(both)[[node.y, node.x, node.z]])
    }

    /// Puts the fields to the Plan's t = 0.
    fn reset(&self, fields: &Fields) {
        let put = |buffer: &wgpu::Buffer, initial: fn(&Initial) -> &Array3<f32>| {
            let values = fields.layout.padded(|node| self.initial(initial, node));
            self.device.queue.write_buffer(buffer, 0, bytemuck::cast_slice(&values));
        };
        put(&fields.p[0], |initial| &initial.now);
        put(&fields.p[1], |initial| &initial.before);
    }
}

/// The whole texts of a kernel for a Plan, with either update: what a validator should look at.
pub fn shaders(plan: &Plan, kernel: &Kernel, workgroup: Workgroup) -> Vec<(&'static str, String)> {
    let layout = if kernel.compact { Layout::compact(plan) } else { Layout::new(plan) };
    let text = |wave| kernel.source().specialised(&kernel.constants(&layout, workgroup, wave));
    [false, true].map(|wave| (kernel.name, text(wave))).into()
}
