//! The ladder: the same stencil on every level of a GPU's memory, each timed within one run.

#![warn(unreachable_pub)]

mod case;
mod copy;
mod devices;
mod error;
mod ete;
pub mod evolved;
mod fit;
mod imaging;
mod neighbours;
mod published;
mod rows;
mod rungs;
mod s1060;
mod scalar;
mod snapshots;
mod sweep;
mod timing;
pub mod usual;

pub use case::{Case, CaseError, Operator, Sweep, THESIS};
pub use copy::{CopyTimes, Thesis, TripTimes, copy};
pub use devices::{DevicesRow, DevicesTimes, Sharing, devices};
pub use error::LadderError;
pub(crate) use ete::ETE_PAPER;
pub use ete::{
    ETE_BINS, EteCase, EteModelTimes, EteRow, EteTimes, VelocityLayout, ete, tables as ete_tables,
};
pub use imaging::{GatherTimes, ImagingTimes, LEAST as IMAGING_LEAST, imaging};
pub use neighbours::NeighboursRow;
pub(crate) use neighbours::neighbours;
pub(crate) use published::Published;
pub use rows::{Ceiling, Ladder, Row};
pub use rungs::{Rung, Runner, Source, VOLUME_RUNGS, rungs};
pub use s1060::{Tile, cases as paper, cases_of_devices as paper_of_devices};
pub use scalar::Scalar;
pub use snapshots::{STEPS as SNAPSHOT_STEPS, SnapshotRow, SnapshotTimes, snapshots};
pub use sweep::{Chart, Point, Series, SweepTimes, sweep};
pub use timing::{Clock, Measured, Progress};
pub(crate) use timing::{Timed, race};

use crate::{
    engine::tune,
    engine::{
        Engine,
        cpu::Parallel,
        gpu::{
            Gpu, Sleep,
            bench::{BOUNDS, Bench, Kernel, Update, Workgroup},
        },
    },
    plan::Plan,
};
use fit::plan;
use huygens_engine as engine;
use huygens_numbers::{acquisition, boundary, grid, host, model, plan, stencil};
use rows::compare;
use std::sync::Arc;
use timing::Tried;

/// CPU rungs with a longer step, s, are left out.
const CPU_PATIENCE: f64 = 2.0;

/// The rungs to time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Every rung with every update.
    All,
    /// Rungs of bare kernels of one step per pass without run-time checks, with one update.
    Kernels(Update),
}

impl Reach {
    fn updates(self) -> Vec<Update> {
        match self {
            Reach::All => vec![Update::Laplacian, Update::Wave],
            Reach::Kernels(update) => vec![update],
        }
    }

    /// True if it includes a rung.
    pub fn takes(self, rung: &Rung) -> bool {
        let bare = matches!(rung.runner, Runner::Kernel(_) | Runner::Pair(..));
        self == Reach::All || (bare && !rung.part && rung.steps() == 1)
    }
}

/// Times a case's ladder on a GPU, or its first rung alone without one.
pub fn climb(
    gpu: Option<&Gpu>,
    case: Case,
    reach: Reach,
    checked: bool,
    progress: &mut Progress<'_>,
) -> Result<Ladder, LadderError> {
    timing::now(climb_async(gpu, case, reach, checked, progress))
}

