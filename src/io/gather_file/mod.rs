//! Gathers from files of traces. Location, migration and the geometry of a survey all read them
//! here, with the same values in place of headers and the same warnings.

mod kill;
mod write;

pub use super::segy::Kill;
pub use kill::Origin;
pub use write::{may_write, write};

use super::{
    gather_arrays::{self, GatherArraysError},
    model_file::Format,
    segy::{
        Gather, LengthUnit, Mark, Overrides, Reader, Record, SegyError, ShotSpec, Warning,
        read_records, read_shots, several_sources,
    },
    whole::WholeError,
};
use crate::{
    conditioning::{ConditioningError, shift},
    grid::Position,
    remedy::{Refusal, Remedy, remedies},
};
use ndarray::{Array2, ArrayView1, Axis, s};
use rayon::prelude::*;
use std::{fs::File, io::BufReader, path::Path};

/// Reasons why a file gave no gathers. Messages name no path: the caller knows it.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum GatherFileError {
    #[error(transparent)]
    Segy(#[from] SegyError),
    #[error(transparent)]
    Arrays(#[from] GatherArraysError),
    #[error("it has no record {wanted}; its records are {}; {}", listed(.known), remedies(self))]
    NoRecord { wanted: i64, known: Vec<i64> },
    #[error("it has no trace {number} to leave out: its traces are numbered 1 to {traces}")]
    NoTrace { number: u64, traces: usize },
    #[error("a sample of trace {number} is not finite{}; {}", others(*.more), remedies(self))]
    NotFinite { number: u64, more: usize },
    #[error("all of its {traces} traces are left out, and none stays")]
    Killed { traces: usize },
    #[error(
        "its traces start at {start} s, longer before or after the shot than {most} s, which is 100 times as long as \
         they are; {}",
        remedies(self)
    )]
    Start { start: f64, most: f64 },
    #[error(transparent)]
    Shift(#[from] ConditioningError),
    #[error(transparent)]
    Whole(#[from] WholeError),
    #[error("{path} is of no format in which gathers are written; {}", remedies(self))]
    Format { path: String },
    #[error("there are no records to write")]
    Empty,
    #[error("a .npy holds one record, and there are {count}; {}", remedies(self))]
    OneRecord { count: usize },
    #[error(
        "record {record} has {own} samples from the shot on, and the first record has {samples}; traces of a file are \
         alike: {}",
        remedies(self)
    )]
    Unlike { record: i64, own: usize, samples: usize },
    #[error(
        "the samples of record {record} are {own} s apart, and those of the first {interval} s; traces of a file are alike: {}",
        remedies(self)
    )]
    Intervals { record: i64, own: f64, interval: f64 },
}

impl Refusal for GatherFileError {
    fn remedies(&self) -> Vec<Remedy> {
        match self {
            GatherFileError::Segy(error) => error.remedies(),
            GatherFileError::Arrays(error) => error.remedies(),
            GatherFileError::NoRecord { .. } => vec![Remedy::Records],
            GatherFileError::NotFinite { number, .. } => {
                vec![Remedy::KillTrace { number: *number }]
            }
            GatherFileError::Start { .. } => vec![Remedy::Start],
            GatherFileError::Shift(error) => error.remedies(),
            GatherFileError::Whole(error) => error.remedies(),
            GatherFileError::Format { .. } => {
                vec!["name it .sgy, .su, .npy, .npz or .h5".into()]
            }
            GatherFileError::Empty
            | GatherFileError::NoTrace { .. }
            | GatherFileError::Killed { .. } => Vec::new(),
            GatherFileError::OneRecord { .. } => vec![Remedy::Records, "write a .npz".into()],
            GatherFileError::Unlike { .. } => vec![Remedy::Records, Remedy::Start],
            GatherFileError::Intervals { .. } => vec![Remedy::Records],
        }
    }
}

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
}

