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
    /// What its sender says besides, to an engine of its kind.
    note: Option<Box<dyn Any + Send>>,
}

/// A page of the host's memory, which a device takes as it is.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(4096))]
struct Page([f32; 1024]);

impl Message {
    /// Of so many zeros.
    pub fn new(values: usize) -> Self {
        let pages = vec![Page::zeroed(); values.div_ceil(1024)];
        Message { pages, values, ..Message::default() }
    }

    /// The same to be filled anew: what was said with it is forgotten.
    pub fn renewed(self) -> Self {
        Message { note: None, ..self }
    }

    /// Its values.
    pub fn values(&self) -> &[f32] {
        &bytemuck::cast_slice(&self.pages)[..self.values]
    }

    /// The same, to be written; what was said with others is forgotten.
    pub fn values_mut(&mut self) -> &mut [f32] {
        self.note = None;
        &mut bytemuck::cast_slice_mut(&mut self.pages)[..self.values]
    }
}

/// For devices that copy to each other.
impl Message {
    /// Says something to its receiver.
    pub fn say<T: Send + 'static>(&mut self, note: T) {
        self.note = Some(Box::new(note));
    }

    /// What was said, once.
    pub fn said<T: 'static>(&mut self) -> Option<T> {
        self.note.take()?.downcast().ok().map(|note| *note)
    }
}

/// For devices with a queue that copies.
impl Message {
    /// Its memory, whole pages, which stays where it is as long as it lives.
    pub fn memory(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.pages)
    }

    /// The way to it that is this device's.
    pub fn pin<T: 'static>(&self, is: impl Fn(&T) -> bool) -> Option<&T> {
        self.pins.iter().filter_map(|pin| pin.downcast_ref()).find(|pin| is(pin))
    }

    /// Keeps one more.
    pub fn keep<T: Send + 'static>(&mut self, pin: T) {
        self.pins.push(Box::new(pin));
    }
}
