//! Whether a simulation fits the memory of a device, and in how many slabs. Nothing is allocated to
//! find out.

mod demand;

pub(crate) use demand::{Limits, Stepping};

use super::{
    device::Device,
    part::{self, Part},
    tap::Demand,
};
use crate::{
    EngineError,
    grid::Axes,
    plan::Plan,
    share::Share,
    shortage::{Limit, Shortage, largest, most},
};
use demand::VALUE;
use std::sync::Arc;

/// The most memory of a batch, with the host's: more shots than fill a device gain nothing.
const BATCH_BYTES: u64 = 1 << 30;

/// The fewest slabs, or the given number, in which the shots fit; if none do, the largest possible
/// number and the limit that is exceeded.
fn fewest(
    share: &Share,
    stepping: Stepping,
    shots: usize,
    limits: &Limits,
) -> Result<usize, (usize, Limit)> {
    let demand = |slabs| Demand::new(share, stepping, shots, slabs);
    let all = part::most(share);
    let slabs = match stepping.slabs {
        Some(asked) => asked,
        None if demand(1).passes(limits).is_none() => 1,
        None => all - most(all - 1, |fewer| demand(all - fewer).passes(limits).is_none()),
    };
    let demand = demand(slabs);
    let full = || (demand.bytes() > limits.host.bytes).then_some(Limit::Host { most: limits.host });
    let Some(limit) = demand.passes(limits).or_else(full) else { return Ok(slabs) };
    // A limit that no cut helps is reported for the whole.
    let whole = Demand::new(share, stepping, shots, 1).passes(limits);
    Err((if whole.as_ref() == Some(&limit) { 1 } else { slabs }, limit))
}

/// The number of slabs for the shots of a share; an error if no number meets the limits.
pub(crate) fn slabs(
    device: &Device,
    share: &Share,
    stepping: Stepping,
    shots: usize,
) -> Result<usize, EngineError> {
    if let Some(slabs) = stepping.slabs {
        part::check(share, slabs)?;
    }
    let limits = Limits::of(device);
    let count = fewest(share, stepping, shots, &limits).map_err(|(slabs, limit)| {
        // The other shares of a larger model are not known here.
        let whole = (!share.is_split()).then_some(&share.plan);
        let largest = whole.and_then(|plan| largest_model(plan, stepping, shots, &limits));
        shortage(device, share, Stepping { slabs: Some(slabs), ..stepping }, shots, limit, largest)
    })?;
    part::check_adjoint(&share.plan, &Part::all(share, count)?)?;
    Ok(count)
}

/// The error for a share whose arrays do not fit the device's memory.
pub(crate) fn full(
    device: &Device,
    share: &Share,
    stepping: Stepping,
    said: String,
) -> EngineError {
    shortage(device, share, stepping, share.plan.shots.len(), Limit::Memory { said }, None)
}

fn shortage(
    device: &Device,
    share: &Share,
    stepping: Stepping,
    shots: usize,
    limit: Limit,
    largest: Option<Axes<usize>>,
) -> EngineError {
    let slabs = stepping.slabs.unwrap_or(1);
    let arrays = Demand::new(share, stepping, shots, slabs).arrays().copied().collect();
    let device = device.info.name.clone();
    EngineError::DoesNotFit(Box::new(Shortage { device, limit, arrays, shots, slabs, largest }))
}

/// A good number of shots to run at once, if one fits.
pub(crate) fn batch(device: &Device, plan: &Plan, stepping: Stepping) -> usize {
    let limits = Limits::of(device);
    let gather = VALUE * (plan.most_receivers() * plan.time.samples) as u64;
    let share = whole(plan);
    let fits = |shots| {
        let demand = Demand::new(&share, stepping, shots, stepping.slabs.unwrap_or(1));
        demand.passes(&limits).is_none() && demand.bytes() + shots as u64 * gather <= BATCH_BYTES
    };
    // Sets of shots that must advance together stay whole.
    let set_size = plan.set_size();
    set_size * most(plan.shots.len() / set_size, |sets| fits(sets * set_size)).max(1)
}

/// The size of the largest model of the same shape with which `shots` shots fit.
fn largest_model(
    plan: &Plan,
    stepping: Stepping,
    shots: usize,
    limits: &Limits,
) -> Option<Axes<usize>> {
    largest(plan, |plan| {
        let share = whole(plan);
        let can_be_cut = stepping.slabs.is_none_or(|slabs| slabs <= part::most(&share));
        can_be_cut && fewest(&share, stepping, shots, limits).is_ok()
    })
}

