//! The kernels of the 2-D ladder: what each covers, needs and refuses.

use super::super::shader::{Constants, Source};
use crate::engine::{Layout, layout::GROUP};
use serde::Serialize;

/// How the invocations of a kernel are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Workgroup {
    /// Invocations along z, the fast axis.
    pub z: usize,
    /// Invocations along x.
    pub x: usize,
    /// Columns that an invocation works on, where a kernel lets it choose.
    pub columns: usize,
}

impl Workgroup {
    /// One column an invocation.
    pub const fn new(z: usize, x: usize) -> Self {
        Workgroup { z, x, columns: 1 }
    }

    /// Several columns an invocation.
    pub const fn columns(self, columns: usize) -> Self {
        Workgroup { columns, ..self }
    }
}

impl std::fmt::Display for Workgroup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.columns {
            1 => write!(f, "{}x{}", self.z, self.x),
            columns => write!(f, "{}x{} by {columns}", self.z, self.x),
        }
    }
}

/// What a dispatch covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cover {
    /// A node an invocation.
    Nodes,
    /// Four nodes along z of several columns an invocation.
    Fours,
    /// A value of the strip of all columns an invocation, in pieces of `z`.
    Strip,
    /// Whole columns a workgroup, `x` of them, in a 1-D workgroup.
    Columns,
    /// The same in a 2-D workgroup.
    Plane,
    /// Four values of the padded array an invocation.
    Array,
    /// One invocation in all.
    One,
}

/// Workgroup memory that a kernel takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Memory {
    None,
    /// What a workgroup works on, and a wing before and after along z.
    AlongZ,
    /// The same along x.
    AlongX,
    /// The same along both.
    Both,
    /// Whole columns and a wing before the first, or before each.
    Columns,
}

/// A kernel that computes a Laplacian, or a part of one, or measures what bounds it.
#[derive(Debug)]
pub struct Kernel {
    /// Name of its file in shaders/ladder2d/.
    pub name: &'static str,
    text: &'static str,
    library: &'static [&'static str],
    cover: Cover,
    memory: Memory,
    /// Whether it wants the model without zeros around it.
    pub(super) compact: bool,
    /// Whether its coefficients are in a storage buffer and not in a uniform one.
    pub(super) coefficients_in_storage: bool,
    /// The grouping that it runs with where nothing else is asked for.
    pub workgroup: Workgroup,
    /// Groupings that are worth trying instead.
    pub others: &'static [Workgroup],
}

const UPDATE: &[&str] = &[include_str!("../../../../shaders/lib/update.wgsl")];
const UPDATE_4: &[&str] = &[include_str!("../../../../shaders/lib/update4.wgsl")];
const WINDOW_4: &[&str] = &[
    include_str!("../../../../shaders/lib/window.wgsl"),
    include_str!("../../../../shaders/lib/update4.wgsl"),
];

macro_rules! kernel {
    ($name:literal, $library:expr, $cover:ident, $memory:ident, $workgroup:expr) => {
        Kernel {
            name: $name,
            text: include_str!(concat!("../../../../shaders/ladder2d/", $name, ".wgsl")),
            library: $library,
            cover: Cover::$cover,
            memory: Memory::$memory,
            compact: false,
            coefficients_in_storage: false,
            workgroup: $workgroup,
            others: &[],
        }
    };
}

const WIDE: Workgroup = Workgroup::new(64, 4);
const LINE: Workgroup = Workgroup::new(256, 1);
/// What else is worth trying for a kernel of one node an invocation.
const PLAIN: &[Workgroup] = &[LINE, Workgroup::new(32, 8), Workgroup::new(32, 16)];

/// Global memory, the wing cut at the edges.
pub static EXPLICIT: Kernel = Kernel {
    compact: true,
    coefficients_in_storage: true,
    others: PLAIN,
    ..kernel!("explicit", UPDATE, Nodes, None, WIDE)
};
/// Global memory, zeros around the model.
pub static PADDED: Kernel = Kernel {
    coefficients_in_storage: true,
    others: PLAIN,
    ..kernel!("padded", UPDATE, Nodes, None, WIDE)
};
/// The same with the coefficients in a uniform buffer.
pub static UNIFORM: Kernel =
    Kernel { others: PLAIN, ..kernel!("uniform", UPDATE, Nodes, None, WIDE) };
/// Along z through workgroup memory, one long strip.
pub static MAJOR: Kernel = Kernel {
    others: &[Workgroup::new(128, 1), Workgroup::new(512, 1)],
    ..kernel!("major", &[], Strip, AlongZ, LINE)
};
/// Along z, whole columns in a 1-D workgroup.
pub static MAJOR_COLUMNS: Kernel =
    kernel!("major_columns", &[], Columns, Columns, Workgroup::new(1, 1));
/// Along z, whole columns in a 2-D workgroup.
pub static MAJOR_PLANE: Kernel = kernel!("major_plane", &[], Plane, Columns, Workgroup::new(1, 1));
/// Along x through workgroup memory, added to what is along z.
pub static MINOR: Kernel = Kernel {
    others: &[Workgroup::new(32, 8), Workgroup::new(32, 16)],
    ..kernel!("minor", UPDATE, Nodes, AlongX, Workgroup::new(16, 16))
};
/// Both axes through workgroup memory.
pub static TILE: Kernel = Kernel {
    others: &[Workgroup::new(32, 8), Workgroup::new(64, 8), Workgroup::new(16, 16)],
    ..kernel!("tile", UPDATE, Nodes, Both, Workgroup::new(32, 16))
};
/// vec4 along z, neighbours in registers.
pub static VECTOR: Kernel = Kernel {
    others: &[
        Workgroup::new(16, 8).columns(2),
        Workgroup::new(128, 1).columns(2),
        Workgroup::new(32, 4).columns(4),
    ],
    ..kernel!("vector", WINDOW_4, Fours, None, Workgroup::new(16, 16))
};
/// Three reads and a write of vec4, no stencil.
pub static STREAM: Kernel = kernel!("stream", UPDATE_4, Array, None, LINE);
/// A dispatch that does next to nothing.
pub static EMPTY: Kernel = kernel!("empty", &[], One, None, Workgroup::new(1, 1));

