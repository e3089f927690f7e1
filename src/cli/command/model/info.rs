//! `huygens model info`.

use super::input::{FileArguments, builtin_name, each};
use crate::cli::{
    command::trace_info::{self, FileReport, report},
    failure::Failure,
    terminal::{escape, say::counted},
};
use huygens::{
    io::{
        model_file::{Format, ModelFile, Plausible},
        velocity_unit::VelocityUnit,
    },
    job::DepthUnit,
    rounded::rounded,
};
use serde::Serialize;
use std::{
    fmt::Write,
    path::{Path, PathBuf},
};

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

/// The content of a model file.
#[derive(Serialize)]
struct Info {
    path: String,
    format: Format,
    /// Slowest axis first.
    shape: Vec<usize>,
    /// Axis order, if the file names it or it is given.
    order: Option<String>,
    axes: Vec<AxisInfo>,
    /// Unit of the values, if the file names it.
    unit: Option<String>,
    /// m/s; finite values only.
    least: Option<f32>,
    most: Option<f32>,
    not_finite: usize,
    plausible: bool,
    looks: String,
    warnings: Vec<String>,
}

/// An axis in the file, in its own unit.
#[derive(Serialize)]
struct AxisInfo {
    n: usize,
    label: Option<String>,
    unit: Option<String>,
    origin: Option<f64>,
    spacing: Option<f64>,
    /// Present if known.
    spacing_metres: Option<f64>,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    report(&arguments.files, arguments.json, |path| tell_of(path, &arguments.file), text)
}

/// Reads the content of a file; an error is returned as text.
fn tell_of(path: &Path, said: &FileArguments) -> Result<FileReport<Info>, String> {
    if let Some(name) = builtin_name(path) {
        return Err(format!(
            "builtin:{name} is a built-in model, and info is of files; `huygens model build builtin:{name} --out {name}.npy` writes one"
        ));
    }
    let format = Format::of(path).map_err(|error| error.to_string())?;
    if format.is_traces() {
        let info = trace_info::read(path, format, said.headers(), true)
            .map_err(|error| format!("{} is not read: {error}", path.display()))?
            .counting(said.sample_interval.map(DepthUnit::metres));
        return Ok(FileReport::Traces(Box::new(info)));
    }
    let mut file = said.open(path).map_err(|error| error.to_string())?;
    // An unknown unit is reported with the rest.
    let unit = file.velocity_unit().unwrap_or(VelocityUnit::SI);
    let order = file.order(said.axes.as_ref()).ok();
    // Flags take precedence over the file, as on reading.
    if let (Some(given), Some(order)) = (said.file_spacing, &order) {
        let h = each("--file-spacing", given, order.is_volume());
        let h = h.map_err(|failure| failure.message())?;
        for (axis, h) in file.axes.iter_mut().zip(order.in_order(h)) {
            (axis.spacing, axis.unit) = (Some(h), Some("m".into()));
        }
    }
    Ok(FileReport::Arrays(Box::new(info(&file, order.map(|order| order.to_string()), unit))))
}

fn info(file: &ModelFile, order: Option<String>, unit: VelocityUnit) -> Info {
    let velocity = |v: &f32| unit.velocity(f64::from(*v)) as f32;
    let finite = || file.values.iter().map(velocity).filter(|v| v.is_finite());
    let (least, most) = (finite().reduce(f32::min), finite().reduce(f32::max));
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
        warnings: file.warnings.clone(),
    }
}

fn text(info: &Info) -> String {
    let (path, format) = (escape::line(&info.path), info.format);
    let mut text = format!("{path}\n  format   {format}, shape {:?}", info.shape);
    if info.shape.len() > 1 {
        text += ", slowest axis first";
    }
    // Writing to a string cannot fail.
    let _ = match &info.order {
        Some(order) => write!(text, "\n  axes     {order}"),
        None if info.shape.len() == 1 => {
            write!(text, "\n  axes     one; a model has two or three, and a wavelet has one")
        }
        None => write!(text, "\n  axes     not named: give axes = \"...\", or --axes"),
    };
    for (index, axis) in info.axes.iter().enumerate() {
        let letter = info.order.as_deref().and_then(|order| order.chars().nth(index));
        let label = match (&axis.label, letter) {
            (Some(label), _) => format!("\"{}\"", escape::line(label)),
            (None, Some(letter)) => letter.to_string(),
            (None, None) => format!("axis {index}"),
        };
        let unit = escape::line(axis.unit.as_deref().unwrap_or("m where it names no unit"));
        let spacing =
            axis.spacing.map_or("spacing not given".into(), |h| format!("{} apart", rounded(h)));
        let origin = axis.origin.map_or(String::new(), |o| format!(" from {}", rounded(o)));
        if info.shape.len() == 1 {
            let _ = write!(text, "\n           {} samples", axis.n);
            continue;
        }
        let _ =
            write!(text, "\n           {label}: {}, {spacing}{origin}", counted(axis.n, "node"));
        if axis.spacing.is_some() {
            let _ = write!(text, " ({unit})");
        }
    }
    // Velocities have a unit, if they are plausible.
    let unit = match (&info.unit, info.plausible) {
        (Some(unit), _) if unit == "m/s" => " m/s".into(),
        (Some(unit), _) => format!(" m/s (from {})", escape::line(unit)),
        (None, true) => " m/s, if it is a model: the file names no unit".into(),
        (None, false) => String::new(),
    };
    let _ = match (info.least, info.most) {
        (Some(least), Some(most)) => write!(text, "\n  values   {least} to {most}{unit}"),
        _ => write!(text, "\n  values   none is finite"),
    };
    if info.not_finite > 0 {
        let _ = write!(text, ", and {} that are not finite", info.not_finite);
    }
    let _ = write!(text, "\n           {}", info.looks);
    for warning in &info.warnings {
        let _ = write!(text, "\n  warning  {}", escape::line(warning));
    }
    text
}
