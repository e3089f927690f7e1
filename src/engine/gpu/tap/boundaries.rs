//! Saves the field on the ring of nodes just outside the model, for a run that rebuilds the wave backward in time.

use super::{Demand, GpuTap, Span};
use crate::{
    engine::{
        Arrays, EngineError, Layout, SourceWavefield,
        gpu::{device::Device, part::Part, pipeline, shader, slab::Slab, wavefield::Wavefield},
        source_wavefield::About,
    },
    plan::{Plan, Saved},
};
use std::sync::Arc;
use wgpu::BufferUsages as Usage;

static BOUNDARIES: shader::Source = shader::Source {
    name: "boundaries",
    text: include_str!("../../../../shaders/boundaries.wgsl"),
    library: &[],
};

/// Invocations of a workgroup.
const WORKGROUP: usize = 256;
/// Bytes of a buffer, in whole steps: what every device can bind.
const BUFFER: usize = 128 << 20;

/// How the steps of a run lie in buffers.
#[derive(Clone, Copy)]
struct Rows {
    /// Words of all shots at a step.
    words: usize,
    /// Steps a buffer, and in all.
    steps: usize,
    all: usize,
}

impl Rows {
    fn new(plan: &Plan, saved: Saved, shots: usize) -> Self {
        let words = shots * saved.words(plan.ring().nodes);
        let steps = (BUFFER / (4 * words.max(1))).max(1);
        Rows { words, steps, all: plan.saved_steps().len() }
    }

    fn buffers(self) -> usize {
        self.all.div_ceil(self.steps)
    }

    /// Values of one of the buffers.
    fn values(self, buffer: usize) -> usize {
        self.words * self.steps.min(self.all - buffer * self.steps)
    }
}

/// What it takes for so many shots.
pub fn demand(part: &Part, saved: Saved, shots: usize) -> Demand {
    let rows = Rows::new(&part.plan, saved, shots);
    let bytes = 4 * (rows.words * rows.steps.min(rows.all)) as u64;
    let name = "the boundaries of the source wavefield";
    Demand {
        bound: vec![Arrays { name, count: rows.buffers() as u64, bytes }],
        ..Demand::default()
    }
}

/// What specialises the shader.
fn constants(part: &Part, saved: Saved) -> shader::Constants {
    let plan = &part.plan;
    let scale = match saved {
        Saved::Single => 1.0f32,
        Saved::Half { scale } => scale,
    };
    shader::Constants::default()
        .int("FIELD", part.layout.len())
        .flag("INCREMENTS", plan.by_increments)
        .int("WG", WORKGROUP)
        .int("SHOTS", plan.shots.len())
        // Divided by; where there is no ring, nothing is dispatched.
        .int("WORDS", saved.words(plan.ring().nodes).max(1))
        .flag("HALVES", saved != Saved::Single)
        .int("SCALE", scale.to_bits() as usize)
}

/// Its shader.
pub fn shaders(part: &Part, saved: Saved) -> Vec<(&'static str, String)> {
    vec![(BOUNDARIES.name, BOUNDARIES.specialised(&constants(part, saved)))]
}

/// The places of the ring's nodes in a field, and a place of nothing where words are of two.
fn places(plan: &Plan, layout: &Layout, saved: Saved) -> Vec<u32> {
    let ring = plan.ring();
    let pieces = ring.pieces.iter().map(|piece| (layout.index(piece.first), piece.len));
    let mut places: Vec<_> =
        pieces.flat_map(|(first, len)| (first..first + len).map(|place| place as u32)).collect();
    if saved != Saved::Single {
        places.resize(2 * saved.words(ring.nodes), 0);
    }
    places
}

/// What is saved: some steps a buffer.
pub struct Boundaries {
    rows: Rows,
    buffers: Vec<wgpu::Buffer>,
}

