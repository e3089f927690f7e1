//! A section to be sent back, from its file.

use crate::{
    grid::{Grid, Position},
    io::{digest::sha256, gather_file::Purpose, model_file::Format, npy, segy::Gather},
    job::{Inputs, JobError, JobFile, TraceFile},
    rounded::rounded,
};
use ndarray::{Array2, Ix2, s};
use std::path::Path;

/// A section with the metadata of its file.
pub struct Section {
    /// Its file, or what it is called in messages.
    pub name: String,
    /// Shape `[receiver][time]`, the first sample at t = 0.
    pub gather: Array2<f32>,
    /// Position of each trace's source and receiver; the job's for a .npy.
    pub receivers: Vec<Position>,
    /// Seconds between samples, if the file has it.
    pub interval: Option<f64>,
}

impl JobFile {
    /// Reads a section from traces or arrays.
    pub fn section(&self, path: &Path, inputs: &mut Inputs) -> Result<Section, JobError> {
        let refused =
            |why: &dyn std::fmt::Display| JobError::other(format!("{}: {why}", path.display()));
        let name = path.display().to_string();
        let section = match Format::of(path) {
            Ok(Format::Npy) => {
                self.warn_unused(path, &[]);
                let array = npy::read(path).map_err(|error| JobError::other(error.to_string()))?;
                let shape = array.shape().to_vec();
                let gather = array.into_dimensionality::<Ix2>().map_err(|_| {
                    JobError::other(format!(
                        "{} has the shape {shape:?}; a section has two axes, [receiver][time]",
                        path.display()
                    ))
                })?;
                let receivers = inputs.setup.shots.first().map(|shot| shot.receivers.to_vec());
                Ok(Section {
                    name,
                    gather,
                    receivers: receivers.unwrap_or_default(),
                    interval: None,
                })
            }
            Ok(Format::Segy | Format::Su | Format::Npz | Format::Hdf5) => {
                let file = TraceFile { key: "gather", path, purpose: Purpose::Section };
                let gathers = self.gather_file(file, &inputs.model, &mut inputs.files)?.gathers;
                traces(name, &gathers, inputs.model.grid()).map_err(|why| refused(&why))
            }
            _ => {
                Err(refused(&"it is no section by its ending; give a .sgy, .su, .npy, .npz or .h5"))
            }
        }?;
        let sum = sha256(path).map_err(|error| JobError::other(error.to_string()))?;
        inputs.files.push((section.name.clone(), sum));
        Ok(section)
    }
}

/// Traces with their positions. A zero-offset section has gathers of one trace.
fn traces(name: String, gathers: &[Gather], grid: &Grid) -> Result<Section, String> {
    let receivers: Vec<Position> =
        gathers.iter().flat_map(|g| g.receivers.iter().copied()).collect();
    let sources = gathers.iter().flat_map(|gather| gather.receivers.iter().map(|_| gather.source));
    let cell = grid.h.x.min(grid.h.z);
    for (trace, (source, receiver)) in sources.zip(&receivers).enumerate() {
        let offset = source.distance(receiver);
        if offset > cell {
            return Err(format!(
                "the source of trace {} is {} m from its receiver; in a zero-offset section they are at \
                 one place, to a cell of the model, {cell} m: correct the headers, or give the samples as .npy, for \
                 which the job says where they were recorded",
                trace + 1,
                rounded(offset)
            ));
        }
    }
    // Those that end earlier go on with zeros.
    let longest = gathers.iter().map(|gather| gather.traces.ncols()).max().unwrap_or(0);
    let mut section = Array2::zeros((receivers.len(), longest));
    let rows = gathers.iter().flat_map(|gather| gather.traces.outer_iter());
    for (mut row, trace) in section.outer_iter_mut().zip(rows) {
        row.slice_mut(s![..trace.len()]).assign(&trace);
    }
    Ok(Section {
        name,
        gather: section,
        receivers,
        interval: gathers.first().map(|gather| gather.interval),
    })
}
