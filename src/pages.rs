//! Large arrays on large pages. The first touch of a page is a fault, and of 4 KiB they are so many that a volume takes as long to be faulted in as
//! to be copied; Linux gives pages of 2 MiB to who asks for them.

#![allow(unsafe_code, reason = "an allocator is; each SAFETY says why")]

use rustix::mm::{Advice, madvise};
use std::alloc::{GlobalAlloc, Layout, System};

/// Bytes from which on it is worth asking.
const LARGE: usize = 8 << 20;
/// What an array's ends are rounded to.
const PAGE: usize = 2 << 20;

/// The system's allocator, which asks for them.
pub struct LargePages;

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

/// Asks for large pages for what of an array they can hold. Where there are none, nothing changes.
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
