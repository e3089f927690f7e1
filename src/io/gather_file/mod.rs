//! Gathers from files of traces. Location, migration and the geometry of a survey all read them
//! here, with the same values in place of headers and the same warnings.

mod error;
mod kill;
mod purpose;
mod times;
mod write;

pub use super::segy::Kill;
pub use error::GatherFileError;
pub(crate) use kill::Origin;
pub use purpose::Purpose;
pub use times::from_shot;
pub use write::{may_write, write};

use super::{
    gather_arrays::{self, GatherArraysError},
    model_file::Format,
    segy::{
        Clock, Gather, LengthUnit, Mark, Overrides, ReadAs, Reader, ReaderOptions, Record,
        SegyError, Shot, Stations, TraceTag, Warning, binary, copied,
        read_headers as read_headers_of, read_records,
    },
};
use ndarray::{Array2, ArrayView1};
use rayon::prelude::*;
use std::{fs::File, io::BufReader, ops::Range, path::Path};

/// Values in place of the headers', and a choice.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// In place of header fields.
    pub headers: Overrides,
    /// Time of the first sample of each trace, seconds after the shot.
    pub start: Option<f64>,
    /// Numbers of the records to take; all if `None`.
    pub records: Option<Vec<i64>>,
    /// Traces to leave out.
    pub kill: Kill,
    /// What the traces are read for.
    pub purpose: Purpose,
}

/// The gathers of a file.
#[derive(Clone, Debug)]
pub struct GatherFile {
    /// In the order of the file, their first samples at t = 0.
    pub gathers: Vec<Gather>,
    /// Where each was in the file.
    pub origins: Vec<Origin>,
    /// The recorded samples of each trace of each gather; none of a trace that is marked dead.
    pub recorded: Vec<Vec<Range<usize>>>,
    /// Gathers of the file that were chosen, those that are left out too.
    pub count: usize,
    /// Samples of the first gather's traces from the shot on, which are not read with headers alone.
    pub samples: usize,
    /// Contradictions in the file, and what was done about its times.
    pub warnings: Vec<String>,
}

impl GatherFile {
    /// Returns an error if a sample is not finite.
    pub fn finite(&self) -> Result<(), GatherFileError> {
        let traces: Vec<_> =
            self.gathers.iter().flat_map(|gather| gather.traces.outer_iter()).collect();
        let bad = |trace: &ArrayView1<'_, f32>| trace.iter().any(|sample| !sample.is_finite());
        let numbers: Vec<_> = self.origins.iter().flat_map(|of| &of.numbers).collect();
        let bad = traces.par_iter().zip(numbers).filter(|(trace, _)| bad(trace));
        let numbers: Vec<u64> = bad.map(|(_, number)| *number).collect();
        if numbers.is_empty() { Ok(()) } else { Err(GatherFileError::NotFinite { numbers }) }
    }
}

/// Opens a .su or, with any other extension, a .sgy.
pub fn open(path: &Path, headers: Overrides) -> Result<Reader<BufReader<File>>, SegyError> {
    let is_su = matches!(Format::of(path), Ok(Format::Su));
    headers.fields.check(ReadAs { is_model: false, is_su })?;
    // Seismic Unix uses its user's unit, metres by default.
    let usual = is_su.then_some(LengthUnit::Metre);
    let overrides = Overrides { unit: headers.unit.or(usual), ..headers };
    Reader::open(path, ReaderOptions { is_su, overrides })
}

/// Reads the gathers of a file. Zeros stand before traces that start late; what lies before the
/// shot is left out.
pub fn read(path: &Path, given: &Given) -> Result<GatherFile, GatherFileError> {
    read_file(path, given, true)
}

/// [`read`] without samples: of traces the headers alone are looked at.
pub fn read_headers(path: &Path, given: &Given) -> Result<GatherFile, GatherFileError> {
    read_file(path, given, false)
}

