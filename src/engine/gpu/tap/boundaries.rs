//! Saves the field on the ring of nodes just outside the model, for a run that reconstructs the
//! wave backward in time.

use super::{Demand, GpuTap, Span};
use crate::{
    Arrays, EngineError, SourceWavefield,
    gpu::{
        device::Device,
        part::Part,
        pipeline::{self, Bound},
        shader,
        slab::Slab,
        wavefield::Wavefield,
    },
    grid::Axes,
    plan::{Plan, Saved},
    source_wavefield::About,
};
use std::sync::Arc;
use wgpu::{BufferUsages as Usage, ComputePass};

static BOUNDARIES: shader::Source = shader::source!("boundaries");

const WORKGROUP: usize = 256;
/// Bytes per buffer, rounded down to whole steps: every device can bind it.
const BUFFER: usize = 128 << 20;

/// The layout of a run's steps in buffers.
#[derive(Clone, Copy)]
pub struct Rows {
    /// Words of all shots at a step.
    words: usize,
    /// Steps per buffer, and in all.
    steps: usize,
    all: usize,
}

impl Rows {
    fn new((whole, part): (&Plan, &Part), saved: Saved, shots: usize) -> Self {
        let words = shots * saved.words(places(whole, part).count());
        let steps = (BUFFER / (4 * words.max(1))).max(1);
        Rows { words, steps, all: whole.saved_steps().len() }
    }

    fn buffers(self) -> usize {
        self.all.div_ceil(self.steps)
    }

    /// Values of one of the buffers.
    fn values(self, buffer: usize) -> usize {
        self.words * self.steps.min(self.all - buffer * self.steps)
    }
}

pub fn demand(of: (&Plan, &Part), saved: Saved, shots: usize) -> Demand {
    let rows = Rows::new(of, saved, shots);
    let bytes = 4 * (rows.words * rows.steps.min(rows.all)) as u64;
    let name = "the boundaries of the source wavefield";
    Demand {
        bound: vec![Arrays { name, count: rows.buffers() as u64, bytes }],
        ..Demand::default()
    }
}

fn constants((plan, part): (&Plan, &Part), saved: Saved) -> shader::Constants {
    let scale = match saved {
        Saved::Single => 1.0f32,
        Saved::Half { scale } => scale,
    };
    shader::Constants::default()
        .int("FIELD", part.layout.len())
        .flag("INCREMENTS", plan.by_increments)
        .int("WG", WORKGROUP)
        .int("SHOTS", plan.shots.len())
        // A divisor; without a ring, nothing is dispatched.
        .int("WORDS", saved.words(places(plan, part).count()).max(1))
        .flag("HALVES", saved != Saved::Single)
        .int("SCALE", scale.to_bits() as usize)
}

pub fn shaders(of: (&Plan, &Part), saved: Saved) -> Vec<(&'static str, String)> {
    vec![(BOUNDARIES.name, BOUNDARIES.specialised(&constants(of, saved)))]
}

/// The offsets of the ring's nodes that lie in a part's field.
fn places(whole: &Plan, part: &Part) -> impl Iterator<Item = u32> {
    let here = |first: Axes<usize>| {
        part.pieces.contains(if whole.grid.is_volume() { &first.y } else { &first.x })
    };
    let pieces = whole.ring().pieces.into_iter().filter(move |piece| here(piece.first));
    pieces.flat_map(|piece| {
        let first = part.index(piece.first);
        (first..first + piece.len).map(|place| place as u32)
    })
}

/// The saved values, slab by slab.
pub struct Boundaries(Vec<OfSlab>);

/// Some steps per buffer.
struct OfSlab {
    rows: Rows,
    buffers: Vec<wgpu::Buffer>,
}

/// An entry point of the shader, bound to each slab that has saved values, and to each of their
/// buffers at even and at odd steps.
pub struct Entry(Vec<(usize, Rows, Bound)>);