fn whole(plan: &Plan) -> Share {
    Share::whole(&Arc::new(plan.clone()))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::gpu::Sleep;
    use crate::{
        acquisition::{Shot, Source, Wavelet},
        boundary::{Absorber, Boundary, Cpml, Top},
        gpu::{KERNELS, kernels::StepKernel},
        host::Bounded,
        model::{Density, VelocityModel},
        plan::Setup,
        stencil::Family,
    };
    use ndarray::Array3;

    /// Shots with two receivers each, layers above and below too, a snapshot.
    pub(crate) fn plan(n: Axes<usize>, cells: usize, shots: usize) -> Plan {
        Plan::new(setup(n, cells, shots)).expect("a valid setup")
    }

    /// [`plan`] with a density that varies.
    pub(crate) fn dense(n: Axes<usize>, cells: usize, shots: usize) -> Plan {
        let values = Array3::from_shape_fn((n.y, n.x, n.z), |(_, x, _)| 1000.0 + x as f32);
        let density = Density::new(values).expect("densities in kg/m3");
        Plan::new(Setup { density, ..setup(n, cells, shots) }).expect("a valid setup")
    }

    fn setup(n: Axes<usize>, cells: usize, shots: usize) -> Setup {
        let at = Axes::default();
        let wavelet = Wavelet::ricker(10.0);
        let source = Source::new(at, wavelet);
        let shot = Shot { sources: vec![source; 3], receivers: vec![at; 2].into() };
        let sides = match cells {
            0 => Absorber::Zero,
            cells => Absorber::Cpml(Cpml::new(cells)),
        };
        let velocity = Array3::from_elem((n.y, n.x, n.z), 2000.0);
        let model = VelocityModel::volume(velocity, Axes { z: 9.0, x: 10.0, y: 11.0 })
            .expect("a valid model");
        let shots = vec![shot; shots];
        Setup {
            operator: Family::Taylor { order: 8 },
            boundary: Boundary { top: Top::Absorb, sides },
            snapshots: vec![0.05],
            ..Setup::new(model, shots, 0.1)
        }
    }

    const ROOMY: Limits =
        Limits { binding: u64::MAX, buffer: u64::MAX, workgroups: u64::MAX, host: Bounded::NONE };

    pub(crate) fn stepping(kernel: &'static StepKernel, slabs: usize) -> Stepping {
        Stepping { kernel, slabs: Some(slabs), sleep: Sleep::ByRule }
    }

    fn kernels(plan: &Plan) -> impl Iterator<Item = &'static StepKernel> {
        KERNELS.iter().filter(|kernel| kernel.is_for(plan.grid.is_volume()))
    }

    /// The largest model in the error exceeds no limit; the next larger one of the shape does.
    #[test]
    fn the_largest_model_is_the_largest() {
        let tight = [
            Limits { binding: 2 << 20, ..ROOMY },
            Limits { buffer: 3 << 20, ..ROOMY },
            Limits { workgroups: 60, ..ROOMY },
        ];
        let volume = |z, x, y| Axes { z, x, y };
        for n in [volume(90, 90, 90), volume(60, 200, 70), volume(900, 1300, 1)] {
            for (cells, shots) in [(0, 1), (6, 1), (6, 2)] {
                let refused = plan(n, cells, shots);
                for limits in &tight {
                    for kernel in kernels(&refused) {
                        let fits = |n| {
                            let plan = plan(n, cells, shots);
                            let demand = Demand::new(&whole(&plan), stepping(kernel, 1), shots, 1);
                            demand.passes(limits).is_none()
                        };
                        if fits(n) {
                            continue;
                        }
                        let name = kernel.name;
                        let largest = largest_model(&refused, stepping(kernel, 1), shots, limits);
                        let largest = largest.expect("a few nodes fit");
                        assert!(
                            largest.z < n.z && fits(largest),
                            "{name}, {limits:?}: {largest:?}"
                        );
                        let y = if n.y > 1 { largest.y + 1 } else { 1 };
                        let next = Axes { z: largest.z + 1, x: largest.x + 1, y };
                        assert!(!fits(next), "{name}, {limits:?}: {largest:?} of {n:?}");
                        let in_shape = n.z * largest.x / n.x;
                        assert!(largest.z.abs_diff(in_shape) <= 2, "{largest:?} of {n:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn nothing_fits_where_no_model_is_small_enough() {
        let plan = plan(Axes { z: 9, x: 9, y: 9 }, 6, 1);
        let kernel = kernels(&plan).next().expect("a kernel for volumes");
        let limits = Limits { binding: 4, ..ROOMY };
        assert_eq!(largest_model(&plan, stepping(kernel, 1), 1, &limits), None);
    }

    #[test]
    fn a_volume_is_cut_no_finer_than_it_must_be() {
        let plan = whole(&plan(Axes { z: 20, x: 30, y: 40 }, 0, 1));
        for kernel in kernels(&plan.plan) {
            let stepping = Stepping { kernel, slabs: None, sleep: Sleep::ByRule };
            let field = |slabs| Demand::new(&plan, stepping, 1, slabs).bound[0].bytes;
            assert_eq!(part::most(&plan), 10);
            for slabs in 1..=10 {
                let limits = Limits { binding: field(slabs), ..ROOMY };
                let cut = fewest(&plan, stepping, 1, &limits).expect("it fits");
                assert!(cut <= slabs && field(cut) == field(slabs), "{cut} for {slabs}");
            }
            // Four planes and their ghosts are the minimum.
            let limits = Limits { binding: field(10) - 1, ..ROOMY };
            let (slabs, limit) =
                fewest(&plan, stepping, 1, &limits).expect_err("a plane is too large");
            assert_eq!(slabs, 10);
            assert!(matches!(limit, Limit::Binding { most, .. } if most == limits.binding));
            let most = Bounded { bytes: 1000, ..Bounded::NONE };
            let limits = Limits { host: most, ..ROOMY };
            assert_eq!(fewest(&plan, stepping, 1, &limits), Err((1, Limit::Host { most })));
        }
    }
}
