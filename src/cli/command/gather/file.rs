//! Files of gathers, and the flags for what they lack.

use crate::cli::{
    failure::Failure,
    terminal::progress::{self, tell},
};
use huygens::{
    grid::PerAxis,
    io::{
        gather_arrays::{self, Described},
        gather_file::{self, Given},
        model_file::Format,
        positions::Listed,
        segy::{Gather, LengthUnit, Overrides},
    },
    job::{Coordinates, GatherFields, Killed},
    remedy::Message,
};
use std::{
    num::ParseIntError,
    path::{Path, PathBuf},
};

/// Values in place of headers.
#[derive(clap::Args)]
pub struct HeaderArguments {
    /// The unit of lengths.
    #[arg(long, value_enum)]
    unit: Option<LengthUnit>,
    /// The scalar of coordinates (bytes 71-72): a factor or, where negative, a divisor.
    #[arg(long, value_name = "SCALAR", allow_negative_numbers = true, value_parser = scalar)]
    coordinate_scalar: Option<i16>,
    /// The scalar of elevations and depths (bytes 69-70), likewise.
    #[arg(long, value_name = "SCALAR", allow_negative_numbers = true, value_parser = scalar)]
    elevation_scalar: Option<i16>,
    /// What coordinates are, whatever their unit's code says (bytes 89-90).
    #[arg(long, value_enum, value_name = "KIND")]
    coordinates: Option<Coordinates>,
    /// Time of the first sample of each trace, seconds after the shot.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    start: Option<f64>,
    /// Seconds between samples.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = interval)]
    interval: Option<f64>,
    /// Numbers of the records to take, such as 1,4,5 (bytes 9-12); default all.
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', allow_hyphen_values = true, value_parser = number)]
    records: Option<Vec<i64>>,
    /// Traces to leave out, such as dead,12: numbers counted through the file from 1, and dead, those whose headers say that
    /// they are dead, dummies, or of no receiver (bytes 29-30).
    #[arg(long, value_name = "TRACES", value_delimiter = ',', allow_hyphen_values = true)]
    kill: Option<Vec<Killed>>,
    /// Where a .sgy or .su has what the standard has elsewhere, in the names of segyio: first bytes of numbers in the
    /// trace header, and the code of the sample format, such as source_x=181,group_x=185,field_record=17,format=1.
    #[arg(long, value_name = "FIELDS")]
    segy: Option<GatherFields>,
    /// Where the receivers of a .npy are: a .csv of columns x, z and optionally y, in --unit.
    #[arg(long, value_name = "CSV")]
    positions: Option<PathBuf>,
    /// Where the source of a .npy is, such as x=1200,z=10, in --unit; default 0.
    #[arg(long, value_name = "PLACE", allow_hyphen_values = true)]
    source: Option<PerAxis<f64>>,
}

/// The file that is read, the values in place of its headers, and the file that is written.
#[derive(clap::Args)]
pub struct FromTo {
    /// The file to read: .sgy, .su, .npz, .h5, or .npy with --positions and --interval.
    pub from: PathBuf,
    /// The file to write: .sgy, .su, .npz, .h5, or .npy with a .csv of its receivers beside it.
    pub to: PathBuf,
    #[command(flatten)]
    pub headers: HeaderArguments,
    /// Overwrite the file.
    #[arg(long)]
    pub force: bool,
}

impl FromTo {
    /// Returns an error if the file cannot be written.
    pub fn may_write(&self) -> Result<(), Failure> {
        gather_file::may_write(&self.to, self.force).map_err(Failure::input)
    }

    /// Writes gathers, their first samples at the shot.
    pub fn write(&self, gathers: &[Gather]) -> Result<(), Failure> {
        let Self { from, to, force, .. } = self;
        progress::writing(to, |stopped| gather_file::write(to, gathers, *force, stopped))?;
        let kept = match Format::of(from).is_ok_and(Format::is_traces) {
            true => "; of the headers it has records, positions and the interval",
            false => "",
        };
        tell(format_args!("{} is written{kept}", to.display()));
        Ok(())
    }
}

fn scalar(text: &str) -> Result<i16, String> {
    let wrong = || "give a whole number of 16 bits, not 0".to_owned();
    text.parse().ok().filter(|scalar| *scalar != 0).ok_or_else(wrong)
}

/// A number of a list, which may have spaces between.
fn number(text: &str) -> Result<i64, ParseIntError> {
    text.trim().parse()
}

fn interval(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|of: &f64| of.is_finite() && *of > 0.0);
    seconds.ok_or_else(|| "give seconds above 0".into())
}

