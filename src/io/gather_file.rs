//! Gathers from files of traces. Location, migration and the geometry of a survey all read them
//! here, with the same values in place of headers and the same warnings.

use super::{
    model_file::Format,
    segy::{
        Gather, LengthUnit, Overrides, Reader, SegyError, ShotSpec, Warning, read_gathers,
        read_shots,
    },
};
use crate::remedy::{Refusal, Remedy, remedies};
use ndarray::{Array2, s};
use std::{fs::File, io::BufReader, path::Path};

/// Reasons why a file gave no gathers. Messages name no path: the caller knows it.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum GatherFileError {
    #[error(transparent)]
    Segy(#[from] SegyError),
    #[error("it has no record {wanted}; its records are {}; {}", listed(.known), remedies(self))]
    NoRecord { wanted: i64, known: Vec<i64> },
    #[error(
        "its traces start at {start} s, longer before or after the shot than {most} s, which is 100 times as long as \
         they are; {}",
        remedies(self)
    )]
    Start { start: f64, most: f64 },
    #[error(
        "its traces start at {start} s, which is no whole number of samples, {interval} s apart; {}",
        remedies(self)
    )]
    Between { start: f64, interval: f64 },
    #[error("its traces end at {end} s, before the shot; {}", remedies(self))]
    Before { end: f64 },
}

impl Refusal for GatherFileError {
    fn remedies(&self) -> Vec<Remedy> {
        match self {
            GatherFileError::Segy(error) => error.remedies(),
            GatherFileError::NoRecord { .. } => vec![Remedy::Records],
            _ => vec![Remedy::Start],
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
    let mut reader = open(path, given.headers)?;
    let gathers = read_gathers(&mut reader, None)?;
    let mut warnings = told(&reader);
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

/// A start this far from a whole sample, in samples, is on it.
const ON_SAMPLE: f64 = 1e-3;
/// Traces start at most this many times their length from the shot.
const FARTHEST: f64 = 100.0;

/// The gather with its first sample at t = 0.
fn from_shot(gather: Gather) -> Result<Gather, GatherFileError> {
    let Gather { start, interval, .. } = gather;
    let (receivers, samples) = gather.traces.dim();
    if start == 0.0 {
        return Ok(gather);
    }
    let most = FARTHEST * samples as f64 * interval;
    // Comparisons with NaN are false.
    if !(start.abs() <= most) {
        return Err(GatherFileError::Start { start, most });
    }
    let shift = (start / interval).round();
    if (start / interval - shift).abs() > ON_SAMPLE {
        return Err(GatherFileError::Between { start, interval });
    }
    let traces = match shift {
        0.0.. => {
            let zeros = shift as usize;
            let mut traces = Array2::zeros((receivers, zeros + samples));
            traces.slice_mut(s![.., zeros..]).assign(&gather.traces);
            traces
        }
        _ => {
            let before = -shift as usize;
            if before >= samples {
                let end = start + samples.saturating_sub(1) as f64 * interval;
                return Err(GatherFileError::Before { end });
            }
            gather.traces.slice(s![.., before..]).to_owned()
        }
    };
    Ok(Gather { traces, start: 0.0, ..gather })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Position;

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
        assert!(matches!(at(0.002), Err(GatherFileError::Between { .. })));
        assert!(matches!(at(-0.016), Err(GatherFileError::Before { .. })));
        for far in [2.0, -2.0, f64::NAN] {
            assert!(matches!(at(far), Err(GatherFileError::Start { .. })));
        }
    }
}
