//! `huygens tune`.

use crate::{
    cli::{
        failure::Failure,
        flags::device::Device,
        session::json,
        terminal::{
            escape,
            progress::{Progress, stop_on_ctrl_c},
            say::print,
            table::{Column, hundredths, percent, table},
        },
    },
    engine::{
        Description, Engine, EngineError, select,
        tune::{self, Class, FILE, Measured, MeasuredBatch, Timing},
    },
    io::cache,
    job::JobFile,
    results::numbers::digits,
};
use serde::Serialize;
use std::{path::PathBuf, time::Duration};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  huygens tune\n  huygens tune assets/jobs/salt3d.toml\n\
                        Which kernel is the fastest depends on the device, its driver, and the simulation's dimensions, size, \
                        operator and layers. A run takes the one that was measured here or, if none was, one chosen by a rule. \
                        `huygens shot --kernel NAME` takes another.")]
pub(crate) struct Arguments {
    /// Job to measure for; without it, planes and volumes of several sizes, of order 8 with CPML.
    job: Option<PathBuf>,
    /// Time limit for the kernels of one kind of simulation, seconds.
    #[arg(long, default_value_t = 2.0, value_parser = seconds)]
    seconds: f64,
    #[command(flatten)]
    device: Device,
    /// Print the results as JSON on standard output.
    #[arg(long)]
    json: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.01..=3600.0).contains(&seconds) => Ok(seconds),
        _ => Err("give 0.01 to 3600 seconds".into()),
    }
}

#[derive(Serialize)]
struct Record {
    device: Description,
    /// Of a survey.
    #[serde(skip_serializing_if = "Option::is_none")]
    batch: Option<MeasuredBatch>,
    results: Vec<Measured>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let stop = stop_on_ctrl_c();
    let device = &arguments.device;
    let gpu = select::gpu(device.backend, device.adapter.as_deref(), device.checked)?;
    let Some(gpu) = gpu else {
        return Err(Failure::input(
            "there is no GPU to tune for: a CPU engine has one way to step; `huygens devices` \
             lists what there is",
        ));
    };
    let (batch, classes) = match &arguments.job {
        Some(path) => {
            let progress = Progress::listening("batch size", stop.clone());
            let on_progress = &mut |done, all| progress.hear_of(done, all);
            let plan = JobFile::open(path)?.inputs()?.plan;
            let batch = tune::measure_batch(&gpu, &plan, on_progress)?;
            (batch, vec![Class::of(&tune::first_batch(&gpu, &plan)?)])
        }
        None => (None, Class::usual(gpu.is_hardware())),
    };
    let mut results = Vec::new();
    for class in classes {
        let progress = Progress::listening("kernel", stop.clone());
        let budget = Duration::from_secs_f64(arguments.seconds);
        let on_progress = &mut |done, all| progress.hear_of(done, all);
        match tune::measure_again(&gpu, class, budget, on_progress) {
            Err(error @ EngineError::DoesNotFit(_)) if arguments.job.is_none() => {
                tracing::warn!("{class}: not measured: {error}");
            }
            measured => results.push(measured?),
        }
    }
    let record = Record { device: gpu.describe(), batch, results };
    if arguments.json { print(json(&record)?) } else { print(text(&record)) }
}

fn text(record: &Record) -> String {
    let device = format!("on {}, {}", record.device.device, record.device.driver);
    let mut text = escape::line(device) + "\n";
    if let Some(MeasuredBatch { shots, tried }) = record.batch {
        text += &format!("\nshots at once: {shots}, of up to {tried} that were tried\n");
    }
    for Measured { class, timings, .. } in &record.results {
        text += &format!("\n{class}\n");
        let fastest = timings.first().map_or(1.0, |timing| timing.seconds);
        let columns: [Column<'_, &Timing>; 5] = [
            ("kernel", &|timing| timing.kernel.into()),
            ("us/step", &|timing| digits(1e6 * timing.seconds)),
            ("Gpts/s", &|timing| digits(timing.gpts)),
            ("of the fastest", &|timing| hundredths(fastest / timing.seconds)),
            ("spread", &|timing| percent(timing.spread, 0)),
        ];
        let table = table(timings, 1, &columns);
        text += &format!("{table}\n");
    }
    text += "\nGpts/s: 10^9 nodes a second, layers included; spread: how much longer the middle one of the rounds took";
    let is_kept = record.results.iter().all(|of| of.is_kept);
    match cache::path(FILE).filter(|_| is_kept) {
        Some(path) => {
            text + &format!(
                "; the first of each kind is remembered in {}",
                escape::line(path.display())
            )
        }
        None => text,
    }
}
