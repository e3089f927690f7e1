//! Explicit time evolution on every level of a GPU's memory: the schemes of Fang and others (2015), and on from there.

mod rungs;

pub use rungs::{ETE_RUNGS, EteRung, Paper};

use super::{LadderError, Measured, Progress, Timed, case::unit, listen, timing, timing::Clock};
use crate::{
    engine::{
        EngineError, Layout,
        gpu::{
            Gpu,
            bench::{BenchError, ETE_STREAM, EteBench, EteChain, EteModel, Sample, Workgroup},
        },
    },
    grid::Axes,
    stencil::ete::{Errors, Evolution, Media, Points, RADIUS, Table, TableError},
};
use serde::Serialize;
use std::sync::Arc;

/// A volume, a stencil and how many velocities its table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct EteCase {
    /// Nodes along z, the fast axis.
    pub nz: usize,
    /// Nodes along x.
    pub nx: usize,
    /// Nodes along y, the slowest axis.
    pub ny: usize,
    /// The stencil.
    pub points: Points,
    /// Rows of the table.
    pub bins: usize,
}

/// The volume of the paper's section V-B.
pub const ETE_PAPER: [usize; 3] = [320, 320, 912];
/// Velocities of its model.
pub const ETE_BINS: usize = 902;
/// Bins of the rungs with few.
pub const ETE_FEW: usize = 64;
/// What 16 bits can count.
const MOST_BINS: usize = 1 << 16;

/// Of the volume, m: z has a spacing of its own, so that the weights are as distinct as the paper's.
const SPACING: Axes<f64> = Axes { z: 8.0, x: 10.0, y: 10.0 };
/// Velocities, m/s.
const SLOWEST: f64 = 1500.0;
const FASTEST: f64 = 4500.0;
/// v dt over the smallest spacing in the fastest medium.
const COURANT: f64 = 0.4;
/// Nodes of a layer.
const LAYER: usize = 8;

impl EteCase {
    /// `320 x 320 x 912`.
    pub fn size(&self) -> String {
        format!("{} x {} x {}", self.nz, self.nx, self.ny)
    }

    /// Nodes.
    pub fn nodes(&self) -> f64 {
        self.nz as f64 * self.nx as f64 * self.ny as f64
    }

    fn n(&self) -> Axes<usize> {
        Axes { z: self.nz, x: self.nx, y: self.ny }
    }
}

impl std::fmt::Display for EteCase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let EteCase { points, bins, .. } = self;
        write!(f, "{} nodes (z x x x y), {} points, {bins} velocities", self.size(), points.count())
    }
}

/// How the velocities lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Lie {
    /// Every node has one of its own, as the paper's do.
    Random,
    /// Eight nodes along z share one.
    Layered,
}

impl Lie {
    fn bin(self, n: Axes<usize>, bins: usize, node: Axes<usize>) -> usize {
        let place = match self {
            Lie::Random => (node.y * n.x + node.x) * n.z + node.z,
            Lie::Layered => node.z / LAYER,
        };
        ((f64::from(unit(5, place as u64)) * bins as f64) as usize).min(bins - 1)
    }
}

/// A finished ladder.
#[derive(Clone, Debug, Serialize)]
pub struct EteTimes {
    /// What was climbed.
    pub case: EteCase,
    /// m
    pub spacing: Axes<f64>,
    /// Of the step, s.
    pub dt: f64,
    /// m/s, from and to.
    pub velocities: [f64; 2],
    /// How close the table and the two terms are.
    pub errors: Errors,
    /// Seconds that the table's fit took.
    pub fit_seconds: f64,
    /// Bins of the rungs with few, and how close these are.
    pub few: usize,
    /// Of those.
    pub few_errors: Errors,
    /// 2 a point: a multiplication and an addition for each.
    pub flops: f64,
    /// The best of the paper, 10^9 operations a second.
    pub published_gflops: f64,
    /// By how the velocities lie.
    pub models: Vec<EteModelTimes>,
}

/// What was measured in a model.
#[derive(Clone, Debug, Serialize)]
pub struct EteModelTimes {
    /// How its velocities lie.
    pub model: Lie,
    /// What three reads and a write of vec4 over the same arrays move, 10^9 bytes a second.
    pub ceiling_gb_per_s: f64,
    /// A line a rung.
    pub rows: Vec<EteRow>,
}

