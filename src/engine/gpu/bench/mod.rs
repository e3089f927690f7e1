//! Bare kernels on a device, for the ladder: no sources, boundaries or receivers; only a field, a
//! model and an operator, stepped and timed.

mod bounds;
mod chain;
mod copy;
mod ete;
mod fields;
mod kernel;
mod overlap;
mod plane;
mod volume;
mod workgroup;

pub use bounds::{BOUNDS, STREAM};
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

use super::{Gpu, device::Device, pipeline, slab};
use crate::{
    EngineError, Layout, check,
    layout::GROUP,
    plan::{Initial, Plan, Window},
};
use chain::Dispatch;
use fields::{Fields, Values};
use ndarray::Array3;
use serde::Serialize;
use wgpu::BufferUsages as Usage;

/// Use of the Laplacian in a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Update {
    /// The Laplacian itself, as in the thesis.
    #[default]
    Laplacian,
    /// A step of the wave equation.
    Wave,
}

impl Update {
    /// Least bytes to move between memory and the device per node and step, with `steps` steps per
    /// pass.
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

/// The requirement of a kernel of several steps per pass.
const ONE_STEP: &str = "a step of the wave equation: the Laplacian alone is one step a pass only, for it has no next step";

/// An error that prevents timing.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum BenchError {
    #[error("{kernel} with {workgroup} needs {why}")]
    Refused { kernel: &'static str, workgroup: Workgroup, why: String },
    #[error("the ladder's copies are of a plane; this model has {planes} of them, give it one")]
    PlaneOnly { planes: usize },
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// A Plan's field and model in one layout.
struct Arrays<'p> {
    fields: Fields<'p>,
    v2dt2: wgpu::Buffer,
}

impl<'p> Arrays<'p> {
    fn new(device: &Device, plan: &'p Plan, layout: Layout) -> Result<Self, EngineError> {
        let initial = |of: for<'i> fn(&'i Initial) -> &'i Array3<f32>| -> Values<'p> {
            let initial = plan.initial.as_ref().map(|initial| of(initial));
            Box::new(move |node| initial.map_or(0.0, |p| p[[node.y, node.x, node.z]]))
        };
        let v2dt2 = layout.padded(|node| plan.v2dt2(Window::whole(0), node) as f32);
        let initial = [initial(|both| &both.now), initial(|both| &both.before)];
        Ok(Arrays {
            fields: Fields::new(device, layout, initial)?,
            v2dt2: device.upload("(v dt)^2", &v2dt2, Usage::STORAGE)?,
        })
    }
}

/// A Plan's field, model and operator on a device.
pub struct Bench<'p> {
    device: Device,
    plan: &'p Plan,
    uniform: wgpu::Buffer,
    storage: wgpu::Buffer,
    padded: Arrays<'p>,
    /// The arrays without zeros around them, for a plane.
    compact: Option<Arrays<'p>>,
}

impl<'p> Bench<'p> {
    /// Uploads the initial state of a Plan, without its layers, sources and receivers.
    pub fn new(gpu: &Gpu, plan: &'p Plan) -> Result<Self, EngineError> {
        check(plan)?;
        let device = gpu.device.clone();
        let layout = Layout::new(plan);
        let operators = slab::operators(plan);
        let compact = (!layout.is_volume()).then(|| compact(plan));
        Ok(Bench {
            uniform: device.upload("operators", &operators, Usage::UNIFORM)?,
            storage: device.upload("operators", &operators, Usage::STORAGE)?,
            padded: Arrays::new(&device, plan, layout)?,
            compact: compact.map(|layout| Arrays::new(&device, plan, layout)).transpose()?,
            device,
            plan,
        })
    }

