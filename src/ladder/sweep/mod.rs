//! Sweeps: the same kernels with other workgroups, and other ways to cut the grid.

mod plane;
mod volume;

use super::{
    Case, LadderError, Measured, Progress, Sweep, THESIS, Timed,
    fit::plan,
    race,
    timing::{now, tell},
};
use crate::engine::{
    Layout,
    gpu::{
        Gpu,
        bench::{Bench, BenchError, Kernel, Update, Workgroup},
    },
};
use serde::Serialize;

/// A kernel with one workgroup.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    /// Its workgroup.
    pub workgroup: Workgroup,
    /// Time of a step; `None` if the device does not take the workgroup.
    pub time: Option<Measured>,
    /// Reason the device does not take it.
    pub refused: Option<String>,
    /// The thesis' microseconds on a Tesla K20m, in its own case only.
    pub thesis_us: Option<f64>,
}

/// A kernel with one workgroup after another.
#[derive(Clone, Debug, Serialize)]
pub struct Series {
    /// Its name in a legend.
    pub name: String,
    /// Name of the kernel.
    pub kernel: &'static str,
    /// Use of the Laplacian.
    pub(crate) update: Update,
    /// In the order of the sweep.
    pub points: Vec<Point>,
}

/// Curves of one chart.
#[derive(Clone, Debug, Serialize)]
pub struct Chart {
    /// Its name, a part of file names.
    pub name: &'static str,
    /// Its title.
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
    /// The varied parameter.
    pub sweep: Sweep,
    /// The measurements.
    pub charts: Vec<Chart>,
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
    let mut charts = match (case.is_volume(), sweep) {
        (false, Sweep::Threads) => plane::threads(),
        (false, Sweep::Geometry) => plane::geometry(Layout::new(&plan).column),
        (true, Sweep::Geometry) => volume::geometry(),
        (true, Sweep::Slices) => volume::slices(case.ny),
        (false, Sweep::Slices) | (true, Sweep::Threads) => {
            return Err(LadderError::NoSuchSweep { sweep, case });
        }
    };
    let mut contestants: Vec<Box<dyn Timed + '_>> = Vec::new();
    let mut points = Vec::new();
    for (chart_index, chart) in charts.iter_mut().enumerate() {
        for (series_index, (kernel, series)) in chart.series.iter_mut().enumerate() {
            for (index, point) in series.points.iter_mut().enumerate() {
                tell(progress, 0, 0)?;
                point.thesis_us = point.thesis_us.filter(|_| case == THESIS);
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
    let measured = now(race(&mut contestants, progress))?;
    for ((chart, series, index), time) in points.into_iter().zip(measured) {
        charts[chart].series[series].1.points[index].time = Some(time);
    }
    let charts = charts.into_iter().map(Draft::finished).collect();
    Ok(SweepTimes { case, sweep, charts })
}

/// A curve with its kernel.
type OfKernel = (&'static Kernel, Series);

/// A chart together with its kernels.
struct Draft {
    name: &'static str,
    title: String,
    series: Vec<OfKernel>,
}

impl Draft {
    fn finished(self) -> Chart {
        let series = self.series.into_iter().map(|(_, series)| series).collect();
        Chart { name: self.name, title: self.title, series }
    }
}

fn draft(name: &'static str, title: &str, series: Vec<OfKernel>) -> Draft {
    Draft { name, title: title.into(), series }
}

fn series(
    name: impl Into<String>,
    kernel: &'static Kernel,
    update: Update,
    workgroups: impl IntoIterator<Item = Workgroup>,
) -> OfKernel {
    let point = |workgroup| Point {
        workgroup,
        time: None,
        refused: None,
        thesis_us: plane::thesis(kernel, workgroup).filter(|_| update == Update::Laplacian),
    };
    let points = workgroups.into_iter().map(point).collect();
    (kernel, Series { name: name.into(), kernel: kernel.name, update, points })
}
