//! The size of each array of a simulation, before anything is allocated.

use super::{ModelValues, Plan, PlanError, PointShot, Sampling};
use crate::{
    acquisition::{Shot, spread::Spread},
    grid::{Axes, Grid, Position},
    host::{self, Bounded, check_against, check_memory},
    medium::Medium,
};
use serde::Serialize;
use std::{collections::HashSet, sync::Arc};

/// One array of the f32 engines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Array {
    /// What it holds, in plain words.
    pub name: &'static str,
    /// Its size, bytes.
    pub bytes: u64,
}

/// The most nodes of a wavefield.
const MAX_CELLS: u128 = crate::model::MAX_NODES as u128;
/// The most memory for a shot's traces, or for all receivers, bytes: that of a large host.
const MAX_HOST: u128 = 64 << 30;
const F32: u128 = 4;
const RECORD_LESS: &str = "record fewer samples (time.record) or receivers";
/// Weights along an axis, with the reference counts of their sharing, bytes.
const WEIGHTS: usize = size_of::<Spread>() + 2 * size_of::<usize>();

impl Plan {
    /// The arrays of an f32 engine that runs all shots at once, without padding and staging.
    pub fn memory(&self) -> Vec<Array> {
        let fields = (self.shots.len() * self.medium.fields()) as u64;
        let cells = self.grid.cells() as u64;
        let medium = match &self.medium {
            Medium::Velocity => 0,
            Medium::Density(_) => 1,
            // Those of VtiTerm, and those of m.
            Medium::Vti(_) => 7,
        };
        let layers = |axis: &crate::boundary::Profile, across: usize| {
            (axis.memory.iter().sum::<usize>() * across) as u64
        };
        let n = self.grid.n;
        let memory = layers(&self.profile.z, n.x * n.y)
            + layers(&self.profile.x, n.z * n.y)
            + layers(&self.profile.y, n.z * n.x);
        let receivers: usize = self.shots.iter().map(|shot| shot.receivers.len()).sum();
        let all = [
            ("wavefield, two steps", 2 * fields * cells),
            ("velocity model", cells * self.copies().len() as u64),
            (self.medium_array(), medium * cells * self.copies().len() as u64),
            ("absorbing layers", 2 * fields * memory),
            ("traces", (receivers * self.time.samples) as u64),
            ("wavelets", (self.wavelets.len() * self.time.steps) as u64),
        ];
        let all =
            all.into_iter().filter(|(name, values)| *name != self.medium_array() || *values > 0);
        all.map(|(name, values)| Array { name, bytes: 4 * values }).collect()
    }

