//! Files of gathers, and the flags for what they lack.

use crate::cli::{failure::Failure, progress, tell};
use huygens::{
    grid::Position,
    io::{
        gather_arrays::{self, Described},
        gather_file::{self, Given},
        model_file::Format,
        npy,
        segy::{
            ByteOrder, Gather, LengthUnit, Overrides, ShotSpec, SurveyFile, SurveySpec, ValueUnit,
        },
        whole,
    },
    job::{Coordinates, Unit},
};
use std::{
    io::Write,
    path::{Path, PathBuf},
};

/// Values in place of headers.
#[derive(clap::Args)]
pub struct HeaderArguments {
    /// The unit of lengths.
    #[arg(long, value_enum)]
    unit: Option<Unit>,
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
    /// Numbers of the records to take, such as 1,4,5 (bytes 9-12); all where not given.
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', allow_hyphen_values = true)]
    records: Option<Vec<i64>>,
    /// Where the receivers of a .npy are: a .csv of columns x, z and optionally y, metres.
    #[arg(long, value_name = "CSV")]
    positions: Option<PathBuf>,
}

fn scalar(text: &str) -> Result<i16, String> {
    let wrong = || "give a whole number of 16 bits, not 0".to_owned();
    text.parse().ok().filter(|scalar| *scalar != 0).ok_or_else(wrong)
}

fn interval(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|of: &f64| of.is_finite() && *of > 0.0);
    seconds.ok_or_else(|| "give seconds above 0".into())
}

impl HeaderArguments {
    pub fn overrides(&self) -> Overrides {
        Overrides {
            unit: self.unit.map(Unit::length),
            coordinate_scalar: self.coordinate_scalar,
            elevation_scalar: self.elevation_scalar,
            lengths: self.coordinates.is_some(),
            interval: self.interval,
        }
    }

    /// True if neither the traces' times nor their choice changes.
    pub fn keep_the_times(&self) -> bool {
        self.start.is_none() && self.records.is_none()
    }

    /// Reads the gathers of a file, their first samples at the shot, and tells of contradictions.
    pub fn read(&self, path: &Path) -> Result<Vec<Gather>, Failure> {
        let _reading = progress::doing(format!("reading {}", path.display()));
        let refused =
            |error: &dyn std::fmt::Display| Failure::input(format!("{}: {error}", path.display()));
        if let Ok(Format::Npy) = Format::of(path) {
            let lacks = |what| refused(&format_args!("a .npy says no {what}; give --{what}"));
            let positions = self.positions.as_ref().ok_or_else(|| lacks("positions"))?;
            let interval = self.interval.ok_or_else(|| lacks("interval"))?;
            let start = self.start.unwrap_or(0.0);
            let described = Described { source: Position::default(), interval, start };
            let gather = gather_arrays::read_npy(path, positions, described);
            return Ok(vec![gather.map_err(Failure::input)?]);
        }
        if self.positions.is_some() {
            let message =
                format!("{} has its own positions; leave --positions out", path.display());
            return Err(Failure::input(message));
        }
        let (start, records) = (self.start, self.records.clone());
        let given = Given { headers: self.overrides(), start, records };
        let read = gather_file::read(path, &given).map_err(|error| refused(&error))?;
        for warning in &read.warnings {
            tracing::warn!("{}: {warning}", path.display());
        }
        Ok(read.gathers)
    }
}

/// Checks that gathers can be written to a file, before anything is read.
pub fn check(path: &Path, force: bool) -> Result<(), Failure> {
    let format = Format::of(path);
    let written =
        matches!(format, Ok(Format::Segy | Format::Su | Format::Npy | Format::Npz | Format::Hdf5));
    let packed = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
    if !written || packed {
        return Err(Failure::input(format!(
            "{} is of no format in which gathers are written; name it .sgy, .su, .npy, .npz or .h5",
            path.display()
        )));
    }
    whole::may_write(path, force)?;
    if let Ok(Format::Npy) = format {
        whole::may_write(&beside(path), force)?;
    }
    Ok(())
}

/// The receivers of a .npy.
fn beside(path: &Path) -> PathBuf {
    path.with_extension("csv")
}

/// Writes gathers; positions in metres, the first samples at the shot.
pub fn write(path: &Path, gathers: &[Gather], force: bool, quiet: bool) -> Result<(), Failure> {
    let writing = progress::doing(format!("writing {}", path.display()));
    match Format::of(path).map_err(Failure::input)? {
        Format::Npz => {
            gather_arrays::write_npz(path, gathers, force).map_err(Failure::input)?;
        }
        Format::Hdf5 => {
            gather_arrays::write_hdf5(path, gathers, force).map_err(Failure::input)?;
        }
        Format::Npy => array(path, gathers, force)?,
        format => traces(path, format, gathers, force)?,
    }
    drop(writing);
    if !quiet {
        tell(format_args!("{} is written", path.display()));
    }
    Ok(())
}

/// A .npy, and its receivers in a .csv beside it.
fn array(path: &Path, gathers: &[Gather], force: bool) -> Result<(), Failure> {
    let [gather] = gathers else {
        return Err(Failure::input(format!(
            "{} would hold {} records, and a .npy holds one; choose it with --records, or write a .npz",
            path.display(),
            gathers.len()
        )));
    };
    let traces = gather.traces.view().into_dyn();
    whole::make(path, force, |file| npy::write(file, traces))?;
    let rows = gather.receivers.iter().map(|at| format!("{},{},{}\n", at.x, at.y, at.z));
    let listed = "x,y,z\n".to_owned() + &rows.collect::<String>();
    whole::write(&beside(path), listed.as_bytes(), force)?;
    Ok(())
}

/// Records as traces, one after the other.
fn traces(path: &Path, format: Format, gathers: &[Gather], force: bool) -> Result<(), Failure> {
    let Some(first) = gathers.first() else {
        return Err(Failure::input("the file has no records; there is nothing to write"));
    };
    let (samples, interval) = (first.traces.ncols(), first.interval);
    if let Some(other) = gathers.iter().find(|gather| gather.traces.ncols() != samples) {
        return Err(Failure::input(format!(
            "record {} has {} samples from the shot on, and record {} has {samples}; traces of a file are alike: choose \
             records with --records, or give all one --start",
            other.record,
            other.traces.ncols(),
            first.record
        )));
    }
    let shot = |gather: &Gather| ShotSpec {
        record: gather.record,
        source: gather.source,
        receivers: gather.receivers.clone().into(),
    };
    let spec = SurveySpec {
        text: vec![
            format!("Traces written by huygens {}", env!("CARGO_PKG_VERSION")),
            "Depth is positive down: bytes 49 and minus bytes 41".into(),
            format!("Sample interval {interval} s, the first sample at t = 0"),
        ],
        shots: gathers.iter().map(shot).collect(),
        samples,
        interval,
        format: huygens::io::segy::Format::F32,
        order: if format == Format::Su { ByteOrder::Little } else { ByteOrder::Big },
        unit: LengthUnit::Metre,
        bins: None,
        values: ValueUnit::Unknown,
    };
    let file = match format {
        Format::Su => SurveyFile::su(spec),
        _ => SurveyFile::segy(spec),
    }
    .map_err(Failure::input)?;
    whole::make(path, force, |sink| {
        let broken = |error| std::io::Error::other(format!("{error}"));
        sink.write_all(&file.headers().map_err(broken)?)?;
        for (shot, gather) in gathers.iter().enumerate() {
            sink.write_all(&file.shot(shot, gather.traces.view()).map_err(broken)?)?;
        }
        Ok(())
    })?;
    Ok(())
}
