//! Adds the increments of a step to p; see `Plan::by_increments`.

use super::{
    device::Device,
    pipeline::{Bound, rows},
    shader,
};
use crate::EngineError;

/// Invocations per workgroup, each for a quad of nodes.
const WORKGROUP: usize = 256;

/// shaders/increments.wgsl, bound to a slab's two fields.
pub struct Increments(Bound);

/// The constants for a number of values.
pub fn constants(values: usize) -> shader::Constants {
    shader::Constants::default().int("FOURS", values / 4).int("WG", WORKGROUP)
}

impl Increments {
    /// For p, and the increments that are added to it.
    pub fn new(
        device: &Device,
        [p, increments]: &[wgpu::Buffer; 2],
        checked: bool,
    ) -> Result<Self, EngineError> {
        let values = p.size() as usize / 4;
        let [x, y] = rows((values / 4).div_ceil(WORKGROUP));
        let source = (&shader::INCREMENTS, "add", constants(values));
        let fields = (&[true, false][..], &[[p, increments]][..]);
        Ok(Increments(Bound::new(device, source, fields, ([x, y, 1], 0), checked)?))
    }

    /// p <- p + increments.
    pub fn add(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.0.encode(pass, 0);
    }
}
