//! What each array of a simulation takes, before anything is allocated.

use super::{Plan, PlanError};
use crate::grid::Axes;
use serde::Serialize;

/// One array of the f32 engines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Array {
    /// What it holds.
    pub name: &'static str,
    /// Its size, bytes.
    pub bytes: u64,
}

/// The most nodes of a wavefield.
const MAX_CELLS: u128 = crate::model::MAX_NODES as u128;
/// The most traces a shot may record, bytes: a host's worth.
const MAX_TRACES: u128 = 64 << 30;
const F32: u128 = 4;

impl Plan {
    /// The arrays of an f32 engine that runs all the shots at once, without padding and staging.
    pub fn memory(&self) -> Vec<Array> {
        let shots = self.shots.len() as u64;
        let cells = self.grid.cells() as u64;
        let layers = |axis: &crate::boundary::Profile, across: usize| {
            (axis.memory.iter().sum::<usize>() * across) as u64
        };
        let n = self.grid.n;
        let memory = layers(&self.profile.z, n.x * n.y)
            + layers(&self.profile.x, n.z * n.y)
            + layers(&self.profile.y, n.z * n.x);
        let receivers: usize = self.shots.iter().map(|shot| shot.receivers.len()).sum();
        let all = [
            ("wavefield, two steps", 2 * shots * cells),
            ("velocity model", cells * self.copies().len() as u64),
            ("absorbing layers", 2 * shots * memory),
            ("traces", (receivers * self.time.samples) as u64),
            ("wavelets", (self.wavelets.len() * self.time.steps) as u64),
        ];
        all.map(|(name, values)| Array { name, bytes: 4 * values }).into()
    }

    /// Gives the model other extents and keeps the layers around it: what such a Plan would take can then be
    /// asked, but no engine runs it, for velocities, sources and receivers stay as they are.
    pub(crate) fn resize(&mut self, nodes: Axes<usize>) {
        let (low, old, inside) = (self.origin, self.grid.n, self.model_grid.n);
        let high = Axes {
            z: old.z - inside.z - low.z,
            x: old.x - inside.x - low.x,
            y: old.y - inside.y - low.y,
        };
        let n = Axes {
            z: low.z + nodes.z + high.z,
            x: low.x + nodes.x + high.x,
            y: low.y + nodes.y + high.y,
        };
        (self.model_grid.n, self.grid.n) = (nodes, n);
        let profile = &mut self.profile;
        profile.z = profile.z.resized(n.z, [low.z, high.z]);
        profile.x = profile.x.resized(n.x, [low.x, high.x]);
        if self.grid.is_volume() {
            profile.y = profile.y.resized(n.y, [low.y, high.y]);
        }
    }

    /// Refuses gathers that no host could hold.
    pub(super) fn check_traces(&self) -> Result<(), PlanError> {
        let bytes = self.most_receivers() as u128 * self.time.samples as u128 * F32;
        if bytes > MAX_TRACES {
            return Err(PlanError::TooLarge {
                what: "the gather of a shot",
                bytes,
                limit: MAX_TRACES,
                remedy: "record fewer samples (time.record) or receivers",
            });
        }
        Ok(())
    }
}

/// Refuses wavefields that no engine could index, as engines pad them.
pub(super) fn check_nodes(n: Axes<usize>, radius: usize) -> Result<(), PlanError> {
    let padded = (n.z + radius).next_multiple_of(32) as u128;
    let cells = padded * n.x as u128 * n.y as u128;
    if cells > MAX_CELLS {
        return Err(PlanError::TooLarge {
            what: "the wavefield",
            bytes: cells * F32,
            limit: MAX_CELLS * F32,
            remedy: "use a smaller or coarser model",
        });
    }
    Ok(())
}
