//! Values on their way between shares, in memory that devices copy to and from without the processor.

use bytemuck::{Pod, Zeroable};
use std::any::Any;

/// p of some pieces: `[shot][piece][x][z]`, nodes alone.
#[derive(Default)]
pub struct Message {
    /// How devices reach its memory; dropped before that.
    pins: Vec<Box<dyn Any + Send>>,
    pages: Vec<Page>,
    values: usize,
}

/// A page of the host's memory, which a device takes as it is.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(4096))]
struct Page([f32; 1024]);

impl Message {
    /// Of so many zeros.
    pub fn new(values: usize) -> Self {
        let pages = vec![Page::zeroed(); values.div_ceil(1024)];
        Message { pins: Vec::new(), pages, values }
    }

    /// Its values.
    pub fn values(&self) -> &[f32] {
        &bytemuck::cast_slice(&self.pages)[..self.values]
    }

    /// The same, to be written.
    pub fn values_mut(&mut self) -> &mut [f32] {
        &mut bytemuck::cast_slice_mut(&mut self.pages)[..self.values]
    }

    /// Its memory, whole pages, which stays where it is as long as it lives.
    pub(in crate::engine) fn memory(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.pages)
    }

    /// The way to it that is this device's.
    pub(in crate::engine) fn pin<T: 'static>(&self, is: impl Fn(&T) -> bool) -> Option<&T> {
        self.pins.iter().filter_map(|pin| pin.downcast_ref()).find(|pin| is(pin))
    }

    /// Keeps one more.
    pub(in crate::engine) fn keep<T: Send + 'static>(&mut self, pin: T) {
        self.pins.push(Box::new(pin));
    }
}