impl HeaderArguments {
    pub fn overrides(&self) -> Overrides {
        self.segy.unwrap_or_default().beside(Overrides {
            unit: self.unit,
            coordinate_scalar: self.coordinate_scalar,
            elevation_scalar: self.elevation_scalar,
            lengths: self.coordinates.is_some(),
            interval: self.interval,
            ..Overrides::default()
        })
    }

    /// True if traces are taken as they are, apart from the values of their headers.
    pub fn are_of_headers(&self) -> bool {
        let elsewhere = self.positions.is_some() || self.source.is_some();
        self.start.is_none() && self.records.is_none() && self.kill.is_none() && !elsewhere
    }

    /// Returns an error if the receivers of an output would take the place of the positions that are
    /// read.
    pub fn check_apart_from(&self, to: &Path) -> Result<(), Failure> {
        let Some(read) = &self.positions else { return Ok(()) };
        let same = |a: &Path, b: &Path| {
            a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
        };
        let is_npy = matches!(Format::of(to), Ok(Format::Npy));
        match is_npy && same(read, &to.with_extension("csv")) {
            true => Err(Failure::input(format!(
                "the receivers of {} would replace {}, which is read; choose another name",
                to.display(),
                read.display()
            ))),
            false => Ok(()),
        }
    }

    /// Returns an error if values are given in place of the headers that an array does not have.
    fn check_array(&self, path: &Path, given: Overrides) -> Result<(), Failure> {
        if (Overrides { interval: None, ..given }) == Overrides::default() {
            return Ok(());
        }
        let unit = if given.unit.is_some() { "--unit, " } else { "" };
        Err(Failure::input(format!(
            "{} has no headers; leave {unit}--coordinates, --segy and the scalars out",
            path.display()
        )))
    }

    /// Reads the gathers of a file, their first samples at the shot, and tells of contradictions.
    pub fn read(&self, path: &Path) -> Result<Vec<Gather>, Failure> {
        self.read_as(path, false)
    }

    /// [`Self::read`] of a file all of whose samples must be finite.
    pub fn read_finite(&self, path: &Path) -> Result<Vec<Gather>, Failure> {
        self.read_as(path, true)
    }

    fn read_as(&self, path: &Path, finite: bool) -> Result<Vec<Gather>, Failure> {
        let _reading = progress::doing(format!("reading {}", path.display()));
        let refused = |error: &dyn std::fmt::Display| {
            Failure::input(Message::from(error.to_string()).of(path.display()))
        };
        if let Ok(Format::Npy) = Format::of(path) {
            let lacks = |what| refused(&format_args!("a .npy says no {what}; give --{what}"));
            let positions = self.positions.as_ref().ok_or_else(|| lacks("positions"))?;
            let interval = self.interval.ok_or_else(|| lacks("interval"))?;
            self.check_array(path, Overrides { unit: None, ..self.overrides() })?;
            if self.records.is_some() {
                return Err(refused(&"a .npy has one record; leave --records out"));
            }
            if self.kill.is_some() {
                return Err(refused(
                    &"traces of a .npy are left out where it is made; leave --kill out",
                ));
            }
            let metres = self.unit.map_or(1.0, LengthUnit::metres);
            let at = |of: PerAxis<f64>| Listed { x: of.x, y: of.y, z: of.z }.in_metres(metres);
            if self.source.is_none() {
                tracing::warn!("{}: the source is taken at 0; give --source", path.display());
            }
            let source = self.source.map(at).unwrap_or_default();
            let start = self.start.unwrap_or(0.0);
            let described = Described { source, interval, start, metres };
            let gather = gather_arrays::read_npy(path, positions, described);
            let gather = gather_file::from_shot(gather.map_err(Failure::input)?);
            return Ok(vec![gather.map_err(|error| refused(&error))?]);
        }
        for (given, flag) in
            [(self.positions.is_some(), "positions"), (self.source.is_some(), "source")]
        {
            if given {
                let message = format!("{} has its own {flag}; leave --{flag} out", path.display());
                return Err(Failure::input(message));
            }
        }
        if !Format::of(path).is_ok_and(Format::is_traces) {
            self.check_array(path, self.overrides())?;
        }
        let (start, records) = (self.start, self.records.clone());
        let kill = Killed::all(self.kill.as_deref().unwrap_or_default());
        let given = Given { headers: self.overrides(), start, records, kill, ..Given::default() };
        let read = gather_file::read(path, &given).map_err(|error| refused(&error))?;
        for warning in &read.warnings {
            tracing::warn!("{}: {warning}", path.display());
        }
        match read.finite() {
            Err(error) if finite => return Err(refused(&error)),
            Err(error) => tracing::warn!("{}: {error}", path.display()),
            Ok(()) => {}
        }
        Ok(read.gathers)
    }
}
