//! The arrays that kernels step.

use super::super::{device::Device, staging::bring};
use crate::{EngineError, Layout, grid::Axes};
use ndarray::Array3;
use wgpu::BufferUsages as Usage;

/// One value per node.
pub(crate) type Values<'p> = Box<dyn Fn(Axes<usize>) -> f32 + Sync + 'p>;

/// A wavefield in one layout, and its initial values.
pub(crate) struct Fields<'p> {
    device: Device,
    pub(crate) layout: Layout,
    /// p and, before the first step, p_prev. Then the other results of kernels of one step, a
    /// Laplacian and a part of one; for kernels of several steps p and p_prev again, after an odd
    /// number of passes.
    pub(crate) p: [wgpu::Buffer; 4],
    /// p and p_prev at t = 0.
    pub(crate) initial: [Values<'p>; 2],
}

impl<'p> Fields<'p> {
    pub(crate) fn new(
        device: &Device,
        layout: Layout,
        initial: [Values<'p>; 2],
    ) -> Result<Self, EngineError> {
        let (size, limit) = (4 * layout.len() as u64, device.largest_binding());
        if size > limit {
            let (what, unit, device) = ("a field", "bytes", device.info.name.clone());
            return Err(EngineError::TooLarge { what, size, limit, unit, device });
        }
        let moved = Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST;
        let field = || device.zeros("p", layout.len(), moved);
        let p = [field()?, field()?, field()?, field()?];
        let fields = Fields { device: device.clone(), layout, p, initial };
        fields.reset();
        Ok(fields)
    }

    /// Resets p and p_prev to t = 0.
    fn reset(&self) {
        for (buffer, initial) in self.p.iter().zip(&self.initial) {
            let values = self.layout.padded(initial);
            self.device.queue.write_buffer(buffer, 0, bytemuck::cast_slice(&values));
        }
    }

    /// Resets all arrays, so that no result of another kernel passes for the next one's.
    pub(crate) fn start(&self, encoder: &mut wgpu::CommandEncoder) {
        self.reset();
        self.p[2..].iter().for_each(|left| encoder.clear_buffer(left, 0, None));
    }

    /// Copies the nodes of one of the arrays to the host, shape `[y][x][z]`.
    pub(crate) fn read(&self, which: usize) -> Result<Array3<f32>, EngineError> {
        let len = self.layout.len();
        bring(&self.device, &self.p[which], 0, len, |p| self.layout.nodes(p))
    }
}
