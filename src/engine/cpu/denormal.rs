//! Steps without denormal numbers: values below 1.2e-38, which f32 holds with fewer digits.
//!
//! The memory of a layer decays towards zero ahead of a wave and never reaches it, so it becomes
//! denormal. Intel's processors take some hundred cycles for a product of such numbers: a volume
//! with layers took three times as long per step. GPUs take them as zeros, too.

/// Runs a loop with denormal numbers as zeros, where the processor can do so.
#[allow(unsafe_code, reason = "there is no safe switch of the rounding mode; see SAFETY")]
pub(crate) fn as_zeros<T>(work: impl FnOnce() -> T) -> T {
    // SAFETY: Rust assumes that the mode is the default one. Its compiler uses this where it
    // evaluates constants and where it moves arithmetic past the switch. Both can change only
    // whether a denormal number becomes zero, and no index, pointer or branch of the loops depends
    // on a value of a field. The mode is restored at the end, after a panic too.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    return unsafe { no_denormals::no_denormals(work) };
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    work()
}
