//! What a tap does in a submit, and the resources that it needs.

use crate::{
    Arrays, EngineError, Observer, SourceWavefield,
    gpu::{device::Device, wavefield::Wavefield},
};
use wgpu::{CommandEncoder, ComputePass};

/// The position of a submit in the run.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// The step it starts at.
    pub first: usize,
    /// The step it ends at.
    pub end: usize,
    /// Whether the run ends with it.
    pub last: bool,
    /// Index of the submit in flight.
    pub slot: usize,
}

/// A tap of the GPU engine.
pub trait GpuTap: Send {
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

    /// Copies after the pass.
    fn encode_after(
        &mut self,
        _: &Wavefield,
        _: &Span,
        _encoder: &mut CommandEncoder,
    ) -> Result<(), EngineError> {
        Ok(())
    }

    /// Maps the copies of a submit in flight.
    fn map(&self, _: &Span) {}

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

/// The device resources that a tap needs.
#[derive(Default)]
pub struct Demand {
    /// Arrays that shaders bind.
    pub bound: Vec<Arrays>,
    /// Arrays that the host reads.
    pub staged: Vec<Arrays>,
    /// Workgroups along the longest axis of a dispatch.
    pub workgroups: usize,
}

/// `count` arrays of 4-byte values.
pub fn arrays(name: &'static str, count: usize, values: usize) -> Arrays {
    Arrays { name, count: count as u64, bytes: 4 * values as u64 }
}
