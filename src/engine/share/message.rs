//! Values exchanged between shares, in memory that devices copy to and from without the processor.

use bytemuck::{Pod, Zeroable};
use std::any::Any;

/// p of some pieces: `[shot][piece][x][z]`, without padding.
#[derive(Default)]
pub struct Message {
    /// Imports of its memory by devices; dropped before the memory.
    pins: Vec<Box<dyn Any + Send>>,
    pages: Vec<Page>,
    values: usize,
    /// A note from the sender to an engine of its kind.
    note: Option<Box<dyn Any + Send>>,
}

/// A page of host memory, which a device imports in place.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(4096))]
struct Page([f32; 1024]);

impl Message {
    /// `values` zeros.
    pub(crate) fn new(values: usize) -> Self {
        let pages = vec![Page::zeroed(); values.div_ceil(1024)];
        Message { pages, values, ..Message::default() }
    }

    /// Clears the note, for reuse.
    pub(crate) fn renewed(self) -> Self {
        Message { note: None, ..self }
    }

    /// Its values.
    pub fn values(&self) -> &[f32] {
        &bytemuck::cast_slice(&self.pages)[..self.values]
    }

    /// Its values, for writing; clears the note.
    pub fn values_mut(&mut self) -> &mut [f32] {
        self.note = None;
        &mut bytemuck::cast_slice_mut(&mut self.pages)[..self.values]
    }
}

/// For devices that copy to each other.
impl Message {
    /// Attaches a note for the receiver.
    pub(crate) fn set_note<T: Send + 'static>(&mut self, note: T) {
        self.note = Some(Box::new(note));
    }

    /// Takes the note.
    pub(crate) fn take_note<T: 'static>(&mut self) -> Option<T> {
        self.note.take()?.downcast().ok().map(|note| *note)
    }
}

/// For devices with a copying queue.
impl Message {
    /// Its memory in whole pages, at a fixed address.
    pub(crate) fn memory(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.pages)
    }

    /// This device's import of it.
    pub(crate) fn pin<T: 'static>(&self, is: impl Fn(&T) -> bool) -> Option<&T> {
        self.pins.iter().filter_map(|pin| pin.downcast_ref()).find(|pin| is(pin))
    }

    /// Adds an import.
    pub(crate) fn keep<T: Send + 'static>(&mut self, pin: T) {
        self.pins.push(Box::new(pin));
    }
}
