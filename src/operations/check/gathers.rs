//! The checks of the gathers that a job names, before it runs.

use crate::{
    io::{gather_file::Purpose, model_file::Format},
    job::{FileNames, Inputs, JobError, JobFile, TraceFile},
    operations::recorded::bytes_of_reading,
};
use std::{
    fs,
    ops::Range,
    path::{Path, PathBuf},
};

/// Files of gathers longer than this, bytes, are checked by their headers alone.
const SHORT: u64 = 256 << 20;

/// Files of gathers that are checked before a run.
pub(crate) struct GathersToCheck {
    pub(crate) paths: Vec<PathBuf>,
    /// True if only their headers are read.
    pub(crate) is_long: bool,
}

/// The size of recorded traces.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RecordedSize {
    /// Memory held while they are read and resampled for a Plan, bytes.
    pub(crate) reading: u64,
    /// True if some of the Plan's samples were not recorded.
    pub(crate) lacks_samples: bool,
}

/// Whether a file of traces has headers by its ending.
fn has_headers(path: &Path) -> bool {
    matches!(Format::of(path), Ok(Format::Segy | Format::Su | Format::Npz | Format::Hdf5))
}

impl JobFile {
    /// The size of the observed traces of a job by the headers of their files, if all are there and have some.
    pub(crate) fn observed_size(&self, inputs: &Inputs) -> Result<RecordedSize, JobError> {
        let (key, purpose) = ("gradient.observed", Purpose::Observed);
        let names = self.job.gradient.as_ref().and_then(|keys| keys.observed.as_ref());
        let paths = names.and_then(|names| self.paths(key, names).ok()).unwrap_or_default();
        if paths.is_empty() || !paths.iter().all(|path| path.exists() && has_headers(path)) {
            return Ok(RecordedSize::default());
        }
        let plan = &inputs.plan;
        let last = plan.time.duration() - 0.5 * plan.time.interval();
        let (mut samples, mut lacks_samples) = (0, false);
        for path in &paths {
            let file = TraceFile { key, path, purpose };
            let file = self.gather_headers(file, &inputs.model, &mut Vec::new())?;
            let interval = file.gathers.first().map_or(0.0, |gather| gather.interval);
            let traces = file.recorded.iter().map(|shot| shot.len() as u64).sum::<u64>();
            samples += traces * file.samples as u64;
            let is_whole = |samples: &Range<usize>| {
                samples.start == 0 && samples.end.saturating_sub(1) as f64 * interval >= last
            };
            lacks_samples |= !file.recorded.iter().flatten().all(is_whole);
        }
        let reading = bytes_of_reading(paths.first().map(PathBuf::as_path), samples, plan);
        Ok(RecordedSize { reading, lacks_samples })
    }

    /// The files of gathers that a key names for a command, if they are there: a run may still create them, and a warning names
    /// one that is missing.
    pub(crate) fn gathers_to_check(
        &self,
        key: &str,
        names: Option<&FileNames>,
        command: &str,
    ) -> Option<GathersToCheck> {
        let names = names?;
        let paths = self.paths(key, names).unwrap_or_default();
        let missing = match paths.iter().find(|path| !path.exists()) {
            Some(path) => Some(path.display().to_string()),
            None => paths.is_empty().then(|| names.to_string()),
        };
        if let Some(missing) = missing {
            tracing::warn!("{missing} is not there yet: huygens {command} needs it ({key})");
            return None;
        }
        let length = |path: &PathBuf| fs::metadata(path).map_or(0, |file| file.len());
        let is_long = paths.iter().all(|path| has_headers(path))
            && paths.iter().map(length).sum::<u64>() > SHORT;
        Some(GathersToCheck { paths, is_long })
    }
}
