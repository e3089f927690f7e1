//! A kernel of a ladder: its coverage, needs and limits.

use super::{
    super::shader::{Constants, Source, text},
    Workgroup,
    overlap::{AxisWork, Overlap},
};
use crate::{Layout, grid::Axes, layout::GROUP};

/// The grids of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grids {
    Planes,
    Volumes,
    Any,
}

/// Coverage of a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cover {
    /// One node of each of its own columns and planes per invocation.
    Nodes,
    /// Four nodes along z of each per invocation.
    Fours,
    /// One value of the strip of all columns per invocation, in pieces of `z`.
    Strip,
    /// Whole columns per workgroup, `x` of them, in a 1-D workgroup.
    Columns,
    /// Whole columns per workgroup, in a 2-D workgroup.
    Plane,
    /// Four values of the padded array per invocation.
    Array,
    /// One invocation in all.
    One,
    /// A tile of a plane with its halos, four nodes along z of neighbouring columns per invocation.
    Tiles,
    /// A strip of a plane with its halos along z, four nodes of each column of a march per
    /// invocation.
    Strips,
    /// A tile of a volume with its halos, four nodes along z of each plane of a march per
    /// invocation.
    Fronts,
}

/// Workgroup memory of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Memory {
    None,
    /// The nodes of a workgroup, and a wing before and after along z.
    AlongZ,
    /// The nodes, and a wing before and after along x.
    AlongX,
    /// The nodes, and wings along both.
    Both,
    /// Two of `Both`.
    BothTwice,
    /// Two of `AlongX`, in fours.
    FoursAlongXTwice,
    /// Whole columns and a wing before the first, or before each.
    Columns,
    /// The fours of a tile with its halos.
    Fours,
    /// The fours of a strip with its halos, for each step of a pass, twice.
    FoursAStepTwice,
    /// The fours of a tile with its halos, for each step of a pass.
    FoursAStep,
}

/// A kernel that computes a Laplacian, or a part of one, or measures a bound.
#[derive(Debug)]
pub struct Kernel {
    /// Name of its file in shaders/.
    pub name: &'static str,
    pub(super) text: &'static str,
    pub(super) library: &'static [&'static str],
    pub(super) grids: Grids,
    pub(super) cover: Cover,
    pub(super) memory: Memory,
    /// True if it needs the model without zeros around it.
    pub(super) compact: bool,
    /// True if its coefficients are in a storage buffer and not in a uniform one.
    pub(super) coefficients_in_storage: bool,
    /// Steps of the wave equation per pass; with more than one it has no Laplacian.
    pub steps: usize,
    /// Values of p, and of an earlier pass' result, that it requests from memory per node: see
    /// [`Kernel::redundancy`].
    pub(super) reads: Option<Reads>,
    /// Default grouping.
    pub workgroup: Workgroup,
    /// Other groupings worth trying.
    pub others: &'static [Workgroup],
}

/// Read redundancy of a stencil of an order with a grouping.
pub(super) type Reads = fn(f64, Workgroup) -> f64;

/// `kernel!(folder, name, library, cover, memory, workgroup)`: a kernel of that folder of shaders/.
macro_rules! kernel {
    ($folder:literal, $name:literal, $library:expr, $cover:ident, $memory:ident, $workgroup:expr) => {
        $crate::gpu::bench::kernel::Kernel {
            name: $name,
            text: $crate::gpu::shader::text!($folder, "/", $name),
            library: $library,
            grids: $crate::gpu::bench::kernel::Grids::Any,
            cover: $crate::gpu::bench::kernel::Cover::$cover,
            memory: $crate::gpu::bench::kernel::Memory::$memory,
            compact: false,
            coefficients_in_storage: false,
            steps: 1,
            reads: None,
            workgroup: $workgroup,
            others: &[],
        }
    };
}
pub(super) use kernel;

const OPERATORS: &str = text!("lib/operators");
const QUADS: &str = text!("lib/quads");
const WINDOW: &str = text!("lib/window");

pub(super) const ALONG_AXES: &[&str] = &[OPERATORS];
pub(super) const STORED: &[&str] = &[text!("lib/stored"), text!("lib/update")];
pub(super) const UPDATE: &[&str] = &[OPERATORS, text!("lib/update")];
pub(super) const TILE: &[&str] = &[OPERATORS, text!("lib/tile")];
pub(super) const TILE_UPDATE: &[&str] = &[OPERATORS, text!("lib/tile"), text!("lib/update")];
pub(super) const UPDATE_4: &[&str] = &[text!("lib/update4")];
pub(super) const WINDOW_4: &[&str] = &[OPERATORS, QUADS, WINDOW, text!("lib/update4")];
pub(super) const LEVELS: &[&str] = &[OPERATORS, QUADS, WINDOW, text!("lib/levels")];

/// An upper bound of any device's limit along an axis.
const MOST: usize = 1 << 16;

