//! `huygens shot`.

use crate::cli::{
    command::merge,
    engines,
    failure::Failure,
    flags::{
        device::{Devices, Splitting},
        force::ForceArguments,
        job::JobArguments,
        output::OutputArguments,
        share::ShareArguments,
    },
    ranks,
    session::{Session, begin, by, finish, json, planning, results, stepped, steps},
    terminal::{
        progress::{self, Progress, tell},
        timeline,
    },
};
use huygens::{
    acquisition::TimeDispersion,
    engine::{
        Did, Engine, EngineError, Split,
        tune::{self, Joining},
    },
    io::folder::{FolderPath, OutputFolder, RUN, UNFINISHED},
    job::{Inputs, JobFile},
    operations::{
        demand::Demand,
        shot::{
            self, ShotResult,
            files::{Output, Reels, Snapshots, position_warning, shared},
        },
    },
    plan::Plan,
    render::{GatherFigure, ThreePlaneFigure},
    rounded::rounded,
    run::{
        Elapsed, Ended, Record,
        survey::{Identity, Remaining},
    },
};
use std::{path::Path, time::Instant};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  huygens shot\n  \
                        huygens shot job.toml --backend vulkan --out salt\n  \
                        huygens shot job.toml --model velocity.npy --spacing 12.5 --axes xz\n  \
                        huygens shot assets/jobs/salt3d.toml --out salt3d")]
pub struct Arguments {
    #[command(flatten)]
    job: JobArguments,
    #[command(flatten)]
    device: Devices,
    #[command(flatten)]
    splitting: Splitting,
    /// The kernel that steps the field on a GPU, one of those that `huygens tune` lists, instead of the fastest.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Slabs into which a GPU cuts the wavefield along its slowest axis, instead of the fewest that fit its bindings. Results
    /// are the same, bit for bit.
    #[arg(long, value_name = "COUNT")]
    slabs: Option<usize>,
    #[command(flatten)]
    pub share: ShareArguments,
    #[command(flatten)]
    pub output: OutputArguments,
    #[command(flatten)]
    force: ForceArguments,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let session = Session::begin();
    let mut file = arguments.job.open()?;
    arguments.output.apply_to(&mut file);
    file.forced = arguments.force.given;
    file.fields_on_host = Some(arguments.device.fields_on_host());
    // A driver takes as long to open as a small job to plan.
    let opening = arguments.device.begin_to_open();
    let reading = planning();
    let inputs = file.inputs()?;
    drop(reading);
    file.check_heard(&inputs.plan)?;
    let (survey, is_survey) = (arguments.survey(&file, &inputs)?, inputs.plan.shots.len() > 1);
    let (force, out) = (arguments.force.given, arguments.output.path("out"));
    let run = ("shot", &file.job);
    let earlier = arguments.output.earlier(force, run, (RUN, &[FolderPath::from(&out)]))?;
    let mut sharing = arguments.share.clone();
    let place = sharing.place((&survey, is_survey), out, (earlier, force))?;
    let Some((at, resume)) = place else { return Ok(()) };
    let path = at.path();
    // A single shot is cut into slabs.
    let ranks = ranks::all().filter(|_| !is_survey);
    let plan = &inputs.plan;
    let least = if plan.grid.is_volume() { ThreePlaneFigure::LEAST } else { GatherFigure::LEAST };
    let size = arguments.output.figure.over(file.job.output.figures, least)?;
    let range = survey.range(sharing.task);
    let engines = opening.end()?;
    let one = engines.len() > 1 && range.len() == 1;
    let split = one || arguments.splitting.splits(&engines, plan);
    let ghosts = arguments.device.ghosts(split || ranks.is_some())?;
    let part = if split { &Split::part(&plan.batch(0..1), engines.len()) } else { plan };
    let cut = |engine: Box<dyn Engine>| match arguments.slabs {
        Some(slabs) => tune::with_slabs(engine.as_ref(), slabs, part),
        None => Ok(engine),
    };
    let engines = engines.into_iter().map(cut).collect::<Result<Vec<_>, _>>()?;
    let (stop, kernel) = (session.stop(), arguments.kernel.as_deref());
    let or = (arguments.device.fallback(), &stop);
    if let Some(ranks) = ranks.filter(|ranks| !ranks.is_first()) {
        let engines = engines::over_ranks(ranks, engines, kernel, (plan, ghosts), or)?;
        return ranks.follow(&engines, plan);
    }
    let mut folder = match is_survey {
        true => OutputFolder::unfinished(at.clone(), Some(RUN), earlier, resume),
        false => OutputFolder::new(at.clone(), Some(RUN), earlier),
    }?;
    folder.reads(&inputs.files)?;
    let engines = match ranks {
        Some(ranks) => engines::over_ranks(ranks, engines, kernel, (plan, ghosts), or)?,
        None => {
            let purpose = Joining { plan, split: ghosts, sends_back: false };
            engines::joined(engines, kernel, purpose, or)?
        }
    };
    let engines: Vec<&dyn Engine> = engines.iter().map(AsRef::as_ref).collect();
    let at_once = engines.iter().map(|engine| engine.batch(plan)).sum::<Result<usize, _>>()?;
    Demand::of_shot(&file, &inputs, engines[0], at_once).check(plan).map_err(Failure::input)?;
    let planned = session.seconds();