/// The gathers of a file.
#[derive(Clone, Debug)]
pub struct GatherFile {
    /// In the order of the file, their first samples at t = 0.
    pub gathers: Vec<Gather>,
    /// Where each was in the file.
    pub origins: Vec<Origin>,
    /// Gathers of the file that were chosen, those that are left out too.
    pub count: usize,
    /// Contradictions in the file, and what was done about its times.
    pub warnings: Vec<String>,
}

impl GatherFile {
    /// Returns an error if a sample is not finite.
    pub fn finite(&self) -> Result<(), GatherFileError> {
        let traces: Vec<_> =
            self.gathers.iter().flat_map(|gather| gather.traces.outer_iter()).collect();
        let bad = |trace: &ArrayView1<'_, f32>| trace.iter().any(|sample| !sample.is_finite());
        match traces.par_iter().position_first(bad) {
            None => Ok(()),
            Some(first) => {
                let more = traces[first + 1..].iter().filter(|trace| bad(trace)).count();
                let mut numbers = self.origins.iter().flat_map(|of| &of.numbers);
                Err(GatherFileError::NotFinite {
                    number: numbers.nth(first).copied().unwrap_or_default(),
                    more,
                })
            }
        }
    }
}

fn others(more: usize) -> String {
    if more > 0 { format!(", and of {more} more") } else { String::new() }
}

/// The positions of a file.
#[derive(Clone, Debug)]
pub struct Geometry {
    /// In the order of the file.
    pub shots: Vec<ShotSpec>,
    /// Where each was in the file.
    pub origins: Vec<Origin>,
    /// Contradictions in the file.
    pub warnings: Vec<String>,
}

/// Opens a .su or, with any other extension, a .sgy.
pub fn open(path: &Path, headers: Overrides) -> Result<Reader<BufReader<File>>, SegyError> {
    match Format::of(path) {
        // Seismic Unix uses its user's unit, metres by default.
        Ok(Format::Su) => {
            let unit = headers.unit.or(Some(LengthUnit::Metre));
            Ok(Reader::open_su(path)?.with(Overrides { unit, ..headers }))
        }
        _ => Ok(Reader::open(path)?.with(headers)),
    }
}

/// Reads the gathers of a file. Zeros stand before traces that start late; what lies before the
/// shot is left out.
pub fn read(path: &Path, given: &Given) -> Result<GatherFile, GatherFileError> {
    let (records, mut warnings) = match arrays(path)? {
        Some(gathers) => {
            let marks = numbered(&gathers);
            let alone = |(gather, marks): (Gather, _)| Record {
                starts: vec![gather.start; gather.receivers.len()],
                gather,
                marks,
            };
            let mut warnings = Vec::new();
            let gathers = with(given, gathers, &mut warnings).into_iter().zip(marks);
            (gathers.map(alone).collect::<Vec<_>>(), warnings)
        }
        None => {
            let mut reader = open(path, given.headers)?.without(given.kill.clone());
            (read_records(&mut reader, None)?, told(&reader, given))
        }
    };
    given.kill.check(records.iter().map(|record| record.marks.len()).sum())?;
    let records = chosen(records, given, |record| record.gather.record)?;
    let count = records.len();
    let (records, origins) =
        given.kill.of(records, |of| &of.marks, Record::select, &mut warnings)?;
    let placed =
        records.iter().map(|of| (of.gather.record, bits(of.gather.source), of.starts.len() as u64));
    warnings.extend(several_sources(placed).map(|warning| warning.to_string()));
    let (mut late, mut early, mut overruled) = (0.0f64, 0.0f64, None);
    let from_shot = records.into_iter().map(|Record { mut gather, mut starts, .. }| {
        if let Some(start) = given.start {
            let other = |own: &&f64| **own != 0.0 && (**own - start).abs() > SAME;
            overruled = overruled.or(starts.iter().find(other).copied());
            gather.start = start;
            starts.fill(start);
        }
        late = starts.iter().copied().fold(late, f64::max);
        early = starts.iter().copied().fold(early, f64::min);
        each_from_shot(gather, &starts)
    });
    let gathers = from_shot.collect::<Result<Vec<_>, _>>()?;
    if let (Some(own), Some(start)) = (overruled, given.start) {
        warnings.push(format!("it says a start of {own} s; {start} s is taken, as given"));
    }
    if late > 0.0 {
        warnings.push(format!(
            "its traces start up to {late} s after the shot: zeros stand before them"
        ));
    }
    if early < 0.0 {
        warnings.push(format!(
            "its traces start up to {} s before the shot: what lies before it is left out",
            -early
        ));
    }
    Ok(GatherFile { gathers, origins, count, warnings })
}

