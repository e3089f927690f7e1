//! The warning of devices that round differently.

use crate::Description;

/// Warns if any of the devices that take shots or parts, as `what` says, differs from the first.
pub fn warn_if_unlike(devices: &[Description], what: &str) {
    let Some((first, others)) = devices.split_first() else { return };
    if let Some(other) = others.iter().find(|of| *of != first) {
        let [first, other] = [first, other].map(|one| format!("{}, {}", one.device, one.kernel));
        tracing::warn!(
            "{first} and {other} round differently, and the {what}s that each takes may differ from \
             run to run; name devices of one kind for the same bits in every run"
        );
    }
}
