//! Blocks of a field that no wave has reached, which a step leaves out: shaders/lib/sleep.wgsl.
//!
//! Their flags lie behind the fields of all shots, a quad for each block.

use super::{part::Part, shader::Constants};
use crate::{
    Layout,
    grid::Axes,
    plan::{Plan, PointShot},
    stencil::MAX_RADIUS,
};

/// When blocks sleep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sleep {
    /// Where it pays: in fields of at least [`LEAST`] nodes that waves need a good part of the run to fill.
    #[default]
    ByRule,
    /// Wherever it is possible.
    Always,
    /// Never, to measure the speed of a kernel.
    Never,
}

/// The nodes of all shots from which on it pays: a step of fewer takes about as long as its launch.
const LEAST: usize = 1 << 20;
/// The most of a field that waves fill, on average over the run: a step of a block that is awake takes up to 10 %
/// longer, a step of one that sleeps a tenth.
const MOST: f64 = 0.8;
/// How far numbers above 0 run ahead of a wave, nodes.
const AHEAD: f64 = 60.0;
/// Nodes of a block along each axis: as many as a stencil reaches, so that only the next block is reached.
const BLOCK: Axes<usize> = Axes { z: 32, x: MAX_RADIUS, y: MAX_RADIUS };

impl Sleep {
    /// True if blocks of a part sleep. They do not where something else than a step may change p: an initial field, a
    /// scattered wave, the layers of an adjoint, increments, the ghosts of another part. The
    /// diagonals of explicit time evolution reach blocks that are not looked at, and VTI has a kernel
    /// of its own.
    pub(crate) fn is_possible(self, whole: &Plan, part: &Part, shots: usize) -> bool {
        let only_steps = whole.initial.is_none()
            && whole.scattering.is_none()
            && !whole.adjoint
            && !whole.by_increments;
        let has_kernel = whole.fourth.is_none() && whole.medium.vti().is_none();
        only_steps && has_kernel && !part.is_split() && self.pays(&part.plan, shots)
    }

    fn pays(self, plan: &Plan, shots: usize) -> bool {
        match self {
            Sleep::ByRule => shots * plan.grid.cells() >= LEAST && filled(plan) < MOST,
            Sleep::Always => true,
            Sleep::Never => false,
        }
    }
}

/// The part of the field that the fastest waves have reached, on average over the steps and the shots: a box
/// around the sources of a shot.
fn filled(plan: &Plan) -> f64 {
    const TIMES: usize = 16;
    let axes = if plan.grid.is_volume() { 3.0 } else { 2.0f64 };
    // The largest stable step takes the fastest wave at most a node along the diagonal.
    let nodes_a_step = plan.time.dt / plan.time.limit / axes.sqrt();
    let reaches: Vec<f64> = (0..TIMES)
        .map(|time| AHEAD + nodes_a_step * (plan.time.steps * time / TIMES) as f64)
        .collect();
    let of = |shot: &PointShot| {
        let (mut first, mut last) = (plan.grid.n, Axes::<usize>::default());
        for Axes { z, x, y } in shot.sources.iter().map(|source| source.at) {
            first = Axes { z: first.z.min(z), x: first.x.min(x), y: first.y.min(y) };
            last = Axes { z: last.z.max(z), x: last.x.max(x), y: last.y.max(y) };
        }
        let n = plan.grid.n;
        let boxes = reaches.iter().map(|reach| {
            let along = |first: usize, last: usize, n: usize| {
                let (first, last, n) = (first as f64, last as f64, n as f64);
                ((last + reach).min(n) - (first - reach).max(0.0)).max(0.0) / n
            };
            along(first.z, last.z, n.z) * along(first.x, last.x, n.x) * along(first.y, last.y, n.y)
        });
        boxes.sum::<f64>()
    };
    plan.shots.iter().map(of).sum::<f64>() / (TIMES * plan.shots.len()).max(1) as f64
}

/// Blocks of a shot along each axis.
fn blocks(layout: &Layout) -> Axes<usize> {
    let Axes { z, x, y } = layout.n;
    Axes { z: z.div_ceil(BLOCK.z), x: x.div_ceil(BLOCK.x), y: y.div_ceil(BLOCK.y) }
}

/// Values of the flags behind the fields of all shots.
pub(crate) fn len(layout: &Layout, shots: usize) -> usize {
    let Axes { z, x, y } = blocks(layout);
    4 * shots * z * x * y
}

/// Adds the constants of shaders/lib/sleep.wgsl.
pub(crate) fn constants(to: Constants, layout: &Layout, shots: usize, sleeps: bool) -> Constants {
    to.flag("SLEEPS", sleeps)
        .int("AWAKE", shots * layout.len() / 4)
        .axes("AWAKE", Axes { z: BLOCK.z / 4, ..BLOCK })
        .axes("BLOCKS", blocks(layout))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        acquisition::{Shot, Source, Wavelet},
        model::VelocityModel,
        plan::Setup,
        share::Share,
    };
    use ndarray::Array2;
    use std::sync::Arc;

    /// Whether blocks sleep by rule in a square of rock of 3000 m/s with nodes 2 m apart.
    fn sleeps(nodes: usize, duration: f64) -> bool {
        let velocity = Array2::from_elem((nodes, nodes), 3000.0);
        let model = VelocityModel::new(velocity, 2.0, 2.0).expect("a model");
        let source = Source::new(Axes::xz(nodes as f64, 0.0), Wavelet::ricker(30.0));
        let shot = Shot { sources: vec![source], receivers: vec![Axes::xz(0.0, 0.0)].into() };
        let plan = Plan::new(Setup::new(model, vec![shot], duration)).expect("a plan");
        let share = Share::whole(&Arc::new(plan.clone()));
        let part = Part::of(&share, share.pieces.clone());
        Sleep::ByRule.is_possible(&plan, &part, 1)
    }

    #[test]
    fn blocks_sleep_in_large_fields_that_waves_do_not_fill_early() {
        assert!(sleeps(1200, 0.4));
        assert!(!sleeps(1200, 4.0), "most of the run everything is awake");
        assert!(!sleeps(600, 0.2), "a launch takes as long");
    }
}
