//! What a migration may take of memory, and how much of a source wavefield is kept.

use crate::{boundary::Profile, engine::Engine, grid::Axes, host, plan::Plan};

/// What source wavefields may take where nothing else is said, bytes: of a GPU, which does not tell how much memory it has, 4 GiB, and on a
/// host half of what is left.
pub fn memory(engine: &dyn Engine) -> u64 {
    const OF_A_GPU: u64 = 4 << 30;
    match engine.as_gpu().is_some_and(|gpu| gpu.is_hardware()) {
        true => OF_A_GPU,
        false => host::left().map_or(OF_A_GPU, |left| left / 2),
    }
}

/// Bytes of traces on their way back that are made ready at once, those of a batch that is migrated among them.
pub(super) const TRACES: u64 = 2 << 30;

/// Bytes of a shot's state: two fields and the layers' memory.
pub(super) fn state(plan: &Plan) -> u64 {
    let cells = plan.grid.cells();
    let Axes { z, x, y } = &plan.profile;
    let share =
        |axis: &Profile| axis.memory.iter().sum::<usize>() as f64 / axis.nodes.len().max(1) as f64;
    let layers = share(z) + share(x) + share(y);
    (4.0 * 2.0 * cells as f64 * (1.0 + layers)) as u64
}

/// How many of all imaging steps are kept at once: all, or as many as leave room for the states between the parts of a run, in as few parts as
/// there can be; where nothing does, what takes least.
pub(super) fn slots(all: usize, field: u64, state: u64, memory: u64) -> usize {
    let takes = |parts: usize| {
        let slots = all.div_ceil(parts);
        (slots as u64 * field + (all.div_ceil(slots) as u64 - 1) * state, slots)
    };
    let fits = (1..=all).map(takes).find(|(bytes, _)| *bytes <= memory);
    fits.or_else(|| (1..=all).map(takes).min()).map_or(1, |(_, slots)| slots)
}

#[cfg(test)]
mod tests {
    use super::slots;

    #[test]
    fn states_count_too() {
        assert_eq!(slots(100, 1, 3, 100), 100);
        // 40 + 2 * 3, in three parts; two would take 53.
        assert_eq!(slots(100, 1, 3, 46), 34);
        // sqrt(3 * 100) is least, and more than there is.
        let least = slots(100, 1, 3, 5);
        assert!((15..21).contains(&least), "{least}");
    }
}
