//! Summaries of focus maps, computed on the device at the end of the run.

use super::{CopyOut, Demand, Named, Output, Span, arrays};
use crate::{
    EngineError, FocusSummary, Summit,
    focus::Part,
    gpu::{
        device::Device,
        pipeline::{Bound, Entry},
        shader,
    },
    plan::{Focus, Mask, Plan, Window},
};
use wgpu::BufferUsages as Usage;

static SUMMARY: shader::Source = shader::source!("summary");

/// Invocations per workgroup along z and x, and nodes of each along z.
const WORKGROUP: [usize; 2] = [16, 16];
const PER_Z: usize = 4;
/// 4-byte values of a part.
const PART: usize = 12;

/// Workgroups along each axis of the dispatch: blocks of a plane, and planes of all maps.
fn groups(plan: &Plan, sets: usize) -> [usize; 3] {
    let n = plan.model_grid.n;
    [n.z.div_ceil(PER_Z * WORKGROUP[0]), n.x.div_ceil(WORKGROUP[1]), n.y * sets]
}

/// The parts of all maps.
const PARTS: Named =
    Named { made: "the summaries of the focus", staged: "the summaries on their way out" };
const MASK: &str = "the mask of the focus";

/// 4-byte values of the parts of `sets` maps.
fn len(plan: &Plan, sets: usize) -> usize {
    PART * groups(plan, sets).iter().product::<usize>()
}

pub(crate) fn demand(plan: &Plan, sets: usize) -> Demand {
    let mut demand = PARTS.demand(1, len(plan, sets));
    demand.bound.push(arrays(MASK, 1, plan.model_grid.cells()));
    demand
}

fn constants(plan: &Plan) -> shader::Constants {
    shader::Constants::default()
        .axes("N", plan.grid.n)
        .axes("M", plan.model_grid.n)
        .axes("ORIGIN", plan.origin)
        .int("WG_Z", WORKGROUP[0])
        .int("WG_X", WORKGROUP[1])
        .int("PER_Z", PER_Z)
}

pub(crate) fn shader(plan: &Plan) -> (&'static str, String) {
    SUMMARY.named(&constants(plan))
}

/// The weights of a mask, for the field that is stepped instead of p. Nodes that the mask leaves out
/// have negative ones.
fn weights(plan: &Plan, focus: &Focus, mask: &Mask) -> Vec<f32> {
    let mut weights = mask.weights();
    if plan.medium.density().is_some() {
        let powers = if focus.is_square() { 2 } else { 1 };
        for (node, weight) in plan.model_grid.nodes().zip(&mut weights) {
            let factor = plan.pressure_factor(Window::whole(0), plan.on_grid(node));
            *weight = (f64::from(*weight) * factor.powi(powers)) as f32;
        }
    }
    weights
}

pub(crate) struct Summaries {
    sets: usize,
    /// Nodes of a map that the mask admits.
    nodes: usize,
    kernel: Bound,
    parts: Output,
}

impl Summaries {
    pub(crate) fn new(
        device: &Device,
        plan: &Plan,
        focus: &Focus,
        mask: &Mask,
        [largest, steps]: [&wgpu::Buffer; 2],
        sets: usize,
    ) -> Result<Self, EngineError> {
        let parts = Output::new(device, &PARTS, len(plan, sets))?;
        let weights = device.upload(MASK, &weights(plan, focus, mask), Usage::STORAGE)?;
        let entry = Entry {
            source: &SUMMARY,
            name: "summary",
            constants: constants(plan),
            workgroups: groups(plan, sets).map(|groups| groups as u32),
            immediates: 0,
        };
        let buffers = [largest, steps, &weights, &parts.buffer];
        let kernel = entry.bind(device, &[false, false, false, true], &[buffers])?;
        Ok(Summaries { sets, nodes: mask.nodes_left(), kernel, parts })
    }

    pub(crate) fn encode(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.kernel.encode(pass, 0);
    }

    pub(crate) fn copy(&self, span: &Span) -> CopyOut<'_> {
        self.parts.copy(span)
    }

    pub(crate) fn collect(
        &self,
        device: &Device,
        plan: &Plan,
        span: &Span,
    ) -> Result<Vec<FocusSummary>, EngineError> {
        self.parts.read(device, span, |values: &[u32]| {
            let maps = values.chunks_exact(values.len() / self.sets);
            let summary = |(set, parts): (usize, &[u32])| {
                let parts = parts.chunks_exact(PART).map(|values| part(plan, values));
                Part::all(parts).summary(set, self.nodes)
            };
            maps.enumerate().map(summary).collect()
        })
    }
}

/// A part as the shader writes it.
fn part(plan: &Plan, values: &[u32]) -> Part {
    let float = |i: usize| f32::from_bits(values[i]);
    let node = plan.model_grid.node_of(values[4] as usize);
    let beside = |i: usize| Some(float(i)).filter(|value| *value >= 0.0);
    let summit = Summit {
        node: (node.y, node.x, node.z),
        value: float(3),
        step: values[5],
        beside: [6, 8, 10].map(|i| [beside(i), beside(i + 1)]),
    };
    Part {
        largest: float(0),
        square: f64::from(float(1)),
        fourth: f64::from(float(2)),
        summit: (summit.value > 0.0).then_some(summit),
    }
}
