//! Checks that the host has the memory for a simulation. A system may promise more than it has and
//! kill the process when it is used, so the least size of the arrays is compared with the available
//! memory before they are allocated.

use crate::{
    Arrays, EngineError, Limit, Shortage,
    host::{self, Bound, Bounded},
    plan::Plan,
    shortage::largest,
};

/// Refuses a Plan whose arrays are larger than the host's memory.
pub(crate) fn check(plan: &Plan) -> Result<(), EngineError> {
    // The Plan is already allocated; the rest is needed on the way.
    let own: u64 = plan.own_memory().iter().map(|array| array.bytes).sum();
    let limited = host::address_space_left()
        .map(|left| Bounded { bytes: left / 5 * 4 + own, by: Bound::Addresses });
    match host::memory().into_iter().chain(limited).min() {
        Some(most) => check_against(plan, most),
        None => Ok(()),
    }
}

fn check_against(plan: &Plan, most: Bounded) -> Result<(), EngineError> {
    let total = |plan: &Plan| arrays(plan).iter().map(Arrays::total).sum::<u64>();
    if total(plan) <= most.bytes {
        return Ok(());
    }
    Err(EngineError::DoesNotFit(Box::new(Shortage {
        device: "this host".into(),
        limit: Limit::Host { most },
        arrays: arrays(plan),
        shots: plan.shots.len(),
        slabs: 1,
        largest: largest(plan, |plan| total(plan) <= most.bytes),
    })))
}

/// The arrays of an engine and of the Plan beside it.
fn arrays(plan: &Plan) -> Vec<Arrays> {
    let of = |array: crate::plan::Array| Arrays { name: array.name, count: 1, bytes: array.bytes };
    plan.memory().into_iter().chain(plan.own_memory()).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        acquisition::{Shot, Source, Wavelet},
        boundary::{Absorber, Boundary, Top},
        grid::Axes,
        model::VelocityModel,
        plan::Setup,
        stencil::Family,
    };
    use ndarray::Array3;

    fn cube(n: usize) -> Plan {
        let at = Axes::default();
        let wavelet = Wavelet::ricker(10.0);
        let source = Source::new(at, wavelet);
        let h = Axes { z: 10.0, x: 10.0, y: 10.0 };
        let model =
            VelocityModel::volume(Array3::from_elem((n, n, n), 2000.0), h).expect("a valid model");
        let shots = vec![Shot { sources: vec![source], receivers: Default::default() }];
        let setup = Setup {
            operator: Family::Taylor { order: 8 },
            boundary: Boundary { top: Top::Zero, sides: Absorber::Zero },
            ..Setup::new(model, shots, 0.1)
        };
        Plan::new(setup).expect("a valid setup")
    }

    /// Two steps of the field, the engine's model and the Plan's: four values per node.
    #[test]
    fn more_than_the_memory_is_refused_with_what_fits() {
        let most = 1_000_000;
        let check_against =
            |plan: &Plan| check_against(plan, Bounded { bytes: most, by: Bound::Host });
        let small = cube(9);
        let own: u64 = small.own_memory().iter().skip(1).map(|array| array.bytes).sum();
        let rest = 4 * small.time.steps as u64 + own;
        let Err(EngineError::DoesNotFit(shortage)) = check_against(&cube(50)) else {
            panic!("50^3 nodes of 16 bytes are 2 MB");
        };
        let side = shortage.largest.expect("a smaller cube fits").z;
        let bytes = |n: usize| 16 * (n * n * n) as u64 + rest;
        assert!(bytes(side) <= most && bytes(side + 1) > most, "{side}");
        assert_eq!(check_against(&cube(side)), Ok(()));
        assert!(check_against(&cube(side + 1)).is_err());
        let said = shortage.to_string();
        for part in [
            "take 1.9 MiB",
            "has 976.6 KiB",
            "velocities of the plan: 488.3 KiB",
            "39 x 39 x 39 nodes",
        ] {
            assert!(said.contains(part), "{part} in {said}");
        }
        assert!(!said.contains("--backend cpu"), "{said}");
    }

    #[test]
    fn this_host_has_memory() {
        assert!(host::memory().is_none_or(|memory| memory.bytes > 1 << 28));
    }
}
