//! Arrays that several threads read and write at once, each its own parts.
//!
//! A schedule ([`super::blocks`], [`super::front`]) gives every part of a step to
//! one task, and lets no task read what another writes at the time. Parts are columns of many
//! planes, which no slices can express, so the compiler cannot check this; the tests of the
//! schedules do.

#![allow(unsafe_code, reason = "parts of arrays by a schedule; each SAFETY says why")]

use super::vectors::{Block, blocks, blocks_mut};
use pulp::Simd;
use std::{marker::PhantomData, slice};

/// An array that is exclusively this run's.
#[derive(Clone, Copy)]
pub(crate) struct Shared<'a> {
    first: *mut f32,
    len: usize,
    array: PhantomData<&'a mut [f32]>,
}

// SAFETY: it gives access to floats only through `reader` and `writer`, whose callers promise that
// accesses from several threads do not conflict.
unsafe impl Send for Shared<'_> {}
// SAFETY: as above.
unsafe impl Sync for Shared<'_> {}

/// Reads parts of an array.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a>(Shared<'a>);

/// Reads and writes parts of an array.
pub(crate) struct Writer<'a>(Shared<'a>);

impl<'a> Shared<'a> {
    pub(crate) fn new(values: &'a mut [f32]) -> Self {
        Shared { first: values.as_mut_ptr(), len: values.len(), array: PhantomData }
    }

    /// # Safety
    ///
    /// While parts that the reader gave are in use, nobody writes a value in them.
    pub(crate) unsafe fn reader(self) -> Reader<'a> {
        Reader(self)
    }

    /// # Safety
    ///
    /// While a part that the writer gave is in use, nobody else reads or writes a value in it.
    pub(crate) unsafe fn writer(self) -> Writer<'a> {
        Writer(self)
    }

    #[inline(always)]
    fn at(self, at: usize, len: usize) -> *mut f32 {
        assert!(at <= self.len && len <= self.len - at, "a part within the array");
        self.first.wrapping_add(at)
    }
}

impl<'a> Reader<'a> {
    #[inline(always)]
    pub(crate) fn part(self, at: usize, len: usize) -> &'a [f32] {
        // SAFETY: the part lies within the array, which lives as long, and nobody writes in it, as
        // the caller of `Shared::reader` promised.
        unsafe { slice::from_raw_parts(self.0.at(at, len), len) }
    }

    /// Blocks of vectors from `at` on.
    #[inline(always)]
    pub(crate) fn blocks<S: Simd, const L: usize>(
        self,
        at: usize,
        count: usize,
    ) -> &'a [Block<S, L>] {
        blocks::<S, L>(self.part(at, count * L * S::F32_LANES), 0, count)
    }

    /// Where the array starts.
    pub(crate) fn first(self) -> *const f32 {
        self.0.first
    }
}

impl Writer<'_> {
    #[inline(always)]
    pub(crate) fn part(&mut self, at: usize, len: usize) -> &mut [f32] {
        // SAFETY: the part lies within the array, and nobody else uses it, as the caller of
        // `Shared::writer` promised; this writer is borrowed.
        unsafe { slice::from_raw_parts_mut(self.0.at(at, len), len) }
    }

    /// `count` blocks of vectors from each of several places, which are `distance` apart.
    #[inline(always)]
    pub(crate) fn blocks<S: Simd, const L: usize, const K: usize>(
        &mut self,
        at: usize,
        distance: usize,
        count: usize,
    ) -> [&mut [Block<S, L>]; K] {
        let len = count * L * S::F32_LANES;
        assert!(len <= distance, "parts do not overlap");
        std::array::from_fn(|k| {
            // SAFETY: as in `part`; the parts do not overlap.
            let part = unsafe { slice::from_raw_parts_mut(self.0.at(at + k * distance, len), len) };
            blocks_mut::<S, L>(part, count)
        })
    }
}
