//! The taps on the device. Each reads the field in place, slab by slab, and copies out only its
//! result, in buffers that the host reads while the next submit runs.
//!
//! To add a tap: a file here and a line in [`all`], [`demand`] and [`shaders`]; see also
//! `src/engine/cpu/tap/`. `watchdog.rs` is the shortest with a shader.

mod differences;
mod focus;
mod gpu_tap;
mod imaging;
mod offsets;
mod pointwise;
mod slots;
mod snapshots;
mod store;
mod summary;
mod traces;
mod watchdog;

pub(crate) use differences::{
    Differences, constants as differences_constants, entry as differences_entry,
};
pub(crate) use gpu_tap::{CopyOut, Demand, GpuTap, Named, Output, Span, arrays};
pub(crate) use offsets::USUAL;
pub use offsets::{GATHER_KERNELS, GatherKernel};
pub(crate) use slots::Slots;
pub(crate) use traces::{TRACES, rows};

use super::{device::Device, packing::Places, part::Part, wavefield::Wavefield};
use crate::{
    EngineError, SourceWavefield,
    plan::{Plan, Tap},
};

/// The taps that a Plan declares.
pub(crate) fn all(
    device: &Device,
    wavefield: &Wavefield,
    source: Option<&SourceWavefield>,
    gathers: &'static GatherKernel,
) -> Result<Vec<Box<dyn GpuTap>>, EngineError> {
    let tap = |tap: &Tap| -> Result<Box<dyn GpuTap>, EngineError> {
        Ok(match tap {
            Tap::Traces { every } => Box::new(traces::Traces::new(device, wavefield, *every)?),
            Tap::Snapshots { steps } => {
                Box::new(snapshots::Snapshots::new(device, wavefield, steps)?)
            }
            Tap::Focus { focus, output } => {
                Box::new(focus::Focuses::new(device, wavefield, *focus, output)?)
            }
            Tap::Store(imaging) => Box::new(store::Store::new(device, wavefield, *imaging)?),
            Tap::Imaging(imaging) => {
                Box::new(imaging::Images::new(device, wavefield, *imaging, source)?)
            }
            Tap::OffsetGathers(imaging, offsets) => {
                let offsets = wavefield.plan.offsets_of(&wavefield.own.pieces, *offsets);
                let new = offsets::Gathers::new;
                Box::new(new(device, wavefield, *imaging, offsets, source, gathers)?)
            }
            Tap::Watchdog { every, limit } => {
                Box::new(watchdog::Watchdog::new(device, wavefield, *every, *limit)?)
            }
        })
    };
    wavefield.plan.taps.iter().map(tap).collect()
}

/// The demands of a Plan's taps for `shots` of its shots in one of its parts.
pub(crate) fn demand(whole: &Plan, part: &Part, shots: usize) -> Vec<Demand> {
    let tap = |tap: &Tap| match tap {
        Tap::Traces { .. } => traces::demand(whole, shots),
        Tap::Snapshots { .. } => snapshots::demand(part, shots),
        Tap::Focus { focus, output } => focus::demand(part, focus, output, shots),
        Tap::Store(imaging) => store::demand(part, *imaging, shots),
        Tap::Imaging(_) => imaging::demand(part, shots),
        Tap::OffsetGathers(_, offsets) => offsets::demand(whole, *offsets, shots),
        Tap::Watchdog { .. } => watchdog::demand(part, shots),
    };
    whole.taps.iter().map(tap).collect()
}

/// The shaders of a Plan's taps in one of its parts as (name, whole text).
pub(crate) fn shaders(own: &Part, part: &Part) -> Vec<(&'static str, String)> {
    let tap = |tap: &Tap| match tap {
        Tap::Traces { .. } => traces::shaders(&part.plan),
        Tap::Snapshots { .. } => Places::of_model(part).shader().into_iter().collect(),
        Tap::Focus { focus, .. } => focus::shaders(part, focus),
        Tap::Store(_) => store::shaders(part),
        Tap::Imaging(_) => imaging::shaders(part),
        Tap::OffsetGathers(_, offsets) => offsets::shaders(own, part, *offsets),
        Tap::Watchdog { limit, .. } => watchdog::shaders(part, *limit),
    };
    part.plan.taps.iter().flat_map(tap).collect()
}
