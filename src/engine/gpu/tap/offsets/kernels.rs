//! The kernels that make offset gathers of two waves.
//!
//! To add a kernel: a file in `shaders/offsets/` and a line in [`GATHER_KERNELS`].

use crate::{
    gpu::shader,
    grid::{Axes, Axis},
    plan::Offsets,
};

/// A kernel that makes offset gathers.
#[derive(Debug)]
pub struct GatherKernel {
    pub(super) source: shader::Source,
    /// Invocations per workgroup along z and x.
    pub workgroup: [usize; 2],
    /// Offsets per invocation; `None` if it takes all.
    pub(crate) extent: Option<usize>,
    /// Imaging steps per dispatch.
    pub steps: usize,
}

/// The file of shaders/offsets/ with this name.
macro_rules! source {
    ($name:literal) => {
        shader::source!("offsets/" $name, ["offsets"])
    };
}

/// The two kernels of Al Theyab and Clapp (SEP-138), the first with their workgroup, and ours.
pub static GATHER_KERNELS: [GatherKernel; 3] = [
    GatherKernel { source: source!("naive"), workgroup: [16, 16], extent: None, steps: 1 },
    GatherKernel { source: source!("staged"), workgroup: [32, 8], extent: Some(16), steps: 1 },
    GatherKernel { source: source!("several"), workgroup: [32, 8], extent: Some(4), steps: MOST },
];

/// The fastest.
pub(crate) static USUAL: &GatherKernel = &GATHER_KERNELS[2];

/// The most imaging steps per dispatch.
pub(crate) const MOST: usize = 8;

/// Bytes of workgroup memory that every device has.
const STAGED: usize = 16 << 10;

impl GatherKernel {
    /// Name of its file.
    pub fn name(&self) -> &'static str {
        self.source.name
    }

    /// Offsets per invocation: fewer if a wide step would exceed the workgroup memory.
    pub fn extent(&self, offsets: Offsets) -> usize {
        let [z, x] = self.workgroup;
        let (along, across) = if offsets.along == Axis::X { (x, z) } else { (z, x) };
        let nodes = STAGED / (2 * 4 * across);
        let fits = 1 + (nodes - along) / offsets.step;
        self.extent.map_or(offsets.count(), |extent| extent.min(fits))
    }

    /// Workgroups along the third axis for `shots` shots.
    pub(crate) fn groups(&self, offsets: Offsets, shots: usize) -> usize {
        shots * offsets.count().div_ceil(self.extent(offsets))
    }

    /// The constants for a model of `n` nodes.
    pub(super) fn constants(
        &self,
        n: Axes<usize>,
        offsets: Offsets,
        shots: usize,
    ) -> shader::Constants {
        shader::Constants::default()
            .int("MODEL_X", n.x)
            .int("MODEL_Z", n.z)
            .int("OFFSETS", offsets.count())
            .int("STEP", offsets.step)
            .int("EXTENT", self.extent(offsets))
            .int("WG_Z", self.workgroup[0])
            .int("WG_X", self.workgroup[1])
            .lines(n, offsets, shots)
    }
}

impl shader::Constants {
    /// Adds the positions of the nodes on the lines of the gathers.
    pub(super) fn lines(self, n: Axes<usize>, offsets: Offsets, shots: usize) -> Self {
        let along_x = offsets.along == Axis::X;
        let (apart, across) = if along_x { (n.z, 1) } else { (1, n.z + 2 * offsets.most) };
        let wave = wave(n, offsets);
        self.flag("ALONG_X", along_x)
            .int("MOST", offsets.most)
            .int("APART", apart)
            .int("ACROSS", across)
            .int("WAVE", wave)
            .int("SLOT", shots * wave)
    }
}

/// Length of a shot's wave on a line of a model of `n` nodes, with the zeros around it.
pub(crate) fn wave(n: Axes<usize>, offsets: Offsets) -> usize {
    let zeros = 2 * offsets.most;
    if offsets.along == Axis::X { (n.x + zeros) * n.z } else { n.x * (n.z + zeros) }
}
