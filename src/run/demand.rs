//! What a command holds of the host's memory, known before it runs.
//!
//! A command has stages, such as stepping and writing, and frees memory between them. What it needs
//! is the stage that holds the most. Source wavefields get what the rest leaves: a command is refused
//! if the least that it can keep of them does not fit.

use crate::{
    acquisition::Wavelet,
    engine::{Engine, EngineError, is_on_host},
    host::{self, Bound, Bounded, NoMemory},
    plan::{Array, Plan},
};
use serde::Serialize;
use std::collections::HashSet;

/// The arrays that a command holds at once in the host's memory.
#[derive(Clone, Debug, Serialize)]
pub struct Demand {
    /// The command: "rtm".
    pub(crate) command: &'static str,
    /// The arrays of the stage that holds the most.
    pub(crate) arrays: Vec<Array>,
    /// What would take less of the command, beside a smaller model.
    #[serde(skip)]
    pub(crate) less: Vec<&'static str>,
}

impl Demand {
    pub(crate) fn of(command: &'static str, stages: impl IntoIterator<Item = Stage>) -> Self {
        let most = stages.into_iter().max_by_key(Stage::bytes);
        let less = vec!["fewer receivers"];
        Demand { command, arrays: most.unwrap_or_default().0, less }
    }

    /// All arrays, bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.arrays.iter().map(|array| array.bytes).sum()
    }

    /// Returns an error if the memory does not hold it. `plan` is held already.
    pub fn check(&self, plan: &Plan) -> Result<(), NoMemory> {
        let most = available(plan);
        if self.bytes() <= most.bytes {
            return Ok(());
        }
        let mut largest: Vec<_> = self.arrays.iter().collect();
        largest.sort_by_key(|array| std::cmp::Reverse(array.bytes));
        let named = largest
            .iter()
            .take(3)
            .map(|Array { name, bytes }| format!("{} of {name}", host::binary(*bytes)));
        let what = format!("huygens {} ({})", self.command, named.collect::<Vec<_>>().join(", "));
        let smaller = ["use a smaller or coarser model"].into_iter();
        let remedies = smaller.chain(self.less.iter().copied()).chain(most.remedy());
        let remedies = remedies.map(String::from).collect();
        Err(NoMemory { what, bytes: self.bytes(), left: most, remedies })
    }
}

/// The memory for a command whose Plan is held already.
fn available(plan: &Plan) -> Bounded {
    let own = plan.own_memory().iter().map(|array| array.bytes).sum::<u64>();
    let addresses = host::address_space_left();
    let addresses = addresses.map(|left| Bounded { bytes: left + own, by: Bound::Addresses });
    host::memory().into_iter().chain(addresses).min().unwrap_or(Bounded::NONE)
}

/// Lowers the limit of each device's source wavefields until all that a command holds fits, as far
/// as that helps. `of` gives the demand with a limit, and what a device keeps of the wavefields in
/// the host's memory.
pub(crate) fn fit(
    plan: &Plan,
    devices: usize,
    of: &mut dyn FnMut(Option<u64>) -> Result<(Demand, u64), EngineError>,
) -> Result<(Demand, Option<u64>), EngineError> {
    // Fewer shots at once change what else is held.
    const TRIES: usize = 8;
    let most = available(plan);
    // What a user allows is there to be taken; of other memory half is left.
    let mut within = (most.by == Bound::Set).then_some(most.bytes);
    let (mut demand, mut kept) = of(within)?;
    for _ in 0..TRIES {
        let over = demand.bytes().saturating_sub(most.bytes);
        if over == 0 || kept == 0 {
            break;
        }
        let less = kept.saturating_sub(over.div_ceil(devices.max(1) as u64));
        match of(Some(less)) {
            Ok((leaner, its)) if its < kept => {
                (demand, kept, within) = (leaner, its, Some(less));
            }
            _ => break,
        }
    }
    Ok((demand, within))
}

/// A stage of a command, by its arrays.
#[derive(Clone, Default)]
pub(crate) struct Stage(pub Vec<Array>);

impl Stage {
    /// With an array, unless it is empty.
    #[must_use]
    pub(crate) fn with(mut self, name: &'static str, bytes: u64) -> Self {
        if bytes > 0 {
            self.0.push(Array { name, bytes });
        }
        self
    }

    /// With the arrays of another, at the same time.
    #[must_use]
    pub(crate) fn and(mut self, other: &Stage) -> Self {
        self.0.extend(other.0.iter().cloned());
        self
    }

    /// All of them, bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.iter().map(|array| array.bytes).sum()
    }
}

/// Traces of all shots.
pub(crate) fn traces_of(plan: &Plan) -> u64 {
    plan.shots.iter().map(|shot| shot.receivers.len() as u64).sum()
}

/// Samples of a trace that a CPU engine holds, as it hands them over.
const BLOCK: usize = 256;

/// The arrays of an engine for a batch, if they are in the host's memory.
pub(crate) fn of_engine(engine: &dyn Engine, batch: &Plan) -> Stage {
    if !is_on_host(engine) {
        return Stage::default();
    }
    let is_cpu = engine.gpus().is_empty();
    let arrays = batch.memory().into_iter().map(|array| match array.name {
        "traces" if is_cpu => {
            let samples = batch.time.samples.min(BLOCK) as u64;
            Array { bytes: 4 * traces_of(batch) * samples, ..array }
        }
        _ => array,
    });
    Stage(arrays.filter(|array| array.bytes > 0).collect())
}

/// Bytes of the samples that sources were given, shared ones once.
pub(crate) fn of_wavelets(plan: &Plan) -> u64 {
    let mut seen = HashSet::new();
    let sources = plan.shots.iter().flat_map(|shot| &shot.asked.sources);
    let samples = sources.map(|source| match &source.wavelet {
        Wavelet::Sampled(of) if seen.insert(of.values.as_ptr()) => of.values.len() as u64,
        _ => 0,
    });
    8 * samples.sum::<u64>()
}