    let shared_by = (&engines[..], range.len());
    let description = begin(describe(&file, plan), shared_by, file.warnings(&inputs));

    position_warning(&file, &inputs).iter().for_each(|warning| tracing::warn!("{warning}"));
    let shared = if is_survey { shared(&file, &inputs)? } else { Vec::new() };
    let show = progress::show(&stop);
    let results = &results(&folder, &file, size, &show);
    let output = Output { results, inputs: &inputs, shared, first: range.start };
    let heads = output.heads()?;
    let remaining = match is_survey {
        true => {
            let pieces: Vec<_> = heads.iter().map(|(piece, _)| piece.clone()).collect();
            Remaining::begin(&survey, (range, resume), &folder, &description, &pieces)?
        }
        false => Remaining::single(),
    };
    // After the journal, without which the folder is not known as a survey's.
    output.begin(&heads)?;
    let done = || format!("{} of {} shots are done", remaining.done(), remaining.all.len());
    let unfinished = path.join(UNFINISHED);
    let kept = || format!("{} and kept in {}", done(), unfinished.display());
    if remaining.done() > 0 {
        tell(done());
    }
    let left = &remaining.left;
    let part = plan.part(left);

    let at_once = engines[0].batch(plan)?;
    let shots = match (&engines[..], left.len()) {
        ([_], 2..) => Some(Progress::of_shots(&part, at_once)),
        _ => None,
    };
    let steps = Progress::of_run(&engines, &part, &stop)?;
    let mut hear = |step| {
        let _ = shots.as_ref().map(|shots| shots.hear(step));
        steps.hear(step)
    };
    let (reels, snapshots) = (Reels::new(&file, &inputs, &at), Snapshots::new(&inputs, &at));
    let stepping = Instant::now();
    let ended = shot::stream(
        &engines,
        &part,
        &mut hear,
        &mut |shot, snapshot| {
            reels.hear(left[shot], snapshot);
            snapshots.hear(left[shot], snapshot);
            false
        },
        &|result| {
            let result = ShotResult { shot: left[result.shot], ..result };
            let movie = || reels.write(results, (result.shot, result.until));
            let taken = snapshots.take(result.shot, result.until);
            let (pieces, movie) = match file.job.output.movie {
                Some(_) => rayon::join(|| output.write(&result, taken), movie),
                None => (output.write(&result, taken), Ok(())),
            };
            movie?;
            match result.until {
                None => {
                    remaining.add(result.shot, pieces?)?;
                    folder.keep();
                    Ok(())
                }
                Some(_) => Ok(pieces.map(drop)?),
            }
        },
    );
    drop((steps, shots));
    let ended = ended.map_err(|failure: Failure| failure.with_shots(left));
    let mut devices = Vec::new();
    let (timings, error) = match ended {
        Ok(did) => {
            let engine = Did::total(&did);
            devices = did;
            let output = stepping.elapsed().as_secs_f64() - engine.setup - engine.stepping;
            (Ok(Elapsed { plan: planned, engine, output: output.max(0.0) }), None)
        }
        // Recordings before the blow-up are kept, and labelled as such. If there are none, the
        // record alone replaces the output of an earlier run.
        Err(Failure::BlowUp(error)) => (Err(Ended::new(&error, plan)), Some(error)),
        Err(failure) if is_survey && remaining.done() > 0 => {
            let note = format!("{}; {}", kept(), sharing.again());
            return Err(failure.with_note_on(&unfinished, note));
        }
        Err(failure) => return Err(failure),
    };
    if !is_survey {
        session.check_stop()?;
    }

