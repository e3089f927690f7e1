//! The largest value of the field at each node of the model, and its time. The twin of
//! `shaders/focus.wgsl`.

use super::{CpuTap, Moment, Whole};
use crate::{
    EngineError, FocusMap, Observer,
    grid::Axes,
    plan::{Condition, Focus, FocusOutput, Look, Plan, QUARTERS},
    simd::dispatch,
};
use ndarray::Array3;
use pulp::Arch;
use rayon::prelude::*;
use std::{array, iter};

/// Nodes that are written or skipped as a group: one or two cache lines.
const LINE: usize = 32;
/// Nodes per task; their maps stay in the thread's cache.
const PIECE: usize = 4096;

pub(super) struct Focuses {
    arch: Arch,
    focus: Focus,
    output: FocusOutput,
    shape: (usize, usize, usize),
    /// One for each set of shots.
    maps: Vec<Map>,
}

/// The maps of each node of the model, `[y][x][z]`, as separate arrays for vector code.
#[derive(Clone)]
struct Map {
    largest: Vec<f32>,
    /// The step at which it was found.
    step: Vec<u32>,
    /// The product of the shots so far at this step; empty without groups.
    product: Vec<f32>,
    /// Sums of squares over the last quarters of a window, in a ring; only for the energy.
    sums: [Vec<f32>; QUARTERS],
}

/// The maps of some columns.
struct Piece<'a> {
    largest: &'a mut [f32],
    step: &'a mut [u32],
    product: &'a mut [f32],
    sums: [&'a mut [f32]; QUARTERS],
}

/// Position of a shot in its set: first, last.
#[derive(Clone, Copy)]
struct Place {
    first: bool,
    last: bool,
}

impl Map {
    fn new(nodes: usize, focus: Focus) -> Self {
        let energy = matches!(focus.condition, Condition::Energy { .. });
        let zeros = |wanted: bool| vec![0.0; if wanted { nodes } else { 0 }];
        Map {
            largest: zeros(true),
            step: vec![0; nodes],
            product: zeros(focus.groups > 1),
            sums: array::from_fn(|_| zeros(energy)),
        }
    }

    /// Splits into pieces of `nodes` nodes; empty arrays give empty pieces.
    fn pieces(&mut self, nodes: usize) -> Vec<Piece<'_>> {
        fn of(values: &mut [f32], nodes: usize) -> impl Iterator<Item = &mut [f32]> {
            values.chunks_mut(nodes).chain(iter::repeat_with(Default::default))
        }
        let Map { largest, step, product, sums } = self;
        let kept = largest.chunks_mut(nodes).zip(step.chunks_mut(nodes));
        let mut sums = sums.each_mut().map(|sum| of(sum, nodes));
        kept.zip(of(product, nodes))
            .map(|((largest, step), product)| {
                let sums = sums.each_mut().map(|sums| sums.next().expect("they do not end"));
                Piece { largest, step, product, sums }
            })
            .collect()
    }
}

