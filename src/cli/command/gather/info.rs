//! `huygens gather info`.

use super::headers::HeaderArguments;
use crate::{
    cli::{
        command::{
            file_report::{FileReport, Lines, report},
            trace_info,
        },
        failure::Failure,
    },
    io::{
        gather_arrays,
        gather_file::{self, GatherFileError, Given},
        model_file::Format,
        segy::{Gather, Overrides},
    },
    message::Names,
};
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  huygens gather info field.sgy\n  huygens gather info data/*.sgy --json"
)]
pub(crate) struct Arguments {
    /// The files: .sgy, .su, .npz or .h5.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    headers: HeaderArguments,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// The content of a file of arrays.
#[derive(Serialize)]
struct ArrayInfo {
    path: String,
    records: usize,
    /// The least and the greatest number of a record.
    numbers: (i64, i64),
    traces: usize,
    samples: usize,
    /// Seconds.
    interval: f64,
    start: f64,
    /// Least and greatest x, y and z of receivers, metres.
    receivers: [(f64, f64); 3],
    warnings: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if !arguments.headers.are_of_headers() {
        let message = "info tells of whole files; leave --start, --records, --kill, --positions and --source out";
        return Err(Failure::input(message));
    }
    let read = |path: &Path| {
        tell_of(path, &arguments.headers).map_err(|message| Names::Gather.translate(&message))
    };
    report(&arguments.files, arguments.json, read, text)
}

fn tell_of(path: &Path, headers: &HeaderArguments) -> Result<FileReport<ArrayInfo>, String> {
    if !Format::of(path).is_ok_and(Format::is_traces) && headers.overrides() != Overrides::default()
    {
        return Err(format!(
            "{} has no headers; leave what stands in place of them out",
            path.display()
        ));
    }
    let read = match Format::of(path) {
        Ok(format) if format.is_traces() => {
            let info = trace_info::read(path, format, headers.overrides(), false);
            let info = info.map_err(|error| format!("{} is not read: {error}", path.display()))?;
            return Ok(FileReport::Traces(Box::new(info)));
        }
        Ok(Format::Npz) => gather_arrays::read_npz(path),
        Ok(Format::Hdf5) => gather_arrays::read_hdf5(path),
        _ => {
            return Err(format!(
                "{} is no file of gathers that says where its traces are; give a .sgy, .su, .npz or .h5",
                path.display()
            ));
        }
    };
    let gathers = read.map_err(|error| error.to_string())?;
    let headers = gather_file::read_headers(path, &Given::default());
    let mut warnings = headers.map_err(|error| error.to_string())?.warnings;
    let traces = gathers.iter().flat_map(|gather| gather.traces.outer_iter());
    let bad = traces.zip(1..).filter(|(trace, _)| trace.iter().any(|sample| !sample.is_finite()));
    let numbers: Vec<u64> = bad.map(|(_, number)| number).collect();
    if !numbers.is_empty() {
        warnings.push(GatherFileError::NotFinite { numbers }.to_string());
    }
    let warnings = warnings.iter().map(|warning| Names::Gather.translate(warning)).collect();
    Ok(FileReport::Arrays(Box::new(ArrayInfo { warnings, ..info(path, &gathers) })))
}

fn info(path: &Path, gathers: &[Gather]) -> ArrayInfo {
    let all = || gathers.iter().flat_map(|gather| &gather.receivers);
    let range = |of: fn(&crate::grid::Position) -> f64| {
        let (least, most) = (all().map(of).reduce(f64::min), all().map(of).reduce(f64::max));
        least.zip(most).unwrap_or_default()
    };
    let first = gathers.first();
    let numbers = || gathers.iter().map(|gather| gather.record);
    ArrayInfo {
        path: path.display().to_string(),
        records: gathers.len(),
        numbers: numbers().min().zip(numbers().max()).unwrap_or_default(),
        traces: gathers.iter().map(|gather| gather.traces.nrows()).sum(),
        samples: first.map_or(0, |gather| gather.traces.ncols()),
        interval: first.map_or(0.0, |gather| gather.interval),
        start: first.map_or(0.0, |gather| gather.start),
        receivers: [range(|at| at.x), range(|at| at.y), range(|at| at.z)],
        warnings: Vec::new(),
    }
}

fn text(info: &ArrayInfo) -> String {
    let ArrayInfo { records, traces, samples, interval, start, numbers, .. } = info;
    let mut lines = Lines::new(&info.path, 8);
    let (first, last) = numbers;
    let records =
        format!("{records}, {traces} traces of {samples} samples; numbers {first} to {last}");
    lines.line("records", records);
    lines.line("time", format!("{interval} s apart, from {start} s"));
    let [x, y, z] = info.receivers.map(|(least, most)| format!("{least} to {most}"));
    lines.line("receivers", format!("x {x}, y {y}, z {z} m"));
    lines.end(&info.warnings)
}
