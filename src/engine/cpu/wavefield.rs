//! One shot's wavefield on the CPU. It is stepped once, or several times in a pass
//! ([`super::front`]).

use super::{
    aligned::Aligned,
    bands::{Output, Part, StepPart},
    coefficients::{self, Coefficients, Fields},
    layers::{Layers, Memory, SharedMemory},
    pool::Pool,
    schedule::Schedule,
    shared::{Reader, Shared, Writer},
    tap::{FieldView, peak},
    transposed::{Driving, Operators, Tables, Transposed},
    vectors::{self, LARGEST_BLOCK},
    vti::{VtiArrays, VtiFields, VtiOutput, VtiPart},
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
pub(super) const SMALLEST_CHUNK: usize = 16 * 1024;

/// The model as a step reads it.
pub(crate) struct Medium {
    /// (v dt)^2, with VTI over b.
    pub(crate) v2dt2: Aligned,
    /// (v dt)^2 V of a density that varies; empty without one.
    potential: Aligned,
    pub(crate) vti: Option<VtiArrays>,
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
                    plan.push_of_column(window, node, column);
                    if has_potential {
                        let potential = potential.part(layout.index(node), n.z);
                        plan.potential_of_column(window, node, potential);
                        potential.iter_mut().zip(column).for_each(|(v, v2dt2)| *v *= *v2dt2);
                    }
                }
            }
        });
        let vti = VtiArrays::new(plan, window, layout, pool);
        Medium { v2dt2, potential, vti, transposed: Tables::new(plan) }
    }
}

/// The inputs of a step besides the field.
#[derive(Clone, Copy)]
pub(crate) struct Stepping<'a> {
    pub(crate) step_part: StepPart,
    pub(crate) vti_part: VtiPart,
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
    /// With VTI, the auxiliary field.
    auxiliary: Option<Box<Wavefield>>,
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
        let (n, layout, cells) = (plan.model_grid.n, &self.layout, plan.model_grid.cells());
        let to = to.f32s(plan.medium.fields() * cells);
        for (field, to) in self.fields().zip(to.chunks_mut(cells.max(1))) {
            let columns = to.par_chunks_mut(n.z).enumerate();
            columns.with_min_len(SMALLEST_CHUNK.div_ceil(n.z)).for_each(|(index, to)| {
                let node = Axes { z: 0, x: index % n.x, y: index / n.x };
                let first = layout.index(plan.on_grid(node));
                let (p, second) = (&field.p[first..][..n.z], &field.p_prev[first..][..n.z]);
                for ((to, p), second) in to.iter_mut().zip(p).zip(second) {
                    *to = if field.increments { *second } else { *p - *second };
                }
            });
        }
    }

    fn peak(&self) -> u32 {
        // Includes the zeros of the halo: a linear pass over memory, without computing offsets.
        peak(self.p.iter().copied())
    }
}

/// The Plan of the pieces of a share, and the same as it is stepped.
#[derive(Clone, Copy)]
pub(crate) struct SteppedPlan<'p> {
    pub(crate) plan: &'p Plan,
    /// Without the layers of an adjoint, which are stepped by separate code.
    pub(crate) stepped: &'p Plan,
}

impl Wavefield {
    /// For a shot of a share with this own Plan.
    pub(crate) fn new(
        share: &Share,
        of: SteppedPlan<'_>,
        shot: &PointShot,
        layout: &Layout,
        pool: &Pool,
    ) -> Self {
        let fields = of.plan.medium.fields();
        Wavefield::of(share, of, shot, layout, pool, fields)
    }

