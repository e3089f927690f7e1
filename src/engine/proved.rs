//! Remembers in the user's cache which GPUs have passed the test against the oracle.

use super::{Description, Engine, EngineError, gpu, gpu::Gpu, prove};
use crate::io::cache;

/// The cache file of devices that passed the test, one per line.
const PROVED: &str = "proved.txt";

/// Tests a GPU once per driver and program version, with its default kernels and the model in 32
/// bits. A failed test is repeated at the next use.
pub fn prove_once(gpu: &Gpu) -> Result<(), EngineError> {
    let Description { device, driver, backend, .. } = gpu.describe();
    let (variant, version) = (gpu.variant(), env!("CARGO_PKG_VERSION"));
    let shaders = gpu::digest();
    let this = format!("{device}, {driver}, {backend}{variant}, huygens {version} {shaders}");
    // An unreadable file is rewritten.
    let known = cache::read(PROVED).and_then(Result::ok).unwrap_or_default();
    if known.lines().any(|line| line == this) {
        return Ok(());
    }
    prove(gpu)?;
    if let Err(error) = cache::write(PROVED, &format!("{known}{this}\n")) {
        tracing::debug!(%error, "that the device computes waves is not remembered");
    }
    Ok(())
}
