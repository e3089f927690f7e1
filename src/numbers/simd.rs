//! Loops by the instruction set of the processor.

use pulp::{Arch, WithSimd};

/// Runs a loop that is compiled for each instruction set.
///
/// In a browser pulp runs its scalar loops unless a flag enables SIMD, which the page does not set. So only the scalar loops are compiled
/// there: the others were a tenth of the page's code.
#[inline(always)]
pub fn dispatch<Op: WithSimd>(arch: Arch, op: Op) -> Op::Output {
    #[cfg(target_arch = "wasm32")]
    {
        let _ = arch;
        pulp::Simd::vectorize(pulp::Scalar::new(), op)
    }
    #[cfg(not(target_arch = "wasm32"))]
    arch.dispatch(op)
}
