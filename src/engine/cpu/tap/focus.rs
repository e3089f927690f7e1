//! The largest of what the field was at each node of the model, and when. The twin of `shaders/focus.wgsl`.

use super::{CpuTap, FieldView};
use crate::{
    engine::{EngineError, FocusMap, Observer},
    grid::Axes,
    plan::{Brought, Condition, Focus, Plan},
};
use ndarray::Array3;
use pulp::Arch;
use rayon::prelude::*;

/// Columns that are worth a thread's while.
const FEWEST: usize = 32;

pub(super) struct Focuses {
    arch: Arch,
    focus: Focus,
    brought: Brought,
    shape: (usize, usize, usize),
    /// The columns of the map of each set of shots.
    sets: Vec<Vec<Column>>,
}

/// What is known of the nodes of a column; arrays of their own each, so that a look works on vectors.
#[derive(Clone)]
struct Column {
    largest: Vec<f32>,
    /// Step of the look that found it.
    step: Vec<u32>,
    /// The product of the shots of this look so far; empty without groups.
    product: Vec<f32>,
    /// Sum of squares over this half of a window, and over the half before; empty but for the energy.
    sum: Vec<f32>,
    before: Vec<f32>,
}

/// A look at one shot.
struct Look {
    /// Step of the middle of its window.
    at: u32,
    /// Whether it ends half a window.
    ends_half: bool,
    /// Whether the shot is the first of its set, and the last.
    first: bool,
    last: bool,
}

impl Column {
    fn new(nodes: usize, focus: Focus) -> Self {
        let energy = matches!(focus.condition, Condition::Energy { .. });
        let zeros = |wanted: bool| vec![0.0; if wanted { nodes } else { 0 }];
        Column {
            largest: zeros(true),
            step: vec![0; nodes],
            product: zeros(focus.groups > 1),
            sum: zeros(energy),
            before: zeros(energy),
        }
    }

    /// Takes p of one shot. Inlined, so that it is compiled for the instructions of each [`Arch`].
    #[inline(always)]
    fn look(&mut self, p: &mut [f32], focus: Focus, look: &Look) {
        p.iter_mut().for_each(|p| *p = p.abs());
        if focus.groups > 1 {
            root(p, focus.groups);
            match look.first {
                true => self.product.copy_from_slice(p),
                false => self.product.iter_mut().zip(&*p).for_each(|(product, p)| *product *= p),
            }
            p.copy_from_slice(&self.product);
        }
        if !look.last {
            return;
        }
        if let Condition::Energy { .. } = focus.condition {
            self.sum.iter_mut().zip(&*p).for_each(|(sum, v)| *sum += v * v);
            if !look.ends_half {
                return;
            }
            let halves = self.sum.iter_mut().zip(&mut self.before);
            for (v, (sum, before)) in p.iter_mut().zip(halves) {
                (*v, *before, *sum) = (*sum + *before, *sum, 0.0);
            }
        }
        let kept = self.largest.iter_mut().zip(&mut self.step);
        for (v, (largest, step)) in p.iter().zip(kept) {
            let more = v > largest;
            *largest = if more { *v } else { *largest };
            *step = if more { look.at } else { *step };
        }
    }
}

/// The root of an order; square roots are vectors, powers are not.
#[inline(always)]
fn root(values: &mut [f32], order: usize) {
    if order.is_power_of_two() {
        for _ in 0..order.ilog2() {
            values.iter_mut().for_each(|v| *v = v.sqrt());
        }
    } else {
        values.iter_mut().for_each(|v| *v = v.powf(1.0 / order as f32));
    }
}

impl Focuses {
    pub(super) fn new(plan: &Plan, focus: Focus, brought: Brought) -> Self {
        let n = plan.model_grid.n;
        let map = vec![Column::new(n.z, focus); n.x * n.y];
        let sets = vec![map; plan.shots.len() / focus.groups];
        let (arch, shape) = (Arch::new(), plan.model_grid.shape());
        Focuses { arch, focus, brought, shape, sets }
    }
}

impl CpuTap for Focuses {
    fn read(
        &mut self,
        plan: &Plan,
        step: usize,
        shot: usize,
        field: &dyn FieldView,
        _observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let Focus { every, groups, condition } = self.focus;
        if !step.is_multiple_of(every) {
            return Ok(());
        }
        let (number, focus, arch) = (step / every, self.focus, self.arch);
        let look = Look {
            // The first windows begin before the run.
            at: (number.saturating_sub(condition.delay()) * every) as u32,
            ends_half: condition.ends_half(number),
            first: shot.is_multiple_of(groups),
            last: (shot + 1).is_multiple_of(groups),
        };
        let (n, origin) = (plan.model_grid.n, plan.origin);
        let columns = self.sets[shot / groups].par_iter_mut().with_min_len(FEWEST).enumerate();
        columns.for_each_init(
            || vec![0.0; n.z],
            |p, (at, column)| {
                let (x, y) = (at % n.x, at / n.x);
                field.column(Axes { z: origin.z, x: origin.x + x, y: origin.y + y }, p);
                arch.dispatch(|| column.look(p, focus, &look));
            },
        );
        Ok(())
    }

    fn flush(&mut self, observer: &mut dyn Observer) {
        for (set, columns) in self.sets.iter().enumerate() {
            let largest = columns.iter().flat_map(|column| &column.largest).copied().collect();
            let step = columns.iter().flat_map(|column| &column.step).copied().collect();
            let map = FocusMap {
                set,
                largest: Array3::from_shape_vec(self.shape, largest).expect("as many as nodes"),
                step: Array3::from_shape_vec(self.shape, step).expect("as many as nodes"),
            };
            match &self.brought {
                Brought::Maps => observer.focus(map),
                Brought::Summaries(mask) => observer.summary(map.summary(mask)),
            }
        }
    }
}
