//! Large arrays on large pages. The first touch of a page is a fault, and with pages of 4 KiB the
//! faults of a volume take as long as copying it; Linux provides pages of 2 MiB on request.

#![allow(unsafe_code, reason = "an allocator is; each SAFETY says why")]

use rustix::mm::{Advice, madvise};
use std::alloc::{GlobalAlloc, Layout, System};

/// The smallest array that is worth it, bytes.
const LARGE: usize = 8 << 20;
/// The size of a large page, bytes.
const PAGE: usize = 2 << 20;

/// The system's allocator, with large pages requested for large arrays.
pub(crate) struct LargePages;

// SAFETY: the system's allocator does all of it.
unsafe impl GlobalAlloc for LargePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        ask(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        ask(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        ask(unsafe { System.realloc(start, layout, size) }, size)
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(start, layout) }
    }
}

/// Requests large pages for the part of an array that they can hold, if there are any.
fn ask(start: *mut u8, size: usize) -> *mut u8 {
    if size >= LARGE && !start.is_null() {
        let before = start.addr().next_multiple_of(PAGE) - start.addr();
        let length = (size - before) / PAGE * PAGE;
        // SAFETY: these pages lie within the array, and the advice changes none of their bytes.
        let _ =
            unsafe { madvise(start.wrapping_add(before).cast(), length, Advice::LinuxHugepage) };
    }
    start
}
