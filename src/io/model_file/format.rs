//! The formats that hold models.

use super::{ModelFileError, gzip};
use serde::Serialize;
use std::path::Path;

/// A format that holds models; a new one is a line in each `match` here and in `ModelFile::open`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// NumPy array.
    Npy,
    /// NumPy archive of arrays.
    Npz,
    /// HDF5 or netCDF-4.
    Hdf5,
    /// Madagascar.
    Rsf,
    /// Little-endian f32, nothing else.
    Raw,
    /// SEG-Y traces.
    Segy,
    /// Seismic Unix traces.
    Su,
    /// VTK image data, which is only written.
    Vti,
}

impl Format {
    /// The format of a file by its extension.
    pub fn of(path: &Path) -> Result<Self, ModelFileError> {
        let packed = gzip::is_packed(path);
        let name = if packed { path.file_stem().map(Path::new).unwrap_or(path) } else { path };
        let ending = name.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("sgy" | "segy") => Ok(Format::Segy),
            Some("su") => Ok(Format::Su),
            _ if packed => Err(ModelFileError::Packed { path: path.display().to_string() }),
            Some("npy") => Ok(Format::Npy),
            Some("npz") => Ok(Format::Npz),
            Some("rsf") => Ok(Format::Rsf),
            Some("bin" | "raw" | "f32") => Ok(Format::Raw),
            Some("h5" | "hdf5" | "nc") => Ok(Format::Hdf5),
            Some("vti") => Ok(Format::Vti),
            _ => Err(ModelFileError::Format { path: path.display().to_string() }),
        }
    }

    /// True if it holds traces, whose headers give their positions.
    pub fn is_traces(self) -> bool {
        matches!(self, Format::Segy | Format::Su)
    }

    /// True if it names its axes and their spacing.
    pub fn says_axes(self) -> bool {
        self.is_traces() || matches!(self, Format::Rsf | Format::Hdf5)
    }

    /// Relative tolerance between a given spacing and the file's: positions of traces are rounded.
    pub(super) fn rounding(self) -> f64 {
        if self.is_traces() { 1e-4 } else { 1e-6 }
    }

    /// Its name in messages.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Format::Npy => "a .npy file",
            Format::Npz => "a .npz file",
            Format::Hdf5 => "an HDF5 file",
            Format::Rsf => "an .rsf file",
            Format::Raw => "a raw file",
            Format::Segy => "a SEG-Y file",
            Format::Su => "a file of Seismic Unix",
            Format::Vti => "a .vti file",
        }
    }
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Format::Npy => "NumPy array",
            Format::Npz => "NumPy archive",
            Format::Hdf5 => "HDF5",
            Format::Rsf => "RSF",
            Format::Raw => "raw floats",
            Format::Segy => "SEG-Y",
            Format::Su => "Seismic Unix",
            Format::Vti => "VTK image data",
        })
    }
}
