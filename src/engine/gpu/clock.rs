//! Time on the device, by timestamps around each compute pass.

use super::{
    device::Device,
    staging::{IN_FLIGHT, Staging},
};
use crate::EngineError;
use wgpu::BufferUsages as Usage;

/// Timestamps of the submits in flight.
pub(crate) struct Clock {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    staging: Staging,
    /// Seconds per tick.
    period: f64,
    /// Seconds counted so far.
    pub(crate) seconds: f64,
}

/// A timestamp is two 4-byte values, and a pass has two.
const VALUES: usize = 4;
/// Bytes between the resolved timestamps of two slots, as wgpu aligns them.
const STRIDE: u64 = wgpu::QUERY_RESOLVE_BUFFER_ALIGNMENT;

impl Clock {
    /// `None` if the device has no timestamps.
    pub(crate) fn new(device: &Device) -> Result<Option<Self>, EngineError> {
        if !device.has(wgpu::Features::TIMESTAMP_QUERY) {
            return Ok(None);
        }
        let descriptor = wgpu::QuerySetDescriptor {
            label: Some("clock"),
            ty: wgpu::QueryType::Timestamp,
            count: 2 * IN_FLIGHT as u32,
        };
        let values = IN_FLIGHT * STRIDE as usize / 4;
        Ok(Some(Clock {
            queries: device.guarded(|| device.wgpu.create_query_set(&descriptor))?,
            resolved: device.zeros("clock", values, Usage::QUERY_RESOLVE | Usage::COPY_SRC)?,
            staging: Staging::new(device, "clock", VALUES)?,
            period: f64::from(device.queue.get_timestamp_period()) * 1e-9,
            seconds: 0.0,
        }))
    }

    /// The timestamp writes of a pass of a slot.
    pub(crate) fn writes(&self, slot: usize) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(2 * slot as u32),
            end_of_pass_write_index: Some(2 * slot as u32 + 1),
        }
    }

    /// Resolves the times of a slot.
    pub(crate) fn encode(&self, slot: usize, encoder: &mut wgpu::CommandEncoder) {
        let first = 2 * slot as u32;
        let offset = slot as u64 * STRIDE;
        encoder.resolve_query_set(&self.queries, first..first + 2, &self.resolved, offset);
        let from = slot * STRIDE as usize / 4;
        self.staging.copy(slot, encoder, &self.resolved, from, VALUES);
    }

    pub(crate) fn map(&self, slot: usize) {
        self.staging.map(slot, VALUES);
    }

    /// Adds the time of a slot whose submit is done; returns its seconds.
    pub(crate) fn collect(&mut self, device: &Device, slot: usize) -> Result<f64, EngineError> {
        let ticks =
            self.staging.read(device, slot, VALUES, |t: &[u64]| t[1].saturating_sub(t[0]))?;
        let seconds = ticks as f64 * self.period;
        self.seconds += seconds;
        Ok(seconds)
    }
}
