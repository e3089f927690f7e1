//! The field where it is: on the device, for a program that draws it there.

use super::GpuRun;
use crate::grid::Axes;

/// p of a shot (with a density that varies w p, w of [`crate::medium`]) in a buffer of the device, which the program's own shaders may read and nothing may
/// write. It holds the step of [`crate::Run::step`] for work that is submitted to the device's
/// queue before the run goes on.
#[derive(Clone, Copy, Debug)]
pub struct OnDevice<'a> {
    /// f32 values.
    pub buffer: &'a wgpu::Buffer,
    /// Index of the value at the model's first node.
    pub first: usize,
    /// Values from a node to its neighbour along each axis.
    pub apart: Axes<usize>,
}

impl GpuRun {
    /// The field of a shot; `None` if it is kept in several slabs.
    ///
    /// # Panics
    ///
    /// If the batch has no such shot.
    pub fn on_device(&self, shot: usize) -> Option<OnDevice<'_>> {
        let [slab] = &self.wavefield.slabs[..] else { return None };
        let (plan, layout) = (&self.wavefield.own.plan, &slab.part.layout);
        assert!(shot < plan.shots.len(), "the batch has shot {shot}");
        Some(OnDevice {
            buffer: slab.field(self.step),
            first: shot * layout.len() + layout.index(plan.on_grid(Axes::default())),
            apart: Axes { z: 1, x: layout.column, y: layout.plane },
        })
    }
}