impl Kernel {
    /// Its source, ready to be specialised.
    pub(super) fn source(&self) -> Source {
        Source { name: self.name, text: self.text, library: self.library }
    }

    /// Its specialisation.
    pub(super) fn constants(&self, layout: &Layout, workgroup: Workgroup, wave: bool) -> Constants {
        let constants = Constants::default()
            .int("RADIUS", layout.radius)
            .layout(layout)
            .axes("WG", Axes { z: workgroup.z, x: workgroup.x, y: workgroup.y })
            .int("TILES", if self.memory == Memory::BothTwice { 2 } else { 1 })
            .int("COLUMNS", workgroup.columns)
            .int("PLANES", workgroup.planes.min(layout.n.y));
        if self.steps == 1 {
            return constants.flag("WAVE", wave);
        }
        // A kernel without nodes of its own is refused; its source is valid all the same.
        let own = self.overlap(layout.radius, workgroup).map_or_else(Default::default, |o| o.own());
        constants
            .int("STEPS", self.steps)
            .int("TILE_Z", (own.z / 4).max(1))
            .int("TILE_X", own.x.max(1))
    }

    /// Overlap of tiles with several steps per pass; `None` for one step.
    fn overlap(&self, radius: usize, workgroup: Workgroup) -> Option<Overlap> {
        let Workgroup { z, x, columns, planes, .. } = workgroup;
        let (x, y) = match self.cover {
            Cover::Tiles => (AxisWork::Tiled(x * columns), AxisWork::Single),
            Cover::Strips => (AxisWork::Marched(columns), AxisWork::Single),
            Cover::Fronts => (AxisWork::Tiled(x), AxisWork::Marched(planes)),
            _ => return None,
        };
        Some(Overlap { steps: self.steps, radius, along: Axes { z: AxisWork::Tiled(4 * z), x, y } })
    }

    /// Bytes per node and step that it requests from memory, halos counted; `None` for one step,
    /// whose halos a cache should hold.
    pub fn traffic(&self, radius: usize, workgroup: Workgroup) -> Option<f64> {
        self.overlap(radius, workgroup).map(|overlap| overlap.bytes())
    }

    /// Invocations of a workgroup along its axes.
    fn invocations(&self, layout: &Layout, workgroup: Workgroup) -> [usize; 3] {
        match self.cover {
            Cover::Nodes | Cover::Fours | Cover::Tiles | Cover::Fronts => {
                [workgroup.z, workgroup.x, workgroup.y]
            }
            Cover::Strip | Cover::Array | Cover::Strips => [workgroup.z, 1, 1],
            Cover::Columns => [layout.column * workgroup.x, 1, 1],
            Cover::Plane => [layout.column, workgroup.x, 1],
            Cover::One => [1, 1, 1],
        }
    }

    /// Workgroups along the axes of a dispatch; a device takes at most `most` along one.
    pub(super) fn groups(&self, layout: &Layout, workgroup: Workgroup, most: usize) -> [usize; 3] {
        // A long row of groups is folded into a rectangle; the kernels unfold it.
        let fold = |groups: usize| {
            let rows = groups.div_ceil(most);
            [groups.div_ceil(rows), rows, 1]
        };
        let (n, Workgroup { z, x, y, columns, planes }) = (layout.n, workgroup);
        let [deep, far] = [n.x.div_ceil(x * columns), n.y.div_ceil(y * planes.min(n.y))];
        match self.cover {
            Cover::Nodes => [n.z.div_ceil(z), deep, far],
            Cover::Fours => [n.z.div_ceil(4 * z), deep, far],
            Cover::Strip => fold((n.x * layout.column).div_ceil(z)),
            Cover::Columns => [n.x.div_ceil(x), 1, 1],
            Cover::Plane => [1, n.x.div_ceil(x), 1],
            Cover::Array => fold((layout.len() / 4).div_ceil(z)),
            Cover::One => [1, 1, 1],
            Cover::Tiles | Cover::Strips | Cover::Fronts => {
                let overlap = self.overlap(layout.radius, workgroup);
                let own = overlap.map_or(n, |overlap| overlap.own()).map(|own| own.max(1));
                [n.z.div_ceil(own.z), n.x.div_ceil(own.x), n.y.div_ceil(own.y)]
            }
        }
    }

