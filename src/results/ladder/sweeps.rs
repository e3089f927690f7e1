//! The speeds of workgroups.

use super::{Pictures, named, subtitle};
use crate::{
    ladder::{Chart, Measured, Point, Series, Sweep, SweepTimes},
    render::{Across, Curve, CurveFigure, Line},
};

/// The charts of every sweep.
pub(crate) fn charts(sweeps: &[SweepTimes], device: &str) -> Pictures {
    let mut pictures: Pictures = Vec::new();
    for (index, swept) in sweeps.iter().enumerate() {
        for chart in &swept.charts {
            let name = named(chart.name, index, &swept.case);
            pictures.push((name, Box::new(sweep(swept, chart, device))));
        }
    }
    pictures
}

fn sweep(swept: &SweepTimes, chart: &Chart, device: &str) -> CurveFigure {
    // Categories in order of first occurrence.
    let mut names: Vec<String> = Vec::new();
    let name = |series: &Series, point: &Point| match (series.kernel, swept.sweep) {
        (_, Sweep::Slices) => point.workgroup.planes.to_string(),
        ("major_columns" | "major_plane", _) => format!("{} col", point.workgroup.x),
        ("tile_steps" | "strip_steps", _) => point.workgroup.to_string(),
        ("major", Sweep::Geometry) => point.workgroup.z.to_string(),
        _ => format!("{}x{}", point.workgroup.z, point.workgroup.x),
    };
    for (series, point) in chart.points() {
        let name = name(series, point);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let across = |series: &Series, point: &Point| match swept.sweep {
        Sweep::Threads => point.workgroup.z as f64,
        Sweep::Slices => point.workgroup.planes as f64,
        Sweep::Geometry => {
            let name = name(series, point);
            names.iter().position(|known| *known == name).unwrap_or(0) as f64
        }
    };
    let us = |time: &Measured| 1e6 * time.seconds;
    let mut curves = Vec::new();
    for series in &chart.series {
        let curve = |name: String, line, value: &dyn Fn(&Point) -> Option<f64>| {
            let point = |point: &Point| Some((across(series, point), value(point)?));
            let mut points: Vec<_> = series.points.iter().filter_map(point).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            Curve { name, points, line }
        };
        curves.push(curve(series.name.clone(), Line::Solid, &|point| point.time.as_ref().map(us)));
        curves
            .push(curve(format!("{}, K20m", series.name), Line::Dashed, &|point| point.thesis_us));
    }
    curves.retain(|curve| !curve.points.is_empty());
    CurveFigure {
        title: format!("Workgroups, {}", chart.title),
        subtitle: subtitle(&swept.case, device),
        across: match swept.sweep {
            Sweep::Threads => "Invocations a workgroup, all along z".into(),
            Sweep::Slices => "Slices a workgroup marches through, or an invocation holds".into(),
            Sweep::Geometry if chart.name == "segmentation" => {
                "Invocations of a piece, or columns a workgroup".into()
            }
            Sweep::Geometry => "Invocations a workgroup, along z x along x".into(),
        },
        up: "us a step (log)".into(),
        ticks: match swept.sweep {
            Sweep::Threads | Sweep::Slices => Across::Log2,
            Sweep::Geometry => Across::Categories(names.clone()),
        },
        log: true,
        curves,
        ..CurveFigure::default()
    }
}