    let is_usual = arguments.kernel.is_none() && arguments.slabs.is_none();
    if let (Ok(seconds), [engine], false) = (&timings, &engines[..], left.is_empty())
        && is_usual
        && !arguments.device.one.checked
    {
        tune::remember_run(*engine, &part, seconds.engine.stepping)?;
    }
    if error.is_none() {
        output.end(remaining.all.clone())?;
        remaining.close(&folder)?;
    }
    let memory = plan.batch(0..at_once.min(plan.shots.len())).memory();
    timeline::write(&folder, file.job.output.draws(0, 1).then_some(size))?;
    let files = folder.files().into_iter().filter(|name| name != RUN).collect::<Vec<_>>();
    let end = match (&timings, &error) {
        (Ok(seconds), _) => {
            let devices = devices.len().max(engines[0].shares().len());
            Ok(stepped((&part, devices), seconds.engine.stepping, &path))
        }
        (_, Some(error)) if is_survey => Err(Failure::run(error).with_note(kept())),
        (_, error) => Err(blown_up(error.as_ref(), plan, &files, &path)),
    };
    let mut record = Record::new(
        ("shot", &file.job),
        &inputs,
        description,
        memory,
        files,
        (part.updates(), timings),
    );
    record.devices = devices;
    record.shares = engines[0].shares();
    record.retried = engines::retried(&engines);
    match is_survey && error.is_some() {
        // Not all shots are present.
        true => {
            folder.write(RUN, json(&record)?.as_bytes())?;
            folder.keep();
        }
        false => finish(folder, (RUN, &record), &arguments.output)?,
    }
    tell(end?);
    Ok(())
}

/// Merges the shares of the ranks' tasks.
pub fn merge(arguments: &Arguments) -> Result<(), Failure> {
    let folder = arguments.output.path("out");
    merge::run(&merge::Arguments { folder, force: true })
}

impl Arguments {
    /// Everything that determines the results; a single shot is no survey to resume or divide.
    fn survey(&self, file: &JobFile, inputs: &Inputs) -> Result<Identity, Failure> {
        let flag = match (self.share.resume, self.share.task) {
            _ if inputs.plan.shots.len() > 1 => None,
            (true, _) => Some("--resume"),
            (_, task) => task.map(|_| "--task"),
        };
        if let Some(flag) = flag {
            return Err(Failure::input((
                format!("{flag} applies only to surveys, and this job has one shot"),
                "leave it out, or give [survey] or several [[shot]]s",
            )));
        }
        Ok(Identity::new("shot", file, inputs))
    }
}

fn describe(file: &JobFile, plan: &Plan) -> [String; 2] {
    let wavelength = plan.points_per_wavelength().map_or_else(String::new, |points| {
        format!(", {points:.1} points per wavelength at {} Hz", rounded(plan.frequency))
    });
    let what = format!(
        "{}: {} nodes of {}, {} with layers",
        file.job.model.velocity.as_deref().unwrap_or(&file.name),
        by(&plan.model_grid, plan.model_grid.n, ""),
        by(&plan.grid, plan.grid.h.map(rounded), " m"),
        by(&plan.grid, plan.grid.n, ""),
    );
    [what, steps(&plan.time) + &wavelength]
}

/// The failure of a run that blew up, with what is kept of it.
fn blown_up(error: Option<&EngineError>, plan: &Plan, files: &[String], out: &Path) -> Failure {
    let said = error.map_or_else(String::new, EngineError::to_string);
    let out = out.display();
    let note = match error {
        _ if files.is_empty() => {
            format!("Nothing was recorded before that; {out}/{RUN} says so")
        }
        Some(EngineError::BlowUp { healthy: Some(step), .. }) if *step > 0 => {
            let time = plan.time.at(*step);
            let files = files.join(", ");
            let uncorrected = match plan.time.dispersion {
                TimeDispersion::Kept => "",
                TimeDispersion::Corrected => {
                    "; its traces are not corrected, as that takes whole ones, and are of a wavelet warped for the \
                     correction"
                }
            };
            format!(
                "What was recorded up to step {step} (t = {time:.3} s), when no |p| was above the limit yet, is kept in \
                 {out}: {files}{uncorrected}. Its last samples may already grow"
            )
        }
        _ => format!("The shots before it are kept in {out}"),
    };
    Failure::run(said).with_note(note)
}
