//! One shot's wavefield on the CPU. It is stepped once, or several times in a pass
//! ([`super::front`]).

use super::{
    aligned::Aligned,
    bands::{Output, Part, StepPart},
    coefficients::{self, Coefficients, Fields},
    layers::{Layers, Memory, SharedMemory},
    pool::Pool,
    schedule::Schedule,
    shared::{Shared, Writer},
    tap::{FieldView, peak},
    transposed::{Tables, Transposed},
    vectors::{self, LARGEST_BLOCK},
};
use crate::{
    Layout, ShotState, State, Values,
    grid::Axes,
    plan::{Plan, PointShot, Window},
    share::Share,
};
use rayon::prelude::*;
use std::ops::Range;

/// The fewest values that are worth waking a thread: about ten microseconds of work.
const SMALLEST_CHUNK: usize = 16 * 1024;

/// The model as a step reads it.
pub(crate) struct Medium {
    pub(crate) v2dt2: Aligned,
    /// (v dt)^2 V of a density that varies; empty without one.
    potential: Aligned,
    pub(crate) transposed: Option<Tables>,
}

impl Medium {
    #[allow(unsafe_code, reason = "parts of an array by task; see SAFETY")]
    pub(crate) fn new(plan: &Plan, window: Window, layout: &Layout, pool: &Pool) -> Self {
        let mut v2dt2 = Aligned::zeros(layout.len(), pool);
        let has_potential = plan.medium.density().is_some();
        let mut potential = Aligned::zeros(if has_potential { layout.len() } else { 0 }, pool);
        let arrays = [Shared::new(&mut v2dt2), Shared::new(&mut potential)];
        let (n, pieces) = (layout.n, layout.slowest().0);
        let tasks = pieces.min(pool.threads() * 4);
        pool.run(tasks, |task| {
            // SAFETY: each task has its own pieces.
            let [mut v2dt2, mut potential] = unsafe { arrays.map(|array| array.writer()) };
            for piece in pieces * task / tasks..pieces * (task + 1) / tasks {
                for x in 0..layout.columns() {
                    let node = layout.ahead(Axes { x, ..Axes::default() }, piece);
                    let column = v2dt2.part(layout.index(node), n.z);
                    plan.v2dt2_of_column(window, node, column);
                    if has_potential {
                        let potential = potential.part(layout.index(node), n.z);
                        plan.potential_of_column(window, node, potential);
                        potential.iter_mut().zip(column).for_each(|(v, v2dt2)| *v *= *v2dt2);
                    }
                }
            }
        });
        Medium { v2dt2, potential, transposed: Tables::new(plan) }
    }
}

/// The inputs of a step besides the field.
#[derive(Clone, Copy)]
pub(crate) struct Stepping<'a> {
    pub(crate) step_part: StepPart,
    pub(crate) coefficients: &'a Coefficients,
    pub(crate) medium: &'a Medium,
}

/// One shot's field at two steps and the memory variables of its layers.
pub(crate) struct Wavefield {
    layout: Layout,
    pub(crate) p: Aligned,
    /// The previous field or, with increments, p minus the previous field.
    pub(crate) p_prev: Aligned,
    slowest: Memory,
    middle: Memory,
    along_z: Memory,
    transposed: Transposed,
    /// |p| below this is set to zero.
    pub(crate) negligible: f32,
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
    pub(crate) fn new(
        share: &Share,
        (plan, stepped): (&Plan, &Plan),
        shot: &PointShot,
        layout: &Layout,
        pool: &Pool,
    ) -> Self {
        Wavefield {
            layout: *layout,
            p: Aligned::zeros(layout.len(), pool),
            p_prev: Aligned::zeros(layout.len(), pool),
            slowest: Memory::slowest(stepped, layout, pool),
            middle: Memory::middle(stepped, layout, pool),
            along_z: Memory::along_z(stepped, layout, LARGEST_BLOCK, pool),
            transposed: Transposed::new(plan),
            negligible: coefficients::negligible(&share.plan, shot),
            increments: plan.by_increments,
            before: share.pieces.start * layout.slowest().1,
        }
    }

    pub(crate) fn memory(&self) -> impl Iterator<Item = &[f32]> {
        let layers = [&self.slowest, &self.middle, &self.along_z].into_iter();
        layers.flat_map(Memory::values).chain(self.transposed.values())
    }

