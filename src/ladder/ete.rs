//! Explicit time evolution on every level of a GPU's memory: the schemes of Fang and others (2015),
//! and further ones.

use super::{
    Case, LadderError, Measured, Operator, Progress, Timed,
    case::unit,
    fit::fits,
    timing::{self, Tried, tell},
};
use crate::{
    engine::gpu::{
        Gpu,
        bench::{ETE_KERNELS, ETE_STREAM, EteBench, EteKernel, EteModel, Workgroup},
    },
    grid::Axes,
    stencil::ete::{Errors, Evolution, Media, Points, RADIUS, Table, TableError},
};
use serde::Serialize;
use std::sync::Arc;

/// A volume, a stencil and the number of velocities in its table.
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
pub(crate) const ETE_PAPER: [usize; 3] = [320, 320, 912];
/// Velocities of its model.
pub const ETE_BINS: usize = 902;
/// Bins of the rungs with few.
pub(crate) const ETE_FEW: usize = 64;
/// The range of a 16-bit index.
const MOST_BINS: usize = 1 << 16;

/// Spacing of the volume, m: that along z differs, so that the weights are as distinct as the
/// paper's.
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
        self.grid().size()
    }

    /// The volume, with the stencil's wing.
    fn grid(&self) -> Case {
        Case::volume([self.nz, self.nx, self.ny], Operator::Wing(RADIUS))
    }
}

impl std::fmt::Display for EteCase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let EteCase { points, bins, .. } = self;
        write!(f, "{} nodes (z x x x y), {} points, {bins} velocities", self.size(), points.count())
    }
}

/// Layout of the velocities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum VelocityLayout {
    /// A velocity per node, as in the paper.
    Random,
    /// Eight nodes along z share one.
    Layered,
}

impl VelocityLayout {
    fn bin(self, n: Axes<usize>, bins: usize, node: Axes<usize>) -> usize {
        let place = match self {
            VelocityLayout::Random => (node.y * n.x + node.x) * n.z + node.z,
            VelocityLayout::Layered => node.z / LAYER,
        };
        ((f64::from(unit(5, place as u64)) * bins as f64) as usize).min(bins - 1)
    }
}

/// A finished ladder.
#[derive(Clone, Debug, Serialize)]
pub struct EteTimes {
    /// The case.
    pub case: EteCase,
    /// m
    pub spacing: Axes<f64>,
    /// Time step, s.
    pub dt: f64,
    /// Lowest and highest velocity, m/s.
    pub velocities: [f64; 2],
    /// Errors of the table and the two terms.
    pub errors: Errors,
    /// Time of the table's fit, s.
    pub fit_seconds: f64,
    /// Bins of the rungs with few.
    pub few: usize,
    /// Errors with these bins.
    pub few_errors: Errors,
    /// Operations per node, 2 per point: a multiplication and an addition.
    pub flops: f64,
    /// The best of the paper, 10^9 operations/s.
    pub published_gflops: f64,
    /// One entry per layout of the velocities.
    pub models: Vec<EteModelTimes>,
}

/// Measurements in a model.
#[derive(Clone, Debug, Serialize)]
pub struct EteModelTimes {
    /// Layout of its velocities.
    pub model: VelocityLayout,
    /// Bandwidth of three reads and a write of vec4 over the same arrays, 10^9 bytes/s.
    pub ceiling_gb_per_s: f64,
    /// One row per rung.
    pub rows: Vec<EteRow>,
}

/// A row.
#[derive(Clone, Debug, Default, Serialize)]
pub struct EteRow {
    /// Number of the rung.
    pub rung: usize,
    /// Its description.
    pub name: &'static str,
    /// Place of its weights.
    pub weights: &'static str,
    /// File of the kernel.
    pub(crate) kernel: &'static str,
    /// The fastest grouping.
    pub workgroup: Option<Workgroup>,
    /// Time of a step; `None` if it was not run.
    pub time: Option<Measured>,
    /// Reason it was not run.
    pub refused: Option<String>,
    /// Values of p read from memory per node and step as if nothing were cached, without the halos of
    /// tiles; `None` for kernels of four nodes at a time.
    pub reads: Option<f64>,
    /// Least bytes to move per node and step, without the table.
    pub bytes: f64,
    /// 10^9 nodes/s.
    pub gpts: Option<f64>,
    /// 10^9 operations/s.
    pub gflops: Option<f64>,
    /// Its bandwidth over the stream ceiling's.
    pub of_ceiling: Option<f64>,
    /// Speed-up over the rung that the paper compares it with.
    pub against: Option<f64>,
    /// The paper's statement about it.
    pub published: Option<&'static str>,
}

/// The best of the paper's figures for a stencil, 10^9 operations/s, on a Titan X.
fn published_gflops(points: Points) -> f64 {
    match points {
        Points::Few => 385.0,
        Points::Many => 434.0,
    }
}

