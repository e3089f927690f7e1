//! The resources that a simulation needs on a device, array by array, and the limits of a device.

use crate::{
    gpu::{
        acquisition,
        device::Device,
        exchange,
        kernels::StepKernel,
        layers, model,
        part::Part,
        sleep::{self, Sleep},
        tap::{self, Demand, TRACES, arrays},
        wavefield, wavelets,
    },
    host::{self, Bounded},
    plan::Plan,
    share::Share,
    shortage::{Arrays, Limit},
    transposed,
};

/// Size of a value or an index, bytes.
pub(super) const VALUE: u64 = 4;

/// Limits of a device on arrays and dispatches. Devices do not report how much memory they have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(super) binding: u64,
    pub(super) buffer: u64,
    /// The most workgroups along an axis of a dispatch.
    pub(super) workgroups: u64,
    /// Available host memory, if it is also the device's.
    pub(super) host: Bounded,
}

impl Limits {
    pub(crate) fn of(device: &Device) -> Self {
        let limits = device.limits();
        Limits {
            // Indices within a batch are 32-bit.
            binding: device.largest_binding().min(VALUE * u64::from(u32::MAX)),
            buffer: limits.max_buffer_size,
            workgroups: u64::from(limits.max_compute_workgroups_per_dimension),
            host: match device.info.device_type {
                wgpu::DeviceType::Cpu => host::left().unwrap_or(Bounded::NONE),
                _ => Bounded::NONE,
            },
        }
    }
}

/// How a Plan is stepped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stepping {
    pub(crate) kernel: &'static StepKernel,
    /// The number of slabs, if given.
    pub(crate) slabs: Option<usize>,
    pub(crate) sleep: Sleep,
}

/// The resources that some shots of a Plan need at once.
impl Demand {
    /// For a field in `slabs` slabs, with each array as large as in the largest slab.
    pub(super) fn new(share: &Share, stepping: Stepping, shots: usize, slabs: usize) -> Self {
        let mut parts = Part::all(share, slabs).expect("no more than there may be");
        parts.extend(wavefield::mirrors(share).map(|(_, part)| part));
        // A ghost exchange has a workgroup along z for each shot and seam.
        let seams = exchange::seams(parts.len()) * shots * share.plan.medium.fields();
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
        Demand { workgroups: all.workgroups.max(seams), ..all }
    }

    fn of_part(whole: &Plan, part: &Part, stepping: Stepping, shots: usize) -> Self {
        let Part { plan, layout, .. } = part;
        let regions = stepping.kernel.regions(part);
        let receivers = whole.most_receivers();
        let fields = shots * whole.medium.fields();
        let sources = plan.shots.iter().map(|shot| shot.sources.len()).max().unwrap_or(0);
        let n = plan.grid.n;
        let along_y = if plan.grid.is_volume() { n.y } else { 0 };
        let flags = match stepping.sleep.is_possible(whole, part, shots) {
            true => sleep::len(layout, shots),
            false => 0,
        };
        let layer_nodes = 4 * (n.x + n.z.next_multiple_of(4) + along_y);
        let mut bound = vec![
            arrays("the wavefield p at a step", 2, fields * layout.len() + flags),
            arrays("the model, (v dt)^2", 1, model::len(plan, layout, shots)),
            arrays("the absorbing layers", 1, fields * layers::memory_len(plan)),
            arrays("the coefficients of the layers", 1, layer_nodes),
            arrays(
                "the sources and receivers",
                1,
                acquisition::len(whole, regions.tiles(), sources, shots),
            ),
            arrays("the wavelets", 1, plan.wavelets.len() * wavelets::samples(whole)),
        ];
        let places: usize = transposed::lens(plan).iter().sum();
        bound.push(arrays("the layers of the adjoint", 2, 2 * fields * places));
        let workgroups = regions
            .most_groups(receivers)
            .max(regions.most_planes() * shots)
            .max(receivers.div_ceil(regions.first().shape.invocations()));
        let mut demand = Demand { bound, staged: Vec::new(), workgroups };
        for tap in tap::demand(whole, part, shots) {
            demand.bound.extend(tap.bound);
            demand.staged.extend(tap.staged);
            demand.workgroups = demand.workgroups.max(tap.workgroups);
        }
        demand
    }

