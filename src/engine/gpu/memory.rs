//! What a simulation takes on a device, array by array, and whether the device takes it. Nothing is
//! allocated to find out.

use super::{
    acquisition,
    device::Device,
    kernels::StepKernel,
    layers,
    model::ModelStorage,
    staging::IN_FLIGHT,
    tap::{self, watchdog_groups},
};
use crate::{
    engine::{
        EngineError, Layout,
        shortage::{Arrays, Limit, Shortage, largest, most},
    },
    grid::Axes,
    plan::{Plan, Tap},
};

/// What a batch may take, host included: more shots at once than fill a device gain nothing.
const BATCH_BYTES: u64 = 1 << 30;
/// A value, or a place of one.
const VALUE: u64 = 4;

/// Limits of a device that arrays and dispatches can pass. It does not tell how much memory it has.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// What a shader sees of a buffer, bytes.
    binding: u64,
    /// A buffer, bytes.
    buffer: u64,
    /// Workgroups along an axis of a dispatch.
    workgroups: u64,
}

impl Limits {
    pub fn of(device: &Device) -> Self {
        let limits = device.limits();
        Limits {
            // Places within a batch are 32-bit.
            binding: device.largest_binding().min(VALUE * u64::from(u32::MAX)),
            buffer: limits.max_buffer_size,
            workgroups: u64::from(limits.max_compute_workgroups_per_dimension),
        }
    }
}

/// How a Plan is stepped.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub kernel: &'static StepKernel,
    pub model: ModelStorage,
}

/// What it takes to run some shots of a Plan at once.
struct Demand {
    /// What shaders see.
    bound: Vec<Arrays>,
    /// What the host reads.
    staged: Vec<Arrays>,
    /// Workgroups of the longest axis of a dispatch.
    workgroups: u64,
}

impl Demand {
    fn new(plan: &Plan, way: Way, shots: usize) -> Self {
        let layout = Layout::new(plan);
        let regions = way.kernel.regions(plan, &layout);
        let receivers = plan.most_receivers();
        let sources = plan.shots.iter().map(|shot| shot.sources.len()).max().unwrap_or(0);
        let n = plan.grid.n;
        let along_y = if plan.grid.is_volume() { n.y } else { 0 };
        let copies = if plan.velocities.len() == 1 { 1 } else { shots };
        let losses = copies * layers::losses_len(plan).iter().sum::<usize>();

        let arrays = |name, count: usize, values: usize| Arrays {
            name,
            count: count as u64,
            bytes: VALUE * values as u64,
        };
        let field = shots * layout.len();
        let focus = tap::focus_len(plan, shots);
        let traces = tap::rows_of(plan, shots) * shots * receivers;
        let bound = vec![
            arrays("the wavefield p at a step", 2, field),
            arrays("the model, (v dt)^2", 1, copies * layout.len() * way.model.bytes() / 4),
            arrays("the absorbing layers", 1, shots * layers::memory_len(plan)),
            arrays(
                "the coefficients of the layers",
                1,
                4 * (n.x + n.z.next_multiple_of(4) + along_y + losses),
            ),
            arrays("the first source of each tile", 1, shots * regions.tiles() + 1),
            arrays("the sources", 1, acquisition::SOURCE_LEN * shots * sources),
            arrays("the wavelets", 1, plan.wavelets.len() * plan.time.steps),
            arrays("the receivers", 1, shots * receivers * acquisition::record_len(plan)),
            arrays("the traces", 1, traces),
            arrays("the focus", 2, focus.map),
            arrays("the windows of the focus", 1, focus.windows),
            arrays("the mask of the focus", 1, focus.mask),
            arrays("the summaries of the focus", 1, focus.summaries),
        ];
        let snapshots = plan.taps.iter().any(|tap| matches!(tap, Tap::Snapshots { .. }));
        let staged = vec![
            arrays("the traces on their way out", IN_FLIGHT, traces),
            arrays("snapshots on their way out", IN_FLIGHT, if snapshots { field } else { 0 }),
            arrays("the focus on its way out", 2 * IN_FLIGHT, focus.staged),
            arrays("the summaries on their way out", IN_FLIGHT, focus.summaries),
        ];
        let groups = [
            regions.most_groups(receivers),
            regions.most_planes() * shots,
            receivers.div_ceil(regions.first().shape.invocations()),
        ];
        let watchdog = watchdog_groups(n, shots);
        let workgroups = groups.into_iter().chain(watchdog).max().unwrap_or(0) as u64;
        Demand { bound, staged, workgroups }
    }

