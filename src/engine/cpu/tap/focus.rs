//! The largest of what the field was at each node of the model, and when. The twin of `shaders/focus.wgsl`.

use super::{CpuTap, FieldView};
use crate::{
    engine::{EngineError, FocusMap, Observer},
    grid::Axes,
    plan::{Condition, Focus, Plan},
};
use ndarray::Array3;
use rayon::prelude::*;

pub(super) struct Focuses {
    focus: Focus,
    shape: (usize, usize, usize),
    sets: Vec<Vec<Node>>,
}

/// What is known of a node.
#[derive(Clone, Copy, Default)]
struct Node {
    /// The value of this look, of as many shots as were seen.
    value: f32,
    /// Sum of squares over this half of a window and over the half before.
    sum: f32,
    before: f32,
    largest: f32,
    /// Step of the look that found it.
    step: u32,
}

impl Node {
    fn keep(&mut self, value: f32, step: u32) {
        if value > self.largest {
            (self.largest, self.step) = (value, step);
        }
    }

    fn look(&mut self, condition: Condition, ends_half: bool, step: u32) {
        match condition {
            Condition::Amplitude => self.keep(self.value, step),
            Condition::Energy { .. } => {
                self.sum += self.value * self.value;
                if ends_half {
                    self.keep(self.sum + self.before, step);
                    (self.before, self.sum) = (self.sum, 0.0);
                }
            }
        }
    }
}

impl Focuses {
    pub(super) fn new(plan: &Plan, focus: Focus) -> Self {
        let nodes = vec![Node::default(); plan.model_grid.cells()];
        let sets = vec![nodes; plan.shots.len() / focus.groups];
        Focuses { focus, shape: plan.model_grid.shape(), sets }
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
        let look = step / every;
        // The middle of its window; the first windows begin before the run.
        let at = look.saturating_sub(condition.delay()) * every;
        let (n, origin) = (plan.model_grid.n, plan.origin);
        let (first, last) = (shot.is_multiple_of(groups), (shot + 1).is_multiple_of(groups));
        let ends_half = condition.ends_half(look);
        let columns = self.sets[shot / groups].par_chunks_mut(n.z).enumerate();
        columns.for_each_init(
            || vec![0.0; n.z],
            |p, (column, nodes)| {
                let (x, y) = (column % n.x, column / n.x);
                field.column(Axes { z: origin.z, x: origin.x + x, y: origin.y + y }, p);
                for (node, p) in nodes.iter_mut().zip(p) {
                    let p = if groups == 1 { p.abs() } else { p.abs().powf(1.0 / groups as f32) };
                    node.value = if first { p } else { node.value * p };
                    if last {
                        node.look(condition, ends_half, at as u32);
                    }
                }
            },
        );
        Ok(())
    }

    fn flush(&mut self, observer: &mut dyn Observer) {
        for (set, nodes) in self.sets.iter().enumerate() {
            let largest = nodes.iter().map(|node| node.largest).collect();
            let step = nodes.iter().map(|node| node.step).collect();
            observer.focus(FocusMap {
                set,
                largest: Array3::from_shape_vec(self.shape, largest).expect("as many as nodes"),
                step: Array3::from_shape_vec(self.shape, step).expect("as many as nodes"),
            });
        }
    }
}