    /// So many fields of a shot.
    fn of(
        share: &Share,
        of: SteppedPlan<'_>,
        shot: &PointShot,
        layout: &Layout,
        pool: &Pool,
        fields: usize,
    ) -> Self {
        let SteppedPlan { plan, stepped } = of;
        let auxiliary =
            (fields > 1).then(|| Wavefield::of(share, of, shot, layout, pool, fields - 1));
        Wavefield {
            auxiliary: auxiliary.map(Box::new),
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

    /// Its fields: p and, with VTI, the auxiliary one.
    fn fields(&self) -> impl Iterator<Item = &Wavefield> {
        std::iter::once(self).chain(self.auxiliary.as_deref())
    }

    /// p, or the auxiliary field.
    pub(crate) fn of_shot(&mut self, index: usize) -> &mut Wavefield {
        match index {
            0 => self,
            _ => self.auxiliary.as_deref_mut().expect("VTI has a second field"),
        }
    }

    pub(crate) fn memory(&self) -> impl Iterator<Item = &[f32]> {
        self.fields().flat_map(|field| {
            let layers = [&field.slowest, &field.middle, &field.along_z].into_iter();
            layers.flat_map(Memory::values).chain(field.transposed.values())
        })
    }

    /// The layers' memory variables of some pieces.
    pub(crate) fn memory_of(&mut self, pieces: &Range<usize>) -> impl Iterator<Item = &mut [f32]> {
        let layers = [&mut self.slowest, &mut self.middle, &mut self.along_z].into_iter();
        layers.flat_map(|memory| memory.of_pieces(pieces))
    }

    pub(crate) fn state(&self) -> ShotState {
        ShotState {
            now: Values::F32(self.fields().flat_map(|of| of.layout.flat(&of.p)).collect()),
            second: Values::F32(self.fields().flat_map(|of| of.layout.flat(&of.p_prev)).collect()),
            memory: Values::F32(self.memory().flatten().copied().collect()),
        }
    }

    /// From a state that has been checked.
    pub(crate) fn restore(&mut self, state: &State, shot: usize) {
        let [now, second, memory] = state.arrays(shot, Values::f32);
        self.restore_from(now, second, memory);
    }

    /// From what is left of a state's arrays; the auxiliary field takes what follows its own.
    fn restore_from(
        &mut self,
        now: Option<&[f32]>,
        second: Option<&[f32]>,
        memory: Option<&[f32]>,
    ) {
        let Axes { z, x, y } = self.layout.n;
        self.layout.put(now.map(|values| &values[..z * x * y]), &mut self.p);
        self.layout.put(second.map(|values| &values[..z * x * y]), &mut self.p_prev);
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
        if let Some(auxiliary) = &mut self.auxiliary {
            auxiliary.restore_from(
                now.map(|values| &values[z * x * y..]),
                second.map(|values| &values[z * x * y..]),
                memory.map(|values| &values[before..]),
            );
        }
    }

    /// Steps every node once, without sources, into p_prev.
    pub(crate) fn step(&mut self, steps: &Schedule, pool: &Pool, stepping: Stepping<'_>) {
        let Stepping { coefficients, medium: Medium { v2dt2, vti, transposed, .. }, .. } = stepping;
        if let Some(tables) = transposed {
            self.give(tables, vti.as_ref());
        }
        let stepper = self.stepper(stepping);
        steps.run(pool, 1, |step, part| stepper.step(step, part, |_| ()));
        if let Some(tables) = transposed {
            let fourth = &coefficients.fourth;
            let star = (fourth.reach > 0).then_some(&fourth.star);
            let operators = ([&coefficients.second, &coefficients.first], star);
            self.take(tables, operators, v2dt2);
        }
    }

    /// Advances the memory of an adjoint's layers.
    fn give(&mut self, tables: &Tables, vti: Option<&VtiArrays>) {
        let Wavefield { layout, p, transposed, auxiliary, .. } = self;
        match (vti, auxiliary) {
            (Some(vti), Some(auxiliary)) => {
                let now = [&p[..], &auxiliary.p[..]];
                let product = |of| Driving::Product { vti, now, of };
                transposed.give(tables, layout, &product(0));
                auxiliary.transposed.give(tables, layout, &product(1));
            }
            _ => transposed.give(tables, layout, &Driving::Field(p)),
        }
    }

    /// Adds the terms of an adjoint's layers to the field that a step made.
    fn take(&mut self, tables: &Tables, operators: Operators<'_>, v2dt2: &[f32]) {
        self.transposed.take(tables, &self.layout, operators, v2dt2, &mut self.p_prev);
        if let Some(auxiliary) = &mut self.auxiliary {
            auxiliary.take(tables, operators, v2dt2);
        }
    }

    /// The field as tasks step it. The result of an odd number of steps is in p_prev.
    pub(crate) fn stepper<'a>(&'a mut self, stepping: Stepping<'a>) -> Stepper<'a> {
        let Wavefield { layout, negligible, .. } = *self;
        let Wavefield { p, p_prev, slowest, middle, along_z, auxiliary, .. } = self;
        let layers = [slowest, middle, along_z].map(Memory::shared);
        let field = SharedField { arrays: [Shared::new(p), Shared::new(p_prev)], layers };
        let auxiliary = auxiliary.as_deref_mut().map(Wavefield::shared);
        Stepper { stepping, layout, negligible, field, auxiliary }
    }

    fn shared(&mut self) -> SharedField<'_> {
        let Wavefield { p, p_prev, slowest, middle, along_z, .. } = self;
        let layers = [slowest, middle, along_z].map(Memory::shared);
        SharedField { arrays: [Shared::new(p), Shared::new(p_prev)], layers }
    }

    /// Makes the result of a step, with its sources, in p_prev the present field.
    pub(crate) fn arrive(&mut self, increments: bool) {
        if let Some(auxiliary) = &mut self.auxiliary {
            auxiliary.arrive(increments);
        }
        let Wavefield { p, p_prev, .. } = self;
        if !increments {
            return std::mem::swap(p, p_prev);
        }
        let parts = p.par_chunks_mut(SMALLEST_CHUNK).zip(p_prev.par_chunks(SMALLEST_CHUNK));
        parts.for_each(|(p, increments)| p.iter_mut().zip(increments).for_each(|(p, d)| *p += d));
    }
}

/// A field and its layers' memory, which several tasks step in parts.
struct SharedField<'a> {
    arrays: [Shared<'a>; 2],
    layers: [SharedMemory<'a>; 3],
}

/// A shot's field, of which tasks step parts in the order of a [`Schedule`].
pub(crate) struct Stepper<'a> {
    stepping: Stepping<'a>,
    layout: Layout,
    negligible: f32,
    field: SharedField<'a>,
    /// With VTI.
    auxiliary: Option<SharedField<'a>>,
}

impl Stepper<'_> {
    /// Takes a step of a pass in a part of the field, for a [`Schedule`]. `to` gets the field before
    /// anything else reads the part, to add sources there.
    #[allow(unsafe_code, reason = "threads step parts of the same arrays; see SAFETY")]
    pub(crate) fn step(&self, step: usize, part: &Part, to: impl FnOnce(&mut Writer<'_>)) {
        let Stepper { stepping, layout, negligible, field, auxiliary } = self;
        let Stepping { step_part, vti_part, coefficients, medium } = *stepping;
        let negligible = *negligible;
        // SAFETY: a schedule runs no two parts at once of which one reads or writes what the other
        // writes. A part writes its columns of `next` and of the layers' memory, and reads `now` as
        // far around it as the stencil reaches.
        let ((p, p_next, layers), auxiliary) =
            unsafe { (field.parts(step), auxiliary.as_ref().map(|of| of.parts(step))) };
        let Medium { v2dt2, potential, vti, .. } = medium;
        if let (Some(vti), Some((m, m_next, layers_of_m))) = (vti, auxiliary) {
            let (now, layers) = ([p, m], [layers, layers_of_m]);
            let fields = VtiFields { layout, coefficients, now, push: v2dt2, vti, negligible };
            let mut output = VtiOutput { next: [p_next, m_next], layers };
            vti_part(vectors::arch(), fields, &mut output, part);
            let [mut p_next, _] = output.next;
            return to(&mut p_next);
        }
        let mut output = Output { p_next, layers };
        let fields = Fields { layout, coefficients, p, v2dt2, potential, negligible };
        step_part(vectors::arch(), fields, &mut output, part);
        to(&mut output.p_next);
    }
}

impl<'a> SharedField<'a> {
    /// The field as a step reads it, and what that step writes.
    ///
    /// # Safety
    ///
    /// As [`Shared::reader`] and [`Shared::writer`].
    #[allow(unsafe_code, reason = "as Shared::writer")]
    unsafe fn parts(&self, step: usize) -> (Reader<'a>, Writer<'a>, Layers<'a>) {
        // Step 0 reads p.
        let [now, next] = [self.arrays[step % 2], self.arrays[(step + 1) % 2]];
        // SAFETY: as the caller promises.
        unsafe {
            let [slowest, middle, along_z] = self.layers.map(|memory| memory.writer());
            (now.reader(), next.writer(), Layers { slowest, middle, along_z })
        }
    }
}
