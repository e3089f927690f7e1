//! The shots of files, read one file after the other.

use super::stored::ShotFile;
use crate::io::segy::Gather;
use ndarray::Array2;
use rayon::prelude::*;
use std::{ops::Range, path::Path};

/// The recorded shots of a file.
pub(super) struct RecordedFile {
    pub(super) traces: Traces,
    /// The recorded samples of each trace of each shot; none of bare samples, which are all recorded.
    pub(super) samples: Vec<Vec<Range<usize>>>,
    pub(super) interval: f64,
}

/// Traces with positions, and samples alone, `[receiver][time]`.
pub(super) enum Traces {
    Placed(Vec<Gather>),
    Bare(Vec<Array2<f32>>),
}

/// The shots of files, one file after the other.
#[derive(Default)]
pub(super) struct Reading {
    pub(super) files: Vec<ShotFile>,
    pub(super) sums: Vec<(String, String)>,
    pub(super) interval: f64,
    /// Samples of each trace.
    pub(super) length: usize,
    /// The shots, without samples if these are not held.
    pub(super) placed: Vec<Gather>,
    pub(super) bare: Vec<Array2<f32>>,
    pub(super) samples: Vec<Vec<Range<usize>>>,
    pub(super) are_zero: Vec<Vec<bool>>,
}

impl Reading {
    /// Takes the shots of the next file.
    pub(super) fn take(
        &mut self,
        path: &Path,
        file: RecordedFile,
        is_held: bool,
    ) -> Result<(), String> {
        let RecordedFile { traces, samples, interval } = file;
        let first = self.are_zero.len();
        let (mut of_file, placed) = traces.parted();
        self.check(path, &of_file, interval)?;
        self.are_zero.par_extend(of_file.par_iter().map(zeros));
        let all = |gather: &Array2<f32>| vec![0..gather.ncols(); gather.nrows()];
        match samples.is_empty() {
            true => self.samples.extend(of_file.iter().map(all)),
            false => self.samples.extend(samples),
        }
        self.files.push(ShotFile {
            path: path.to_owned(),
            shots: first..self.are_zero.len(),
            samples: of_file.iter().map(|gather| gather.len() as u64).sum(),
        });
        if !is_held {
            of_file.iter_mut().for_each(|gather| *gather = Array2::zeros((gather.nrows(), 0)));
        }
        match placed.is_empty() {
            true => self.bare.extend(of_file),
            false => self.placed.extend(placed.into_iter().zip(of_file).map(|(mut of, traces)| {
                of.traces = traces;
                of
            })),
        }
        Ok(())
    }

    /// Checks the samples of the shots of a file. The first file sets the interval and the length for all.
    fn check(&mut self, path: &Path, of_file: &[Array2<f32>], interval: f64) -> Result<(), String> {
        let first = self.are_zero.len();
        let bad = |gather: &Array2<f32>| gather.iter().any(|sample| !sample.is_finite());
        if let Some(shot) = of_file.par_iter().position_first(bad) {
            return Err(format!("a sample of shot {} is not finite", first + shot + 1));
        }
        if first == 0 {
            self.interval = interval;
            self.length = of_file.first().map_or(0, Array2::ncols);
        } else if interval != self.interval {
            return Err(format!(
                "the samples of {} are {interval} s apart, and those before {} s; resample one of them",
                path.display(),
                self.interval
            ));
        }
        if let Some(shot) = of_file.iter().position(|gather| gather.ncols() != self.length) {
            return Err(format!(
                "the traces of shot {} have {} samples, and those before {}; cut or pad them to one length",
                first + shot + 1,
                of_file[shot].ncols(),
                self.length
            ));
        }
        Ok(())
    }
}

impl Traces {
    /// The samples of each shot, and the shots without their samples, if they have positions.
    fn parted(self) -> (Vec<Array2<f32>>, Vec<Gather>) {
        match self {
            Traces::Bare(gathers) => (gathers, Vec::new()),
            Traces::Placed(mut gathers) => {
                let samples = gathers.iter_mut().map(|gather| std::mem::take(&mut gather.traces));
                (samples.collect(), gathers)
            }
        }
    }
}

/// Whether each trace holds nothing but zeros.
pub(super) fn zeros(gather: &Array2<f32>) -> Vec<bool> {
    gather.outer_iter().map(|trace| trace.iter().all(|sample| *sample == 0.0)).collect()
}