    /// Prepares a step made of kernels that follow one another, with or without run-time checks.
    pub fn chain(
        &self,
        kernels: &[(&'static Kernel, Workgroup)],
        update: Update,
        checked: bool,
    ) -> Result<Chain<'_>, BenchError> {
        let compact = kernels.iter().any(|(kernel, _)| kernel.compact);
        // Without such arrays the kernel is refused, because it is for planes.
        let arrays = self.compact.as_ref().filter(|_| compact).unwrap_or(&self.padded);
        for (kernel, workgroup) in kernels {
            let refusal = kernel.refusal(&arrays.fields.layout, *workgroup, &self.device.limits());
            let bare =
                (kernel.steps > 1 && update == Update::Laplacian).then(|| ONE_STEP.to_owned());
            if let Some(why) = bare.or(refusal) {
                let (kernel, workgroup) = (kernel.name, *workgroup);
                return Err(BenchError::Refused { kernel, workgroup, why });
            }
        }
        let dispatch = |(kernel, workgroup): &(&Kernel, Workgroup)| {
            self.dispatch(arrays, kernel, *workgroup, update, checked)
        };
        let dispatches = kernels.iter().map(dispatch).collect::<Result<_, _>>()?;
        let steps = kernels.iter().map(|(kernel, _)| kernel.steps).max().unwrap_or(1);
        let results = match update {
            Update::Laplacian => [2, 2],
            Update::Wave if steps > 1 => [0, 2],
            Update::Wave => [0, 1],
        };
        Ok(Chain::new(&self.device, &arrays.fields, dispatches, steps, results)?)
    }

    fn dispatch(
        &self,
        Arrays { fields, v2dt2 }: &Arrays<'_>,
        kernel: &Kernel,
        workgroup: Workgroup,
        update: Update,
        checked: bool,
    ) -> Result<Dispatch, EngineError> {
        let (device, layout) = (&self.device, &fields.layout);
        let most = device.limits().max_compute_workgroups_per_dimension as usize;
        let constants = kernel.constants(layout, workgroup, update == Update::Wave);
        let module = kernel.source().module(&device.clone().checking(checked), &constants)?;
        let coefficients = kernel.coefficients_in_storage.then_some(false);
        let operators = if coefficients.is_some() { &self.storage } else { &self.uniform };
        let [p, other, laplacian, partial] = &fields.p;
        let (written, swapped): (&[_], [Vec<_>; 2]) = match (update, kernel.steps > 1) {
            (_, true) => {
                (&LEVELS, [vec![p, other, laplacian, partial], vec![laplacian, partial, p, other]])
            }
            (Update::Wave, _) => (&FIELDS, [vec![p, other, partial], vec![other, p, partial]]),
            // Of the same field in every pass.
            _ => (&FIELDS, [(); 2].map(|()| vec![p, laplacian, partial])),
        };
        device.guarded(|| {
            let constant = pipeline::bindings(device, &[coefficients, Some(false)]);
            let both = pipeline::bindings(device, written);
            Dispatch {
                pipeline: pipeline::pipeline(device, &module, "main", &[&constant, &both], 0),
                constant: pipeline::bind(device, &constant, &[operators, v2dt2]),
                fields: swapped.map(|fields| pipeline::bind(device, &both, &fields)),
                groups: kernel.groups(layout, workgroup, most),
            }
        })
    }

    /// p after the last steps, shape `[y][x][z]`.
    pub fn field(&self) -> Result<Array3<f32>, EngineError> {
        self.padded.fields.read(0)
    }

    /// Values of the padded array, which the stream ceiling moves.
    pub fn values(&self) -> usize {
        self.padded.fields.layout.len()
    }
}

/// `true`: written by the shader.
const FIELDS: [Option<bool>; 3] = [Some(false), Some(true), Some(true)];
/// `FIELDS` of several steps per pass: p and p_prev of the first, and of the last.
const LEVELS: [Option<bool>; 4] = [Some(false), Some(false), Some(true), Some(true)];

/// Bytes of the largest field that a shader can bind whole.
pub fn largest_field(gpu: &Gpu) -> u64 {
    gpu.device.largest_binding()
}

/// The layout of a 2-D array without zeros around the model.
fn compact(plan: &Plan) -> Layout {
    let (n, radius) = (plan.grid.n, plan.radius());
    let plane = (n.x.next_multiple_of(GROUP) + radius) * n.z;
    Layout { n, column: n.z, plane, lead: 0, radius }
}

/// The complete sources of a kernel for a Plan, with either update, for a validator.
pub fn shaders(plan: &Plan, kernel: &Kernel, workgroup: Workgroup) -> Vec<(&'static str, String)> {
    let layout = if kernel.compact { compact(plan) } else { Layout::new(plan) };
    let text = |wave| kernel.source().specialised(&kernel.constants(&layout, workgroup, wave));
    [false, true].map(|wave| (kernel.name, text(wave))).into()
}
