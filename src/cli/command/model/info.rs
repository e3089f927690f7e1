//! `huygens model info`.

use super::{
    built::{builtin_name, each},
    contents::Contents,
    input::FileArguments,
};
use crate::{
    cli::{
        command::{
            file_report::{FileReport, report},
            trace_info,
        },
        failure::Failure,
    },
    io::{model_file::Format, model_unit::ModelUnit},
    job::DepthUnit,
    model::ModelQuantity,
};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(after_help = "Example: huygens model info salt.rsf velocity.npy --json")]
pub(crate) struct Arguments {
    /// The files.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    file: FileArguments,
    /// Print it as JSON on standard output.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    report(&arguments.files, arguments.json, |path| tell_of(path, &arguments.file), Contents::text)
}

/// Reads the content of a file; an error is returned as text.
fn tell_of(path: &Path, said: &FileArguments) -> Result<FileReport<Contents>, String> {
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
    let is_density = |unit: &String| ModelUnit::of(unit, ModelQuantity::Density).is_some();
    if file.unit.as_ref().is_some_and(is_density) {
        file.quantity = ModelQuantity::Density;
    }
    // An unknown unit is reported with the rest.
    let unit = file.value_unit().unwrap_or(ModelUnit::own(file.quantity));
    let order = file.order(said.axes.as_ref()).ok();
    // Flags take precedence over the file, as on reading.
    if let (Some(given), Some(order)) = (said.file_spacing, &order) {
        let h = each("--file-spacing", given, order.is_volume());
        let h = h.map_err(|failure| failure.message())?;
        for (axis, h) in file.axes.iter_mut().zip(order.in_order(h)) {
            (axis.spacing, axis.unit) = (Some(h), Some("m".into()));
        }
    }
    Ok(FileReport::Arrays(Box::new(Contents::of(&file, order, unit))))
}