    /// The layers' memory variables of some pieces.
    pub(crate) fn memory_of(&mut self, pieces: &Range<usize>) -> impl Iterator<Item = &mut [f32]> {
        let layers = [&mut self.slowest, &mut self.middle, &mut self.along_z].into_iter();
        layers.flat_map(|memory| memory.of_pieces(pieces))
    }

    pub(crate) fn state(&self) -> ShotState {
        ShotState {
            now: Values::F32(self.layout.flat(&self.p)),
            second: Values::F32(self.layout.flat(&self.p_prev)),
            memory: Values::F32(self.memory().flatten().copied().collect()),
        }
    }

    /// From a state that has been checked.
    pub(crate) fn restore(&mut self, state: &State, shot: usize) {
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

    /// Steps every node once, without sources, into p_prev.
    pub(crate) fn step(&mut self, steps: &Schedule, pool: &Pool, stepping: Stepping<'_>) {
        let Stepping { coefficients, medium: Medium { v2dt2, transposed, .. }, .. } = stepping;
        if let Some(tables) = transposed {
            self.transposed.give(tables, &self.layout, &self.p);
        }
        let stepper = self.stepper(stepping);
        steps.run(pool, 1, |step, part| stepper.step(step, part, |_| ()));
        if let Some(tables) = transposed {
            let fourth = &coefficients.fourth;
            let star = (fourth.reach > 0).then_some(&fourth.star);
            let operators = ([&coefficients.second, &coefficients.first], star);
            self.transposed.take(tables, &self.layout, operators, v2dt2, &mut self.p_prev);
        }
    }

    /// The field as tasks step it. The result of an odd number of steps is in p_prev.
    pub(crate) fn stepper<'a>(&'a mut self, stepping: Stepping<'a>) -> Stepper<'a> {
        let layers = [&mut self.slowest, &mut self.middle, &mut self.along_z];
        Stepper {
            stepping,
            layout: &self.layout,
            negligible: self.negligible,
            arrays: [Shared::new(&mut self.p), Shared::new(&mut self.p_prev)],
            layers: layers.map(Memory::shared),
        }
    }

    /// Makes the result of a step, with its sources, in p_prev the present field.
    pub(crate) fn arrive(&mut self, increments: bool) {
        let Wavefield { p, p_prev, .. } = self;
        if !increments {
            return std::mem::swap(p, p_prev);
        }
        let parts = p.par_chunks_mut(SMALLEST_CHUNK).zip(p_prev.par_chunks(SMALLEST_CHUNK));
        parts.for_each(|(p, increments)| p.iter_mut().zip(increments).for_each(|(p, d)| *p += d));
    }
}

/// A shot's field, of which tasks step parts in the order of a [`Schedule`].
pub(crate) struct Stepper<'a> {
    stepping: Stepping<'a>,
    layout: &'a Layout,
    negligible: f32,
    arrays: [Shared<'a>; 2],
    layers: [SharedMemory<'a>; 3],
}

impl Stepper<'_> {
    /// Takes a step of a pass in a part of the field, for a [`Schedule`]. `to` gets the field before
    /// anything else reads the part, to add sources there.
    #[allow(unsafe_code, reason = "threads step parts of the same arrays; see SAFETY")]
    pub(crate) fn step(&self, step: usize, part: &Part, to: impl FnOnce(&mut Writer<'_>)) {
        let Stepper { stepping, layout, negligible, .. } = *self;
        let Stepping { step_part, coefficients, medium } = stepping;
        // Step 0 reads p.
        let [now, next] = [self.arrays[step % 2], self.arrays[(step + 1) % 2]];
        // SAFETY: a schedule runs no two parts at once of which one reads or writes what the other
        // writes. A part writes its columns of `next` and of the layers' memory, and reads `now` as
        // far around it as the stencil reaches.
        let (p, mut output) = unsafe {
            let [slowest, middle, along_z] = self.layers.map(|memory| memory.writer());
            let layers = Layers { slowest, middle, along_z };
            (now.reader(), Output { p_next: next.writer(), layers })
        };
        let Medium { v2dt2, potential, .. } = medium;
        let fields = Fields { layout, coefficients, p, v2dt2, potential, negligible };
        step_part(vectors::arch(), fields, &mut output, part);
        to(&mut output.p_next);
    }
}
