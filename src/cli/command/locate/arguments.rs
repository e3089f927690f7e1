//! The flags of `huygens locate`.

use crate::{
    cli::{
        failure::Failure,
        flags::{job::absolute, place::PlaceArguments, run::RunArguments},
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
                        huygens locate job.toml --gather field.sgy --model slow.npy --model fast.npy\n  \
                        huygens locate --gather event.sgy --velocity v.npy --axes xz --file-spacing 10 --origin x=500000,y=6700000 --azimuth 60"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) run: RunArguments,
    #[command(flatten)]
    place: PlaceArguments,
    /// The map projection of easting and northing: the EPSG code of a UTM zone, or a PROJ text. The sources then have
    /// longitudes and latitudes.
    #[arg(long, value_name = "PROJECTION")]
    projection: Option<String>,
    /// Gather to send back, instead of the job's: .sgy, .su, .npz, .h5, or .npy of shape [receiver][time].
    #[arg(long, value_name = "FILE")]
    gather: Option<PathBuf>,
    /// Search for the largest amplitude, or for the largest energy in a window of one period.
    #[arg(long, value_enum)]
    condition: Option<ConditionName>,
    /// Number of groups into which neighbouring receivers are divided. Each group is sent back alone, and the fields are multiplied.
    #[arg(long, value_name = "NUMBER")]
    groups: Option<usize>,
    /// Leave places within this distance of a receiver out of the search, metres [default: a wavelength in the slowest rock]
    #[arg(long, value_name = "METRES", allow_negative_numbers = true)]
    mask: Option<f64>,
    /// Number of sources to search for.
    #[arg(long, value_name = "NUMBER")]
    sources: Option<usize>,
    /// Add noise in the recording's band, with this signal-to-noise ratio (of root mean squares).
    #[arg(long, value_name = "RATIO", allow_negative_numbers = true)]
    noise: Option<f64>,
    /// Fraction of the receivers to leave out at random, 0 to 1.
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
        // All formats but .npy hold receivers and intervals.
        let has_receivers = |gather: &PathBuf| gather.extension().is_none_or(|of| of != "npy");
        let (mut file, others) =
            self.run.open_many(self.gather.as_ref().is_some_and(has_receivers))?;
        self.place.apply_to(&mut file);
        if let Some(projection) = &self.projection {
            file.job.model.projection = Some(projection.clone());
            let flag = format!("--projection {projection}");
            file.flags.insert("model.projection".into(), flag);
        }
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
