//! `huygens check`.

mod slurm;
mod text;

use crate::{
    cli::{
        failure::Failure,
        flags::{
            device::Device, force::ForceArguments, job::JobArguments, picture::FigureArguments,
        },
        session::{json, tell_where},
        terminal::{picture, progress, say::print, shell::file_name},
    },
    engine::tune::{Choices, Runner},
    io::folder::{Earlier, OutputFolder},
    operations::check::{Configured, Report, TaskCommand, dispersion, over_the_model},
    render::{CurveFigure, GatherFigure, ThreePlaneFigure},
    run::{Operation, PreparedJob},
};
use std::{num::NonZeroUsize, path::PathBuf};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  huygens check\n  \
                        huygens check job.toml --backend vulkan\n  \
                        huygens check assets/jobs/dispersive.toml --out check\n\
                        Nothing is run and nothing is measured. Exit codes: 0 if the job would run, with or without warnings; 2 if not.")]
pub struct Arguments {
    #[command(flatten)]
    job: JobArguments,
    #[command(flatten)]
    device: Device,
    /// A section that `huygens zero-offset --migrate` is to send back: it is read, and what disagrees in it is told.
    #[arg(long, value_name = "FILE")]
    section: Option<PathBuf>,
    /// A folder for check.png, the dispersion of the job as a picture, survey.png, the sources and receivers of a survey
    /// over its model, and check.json; made if it is missing.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArguments,
    #[command(flatten)]
    figure: FigureArguments,
    /// Print a script that models or migrates the survey, or makes its gradient, as a Slurm array of this many tasks.
    #[arg(long, value_name = "TASKS", conflicts_with = "json")]
    slurm: Option<NonZeroUsize>,
    /// What the tasks of the script run; default rtm if the job sets a key of [rtm], else shot.
    #[arg(long, value_name = "COMMAND", requires = "slurm")]
    run: Option<TaskCommand>,
    /// Print the report as JSON on standard output; of a job that is refused, its error.
    #[arg(long)]
    json: bool,
}

/// The report's file.
const RECORD: &str = "check.json";
/// The picture of the survey over its model.
const SURVEY: &str = "survey.png";
/// The dispersion chart.
const PICTURE: &str = "check.png";

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let refused = examine(arguments).inspect_err(|failure| {
        if arguments.json {
            // The original failure matters more than one of standard output.
            let _ = print(format_args!("{:#}", failure.json()));
        }
    })?;
    arguments.out.iter().for_each(|out| tell_where(out));
    refused.map_or(Ok(()), Err)
}

/// Reports everything known about the job; `Some` if the engine or the memory cannot hold it.
fn examine(arguments: &Arguments) -> Result<Option<Failure>, Failure> {
    let size = arguments.figure.size(CurveFigure::LEAST)?;
    let mut file = arguments.job.open()?;
    file.fields_on_host = Some(arguments.device.fields_on_host());
    file.forced = arguments.force.given;
    let reading = progress::doing("reading and planning");
    let task = arguments.run.unwrap_or_else(|| TaskCommand::of(&file.job));
    let locates = arguments.section.is_none() && arguments.run.is_none() && file.is_to_locate();
    if locates && arguments.slurm.is_some() {
        return Err(Failure::input(
            "--slurm is for surveys and migrations, and this job has no shots; leave it out",
        ));
    }
    let section = arguments.section.as_deref();
    let mut configured = match locates {
        true => Configured::to_locate(&file)?,
        false => Configured::of(&file, section, task)?,
    };
    drop(reading);
    configured.doubts.iter().for_each(|doubt| tracing::warn!("{doubt}"));
    let PreparedJob { inputs, .. } = &configured.job().clone();
    let plan = &inputs.plan;
    let least = if plan.grid.is_volume() { ThreePlaneFigure::LEAST } else { GatherFigure::LEAST };
    FigureArguments::default().over(file.job.output.figures, least)?;
    let engine = arguments.device.open()?;
    let folder = arguments
        .out
        .as_deref()
        .map(|out| OutputFolder::new(out, Some(RECORD), Earlier::of(arguments.force.given)));
    let folder = folder.transpose()?;
    // An engine's refusal is reported last.
    let (at_once, mut refused) = match engine.batch(plan) {
        Ok(shots) => (shots, None),
        Err(error) => (1, Some(error)),
    };
    let batch = plan.batch(0..at_once.min(plan.shots.len()));
    let auto = arguments.device.is_auto();
    let runner = Runner::new(engine.as_ref(), auto, &batch, &Choices::load());
    let mut report = Report::new(&file, inputs, runner, at_once);
    if locates {
        // Doubts about the recording are printed above; warnings about waves do not apply to its noise.
        report.warnings.clear();
    }
    let shots = configured.shots.iter();
    let mut demands: Vec<_> =
        shots.map(|shots| shots.demand_of(engine.as_ref(), at_once)).collect();
    if refused.is_none() {
        let mut add = |operation: &mut dyn Operation| {
            demands.push(operation.demand(&[engine.as_ref()])?);
            let estimate = operation.estimate(engine.as_ref(), report.seconds)?;
            report.migration = report.migration.take().or(estimate);
            Ok(())
        };
        refused = configured.others.iter_mut().try_for_each(|of| add(of.as_mut())).err();
    }
    let unheld = demands.iter().find_map(|demand| demand.check(plan).err());
    report.add_demands(demands, engine.as_ref(), &batch);
    report.refused = match (&refused, &unheld) {
        (Some(error), _) => Some(error.to_string()),
        (None, unheld) => unheld.as_ref().map(ToString::to_string),
    };
    let refused = refused.map(Failure::from).or(unheld.map(Failure::input));
    if let Some(folder) = &folder {
        if let Some(figure) = dispersion(&file_name(report.job_name.as_ref()), plan) {
            picture::write(folder, PICTURE, &figure, size)?;
        }
        if !locates && plan.shots.len() > 1 {
            picture::write(folder, SURVEY, &over_the_model(&file, inputs), size)?;
        }
        report.files = folder.files();
    }
    let json = json(&report)?;
    if let Some(folder) = folder {
        folder.write(RECORD, json.as_bytes())?;
        folder.commit()?;
    }
    match (arguments.slurm, arguments.json) {
        (Some(tasks), _) => {
            let words = (&arguments.job, &arguments.device);
            print(slurm::script(words, &report, (task, tasks))?)?
        }
        (None, true) => print(json)?,
        (None, false) => print(text::text(&report, plan))?,
    }
    Ok(refused)
}
