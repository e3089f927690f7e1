//! Sweeps: the same kernels with other workgroups, and the ways to cut the major axis.

use super::{Case, LadderError, Measured, Progress, Timed, listen, plan, race};
use crate::engine::{
    Layout,
    gpu::{
        Gpu,
        bench::{
            Bench, BenchError, Kernel, MAJOR, MAJOR_COLUMNS, MAJOR_PLANE, MINOR, PADDED, TILE,
            UNIFORM, Update, VECTOR, Workgroup,
        },
    },
};
use serde::Serialize;

/// What is varied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Sweep {
    /// Invocations a workgroup, all along z.
    Threads,
    /// Shapes of the workgroup, and the cuts of the major axis.
    Geometry,
}

/// A kernel with one workgroup.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    /// Its workgroup.
    pub workgroup: Workgroup,
    /// What a step takes; `None` where the device does not take it.
    pub time: Option<Measured>,
    /// Why the device does not take it.
    pub refused: Option<String>,
    /// The thesis' microseconds on a Tesla K20m.
    pub thesis_us: Option<f64>,
}

/// A kernel with one workgroup after another.
#[derive(Clone, Debug, Serialize)]
pub struct Series {
    /// What it is called in a legend.
    pub name: String,
    /// Name of the kernel.
    pub kernel: &'static str,
    /// What becomes of the Laplacian.
    pub update: Update,
    /// In the order of the sweep.
    pub points: Vec<Point>,
}

/// Curves that belong in one chart.
#[derive(Clone, Debug, Serialize)]
pub struct Chart {
    /// What is shown, a part of file names.
    pub name: &'static str,
    /// What is shown, for a title.
    pub title: String,
    /// One kernel each.
    pub series: Vec<Series>,
}

impl Chart {
    /// Every point with its curve.
    pub fn points(&self) -> impl Iterator<Item = (&Series, &Point)> {
        self.series.iter().flat_map(|series| series.points.iter().map(move |point| (series, point)))
    }
}

/// A finished sweep.
#[derive(Clone, Debug, Serialize)]
pub struct SweepTimes {
    /// Grid and operator.
    pub case: Case,
    /// What was varied.
    pub sweep: Sweep,
    /// What was measured.
    pub charts: Vec<Chart>,
}

/// Invocations a workgroup of [`Sweep::Threads`].
const THREADS: [usize; 6] = [1024, 512, 256, 128, 64, 32];

/// Shapes of [`Sweep::Geometry`], z x x.
const SHAPES: [(usize, usize); 18] = [
    (32, 32),
    (64, 16),
    (16, 64),
    (128, 8),
    (256, 4),
    (32, 16),
    (64, 8),
    (16, 32),
    (16, 16),
    (32, 8),
    (64, 4),
    (128, 2),
    (256, 1),
    (8, 32),
    (32, 4),
    (16, 8),
    (128, 1),
    (32, 2),
];

/// Columns an invocation of the vectorised kernel.
const COLUMNS: [usize; 4] = [1, 2, 4, 8];

/// The thesis' figures 13, 18 and 19 as far as its text gives them: microseconds on a Tesla K20m.
fn thesis(kernel: &Kernel, workgroup: Workgroup) -> Option<f64> {
    const CALLS: f64 = 1999.0;
    let known: &[(usize, usize, f64)] = match kernel.name {
        "padded" => &[(1024, 1, 318.42), (512, 1, 299.84), (256, 1, 291.16), (128, 1, 290.46)],
        "major" => {
            &[(1024, 1, 112.3e3 / CALLS), (128, 1, 93.514e3 / CALLS), (64, 1, 149.14e3 / CALLS)]
        }
        "minor" => &[(32, 32, 144.07e3 / CALLS), (16, 16, 111.28e3 / CALLS)],
        _ => &[],
    };
    let same = |(z, x, _): &&(usize, usize, f64)| (*z, *x) == (workgroup.z, workgroup.x);
    known.iter().find(same).map(|(_, _, us)| *us)
}

