//! The memory limit of a migration, and the part of a source wavefield that fits in it.

use super::schedule::runs;
use crate::{
    boundary::Profile,
    engine::{Engine, GpuKind, is_on_host},
    grid::Axes,
    host,
    plan::Plan,
};
use std::iter::successors;

/// Default limit of source wavefields, bytes: 4 GiB per GPU, which does not report its memory, and
/// on a host half of its memory.
pub(crate) fn memory(engine: &dyn Engine) -> u64 {
    const OF_A_GPU: u64 = 4 << 30;
    let gpus = engine.gpus();
    match !gpus.is_empty() && gpus.iter().all(|gpu| *gpu == GpuKind::Hardware) {
        true => OF_A_GPU,
        false => host::left().map_or(OF_A_GPU, |left| left.bytes / 2),
    }
}

/// Limit of source wavefields in an engine's memory, bytes: what is asked for or [`memory`], and where
/// that memory is the host's at most `within`, in place of the default.
pub fn limit(engine: &dyn Engine, asked: Option<u64>, within: Option<u64>) -> u64 {
    let within = within.filter(|_| is_on_host(engine));
    within.into_iter().chain(asked).min().unwrap_or_else(|| memory(engine))
}

/// Bytes of traces prepared at once for back-propagation, those of the current batch included.
pub(super) const TRACES: u64 = 2 << 30;

/// Bytes of a shot's state: two steps of its fields, and the layers' memory.
pub(super) fn state(plan: &Plan) -> u64 {
    let cells = plan.grid.cells();
    let Axes { z, x, y } = &plan.profile;
    let share =
        |axis: &Profile| axis.memory.iter().sum::<usize>() as f64 / axis.nodes.len().max(1) as f64;
    let layers = share(z) + share(x) + share(y);
    (4.0 * 2.0 * (plan.medium.fields() * cells) as f64 * (1.0 + layers)) as u64
}

/// Sizes of the storable parts of a shot, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    /// An imaging step.
    pub(crate) field: u64,
    /// A state.
    pub(crate) state: u64,
}

impl Sizes {
    pub(crate) fn new(plan: &Plan) -> Self {
        let values = plan.medium.fields() * plan.model_grid.cells();
        Sizes { field: 4 * values as u64, state: state(plan) }
    }
}

/// The part of a source wavefield that is stored at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    /// Imaging steps: those of a part of the run.
    pub(crate) slots: usize,
    /// States at the beginnings of parts.
    pub(crate) states: usize,
}

impl Kept {
    /// For a number of imaging steps, with the bytes of one, of a state, and of the limit: all
    /// steps, or the choice with the fewest steps to run again; if nothing fits, the one with the
    /// least memory.
    pub(crate) fn of(all: usize, field: u64, state: u64, memory: u64) -> Self {
        Kept::in_parts(all, all, field, state, memory)
    }

    /// [`Kept::of`] with parts shorter than the whole run, if it has more than one imaging step.
    pub(crate) fn checkpoints(all: usize, field: u64, state: u64, memory: u64) -> Self {
        let longest = shorter(all.max(1))(&all).unwrap_or(1);
        Kept::in_parts(all, longest, field, state, memory)
    }

    fn in_parts(all: usize, longest: usize, field: u64, state: u64, memory: u64) -> Self {
        let all = all.max(1);
        let with = |slots: usize| -> Kept {
            let left = memory.saturating_sub(slots as u64 * field) / state.max(1);
            let most = all.div_ceil(slots) - 1;
            Kept { slots, states: (left.min(most as u64) as usize).max(most.min(1)) }
        };
        let all_parts = || successors(Some(longest.max(1)), shorter(all)).map(with);
        let bytes = |kept: &Kept| kept.bytes(field, state);
        let fits = all_parts().filter(|kept| bytes(kept) <= memory);
        let best = fits.min_by_key(|kept| kept.slots * runs(kept.parts(all), kept.states));
        let best = best.or_else(|| all_parts().min_by_key(bytes));
        best.unwrap_or(Kept { slots: 1, states: 1 })
    }

    /// Choices of different memory for a number of imaging steps: all of them; the parts with a
    /// state each that need the least memory; and, with the states of some parts only, a quarter of
    /// that, or the least.
    pub(crate) fn ways(all: usize, field: u64, state: u64) -> Vec<Self> {
        let whole = Kept { slots: all, states: 0 };
        let with_states = successors(Some(all), shorter(all))
            .map(|slots| Kept { slots, states: all.div_ceil(slots) - 1 });
        let with_states = with_states.min_by_key(|kept| kept.bytes(field, state)).unwrap_or(whole);
        let with_some = Kept::of(all, field, state, with_states.bytes(field, state) / 4);
        vec![whole, with_states, with_some]
    }

    /// Parts of a run with a number of imaging steps.
    pub(crate) fn parts(&self, all: usize) -> usize {
        all.div_ceil(self.slots)
    }

    pub(crate) fn bytes(&self, field: u64, state: u64) -> u64 {
        self.slots as u64 * field + self.states as u64 * state
    }
}

/// The next shorter part: of the lengths that give as many parts, the shortest alone.
fn shorter(all: usize) -> impl Fn(&usize) -> Option<usize> {
    move |slots| {
        let next = all.div_ceil(all.div_ceil(*slots) + 1).min(slots - 1);
        (next > 0).then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_fits_and_takes_the_least_running_again() {
        let of = |memory| Kept::of(100, 1, 3, memory);
        assert_eq!(of(100), Kept { slots: 100, states: 0 });
        // 40 + 2 * 3, in three parts; two would take 53.
        assert_eq!(of(46), Kept { slots: 34, states: 2 });
        // Parts with a state each take 34 at least: 17 + 5 * 3 and more.
        for memory in [4, 10, 20, 30] {
            let kept = of(memory);
            assert!(kept.bytes(1, 3) <= memory, "{kept:?}");
            assert!(kept.states < kept.parts(100) - 1, "{kept:?}");
        }
        // With less memory more is run.
        let run = |memory| of(memory).slots * runs(of(memory).parts(100), of(memory).states);
        assert!(run(100) == 100 && run(46) <= 200);
        assert!((4..100).all(|memory| run(memory) >= run(memory + 1)));
        // Nothing fits: a step and a state.
        assert_eq!(of(2), Kept { slots: 1, states: 1 });
        assert_eq!(Kept::of(1, 1, 3, 0), Kept { slots: 1, states: 0 });
    }
}
