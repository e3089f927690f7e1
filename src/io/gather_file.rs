//! Gathers from files of traces. Location, migration and the geometry of a survey all read them
//! here, with the same values in place of headers and the same warnings.

use super::{
    gather_arrays::{self, GatherArraysError},
    model_file::Format,
    segy::{
        Gather, LengthUnit, Overrides, Reader, SegyError, ShotSpec, Warning, read_gathers,
        read_shots,
    },
};
use crate::{
    conditioning::{ConditioningError, shift},
    remedy::{Refusal, Remedy, remedies},
};
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
    #[error(
        "its traces start at {start} s, longer before or after the shot than {most} s, which is 100 times as long as \
         they are; {}",
        remedies(self)
    )]
    Start { start: f64, most: f64 },
    #[error(transparent)]
    Shift(#[from] ConditioningError),
}

impl Refusal for GatherFileError {
    fn remedies(&self) -> Vec<Remedy> {
        match self {
            GatherFileError::Segy(error) => error.remedies(),
            GatherFileError::Arrays(error) => error.remedies(),
            GatherFileError::NoRecord { .. } => vec![Remedy::Records],
            GatherFileError::Start { .. } => vec![Remedy::Start],
            GatherFileError::Shift(error) => error.remedies(),
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
}

/// The gathers of a file.
#[derive(Clone, Debug)]
pub struct GatherFile {
    /// In the order of the file, their first samples at t = 0.
    pub gathers: Vec<Gather>,
    /// Contradictions in the file, and what was done about its times.
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
    let (gathers, mut warnings) = match Format::of(path) {
        Ok(Format::Npz) => (with(given, gather_arrays::read_npz(path)?), Vec::new()),
        Ok(Format::Hdf5) => (with(given, gather_arrays::read_hdf5(path)?), Vec::new()),
        _ => {
            let mut reader = open(path, given.headers)?;
            (read_gathers(&mut reader, None)?, told(&reader))
        }
    };
    let gathers = chosen(gathers, given, |gather| gather.record)?;
    let (mut late, mut early) = (0.0f64, 0.0f64);
    let from_shot = gathers.into_iter().map(|gather| {
        let start = given.start.unwrap_or(gather.start);
        (late, early) = (late.max(start), early.min(start));
        from_shot(Gather { start, ..gather })
    });
    let gathers = from_shot.collect::<Result<_, _>>()?;
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
    Ok(GatherFile { gathers, warnings })
}

/// Reads the positions of the sources and receivers of a file alone, with its warnings.
pub fn read_geometry(
    path: &Path,
    given: &Given,
) -> Result<(Vec<ShotSpec>, Vec<String>), GatherFileError> {
    let mut reader = open(path, given.headers)?;
    let shots = read_shots(&mut reader, None)?;
    Ok((chosen(shots, given, |shot| shot.record)?, told(&reader)))
}

/// Gathers of arrays, which have no headers but this.
fn with(given: &Given, mut gathers: Vec<Gather>) -> Vec<Gather> {
    if let Some(interval) = given.headers.interval {
        gathers.iter_mut().for_each(|gather| gather.interval = interval);
    }
    gathers
}

fn told(reader: &Reader<BufReader<File>>) -> Vec<String> {
    reader.warnings().iter().map(Warning::to_string).collect()
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

/// Traces start at most this many times their length from the shot.
const FARTHEST: f64 = 100.0;

/// The gather with its first sample at t = 0.
fn from_shot(gather: Gather) -> Result<Gather, GatherFileError> {
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
    use crate::grid::Position;
    use ndarray::Array2;

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