/// Reads the positions of the sources and receivers of a file alone, with its warnings.
pub fn read_geometry(path: &Path, given: &Given) -> Result<Geometry, GatherFileError> {
    let (shots, mut warnings) = match arrays(path)? {
        Some(gathers) => {
            let marks = numbered(&gathers);
            let shots = gathers.into_iter().map(ShotSpec::from);
            (shots.zip(marks).collect::<Vec<_>>(), Vec::new())
        }
        None => {
            let mut reader = open(path, given.headers)?.without(given.kill.clone());
            (read_shots(&mut reader, None)?, told(&reader, given))
        }
    };
    given.kill.check(shots.iter().map(|(_, marks)| marks.len()).sum())?;
    let shots = chosen(shots, given, |(shot, _)| shot.record)?;
    let select = |(shot, _): &mut (ShotSpec, Vec<Mark>), kept: &[usize]| {
        shot.receivers = kept.iter().map(|trace| shot.receivers[*trace]).collect();
    };
    let (shots, origins) = given.kill.of(shots, |(_, marks)| marks, select, &mut warnings)?;
    let shots: Vec<_> = shots.into_iter().map(|(shot, _)| shot).collect();
    let placed = shots.iter().map(|of| (of.record, bits(of.source), of.receivers.len() as u64));
    warnings.extend(several_sources(placed).map(|warning| warning.to_string()));
    Ok(Geometry { shots, origins, warnings })
}

