//! Bare kernels on a device, for the ladder: no sources, no boundaries, no receivers; only a field, a
//! model and an operator, stepped as often as asked and timed.

mod bounds;
mod chain;
mod copy;
mod ete;
mod kernel;
mod overlap;
mod plane;
mod volume;
mod workgroup;

pub use bounds::{BOUNDS, EMPTY, STREAM};
pub use chain::{Chain, Sample};
pub use copy::{Copies, Part, RoundTrip};
pub use ete::*;
pub use kernel::Kernel;
pub use plane::{
    EXPLICIT, MAJOR, MAJOR_COLUMNS, MAJOR_PLANE, MINOR, PADDED, PLANE_KERNELS, STRIP_STEPS, TILE,
    TILE_STEPS, UNIFORM, VECTOR,
};
pub use volume::{
    ACROSS, FRONT, FRONT_DOUBLE, FRONT_STEPS, FRONT_WIDE, MARCH_4, NAIVE, NAIVE_4, PLANE, QUEUE_4,
    SLICES_4, VOLUME_KERNELS,
};
pub use workgroup::Workgroup;

use super::{Gpu, device::Device, slab, staging::bring};
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
    /// Bytes that must pass between memory and the device for a node and step, at the least, with so many steps a pass.
    pub fn bytes(self, steps: usize) -> f64 {
        match self {
            // p in, the Laplacian out.
            Update::Laplacian => 8.0,
            // p, p_prev and the model in, p and p_prev out.
            Update::Wave if steps > 1 => 20.0 / steps as f64,
            // p, p_prev and the model in, p_next out.
            Update::Wave => 16.0,
        }
    }
}

/// What a kernel of several steps a pass needs.
const ONE_STEP: &str = "a step of the wave equation: the Laplacian alone is one step a pass only, for it has no next step";

/// Why a step is not timed.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum BenchError {
    #[error("{kernel} with {workgroup} needs {why}")]
    Refused { kernel: &'static str, workgroup: Workgroup, why: String },
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// The arrays of a Plan in one layout.
pub(super) struct Fields {
    layout: Layout,
    v2dt2: wgpu::Buffer,
    /// p and, before the first step, p_prev.
    p: [wgpu::Buffer; 2],
    /// Where a Laplacian alone goes, so that it leaves the field as it is; p after an odd number of passes of several steps.
    laplacian: wgpu::Buffer,
    /// What a first pass leaves to a second; p_prev after an odd number of passes of several steps.
    partial: wgpu::Buffer,
}

impl Fields {
    fn new(device: &Device, plan: &Plan, layout: Layout) -> Result<Self, EngineError> {
        let storage = Usage::STORAGE;
        let v2dt2 = layout.padded(|node| plan.v2dt2(0, node) as f32);
        let moved = storage | Usage::COPY_SRC | Usage::COPY_DST;
        let field = || device.zeros("p", layout.len(), moved);
        Ok(Fields {
            layout,
            v2dt2: device.upload("(v dt)^2", &v2dt2, storage)?,
            p: [field()?, field()?],
            laplacian: field()?,
            partial: device.zeros("partial Laplacian", layout.len(), moved)?,
        })
    }
}

impl Fields {
    /// Brings the nodes of an array to the host.
    fn read(&self, device: &Device, from: &wgpu::Buffer) -> Result<Array3<f32>, EngineError> {
        bring(device, from, 0, self.layout.len(), |p| self.layout.nodes(p))
    }
}

/// A Plan's field, model and operator on a device.
pub struct Bench<'p> {
    device: Device,
    plan: &'p Plan,
    uniform: wgpu::Buffer,
    storage: wgpu::Buffer,
    padded: Fields,
    /// The arrays without zeros around them, for a plane.
    compact: Option<Fields>,
}

impl<'p> Bench<'p> {
    /// Uploads what a Plan starts from. Its layers, sources and receivers are left out.
    pub fn new(gpu: &Gpu, plan: &'p Plan) -> Result<Self, EngineError> {
        check(plan)?;
        let device = gpu.device.clone();
        let (layout, limit) = (Layout::new(plan), Bench::largest_field(gpu));
        let size = 4 * layout.len() as u64;
        if size > limit {
            let (what, unit, device) = ("a field", "bytes", device.info.name.clone());
            return Err(EngineError::TooLarge { what, size, limit, unit, device });
        }
        let operators = slab::operators(plan);
        let compact = (!layout.is_volume()).then(|| Layout::compact(plan));
        let bench = Bench {
            uniform: device.upload("operators", &operators, Usage::UNIFORM)?,
            storage: device.upload("operators", &operators, Usage::STORAGE)?,
            padded: Fields::new(&device, plan, layout)?,
            compact: compact.map(|layout| Fields::new(&device, plan, layout)).transpose()?,
            device,
            plan,
        };
        for fields in std::iter::once(&bench.padded).chain(&bench.compact) {
            bench.reset(fields);
        }
        Ok(bench)
    }

    /// Bytes of the largest field that a shader can see whole.
    pub fn largest_field(gpu: &Gpu) -> u64 {
        gpu.device.largest_binding()
    }

    /// Prepares a step made of kernels that follow one another, with or without run-time checks.
    pub fn chain(
        &self,
        kernels: &[(&'static Kernel, Workgroup)],
        update: Update,
        checked: bool,
    ) -> Result<Chain<'_>, BenchError> {
        let compact = kernels.iter().any(|(kernel, _)| kernel.compact);
        // Without such arrays the kernel is refused, for it is for planes.
        let fields = self.compact.as_ref().filter(|_| compact).unwrap_or(&self.padded);
        for (kernel, workgroup) in kernels {
            let refusal = kernel.refusal(&fields.layout, *workgroup, &self.device.limits());
            let bare =
                (kernel.steps > 1 && update == Update::Laplacian).then(|| ONE_STEP.to_owned());
            if let Some(why) = bare.or(refusal) {
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
