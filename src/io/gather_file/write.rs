//! Gathers written in the format of a file's ending.

use super::GatherFileError;
use crate::{
    gather_arrays::{write_hdf5, write_npy, write_npz},
    model_file::Format,
    program::PROGRAM,
    segy::{self, ByteOrder, Gather, LengthUnit, ShotSpec, SurveyFile, SurveySpec, ValueUnit},
    whole,
};
use std::{
    io,
    path::{Path, PathBuf},
};

/// Checks that gathers can be written to a file, and to the one beside it.
pub fn may_write(path: &Path, force: bool) -> Result<(), GatherFileError> {
    let format = Format::of(path).ok();
    let packed = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
    let written = [Format::Segy, Format::Su, Format::Npy, Format::Npz, Format::Hdf5];
    if packed || !format.is_some_and(|format| written.contains(&format)) {
        return Err(GatherFileError::Format { path: path.display().to_string() });
    }
    whole::may_write(path, force)?;
    if format == Some(Format::Npy) {
        whole::may_write(&receivers_of(path), force)?;
    }
    Ok(())
}

/// The list of the receivers of a .npy, beside it.
fn receivers_of(path: &Path) -> PathBuf {
    path.with_extension("csv")
}

/// Writes gathers whose first samples are at the shot, positions in metres; traces are written until
/// `stopped` says true.
/// Fails as [`may_write`], or if the format does not hold the gathers together.
pub fn write(
    path: &Path,
    gathers: &[Gather],
    force: bool,
    stopped: &dyn Fn() -> bool,
) -> Result<(), GatherFileError> {
    may_write(path, force)?;
    let Some(first) = gathers.first() else { return Err(GatherFileError::Empty) };
    match Format::of(path) {
        Ok(Format::Npz) => write_npz(path, gathers, force)?,
        Ok(Format::Hdf5) => write_hdf5(path, gathers, force)?,
        Ok(Format::Npy) if gathers.len() == 1 => {
            write_npy(path, &receivers_of(path), first, force)?;
        }
        Ok(Format::Npy) => return Err(GatherFileError::OneRecord { count: gathers.len() }),
        format => traces(path, matches!(format, Ok(Format::Su)), gathers, force, stopped)?,
    }
    Ok(())
}

/// Records as traces, one after the other.
fn traces(
    path: &Path,
    is_su: bool,
    gathers: &[Gather],
    force: bool,
    stopped: &dyn Fn() -> bool,
) -> Result<(), GatherFileError> {
    let (samples, interval) = (gathers[0].traces.ncols(), gathers[0].interval);
    if let Some(other) = gathers.iter().find(|gather| gather.traces.ncols() != samples) {
        let (record, own) = (other.record, other.traces.ncols());
        return Err(GatherFileError::Unlike { record, own, samples });
    }
    let apart = |gather: &&Gather| (gather.interval / interval - 1.0).abs() > 1e-6;
    if let Some(other) = gathers.iter().find(apart) {
        let (record, own) = (other.record, other.interval);
        return Err(GatherFileError::Intervals { record, own, interval });
    }
    let shot = |gather: &Gather| ShotSpec {
        record: gather.record,
        source: gather.source,
        receivers: gather.receivers.clone().into(),
    };
    let spec = SurveySpec {
        text: vec![
            format!("Traces written by {PROGRAM}"),
            "Depth is positive down: bytes 49 and minus bytes 41".into(),
            format!("Sample interval {interval} s, the first sample at t = 0"),
        ],
        shots: gathers.iter().map(shot).collect(),
        samples,
        interval,
        format: segy::Format::F32,
        order: if is_su { ByteOrder::Little } else { ByteOrder::Big },
        unit: LengthUnit::Metre,
        bins: None,
        values: ValueUnit::Unknown,
    };
    let file = if is_su { SurveyFile::su(spec)? } else { SurveyFile::segy(spec)? };
    let mut wrong = None;
    let made = whole::make_unless(stopped, path, force, |sink| {
        let mut broken = |error: segy::SegyError| io::Error::other(wrong.insert(error).to_string());
        sink.write_all(&file.headers().map_err(&mut broken)?)?;
        gathers.iter().enumerate().try_for_each(|(shot, gather)| {
            sink.write_all(&file.shot(shot, gather.traces.view()).map_err(&mut broken)?)
        })
    });
    match wrong {
        Some(error) => Err(error.into()),
        None => Ok(made?),
    }
}
