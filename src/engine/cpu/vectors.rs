//! Blocks of vectors, which are stepped jointly.

use pulp::{Arch, Simd};
use std::{env, sync::LazyLock};

/// Names an instruction set that the steps use instead of the best, for tests and measurements.
const INSTRUCTIONS: &str = "HUYGENS_INSTRUCTIONS";

/// The instruction set of the steps: the best of this processor, unless `HUYGENS_INSTRUCTIONS` is
/// `scalar` or, on x86-64, `v3` (AVX2).
pub(crate) fn arch() -> Arch {
    static ARCH: LazyLock<Arch> = LazyLock::new(|| match env::var(INSTRUCTIONS).as_deref() {
        Ok("scalar") => Arch::Scalar,
        #[cfg(target_arch = "x86_64")]
        Ok("v3") => pulp::x86::V3::try_new().map_or_else(Arch::new, Arch::V3),
        _ => Arch::new(),
    });
    *ARCH
}

/// Vectors that are stepped jointly, to overlap their sums.
pub(crate) const VECTORS: usize = 2;

/// The largest number of values in a block. The length of a column is a multiple of it.
pub(crate) const LARGEST_BLOCK: usize = 32;

/// Vectors that are stepped jointly.
pub(crate) type Block<S, const L: usize> = [<S as Simd>::f32s; L];

/// `count` blocks from `at` on.
#[inline(always)]
pub(crate) fn blocks<S: Simd, const L: usize>(
    values: &[f32],
    at: usize,
    count: usize,
) -> &[Block<S, L>] {
    let values = &values[at..][..count * L * S::F32_LANES];
    &S::as_simd_f32s(values).0.as_chunks().0[..count]
}

/// [`blocks`] for writing.
#[inline(always)]
pub(crate) fn blocks_mut<S: Simd, const L: usize>(
    values: &mut [f32],
    count: usize,
) -> &mut [Block<S, L>] {
    let values = &mut values[..count * L * S::F32_LANES];
    &mut S::as_mut_simd_f32s(values).0.as_chunks_mut().0[..count]
}
