//! One shot's wavefield on the CPU. It is stepped once, or several times in a pass
//! ([`super::front`]).

use super::{
    aligned::Aligned,
    bands::{Band, Part, StepBand},
    coefficients::{self, Coefficients, Fields},
    front::Front,
    layers::{BandLayers, Memory, split},
    tap::{FieldView, peak},
    transposed::{Tables, Transposed},
    vectors::{self, LARGEST_BLOCK},
};
use crate::{
    Layout, ShotState, State, Values,
    grid::Axes,
    plan::{Plan, PointShot},
    share::Share,
};
use rayon::prelude::*;
use std::ops::Range;

/// The fewest nodes that are worth waking a thread: about ten microseconds of work.
pub const SMALLEST_BAND: usize = 16 * 1024;

/// The model as a step reads it.
pub struct Medium {
    pub v2dt2: Aligned,
    pub transposed: Option<Tables>,
}

impl Medium {
    pub fn new(plan: &Plan, model: usize, layout: &Layout) -> Self {
        let v2dt2 = layout.padded(|node| plan.v2dt2(model, node) as f32);
        Medium { v2dt2: v2dt2.into(), transposed: Tables::new(plan) }
    }
}

/// The inputs of a step besides the field.
#[derive(Clone, Copy)]
pub struct Stepping<'a> {
    pub step_band: StepBand,
    pub coefficients: &'a Coefficients,
    pub medium: &'a Medium,
}

/// One shot's field at two steps and the memory variables of its layers.
pub struct Wavefield {
    layout: Layout,
    pub p: Aligned,
    /// The previous field or, with increments, p minus the previous field.
    pub p_prev: Aligned,
    slowest: Memory,
    middle: Memory,
    along_z: Memory,
    transposed: Transposed,
    /// |p| below this is set to zero.
    pub negligible: f32,
    increments: bool,
    /// Difference between the offset of a node here and in a field of the whole.
    before: usize,
}

impl FieldView for Wavefield {
    fn at(&self, node: Axes<usize>) -> f32 {
        self.p[self.layout.index(node)]
    }

    fn at_receiver(&self, node: Axes<usize>) -> f32 {
        self.p[self.layout.index(node) - self.before]
    }

    fn column(&self, first: Axes<usize>, to: &mut [f32]) {
        let place = self.layout.index(first);
        to.copy_from_slice(&self.p[place..place + to.len()]);
    }

    fn differences(&self, plan: &Plan, to: &mut Values) {
        let (n, layout) = (plan.model_grid.n, &self.layout);
        let columns = to.f32s(plan.model_grid.cells()).par_chunks_mut(n.z).enumerate();
        columns.for_each(|(index, to)| {
            let node = Axes { z: 0, x: index % n.x, y: index / n.x };
            let first = layout.index(plan.on_grid(node));
            let (p, second) = (&self.p[first..][..n.z], &self.p_prev[first..][..n.z]);
            for ((to, p), second) in to.iter_mut().zip(p).zip(second) {
                *to = if self.increments { *second } else { *p - *second };
            }
        });
    }

    fn peak(&self) -> u32 {
        // Includes the zeros of the halo: a linear pass over memory, without computing offsets.
        peak(self.p.iter().copied())
    }
}

impl Wavefield {
    /// For a shot of a share with this own Plan.
    pub fn new(
        share: &Share,
        (plan, stepped): (&Plan, &Plan),
        shot: &PointShot,
        layout: &Layout,
    ) -> Self {
        Wavefield {
            layout: *layout,
            p: Aligned::zeros(layout.len()),
            p_prev: Aligned::zeros(layout.len()),
            slowest: Memory::slowest(stepped, layout),
            middle: Memory::middle(stepped, layout),
            along_z: Memory::along_z(stepped, layout, LARGEST_BLOCK),
            transposed: Transposed::new(plan),
            negligible: coefficients::negligible(&share.plan, shot),
            increments: plan.by_increments,
            before: share.pieces.start * layout.slowest().1,
        }
    }

    pub fn memory(&self) -> impl Iterator<Item = &[f32]> {
        let layers = [&self.slowest, &self.middle, &self.along_z].into_iter();
        layers.flat_map(Memory::values).chain(self.transposed.values())
    }

    /// The layers' memory variables of some pieces.
    pub fn memory_of(&mut self, pieces: &Range<usize>) -> impl Iterator<Item = &mut [f32]> {
        let layers = [&mut self.slowest, &mut self.middle, &mut self.along_z].into_iter();
        layers.flat_map(|memory| memory.of_pieces(pieces))
    }

    pub fn state(&self) -> ShotState {
        ShotState {
            now: Values::F32(self.layout.flat(&self.p)),
            second: Values::F32(self.layout.flat(&self.p_prev)),
            memory: Values::F32(self.memory().flatten().copied().collect()),
        }
    }