/// One of the shader's entries, bound to a slab and to what is saved.
pub struct Entry {
    pipeline: wgpu::ComputePipeline,
    /// Of each buffer, at even steps and at odd ones.
    bound: Vec<[wgpu::BindGroup; 2]>,
    groups: [u32; 2],
    rows: Rows,
}

impl Entry {
    pub fn new(
        device: &Device,
        wavefield: &Wavefield,
        (name, saved): (&str, Saved),
        boundaries: &Boundaries,
        checked: bool,
    ) -> Result<Self, EngineError> {
        let slab = only(wavefield)?;
        let places = places(&wavefield.plan, &slab.part.layout, saved);
        let places = device.upload("places of the boundaries", &places, Usage::STORAGE)?;
        let module = BOUNDARIES.module(device, &constants(&slab.part, saved), checked)?;
        let (pipeline, bound) = device.guarded(|| {
            let written = [Some(true), Some(true), Some(true), Some(false)];
            let layout = pipeline::bindings(device, &written);
            let bind = |buffer: &wgpu::Buffer, step| {
                let [now, second, _] = slab.state(step);
                pipeline::bind(device, &layout, &[now, second, buffer, &places])
            };
            let buffers = boundaries.buffers.iter();
            let bound: Vec<_> = buffers.map(|buffer| [bind(buffer, 0), bind(buffer, 1)]).collect();
            (pipeline::pipeline(device, &module, name, &[&layout], 4), bound)
        })?;
        let rows = boundaries.rows;
        let groups = pipeline::rows(rows.words.div_ceil(WORKGROUP));
        Ok(Entry { pipeline, bound, groups, rows })
    }

    /// At a step of this run, for one of those that are saved, counted from the first.
    pub fn encode(
        &self,
        wavefield: &Wavefield,
        pass: &mut wgpu::ComputePass<'_>,
        step: usize,
        row: usize,
    ) {
        let first = (row % self.rows.steps * self.rows.words) as u32;
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bound[row / self.rows.steps][step % 2], &[]);
        wavefield.common.immediates.give(pass, bytemuck::bytes_of(&first));
        let [x, y] = self.groups;
        pass.dispatch_workgroups(x, y, 1);
    }
}

/// The one slab whose boundaries are saved: those of several would be others.
fn only(wavefield: &Wavefield) -> Result<&Slab, EngineError> {
    match &wavefield.slabs[..] {
        [slab] => Ok(slab),
        slabs => Err(EngineError::BoundarySlabs { slabs: slabs.len() }),
    }
}

pub struct Save {
    about: About,
    kept: Arc<Boundaries>,
    entry: Entry,
}

impl Save {
    pub fn new(
        device: &Device,
        wavefield: &Wavefield,
        saved: Saved,
        checked: bool,
    ) -> Result<Self, EngineError> {
        let plan = &wavefield.plan;
        only(wavefield)?;
        let rows = Rows::new(plan, saved, plan.shots.len());
        let buffer = |i| device.zeros("boundaries", rows.values(i), Usage::STORAGE);
        let buffers = (0..rows.buffers()).map(buffer).collect::<Result<_, _>>()?;
        let kept = Arc::new(Boundaries { rows, buffers });
        let entry = Entry::new(device, wavefield, ("save", saved), &kept, checked)?;
        Ok(Save { about: About::new(plan, saved), kept, entry })
    }
}

impl GpuTap for Save {
    fn source_wavefield(&self) -> Option<SourceWavefield> {
        Some(SourceWavefield::new(self.kept.clone(), self.about.clone()))
    }

    fn reads(&self, span: &Span, step: usize) -> bool {
        // The end of a submit is the beginning of the next.
        step < span.end && step > 0 && step <= self.entry.rows.all
    }

    fn encode(
        &self,
        wavefield: &Wavefield,
        _span: &Span,
        step: usize,
        pass: &mut wgpu::ComputePass<'_>,
    ) {
        self.entry.encode(wavefield, pass, step, step - 1);
    }
}
