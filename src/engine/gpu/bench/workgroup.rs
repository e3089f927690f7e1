//! Grouping of a kernel's invocations.

use serde::Serialize;

/// A grouping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Workgroup {
    /// Invocations along z, the fast axis.
    pub z: usize,
    /// Invocations along x.
    pub x: usize,
    /// Invocations along y.
    pub y: usize,
    /// Columns per invocation, if a kernel lets it choose.
    pub(crate) columns: usize,
    /// Planes that a workgroup marches through, or that an invocation holds.
    pub planes: usize,
}

impl Workgroup {
    /// For [`Workgroup::planes`]: from one end of the grid to the other.
    pub const ALL: usize = usize::MAX;

    /// One column of one plane per invocation.
    pub const fn new(z: usize, x: usize) -> Self {
        Workgroup { z, x, y: 1, columns: 1, planes: 1 }
    }

    /// Several invocations along y.
    pub const fn deep(self, y: usize) -> Self {
        Workgroup { y, ..self }
    }

    /// Several columns per invocation.
    pub const fn columns(self, columns: usize) -> Self {
        Workgroup { columns, ..self }
    }

    /// Several planes, one after another.
    pub const fn over(self, planes: usize) -> Self {
        Workgroup { planes, ..self }
    }
}

/// `8x16 by 2 over 32`: invocations along z, x (and y), columns per invocation, planes.
impl std::fmt::Display for Workgroup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Workgroup { z, x, y, columns, planes } = *self;
        write!(f, "{z}x{x}")?;
        if y != 1 {
            write!(f, "x{y}")?;
        }
        if columns != 1 {
            write!(f, " by {columns}")?;
        }
        match planes {
            1 => Ok(()),
            Workgroup::ALL => write!(f, " over all"),
            planes => write!(f, " over {planes}"),
        }
    }
}
