//! `huygens locate`.

mod report;

use crate::cli::{
    failure::Failure,
    flags::{device::Devices, force::ForceArguments, job::JobArguments, output::OutputArguments},
    session::{Session, finish, introduce, planning, results, tell_where},
    terminal::{
        progress::{self, Progress, tell},
        say::print,
        timeline,
    },
};
use huygens::{
    engine::{Engine, SnapshotView, Timings},
    io::{
        earlier_runs::EarlierRuns,
        folder::{Earlier, FolderPath, OutputFolder},
    },
    job::{ConditionName, JobFile},
    operations::locate::{
        self, Back, Doubt, Focused, PreparedSearch,
        files::{self as located, Found, Movie, Output, Report, Shown, Tried, record_folders},
    },
    program::PROGRAM,
    remedy::Message,
    render::FocusFigure,
    run::{Demand, retried},
};
use std::{
    path::PathBuf,
    sync::{Arc, atomic::AtomicBool},
};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  huygens shot --out out && huygens locate --gather out/gather.npy\n  \
                        huygens locate job.toml --gather field.sgy --condition energy\n  \
                        huygens locate job.toml --gather field.sgy --model slow.npy --model fast.npy"
)]
pub struct Arguments {
    #[command(flatten)]
    job: JobArguments,
    /// The gather to send back instead of the job's: .npy [receiver][time], .sgy or .su.
    #[arg(long, value_name = "FILE")]
    gather: Option<PathBuf>,
    /// What to look for, in place of the job's: the largest amplitude, or the largest energy in a window.
    #[arg(long, value_enum)]
    condition: Option<ConditionName>,
    /// Sets of neighbouring receivers that are sent back each by itself, their fields then multiplied.
    #[arg(long, value_name = "NUMBER")]
    groups: Option<usize>,
    /// Exclude nodes nearer to a receiver than this, metres; 0 excludes none.
    #[arg(long, value_name = "METRES", allow_negative_numbers = true)]
    mask: Option<f64>,
    /// How many sources to look for.
    #[arg(long, value_name = "NUMBER")]
    sources: Option<usize>,
    /// Add noise of the recording's band: its root mean square is that of the recording over this number.
    #[arg(long, value_name = "RATIO", allow_negative_numbers = true)]
    noise: Option<f64>,
    /// Leave out this fraction of the receivers, 0 to 1, at random.
    #[arg(long, value_name = "PART", allow_negative_numbers = true)]
    drop: Option<f64>,
    #[command(flatten)]
    device: Devices,
    #[command(flatten)]
    pub output: OutputArguments,
    #[command(flatten)]
    force: ForceArguments,
}

/// The file of the report.
const RECORD: &str = "focus.json";
/// Names of the folders of records begin so.
const PREFIX: &str = "record-";

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let session = Session::begin();
    let out = arguments.output.path("located");
    let (file, others) = arguments.open()?;
    let reading = planning();
    let recordings = file.back(&others)?;
    drop(reading);
    let earlier_runs = EarlierRuns::find(&out, RECORD, PREFIX);
    let places = (RECORD, earlier_runs.folders());
    let earlier = arguments.output.earlier(arguments.force.given, ("locate", &file.job), places)?;
    let of_out = earlier_runs.treated(earlier)?;
    let several = recordings.len() > 1;
    let (names, mut written) =
        (record_folders(recordings.iter().map(|back| back.record)), Vec::new());
    for (back, name) in recordings.into_iter().zip(names) {
        let record = several.then_some(back.record);
        if let Some(record) = record {
            tell(format_args!("record {record}"));
        }
        let (path, earlier) = match several {
            true => (FolderPath::within(&out, name), earlier),
            false => (FolderPath::from(&out), of_out),
        };
        arguments.locate(back, record, (&session, &file), (&path, earlier))?;
        written.push(path);
    }
    Ok(earlier_runs.remove(&written)?)
}

