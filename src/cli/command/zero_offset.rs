//! `huygens zero-offset`.

use crate::cli::{
    flags::{device::Devices, force::ForceArguments, job::JobArguments, output::OutputArguments},
    session::{Session, begin, by, finish, planning, results, stepped, steps},
    terminal::{
        failure::Failure,
        progress::{self, Progress, tell},
        timeline,
    },
};
use huygens::{
    acquisition::Recording,
    engine::{SnapshotView, Timings},
    io::{digest::sha256, folder::RUN},
    job::{Inputs, JobFile, Section},
    plan::{Plan, PlanError, Setup, Warning},
    render::GatherFigure,
    results::{
        Elapsed, Record,
        zero_offset::{Frames, Output},
    },
    workflow::zero_offset::{self, Backward, Forward, ZeroOffsetError},
};
use std::{
    path::{Path, PathBuf},
    time::Instant,
};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  huygens zero-offset --out section\n  \
                        huygens zero-offset --migrate section/section.npy --out image\n\
                        Every reflector of the model explodes at t = 0 and velocities are halved. Of the job the model, the operator, \
                        the sides, the time and the receivers are taken, and of the first source its wavelet, for the band of the section: \
                        its place is not used. The top absorbs, whatever the job says.")]
pub struct Arguments {
    #[command(flatten)]
    job: JobArguments,
    /// Send a section back to the reflectivity, its first sample at t = 0: a .sgy or .su, which says where its traces
    /// are and how far its samples are apart, or a .npy of shape [receiver][time], which has the job's receivers and
    /// interval.
    #[arg(long, value_name = "SECTION")]
    migrate: Option<PathBuf>,
    #[command(flatten)]
    device: Devices,
    #[command(flatten)]
    pub output: OutputArguments,
    #[command(flatten)]
    force: ForceArguments,
}

/// The direction in time.
enum Direction {
    Forward(Box<Forward>),
    /// With the recorded section to migrate.
    Backward(Box<Backward>, Box<Recording>),
}

impl Direction {
    fn section(&self) -> Option<&Recording> {
        match self {
            Direction::Forward(_) => None,
            Direction::Backward(_, section) => Some(section),
        }
    }
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let session = Session::begin();
    let out = arguments.output.path("out");
    let mut file = arguments.job.open()?;
    arguments.output.apply_to(&mut file);
    let reading = planning();
    let mut inputs = file.inputs(arguments.force.given)?;
    let (direction, warnings) = direction(arguments, &file, &mut inputs)?;
    let mut frames = Frames::new(&file, &inputs, direction.section(), &out)?;
    drop(reading);
    let of = (&file, GatherFigure::LEAST);
    let (size, mut folder) = session.open(&arguments.output, of, (arguments.force, None))?;
    let stop = &session.stop();
    let engine = arguments.device.open_as_one(&inputs.plan, stop)?;
    let planned = session.seconds();
    let crowded = inputs.plan.crowded().map(Warning::Crowded);
    let warnings = file.with_remedies_that_do(warnings).into_iter().chain(crowded);
    let heading = describe(&file, &direction, &inputs.plan);
    let description = begin(heading, (&[engine.as_ref()], 1), warnings);

    let plan = &inputs.plan;
    let stepping = Progress::of_run(&[engine.as_ref()], plan, stop)?;
    let mut hear = |step| stepping.hear(step);
    let show = progress::show(stop);
    let results = &results(&folder, &file, size, &show);
    let output = Output { results, inputs: &inputs };
    let written = Instant::now();
    let mut heard = |snapshot: &SnapshotView<'_>| frames.record(snapshot);
    let engine_timings: Timings = match &direction {
        Direction::Forward(forward) => {
            let (section, timings) =
                zero_offset::section(engine.as_ref(), forward, &mut hear, &mut heard)?;
            drop(stepping);
            output.section(&section, forward.interval())?;
            timings
        }
        Direction::Backward(backward, _) => {
            let (image, timings) =
                zero_offset::image(engine.as_ref(), backward, &mut hear, &mut heard)?;
            drop(stepping);
            output.image(&image)?;
            timings
        }
    };
    output.field(frames)?;
    let output = (written.elapsed().as_secs_f64() - engine_timings.stepping).max(0.0);
    let end = stepped((plan, 1), engine_timings.stepping, &out);
    let seconds = Elapsed { plan: planned, engine: engine_timings, output };
    timeline::write(&folder, file.job.output.draws(0, 1).then_some(size))?;
    let mut record = Record::new(
        &file.job,
        &inputs,
        description,
        plan.memory(),
        folder.files(),
        (plan.updates(), Ok(seconds)),
    );
    record.shares = engine.shares();
    // Input files are not removed from the folder.
    arguments.migrate.iter().for_each(|read| folder.spare(read));
    finish(folder, (RUN, &record), &arguments.output)?;
    tell(end);
    Ok(())
}

