//! The memory of a simulation on a device, array by array, and whether it fits. Nothing is
//! allocated to find out.

use super::{
    acquisition,
    device::Device,
    exchange,
    kernels::StepKernel,
    layers,
    model::ModelStorage,
    part::{self, Part},
    tap::{self, arrays},
    wavefield, wavelets,
};
use crate::{
    engine::{
        EngineError,
        share::Share,
        shortage::{Arrays, Limit, Shortage, largest, most},
        transposed,
    },
    grid::Axes,
    host,
    plan::Plan,
};
use std::sync::Arc;

/// The most memory of a batch, with the host's: more shots than fill a device gain nothing.
const BATCH_BYTES: u64 = 1 << 30;
/// Size of a value or an index, bytes.
const VALUE: u64 = 4;

/// Limits of a device on arrays and dispatches. Devices do not report how much memory they have.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    binding: u64,
    buffer: u64,
    /// The most workgroups along an axis of a dispatch.
    workgroups: u64,
    /// Available host memory, bytes, if it is also the device's.
    host: u64,
}

impl Limits {
    pub fn of(device: &Device) -> Self {
        let limits = device.limits();
        Limits {
            // Indices within a batch are 32-bit.
            binding: device.largest_binding().min(VALUE * u64::from(u32::MAX)),
            buffer: limits.max_buffer_size,
            workgroups: u64::from(limits.max_compute_workgroups_per_dimension),
            host: match device.info.device_type {
                wgpu::DeviceType::Cpu => host::left().unwrap_or(u64::MAX),
                _ => u64::MAX,
            },
        }
    }
}

/// How a Plan is stepped.
#[derive(Clone, Copy, Debug)]
pub struct Stepping {
    pub kernel: &'static StepKernel,
    pub model: ModelStorage,
    /// The number of slabs, if given.
    pub slabs: Option<usize>,
}

/// The resources that some shots of a Plan need at once.
struct Demand {
    /// Arrays that shaders bind.
    bound: Vec<Arrays>,
    /// Arrays that the host reads.
    staged: Vec<Arrays>,
    /// Workgroups along the longest axis of a dispatch.
    workgroups: u64,
}

impl Demand {
    /// For a field in `slabs` slabs, with each array as large as in the largest slab.
    fn new(share: &Share, stepping: Stepping, shots: usize, slabs: usize) -> Self {
        let mut parts = Part::all(share, slabs).expect("no more than there may be");
        parts.extend(wavefield::mirrors(share).map(|(_, part)| part));
        // A ghost exchange has a workgroup along z for each shot and seam.
        let seams = exchange::seams(parts.len()) * shots;
        let demand = |part: &Part| Demand::of_part(&share.plan, part, stepping, shots);
        let all = parts.iter().map(demand).reduce(|mut all, other| {
            let larger = |arrays: &mut Vec<Arrays>, others: Vec<Arrays>| {
                for (array, other) in arrays.iter_mut().zip(others) {
                    array.bytes = array.bytes.max(other.bytes);
                    array.count += if SHARED.contains(&array.name) { 0 } else { other.count };
                }
            };
            larger(&mut all.bound, other.bound);
            larger(&mut all.staged, other.staged);
            Demand { workgroups: all.workgroups.max(other.workgroups), ..all }
        });
        let all = all.expect("a part at least");
        Demand { workgroups: all.workgroups.max(seams as u64), ..all }
    }