/// Runs a sweep.
pub fn sweep(
    gpu: &Gpu,
    case: Case,
    sweep: Sweep,
    checked: bool,
    progress: &mut Progress<'_>,
) -> Result<SweepTimes, LadderError> {
    let plan = plan(Some(gpu), case)?;
    let bench = Bench::new(gpu, &plan)?;
    let mut charts = match sweep {
        Sweep::Threads => threads(),
        Sweep::Geometry => geometry(Layout::new(&plan).column),
    };
    let mut contestants: Vec<Box<dyn Timed + '_>> = Vec::new();
    let mut points = Vec::new();
    for (chart_index, chart) in charts.iter_mut().enumerate() {
        for (series_index, (kernel, series)) in chart.series.iter_mut().enumerate() {
            for (index, point) in series.points.iter_mut().enumerate() {
                listen(progress)?;
                match bench.chain(&[(*kernel, point.workgroup)], series.update, checked) {
                    Ok(chain) => {
                        points.push((chart_index, series_index, index));
                        contestants.push(Box::new(chain));
                    }
                    Err(BenchError::Refused { why, .. }) => point.refused = Some(why),
                    Err(error) => return Err(error.into()),
                }
            }
        }
    }
    let measured = race(&mut contestants, progress)?;
    for ((chart, series, index), time) in points.into_iter().zip(measured) {
        charts[chart].series[series].1.points[index].time = Some(time);
    }
    let charts = charts.into_iter().map(Draft::finished).collect();
    Ok(SweepTimes { case, sweep, charts })
}

/// A chart whose kernels are still at hand.
struct Draft {
    name: &'static str,
    title: String,
    series: Vec<(&'static Kernel, Series)>,
}

impl Draft {
    fn finished(self) -> Chart {
        let series = self.series.into_iter().map(|(_, series)| series).collect();
        Chart { name: self.name, title: self.title, series }
    }
}

fn series(
    name: impl Into<String>,
    kernel: &'static Kernel,
    update: Update,
    workgroups: impl IntoIterator<Item = Workgroup>,
) -> (&'static Kernel, Series) {
    let point = |workgroup| Point {
        workgroup,
        time: None,
        refused: None,
        thesis_us: thesis(kernel, workgroup).filter(|_| update == Update::Laplacian),
    };
    let points = workgroups.into_iter().map(point).collect();
    (kernel, Series { name: name.into(), kernel: kernel.name, update, points })
}

fn threads() -> Vec<Draft> {
    let line = |threads: &usize| Workgroup::new(*threads, 1);
    let lines = || THREADS.iter().map(line);
    let whole = |update| {
        vec![
            series("3 zero-padded", &PADDED, update, lines()),
            series("4 uniform coefficients", &UNIFORM, update, lines()),
            series("6 one pass through a tile", &TILE, update, lines()),
            series("7 vec4, 4 columns", &VECTOR, update, lines().map(|line| line.columns(4))),
        ]
    };
    let mut laplacian = whole(Update::Laplacian);
    laplacian.insert(2, series("5 major axis", &MAJOR, Update::Laplacian, lines()));
    vec![
        Draft { name: "threads-laplacian", title: "the Laplacian".into(), series: laplacian },
        Draft {
            name: "threads-wave",
            title: "the wave equation".into(),
            series: whole(Update::Wave),
        },
    ]
}

fn geometry(stride: usize) -> Vec<Draft> {
    let shapes = || SHAPES.iter().map(|(z, x)| Workgroup::new(*z, *x));
    let whole = |update| {
        let plain = [
            series("4 uniform coefficients", &UNIFORM, update, shapes()),
            series("6 one pass through a tile", &TILE, update, shapes()),
        ];
        let vector = |columns: usize| {
            let name = format!("7 vec4, {columns} column{}", if columns == 1 { "" } else { "s" });
            series(name, &VECTOR, update, shapes().map(|shape| shape.columns(columns)))
        };
        plain.into_iter().chain(COLUMNS.map(vector)).collect::<Vec<_>>()
    };
    let mut laplacian = whole(Update::Laplacian);
    laplacian.insert(1, series("5 minor axis", &MINOR, Update::Laplacian, shapes()));
    let columns = |most: usize| (1..=most).map(|x| Workgroup::new(stride, x));
    let segments = vec![
        series(
            "1: one long strip",
            &MAJOR,
            Update::Laplacian,
            THREADS.map(|n| Workgroup::new(n, 1)),
        ),
        series("2: the exact column", &MAJOR_COLUMNS, Update::Laplacian, columns(1)),
        series("3: several columns", &MAJOR_COLUMNS, Update::Laplacian, columns(3)),
        series("4: 2-D workgroup", &MAJOR_PLANE, Update::Laplacian, columns(3)),
    ];
    vec![
        Draft { name: "geometry-laplacian", title: "the Laplacian".into(), series: laplacian },
        Draft {
            name: "geometry-wave",
            title: "the wave equation".into(),
            series: whole(Update::Wave),
        },
        Draft {
            name: "segmentation",
            title: "the pass along the major axis".into(),
            series: segments,
        },
    ]
}