/// Plans the run, replacing the Plan of the shot, and returns warnings.
fn direction(
    arguments: &Arguments,
    file: &JobFile,
    inputs: &mut Inputs,
) -> Result<(Direction, Vec<Warning>), Failure> {
    let section =
        arguments.migrate.as_deref().map(|path| file.section(path, inputs)).transpose()?;
    if let (Some(section), Some(shot)) = (&section, inputs.setup.shots.first_mut()) {
        shot.receivers = section.receivers.clone().into();
    }
    let section = arguments.migrate.as_deref().zip(section);
    let at_fault = |error| match &section {
        Some((path, section)) => unfit(file, path, section, &error),
        None => refused(file, &error),
    };
    let forward = zero_offset::forward(inputs.setup.clone()).map_err(at_fault)?;
    let warnings = forward.warnings.clone();
    let Some((path, section)) = &section else {
        inputs.plan = forward.plan.clone();
        return Ok((Direction::Forward(Box::new(forward)), warnings));
    };
    let recording = Recording {
        gather: section.gather.clone(),
        interval: section.interval.unwrap_or(forward.interval()),
        receivers: section.receivers.clone(),
    };
    let frames = file.frames(recording.duration())?;
    let snapshots = [file.job.output.snapshots.as_slice(), &frames].concat();
    let setup = Setup { snapshots, ..inputs.setup.clone() };
    let backward = zero_offset::backward(setup, &recording).map_err(at_fault)?;
    let sum = sha256(path).map_err(|error| Failure::input(error.to_string()))?;
    inputs.files.push((path.display().to_string(), sum));
    inputs.plan = backward.plan.clone();
    Ok((Direction::Backward(Box::new(backward), Box::new(recording)), warnings))
}

/// The failure of a section that does not match the job, reported at its file if that is the cause.
fn unfit(file: &JobFile, path: &Path, section: &Section, error: &ZeroOffsetError) -> Failure {
    let path = path.display();
    match error {
        ZeroOffsetError::Recording(error) => Failure::input(format!("{path}: {error}")),
        ZeroOffsetError::Plan(PlanError::Receiver { receiver, error, .. })
            if section.interval.is_some() =>
        {
            Failure::input(format!(
                "{path}: trace {}: {error}; give a model that reaches there, or positions in metres from its \
                 first node",
                receiver + 1
            ))
        }
        ZeroOffsetError::Plan(error @ PlanError::Record { .. }) if section.interval.is_some() => {
            file.mistake("time.step", format!("{path}: {error}")).into()
        }
        other => refused(file, other),
    }
}

/// The failure, at its key in the job.
fn refused(file: &JobFile, error: &ZeroOffsetError) -> Failure {
    match error {
        ZeroOffsetError::Plan(error) => file.refused(error).into(),
        ZeroOffsetError::NoWavelet => file.mistake("source", error).into(),
        ZeroOffsetError::Silent => file.mistake("source[0].wavelet", error).into(),
        ZeroOffsetError::NoReceivers => file.mistake("receivers", error).into(),
        ZeroOffsetError::Reflecting => file.mistake("boundary.sides", error).into(),
        ZeroOffsetError::Recording(error) => Failure::input(error.to_string()),
    }
}

fn describe(file: &JobFile, direction: &Direction, plan: &Plan) -> String {
    let what = match direction {
        Direction::Forward(_) => "exploding reflectors",
        Direction::Backward(..) => "a zero-offset section sent back",
    };
    format!(
        "{}: {what}, {} nodes at half the velocities\n{}",
        file.model_name(),
        by(&plan.model_grid, plan.model_grid.n, ""),
        steps(&plan.time),
    )
}