/// [`climb`] for programs that may not block.
pub async fn climb_async(
    gpu: Option<&Gpu>,
    case: Case,
    reach: Reach,
    checked: bool,
    progress: &mut Progress<'_>,
) -> Result<Ladder, LadderError> {
    let plan = plan(gpu, case)?;
    let bench = gpu.map(|gpu| Bench::new(gpu, &plan)).transpose()?;
    let mut rows = Vec::new();
    // On the host, and on the device.
    let mut lanes: [Lane<'_>; 2] = Default::default();
    if let Some(bench) = &bench {
        lanes[1].contestants = bounds(bench)?;
        // Before groupings are compared.
        timing::wake(lanes[1].contestants[0].as_mut()).await?;
    }
    let site = Site { gpu, bench: bench.as_ref(), plan: &plan, checked };
    for update in reach.updates() {
        // The rung before, and the fastest: (trial, number, kernels).
        let mut before = (f64::INFINITY, 0, Kernels::new());
        let mut fastest = before.clone();
        let taken = |rung: &&Rung| rung.has(update) && reach.takes(rung);
        for rung in rungs(&case).iter().filter(taken).filter(|rung| !(checked && rung.checked)) {
            let mut row = Row::new(rung, update, &case);
            timing::tell(progress, 0, 0)?;
            let unchecked = if matches!(rung.runner, Runner::Fastest) { &fastest } else { &before };
            let mut tried = rung.kernels(case.ny);
            if rung.checked && !unchecked.2.is_empty() {
                row.rung = unchecked.1;
                tried = vec![unchecked.2.clone()];
            }
            match site.prepare(rung, tried, update, progress).await? {
                Ok(Ready { contestant, kernels, seconds }) => {
                    let lane = &mut lanes[usize::from(!rung.is_on_the_host())];
                    lane.rows.push(rows.len());
                    lane.contestants.push(contestant);
                    row.describe(&kernels, case.operator.wing(), update);
                    before = (seconds, rung.number, kernels);
                    if seconds < fastest.0 && !rung.part {
                        fastest = before.clone();
                    }
                }
                Err(why) => row.refused = Some(why),
            }
            rows.push(row);
        }
    }
    let bounds = race_all(lanes, &mut rows, progress).await?;
    let ceiling = bench.as_ref().map(|bench| {
        let time = bounds[0];
        let bytes = Update::Wave.bytes(1) * bench.values() as f64;
        Ceiling { time, gb_per_s: 1e-9 * bytes / time.seconds }
    });
    let floor = bench.is_some().then(|| bounds[1]);
    compare(&mut rows, case.nodes(), ceiling.as_ref());
    Ok(Ladder { case, ceiling, floor, rows })
}

/// The kernels that bound every rung.
fn bounds<'a>(bench: &'a Bench<'_>) -> Result<Vec<Box<dyn Timed + 'a>>, LadderError> {
    let mut all: Vec<Box<dyn Timed + 'a>> = Vec::new();
    for kernel in BOUNDS {
        let chain = bench.chain(&[(kernel, kernel.workgroup)], Update::Wave, false)?;
        all.push(Box::new(chain));
    }
    Ok(all)
}

/// Times the contestants of the host, then those of the device, and returns the times of the device's
/// that have no row, which come first.
async fn race_all(
    [mut host, mut device]: [Lane<'_>; 2],
    rows: &mut [Row],
    progress: &mut Progress<'_>,
) -> Result<Vec<Measured>, LadderError> {
    let before = timing::samples(host.contestants.len());
    let all = before + timing::samples(device.contestants.len());
    let on_host = race(&mut host.contestants, &mut |done, _| progress(done, all)).await?;
    let mut bounds =
        race(&mut device.contestants, &mut |done, _| progress(before + done, all)).await?;
    let on_device = bounds.split_off(bounds.len() - device.rows.len());
    let host = host.rows.into_iter().zip(on_host);
    for (row, time) in host.chain(device.rows.into_iter().zip(on_device)) {
        rows[row].time = Some(time);
    }
    Ok(bounds)
}

/// Contestants that take turns, and the rows of their times.
#[derive(Default)]
struct Lane<'a> {
    rows: Vec<usize>,
    contestants: Vec<Box<dyn Timed + 'a>>,
}

/// Kernels that follow one another, and their groupings.
type Kernels = Vec<(&'static Kernel, Workgroup)>;
/// The contestant, or the reason for none.
type Prepared<'a> = Result<Ready<'a>, String>;

/// The contestant of a rung.
struct Ready<'a> {
    contestant: Box<dyn Timed + 'a>,
    /// Its kernels; empty for an engine.
    kernels: Kernels,
    /// Seconds per step by a short trial; infinite if not tried.
    seconds: f64,
}

impl<'a> Ready<'a> {
    fn engine(contestant: impl Timed + 'a) -> Self {
        let contestant = Box::new(contestant);
        Ready { contestant, kernels: Kernels::new(), seconds: f64::INFINITY }
    }
}

/// The fixed parts of a ladder.
struct Site<'a> {
    gpu: Option<&'a Gpu>,
    bench: Option<&'a Bench<'a>>,
    plan: &'a Plan,
    checked: bool,
}

impl<'a> Site<'a> {
    /// Prepares a rung, or returns the reason that it is not run.
    async fn prepare(
        &self,
        rung: &Rung,
        tried: Vec<Kernels>,
        update: Update,
        progress: &mut Progress<'_>,
    ) -> Result<Prepared<'a>, LadderError> {
        const NO_GPU: &str = "there is no GPU";
        let plan = || Arc::new(self.plan.clone());
        Ok(match rung.runner {
            Runner::OneThread => {
                let mut one = timing::OneThread(Scalar::new(self.plan), update);
                let seconds = one.sample(1).await?.seconds;
                match seconds > CPU_PATIENCE {
                    true => Err(format!("a step takes {seconds:.1} s")),
                    false => Ok(Ready::engine(one)),
                }
            }
            Runner::Parallel => Ok(Ready::engine(timing::Resident(Parallel.start(plan())?))),
            Runner::Shot => match self.gpu {
                None => Err(NO_GPU.into()),
                Some(gpu) => {
                    // Return the error of a Plan that is too large.
                    gpu.batch(self.plan)?;
                    let gpu = tune::by_rule(gpu, self.plan)?.with_sleep(Sleep::Never);
                    let run = gpu.begin(plan())?;
                    Ok(Ready::engine(timing::OnDevice(run)))
                }
            },
            Runner::Kernel(_) | Runner::Pair(..) | Runner::Fastest => match self.bench {
                None => Err(NO_GPU.into()),
                Some(bench) => {
                    let checked = self.checked || rung.checked;
                    let hardware = self.gpu.is_some_and(Gpu::is_hardware);
                    let chain = |kernels: &Kernels| bench.chain(kernels, update, checked);
                    let tried = timing::fastest(tried, chain, hardware, progress).await?;
                    tried.map(|Tried { chain, grouping, seconds }| Ready {
                        contestant: Box::new(chain),
                        kernels: grouping,
                        seconds,
                    })
                }
            },
        })
    }
}
