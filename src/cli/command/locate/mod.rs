//! `huygens locate`.

mod report;

use crate::cli::{
    failure::Failure,
    flags::{
        run::{KernelChoice, RunArguments},
        share::ShareArguments,
    },
    session::planning,
    terminal::{
        progress::tell,
        say::{counted, print},
    },
};
use huygens::{
    io::{
        earlier_runs::EarlierRuns,
        folder::{Earlier, FolderPath},
    },
    job::{ConditionName, JobFile},
    message::about,
    operations::locate::{
        Back, LocationRun,
        files::record_folders,
        operation::{COMMAND, RECORD, Recorded},
    },
    run::{EarlierRun, Operation, Order},
};
use std::{
    path::{Path, PathBuf},
    time::Instant,
};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  huygens shot --out out && huygens locate --gather out/gather.npy\n  \
                        huygens locate job.toml --gather field.sgy --condition energy\n  \
                        huygens locate job.toml --gather field.sgy --model slow.npy --model fast.npy"
)]
pub struct Arguments {
    #[command(flatten)]
    pub run: RunArguments,
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
}

/// Names of the folders of records begin so.
const PREFIX: &str = "record-";

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { run, .. } = arguments;
    let out = run.output.path("located");
    let (file, others) = arguments.open()?;
    let terminal = run.terminal(&file, &ShareArguments::default(), KernelChoice::default());
    let reading = planning();
    let recordings = file.back(&others)?;
    drop(reading);
    let earlier_runs = EarlierRuns::find(&out, RECORD, PREFIX);
    let (job, folders) = (&file.job, earlier_runs.folders());
    let earlier = EarlierRun { command: COMMAND, job, record: RECORD, folders };
    let existing = earlier.existing(run.force.given, run.output.is_default())?;
    let of_out = earlier_runs.treated(existing)?;
    let several = recordings.len() > 1;
    let names = record_folders(recordings.iter().map(|back| back.record));
    let mut written = Vec::new();
    for (back, name) in recordings.into_iter().zip(names) {
        let place = match several {
            true => (FolderPath::within(&out, name), existing),
            false => (FolderPath::from(&out), of_out),
        };
        if several {
            tell(format_args!("record {}", back.record));
        }
        let folder = place.0.clone();
        let order = arguments.order(place);
        let mut operation = arguments.prepare(&file, back, several)?;
        let done = run.carry_out(&mut operation, &file, order, &terminal);
        done.map_err(|failure| match written.len() {
            0 => failure,
            count => failure.with_note(located(count, &out)),
        })?;
        written.push(folder);
        if let Some(report) = operation.report().filter(|_| !run.output.json) {
            print(report::text(report, operation.plan().grid.is_volume()))?;
        }
    }
    Ok(earlier_runs.remove(&written)?)
}

/// What is kept of a run that ends before all records are located.
fn located(count: usize, out: &Path) -> String {
    let are = if count == 1 { "is" } else { "are" };
    format!("{} before it {are} located, in {}", counted(count, "record"), out.display())
}

impl Arguments {
    /// Prepares the location of the sources of a recording, one of several.
    fn prepare<'a>(
        &self,
        file: &'a JobFile,
        mut back: Back,
        several: bool,
    ) -> Result<LocationRun<'a>, Failure> {
        let _reading = planning();
        self.degrade(&mut back)?;
        let number = several.then_some(back.record);
        let recorded = Recorded { number, noise: self.noise, dropped: self.drop };
        Ok(LocationRun::prepare(file, back, recorded)?)
    }

    fn order(&self, place: (FolderPath, Earlier)) -> Order {
        Order {
            out: place.0.path(),
            place: Some(place),
            is_default: self.run.output.is_default(),
            force: self.run.force.given,
            resume: false,
            task: None,
            merge: false,
            began: Instant::now(),
        }
    }

    /// Degrades the recording, if requested.
    fn degrade(&self, back: &mut Back) -> Result<(), Failure> {
        if let Some(part) = self.drop {
            let refused = |error| Failure::input(about("--drop", error));
            back.recording = back.recording.without(part).map_err(refused)?;
        }
        if let Some(ratio) = self.noise {
            let refused = |error| Failure::input(about("--noise", error));
            back.recording = back.recording.with_noise(ratio).map_err(refused)?;
        }
        Ok(())
    }

    /// Opens the job with the overrides of the command line, and returns the further models to try.
    fn open(&self) -> Result<(JobFile, Vec<String>), Failure> {
        let (mut file, others) = self.run.open_many()?;
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