    /// The first limit that it passes.
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

/// Refuses what passes a limit with so many shots at once.
pub fn check(device: &Device, plan: &Plan, way: Way, shots: usize) -> Result<(), EngineError> {
    let limits = Limits::of(device);
    match Demand::new(plan, way, shots).passes(&limits) {
        None => Ok(()),
        Some(limit) => {
            let largest = largest_model(plan, way, shots, &limits);
            Err(shortage(device, plan, way, shots, limit, largest))
        }
    }
}

/// The error for a Plan whose arrays the device has no room for.
pub fn full(device: &Device, plan: &Plan, way: Way, said: String) -> EngineError {
    shortage(device, plan, way, plan.shots.len(), Limit::Memory { said }, None)
}

fn shortage(
    device: &Device,
    plan: &Plan,
    way: Way,
    shots: usize,
    limit: Limit,
    largest: Option<Axes<usize>>,
) -> EngineError {
    let arrays = Demand::new(plan, way, shots).arrays().copied().collect();
    let device = device.info.name.clone();
    EngineError::DoesNotFit(Box::new(Shortage { device, limit, arrays, shots, largest }))
}

/// The shots of a Plan that are good to run at once, where one fits.
pub fn batch(device: &Device, plan: &Plan, way: Way) -> usize {
    let limits = Limits::of(device);
    let gather = VALUE * (plan.most_receivers() * plan.time.samples) as u64;
    let fits = |shots| {
        let demand = Demand::new(plan, way, shots);
        demand.passes(&limits).is_none() && demand.bytes() + shots as u64 * gather <= BATCH_BYTES
    };
    // Sets of shots that must advance together are not torn.
    let together = plan.together();
    together * most(plan.shots.len() / together, |sets| fits(sets * together)).max(1)
}

/// Nodes of the largest model of the same shape with which so many shots fit.
fn largest_model(plan: &Plan, way: Way, shots: usize, limits: &Limits) -> Option<Axes<usize>> {
    largest(plan, |plan| Demand::new(plan, way, shots).passes(limits).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        acquisition::{Ricker, Shot, Source, SourceKind, TimeDispersion, Wavelet},
        boundary::{Absorber, Boundary, Cpml, Top},
        engine::gpu::{Gpu, KERNELS, list},
        model::VelocityModel,
        plan::{Condition, Focus, Mask, Setup, Step, Time},
        stencil::Family,
    };
    use ndarray::Array3;
    use std::collections::BTreeSet;

    /// Shots with two receivers each, layers above and below too, a snapshot.
    fn plan(n: Axes<usize>, cells: usize, shots: usize) -> Plan {
        let at = Axes::default();
        let wavelet = Wavelet::Ricker(Ricker { peak_hz: 10.0, delay: 0.1 });
        let source = Source { kind: SourceKind::Monopole, at, wavelet, amplitude: 1.0 };
        let shot = Shot { sources: vec![source; 3], receivers: vec![at; 2].into() };
        let sides = match cells {
            0 => Absorber::Zero,
            cells => Absorber::Cpml(Cpml::new(cells)),
        };
        let velocity = Array3::from_elem((n.y, n.x, n.z), 2000.0);
        let setup = Setup {
            model: VelocityModel::volume(velocity, Axes { z: 9.0, x: 10.0, y: 11.0 })
                .expect("a valid model"),
            operator: Family::Taylor { order: 8 },
            boundary: Boundary { top: Top::Absorb, sides },
            time: Time {
                duration: 0.1,
                step: Step::Auto,
                record: None,
                dispersion: TimeDispersion::Kept,
            },
            shots: vec![shot; shots],
            snapshots: vec![0.05],
            initial: None,
            allow_unstable: false,
        };
        Plan::new(setup).expect("a valid setup")
    }

    const ROOMY: Limits = Limits { binding: u64::MAX, buffer: u64::MAX, workgroups: u64::MAX };

    fn way(kernel: &'static StepKernel) -> Way {
        Way { kernel, model: ModelStorage::F32 }
    }

    fn kernels(plan: &Plan) -> impl Iterator<Item = &'static StepKernel> {
        KERNELS.iter().filter(|kernel| kernel.is_for(plan.grid.is_volume()))
    }

