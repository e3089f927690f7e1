//! The taps on the device: each reads the field where it lies, slab by slab, and brings out only its result, in
//! buffers that the host reads while the next submit runs. A new tap is one file here and a line in
//! [`all`], [`demand`] and [`shaders`].

mod boundaries;
mod correlation;
mod differences;
mod focus;
mod imaging;
mod offsets;
mod pointwise;
mod snapshots;
mod staged;
mod store;
mod summary;
mod traces;
mod watchdog;

pub use boundaries::{Boundaries, Entry, shaders as boundaries_shaders};
pub use differences::{Differences, constants as differences_constants, planes};
pub use offsets::{GATHER_KERNELS, GatherKernel, USUAL};
pub use store::Slots;
pub use traces::rows;

use super::{device::Device, part::Part, wavefield::Wavefield};
use crate::{
    engine::{Arrays, EngineError, Observer, SourceWavefield},
    plan::{Plan, Tap},
};

/// Where in the run a submit stands.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// The step it starts at.
    pub first: usize,
    /// The step it ends at.
    pub end: usize,
    /// Whether the run ends with it.
    pub last: bool,
    /// Which of the submits in flight it is.
    pub slot: usize,
}

/// A tap of the GPU engine.
pub trait GpuTap: Send {
    /// Steps that a submit may take from `step` on before this tap must bring something out.
    fn horizon(&self, _step: usize) -> usize {
        usize::MAX
    }

    /// The row of the traces that p at `step` goes to, for the tap that records.
    fn row(&self, _span: &Span, _step: usize) -> Option<u32> {
        None
    }

    /// What it keeps of the wave for another run.
    fn source_wavefield(&self) -> Option<SourceWavefield> {
        None
    }

    /// Whether it reads p at `step` by kernels of its own.
    fn reads(&self, _span: &Span, _step: usize) -> bool {
        false
    }

    /// Reads p at a step at which it reads.
    fn encode(
        &self,
        _wavefield: &Wavefield,
        _span: &Span,
        _step: usize,
        _pass: &mut wgpu::ComputePass<'_>,
    ) {
    }

    /// What it makes of a submit at the end of its pass.
    fn encode_last(&self, _wavefield: &Wavefield, _span: &Span, _pass: &mut wgpu::ComputePass<'_>) {
    }

    /// Copies after the pass.
    fn encode_after(
        &mut self,
        _wavefield: &Wavefield,
        _span: &Span,
        _encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), EngineError> {
        Ok(())
    }

    /// Asks for the copies of a submit that is on its way.
    fn map(&self, _span: &Span) {}

    /// Forgets what it has seen, for another batch.
    fn restart(&mut self, _encoder: &mut wgpu::CommandEncoder) {}

    /// Tells the observer what a finished submit brought out.
    fn collect(
        &mut self,
        _device: &Device,
        _wavefield: &Wavefield,
        _span: &Span,
        _observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        Ok(())
    }

    /// Tells what is still on its way from submits that were heard, and waits for it.
    fn settle(
        &mut self,
        _wavefield: &Wavefield,
        _observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        Ok(())
    }
}

/// The taps that a Plan declares.
pub fn all(
    device: &Device,
    wavefield: &Wavefield,
    source: Option<&SourceWavefield>,
    (gathers, checked): (&GatherKernel, bool),
) -> Result<Vec<Box<dyn GpuTap>>, EngineError> {
    let tap = |tap: &Tap| -> Result<Box<dyn GpuTap>, EngineError> {
        Ok(match tap {
            Tap::Traces { every } => {
                Box::new(traces::Traces::new(device, wavefield, *every, checked)?)
            }
            Tap::Snapshots { steps } => {
                Box::new(snapshots::Snapshots::new(device, wavefield, steps, checked)?)
            }
            Tap::Focus { focus, brought } => {
                Box::new(focus::Focuses::new(device, wavefield, (*focus, brought), checked)?)
            }
            Tap::Correlation { every } => {
                Box::new(correlation::Correlations::new(device, wavefield, *every, checked)?)
            }
            Tap::Store(imaging) => {
                Box::new(store::Store::new(device, wavefield, *imaging, checked)?)
            }
            Tap::Boundaries(saved) => {
                Box::new(boundaries::Save::new(device, wavefield, *saved, checked)?)
            }
            Tap::Imaging(imaging) => {
                Box::new(imaging::Images::new(device, wavefield, (*imaging, source), checked)?)
            }
            Tap::OffsetGathers(imaging, offsets) => {
                let offsets = wavefield.plan.offsets_of(&wavefield.own.pieces, *offsets);
                let of = (*imaging, offsets);
                Box::new(offsets::Gathers::new(device, wavefield, of, source, (gathers, checked))?)
            }
            Tap::Watchdog { every, limit } => {
                Box::new(watchdog::Watchdog::new(device, wavefield, *every, *limit, checked)?)
            }
        })
    };
    wavefield.plan.taps.iter().map(tap).collect()
}

/// What a tap takes of a device.
#[derive(Default)]
pub struct Demand {
    /// What shaders see.
    pub bound: Vec<Arrays>,
    /// What the host reads.
    pub staged: Vec<Arrays>,
    /// Workgroups of the longest axis of a dispatch.
    pub workgroups: usize,
}

/// So many arrays of 4-byte values.
pub fn arrays(name: &'static str, count: usize, values: usize) -> Arrays {
    Arrays { name, count: count as u64, bytes: 4 * values as u64 }
}

/// What the taps of a Plan take for so many of its shots in one of its parts.
pub fn demand(whole: &Plan, part: &Part, shots: usize) -> Vec<Demand> {
    let tap = |tap: &Tap| match tap {
        Tap::Traces { .. } => traces::demand(whole, shots),
        Tap::Snapshots { .. } => snapshots::demand(part, shots),
        Tap::Focus { focus, brought } => focus::demand(part, (focus, brought), shots),
        Tap::Correlation { .. } => correlation::demand(part, shots),
        Tap::Store(imaging) => store::demand(part, *imaging, shots),
        Tap::Boundaries(saved) => boundaries::demand((whole, part), *saved, shots),
        Tap::Imaging(_) => imaging::demand(part, shots),
        Tap::OffsetGathers(_, offsets) => offsets::demand(whole, *offsets, shots),
        Tap::Watchdog { .. } => watchdog::demand(part, shots),
    };
    whole.taps.iter().map(tap).collect()
}

/// The shaders of a Plan's taps in one of its parts as (name, whole text).
pub fn shaders(own: &Part, part: &Part) -> Vec<(&'static str, String)> {
    let tap = |tap: &Tap| match tap {
        Tap::Traces { .. } => traces::shaders(&part.plan),
        Tap::Snapshots { .. } => snapshots::shaders(part),
        Tap::Focus { focus, .. } => focus::shaders(part, focus),
        Tap::Correlation { .. } => correlation::shaders(part),
        Tap::Store(_) => store::shaders(part),
        Tap::Boundaries(saved) => boundaries::shaders((&own.plan, part), *saved),
        Tap::Imaging(_) => imaging::shaders(part),
        Tap::OffsetGathers(_, offsets) => offsets::shaders(own, part, *offsets),
        Tap::Watchdog { limit, .. } => watchdog::shaders(part, *limit),
    };
    part.plan.taps.iter().flat_map(tap).collect()
}
