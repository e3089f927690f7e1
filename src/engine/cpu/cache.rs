//! The sizes of the processor's caches, and prefetching.

use std::{fs, sync::OnceLock};

/// f32 values per cache line, which is as long as the widest vector.
pub(crate) const LINE: usize = 16;

/// How far ahead a step prefetches. Nearer values arrive too late; values a column ahead evict from
/// the first cache those that are still to be read.
pub(crate) const AHEAD: usize = 6 * LINE;

/// Size of a core's second-level cache, bytes, as Linux reports it; elsewhere 1 MiB.
pub(crate) fn second() -> usize {
    static BYTES: OnceLock<usize> = OnceLock::new();
    *BYTES.get_or_init(|| reported().unwrap_or(1 << 20))
}

fn reported() -> Option<usize> {
    let folder = "/sys/devices/system/cpu/cpu0/cache/index2";
    let text = |name: &str| fs::read_to_string(format!("{folder}/{name}")).ok();
    let kib: usize = text("size")?.trim().strip_suffix('K')?.parse().ok()?;
    (text("level")?.trim() == "2").then_some(kib << 10)
}

/// Prefetches the line of the value at index `at` of an array, which need not exist. A processor
/// prefetches only a few arrays by itself, and a volume's stencil reads more.
#[inline(always)]
#[allow(unsafe_code, reason = "there is no safe prefetch; see SAFETY")]
pub(crate) fn fetch(first: *const f32, at: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 processor has the instruction; it is a hint, changes nothing and
        // cannot fault, whatever the address.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(first.wrapping_add(at).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (first, at);
}
