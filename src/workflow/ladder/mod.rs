//! The ladder: the same stencil on every level of a GPU's memory, each timed within one run.

mod case;
mod copy;
mod rungs;
mod sweep;
mod timing;

pub use case::{Case, CaseError, Operator, THESIS};
pub use copy::{Copied, Thesis, Trip, copy};
pub use rungs::{RUNGS, Rung, Runner};
pub use sweep::{Chart, Point, Series, Sweep, Swept, sweep};
pub use timing::{Clock, Measured, SAMPLES, Timed, race};

use crate::{
    engine::{
        Engine, EngineError,
        cpu::{Parallel, Scalar},
        gpu::{
            Gpu,
            bench::{Bench, BenchError, Chain, EMPTY, STREAM, Update, Workgroup},
        },
    },
    plan::Plan,
};
use serde::Serialize;
use std::ops::ControlFlow;

/// Why there is no ladder.
#[derive(Debug, thiserror::Error)]
pub enum LadderError {
    /// The grid or the operator cannot be.
    #[error(transparent)]
    Case(#[from] CaseError),
    /// The device failed, or cannot hold the grid.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// A line of a finished ladder.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Number of the rung.
    pub rung: usize,
    /// What it is.
    pub name: &'static str,
    /// What differs from the rung before.
    pub change: &'static str,
    /// What becomes of the Laplacian.
    pub update: Update,
    /// A part of a rung, timed apart.
    pub part: bool,
    /// With run-time checks.
    pub checked: bool,
    /// Kernels and their workgroups; empty for an engine.
    pub kernels: Named,
    /// What a step takes; `None` where it was not run.
    pub time: Option<Measured>,
    /// Why it was not run.
    pub refused: Option<String>,
    /// 10^9 nodes a second.
    pub gpts: Option<f64>,
    /// 10^9 bytes a second, counting what must be moved at the least (8 a node for the Laplacian, 16 for the wave).
    pub gb_per_s: Option<f64>,
    /// `gb_per_s` over that of the stream ceiling.
    pub of_ceiling: Option<f64>,
    /// Times as fast as the rung before.
    pub against_previous: Option<f64>,
    /// Times as fast as one thread of the CPU.
    pub against_one_thread: Option<f64>,
    /// The thesis' microseconds on a Tesla K20m (rung 1: a Xeon E5), for its own grid.
    pub thesis_us: Option<f64>,
}

/// A finished ladder of one case.
#[derive(Clone, Debug, Serialize)]
pub struct Ladder {
    /// Grid and operator.
    pub case: Case,
    /// Three reads and a write of vec4 over the same arrays; `None` without a GPU.
    pub ceiling: Option<Bound>,
    /// An all but empty dispatch a step; `None` without a GPU.
    pub floor: Option<Measured>,
    /// Lines of both updates.
    pub rows: Vec<Row>,
}

/// The stream ceiling.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Bound {
    /// What a pass over the arrays takes.
    pub time: Measured,
    /// 10^9 bytes a second.
    pub gb_per_s: f64,
}

/// A CPU rung that takes longer than this for a step is left out.
const CPU_PATIENCE: f64 = 2.0;

/// Climbs the ladder on a GPU, or its first rung alone without one. `progress` hears the samples taken
/// out of all and may stop.
pub fn climb(
    gpu: Option<&Gpu>,
    case: Case,
    checked: bool,
    progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Result<Ladder, LadderError> {
    let plan = plan(gpu, case)?;
    let bench = gpu.map(|gpu| Bench::new(gpu, &plan)).transpose()?;
    let mut rows = Vec::new();
    // On the host, and on the device.
    let mut lanes: [Lane<'_>; 2] = Default::default();
    if let Some(bench) = &bench {
        for kernel in [&STREAM, &EMPTY] {
            let chain = bench.chain(&[(kernel, kernel.workgroup)], Update::Wave, checked);
            lanes[1].contestants.push(Box::new(chain.map_err(failed)?));
        }
    }
    for update in [Update::Laplacian, Update::Wave] {
        for rung in RUNGS.iter().filter(|rung| rung.has(update)) {
            let mut row = Row::new(rung, update);
            match prepare(gpu, bench.as_ref(), &plan, rung, update, checked)? {
                Ok((contestant, kernels)) => {
                    let lane = &mut lanes[usize::from(!rung.is_on_the_host())];
                    lane.rows.push(rows.len());
                    lane.contestants.push(contestant);
                    row.kernels = kernels;
                }
                Err(why) => row.refused = Some(why),
            }
            rows.push(row);
        }
    }
    let [mut host, mut device] = lanes;
    let before = timing::samples(host.contestants.len());
    let all = before + timing::samples(device.contestants.len());
    let on_host = race(&mut host.contestants, &mut |done, _| progress(done, all))?;
    let on_device = race(&mut device.contestants, &mut |done, _| progress(before + done, all))?;
    let bounds = if bench.is_some() { 2 } else { 0 };
    let host = host.rows.into_iter().zip(&on_host);
    for (row, time) in host.chain(device.rows.into_iter().zip(&on_device[bounds..])) {
        rows[row].time = Some(*time);
    }
    let ceiling = bench.as_ref().map(|bench| {
        let time = on_device[0];
        let bytes = Update::Wave.bytes() * bench.values() as f64;
        Bound { time, gb_per_s: 1e-9 * bytes / time.seconds }
    });
    let floor = bench.is_some().then(|| on_device[1]);
    compare(&mut rows, case.nodes(), ceiling.as_ref());
    Ok(Ladder { case, ceiling, floor, rows })
}

/// What takes turns, and the rows that its times belong to.
#[derive(Default)]
struct Lane<'a> {
    rows: Vec<usize>,
    contestants: Vec<Box<dyn Timed + 'a>>,
}

/// The Plan of a case, which the device is known to hold.
fn plan(gpu: Option<&Gpu>, case: Case) -> Result<Plan, LadderError> {
    case.check()?;
    if let Some(gpu) = gpu {
        Bench::check(gpu, case.nz, case.nx, case.operator.wing())?;
    }
    Ok(case.plan()?)
}

/// A refusal where none can be is a failure of the device.
fn failed(error: BenchError) -> EngineError {
    match error {
        BenchError::Engine(error) => error,
        refused => {
            EngineError::Device { device: "the device".into(), message: refused.to_string() }
        }
    }
}

/// Names and groupings of kernels.
type Named = Vec<(&'static str, Workgroup)>;
/// What runs, and its kernels; or why nothing does.
type Prepared<'a> = Result<(Box<dyn Timed + 'a>, Named), String>;

/// What runs a rung, or why it is not run.
fn prepare<'a>(
    gpu: Option<&Gpu>,
    bench: Option<&'a Bench<'_>>,
    plan: &'a Plan,
    rung: &Rung,
    update: Update,
    checked: bool,
) -> Result<Prepared<'a>, LadderError> {
    const NO_GPU: &str = "there is no GPU";
    let engine = |run| -> Prepared<'a> { Ok((Box::new(timing::Resident(run)), Vec::new())) };
    Ok(match rung.runner {
        Runner::OneThread => {
            let mut one = timing::OneThread(Scalar::new(plan), update);
            let seconds = one.sample(1)?.seconds;
            match seconds > CPU_PATIENCE {
                true => Err(format!("a step takes {seconds:.1} s")),
                false => Ok((Box::new(one), Vec::new())),
            }
        }
        Runner::Parallel => engine(Parallel.start(plan)?),
        Runner::Shot => match gpu {
            None => Err(NO_GPU.into()),
            Some(gpu) => {
                // Refuses what is too large for it.
                gpu.batch(plan)?;
                engine(gpu.start(plan)?)
            }
        },
        Runner::Kernel(_) | Runner::Pair(..) => match bench {
            None => Err(NO_GPU.into()),
            Some(bench) => fastest(bench, rung, update, checked || rung.checked)?,
        },
    })
}