fn read_file(
    path: &Path,
    given: &Given,
    with_samples: bool,
) -> Result<GatherFile, GatherFileError> {
    let (records, samples, mut warnings) = match arrays(path)? {
        Some(gathers) => {
            let mut warnings = Vec::new();
            let gathers = with(given, gathers, &mut warnings);
            let samples = gathers.first().map_or(0, |gather| gather.traces.ncols());
            (recorded(gathers, with_samples), samples, warnings)
        }
        None => {
            let mut reader = open(path, given.headers)?.without(given.kill.clone());
            if reader.layout().interval.is_none() && given.purpose != Purpose::Geometry {
                return Err(SegyError::NoInterval { field: binary::INTERVAL.place() }.into());
            }
            let records = match with_samples {
                true => read_records(&mut reader, None)?,
                false => read_headers_of(&mut reader, None)?,
            };
            let wanted = |of: &&Record| {
                let number = &of.gather.record;
                given.records.as_ref().is_none_or(|wanted| wanted.contains(number))
            };
            let again = match given.purpose {
                Purpose::Section => None,
                _ => copied(&mut reader, records.iter().filter(wanted))?,
            };
            let mut warnings = told(&reader, given);
            warnings.extend(again.map(|warning| warning.to_string()));
            (records, reader.layout().samples, warnings)
        }
    };
    given.kill.check(records.iter().map(|record| record.tags.len()).sum())?;
    let records = given.purpose.of(records, &given.kill, &mut warnings);
    let records = chosen(records, given)?;
    let count = records.len();
    let (mut records, origins) = given.kill.of(records, &mut warnings)?;
    let places = stations(&records, given.purpose == Purpose::Section);
    let are_headers = Format::of(path).is_ok_and(Format::is_traces);
    warnings.extend(places.warnings(are_headers).iter().map(Warning::to_string));
    if given.purpose != Purpose::Geometry {
        times::take(&mut records, given, are_headers, &mut warnings);
    }
    let of_headers = (!with_samples).then_some(samples);
    let recorded = records.iter().map(|record| times::recorded(record, of_headers)).collect();
    let samples = records.first().map_or(0, |record| times::samples_from_shot(record, samples));
    let gather = |record: Record| match with_samples {
        true => times::each_from_shot(record),
        false => Ok(record.gather),
    };
    let gathers = records.into_iter().map(gather).collect::<Result<_, _>>()?;
    Ok(GatherFile { gathers, origins, recorded, count, samples, warnings })
}

/// The places of all traces; a section is one gather.
fn stations(records: &[Record], is_section: bool) -> Stations {
    let mut stations = Stations::default();
    for (number, record) in records.iter().enumerate() {
        let number = if is_section { 0 } else { number };
        let shot = Shot { record: record.gather.record, source: record.gather.source };
        for (receiver, tag) in record.receivers() {
            stations.see(number, shot, *receiver, &tag.mark);
        }
    }
    stations
}

/// The gathers of a file of arrays; `None` of traces.
fn arrays(path: &Path) -> Result<Option<Vec<Gather>>, GatherArraysError> {
    match Format::of(path) {
        Ok(Format::Npz) => gather_arrays::read_npz(path).map(Some),
        Ok(Format::Hdf5) => gather_arrays::read_hdf5(path).map(Some),
        _ => Ok(None),
    }
}

/// Relative or s: numbers that differ by less are the same.
const SAME: f64 = 1e-6;

/// Gathers of arrays, which have no headers but this.
fn with(given: &Given, mut gathers: Vec<Gather>, warnings: &mut Vec<String>) -> Vec<Gather> {
    if let Some(interval) = given.headers.interval {
        if let Some(own) = gathers.first().map(|gather| gather.interval)
            && (interval / own - 1.0).abs() > SAME
        {
            warnings
                .push(format!("it says an interval of {own} s; {interval} s is taken, as given"));
        }
        gathers.iter_mut().for_each(|gather| gather.interval = interval);
    }
    gathers
}

/// The gathers of arrays, whose traces are counted through their file.
fn recorded(gathers: Vec<Gather>, with_samples: bool) -> Vec<Record> {
    let mut indices = 0u64..;
    let record = |mut gather: Gather| {
        let traces = gather.receivers.len();
        if !with_samples {
            gather.traces = Array2::zeros((traces, 0));
        }
        let tag = |index| TraceTag {
            mark: Mark { index, code: 1 },
            start: gather.start,
            ensemble: (0.0, 0.0),
        };
        let tags = indices.by_ref().take(traces).map(tag).collect();
        Record { gather, tags, clock: Clock::default() }
    };
    gathers.into_iter().map(record).collect()
}

fn told(reader: &Reader<BufReader<File>>, given: &Given) -> Vec<String> {
    let unit = (reader.is_su() && given.headers.unit.is_none()).then_some(Warning::SuUnit);
    let text = |warning: &Warning| match given.purpose {
        // Their number is said where they lose their weight.
        Purpose::Observed if warning.is_of_dead() => None,
        Purpose::Geometry => Some(warning.of_positions()),
        _ => Some(warning.to_string()),
    };
    reader.warnings().iter().chain(&unit).filter_map(text).collect()
}

/// Those of the chosen records, in the order of the file.
fn chosen(all: Vec<Record>, given: &Given) -> Result<Vec<Record>, GatherFileError> {
    let Some(wanted) = &given.records else { return Ok(all) };
    let mut known: Vec<i64> = all.iter().map(|of| of.gather.record).collect();
    known.dedup();
    if let Some(wanted) = wanted.iter().copied().find(|wanted| !known.contains(wanted)) {
        return Err(GatherFileError::NoRecord { wanted, known });
    }
    Ok(all.into_iter().filter(|of| wanted.contains(&of.gather.record)).collect())
}
