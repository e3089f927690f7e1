//! The wavelets of a job: formulas and files.

use super::{JobError, JobFile, Wavelet};
use crate::{
    acquisition::{self, Gaussian, Klauder, Ormsby, Ricker, Sampled},
    io::{
        columns::{self, Columns},
        gather_file::{self, Given, Purpose},
        model_file::Format,
        npy,
    },
};
use ndarray::Ix1;
use std::path::Path;

impl Wavelet {
    /// The wavelet, unless it is in a file.
    pub fn formula(&self) -> Option<acquisition::Wavelet> {
        Some(match *self {
            Wavelet::Ricker { peak_hz, delay } => {
                let delay = delay.unwrap_or_else(|| Ricker::delay(peak_hz));
                acquisition::Wavelet::Ricker(Ricker { peak_hz, delay })
            }
            Wavelet::Gaussian { peak_hz, derivative, delay } => {
                let delay = delay.unwrap_or_else(|| Gaussian::delay(derivative, peak_hz));
                acquisition::Wavelet::Gaussian(Gaussian { derivative, peak_hz, delay })
            }
            Wavelet::Ormsby { corners_hz, delay } => {
                let delay = delay.unwrap_or_else(|| Ormsby::delay(corners_hz));
                acquisition::Wavelet::Ormsby(Ormsby { corners_hz, delay })
            }
            Wavelet::Klauder { from_hz, to_hz, length, delay } => {
                let delay = delay.unwrap_or_else(|| Klauder::delay(from_hz, to_hz, length));
                acquisition::Wavelet::Klauder(Klauder { from_hz, to_hz, length, delay })
            }
            Wavelet::File { .. } => return None,
        })
    }
}

impl JobFile {
    /// The wavelet at a key; its file, if any, goes on record.
    pub(crate) fn wavelet(
        &self,
        key: &str,
        wavelet: &Wavelet,
        files: &mut Vec<(String, String)>,
    ) -> Result<acquisition::Wavelet, JobError> {
        if let Some(formula) = wavelet.formula() {
            return Ok(formula);
        }
        let Wavelet::File { path, interval } = wavelet else { unreachable!("others are formulas") };
        let path = self.path(path);
        let read = samples(&path).map_err(|message| self.mistake(key, message))?;
        let interval = self.interval(key, &path, *interval, &read)?;
        files.push(self.digest(key, &path)?);
        Ok(acquisition::Wavelet::Sampled(Sampled { values: read.values.into(), interval }))
    }

    /// The interval of the job or, without one, that of the file's times; if both exist, they must
    /// agree over the whole length.
    fn interval(
        &self,
        key: &str,
        path: &Path,
        given: Option<f64>,
        read: &Columns,
    ) -> Result<f64, JobError> {
        let name = path.display();
        match (given, read.interval) {
            // The job's interval is exact; printed times are rounded.
            (Some(given), Some(times)) if !read.are_every(given) => {
                let message = format!(
                    "the times of {name} are {times} s apart, but interval is {given} s; leave \
                     interval out, or give the samples alone"
                );
                Err(self.mistake(&format!("{key}.interval"), message))
            }
            (Some(given), _) => Ok(given),
            (None, Some(times)) => Ok(times),
            (None, None) => {
                let message = format!(
                    "{name} does not say how far its samples are apart; give interval, in seconds"
                );
                Err(self.mistake(key, message))
            }
        }
    }
}

/// A column of samples from a .npy file, from the trace of a .sgy or .su, or from text.
fn samples(path: &Path) -> Result<Columns, String> {
    match Format::of(path) {
        Ok(Format::Npy) => {}
        Ok(Format::Segy | Format::Su) => return trace(path),
        _ => return columns::read(path).map_err(|error| error.to_string()),
    }
    let array = npy::read(path).map_err(|error| error.to_string())?;
    let shape = array.shape().to_vec();
    let values = array.into_dimensionality::<Ix1>().map_err(|_| {
        format!("{} has the shape {shape:?}; a wavelet has one axis", path.display())
    })?;
    Ok(Columns { values: values.to_vec(), interval: None })
}

/// The samples of the one trace of a file, from t = 0 on.
fn trace(path: &Path) -> Result<Columns, String> {
    let given = Given { purpose: Purpose::Observed, ..Given::default() };
    let refused = |why: String| format!("{}: {why}", path.display());
    let file = gather_file::read(path, &given).map_err(|error| refused(error.to_string()))?;
    file.finite().map_err(|error| refused(error.to_string()))?;
    let traces: usize = file.gathers.iter().map(|gather| gather.traces.nrows()).sum();
    match file.gathers.first() {
        Some(gather) if traces == 1 => {
            let values = gather.traces.iter().map(|sample| f64::from(*sample)).collect();
            Ok(Columns { values, interval: Some(gather.interval) })
        }
        _ => Err(refused(format!(
            "it holds {traces} traces, and a wavelet is one; give a file of one trace"
        ))),
    }
}
