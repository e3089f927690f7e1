//! The flags of `huygens locate`.

use crate::{
    cli::{
        failure::Failure,
        flags::{job::absolute, run::RunArguments},
        session::planning,
    },
    io::{dir::FolderPath, folder::Earlier},
    job::{ConditionName, JobFile},
    message::about,
    operations::locate::{Back, LocationRun, operation::Recorded},
    run::Order,
};
use std::{path::PathBuf, time::Instant};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  huygens shot --out out && huygens locate --gather out/gather.npy\n  \
                        huygens locate job.toml --gather field.sgy --condition energy\n  \
                        huygens locate job.toml --gather field.sgy --model slow.npy --model fast.npy"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) run: RunArguments,
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

impl Arguments {
    /// Prepares the location of the sources of a recording, one of several.
    pub(crate) fn prepare<'a>(
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

    pub(crate) fn order(&self, folder: FolderPath, existing: Earlier) -> Order {
        Order {
            out: folder.path(),
            place: Some((folder, existing)),
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
    pub(crate) fn open(&self) -> Result<(JobFile, Vec<String>), Failure> {
        let (mut file, others) = self.run.open_many()?;
        let mut wanted = file.locate();
        if let Some(gather) = &self.gather {
            wanted.gather = Some(absolute(gather)?);
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