impl Arguments {
    /// Locates the sources of a recording; `record` is its number among several.
    fn locate(
        &self,
        mut back: Back,
        record: Option<i64>,
        (session, file): (&Session, &JobFile),
        (at, earlier): (&FolderPath, Earlier),
    ) -> Result<(), Failure> {
        let size = self.output.figure.over(file.job.output.figures, FocusFigure::LEAST)?;
        let reading = planning();
        self.degrade(&mut back)?;
        let PreparedSearch { search, mask, first } = PreparedSearch::new(file, &back)?;
        let several = back.models.len() > 1;
        let mut movie = Movie::new(file, &back, &first, &search.frames, (size, at))?;
        drop(reading);
        warn(search.doubts_before(&first, &back));
        let stop = &session.stop();
        let mut folder = OutputFolder::new(at.clone(), Some(RECORD), earlier)?;
        folder.reads(&back.files)?;
        let engine = self.device.open_as_one(&first, stop)?;
        let demand = Demand::of_locate(file, &back, &first, engine.as_ref());
        demand.check(&first).map_err(Failure::input)?;
        let description = introduce(engine.as_ref());

        let mut tried = Vec::new();
        let (mut scanned, mut best) = (None, 0);
        if several {
            let counted = progress::counting("model", back.models.len());
            let steps = Progress::of_all_steps(&[engine.as_ref()], &first, stop)?;
            let mut hear = |step| steps.hear(step);
            let mut timings =
                locate::scan(engine.as_ref(), &first, &mut hear, &mut |model, summary| {
                    let (name, through) = &back.models[model];
                    let receivers = &back.recording.receivers;
                    let strength =
                        locate::strength(&summary, through, receivers, search.focus.condition);
                    tried.push(Tried::new(name, &first, &summary, strength));
                    counted.one_more();
                    Ok::<_, Failure>(())
                })?;
            // The fits have a progress of their own.
            drop((counted, steps));
            let fitting;
            (best, fitting) = best_of(&mut tried, &back, engine.as_ref(), stop)?;
            let factors = file.job.scan.as_ref().and_then(|scan| scan.factors);
            let factors = factors.map_or(0, |factors| factors.count);
            warn(Tried::doubts(&tried, best, factors, back.recording.heard().len()));
            timings += fitting;
            scanned = Some(timings);
        }
        // Only the best, with pictures.
        let plan = match several {
            true => search.plan(back.setup_of(best, file), &back)?,
            false => first,
        };
        let mut focused = None;
        movie.is_of(&plan);
        let steps = Progress::of_run(&[engine.as_ref()], &plan, stop)?;
        let mut hear = |step| steps.hear(step);
        let mut keep = |snapshot: &SnapshotView<'_>| movie.hear(snapshot);
        let alone = locate::run(engine.as_ref(), &plan, &mut hear, &mut keep, &mut |found| {
            focused = Some(found);
            Ok::<_, Failure>(())
        })?;
        drop(steps);
        let timings = scanned.unwrap_or(alone);
        let Some(focused) = focused else { return Err(Failure::run("nothing came back")) };
        let (peaks, sharpness) = search.found(&plan, &mask, &focused);
        let mut doubts = search.doubts((&plan, &back), &peaks, &sharpness);
        if let Some(nothing) = doubts.pop_if(|doubt| doubt.is_of_nothing()) {
            return Err(nothing.into());
        }
        warn(doubts);

        let model = &back.models[best].1;
        let name = &if several { back.models[best].0.clone() } else { file.model_name() };
        let focused = Focused { map: focused.map.weighed(&mask), ..focused };
        let show = progress::show(stop);
        let results = &results(&folder, file, size, &show);
        let shown = Shown { name, plan: &plan, model, back: &back, peaks: &peaks };
        let output = Output { results, shown };
        let writing = tracing::info_span!(target: "timeline", "writing files").entered();
        output.write(&focused, search.focus.condition, (&tried, best))?;
        output.movie(movie)?;
        drop(writing);

        timeline::write(&folder, file.job.output.draws(0, 1).then_some(size))?;
        let report = Report {
            program: PROGRAM,
            job: &file.job,
            engine: description,
            record,
            model: back.models[best].0.clone(),
            best: several.then_some(best),
            receivers: back.recording.receivers.len(),
            recording: back.scale,
            noise: self.noise,
            dropped: self.drop,
            found: peaks.iter().map(|peak| Found::new(&plan, peak)).collect(),
            sharpness,
            frequency: search.frequency,
            focus: *plan.focus().expect("the Plan looks for a focus"),
            mask: search.mask,
            recorded: back.recording.duration(),
            recorded_per_second: back.recording.duration() * back.models.len() as f64
                / timings.stepping.max(1e-9),
            timings,
            shares: engine.shares(),
            retried: retried(&[engine.as_ref()]),
            tried,
            files: folder.files(),
            inputs: back.files.iter().cloned().collect(),
        };
        finish(folder, (RECORD, &report), &self.output)?;
        if !self.output.json {
            print(report::text(&report, plan.grid.is_volume()))?;
        }
        tell_where(&at.path());
        Ok(())
    }