    fn medium_array(&self) -> &'static str {
        if self.medium.vti().is_some() { "VTI coefficients" } else { "density" }
    }

    /// The Plan's own arrays on the host, beside an engine's. Shared arrays count once.
    pub fn own_memory(&self) -> Vec<Array> {
        let cells = self.grid.cells();
        let (mut seen, mut sources, mut receivers) = (HashSet::new(), 0, 0);
        for PointShot { sources: points, receivers: sampled, asked, .. } in &self.shots {
            sources += size_of_val(&**points);
            if seen.insert(asked.sources.as_ptr().cast::<u8>()) {
                sources += size_of_val(asked.sources.as_slice());
            }
            if seen.insert(sampled.as_ptr().cast()) {
                receivers += size_of_val(&**sampled) + size_of_val(&*asked.receivers);
                receivers += sampled.iter().map(weights).sum::<f64>().round() as usize;
            }
        }
        let wavelets: usize = self.wavelets.iter().map(|row| size_of_val(&**row)).sum();
        let initial = if self.initial.is_some() { 2 * cells } else { 0 };
        let all = [
            (
                "velocities of the plan",
                ModelValues::bytes(self.survey_grid()) * self.velocities.len(),
            ),
            // Its own, and those of the setup that it was made of.
            (
                match self.medium {
                    Medium::Vti(_) => "VTI coefficients of the plan",
                    _ => "density of the plan",
                },
                self.medium.values().count()
                    * ModelValues::bytes(self.survey_grid())
                    * if self.medium.density().is_some() { 2 } else { 1 },
            ),
            ("initial field of the plan", 4 * initial),
            ("wavelets of the plan", wavelets),
            ("sources of the plan", sources),
            ("receivers of the plan", receivers),
        ];
        let of = |(name, bytes)| Array { name, bytes: bytes as u64 };
        all.into_iter().map(of).filter(|array| array.bytes > 0).collect()
    }

    /// Resizes the model and keeps its layers, only to query the memory of such a Plan: it cannot be
    /// run, as velocities, sources and receivers stay as they were.
    pub fn resize(&mut self, nodes: Axes<usize>) {
        let (low, old, inside) = (self.origin, self.grid.n, self.model_grid.n);
        let layers = old.zip(inside).map(|(all, inside)| all - inside);
        let high = layers.zip(low).map(|(both, low)| both - low);
        let n = layers.zip(nodes).map(|(both, inside)| both + inside);
        (self.model_grid.n, self.grid.n) = (nodes, n);
        let profile = &mut self.profile;
        profile.z = profile.z.resized(n.z, [low.z, high.z]);
        profile.x = profile.x.resized(n.x, [low.x, high.x]);
        if self.grid.is_volume() {
            profile.y = profile.y.resized(n.y, [low.y, high.y]);
        }
    }

    /// Returns an error for traces and snapshots of all shots that exceed the remaining memory: for
    /// callers that keep them all.
    pub fn check_results(&self) -> Result<(), PlanError> {
        self.check_results_against(host::left().unwrap_or(Bounded::NONE))
    }

    fn check_results_against(&self, left: Bounded) -> Result<(), PlanError> {
        let traces = self.shots.iter().map(|shot| shot.receivers.len() as u128).sum::<u128>();
        let snapshots = (self.shots.len() * self.snapshots().len()) as u128;
        let values =
            traces * self.time.kept() as u128 + snapshots * self.model_grid.cells() as u128;
        let bytes = u64::try_from(values * F32).unwrap_or(u64::MAX);
        let remedies = vec![RECORD_LESS.into(), "take fewer snapshots".into()];
        Ok(check_against("the traces and snapshots of all shots", bytes, left, remedies)?)
    }

    /// Returns an error for gathers that no host could hold.
    pub(super) fn check_traces(&self) -> Result<(), PlanError> {
        let bytes = self.most_receivers() as u128 * self.time.samples as u128 * F32;
        if bytes > MAX_HOST {
            return Err(PlanError::TooLarge {
                what: "the gather of a shot",
                bytes,
                limit: MAX_HOST,
                remedy: RECORD_LESS,
            });
        }
        Ok(())
    }
}

/// Returns an error for more receivers than the memory holds, each with its position and, between
/// nodes, its weights. Lists that shots share count once.
pub(super) fn check_receivers(shots: &[Shot], grid: &Grid) -> Result<(), PlanError> {
    check_receiver_bytes(bytes_of_receivers(shots, grid))
}

fn bytes_of_receivers(shots: &[Shot], grid: &Grid) -> u64 {
    let mut seen = HashSet::new();
    let lists = shots.iter().filter(|shot| seen.insert(shot.receivers.as_ptr()));
    let bytes = lists.map(|shot| {
        let mut before = None;
        let of_one = shot.receivers.iter().map(|at| {
            let weights =
                if is_between(*at, grid) { new_weights(before.replace(*at), *at) } else { 0 };
            EACH + weights * OF_WEIGHTS
        });
        of_one.sum::<u64>()
    });
    bytes.sum()
}

/// Returns an error for receivers that memory does not hold, before they are laid out: so many on
/// nodes and, with other weights each along one axis, between them.
pub fn check_receivers_fit(on_nodes: u64, between: u64) -> Result<(), PlanError> {
    let bytes = between.saturating_mul(EACH + OF_WEIGHTS);
    check_receiver_bytes(bytes.saturating_add(on_nodes.saturating_mul(EACH)))
}

fn check_receiver_bytes(bytes: u64) -> Result<(), PlanError> {
    // Looking for what is left takes longer than most surveys.
    const LITTLE: u64 = 4 << 20;
    if bytes <= LITTLE {
        return Ok(());
    }
    check_receivers_against(bytes, host::left().unwrap_or(Bounded::NONE))
}

fn check_receivers_against(bytes: u64, left: Bounded) -> Result<(), PlanError> {
    let remedies = vec!["give fewer".into(), "let shots share theirs".into()];
    Ok(check_against("the receivers of all shots", bytes, left, remedies)?)
}

/// Bytes of a receiver: its position, and where it samples the field.
const EACH: u64 = (size_of::<Position>() + size_of::<Sampling>()) as u64;
/// Bytes of the weights along an axis, with the allocator's, and of their entry while they are made.
const OF_WEIGHTS: u64 = (WEIGHTS + 8 + 32) as u64;

fn is_between(at: Position, grid: &Grid) -> bool {
    grid.in_nodes(at).is_ok_and(|at| [at.z, at.x, at.y].iter().any(|along| along.fract() != 0.0))
}