    fn of_part(whole: &Plan, part: &Part, stepping: Stepping, shots: usize) -> Self {
        let Part { plan, layout, .. } = part;
        let regions = stepping.kernel.regions(part);
        let receivers = whole.most_receivers();
        let sources = plan.shots.iter().map(|shot| shot.sources.len()).max().unwrap_or(0);
        let n = plan.grid.n;
        let along_y = if plan.grid.is_volume() { n.y } else { 0 };
        let copies = if plan.velocities.len() == 1 { 1 } else { shots };
        let losses = copies * layers::losses_len(plan).iter().sum::<usize>();
        let layer_nodes = 4 * (n.x + n.z.next_multiple_of(4) + along_y + losses);
        let mut bound = vec![
            arrays("the wavefield p at a step", 2, shots * layout.len()),
            arrays("the model, (v dt)^2", 1, copies * layout.len() * stepping.model.bytes() / 4),
            arrays("the absorbing layers", 1, shots * layers::memory_len(plan)),
            arrays("the coefficients of the layers", 1, layer_nodes),
            arrays(
                "the sources and receivers",
                1,
                acquisition::len(whole, regions.tiles(), sources, shots),
            ),
            arrays("the wavelets", 1, plan.wavelets.len() * wavelets::samples(whole)),
        ];
        let places: usize = transposed::lens(plan).iter().sum();
        bound.push(arrays("the layers of the adjoint", 3, 2 * shots * places));
        let mut staged = Vec::new();
        let mut groups = [
            regions.most_groups(receivers),
            regions.most_planes() * shots,
            receivers.div_ceil(regions.first().shape.invocations()),
        ];
        for tap in tap::demand(whole, part, shots) {
            bound.extend(tap.bound);
            staged.extend(tap.staged);
            groups[0] = groups[0].max(tap.workgroups);
        }
        let workgroups = groups.into_iter().max().unwrap_or(0) as u64;
        Demand { bound, staged, workgroups }
    }

    /// The first limit that it exceeds.
    fn passes(&self, limits: &Limits) -> Option<Limit> {
        let beyond = |most: u64| move |array: &&Arrays| array.bytes > most;
        let bound = self.bound.iter().find(beyond(limits.binding));
        let staged = self.staged.iter().find(beyond(limits.buffer));
        let (needed, most) = (self.workgroups, limits.workgroups);
        bound
            .map(|array| Limit::Binding { array: *array, most: limits.binding })
            .or_else(|| staged.map(|array| Limit::Buffer { array: *array, most: limits.buffer }))
            .or_else(|| (needed > most).then_some(Limit::Workgroups { needed, most }))
    }

    fn arrays(&self) -> impl Iterator<Item = &Arrays> {
        self.bound.iter().chain(&self.staged).filter(|array| array.bytes > 0)
    }

    fn bytes(&self) -> u64 {
        self.arrays().map(Arrays::total).sum()
    }
}

/// Arrays that all slabs share.
const SHARED: [&str; 3] = ["the wavelets", "the traces", "the traces on their way out"];

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
    let full = || (demand.bytes() > limits.host).then_some(Limit::Host { most: limits.host });
    let Some(limit) = demand.passes(limits).or_else(full) else { return Ok(slabs) };
    // A limit that no cut helps is reported for the whole.
    let whole = Demand::new(share, stepping, shots, 1).passes(limits);
    Err((if whole.as_ref() == Some(&limit) { 1 } else { slabs }, limit))
}

