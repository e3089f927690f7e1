//! p at the receivers: the step kernel records it, a row a sample; this tap brings the rows out.

use super::{Demand, GpuTap, Span, arrays};
use crate::{
    engine::{
        EngineError, Observer, TraceBlock,
        gpu::{
            device::Device,
            staging::{IN_FLIGHT, Staging},
            wavefield::Wavefield,
        },
    },
    plan::{Plan, Tap},
};
use ndarray::{ArrayView3, s};

/// Bytes of traces on the device before they are brought out.
const BUFFER: usize = 32 << 20;

/// Rows of traces that a Plan's buffer holds, and 0 without receivers.
pub fn rows(plan: &Plan) -> usize {
    rows_of(plan, plan.shots.len())
}

/// The same for some of its shots.
fn rows_of(plan: &Plan, shots: usize) -> usize {
    let records = plan.taps.iter().any(|tap| matches!(tap, Tap::Traces { .. }));
    let row = 4 * shots * plan.most_receivers();
    if records { (BUFFER / row.max(1)).clamp(1, plan.time.samples) } else { 0 }
}

/// What it takes for so many shots.
pub fn demand(plan: &Plan, shots: usize) -> Demand {
    let values = rows_of(plan, shots) * shots * plan.most_receivers();
    Demand {
        bound: vec![arrays("the traces", 1, values)],
        staged: vec![arrays("the traces on their way out", IN_FLIGHT, values)],
        workgroups: 0,
    }
}

pub struct Traces {
    every: usize,
    rows: usize,
    shots: usize,
    receivers: usize,
    staging: Staging,
}

impl Traces {
    pub fn new(device: &Device, wavefield: &Wavefield, every: usize) -> Result<Self, EngineError> {
        let plan = &wavefield.plan;
        let (rows, shots, receivers) = (rows(plan), plan.shots.len(), plan.most_receivers());
        let staging = Staging::new(device, "traces out", rows * shots * receivers)?;
        Ok(Traces { every, rows, shots, receivers, staging })
    }

    /// Samples that a submit records: the multiples of `every` it steps from, and the last.
    fn recorded(&self, span: &Span) -> usize {
        let until = if span.last { span.end + 1 } else { span.end };
        until.div_ceil(self.every) - span.first.div_ceil(self.every)
    }

    fn values(&self, span: &Span) -> usize {
        self.recorded(span) * self.shots * self.receivers
    }
}

impl GpuTap for Traces {
    fn horizon(&self, step: usize) -> usize {
        let next = step.next_multiple_of(self.every);
        (next - step) + self.rows * self.every
    }

    fn row(&self, span: &Span, step: usize) -> Option<u32> {
        let records = step.is_multiple_of(self.every);
        records.then(|| (step / self.every - span.first.div_ceil(self.every)) as u32)
    }

    fn encode_after(
        &mut self,
        wavefield: &Wavefield,
        span: &Span,
        encoder: &mut wgpu::CommandEncoder,
    ) {
        let values = self.values(span);
        if values > 0 {
            self.staging.copy(span.slot, encoder, &wavefield.common.traces, 0, values);
        }
    }

    fn map(&self, span: &Span) {
        let values = self.values(span);
        if values > 0 {
            self.staging.map(span.slot, values);
        }
    }

    fn collect(
        &mut self,
        device: &Device,
        wavefield: &Wavefield,
        span: &Span,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let values = self.values(span);
        if values == 0 {
            return Ok(());
        }
        let shape = (self.recorded(span), self.shots, self.receivers);
        self.staging.read(device, span.slot, values, |samples: &[f32]| {
            let samples = ArrayView3::from_shape(shape, samples).expect("as many as were copied");
            for (shot, wanted) in wavefield.plan.shots.iter().enumerate() {
                let samples = samples.slice(s![.., shot, ..wanted.receivers.len()]);
                observer.traces(TraceBlock {
                    shot,
                    first: span.first.div_ceil(self.every),
                    samples,
                });
            }
        })
    }
}