/// Axes along which a receiver needs weights that the one before it does not have.
fn new_weights(before: Option<Position>, at: Position) -> u64 {
    let Some(before) = before else { return 3 };
    [before.z != at.z, before.x != at.x, before.y != at.y].map(u64::from).iter().sum()
}

/// A receiver's part of the weights that it shares, bytes.
fn weights(receiver: &Sampling) -> f64 {
    let part = |spread: &Arc<Spread>| WEIGHTS as f64 / Arc::strong_count(spread) as f64;
    match receiver {
        Sampling::Node(_) => 0.0,
        Sampling::Between(Axes { z, x, y }) => part(z) + part(x) + part(y),
    }
}

/// Returns an error for wavefields that no engine could index, with padding.
pub(super) fn check_nodes(n: Axes<usize>, radius: usize) -> Result<(), PlanError> {
    let padded = (n.z + radius).next_multiple_of(32) as u128;
    let cells = padded * n.x as u128 * n.y as u128;
    if cells > MAX_CELLS {
        return Err(PlanError::TooLarge {
            what: "the wavefield",
            bytes: cells * F32,
            limit: MAX_CELLS * F32,
            remedy: "use a smaller or coarser model",
        });
    }
    Ok(())
}

/// Returns an error for models that, with their layers, exceed the remaining memory.
pub(super) fn check_models(n: Axes<usize>, models: usize) -> Result<(), PlanError> {
    let bytes = n.z as u128 * n.x as u128 * n.y as u128 * models as u128 * F32;
    let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
    Ok(check_memory("the velocity model with its layers", bytes)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        acquisition::line,
        testing::{rock, setup, shot},
    };

    /// `count` shots, each with its own list of 100 receivers from `x` on, 10 m apart.
    fn survey(count: usize, x: f64) -> Plan {
        let receivers = || line(Axes::xz(x, 10.0), Axes::xz(x + 990.0, 10.0), 100);
        let shots = (0..count).map(|_| shot(500.0, 200.0, receivers())).collect();
        Plan::new(setup(rock([120, 60], [10.0; 2], 1500.0), shots)).expect("a valid setup")
    }

    fn receiver_bytes(plan: &Plan) -> u64 {
        let arrays = plan.own_memory();
        arrays.iter().find(|array| array.name == "receivers of the plan").expect("some").bytes
    }

    /// Equal lists are shared, however they were given.
    #[test]
    fn shots_share_their_receivers() {
        let plan = survey(30, 0.0);
        let first = &plan.shots[0];
        for shot in &plan.shots {
            assert!(Arc::ptr_eq(&shot.receivers, &first.receivers));
            assert!(Arc::ptr_eq(&shot.asked.receivers, &first.asked.receivers));
        }
        // A position and a node of 24 bytes each, for any number of shots.
        assert_eq!([plan, survey(1, 0.0)].map(|plan| receiver_bytes(&plan)), [4800; 2]);
        // Between nodes, separate weights along x; along z and y one for all.
        assert_eq!(receiver_bytes(&survey(2, 3.0)), 4800 + 102 * 88);
    }

    #[test]
    fn results_that_the_memory_does_not_hold_are_refused() {
        let mut plan = survey(3, 0.0);
        let traces = 3 * 100 * plan.time.kept() as u64 * 4;
        let check = |plan: &Plan, bytes: u64| {
            plan.check_results_against(Bounded { bytes, ..Bounded::NONE }).is_ok()
        };
        assert!(check(&plan, traces) && !check(&plan, traces - 1));
        plan.taps = vec![crate::plan::Tap::Snapshots { steps: vec![1, 5] }];
        let both = traces + 3 * 2 * 7200 * 4;
        assert!(check(&plan, both) && !check(&plan, both - 1));
    }

    #[test]
    fn more_receivers_than_the_memory_holds_are_refused() {
        let grid = Grid::plane(120, 60, 10.0, 10.0).expect("a grid");
        let shot = |x: f64| (*survey(1, x).shots[0].asked).clone();
        let needed = |shots: &[Shot]| bytes_of_receivers(shots, &grid);
        // Shared, they count once.
        assert_eq!(needed(&vec![shot(0.0); 9]), 100 * EACH);
        assert_eq!(needed(&[shot(3.0)]), 100 * EACH + 102 * OF_WEIGHTS);
        let left = Bounded { bytes: 4800, ..Bounded::NONE };
        assert!(check_receivers_against(4800, left).is_ok());
        assert!(check_receivers_against(4801, left).is_err());
    }
}
