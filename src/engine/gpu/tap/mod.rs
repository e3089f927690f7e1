//! The taps on the device: each reads the field where it lies and brings out only its result, in
//! buffers that the host reads while the next submit runs. A new tap is one file here and a line in
//! [`all`].

mod focus;
mod snapshots;
mod summary;
mod traces;
mod watchdog;

pub use focus::{constants as focus_constants, len as focus_len};
pub use summary::constants as summary_constants;
pub use traces::{rows, rows_of};
pub use watchdog::{constants as watchdog_constants, groups as watchdog_groups};

use super::{device::Device, slab::Slab};
use crate::{
    engine::{EngineError, Observer},
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
pub trait GpuTap {
    /// Steps that a submit may take from `step` on before this tap must bring something out.
    fn horizon(&self, step: usize) -> usize;

    /// The row of the traces that p at `step` goes to, for the tap that records.
    fn row(&self, _span: &Span, _step: usize) -> Option<u32> {
        None
    }

    /// Reads p at `step` in the pass that steps it.
    fn encode(
        &self,
        _slab: &Slab,
        _span: &Span,
        _step: usize,
        _pass: &mut wgpu::ComputePass<'_>,
    ) -> bool {
        false
    }

    /// Copies after the pass.
    fn encode_after(&mut self, slab: &Slab, span: &Span, encoder: &mut wgpu::CommandEncoder);

    /// Asks for the copies of a submit that is on its way.
    fn map(&self, span: &Span);

    /// Tells the observer what a finished submit brought out.
    fn collect(
        &mut self,
        device: &Device,
        plan: &Plan,
        span: &Span,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError>;
}

/// The taps that a Plan declares.
pub fn all(
    device: &Device,
    plan: &Plan,
    slab: &Slab,
    checked: bool,
) -> Result<Vec<Box<dyn GpuTap>>, EngineError> {
    let tap = |tap: &Tap| -> Result<Box<dyn GpuTap>, EngineError> {
        Ok(match tap {
            Tap::Traces { every } => Box::new(traces::Traces::new(device, plan, slab, *every)?),
            Tap::Snapshots { steps } => Box::new(snapshots::Snapshots::new(device, slab, steps)?),
            Tap::Focus { focus, brought } => {
                Box::new(focus::Focuses::new(device, plan, slab, (*focus, brought), checked)?)
            }
            Tap::Watchdog { every, limit } => {
                Box::new(watchdog::Watchdog::new(device, plan, slab, *every, *limit, checked)?)
            }
        })
    };
    plan.taps.iter().map(tap).collect()
}