/// Every kernel of the ladder.
pub static KERNELS: [&Kernel; 11] = [
    &EXPLICIT,
    &PADDED,
    &UNIFORM,
    &MAJOR,
    &MAJOR_COLUMNS,
    &MAJOR_PLANE,
    &MINOR,
    &TILE,
    &VECTOR,
    &STREAM,
    &EMPTY,
];

impl Kernel {
    /// Its text, ready to be specialised.
    pub(super) fn source(&self) -> Source {
        Source { name: self.name, text: self.text, library: self.library }
    }

    /// What specialises it.
    pub(super) fn constants(&self, layout: &Layout, workgroup: Workgroup, wave: bool) -> Constants {
        Constants::default()
            .int("RADIUS", layout.radius)
            .int("NX", layout.n.x)
            .int("NZ", layout.n.z)
            .int("STRIDE", layout.column)
            .int("LEAD", layout.lead)
            .int("FIELD", layout.len())
            .int("WG_Z", workgroup.z)
            .int("WG_X", workgroup.x)
            .int("COLUMNS", workgroup.columns)
            .flag("WAVE", wave)
    }

    /// Invocations of a workgroup along its two axes.
    fn invocations(&self, layout: &Layout, workgroup: Workgroup) -> [usize; 2] {
        match self.cover {
            Cover::Nodes | Cover::Fours => [workgroup.z, workgroup.x],
            Cover::Strip | Cover::Array => [workgroup.z, 1],
            Cover::Columns => [layout.column * workgroup.x, 1],
            Cover::Plane => [layout.column, workgroup.x],
            Cover::One => [1, 1],
        }
    }

    /// Workgroups along both axes of a dispatch; `most` a device takes along one.
    pub(super) fn groups(&self, layout: &Layout, workgroup: Workgroup, most: usize) -> [usize; 2] {
        // A long row of groups is folded into a rectangle; the kernels know.
        let fold = |groups: usize| {
            let rows = groups.div_ceil(most);
            [groups.div_ceil(rows), rows]
        };
        let Workgroup { z, x, columns } = workgroup;
        match self.cover {
            Cover::Nodes => [layout.n.z.div_ceil(z), layout.n.x.div_ceil(x)],
            Cover::Fours => [layout.n.z.div_ceil(4 * z), layout.n.x.div_ceil(x * columns)],
            Cover::Strip => fold((layout.n.x * layout.column).div_ceil(z)),
            Cover::Columns => [layout.n.x.div_ceil(x), 1],
            Cover::Plane => [1, layout.n.x.div_ceil(x)],
            Cover::Array => fold((layout.len() / 4).div_ceil(z)),
            Cover::One => [1, 1],
        }
    }

    /// Bytes of workgroup memory.
    fn scratch(&self, layout: &Layout, workgroup: Workgroup) -> usize {
        let Workgroup { z, x, .. } = workgroup;
        let (wings, wing) = (2 * layout.radius, layout.radius);
        let values = match (self.memory, self.cover) {
            (Memory::None, _) => 0,
            (Memory::AlongZ, _) => z + wings,
            (Memory::AlongX, _) => z * (x + wings),
            (Memory::Both, _) => (z + wings) * (x + wings),
            (Memory::Columns, Cover::Plane) => (layout.column + wing) * x,
            (Memory::Columns, _) => layout.column * x + wing,
        };
        4 * values
    }

    /// Every grouping that is worth trying.
    pub fn workgroups(&self) -> impl Iterator<Item = Workgroup> {
        std::iter::once(self.workgroup).chain(self.others.iter().copied())
    }

    /// Why a device does not take a grouping; `None` where it does. wgpu does not check all of this.
    pub(super) fn refusal(
        &self,
        layout: &Layout,
        workgroup: Workgroup,
        limits: &wgpu::Limits,
    ) -> Option<String> {
        let Workgroup { z, x, columns } = workgroup;
        if z == 0 || x == 0 || columns == 0 {
            return Some("at least one invocation along each axis".into());
        }
        if !GROUP.is_multiple_of(columns) {
            return Some(format!("{columns} columns an invocation, where {GROUP} are laid out"));
        }
        let [along, across] = self.invocations(layout, workgroup);
        let most = limits.max_compute_workgroups_per_dimension as usize;
        let [wide, deep] = self.groups(layout, workgroup, most);
        let checks = [
            (
                along * across,
                limits.max_compute_invocations_per_workgroup,
                "invocations a workgroup",
            ),
            (along, limits.max_compute_workgroup_size_x, "invocations along the first axis"),
            (across, limits.max_compute_workgroup_size_y, "invocations along the second axis"),
            (
                self.scratch(layout, workgroup),
                limits.max_compute_workgroup_storage_size,
                "bytes of workgroup memory",
            ),
            (wide, limits.max_compute_workgroups_per_dimension, "workgroups along the first axis"),
            (deep, limits.max_compute_workgroups_per_dimension, "workgroups along the second axis"),
        ];
        checks.into_iter().find_map(|(needed, limit, what)| {
            (needed > limit as usize)
                .then(|| format!("{needed} {what}, where the device takes {limit}"))
        })
    }
}
