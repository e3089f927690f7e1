//! The kernels that step a field, their requirements, and how they cut the field.
//!
//! To add a kernel: a file in `shaders/` that opens with its equation and its bindings; a `Source`
//! in `shader.rs`; a constructor here such as `march`, and a line in [`KERNELS`] with its shapes. A
//! new equation needs a CPU twin (`cpu/reference.rs`, `cpu/columns.rs`). The tuner, the validator
//! and the agreement tests then use it.

use super::{
    part::Part,
    region::{LAYERS, Regions, Shape},
    shader::{self, Source},
    sleep::Sleep,
};
use crate::plan::Plan;

/// How a kernel cuts the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    /// One dispatch steps all nodes.
    Whole,
    /// The layers along x and y are stepped separately, by shaders/step.wgsl.
    ApartXY,
    /// The layers along z as well.
    Apart,
}

/// A kernel with its workgroup shape.
#[derive(Debug)]
pub struct StepKernel {
    /// Its name.
    pub name: &'static str,
    /// The shader for the nodes without layers, or for all.
    source: &'static Source,
    shape: Shape,
    cut: Cut,
    /// For volumes, otherwise for planes.
    volume: bool,
}

const fn plane(name: &'static str, z: usize, x: usize) -> StepKernel {
    let shape = Shape::new(z, x, 1, 1);
    StepKernel { name, source: &shader::STEP, shape, cut: Cut::Whole, volume: false }
}

const fn whole(name: &'static str, shape: Shape) -> StepKernel {
    StepKernel { name, source: &shader::STEP, shape, cut: Cut::Whole, volume: true }
}

const fn apart(name: &'static str, shape: Shape) -> StepKernel {
    StepKernel { name, source: &shader::STEP, shape, cut: Cut::ApartXY, volume: true }
}

const fn march(name: &'static str, shape: Shape) -> StepKernel {
    StepKernel { name, source: &shader::MARCH, shape, cut: Cut::Apart, volume: true }
}

/// All kernels, each of one step per pass: several steps pay only in a field without layers at low
/// orders, as the ladder shows (docs/ladder.md). Without measurements, the first kernel for planes
/// or for volumes is used.
pub static KERNELS: [StepKernel; 9] = [
    plane("plane-16x8", 16, 8),
    plane("plane-16x16", 16, 16),
    plane("plane-32x8", 32, 8),
    plane("plane-64x4", 64, 4),
    apart("apart-16x8x2", Shape::new(16, 8, 2, 1)),
    apart("apart-16x4x4", Shape::new(16, 4, 4, 1)),
    march("march-16x16", Shape::new(16, 16, 1, 8)),
    whole("whole-16x4x4", Shape::new(16, 4, 4, 1)),
    whole("whole-8x4x4", Shape::new(8, 4, 4, 1)),
];

/// The kernels of VTI, likewise.
pub(crate) static VTI_KERNELS: [StepKernel; 2] = [
    StepKernel {
        name: "vti-16x8",
        source: &shader::VTI,
        shape: Shape::new(16, 8, 1, 1),
        cut: Cut::Whole,
        volume: false,
    },
    StepKernel {
        name: "vti-apart-16x4x2",
        source: &shader::VTI,
        shape: Shape::new(16, 4, 2, 1),
        cut: Cut::ApartXY,
        volume: true,
    },
];

/// The kernels for the equations of a Plan, in planes and volumes.
fn of_medium(plan: &Plan) -> &'static [StepKernel] {
    if plan.medium.vti().is_some() { &VTI_KERNELS } else { &KERNELS }
}

impl PartialEq for StepKernel {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl StepKernel {
    /// The kernel of a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        KERNELS.iter().find(|kernel| kernel.name == name)
    }

    /// The kernels for a Plan's dimensions that fit a device, the best guess first.
    pub(super) fn for_plan(
        plan: &Plan,
        limits: &wgpu::Limits,
    ) -> impl Iterator<Item = &'static Self> {
        let limits = limits.clone();
        StepKernel::all_for(plan).filter(move |kernel| kernel.fits(&limits))
    }

    /// The kernels for a Plan's equations and dimensions.
    pub(super) fn all_for(plan: &Plan) -> impl Iterator<Item = &'static Self> {
        let volume = plan.grid.is_volume();
        of_medium(plan).iter().filter(move |kernel| kernel.is_for(volume))
    }

    /// True if it steps volumes, or planes, as asked.
    pub(crate) fn is_for(&self, volume: bool) -> bool {
        self.volume == volume
    }

    /// True if its workgroups fit a device. wgpu does not check this.
    pub(super) fn fits(&self, limits: &wgpu::Limits) -> bool {
        let fits = |shape: &Shape| {
            let axes = shape.workgroup;
            shape.invocations() <= limits.max_compute_invocations_per_workgroup as usize
                && axes.z <= limits.max_compute_workgroup_size_x as usize
                && axes.x <= limits.max_compute_workgroup_size_y as usize
                && axes.y <= limits.max_compute_workgroup_size_z as usize
        };
        fits(&self.shape) && (self.cut == Cut::Whole || fits(&LAYERS))
    }

    /// Cuts a field into regions; the first region records.
    pub(super) fn regions(&self, part: &Part) -> Regions {
        match self.cut {
            Cut::Whole => Regions::whole(part, self.shape),
            Cut::ApartXY => Regions::apart(part, self.shape, false),
            Cut::Apart => Regions::apart(part, self.shape, true),
        }
    }

    /// True if it leaves out the blocks of a part that no wave has reached.
    pub(super) fn sleeps(&self, sleep: Sleep, whole: &Plan, part: &Part) -> bool {
        let can = std::ptr::eq(self.source, &shader::STEP);
        can && sleep.is_possible(whole, part, whole.shots.len())
    }

    /// The shader of a region.
    pub(super) fn source(&self, has_layers: bool) -> &'static Source {
        match self.cut {
            Cut::Apart if has_layers => &shader::STEP,
            _ => self.source,
        }
    }
}
