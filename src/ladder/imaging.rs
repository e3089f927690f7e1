//! The imaging kernels beside the propagation that they run in: a shot migrated with its offset
//! gathers, as timed by Al Theyab and Clapp (SEP-138).

use super::{
    Case, CaseError, LadderError, Progress,
    case::{SPACING, unit},
    timing::{self, median, tell},
};
use crate::{
    engine::{
        Engine, EngineError, Run,
        gpu::{
            GATHER_KERNELS, GatherKernel, Gpu,
            bench::{Bench, STREAM, Update, largest_field},
        },
    },
    grid::{Axes, Axis},
    plan::{Imaging, Offsets, Plan},
};
use ndarray::Array2;
use serde::Serialize;
use std::sync::Arc;

/// Steps, steps per imaging step, and the largest offset, cells: the case of the paper's figure 5.
const STEPS: usize = 1000;
const EVERY: usize = 10;
const MOST: usize = 40;
const OFFSETS: usize = 2 * MOST + 1;
/// Receivers, evenly along the top.
const RECEIVERS: usize = 32;
/// Samples of each; the median counts.
const SAMPLES: usize = 3;
/// Nodes along a line, and offsets of each, of the tile that the paper counts accesses of.
const TILE: f64 = 16.0;

/// A finished ladder of imaging kernels.
#[derive(Clone, Debug, Serialize)]
pub struct ImagingTimes {
    /// Grid and operator.
    pub case: Case,
    /// Steps of either wave.
    pub steps: usize,
    /// Steps that correlate both waves.
    pub imaging_steps: usize,
    /// Offsets per node.
    pub offsets: usize,
    /// Bandwidth of a pass of three reads and a write over arrays of that size, 10^9 bytes/s.
    pub ceiling_gb_per_s: f64,
    /// Time of one wave, s.
    pub propagation_seconds: f64,
    /// Nx Nz Nt over that, 10^9 nodes/s.
    pub propagation_gpts: f64,
    /// Memory accesses of a line of 16 nodes with 16 offsets each, by the paper's count: by the naive
    /// kernel, and by the staged one.
    pub tile_accesses: [f64; 2],
    /// One row per kernel, along z and along x.
    pub rows: Vec<GatherTimes>,
}

/// Time of a kernel with offsets along an axis.
#[derive(Clone, Debug, Serialize)]
pub struct GatherTimes {
    /// Name of the kernel.
    pub kernel: &'static str,
    /// The axis of the offsets.
    pub along: Axis,
    /// Both waves and the imaging, s.
    pub seconds: f64,
    /// That less two propagations.
    pub imaging_seconds: f64,
    /// Ni Nx Nz Nh over that, 10^9/s.
    pub gpts: f64,
    /// Memory accesses per point by the paper's count: as if nothing were cached.
    pub counted: f64,
    /// Accesses left if caches hold both waves.
    pub least: f64,
    /// Accesses that fit in the imaging time at the stream ceiling.
    pub afforded: f64,
    /// Speed-up over the naive kernel along the same axis.
    pub against_naive: f64,
    /// The paper's figure, on a Tesla S1060.
    pub published: Option<f64>,
}

/// The fewest nodes along an axis.
pub const LEAST: usize = MOST + 1;

/// Values of the largest array.
pub(crate) fn values(case: &Case) -> usize {
    OFFSETS.saturating_mul(case.nz).saturating_mul(case.nx)
}

/// Times every kernel.
pub fn imaging(
    gpu: &Gpu,
    case: Case,
    progress: &mut Progress<'_>,
) -> Result<ImagingTimes, LadderError> {
    let kept = Imaging { every: EVERY, slots: STEPS / EVERY };
    let (plain, back) = waves(case, kept)?;
    let ceiling_gb_per_s = stream(gpu, case, progress)?;

    let start = |plan| Shot::start(plan, |plan| gpu.start(plan));
    let stored = start(plain.stored(kept))?;
    let source = stored.run.source_wavefield().ok_or(EngineError::NoSourceWavefield)?;
    let mut shots = vec![start(plain)?, stored];
    let kinds: Vec<_> = [Axis::Z, Axis::X]
        .into_iter()
        .flat_map(|along| GATHER_KERNELS.iter().map(move |kernel| (kernel, along)))
        .collect();
    for (kernel, along) in &kinds {
        let back = back.clone().with_offsets(kept, &[offsets(*along)]);
        let imaging = gpu.with_gathers(kernel);
        shots.push(Shot::start(back, |plan| imaging.start_with(plan, &source))?);
    }
    let mut medians = medians(&mut shots, progress)?.into_iter();
    let mut next = || medians.next().unwrap_or(f64::NAN);
    let (propagation_seconds, stored) = (next(), next());
    let points = (STEPS / EVERY) as f64 * case.nodes() * OFFSETS as f64;
    let (mut rows, mut naive) = (Vec::new(), f64::NAN);
    for (kernel, along) in kinds {
        let seconds = stored + next();
        let imaging_seconds = seconds - 2.0 * propagation_seconds;
        if kernel.name() == "naive" {
            naive = imaging_seconds;
        }
        let accesses = Accesses::of(kernel, along);
        rows.push(GatherTimes {
            kernel: kernel.name(),
            along,
            seconds,
            imaging_seconds,
            gpts: 1e-9 * points / imaging_seconds,
            counted: accesses.counted,
            least: accesses.least,
            afforded: 1e9 * ceiling_gb_per_s * imaging_seconds / (4.0 * points),
            against_naive: naive / imaging_seconds,
            published: accesses.published,
        });
    }
    Ok(ImagingTimes {
        case,
        steps: STEPS,
        imaging_steps: STEPS / EVERY,
        offsets: OFFSETS,
        ceiling_gb_per_s,
        propagation_seconds,
        propagation_gpts: 1e-9 * case.nodes() * STEPS as f64 / propagation_seconds,
        tile_accesses: [NAIVE, staged(TILE, TILE)].map(|accesses| TILE * TILE * accesses),
        rows,
    })
}