    /// The first limit that it exceeds.
    pub(super) fn passes(&self, limits: &Limits) -> Option<Limit> {
        let beyond = |most: u64| move |array: &&Arrays| array.bytes > most;
        let bound = self.bound.iter().find(beyond(limits.binding));
        let staged = self.staged.iter().find(beyond(limits.buffer));
        let (needed, most) = (self.workgroups as u64, limits.workgroups);
        bound
            .map(|array| Limit::Binding { array: *array, most: limits.binding })
            .or_else(|| staged.map(|array| Limit::Buffer { array: *array, most: limits.buffer }))
            .or_else(|| (needed > most).then_some(Limit::Workgroups { needed, most }))
    }

    pub(super) fn arrays(&self) -> impl Iterator<Item = &Arrays> {
        self.bound.iter().chain(&self.staged).filter(|array| array.bytes > 0)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.arrays().map(Arrays::total).sum()
    }
}

/// Arrays that all slabs share.
const SHARED: [&str; 3] = ["the wavelets", TRACES.made, TRACES.staged];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        gpu::{
            Gpu, list,
            memory::{
                tests::{dense, plan, stepping},
                whole,
            },
        },
        grid::Axes,
        plan::{Condition, Focus, Mask},
    };
    use std::{collections::BTreeSet, sync::Arc};

    /// The listed arrays are those that are allocated.
    #[test]
    fn the_list_is_what_is_allocated() {
        // The arrays of taps have their names as labels.
        let labels = [
            ("the wavefield p at a step", "p"),
            ("the model, (v dt)^2", "(v dt)^2"),
            ("the absorbing layers", "layer memory"),
            ("the coefficients of the layers", "layers"),
            ("the sources and receivers", "sources and receivers"),
            ("the wavelets", "wavelets"),
        ];
        for adapter in list(false).iter().filter(|adapter| adapter.lacks.is_empty()) {
            let gpu = Gpu::open(adapter, false).expect("an adapter that lacks nothing opens");
            let mut seen = BTreeSet::new();
            for n in [Axes { z: 70, x: 90, y: 1 }, Axes { z: 40, x: 30, y: 35 }] {
                let condition = Condition::Energy { quarter: 2 };
                let focus = Focus { every: 1, groups: 3, condition };
                let plan = plan(n, 6, 6);
                let mask = Mask::new(&plan.model_grid, &[], 0.0);
                let dense = dense(n, 6, 6).focused(focus);
                for plan in [plan.clone().focused(focus), plan.summarised(focus, mask), dense] {
                    for slabs in [1, 3] {
                        seen.extend(are_allocated(&gpu.with_slabs(slabs), &plan, slabs, &labels));
                    }
                }
            }
            assert!(seen.is_empty() || seen.len() == labels.len() + 9, "{seen:?}");
        }
    }

    /// Compares a Plan's arrays by name with the buffers' labels.
    fn are_allocated(
        gpu: &Gpu,
        plan: &Plan,
        slabs: usize,
        labels: &[(&str, &str)],
    ) -> Vec<&'static str> {
        let run = crate::Engine::start(gpu, Arc::new(plan.clone())).expect("it fits");
        let Some(report) = gpu.device.wgpu.generate_allocator_report() else {
            println!("NOT RUN on {}: it does not report its memory", gpu.device.info.name);
            return Vec::new();
        };
        let kernel = gpu.kernel(plan).expect("a kernel");
        let demand = Demand::new(&whole(plan), stepping(kernel, slabs), 6, slabs);
        for array in demand.arrays() {
            let name = array.name;
            let label = labels.iter().find(|(of, _)| *of == name).map_or(name, |(_, label)| label);
            let of = report.allocations.iter().filter(|found| found.name == label);
            let sizes: Vec<_> = of.map(|found| found.size).collect();
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