/// Times every rung in both models.
pub fn ete(
    gpu: &Gpu,
    case: EteCase,
    checked: bool,
    progress: &mut Progress<'_>,
) -> Result<EteTimes, LadderError> {
    if case.bins > MOST_BINS {
        return Err(LadderError::Bins { bins: case.bins, most: MOST_BINS });
    }
    fits(gpu, &case, &case.grid())?;
    tell(progress, 0, 0)?;
    let begun = web_time::Instant::now();
    let [table, few] = tables(&case)?;
    let fit_seconds = begun.elapsed().as_secs_f64();
    let evolution = Evolution::fitted(case.points, &table.media, table.dt)
        .ok_or(TableError::Unstable { velocity: FASTEST, dt: table.dt })?;
    let flops = 2.0 * case.points.count() as f64;
    let mut models = Vec::new();
    let rungs = ETE_KERNELS.iter().filter(|kernel| kernel.is_for(case.points)).count();
    for (index, layout) in [VelocityLayout::Random, VelocityLayout::Layered].into_iter().enumerate()
    {
        tell(progress, 0, 0)?;
        let mut hear = |done: usize, all: usize| {
            progress(done + index * all, if all == 0 { 0 } else { 2 * all })
        };
        let all = timing::samples(rungs + 1);
        models.push(climb(
            gpu,
            &case,
            [&table, &few],
            &evolution,
            layout,
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

/// Tables of all bins, and of few.
pub fn tables(case: &EteCase) -> Result<[Arc<Table>; 2], TableError> {
    let media = Media { spacing: SPACING, volume: true, slowest: SLOWEST, fastest: FASTEST };
    let dt = COURANT * SPACING.z / FASTEST;
    let of = |bins| Table::fitted(case.points, &media, dt, bins);
    Ok([of(case.bins)?, of(case.bins.min(ETE_FEW))?])
}

/// Times every rung in a model.
fn climb(
    gpu: &Gpu,
    case: &EteCase,
    [table, few]: [&Table; 2],
    evolution: &Evolution,
    layout: VelocityLayout,
    checked: bool,
    progress: &mut Progress<'_>,
) -> Result<EteModelTimes, LadderError> {
    let n = case.grid().n();
    let velocity = |node| table.velocities[layout.bin(n, case.bins, node)];
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
    timing::now(timing::wake(&mut stream))?;
    let mut contestants: Vec<Box<dyn Timed + '_>> = vec![Box::new(stream)];
    let mut rows = Vec::new();
    for (rung, kernel) in (1..).zip(&ETE_KERNELS).filter(|(_, kernel)| kernel.is_for(case.points)) {
        tell(progress, 0, 0)?;
        let mut row = EteRow::new(rung, kernel, case.points);
        let chain = |group: &Workgroup| bench.chain(kernel, *group, checked);
        let groups = kernel.workgroups();
        match timing::now(timing::fastest(groups, chain, gpu.is_hardware(), progress))? {
            Ok(Tried { chain, grouping, .. }) => {
                row.workgroup = Some(grouping);
                contestants.push(Box::new(chain));
            }
            Err(why) => row.refused = Some(why),
        }
        rows.push(row);
    }
    let times = timing::now(timing::race(&mut contestants, progress))?;
    let nodes = case.grid().nodes();
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
        let Some(paper) = ETE_KERNELS[row.rung - 1].paper else { continue };
        let other = speeds.iter().find(|(rung, _)| *rung == paper.against);
        let other = other.and_then(|(_, gpts)| *gpts);
        row.against = row.gpts.zip(other).map(|(ours, other)| ours / other);
    }
    Ok(EteModelTimes { model: layout, ceiling_gb_per_s, rows })
}

/// Values of p that a kernel reads from memory per node: as a queue holds the node's column, the
/// marching ones read the column's next value, and `gather` those of four columns beside it for each
/// reach of the diagonals; `gather_each` reads these columns twice, above and below the slice.
fn reads(kernel: &str, points: Points) -> Option<f64> {
    let reaches = match points {
        Points::Few => 1.0,
        Points::Many => RADIUS as f64,
    };
    match kernel {
        "naive" => Some(points.count() as f64),
        "gather" => Some(1.0 + 4.0 * reaches),
        "gather_each" => Some(1.0 + 8.0 * reaches),
        "scatter" | "twice" => Some(1.0),
        _ => None,
    }
}

impl EteRow {
    fn new(rung: usize, kernel: &EteKernel, points: Points) -> Self {
        EteRow {
            rung,
            name: kernel.name,
            weights: kernel.weights,
            kernel: kernel.file(),
            reads: reads(kernel.file(), points)
                .map(|reads| reads * kernel.sweep_count() as f64 / kernel.steps as f64),
            bytes: kernel.bytes(),
            published: kernel.paper.map(|paper| paper.says),
            ..EteRow::default()
        }
    }
}
