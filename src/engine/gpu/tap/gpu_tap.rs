//! What a tap does in a submit, and the resources that it needs.

use crate::{
    Arrays, EngineError, Observer, SourceWavefield,
    gpu::{
        device::Device,
        staging::{IN_FLIGHT, Staging},
        wavefield::Wavefield,
    },
};
use wgpu::{BufferUsages as Usage, CommandEncoder, ComputePass};

/// The position of a submit in the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// The step it starts at.
    pub(crate) first: usize,
    /// The step it ends at.
    pub(crate) end: usize,
    /// Whether the run ends with it.
    pub(crate) last: bool,
    /// Index of the submit in flight.
    pub(crate) slot: usize,
}

/// A tap of the GPU engine.
pub(crate) trait GpuTap: Send {
    /// Steps that a submit may take from `step` on before this tap must copy results out.
    fn horizon(&self, _step: usize) -> usize {
        usize::MAX
    }

    /// The row of the traces for p at `step`, from the tap that records.
    fn row(&self, _: &Span, _step: usize) -> Option<u32> {
        None
    }

    /// The wave that it stores for another run.
    fn source_wavefield(&self) -> Option<SourceWavefield> {
        None
    }

    /// True if it reads p at `step` by kernels of its own.
    fn reads(&self, _: &Span, _step: usize) -> bool {
        false
    }

    /// Reads p at a step for which [`GpuTap::reads`] is true.
    fn encode(&self, _: &Wavefield, _: &Span, _step: usize, _pass: &mut ComputePass<'_>) {}

    /// Dispatches at the end of a submit's pass.
    fn encode_last(&self, _: &Wavefield, _: &Span, _pass: &mut ComputePass<'_>) {}

    /// The results that a submit copies to the host after its pass.
    fn copies<'a>(&'a self, _: &'a Wavefield, _: &Span) -> Vec<CopyOut<'a>> {
        Vec::new()
    }

    /// Commands after these copies.
    fn encode_after(&mut self, _: &Span, _: &mut CommandEncoder) -> Result<(), EngineError> {
        Ok(())
    }

    /// Resets it for another batch.
    fn restart(&mut self, _encoder: &mut CommandEncoder) {}

    /// Reports a finished submit's results to the observer.
    fn collect(
        &mut self,
        _: &Device,
        _: &Wavefield,
        _: &Span,
        _: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        Ok(())
    }

    /// Waits for pending results of collected submits and reports them.
    fn settle(&mut self, _: &Wavefield, _: &mut dyn Observer) -> Result<(), EngineError> {
        Ok(())
    }
}

/// A copy of some values of a buffer to the host, in a submit in flight.
pub(crate) struct CopyOut<'a> {
    pub(crate) from: &'a wgpu::Buffer,
    pub(crate) to: &'a Staging,
    pub(crate) slot: usize,
    pub(crate) values: usize,
}

impl CopyOut<'_> {
    pub(crate) fn encode(&self, encoder: &mut CommandEncoder) {
        self.to.copy(self.slot, encoder, self.from, 0, self.values);
    }

    /// Maps the values, once the submit is sent.
    pub(crate) fn map(&self) {
        self.to.map(self.slot, self.values);
    }
}

/// The names of an array of results in reports and on the device: where it is made, and on its way
/// to the host.
pub(crate) struct Named {
    pub(crate) made: &'static str,
    pub(crate) staged: &'static str,
}

impl Named {
    /// The device resources of `count` such arrays.
    pub(crate) fn demand(&self, count: usize, values: usize) -> Demand {
        Demand {
            bound: vec![arrays(self.made, count, values)],
            staged: vec![arrays(self.staged, count * IN_FLIGHT, values)],
            workgroups: 0,
        }
    }
}

/// An array of results.
pub(crate) struct Output {
    pub(crate) buffer: wgpu::Buffer,
    staging: Staging,
}

impl Output {
    /// Of `values` zeros.
    pub(crate) fn new(device: &Device, name: &Named, values: usize) -> Result<Self, EngineError> {
        let usage = Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST;
        let buffer = device.zeros(name.made, values, usage)?;
        Ok(Output { buffer, staging: Staging::new(device, name.staged, values)? })
    }

    /// Copies all its values.
    pub(crate) fn copy(&self, span: &Span) -> CopyOut<'_> {
        self.copy_some(span, self.staging.values())
    }

    /// Copies its first values.
    pub(crate) fn copy_some(&self, span: &Span, values: usize) -> CopyOut<'_> {
        CopyOut { from: &self.buffer, to: &self.staging, slot: span.slot, values }
    }

    /// Reads all its values after the submit.
    pub(crate) fn read<T: bytemuck::AnyBitPattern, R>(
        &self,
        device: &Device,
        span: &Span,
        read: impl FnOnce(&[T]) -> R,
    ) -> Result<R, EngineError> {
        self.read_some(device, span, self.staging.values(), read)
    }

    /// Reads its first values after the submit.
    pub(crate) fn read_some<T: bytemuck::AnyBitPattern, R>(
        &self,
        device: &Device,
        span: &Span,
        values: usize,
        read: impl FnOnce(&[T]) -> R,
    ) -> Result<R, EngineError> {
        self.staging.read(device, span.slot, values, read)
    }
}

/// The device resources that a tap needs.
#[derive(Default)]
pub(crate) struct Demand {
    /// Arrays that shaders bind.
    pub(crate) bound: Vec<Arrays>,
    /// Arrays that the host reads.
    pub(crate) staged: Vec<Arrays>,
    /// Workgroups along the longest axis of a dispatch.
    pub(crate) workgroups: usize,
}

/// `count` arrays of 4-byte values.
pub(crate) fn arrays(name: &'static str, count: usize, values: usize) -> Arrays {
    Arrays { name, count: count as u64, bytes: 4 * values as u64 }
}