impl Entry {
    pub fn new(
        device: &Device,
        wavefield: &Wavefield,
        (name, saved): (&str, Saved),
        boundaries: &Boundaries,
        checked: bool,
    ) -> Result<Self, EngineError> {
        if boundaries.0.len() != wavefield.slabs.len() {
            return Err(EngineError::NoSourceWavefield);
        }
        let slabs = wavefield.slabs.iter().zip(&boundaries.0).enumerate();
        let bound = slabs.filter(|(_, (_, of))| of.rows.words > 0).map(|(i, (slab, of))| {
            let bound = bound(device, (&wavefield.plan, slab), (name, saved), of, checked);
            bound.map(|bound| (i, of.rows, bound))
        });
        Ok(Entry(bound.collect::<Result<_, _>>()?))
    }

    /// Runs at a step of this run for a saved step, counted from the first, in some of the slabs.
    pub fn encode(
        &self,
        wavefield: &Wavefield,
        pass: &mut ComputePass<'_>,
        (step, row): (usize, usize),
        of: impl Fn(usize) -> bool,
    ) {
        for (_, rows, bound) in self.0.iter().filter(|(slab, ..)| of(*slab)) {
            let first = (row % rows.steps * rows.words) as u32;
            let (group, first) = (2 * (row / rows.steps) + step % 2, bytemuck::bytes_of(&first));
            bound.encode_with(&wavefield.common.immediates, pass, group, first);
        }
    }
}

fn bound(
    device: &Device,
    (whole, slab): (&Plan, &Slab),
    (name, saved): (&str, Saved),
    OfSlab { rows, buffers }: &OfSlab,
    checked: bool,
) -> Result<Bound, EngineError> {
    let mut places: Vec<_> = places(whole, &slab.part).collect();
    if saved != Saved::Single {
        // A dummy offset if a word holds two values.
        places.resize(2 * saved.words(places.len()), 0);
    }
    let places = device.upload("places of the boundaries", &places, Usage::STORAGE)?;
    let bind = |buffer, step| {
        let [now, second, _] = slab.state(step);
        [now, second, buffer, &places]
    };
    let groups: Vec<_> = buffers.iter().flat_map(|to| [bind(to, 0), bind(to, 1)]).collect();
    let source = (&BOUNDARIES, name, constants((whole, &slab.part), saved));
    let [x, y] = pipeline::rows(rows.words.div_ceil(WORKGROUP));
    Bound::new(device, source, (&[true, true, true, false], &groups), ([x, y, 1], 4), checked)
}

pub struct Save {
    about: About,
    /// Number of saved steps.
    steps: usize,
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
        let of_slab = |slab: &Slab| {
            let rows = Rows::new((plan, &slab.part), saved, plan.shots.len());
            let buffer = |i| device.zeros("boundaries", rows.values(i), Usage::STORAGE);
            let buffers = (0..rows.buffers()).map(buffer).collect::<Result<_, _>>()?;
            Ok(OfSlab { rows, buffers })
        };
        let slabs = wavefield.slabs.iter().map(of_slab).collect::<Result<_, EngineError>>()?;
        let kept = Arc::new(Boundaries(slabs));
        let entry = Entry::new(device, wavefield, ("save", saved), &kept, checked)?;
        Ok(Save { about: About::new(plan, saved), steps: plan.saved_steps().len(), kept, entry })
    }
}

impl GpuTap for Save {
    fn source_wavefield(&self) -> Option<SourceWavefield> {
        Some(SourceWavefield::new(self.kept.clone(), self.about.clone()))
    }

    fn reads(&self, span: &Span, step: usize) -> bool {
        // The end of a submit is the beginning of the next.
        step < span.end && step > 0 && step <= self.steps
    }

    fn encode(&self, wavefield: &Wavefield, _: &Span, step: usize, pass: &mut ComputePass<'_>) {
        self.entry.encode(wavefield, pass, (step, step - 1), |_| true);
    }
}