    /// The Plan of the size that is named passes no limit; the next larger one of the shape does.
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
                            let demand = Demand::new(&plan(n, cells, shots), way(kernel), shots);
                            demand.passes(limits).is_none()
                        };
                        if fits(n) {
                            continue;
                        }
                        let name = kernel.name;
                        let largest = largest_model(&refused, way(kernel), shots, limits);
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
        assert_eq!(largest_model(&plan, way(kernel), 1, &limits), None);
    }

    /// What the list says is what the device is asked for.
    #[test]
    fn the_list_is_what_is_allocated() {
        let labels = [
            ("the wavefield p at a step", "p"),
            ("the model, (v dt)^2", "(v dt)^2"),
            ("the absorbing layers", "layer memory"),
            ("the coefficients of the layers", "layers"),
            ("the first source of each tile", "source tiles"),
            ("the sources", "sources"),
            ("the wavelets", "wavelets"),
            ("the receivers", "receivers"),
            ("the traces", "traces"),
            ("the traces on their way out", "traces out"),
            ("snapshots on their way out", "snapshot"),
            ("the focus", "focus"),
            ("the windows of the focus", "focus windows"),
            ("the focus on its way out", "focus out"),
            ("the mask of the focus", "focus mask"),
            ("the summaries of the focus", "focus summaries"),
            ("the summaries on their way out", "focus summaries out"),
        ];
        for adapter in list(false).iter().filter(|adapter| adapter.lacks.is_empty()) {
            let gpu = Gpu::open(adapter, false).expect("an adapter that lacks nothing opens");
            let mut seen = BTreeSet::new();
            for n in [Axes { z: 70, x: 90, y: 1 }, Axes { z: 40, x: 30, y: 35 }] {
                let condition = Condition::Energy { quarter: 2 };
                let focus = Focus { every: 1, groups: 3, condition };
                let plan = plan(n, 6, 3);
                let mask = Mask::new(&plan.model_grid, &[], 0.0);
                for plan in [plan.clone().focused(focus), plan.summarised(focus, mask)] {
                    seen.extend(are_allocated(&gpu, &plan, &labels));
                }
            }
            assert!(seen.is_empty() || seen.len() == labels.len(), "{seen:?}");
        }
    }

    /// The names of a Plan's arrays, whose buffers have been looked at by their labels.
    fn are_allocated(gpu: &Gpu, plan: &Plan, labels: &[(&str, &str)]) -> Vec<&'static str> {
        let run = crate::engine::Engine::start(gpu, plan).expect("it fits");
        let Some(report) = gpu.device.wgpu.generate_allocator_report() else {
            println!("NOT RUN on {}: it does not report its memory", gpu.device.info.name);
            return Vec::new();
        };
        let kernel = gpu.kernel(plan).expect("a kernel");
        let demand = Demand::new(plan, way(kernel), 3);
        for array in demand.arrays() {
            let label = labels.iter().find(|(name, _)| *name == array.name);
            let (_, label) = label.expect("a label");
            let of = report.allocations.iter().filter(|found| found.name == *label);
            let sizes: Vec<_> = of.map(|found| found.size).collect();
            let name = array.name;
            assert_eq!(sizes.len() as u64, array.count, "{name}");
            // A driver may round sizes up; sources of the same four nodes are stored as one.
            let least = if name == "the sources" { 16 } else { array.bytes.max(16) };
            let rounded = least..array.bytes.max(16) + 1024;
            assert!(sizes.iter().all(|size| rounded.contains(size)), "{name}: {sizes:?}");
        }
        drop(run);
        demand.arrays().map(|array| array.name).collect()
    }
}