/// Steps that tell the groupings of a kernel apart.
const TRIAL: usize = 20;

/// The fastest grouping of a rung's kernels, by a short trial.
fn fastest<'a>(
    bench: &'a Bench<'_>,
    rung: &Rung,
    update: Update,
    checked: bool,
) -> Result<Prepared<'a>, LadderError> {
    let mut best: Option<(f64, Chain<'a>, Named)> = None;
    let mut refusal = String::new();
    let all = rung.kernels();
    for kernels in &all {
        let mut chain = match bench.chain(kernels, update, checked) {
            Ok(chain) => chain,
            Err(BenchError::Engine(error)) => return Err(error.into()),
            Err(refused) => {
                refusal = refused.to_string();
                continue;
            }
        };
        let mut seconds = f64::INFINITY;
        if all.len() > 1 {
            chain.sample(2)?;
            for _ in 0..3 {
                seconds = seconds.min(chain.sample(TRIAL)?.seconds);
            }
        }
        if best.as_ref().is_none_or(|best| seconds < best.0) {
            let named = kernels.iter().map(|(kernel, workgroup)| (kernel.name, *workgroup));
            best = Some((seconds, chain, named.collect()));
        }
    }
    Ok(match best {
        Some((_, chain, named)) => Ok((Box::new(chain), named)),
        None => Err(refusal),
    })
}

impl Row {
    /// 10^9 nodes a second of the thesis' own hardware.
    pub fn thesis_gpts(&self) -> Option<f64> {
        self.thesis_us.map(|us| 1e-3 * THESIS.nodes() / us)
    }

    fn new(rung: &Rung, update: Update) -> Self {
        Row {
            rung: rung.number,
            name: rung.name,
            change: rung.change,
            update,
            part: rung.part,
            checked: rung.checked,
            kernels: Vec::new(),
            time: None,
            refused: None,
            gpts: None,
            gb_per_s: None,
            of_ceiling: None,
            against_previous: None,
            against_one_thread: None,
            thesis_us: rung.thesis_us.filter(|_| update == Update::Laplacian),
        }
    }
}

/// Fills in what follows from the times.
fn compare(rows: &mut [Row], nodes: f64, ceiling: Option<&Bound>) {
    // Of the update at hand: one thread, and the last whole rung.
    let mut seen: Option<(Update, Option<f64>, Option<f64>)> = None;
    for row in rows {
        let (_, one_thread, previous) = match &mut seen {
            Some(seen) if seen.0 == row.update => seen,
            seen => seen.insert((row.update, None, None)),
        };
        let Some(time) = row.time else { continue };
        let gb_per_s = 1e-9 * row.update.bytes() * nodes / time.seconds;
        row.gpts = Some(1e-9 * nodes / time.seconds);
        row.gb_per_s = Some(gb_per_s);
        row.of_ceiling = ceiling.map(|ceiling| gb_per_s / ceiling.gb_per_s);
        row.against_previous = previous.map(|previous| previous / time.seconds);
        row.against_one_thread = one_thread.map(|one_thread| one_thread / time.seconds);
        if one_thread.is_none() && row.rung == 1 {
            *one_thread = Some(time.seconds);
        }
        if !row.part {
            *previous = Some(time.seconds);
        }
    }
}
