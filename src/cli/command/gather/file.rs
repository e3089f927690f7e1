//! Files of gathers that are read and written.

use super::headers::HeaderArguments;
use crate::{
    cli::{
        failure::Failure,
        terminal::progress::{self, tell},
    },
    grid::PerAxis,
    io::{
        gather_arrays::{self, Described},
        gather_file,
        model_file::Format,
        positions::Listed,
        segy::{Gather, LengthUnit, Overrides},
    },
    message::about,
};
use std::path::{Path, PathBuf};

/// The file that is read, the values in place of its headers, and the file that is written.
#[derive(clap::Args)]
pub(crate) struct FromTo {
    /// The file to read: .sgy, .su, .npz, .h5, or .npy with --positions and --interval.
    pub(crate) from: PathBuf,
    /// The file to write: .sgy, .su, .npz, .h5, or .npy with a .csv of its receivers beside it.
    pub(crate) to: PathBuf,
    #[command(flatten)]
    pub(crate) headers: HeaderArguments,
    /// Overwrite the file.
    #[arg(long)]
    pub(crate) force: bool,
}

impl FromTo {
    /// Returns an error if the file cannot be written.
    pub(crate) fn may_write(&self) -> Result<(), Failure> {
        gather_file::may_write(&self.to, self.force).map_err(Failure::input)
    }

    /// Writes gathers, their first samples at the shot.
    pub(crate) fn write(&self, gathers: &[Gather]) -> Result<(), Failure> {
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

impl HeaderArguments {
    /// Reads the gathers of a file, their first samples at the shot, and tells of contradictions.
    pub(crate) fn read(&self, path: &Path) -> Result<Vec<Gather>, Failure> {
        self.read_as(path, false)
    }

    /// [`Self::read`] of a file all of whose samples must be finite.
    pub(crate) fn read_finite(&self, path: &Path) -> Result<Vec<Gather>, Failure> {
        self.read_as(path, true)
    }

    fn read_as(&self, path: &Path, finite: bool) -> Result<Vec<Gather>, Failure> {
        let _reading = progress::doing(format!("reading {}", path.display()));
        let refused = |error: &dyn std::fmt::Display| Failure::input(about(path.display(), error));
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
        let read = gather_file::read(path, &self.given()).map_err(|error| refused(&error))?;
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
