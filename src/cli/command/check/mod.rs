//! `huygens check`.

mod cost;
mod model;
mod slurm;
mod text;
mod weighed;

use crate::{
    cli::{
        failure::Failure,
        flags::{
            device::Device, force::ForceArguments, job::JobArguments, picture::FigureArguments,
        },
        session::{json, tell_where},
        terminal::{picture, progress, say::print, shell::file_name},
    },
    io::folder::{Earlier, OutputFolder},
    job::JobFile,
    operations::check::{Configured, TaskCommand, dispersion, over_the_model},
    render::{CurveFigure, GatherFigure, ThreePlaneFigure},
    run::PreparedJob,
};
use std::{num::NonZeroUsize, path::PathBuf};
use weighed::Weighed;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  huygens check\n  \
                        huygens check job.toml --backend vulkan\n  \
                        huygens check assets/jobs/dispersive.toml --out check\n\
                        Nothing is run and nothing is measured. Exit codes: 0 if the job would run, with or without warnings; 2 if not.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    job: JobArguments,
    #[command(flatten)]
    device: Device,
    /// Section to check for `huygens zero-offset --migrate`.
    #[arg(long, value_name = "FILE")]
    section: Option<PathBuf>,
    /// Folder for check.png (dispersion), survey.png (sources and receivers over the model) and check.json; created if it
    /// is missing.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArguments,
    #[command(flatten)]
    figure: FigureArguments,
    /// Print a Slurm script that runs the survey as an array of this many tasks.
    #[arg(long, value_name = "TASKS", conflicts_with = "json")]
    slurm: Option<NonZeroUsize>,
    /// Command of the tasks in the script [default: rtm if the job sets a key of [rtm], else shot]
    #[arg(long, value_name = "COMMAND", requires = "slurm")]
    run: Option<TaskCommand>,
    /// Print the report, or the error of a refused job, as JSON on standard output.
    #[arg(long)]
    json: bool,
}

/// The report's file.
const RECORD: &str = "check.json";
/// The picture of the survey over its model.
const SURVEY: &str = "survey.png";
/// The dispersion chart.
const PICTURE: &str = "check.png";

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
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
    let task = arguments.run.unwrap_or_else(|| TaskCommand::of(&file.job));
    let mut configured = arguments.configured(&file, task)?;
    configured.doubts.iter().for_each(|doubt| tracing::warn!("{doubt}"));
    let job = PreparedJob { file: &file, inputs: configured.job().inputs.clone() };
    let plan = &job.inputs.plan;
    let least = if plan.grid.is_volume() { ThreePlaneFigure::LEAST } else { GatherFigure::LEAST };
    FigureArguments::default().over(&file.job.output.figures, least)?;
    let engine = arguments.device.open()?;
    let earlier = Earlier::of(arguments.force.given);
    let folder = arguments.out.as_deref().map(|out| OutputFolder::new(out, Some(RECORD), earlier));
    let folder = folder.transpose()?;
    let Weighed { mut report, refused } =
        Weighed::new(&job, &mut configured, engine.as_ref(), arguments.device.is_auto());
    if let Some(folder) = &folder {
        if let Some(figure) = dispersion(&file_name(report.job_name.as_ref()), plan) {
            picture::write(folder, PICTURE, &figure, size)?;
        }
        if configured.shots.is_some() && plan.shots.len() > 1 {
            picture::write(folder, SURVEY, &over_the_model(&file, &job.inputs), size)?;
        }
        report.files = folder.files();
    }
    let json = json(&report)?;
    if let Some(folder) = folder {
        folder.write(RECORD, json.as_bytes())?;
        folder.commit()?;
    }
    match (arguments.slurm, arguments.json) {
        (Some(tasks), _) => print(slurm::script(arguments, &report, task, tasks)?)?,
        (None, true) => print(json)?,
        (None, false) => print(text::text(&report, plan))?,
    }
    Ok(refused)
}

impl Arguments {
    /// Reads the files of the operations that the job configures.
    fn configured<'a>(
        &self,
        file: &'a JobFile,
        task: TaskCommand,
    ) -> Result<Configured<'a>, Failure> {
        let _reading = progress::doing("reading and planning");
        let locates = self.section.is_none() && self.run.is_none() && file.is_to_locate();
        if locates && self.slurm.is_some() {
            return Err(Failure::input(
                "--slurm is for surveys and migrations, and this job has no shots; leave it out",
            ));
        }
        Ok(match locates {
            true => Configured::to_locate(file)?,
            false => Configured::of(file, self.section.as_deref(), task)?,
        })
    }
}
