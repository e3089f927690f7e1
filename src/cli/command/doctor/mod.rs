//! `huygens doctor`: `report` collects what is here, `shot` runs a shot on each device, `vulkan`, `vendor` and
//! `device_file` look for drivers and GPUs, `advice` says what to install.

mod advice;
mod device_file;
mod remedies;
mod report;
mod shot;
mod vendor;
mod vulkan;

use super::devices::table;
use crate::{
    cli::{
        command::file_report::Lines,
        failure::Failure,
        session::json,
        terminal::{progress, say::print},
    },
    host::binary,
};
use report::{DeviceReport, Report};
use shot::ShotReport;
use std::fmt::Display;
use vulkan::Variable;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  huygens doctor\n  huygens doctor --json > doctor.json\n\
                        Exit code 1 if a device fails or computes wrong waves; 0 without a GPU.")]
pub(crate) struct Arguments {
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
    /// Look for OpenGL adapters too.
    #[arg(long)]
    gl: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let working = progress::doing("running a shot on each device");
    let report = Report::collect(arguments.gl)?;
    drop(working);
    if arguments.json {
        print(json(&report)?)?
    } else {
        print(text(&report))?
    }
    let fails = |device: &&DeviceReport| matches!(device.shot, ShotReport::Failed { .. });
    match report.devices.iter().filter(fails).count() {
        0 => Ok(()),
        count => Err(Failure::run(format!(
            "{count} of {} devices cannot be used; choose another with --backend or --adapter",
            report.devices.len()
        ))),
    }
}

fn text(report: &Report) -> String {
    let mut lines = Lines::new(&report.program.to_string(), 8);
    lines.line("features", report.features.join(", "));
    lines.line("system", format_args!("{}, {} threads", report.system, report.threads));
    let limited = |bytes| format!("{}, limited by {}", binary(bytes), report.memory_limit);
    lines.line("memory", report.memory.map_or_else(|| "unknown".into(), limited));
    let folder = report.cache.folder.as_ref().map(|folder| folder.display().to_string());
    lines.line("cache", folder.unwrap_or_else(|| "none".into()));
    for file in &report.cache.files {
        lines.line("", format_args!("{}, {}", file.name, binary(file.bytes)));
    }
    if let Some(vulkan) = &report.vulkan {
        let loader = vulkan.loader.as_ref().map(|path| path.display().to_string());
        lines.line("Vulkan", format_args!("loader {}", loader.as_deref().unwrap_or("none")));
        let drivers = vulkan.drivers.iter().map(|path| path.display().to_string());
        list(&mut lines, "driver", drivers);
        list(&mut lines, "GPU", vulkan.gpus.iter().map(|gpu| gpu.name()));
        list(&mut lines, "access", vulkan.files.iter());
        for Variable { name, value } in &vulkan.variables {
            lines.line("variable", format_args!("{name}={value}"));
        }
    }
    let shots = report.devices.iter().map(shot_line).collect::<Vec<_>>().join("\n");
    let advice = report.advice.iter().map(|advice| format!("\n- {advice}"));
    let advice = match report.advice.is_empty() {
        true => "Nothing to mend.".to_owned(),
        false => format!("What would help:{}", advice.collect::<String>()),
    };
    let devices = table(report.devices.iter().map(|device| &device.row));
    format!("{}\n\n{devices}\n\nA shot of 1 s on each:\n{shots}\n\n{advice}", lines.end(&[]))
}

/// A line for each, the first one named.
fn list(lines: &mut Lines, name: &str, all: impl ExactSizeIterator<Item = impl Display>) {
    if all.len() == 0 {
        lines.line(name, "none");
    }
    for (n, one) in all.enumerate() {
        lines.line(if n == 0 { name } else { "" }, one);
    }
}

fn shot_line(device: &DeviceReport) -> String {
    let said = match &device.shot {
        ShotReport::Oracle { seconds } => format!("{seconds:.2} s, the reference engine"),
        ShotReport::Agrees { seconds, difference } => {
            format!(
                "{seconds:.2} s, agrees with the reference engine (difference {difference:.0e})"
            )
        }
        ShotReport::Failed { error, .. } => format!("FAILED: {error}"),
        ShotReport::NotRun { why } => format!("NOT RUN: {why}"),
    };
    format!("  {:<9}  {}: {said}", device.row.backend, device.row.name)
}