/// A line.
#[derive(Clone, Debug, Serialize)]
pub struct EteRow {
    /// Number of the rung.
    pub rung: usize,
    /// What it is.
    pub name: &'static str,
    /// Where its weights are.
    pub weights: &'static str,
    /// File of the kernel.
    pub kernel: &'static str,
    /// The fastest grouping.
    pub workgroup: Option<Workgroup>,
    /// What a step takes; `None` where it was not run.
    pub time: Option<Measured>,
    /// Why it was not run.
    pub refused: Option<String>,
    /// What must be moved for a node and a step at the least, the table not counted.
    pub bytes: f64,
    /// 10^9 nodes a second.
    pub gpts: Option<f64>,
    /// 10^9 operations a second.
    pub gflops: Option<f64>,
    /// Its bytes a second over those of the stream ceiling.
    pub of_ceiling: Option<f64>,
    /// Times as fast as the rung that the paper compares it with.
    pub against: Option<f64>,
    /// What the paper says of it.
    pub published: Option<&'static str>,
}

impl From<TableError> for LadderError {
    fn from(error: TableError) -> Self {
        LadderError::Table(error)
    }
}

/// The best of the paper's figures for a stencil, 10^9 operations a second, on a Titan X.
fn published_gflops(points: Points) -> f64 {
    match points {
        Points::Few => 385.0,
        Points::Many => 434.0,
    }
}

/// Climbs every rung in both models.
pub fn ete(
    gpu: &Gpu,
    case: EteCase,
    checked: bool,
    progress: &mut Progress<'_>,
) -> Result<EteTimes, LadderError> {
    check(gpu, &case)?;
    listen(progress)?;
    let begun = web_time::Instant::now();
    let [table, few] = tables(&case)?;
    let fit_seconds = begun.elapsed().as_secs_f64();
    let evolution = Evolution::fitted(case.points, &table.media, table.dt)
        .ok_or(TableError::Unstable { velocity: FASTEST, dt: table.dt })?;
    let flops = 2.0 * case.points.count() as f64;
    let mut models = Vec::new();
    let rungs = ETE_RUNGS.iter().filter(|rung| rung.kernel.is_for(case.points)).count();
    for (index, lie) in [Lie::Random, Lie::Layered].into_iter().enumerate() {
        listen(progress)?;
        let mut hear = |done: usize, all: usize| {
            progress(done + index * all, if all == 0 { 0 } else { 2 * all })
        };
        let all = timing::samples(rungs + 1);
        models.push(climb(
            gpu,
            &case,
            [&table, &few],
            &evolution,
            lie,
            checked,
            &mut |done, _| hear(done, if done == 0 { 0 } else { all }),
        )?);
    }
    Ok(EteTimes {
        case,
        spacing: SPACING,
        dt: table.dt,
        velocities: [SLOWEST, FASTEST],
        errors: table.errors(),
        fit_seconds,
        few: few.velocities.len(),
        few_errors: few.errors(),
        flops,
        published_gflops: published_gflops(case.points),
        models,
    })
}

/// Refuses what no rung could take.
fn check(gpu: &Gpu, case: &EteCase) -> Result<(), LadderError> {
    if case.bins > MOST_BINS {
        return Err(LadderError::Bins { bins: case.bins, most: MOST_BINS });
    }
    let bytes = |n: Axes<usize>| {
        let nodes = n.z.saturating_mul(n.x).saturating_mul(n.y);
        // Above that no device takes it, and below no product of the layout overflows.
        let values = if nodes <= 1 << 30 { Layout::of(n, RADIUS).len() } else { nodes };
        4 * values.min(1 << 60) as u64
    };
    let (size, limit) = (bytes(case.n()), EteBench::largest_field(gpu));
    if size > limit {
        let device = crate::engine::Engine::describe(gpu).device;
        let most = ((limit / 4) as f64).cbrt() as usize;
        let fits = |n: &usize| bytes(Axes { z: *n, x: *n, y: *n }) <= limit;
        let largest = (1..=most).rev().find(fits).unwrap_or(1);
        return Err(LadderError::TooLargeVolume { case: *case, size, device, limit, largest });
    }
    Ok(())
}

/// Of all bins, and of few.
pub fn tables(case: &EteCase) -> Result<[Arc<Table>; 2], TableError> {
    let media = Media { spacing: SPACING, volume: true, slowest: SLOWEST, fastest: FASTEST };
    let dt = COURANT * SPACING.z / FASTEST;
    let of = |bins| Table::fitted(case.points, &media, dt, bins);
    Ok([of(case.bins)?, of(case.bins.min(ETE_FEW))?])
}

