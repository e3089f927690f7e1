//! p at the receivers. The step kernel records it, one row per sample; this tap transposes a
//! submit's rows into traces and copies them out.

use super::{CopyOut, Demand, GpuTap, Named, Output, Span};
use crate::{
    EngineError, Observer, TraceBlock,
    gpu::{device::Device, pipeline, shader, wavefield::Wavefield},
    plan::{Plan, Tap},
};
use ndarray::{ArrayView3, s};

static TURN: shader::Source = shader::source!("turn");

/// Bytes of traces on the device before they are copied out.
const BUFFER: usize = 32 << 20;
/// Receivers, and samples, that a workgroup transposes.
const TILE: usize = 16;

/// The recording, row by row and then transposed.
pub(crate) const TRACES: Named =
    Named { made: "the traces", staged: "the traces on their way out" };

/// Rows of traces in a Plan's buffer; 0 without receivers.
pub(crate) fn rows(plan: &Plan) -> usize {
    rows_of(plan, plan.shots.len())
}

/// [`rows`], for some of its shots.
fn rows_of(plan: &Plan, shots: usize) -> usize {
    let records = plan.taps.iter().any(|tap| matches!(tap, Tap::Traces { .. }));
    let row = 4 * shots * plan.most_receivers();
    if records { (BUFFER / row.max(1)).clamp(1, plan.time.samples) } else { 0 }
}

pub(crate) fn demand(plan: &Plan, shots: usize) -> Demand {
    let values = rows_of(plan, shots) * shots * plan.most_receivers();
    let mut demand = TRACES.demand(1, values);
    // The rows of the recording as well.
    demand.bound[0].count = 2;
    demand
}

fn constants(plan: &Plan) -> shader::Constants {
    let columns = plan.shots.len() * plan.most_receivers();
    shader::Constants::default().int("TILE", TILE).int("COLUMNS", columns)
}

pub(crate) fn shaders(plan: &Plan) -> Vec<(&'static str, String)> {
    vec![TURN.named(&constants(plan))]
}

pub(crate) struct Traces {
    every: usize,
    rows: usize,
    shots: usize,
    receivers: usize,
    pipeline: wgpu::ComputePipeline,
    bound: wgpu::BindGroup,
    turned: Output,
}

impl Traces {
    pub(crate) fn new(
        device: &Device,
        wavefield: &Wavefield,
        every: usize,
    ) -> Result<Self, EngineError> {
        let plan = &wavefield.plan;
        let (rows, shots, receivers) = (rows(plan), plan.shots.len(), plan.most_receivers());
        let turned = Output::new(device, &TRACES, rows * shots * receivers)?;
        let module = TURN.module(device, &constants(plan))?;
        let (pipeline, bound) = device.guarded(|| {
            let layout = pipeline::bindings(device, &[Some(false), Some(true)]);
            let bound = pipeline::bind(device, &layout, &[&wavefield.common.rows, &turned.buffer]);
            (pipeline::pipeline(device, &module, "turn", &[&layout], 4), bound)
        })?;
        Ok(Traces { every, rows, shots, receivers, pipeline, bound, turned })
    }

    /// Samples that a submit records: at the multiples of `every` from its start, and the last
    /// step.
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

    fn encode_last(&self, wavefield: &Wavefield, span: &Span, pass: &mut wgpu::ComputePass<'_>) {
        let samples = self.recorded(span);
        if self.values(span) > 0 {
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &self.bound, &[]);
            wavefield.common.immediates.give(pass, bytemuck::bytes_of(&(samples as u32)));
            let [x, z] = pipeline::rows((self.shots * self.receivers).div_ceil(TILE));
            pass.dispatch_workgroups(x, samples.div_ceil(TILE) as u32, z);
        }
    }

    fn copies<'a>(&'a self, _: &'a Wavefield, span: &Span) -> Vec<CopyOut<'a>> {
        let values = Some(self.values(span)).filter(|values| *values > 0);
        values.map(|values| self.turned.copy_some(span, values)).into_iter().collect()
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
        let first = span.first.div_ceil(self.every);
        let shape = (self.shots, self.receivers, self.recorded(span));
        self.turned.read_some(device, span, values, |traces: &[f32]| {
            let traces = ArrayView3::from_shape(shape, traces).expect("as many as were copied");
            for (shot, wanted) in wavefield.plan.shots.iter().enumerate() {
                let traces = traces.slice(s![shot, ..wanted.receivers.len(), ..]);
                observer.traces(TraceBlock { shot, first, traces });
            }
        })
    }
}