/// The number of slabs for the shots of a share; an error if no number meets the limits.
pub fn slabs(
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
pub fn full(device: &Device, share: &Share, stepping: Stepping, said: String) -> EngineError {
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
pub fn batch(device: &Device, plan: &Plan, stepping: Stepping) -> usize {
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
pub mod tests {
    use super::*;
    use crate::{
        acquisition::{Shot, Source, Wavelet},
        boundary::{Absorber, Boundary, Cpml, Top},
        engine::gpu::{Gpu, KERNELS, list},
        model::VelocityModel,
        plan::{Condition, Focus, Mask, Setup},
        stencil::Family,
    };
    use ndarray::Array3;
    use std::collections::BTreeSet;

    /// Shots with two receivers each, layers above and below too, a snapshot.
    pub fn plan(n: Axes<usize>, cells: usize, shots: usize) -> Plan {
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
        let setup = Setup {
            operator: Family::Taylor { order: 8 },
            boundary: Boundary { top: Top::Absorb, sides },
            snapshots: vec![0.05],
            ..Setup::new(model, shots, 0.1)
        };
        Plan::new(setup).expect("a valid setup")
    }

    const ROOMY: Limits =
        Limits { binding: u64::MAX, buffer: u64::MAX, workgroups: u64::MAX, host: u64::MAX };

    fn stepping(kernel: &'static StepKernel, slabs: usize) -> Stepping {
        Stepping { kernel, model: ModelStorage::F32, slabs: Some(slabs) }
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
            let stepping = Stepping { kernel, model: ModelStorage::F32, slabs: None };
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
            let limits = Limits { host: 1000, ..ROOMY };
            assert_eq!(fewest(&plan, stepping, 1, &limits), Err((1, Limit::Host { most: 1000 })));
        }
    }

    /// The listed arrays are those that are allocated.
    #[test]
    fn the_list_is_what_is_allocated() {
        let labels = [
            ("the wavefield p at a step", "p"),
            ("the model, (v dt)^2", "(v dt)^2"),
            ("the absorbing layers", "layer memory"),
            ("the coefficients of the layers", "layers"),
            ("the sources and receivers", "sources and receivers"),
            ("the wavelets", "wavelets"),
            ("the traces", "traces"),
            ("the traces on their way out", "traces out"),
            ("snapshots on their way out", "snapshot"),
            ("the focus", "focus"),
            ("the windows of the focus", "focus windows"),
            ("the focus on its way out", "focus out"),
            ("the mask of the focus", "focus mask"),
            ("the summaries of the focus", "focus summaries"),
            ("the summaries on their way out", "focus summaries out"),
            ("the correlations", "correlations"),
            ("the correlations on their way out", "correlations out"),
        ];
        for adapter in list(false).iter().filter(|adapter| adapter.lacks.is_empty()) {
            let gpu = Gpu::open(adapter, false).expect("an adapter that lacks nothing opens");
            let mut seen = BTreeSet::new();
            for n in [Axes { z: 70, x: 90, y: 1 }, Axes { z: 40, x: 30, y: 35 }] {
                let condition = Condition::Energy { quarter: 2 };
                let focus = Focus { every: 1, groups: 3, condition };
                let plan = plan(n, 6, 6).correlated(2);
                let mask = Mask::new(&plan.model_grid, &[], 0.0);
                for plan in [plan.clone().focused(focus), plan.summarised(focus, mask)] {
                    for slabs in [1, 3] {
                        seen.extend(are_allocated(&gpu.with_slabs(slabs), &plan, slabs, &labels));
                    }
                }
            }
            assert!(seen.is_empty() || seen.len() == labels.len(), "{seen:?}");
        }
    }

    /// Compares a Plan's arrays by name with the buffers' labels.
    fn are_allocated(
        gpu: &Gpu,
        plan: &Plan,
        slabs: usize,
        labels: &[(&str, &str)],
    ) -> Vec<&'static str> {
        let run = crate::engine::Engine::start(gpu, Arc::new(plan.clone())).expect("it fits");
        let Some(report) = gpu.device.wgpu.generate_allocator_report() else {
            println!("NOT RUN on {}: it does not report its memory", gpu.device.info.name);
            return Vec::new();
        };
        let kernel = gpu.kernel(plan).expect("a kernel");
        let demand = Demand::new(&whole(plan), stepping(kernel, slabs), 6, slabs);
        for array in demand.arrays() {
            let label = labels.iter().find(|(name, _)| *name == array.name);
            let (_, label) = label.expect("a label");
            let of = report.allocations.iter().filter(|found| found.name == *label);
            let sizes: Vec<_> = of.map(|found| found.size).collect();
            let name = array.name;
            assert_eq!(sizes.len() as u64, array.count, "{name}");
            // A driver may round sizes up; sources in the same quad of nodes are stored as one.
            let sources = plan.shots.iter().map(|shot| shot.sources.len()).max().unwrap_or(0);
            let stored_as_one = match name {
                "the sources and receivers" => 6 * 32 * sources as u64,
                _ => 0,
            };
            let least = (array.bytes - stored_as_one).max(16);
            let rounded = least..array.bytes.max(16) + 1024;
            // With several slabs, the largest counts.
            let largest = sizes.iter().max().expect("one at least");
            assert!(rounded.contains(largest), "{name}: {sizes:?}");
            assert!(slabs > 1 || sizes.iter().all(|size| rounded.contains(size)), "{sizes:?}");
        }
        drop(run);
        demand.arrays().map(|array| array.name).collect()
    }
}