/// Climbs every rung in a model.
fn climb(
    gpu: &Gpu,
    case: &EteCase,
    [table, few]: [&Table; 2],
    evolution: &Evolution,
    lie: Lie,
    checked: bool,
    progress: &mut Progress<'_>,
) -> Result<EteModelTimes, LadderError> {
    let n = case.n();
    let velocity = |node| table.velocities[lie.bin(n, case.bins, node)];
    let field = |seed: u64| {
        move |node: Axes<usize>| unit(seed, ((node.y * n.x + node.x) * n.z + node.z) as u64) - 0.5
    };
    let (now, before) = (field(2), field(3));
    let model =
        EteModel { n, table, few, evolution, velocity: &velocity, initial: [&now, &before] };
    let bench = EteBench::new(gpu, model)?;
    let mut stream = bench.chain(
        &ETE_STREAM,
        ETE_STREAM.workgroups().next().unwrap_or(Workgroup::new(1, 1)),
        false,
    )?;
    timing::wake(&mut stream)?;
    let mut contestants: Vec<Box<dyn Timed + '_>> = vec![Box::new(stream)];
    let mut rows = Vec::new();
    for rung in ETE_RUNGS.iter().filter(|rung| rung.kernel.is_for(case.points)) {
        listen(progress)?;
        let mut row = EteRow::new(rung);
        match fastest(&bench, rung, checked, progress)? {
            Ok((chain, workgroup)) => {
                row.workgroup = Some(workgroup);
                contestants.push(Box::new(chain));
            }
            Err(why) => row.refused = Some(why),
        }
        rows.push(row);
    }
    let times = timing::race(&mut contestants, progress)?;
    let nodes = case.nodes();
    let ceiling_gb_per_s = 16e-9 * bench.values() as f64 / times[0].seconds;
    let run = rows.iter_mut().filter(|row| row.refused.is_none());
    for (row, time) in run.zip(&times[1..]) {
        let gpts = 1e-9 * nodes / time.seconds;
        row.time = Some(*time);
        row.gpts = Some(gpts);
        row.gflops = Some(2.0 * case.points.count() as f64 * gpts);
        row.of_ceiling = Some(row.bytes * gpts / ceiling_gb_per_s);
    }
    let speeds: Vec<_> = rows.iter().map(|row| (row.rung, row.gpts)).collect();
    for row in &mut rows {
        let rung = ETE_RUNGS.iter().find(|rung| rung.number == row.rung);
        let Some(Paper { against, .. }) = rung.and_then(|rung| rung.paper) else { continue };
        let other = speeds.iter().find(|(rung, _)| *rung == against).and_then(|(_, gpts)| *gpts);
        row.against = row.gpts.zip(other).map(|(ours, other)| ours / other);
    }
    Ok(EteModelTimes { model: lie, ceiling_gb_per_s, rows })
}

impl EteRow {
    fn new(rung: &EteRung) -> Self {
        EteRow {
            rung: rung.number,
            name: rung.name,
            weights: rung.kernel.weights,
            kernel: rung.kernel.name(),
            workgroup: None,
            time: None,
            refused: None,
            bytes: rung.kernel.bytes(),
            gpts: None,
            gflops: None,
            of_ceiling: None,
            against: None,
            published: rung.paper.map(|paper| paper.says),
        }
    }
}

/// Seconds of a trial, and how many of each grouping.
const TRIAL_SECONDS: f64 = 0.003;
const TRIALS: usize = 3;

/// What runs, or why nothing does.
type Fastest<'b> = Result<(EteChain<'b>, Workgroup), String>;

/// The fastest grouping of a rung, by short trials.
fn fastest<'b>(
    bench: &'b EteBench<'_>,
    rung: &EteRung,
    checked: bool,
    progress: &mut Progress<'_>,
) -> Result<Fastest<'b>, LadderError> {
    let mut best: Option<(f64, EteChain<'b>, Workgroup)> = None;
    let mut refusal = String::new();
    for workgroup in rung.kernel.workgroups() {
        listen(progress)?;
        let mut chain = match bench.chain(rung.kernel, workgroup, checked) {
            Ok(chain) => chain,
            Err(BenchError::Engine(error)) => return Err(error.into()),
            Err(refused) => {
                refusal = refused.to_string();
                continue;
            }
        };
        let steps = timing::warm_up(&mut chain, TRIAL_SECONDS)?;
        let mut seconds = f64::INFINITY;
        for _ in 0..TRIALS {
            seconds = seconds.min(chain.sample(steps)?.seconds);
        }
        if best.as_ref().is_none_or(|best| seconds < best.0) {
            best = Some((seconds, chain, workgroup));
        }
    }
    Ok(best.map(|(_, chain, workgroup)| (chain, workgroup)).ok_or(refusal))
}

impl Timed for EteChain<'_> {
    fn sample(&mut self, steps: usize) -> Result<Sample, EngineError> {
        EteChain::sample(self, steps)
    }

    fn clock(&self) -> Clock {
        if self.has_clock() { Clock::Device } else { Clock::Wall }
    }
}