    /// Degrades the recording, if requested.
    fn degrade(&self, back: &mut Back) -> Result<(), Failure> {
        if let Some(part) = self.drop {
            let refused = |error| Failure::input(Message::from(error).of("--drop"));
            back.recording = back.recording.without(part).map_err(refused)?;
        }
        if let Some(ratio) = self.noise {
            let refused = |error| Failure::input(Message::from(error).of("--noise"));
            back.recording = back.recording.with_noise(ratio).map_err(refused)?;
        }
        Ok(())
    }

    /// Opens the job with the overrides of the command line, and returns the further models to try.
    fn open(&self) -> Result<(JobFile, Vec<String>), Failure> {
        let (mut file, others) = self.job.open_many()?;
        self.output.apply_to(&mut file);
        file.forced = self.force.given;
        file.fields_on_host = Some(self.device.fields_on_host());
        let mut wanted = file.locate();
        if let Some(gather) = &self.gather {
            let path =
                std::path::absolute(gather).map_err(|error| Failure::input(error.to_string()))?;
            wanted.gather = Some(path.display().to_string());
        }
        wanted.condition = self.condition.unwrap_or(wanted.condition);
        wanted.groups = self.groups.or(wanted.groups);
        wanted.mask = self.mask.or(wanted.mask);
        wanted.sources = self.sources.or(wanted.sources);
        file.job.locate = Some(wanted);
        let gather = self.gather.as_ref().map(|gather| format!("--gather {}", gather.display()));
        for (key, flag) in [
            ("locate.gather", gather),
            ("locate.groups", self.groups.map(|groups| format!("--groups {groups}"))),
            ("locate.mask", self.mask.map(|mask| format!("--mask {mask}"))),
            ("locate.sources", self.sources.map(|sources| format!("--sources {sources}"))),
        ] {
            file.flags.extend(flag.map(|flag| (key.to_owned(), flag)));
        }
        Ok((file, others))
    }
}

fn warn(doubts: Vec<Doubt>) {
    doubts.iter().for_each(|doubt| tracing::warn!("{doubt}"));
}

/// [`located::best_of`], with its progress.
fn best_of(
    tried: &mut [Tried],
    back: &Back,
    engine: &dyn Engine,
    stop: &Arc<AtomicBool>,
) -> Result<(usize, Timings), Failure> {
    let mut planning = Some(progress::doing("planning a source through each model"));
    located::best_of(tried, back, engine, &mut |plan, steps| {
        planning = None;
        let points = locate::ROUNDS as f64 * plan.updates() / steps.max(1) as f64;
        let steps = Progress::of_steps(steps, steps, points, stop.clone());
        Box::new(move |step| steps.hear(step))
    })
}
