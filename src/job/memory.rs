//! Refuses a simulation that memory does not hold before its model is built.

use super::{JobError, JobFile};
use crate::{
    boundary::Top,
    grid::Axes,
    host::{self, NoMemory},
    model::{MAX_NODES, ModelError, extents},
};
use std::sync::Arc;

/// Fewest nodes along each axis of a model that is proposed.
const FEWEST: usize = 16;

/// Tells whether the engine's arrays will lie in the host's memory. It may have to look for devices,
/// so it is asked only if they would not fit there.
pub(crate) type FieldsOnHost = Arc<dyn Fn() -> bool + Send + Sync>;

impl JobFile {
    /// Returns an error for a model of `n` nodes if neither the model nor what every engine holds of
    /// it fits the memory: two fields and its own model with the layers.
    pub(crate) fn check_fits(&self, n: Axes<usize>) -> Result<(), JobError> {
        let (Some(left), Some(are_on_host)) = (host::left(), &self.fields_on_host) else {
            return Ok(());
        };
        // Sizes and layers that are wrong in themselves have errors of their own.
        let nodes = n.x.checked_mul(n.z).and_then(|plane| plane.checked_mul(n.y));
        let is_size = nodes.is_some_and(|nodes| nodes <= MAX_NODES);
        if !is_size || self.job.boundary.sides.check().is_err() {
            return Ok(());
        }
        let needed = self.least_memory(n);
        if needed <= left.bytes || !are_on_host() {
            return Ok(());
        }
        let longest = n.x.max(n.y).max(n.z);
        let scaled = |size: usize| {
            let least = if n.y > 1 { 2 } else { 1 };
            let along =
                |n: usize, least| ((n as f64 * size as f64 / longest as f64) as usize).max(least);
            Axes { z: along(n.z, 1), x: along(n.x, 1), y: along(n.y, least) }
        };
        let (mut fitting, mut beyond) = (0, longest);
        while beyond - fitting > 1 {
            let size = fitting.midpoint(beyond);
            let fits = self.least_memory(scaled(size)) <= left.bytes;
            (fitting, beyond) = if fits { (size, beyond) } else { (fitting, size) };
        }
        let fits = scaled(fitting);
        let is_model = fits.x >= FEWEST && fits.z >= FEWEST && (n.y == 1 || fits.y >= FEWEST);
        let smaller = match is_model {
            true => format!("use a smaller or coarser model: {} nodes fit", extents(fits)),
            false => "use a smaller or coarser model".into(),
        };
        let what = format!("a simulation of {} nodes", extents(n));
        let remedies = [smaller].into_iter().chain(left.remedy().map(String::from)).collect();
        let refused = NoMemory { what, bytes: needed, left, remedies };
        Err(self.model_mistake(ModelError::NoMemory(refused)))
    }

    fn least_memory(&self, n: Axes<usize>) -> u64 {
        let (boundary, bytes) = (&self.job.boundary, size_of::<f32>() as u64);
        let cells = boundary.sides.cells() as u64;
        let beside = if n.y > 1 { 2 * cells } else { 0 };
        let below = if boundary.top == Top::Absorb { 2 * cells } else { cells };
        let product = |n: [u64; 3]| n.into_iter().fold(1u64, u64::saturating_mul);
        let model = product([n.x as u64, n.y as u64, n.z as u64]);
        let padded = [(n.x, 2 * cells), (n.y, beside), (n.z, below)];
        let padded = padded.map(|(n, layers)| (n as u64).saturating_add(layers));
        // The fields of windows are as large as the shots need.
        let fields = if self.job.window.is_some() { 0 } else { 3 };
        product(padded).saturating_mul(fields * bytes).saturating_add(model.saturating_mul(bytes))
    }
}
