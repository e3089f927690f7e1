//! Default grids: the papers' on a real GPU, and small ones elsewhere.

use super::{Case, ETE_PAPER, Operator, THESIS};
use crate::engine::gpu::{Gpu, bench::largest_field};

fn is_hardware(gpu: Option<&Gpu>) -> bool {
    gpu.is_some_and(Gpu::is_hardware)
}

/// `(nz, nx)` of the thesis and, for one operator, of a plane whose speed memory limits, where
/// launches limit the small one.
pub fn planes(gpu: Option<&Gpu>, operators: usize) -> Vec<(usize, usize)> {
    let thesis = (THESIS.nz, THESIS.nx);
    if is_hardware(gpu) && operators == 1 { vec![thesis, (4096, 4096)] } else { vec![thesis] }
}

/// `(nz, nx)` of the ladder of imaging kernels.
pub fn imaging(gpu: Option<&Gpu>) -> (usize, usize) {
    if is_hardware(gpu) { (1024, 1024) } else { (96, 96) }
}

/// A cube that is large for a device, but not slow to time.
pub fn volume(gpu: Option<&Gpu>, operator: Operator) -> [usize; 3] {
    let fits = |n: &usize| {
        let bytes = 4 * Case::volume([*n; 3], operator).values() as u64;
        gpu.is_some_and(|gpu| gpu.is_hardware() && bytes <= largest_field(gpu))
    };
    [[512, 256, 128].into_iter().find(fits).unwrap_or(64); 3]
}

/// The volume of explicit time evolution, and of snapshots.
pub fn ete(gpu: Option<&Gpu>) -> [usize; 3] {
    if is_hardware(gpu) { ETE_PAPER } else { [48, 40, 32] }
}

/// The first volume of the paper's table 3 on GPUs, for several devices.
pub fn devices(gpu: Option<&Gpu>) -> [usize; 3] {
    if gpu.is_some() { [480, 480, 800] } else { [64; 3] }
}