    /// Bytes of workgroup memory.
    fn scratch(&self, layout: &Layout, workgroup: Workgroup) -> usize {
        let (z, x) = (workgroup.z, workgroup.x * workgroup.columns);
        let (wings, wing) = (2 * layout.radius, layout.radius);
        let values = match (self.memory, self.cover) {
            (Memory::None, _) => 0,
            (Memory::AlongZ, _) => z + wings,
            (Memory::AlongX, _) => z * (x + wings),
            (Memory::Both, _) => (z + wings) * (x + wings),
            (Memory::BothTwice, _) => 2 * (z + wings) * (x + wings),
            (Memory::FoursAlongXTwice, _) => 2 * 4 * z * (x + wings),
            (Memory::Fours, _) => 4 * z * x,
            (Memory::FoursAStepTwice, _) => 2 * self.steps * 4 * z,
            (Memory::FoursAStep, _) => self.steps * 4 * z * x,
            (Memory::Columns, Cover::Plane) => (layout.column + wing) * x,
            (Memory::Columns, _) => layout.column * x + wing,
        };
        4 * values
    }

    /// Read redundancy of a stencil of an order (Micikevicius 2009, section 3): values of p, and of
    /// an earlier pass' result, requested from memory per node, as if nothing were cached. `None`
    /// for a 2-D kernel, which the paper does not have.
    pub fn redundancy(&self, order: usize, workgroup: Workgroup) -> Option<f64> {
        self.reads.map(|reads| reads(order as f64, workgroup))
    }

    /// Every grouping worth trying.
    pub fn workgroups(&self) -> impl Iterator<Item = Workgroup> {
        std::iter::once(self.workgroup).chain(self.others.iter().copied())
    }

    /// Reason that a device does not take a grouping; `None` if it does. wgpu does not check all of
    /// this.
    pub(super) fn refusal(
        &self,
        layout: &Layout,
        workgroup: Workgroup,
        limits: &wgpu::Limits,
    ) -> Option<String> {
        self.shape_refusal(layout, workgroup)
            .or_else(|| self.limit_refusal(layout, workgroup, limits))
    }

    /// Reason that no device takes a grouping.
    fn shape_refusal(&self, layout: &Layout, workgroup: Workgroup) -> Option<String> {
        match (self.grids, layout.is_volume()) {
            (Grids::Planes, true) => return Some("a plane, where this is a volume".into()),
            (Grids::Volumes, false) => return Some("a volume, where this is a plane".into()),
            _ => {}
        }
        let Workgroup { z, x, y, columns, planes } = workgroup;
        if [z, x, y, columns, planes].contains(&0) {
            return Some("at least one invocation along each axis, and something for it".into());
        }
        let chosen = [
            (y, "WG_Y", "one invocation along y"),
            (columns, "COLUMNS", "one column an invocation"),
            (planes, "PLANES", "one plane an invocation"),
        ];
        let ignored = |(n, name, _): &&(usize, &str, &str)| *n != 1 && !self.text.contains(name);
        if let Some((_, _, one)) = chosen.iter().find(ignored) {
            return Some((*one).into());
        }
        // A bound below which no product overflows.
        if [z, x, y, columns].into_iter().any(|n| n > MOST) {
            return Some(format!("less along each axis than {MOST}"));
        }
        let own = self.overlap(layout.radius, workgroup).map(|overlap| overlap.own());
        if own.is_some_and(|own| own.z == 0 || own.x == 0) {
            let (steps, wing) = (self.steps, layout.radius);
            return Some(format!(
                "larger tiles: the halos of {steps} steps with a wing of {wing} leave nothing of them"
            ));
        }
        // Columns of a march end where the grid does.
        let grouped = !layout.is_volume() && self.steps == 1;
        (grouped && !GROUP.is_multiple_of(columns))
            .then(|| format!("{columns} columns an invocation, where {GROUP} are laid out"))
    }

    /// The limit of a device that a grouping exceeds.
    fn limit_refusal(
        &self,
        layout: &Layout,
        workgroup: Workgroup,
        limits: &wgpu::Limits,
    ) -> Option<String> {
        let invocations = self.invocations(layout, workgroup);
        let most = limits.max_compute_workgroups_per_dimension;
        let groups = self.groups(layout, workgroup, most as usize);
        let sizes = [
            limits.max_compute_workgroup_size_x,
            limits.max_compute_workgroup_size_y,
            limits.max_compute_workgroup_size_z,
        ];
        let axes = ["first", "second", "third"];
        let along = |what: &str, axis: usize| format!("{what} along the {} axis", axes[axis]);
        let all = (
            invocations.iter().product(),
            limits.max_compute_invocations_per_workgroup,
            "invocations a workgroup".to_owned(),
        );
        let memory = (
            self.scratch(layout, workgroup),
            limits.max_compute_workgroup_storage_size,
            "bytes of workgroup memory".to_owned(),
        );
        let invocations =
            (0..3).map(|axis| (invocations[axis], sizes[axis], along("invocations", axis)));
        let groups = (0..3).map(|axis| (groups[axis], most, along("workgroups", axis)));
        let mut checks = [all].into_iter().chain(invocations).chain([memory]).chain(groups);
        let (needed, limit, what) = checks.find(|(needed, limit, _)| *needed > *limit as usize)?;
        Some(format!("{needed} {what}, where the device takes {limit}"))
    }
}