    /// From a state that has been checked.
    pub fn restore(&mut self, state: &State, shot: usize) {
        let [now, second, memory] = state.arrays(shot, Values::f32);
        self.layout.put(now, &mut self.p);
        self.layout.put(second, &mut self.p_prev);
        let mut before = 0;
        let all = [&mut self.slowest, &mut self.middle, &mut self.along_z];
        let values = all.into_iter().flat_map(Memory::values_mut);
        for values in values.chain(self.transposed.values_mut()) {
            match memory {
                Some(memory) => values.copy_from_slice(&memory[before..][..values.len()]),
                None => values.fill(0.0),
            }
            before += values.len();
        }
    }

    /// The layers' memory in ascending bands of pieces.
    fn layers<'a>(
        [slowest, middle, along_z]: [&'a mut Memory; 3],
        bands: &[Range<usize>],
    ) -> Vec<BandLayers<'a>> {
        let within = middle.bands_within(bands).into_iter().zip(along_z.bands_within(bands));
        let all = slowest.bands_along(bands).into_iter().zip(within);
        all.map(|(slowest, (middle, along_z))| BandLayers { slowest, middle, along_z }).collect()
    }

    /// Steps every node once, without sources, into p_prev.
    pub fn step(&mut self, bands: &[Range<usize>], stepping: Stepping<'_>) {
        let Stepping { step_band, coefficients, medium } = stepping;
        let layout = &self.layout;
        let Medium { v2dt2, transposed } = medium;
        if let Some(tables) = transposed {
            self.transposed.give(tables, layout, &self.p);
        }
        let negligible = self.negligible;
        let fields = Fields { layout, coefficients, p: &self.p, from: 0, v2dt2, negligible };
        let width = bands.first().map_or(1, Range::len);
        let (_, piece) = layout.slowest();
        let p_next = self.p_prev[layout.pieces()].chunks_mut(width * piece);
        let layers = Self::layers([&mut self.slowest, &mut self.middle, &mut self.along_z], bands);
        let arch = vectors::arch();
        let bands = bands.par_iter().zip(p_next.collect::<Vec<_>>()).zip(layers);
        bands.for_each(|((pieces, p_next), mut layers)| {
            let band = Band { first: pieces.start, p_next, layers: &mut layers };
            let part = Part { pieces: pieces.clone(), columns: 0..layout.columns() };
            step_band(arch, fields, band, &part);
        });
        if let Some(tables) = transposed {
            let fourth = &coefficients.fourth;
            let star = (fourth.reach > 0).then_some(&fourth.star);
            let operators = ([&coefficients.second, &coefficients.first], star);
            self.transposed.take(tables, layout, operators, v2dt2, &mut self.p_prev);
        }
    }

    /// Steps every node several times. `to` gets each part of each step before anything reads it,
    /// to add sources: the step of the pass, the part, and the values from an offset on.
    pub fn pass(
        &mut self,
        (front, steps): (&Front, usize),
        stepping: Stepping<'_>,
        to: impl Fn(usize, &Part, &mut [f32], usize) + Sync,
    ) {
        let Stepping { step_band, coefficients, medium: Medium { v2dt2, .. } } = stepping;
        let (layout, negligible, arch) = (&self.layout, self.negligible, vectors::arch());
        for blocks in front.phases(steps) {
            let own: Vec<_> = blocks.iter().map(|block| block.own.clone()).collect();
            let places: Vec<_> = own.iter().map(|own| layout.of_pieces(own)).collect();
            let p = split(&mut self.p, places.iter().cloned());
            let p_prev = split(&mut self.p_prev, places.iter().cloned());
            let layers =
                Self::layers([&mut self.slowest, &mut self.middle, &mut self.along_z], &own);
            let blocks = blocks.par_iter().zip(places).zip(p.into_par_iter().zip(p_prev));
            blocks.zip(layers).for_each(|(((block, places), (p, p_prev)), mut layers)| {
                let (first, from) = (block.own.start, places.start);
                let begins = layout.of_piece(first) - from;
                front.sweep(block, |step, part| {
                    // Step 0 reads p.
                    let (p, p_next) =
                        if step % 2 == 0 { (&*p, &mut *p_prev) } else { (&*p_prev, &mut *p) };
                    let fields = Fields { layout, coefficients, p, from, v2dt2, negligible };
                    let band = Band { first, p_next: &mut p_next[begins..], layers: &mut layers };
                    step_band(arch, fields, band, part);
                    to(step, part, p_next, from);
                });
            });
        }
        if steps % 2 == 1 {
            std::mem::swap(&mut self.p, &mut self.p_prev);
        }
    }

    /// Makes the result of a step, with its sources, in p_prev the present field.
    pub fn arrive(&mut self, increments: bool) {
        let Wavefield { p, p_prev, .. } = self;
        if !increments {
            return std::mem::swap(p, p_prev);
        }
        let parts = p.par_chunks_mut(SMALLEST_BAND).zip(p_prev.par_chunks(SMALLEST_BAND));
        parts.for_each(|(p, increments)| p.iter_mut().zip(increments).for_each(|(p, d)| *p += d));
    }
}
