//! Flags for what files of gathers lack.

use crate::{
    cli::failure::Failure,
    grid::PerAxis,
    io::{
        gather_file::Given,
        model_file::Format,
        segy::{LengthUnit, Overrides},
    },
    job::{Coordinates, GatherFields, Headers, Killed},
};
use std::{
    num::ParseIntError,
    path::{Path, PathBuf},
};

/// Values in place of headers.
#[derive(clap::Args, Default)]
pub(crate) struct HeaderArguments {
    /// Unit of lengths.
    #[arg(long, value_enum)]
    pub(crate) unit: Option<LengthUnit>,
    /// Scalar of coordinates (bytes 71-72): a factor, or a divisor if negative.
    #[arg(long, value_name = "SCALAR", allow_negative_numbers = true, value_parser = scalar)]
    coordinate_scalar: Option<i16>,
    /// Scalar of elevations and depths (bytes 69-70): a factor, or a divisor if negative.
    #[arg(long, value_name = "SCALAR", allow_negative_numbers = true, value_parser = scalar)]
    elevation_scalar: Option<i16>,
    /// Take coordinates as lengths, whatever the code of their unit (bytes 89-90).
    #[arg(long, value_enum, value_name = "KIND")]
    coordinates: Option<Coordinates>,
    /// Time of the first sample of each trace, seconds after the shot.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) start: Option<f64>,
    /// Seconds between samples.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = interval)]
    pub(crate) interval: Option<f64>,
    /// Field records to take (bytes 9-12), such as 1,4,5 [default: all]
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', allow_hyphen_values = true, value_parser = number)]
    pub(crate) records: Option<Vec<i64>>,
    /// Traces to leave out, such as dead,12: numbers in the file, from 1, and `dead`, those marked as dead, dummies or auxiliary
    /// (bytes 29-30).
    #[arg(long, value_name = "TRACES", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) kill: Option<Vec<Killed>>,
    /// Fields of a .sgy or .su that are not at the standard's place: first bytes in the trace header, and the code of the sample
    /// format, in segyio's names: source_x=181,group_x=185,field_record=17,format=1.
    #[arg(long, value_name = "FIELDS")]
    segy: Option<GatherFields>,
    /// Positions of the receivers of a .npy: a .csv with columns x, z and, in 3-D, y, in --unit.
    #[arg(long, value_name = "CSV")]
    pub(crate) positions: Option<PathBuf>,
    /// Position of the source of a .npy, in --unit, such as x=1200,z=10 [default: 0]
    #[arg(long, value_name = "PLACE", allow_hyphen_values = true)]
    pub(crate) source: Option<PerAxis<f64>>,
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
    /// As the keys of a job, for the reader of a file.
    pub(crate) fn given(&self) -> Given {
        let keys = Headers {
            unit: self.unit,
            coordinate_scalar: self.coordinate_scalar,
            elevation_scalar: self.elevation_scalar,
            coordinates: self.coordinates,
            start: self.start,
            interval: self.interval,
            records: self.records.clone(),
            kill: self.kill.clone(),
            segy: self.segy,
            ..Headers::default()
        };
        keys.given()
    }

    pub(crate) fn overrides(&self) -> Overrides {
        self.given().headers
    }

    /// True if traces are taken as they are, apart from the values of their headers.
    pub(crate) fn are_of_headers(&self) -> bool {
        let elsewhere = self.positions.is_some() || self.source.is_some();
        self.start.is_none() && self.records.is_none() && self.kill.is_none() && !elsewhere
    }

    /// Returns an error if the receivers of an output would take the place of the positions that are
    /// read.
    pub(crate) fn check_apart_from(&self, to: &Path) -> Result<(), Failure> {
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
    pub(crate) fn check_array(&self, path: &Path, given: Overrides) -> Result<(), Failure> {
        if (Overrides { interval: None, ..given }) == Overrides::default() {
            return Ok(());
        }
        let unit = if given.unit.is_some() { "--unit, " } else { "" };
        Err(Failure::input(format!(
            "{} has no headers; leave {unit}--coordinates, --segy and the scalars out",
            path.display()
        )))
    }
}
