//! Adds the increments of a step to p; see `Plan::by_increments`.

use super::{
    device::Device,
    pipeline::{Bound, Entry, rows},
    shader,
};
use crate::EngineError;

/// Invocations per workgroup, each for a quad of nodes.
const WORKGROUP: usize = 256;

/// The constants for a number of values.
pub(crate) fn constants(values: usize) -> shader::Constants {
    shader::Constants::default().int("FOURS", values / 4).int("WG", WORKGROUP)
}

/// shaders/increments.wgsl, bound to p and the increments that are added to it.
pub(crate) fn bind(
    device: &Device,
    [p, increments]: &[wgpu::Buffer; 2],
) -> Result<Bound, EngineError> {
    let values = p.size() as usize / 4;
    let [x, y] = rows((values / 4).div_ceil(WORKGROUP));
    let entry = Entry {
        source: &shader::INCREMENTS,
        name: "add",
        constants: constants(values),
        workgroups: [x, y, 1],
        immediates: 0,
    };
    entry.bind(device, &[true, false], &[[p, increments]])
}