/// The median time of each shot, s; the shots take turns.
fn medians(shots: &mut [Shot<'_>], progress: &mut Progress<'_>) -> Result<Vec<f64>, LadderError> {
    let turns = shots.len();
    let mut times = vec![Vec::new(); turns];
    for sample in 0..=SAMPLES {
        for (index, (shot, times)) in shots.iter_mut().zip(&mut times).enumerate() {
            let seconds = shot.seconds()?;
            // The first sample warms up.
            if sample > 0 {
                times.push(seconds);
            }
            tell(progress, sample * turns + index + 1, (SAMPLES + 1) * turns)?;
        }
    }
    Ok(times.into_iter().map(median).collect())
}

/// Memory accesses per point of a kernel, as in [`GatherTimes`], and the speed-up that the paper gives for it.
struct Accesses {
    counted: f64,
    least: f64,
    published: Option<f64>,
}

impl Accesses {
    fn of(kernel: &GatherKernel, along: Axis) -> Self {
        let [z, x] = kernel.workgroup;
        let n = if along == Axis::X { x } else { z } as f64;
        let extent = kernel.extent(offsets(along)) as f64;
        let (counted, least, published) = match kernel.name() {
            "naive" => (NAIVE, 2.0, Some(1.0)),
            "staged" => (staged(n, extent), 2.0, Some(2.0)),
            _ => (2.0 + 2.0 / kernel.steps as f64, 2.0 / kernel.steps as f64, None),
        };
        Accesses { counted, least, published }
    }
}

/// Accesses per point of the naive kernel: one value of each wave; the sum is read and written.
const NAIVE: f64 = 4.0;

/// Accesses per point of the staged kernel for `n` nodes with `extent` offsets each, whose points take
/// 2 (n + extent) values of both waves: 2 n^2 + 4 n for the paper's n^2 points.
fn staged(n: f64, extent: f64) -> f64 {
    2.0 + 2.0 * (n + extent) / (n * extent)
}

fn offsets(along: Axis) -> Offsets {
    Offsets { along, line: 0, most: MOST, step: 1 }
}

/// The wave of a source in a random model from a random field, and the wave sent back from
/// receivers along the top.
fn waves(case: Case, kept: Imaging) -> Result<(Plan, Plan), LadderError> {
    let mut setup = case.setup(STEPS as f64)?;
    let plain = Plan::new(setup.clone()).map_err(CaseError::from)?;
    let apart = plain.model_grid.last().x / RECEIVERS as f64;
    let receivers: Vec<_> = (0..RECEIVERS).map(|i| Axes::xz(apart * i as f64, SPACING)).collect();
    setup.shots[0].receivers = receivers.into();
    setup.time.record = None;
    let heard = Plan::new(setup).map_err(CaseError::from)?;
    let noise = |(receiver, sample)| unit(4, (receiver * heard.time.samples + sample) as u64) - 0.5;
    let traces = Array2::from_shape_fn((RECEIVERS, heard.time.samples), noise);
    let back = heard.sent_back(&[traces], kept).ok_or(EngineError::Unsound)?;
    Ok((plain, back))
}

/// Bandwidth of a pass of three reads and a write over uncached arrays, 10^9 bytes/s.
fn stream(gpu: &Gpu, case: Case, progress: &mut Progress<'_>) -> Result<f64, LadderError> {
    const SIDE: usize = 4096;
    let side = ((values(&case) as f64).sqrt() as usize).min(SIDE);
    let fits = |side: &usize| {
        4 * Case::plane(*side, *side, case.operator).values() as u64 <= largest_field(gpu)
    };
    let side = (0..5).map(|halves| side >> halves).find(fits).unwrap_or(side >> 5);
    tell(progress, 0, 0)?;
    let plan = Case::plane(side, side, case.operator).plan()?;
    let bench = Bench::new(gpu, &plan)?;
    let mut chain = bench.chain(&[(&STREAM, STREAM.workgroup)], Update::Wave, false)?;
    timing::now(timing::wake(&mut chain))?;
    let steps = timing::now(timing::warm_up(&mut chain, 0.01))?;
    let times = (0..timing::SAMPLES).map(|_| Ok(chain.sample(steps)?.seconds));
    let seconds = median(times.collect::<Result<_, EngineError>>()?);
    Ok(1e-9 * Update::Wave.bytes(1) * bench.values() as f64 / seconds)
}

/// A run of a shot that can be repeated.
struct Shot<'g> {
    run: Box<dyn Run + 'g>,
    plan: Arc<Plan>,
    is_new: bool,
}

impl Shot<'_> {
    /// Starts the run of a Plan.
    fn start(
        plan: Plan,
        begin: impl FnOnce(Arc<Plan>) -> Result<Box<dyn Run>, EngineError>,
    ) -> Result<Self, EngineError> {
        let plan = Arc::new(plan);
        Ok(Shot { run: begin(plan.clone())?, plan, is_new: true })
    }

    /// Runs the whole shot; seconds by the device's clock if it has one.
    fn seconds(&mut self) -> Result<f64, EngineError> {
        if !std::mem::take(&mut self.is_new) {
            self.run.restart(&self.plan)?;
        }
        self.run.advance(STEPS, &mut ())?;
        let timings = self.run.finish(&mut ())?;
        Ok(timings.device.unwrap_or(timings.stepping))
    }
}