/// A position as a key.
fn bits(at: Position) -> [u64; 3] {
    // 0.0 and -0.0 are one place.
    [at.x, at.y, at.z].map(|value| (value + 0.0).to_bits())
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

/// The traces of arrays, counted through their file.
fn numbered(gathers: &[Gather]) -> Vec<Vec<Mark>> {
    let mut indices = 0u64..;
    let marks = |gather: &Gather| {
        let indices = indices.by_ref().take(gather.receivers.len());
        indices.map(|index| Mark { index, live: true }).collect()
    };
    gathers.iter().map(marks).collect()
}

fn told(reader: &Reader<BufReader<File>>, given: &Given) -> Vec<String> {
    let unit = (reader.is_su() && given.headers.unit.is_none()).then(|| {
        format!(
            "a .su names no unit of its lengths: they are taken for metres; if that is wrong, {}",
            Remedy::LengthUnit
        )
    });
    reader.warnings().iter().map(Warning::to_string).chain(unit).collect()
}

/// Those of the chosen records, in the order of the file.
fn chosen<T>(
    all: Vec<T>,
    given: &Given,
    record: impl Fn(&T) -> i64,
) -> Result<Vec<T>, GatherFileError> {
    let Some(wanted) = &given.records else { return Ok(all) };
    let known: Vec<i64> = all.iter().map(&record).collect();
    if let Some(wanted) = wanted.iter().copied().find(|wanted| !known.contains(wanted)) {
        return Err(GatherFileError::NoRecord { wanted, known });
    }
    Ok(all.into_iter().filter(|of| wanted.contains(&record(of))).collect())
}

/// Numbers as a message lists them, the first few of many.
fn listed(numbers: &[i64]) -> String {
    let shown: Vec<_> = numbers.iter().take(8).map(i64::to_string).collect();
    let more = if numbers.len() > shown.len() { ", ..." } else { "" };
    shown.join(", ") + more
}

/// [`from_shot`] of a gather whose traces start at these times; zeros stand behind those that end
/// earlier.
fn each_from_shot(gather: Gather, starts: &[f64]) -> Result<Gather, GatherFileError> {
    if starts.iter().all(|start| *start == gather.start) {
        return from_shot(gather);
    }
    let shifted = gather.traces.outer_iter().zip(starts).map(|(trace, start)| {
        let traces = trace.insert_axis(Axis(0)).to_owned();
        from_shot(Gather { traces, start: *start, receivers: Vec::new(), ..gather })
    });
    let shifted = shifted.collect::<Result<Vec<_>, _>>()?;
    let longest = shifted.iter().map(|of| of.traces.ncols()).max().unwrap_or(0);
    let mut room = Vec::new();
    let whole = shifted.len().saturating_mul(longest);
    room.try_reserve_exact(whole).map_err(|error| SegyError::Read(error.into()))?;
    room.resize(whole, 0.0);
    let mut traces =
        Array2::from_shape_vec((shifted.len(), longest), room).expect("as many samples");
    for (mut row, of) in traces.outer_iter_mut().zip(&shifted) {
        row.slice_mut(s![..of.traces.ncols()]).assign(&of.traces.row(0));
    }
    Ok(Gather { traces, start: 0.0, ..gather })
}

/// Traces start at most this many times their length from the shot.
const FARTHEST: f64 = 100.0;

/// The gather with its first sample at t = 0: zeros stand before a late one, and what lies before
/// the shot is left out.
pub fn from_shot(gather: Gather) -> Result<Gather, GatherFileError> {
    let Gather { start, interval, .. } = gather;
    if start == 0.0 {
        return Ok(gather);
    }
    let most = FARTHEST * gather.traces.ncols() as f64 * interval;
    // Comparisons with NaN are false.
    if start.abs() <= most {
        let traces = shift::from_zero(&gather.traces, interval, start)?;
        return Ok(Gather { traces, start: 0.0, ..gather });
    }
    Err(GatherFileError::Start { start, most })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_keep_their_order_whatever_their_start() {
        let traces = Array2::from_shape_fn((3, 2), |(r, _)| r as f32 + 1.0);
        let receivers = vec![Position::default(); 3];
        let source = Position::default();
        let gather = Gather { record: 4, source, receivers, traces, interval: 0.004, start: 0.0 };
        let gather = each_from_shot(gather, &[0.0, 0.004, 0.0]).expect("a gather");
        let expected = ndarray::array![[1.0, 1.0, 0.0], [0.0, 2.0, 2.0], [3.0, 3.0, 0.0]];
        assert_eq!((gather.traces, gather.receivers.len()), (expected, 3));
    }

    #[test]
    fn the_first_sample_is_at_the_shot() {
        let traces = Array2::from_shape_fn((2, 4), |(r, t)| (10 * r + t + 1) as f32);
        let at = |start: f64| {
            let receivers = vec![Position::default(); 2];
            let source = Position::default();
            let traces = traces.clone();
            from_shot(Gather { record: 1, source, receivers, traces, interval: 0.004, start })
        };
        let row = |start: f64| at(start).expect("a gather").traces.row(1).to_vec();
        assert_eq!(row(0.0), [11.0, 12.0, 13.0, 14.0]);
        assert_eq!(row(0.008), [0.0, 0.0, 11.0, 12.0, 13.0, 14.0]);
        assert_eq!(row(-0.008), [13.0, 14.0]);
        assert!(matches!(at(-0.016), Err(GatherFileError::Shift(_))));
        for far in [2.0, -2.0, f64::NAN] {
            assert!(matches!(at(far), Err(GatherFileError::Start { .. })));
        }
    }
}
