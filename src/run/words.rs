//! What every run says of itself.

use super::{Face, Operation};
use crate::{
    engine::{Engine, tune::warn_if_unlike},
    grid::{Axes, Grid},
    plan::TimeAxis,
    rounded::rounded,
};
use std::fmt::Display;

/// Values along x, y in a volume, and z: "200 x 200 x 100".
pub(crate) fn by<T: Display>(grid: &Grid, of: Axes<T>, unit: &str) -> String {
    let y = if grid.is_volume() { format!(" x {}{unit}", of.y) } else { String::new() };
    format!("{}{unit}{y} x {}{unit}", of.x, of.z)
}

/// "1 shot", "12 shots".
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The steps of a run, for its heading.
pub(crate) fn steps(time: &TimeAxis) -> String {
    let (ms, part) = (rounded(1e3 * time.dt), 100.0 * time.dt / time.limit);
    format!("{} steps of {ms} ms ({part:.0} % of the largest stable one)", time.steps)
}

/// " on 2 devices" if there are several.
pub(crate) fn on(devices: usize) -> String {
    if devices > 1 { format!(" on {devices} devices") } else { String::new() }
}

/// Tells what is run, on which devices, which share the pieces, and its warnings.
pub(super) fn introduce(
    operation: &dyn Operation,
    engines: &[&dyn Engine],
    pieces: usize,
    face: &dyn Face,
) {
    operation.describe().iter().for_each(|line| face.tell(line));
    introduce_engines(engines, pieces, operation.piece(), face);
    operation.warnings().iter().for_each(|warning| tracing::warn!("{warning}"));
}

/// Tells which devices share so many pieces, and warns of devices that round differently, or have nothing to do.
pub(crate) fn introduce_engines(
    engines: &[&dyn Engine],
    pieces: usize,
    piece: &'static str,
    face: &dyn Face,
) {
    let descriptions: Vec<_> = engines.iter().map(|engine| engine.describe()).collect();
    if let [one] = &descriptions[..] {
        face.tell(&format_args!("on {}, {}", one.device, one.kernel));
        return;
    }
    let count = descriptions.len();
    for (of, number) in descriptions.iter().zip(1..) {
        face.tell(&format_args!("device {number} of {count}: {}, {}", of.device, of.kernel));
    }
    warn_if_unlike(&descriptions, piece);
    if count > pieces {
        tracing::warn!(
            "there are more devices, {count}, than {piece}s, {pieces}; name fewer of them"
        );
    }
}
