//! The ladder: the same stencil on every level of a GPU's memory, each timed within one run.

mod case;
mod copy;
mod rungs;
mod sweep;
mod timing;

pub use case::{Case, CaseError, Operator, THESIS};
pub use copy::{CopyTimes, Thesis, TripTimes, copy};
pub use rungs::{RUNGS, Rung, Runner};
pub use sweep::{Chart, Point, Series, Sweep, SweepTimes, sweep};
pub use timing::{Clock, Measured, SAMPLES, Timed, race};

use crate::{
    engine::{
        Engine, EngineError,
        cpu::{Parallel, Scalar},
        gpu::{
            Gpu,
            bench::{Bench, BenchError, Chain, EMPTY, Kernel, STREAM, Update, Workgroup},
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
    /// The device does not take a kernel that it must.
    #[error(transparent)]
    Bench(BenchError),
}

impl From<BenchError> for LadderError {
    fn from(error: BenchError) -> Self {
        match error {
            BenchError::Engine(error) => LadderError::Engine(error),
            refused => LadderError::Bench(refused),
        }
    }
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
    pub kernels: Vec<(&'static str, Workgroup)>,
    /// What a step takes; `None` where it was not run.
    pub time: Option<Measured>,
    /// Why it was not run.
    pub refused: Option<String>,
    /// What must be moved for a node at the least.
    pub bytes: f64,
    /// 10^9 nodes a second.
    pub gpts: Option<f64>,
    /// 10^9 bytes a second, counting what must be moved at the least: `bytes` a node.
    pub gb_per_s: Option<f64>,
    /// `gb_per_s` over that of the stream ceiling.
    pub of_ceiling: Option<f64>,
    /// Times as fast as the rung before; `None` for a part of one.
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
    pub ceiling: Option<Ceiling>,
    /// An all but empty dispatch a step; `None` without a GPU.
    pub floor: Option<Measured>,
    /// Lines of both updates.
    pub rows: Vec<Row>,
}

/// The stream ceiling.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Ceiling {
    /// What a pass over the arrays takes.
    pub time: Measured,
    /// 10^9 bytes a second.
    pub gb_per_s: f64,
}

/// A CPU rung that takes longer than this for a step is left out.
const CPU_PATIENCE: f64 = 2.0;

/// Hears the samples taken out of all, (0, 0) while there are none yet, and may stop.
pub type Progress<'p> = dyn FnMut(usize, usize) -> ControlFlow<()> + 'p;

/// Asks whether to go on while nothing is counted.
fn listen(progress: &mut Progress<'_>) -> Result<(), EngineError> {
    match progress(0, 0) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(EngineError::Stopped { step: 0, steps: 0 }),
    }
}

/// Climbs the ladder on a GPU, or its first rung alone without one.
pub fn climb(
    gpu: Option<&Gpu>,
    case: Case,
    checked: bool,
    progress: &mut Progress<'_>,
) -> Result<Ladder, LadderError> {
    let plan = plan(gpu, case)?;
    let bench = gpu.map(|gpu| Bench::new(gpu, &plan)).transpose()?;
    let mut rows = Vec::new();
    // On the host, and on the device.
    let mut lanes: [Lane<'_>; 2] = Default::default();
    if let Some(bench) = &bench {
        for kernel in [&STREAM, &EMPTY] {
            let chain = bench.chain(&[(kernel, kernel.workgroup)], Update::Wave, false)?;
            lanes[1].contestants.push(Box::new(chain));
        }
        // Before groupings are compared.
        timing::wake(lanes[1].contestants[0].as_mut())?;
    }
    let site = Site { gpu, bench: bench.as_ref(), plan: &plan, checked };
    let mut kernels = Kernels::new();
    for update in [Update::Laplacian, Update::Wave] {
        for rung in RUNGS.iter().filter(|rung| rung.has(update) && !(checked && rung.checked)) {
            let mut row = Row::new(rung, update);
            listen(progress)?;
            let tried = if rung.checked { vec![kernels.clone()] } else { rung.kernels() };
            match site.prepare(rung, tried, update, progress)? {
                Ok((contestant, chosen)) => {
                    let lane = &mut lanes[usize::from(!rung.is_on_the_host())];
                    lane.rows.push(rows.len());
                    lane.contestants.push(contestant);
                    row.kernels = named(&chosen);
                    kernels = chosen;
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
        Ceiling { time, gb_per_s: 1e-9 * bytes / time.seconds }
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

/// Kernels that follow one another, and their groupings.
type Kernels = Vec<(&'static Kernel, Workgroup)>;
/// What runs, and its kernels; or why nothing does.
type Prepared<'a> = Result<(Box<dyn Timed + 'a>, Kernels), String>;

fn named(kernels: &Kernels) -> Vec<(&'static str, Workgroup)> {
    kernels.iter().map(|(kernel, workgroup)| (kernel.name, *workgroup)).collect()
}

/// What a ladder stands on.
struct Site<'a> {
    gpu: Option<&'a Gpu>,
    bench: Option<&'a Bench<'a>>,
    plan: &'a Plan,
    checked: bool,
}

/// What a trial of a grouping takes, seconds.
const TRIAL_SECONDS: f64 = 0.002;
/// Trials of each grouping, the fastest of which counts.
const TRIALS: usize = 3;

impl<'a> Site<'a> {
    /// What runs a rung, or why it is not run.
    fn prepare(
        &self,
        rung: &Rung,
        tried: Vec<Kernels>,
        update: Update,
        progress: &mut Progress<'_>,
    ) -> Result<Prepared<'a>, LadderError> {
        const NO_GPU: &str = "there is no GPU";
        let engine = |run| -> Prepared<'a> { Ok((Box::new(timing::Resident(run)), Vec::new())) };
        Ok(match rung.runner {
            Runner::OneThread => {
                let mut one = timing::OneThread(Scalar::new(self.plan), update);
                let seconds = one.sample(1)?.seconds;
                match seconds > CPU_PATIENCE {
                    true => Err(format!("a step takes {seconds:.1} s")),
                    false => Ok((Box::new(one), Vec::new())),
                }
            }
            Runner::Parallel => engine(Parallel.start(self.plan)?),
            Runner::Shot => match self.gpu {
                None => Err(NO_GPU.into()),
                Some(gpu) => {
                    // Refuses what is too large for it.
                    gpu.batch(self.plan)?;
                    engine(gpu.start(self.plan)?)
                }
            },
            Runner::Kernel(_) | Runner::Pair(..) => match self.bench {
                None => Err(NO_GPU.into()),
                Some(bench) => {
                    fastest(bench, tried, update, self.checked || rung.checked, progress)?
                }
            },
        })
    }
}

/// The fastest grouping of a rung's kernels, by short trials.
fn fastest<'a>(
    bench: &'a Bench<'_>,
    tried: Vec<Kernels>,
    update: Update,
    checked: bool,
    progress: &mut Progress<'_>,
) -> Result<Prepared<'a>, LadderError> {
    let mut best: Option<(f64, Chain<'a>, Kernels)> = None;
    let mut refusal = String::new();
    let alone = tried.len() == 1;
    for kernels in tried {
        listen(progress)?;
        let mut chain = match bench.chain(&kernels, update, checked) {
            Ok(chain) => chain,
            Err(BenchError::Engine(error)) => return Err(error.into()),
            Err(refused) => {
                refusal = refused.to_string();
                continue;
            }
        };
        let mut seconds = f64::INFINITY;
        if !alone {
            let steps = timing::warm_up(&mut chain, TRIAL_SECONDS)?;
            for _ in 0..TRIALS {
                seconds = seconds.min(chain.sample(steps)?.seconds);
            }
        }
        if best.as_ref().is_none_or(|best| seconds < best.0) {
            best = Some((seconds, chain, kernels));
        }
    }
    Ok(match best {
        Some((_, chain, kernels)) => Ok((Box::new(chain), kernels)),
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
            bytes: rung.bytes.unwrap_or(update.bytes()),
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
fn compare(rows: &mut [Row], nodes: f64, ceiling: Option<&Ceiling>) {
    // Of the update at hand: one thread, and the last whole rung.
    let mut seen: Option<(Update, Option<f64>, Option<f64>)> = None;
    for row in rows {
        let (_, one_thread, previous) = match &mut seen {
            Some(seen) if seen.0 == row.update => seen,
            seen => seen.insert((row.update, None, None)),
        };
        let Some(time) = row.time else { continue };
        let gb_per_s = 1e-9 * row.bytes * nodes / time.seconds;
        row.gpts = Some(1e-9 * nodes / time.seconds);
        row.gb_per_s = Some(gb_per_s);
        row.of_ceiling = ceiling.map(|ceiling| gb_per_s / ceiling.gb_per_s);
        // A part of a rung is no rung; with checks it is the same rung.
        let comparable = previous.filter(|_| !row.part || row.checked);
        row.against_previous = comparable.map(|previous| previous / time.seconds);
        row.against_one_thread = one_thread.map(|one_thread| one_thread / time.seconds);
        if one_thread.is_none() && row.rung == 1 {
            *one_thread = Some(time.seconds);
        }
        if !row.part {
            *previous = Some(time.seconds);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_compared_within_their_update_and_parts_with_nothing() {
        let time = |seconds| Measured {
            seconds,
            fastest: seconds,
            slowest: seconds,
            wall: seconds,
            samples: SAMPLES,
            steps: 1,
            clock: Clock::Device,
        };
        let mut rows: Vec<Row> = [Update::Laplacian, Update::Wave]
            .into_iter()
            .flat_map(|update| {
                RUNGS.iter().filter(move |rung| rung.has(update)).map(move |rung| (rung, update))
            })
            .enumerate()
            .map(|(k, (rung, update))| Row {
                time: Some(time(1.0 / (k + 1) as f64)),
                ..Row::new(rung, update)
            })
            .collect();
        let ceiling = Ceiling { time: time(1.0), gb_per_s: 100.0 };
        compare(&mut rows, 1e9, Some(&ceiling));
        let find = |name: &str, update| {
            let row = rows.iter().find(|row| row.name == name && row.update == update);
            row.expect("a row")
        };
        // The Laplacian: one thread, 2, 3, 4, 5 and its two parts, 6 take 1, 1/2, ... 1/8 s.
        let minor = find("minor axis alone", Update::Laplacian);
        assert_eq!((minor.against_previous, minor.gpts), (None, Some(7.0)));
        // 12 bytes a node, 7 times 10^9 nodes a second.
        assert!((minor.of_ceiling.expect("a share") - 0.84).abs() < 1e-12);
        let six = find("workgroup memory, one pass", Update::Laplacian);
        assert!((six.against_previous.expect("a rung before") - 8.0 / 5.0).abs() < 1e-12);
        assert!((six.against_one_thread.expect("a thread") - 8.0).abs() < 1e-12);
        let first = find("CPU, one thread", Update::Wave);
        assert_eq!((first.against_previous, first.against_one_thread), (None, None));
        // A wave moves 16 bytes a node.
        assert!(
            (first.gb_per_s.expect("a rate") / first.gpts.expect("a rate") - 16.0).abs() < 1e-9
        );
    }
}