impl Piece<'_> {
    /// Includes p of one shot. Inlined, to be compiled for the instructions of each [`Arch`].
    #[inline(always)]
    fn look(&mut self, p: &mut [f32], focus: Focus, look: Look, place: Place) {
        p.iter_mut().for_each(|p| *p = p.abs());
        if focus.groups > 1 {
            root(p, focus.groups);
            match place.first {
                true => self.product.copy_from_slice(p),
                false => self.product.iter_mut().zip(&*p).for_each(|(product, p)| *product *= p),
            }
            p.copy_from_slice(self.product);
        }
        if !place.last {
            return;
        }
        match focus.condition {
            Condition::Amplitude => self.amplitude(p, look.step as u32),
            Condition::Energy { .. } => self.energy(p, look, focus.quarter_steps() as f32),
        }
    }

    #[inline(always)]
    fn amplitude(&mut self, p: &[f32], at: u32) {
        let kept = self.largest.chunks_mut(LINE).zip(self.step.chunks_mut(LINE));
        for (p, (largest, step)) in p.chunks(LINE).zip(kept) {
            // Most nodes have seen larger values, so nothing is written.
            if !p.iter().zip(&*largest).fold(false, |any, (v, largest)| any | (v > largest)) {
                continue;
            }
            for (v, (largest, step)) in p.iter().zip(largest.iter_mut().zip(step)) {
                let more = v > largest;
                *largest = if more { *v } else { *largest };
                *step = if more { at } else { *step };
            }
        }
    }

    /// Adds to the sum of a quarter; at its end compares three windows, `apart` steps apart.
    #[inline(always)]
    fn energy(&mut self, p: &[f32], look: Look, apart: f32) {
        let squares = p.iter().map(|v| v * v);
        for (sum, square) in self.sums[look.quarter].iter_mut().zip(squares) {
            *sum = if look.begins { square } else { square + *sum };
        }
        if !look.ends {
            return;
        }
        let nodes = p.len();
        let quarter =
            |before: usize| &self.sums[(look.quarter + QUARTERS - before) % QUARTERS][..nodes];
        let [q0, q1, q2, q3, q4, q5] = array::from_fn(quarter);
        let (largest, step) = (&mut self.largest[..nodes], &mut self.step[..nodes]);
        for i in 0..nodes {
            let newest = (q0[i] + q3[i]) + 3.0 * (q1[i] + q2[i]);
            let middle = (q1[i] + q4[i]) + 3.0 * (q2[i] + q3[i]);
            let oldest = (q2[i] + q5[i]) + 3.0 * (q3[i] + q4[i]);
            let grows = newest > middle;
            let bend = (oldest - middle) + (newest - middle);
            let slope = oldest - newest;
            let vertex = if bend < 0.0 { 0.5 * slope / bend } else { 0.0 };
            let summit = if middle >= oldest { middle - 0.25 * slope * vertex } else { 0.0 };
            let v = if grows { newest } else { summit };
            let shift = if grows { 0.0 } else { ((vertex - 1.0) * apart + 0.5).floor() };
            let more = v > largest[i];
            largest[i] = if more { v } else { largest[i] };
            step[i] = if more { (look.step + shift as i32).max(0) as u32 } else { step[i] };
        }
    }
}

/// The root of an order. Square roots have vector instructions, powers do not.
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
    pub(super) fn new(plan: &Plan, focus: Focus, output: FocusOutput) -> Self {
        let map = Map::new(plan.model_grid.cells(), focus);
        let maps = vec![map; plan.shots.len() / focus.groups];
        let (arch, shape) = (Arch::new(), plan.model_grid.shape());
        Focuses { arch, focus, output, shape, maps }
    }
}

impl CpuTap for Focuses {
    fn reads(&self, _plan: &Plan, step: usize) -> bool {
        step.is_multiple_of(self.focus.every)
    }

    fn read(&mut self, now: &Whole<'_>, _: &mut dyn Observer) -> Result<(), EngineError> {
        let Moment { plan, step, shot, field } = *now;
        let Focus { groups, .. } = self.focus;
        let (focus, arch) = (self.focus, self.arch);
        let look = focus.look(step);
        let place =
            Place { first: shot.is_multiple_of(groups), last: (shot + 1).is_multiple_of(groups) };
        let n = plan.model_grid.n;
        let columns = (PIECE / n.z).max(1);
        let pieces = self.maps[shot / groups].pieces(columns * n.z);
        pieces.into_par_iter().enumerate().for_each_init(
            || vec![0.0; columns * n.z],
            |p, (number, mut piece)| {
                let p = &mut p[..piece.largest.len()];
                for (at, p) in (number * columns..).zip(p.chunks_mut(n.z)) {
                    field.model_column(plan, at, p);
                    let first = plan.on_grid(Axes { z: 0, x: at % n.x, y: at / n.x });
                    plan.make_pressure_of_column(shot, first, p);
                }
                dispatch(arch, || piece.look(p, focus, look, place));
            },
        );
        Ok(())
    }

    fn flush(&mut self, observer: &mut dyn Observer) {
        for (set, Map { largest, step, .. }) in self.maps.iter().enumerate() {
            // The run may continue from an earlier state.
            let largest = Array3::from_shape_vec(self.shape, largest.clone());
            let step = Array3::from_shape_vec(self.shape, step.clone());
            let map = FocusMap {
                set,
                largest: largest.expect("as many as nodes"),
                step: step.expect("as many as nodes"),
            };
            match &self.output {
                FocusOutput::Maps => observer.focus(map),
                FocusOutput::Summaries(mask) => observer.summary(map.summary(mask)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_of_any_order() {
        for order in 1..=6 {
            let mut values = [0.0, 1.0, 2f32.powi(order), 3f32.powi(order)];
            root(&mut values, order as usize);
            for (ours, known) in values.iter().zip([0.0, 1.0, 2.0, 3.0]) {
                assert!((ours - known).abs() < 1e-6, "{order}: {values:?}");
            }
        }
    }
}
