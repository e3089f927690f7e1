//! Summaries of focus maps, computed on the device at the end of the run.

use crate::{
    EngineError, FocusSummary, Summit,
    focus::Part,
    gpu::{device::Device, pipeline::Bound, shader, staging::Staging},
    plan::{Mask, Plan},
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

/// 4-byte values of the parts of `sets` maps.
pub fn len(plan: &Plan, sets: usize) -> usize {
    PART * groups(plan, sets).iter().product::<usize>()
}

fn constants(plan: &Plan) -> shader::Constants {
    let (n, model, origin) = (plan.grid.n, plan.model_grid.n, plan.origin);
    shader::Constants::default()
        .int("NX", n.x)
        .int("NY", n.y)
        .int("NZ", n.z)
        .int("MX", model.x)
        .int("MY", model.y)
        .int("MZ", model.z)
        .int("ORIGIN_X", origin.x)
        .int("ORIGIN_Y", origin.y)
        .int("ORIGIN_Z", origin.z)
        .int("WG_Z", WORKGROUP[0])
        .int("WG_X", WORKGROUP[1])
        .int("PER_Z", PER_Z)
}

pub fn shader(plan: &Plan) -> (&'static str, String) {
    (SUMMARY.name, SUMMARY.specialised(&constants(plan)))
}

pub struct Summaries {
    sets: usize,
    /// 4-byte values of the parts.
    values: usize,
    /// Nodes of a map that the mask admits.
    nodes: usize,
    kernel: Bound,
    parts: wgpu::Buffer,
    staging: Staging,
}

impl Summaries {
    pub fn new(
        device: &Device,
        plan: &Plan,
        mask: &Mask,
        [largest, steps]: [&wgpu::Buffer; 2],
        sets: usize,
        checked: bool,
    ) -> Result<Self, EngineError> {
        let values = len(plan, sets);
        let parts = device.zeros("focus summaries", values, Usage::STORAGE | Usage::COPY_SRC)?;
        let staging = Staging::new(device, "focus summaries out", values)?;
        let weights = device.upload("focus mask", &mask.weights(), Usage::STORAGE)?;
        let source = (&SUMMARY, "summary", constants(plan));
        let bound = (&[false, false, false, true][..], &[[largest, steps, &weights, &parts]][..]);
        let groups = groups(plan, sets).map(|groups| groups as u32);
        let kernel = Bound::new(device, source, bound, (groups, 0), checked)?;
        Ok(Summaries { sets, values, nodes: mask.nodes_left(), kernel, parts, staging })
    }

    pub fn encode(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.kernel.encode(pass, 0);
    }

    pub fn copy(&self, slot: usize, encoder: &mut wgpu::CommandEncoder) {
        self.staging.copy(slot, encoder, &self.parts, 0, self.values);
    }

    pub fn map(&self, slot: usize) {
        self.staging.map(slot, self.values);
    }

    pub fn collect(
        &self,
        device: &Device,
        plan: &Plan,
        slot: usize,
    ) -> Result<Vec<FocusSummary>, EngineError> {
        self.staging.read(device, slot, self.values, |values: &[u32]| {
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
