//! `huygens model info`.

use super::input::FileArguments;
use crate::cli::{failure::Failure, print};
use huygens::io::model_file::{Format, ModelFile, Plausible};
use serde::Serialize;
use std::{fmt::Write, path::PathBuf};

#[derive(clap::Args)]
#[command(after_help = "Example: huygens model info salt.rsf velocity.npy --json")]
pub struct Arguments {
    /// The files.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    file: FileArguments,
    /// Print it as JSON on standard output.
    #[arg(long)]
    json: bool,
}

/// What a file holds.
#[derive(Serialize)]
struct Info {
    path: String,
    format: Format,
    /// Slowest axis first.
    shape: Vec<usize>,
    /// Their order where the file names them or it is given.
    order: Option<String>,
    axes: Vec<AxisInfo>,
    /// Of the values, where the file names it.
    unit: Option<String>,
    /// m/s; of those that are finite.
    least: Option<f32>,
    most: Option<f32>,
    not_finite: usize,
    plausible: bool,
    looks: String,
}

/// What the file says of an axis, in its own unit.
#[derive(Serialize)]
struct AxisInfo {
    n: usize,
    label: Option<String>,
    unit: Option<String>,
    origin: Option<f64>,
    spacing: Option<f64>,
    /// Where it is known.
    spacing_metres: Option<f64>,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut infos = Vec::new();
    for path in &arguments.files {
        let file = arguments.file.read(path)?;
        // A unit that is not known is told with the rest.
        let scale = arguments.file.scale(&file).unwrap_or(1.0);
        let order = file.order(arguments.file.axes.as_ref()).ok().map(|order| order.to_string());
        infos.push(info(&file, order, scale));
    }
    if arguments.json {
        print(serde_json::to_string_pretty(&infos).map_err(Failure::run)?);
    } else {
        let texts: Vec<_> = infos.iter().map(text).collect();
        print(texts.join("\n\n"));
    }
    Ok(())
}

fn info(file: &ModelFile, order: Option<String>, scale: f64) -> Info {
    let scaled = |v: f32| (scale * f64::from(v)) as f32;
    let finite = || file.values.iter().copied().filter(|v| v.is_finite());
    let (least, most) =
        (finite().reduce(f32::min).map(scaled), finite().reduce(f32::max).map(scaled));
    let not_finite = file.values.len() - finite().count();
    let looks = match (least, most, not_finite) {
        (Some(least), Some(most), 0) => Plausible::of((least, most)),
        _ => Plausible::No,
    };
    let axis = |(n, axis): (&usize, &huygens::io::file_axis::FileAxis)| AxisInfo {
        n: *n,
        label: axis.label.clone(),
        unit: axis.unit.clone(),
        origin: axis.origin,
        spacing: axis.spacing,
        spacing_metres: axis.spacing.and_then(|h| axis.scale().ok().map(|scale| scale * h)),
    };
    Info {
        path: file.path.clone(),
        format: file.format,
        shape: file.values.shape().to_vec(),
        order,
        axes: file.values.shape().iter().zip(&file.axes).map(axis).collect(),
        unit: file.unit.clone(),
        least,
        most,
        not_finite,
        plausible: looks == Plausible::Yes,
        looks: looks.to_string(),
    }
}

fn text(info: &Info) -> String {
    let mut text = format!(
        "{}\n  format   {:?}, shape {:?}, slowest axis first",
        info.path, info.format, info.shape
    );
    // Writing to a string does not fail.
    let _ = match &info.order {
        Some(order) => write!(text, "\n  axes     {order}"),
        None => write!(text, "\n  axes     not named: give axes = \"...\", or --axes"),
    };
    for (index, axis) in info.axes.iter().enumerate() {
        let label = axis
            .label
            .as_deref()
            .map_or_else(|| format!("axis {index}"), |label| format!("\"{label}\""));
        let unit = axis.unit.as_deref().unwrap_or("m where it names no unit");
        let spacing = axis.spacing.map_or("spacing not given".into(), |h| format!("{h} apart"));
        let origin = axis.origin.map_or(String::new(), |o| format!(" from {o}"));
        let _ = write!(text, "\n           {label}: {} nodes, {spacing}{origin}", axis.n);
        if axis.spacing.is_some() {
            let _ = write!(text, " ({unit})");
        }
    }
    let unit = info
        .unit
        .as_deref()
        .map_or("taken as m/s: it names no unit".into(), |unit| format!("from {unit}"));
    let _ = match (info.least, info.most) {
        (Some(least), Some(most)) => write!(text, "\n  values   {least} to {most} m/s ({unit})"),
        _ => write!(text, "\n  values   none is finite"),
    };
    if info.not_finite > 0 {
        let _ = write!(text, ", and {} that are not finite", info.not_finite);
    }
    let _ = write!(text, "\n           {}", info.looks);
    text
}
