//! The checks of the gathers that a job names, before it runs.

use crate::{
    io::{gather_file::Purpose, model_file::Format},
    job::{Inputs, JobError, JobFile, TraceFile},
    operations::recorded::bytes_of_reading,
};
use std::{
    fs,
    ops::Range,
    path::{Path, PathBuf},
};

/// Files of gathers longer than this, bytes, are checked by their headers alone.
const SHORT: u64 = 256 << 20;

/// A file of gathers that is checked before a run.
pub(crate) struct GathersToCheck {
    pub(crate) path: PathBuf,
    /// True if only its headers are read.
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
    /// The size of the observed traces of a job by the headers of their file, if it is there and has some.
    pub(crate) fn observed_size(&self, inputs: &Inputs) -> Result<RecordedSize, JobError> {
        let name = self.job.gradient.as_ref().and_then(|keys| keys.observed.as_ref());
        let path = name.map(|name| self.path(name)).filter(|path| path.exists());
        let Some(path) = path.filter(|path| has_headers(path)) else {
            return Ok(RecordedSize::default());
        };
        let plan = &inputs.plan;
        let (key, purpose) = ("gradient.observed", Purpose::Observed);
        let file = TraceFile { key, path: &path, purpose };
        let file = self.gather_headers(file, &inputs.model, &mut Vec::new())?;
        let interval = file.gathers.first().map_or(0.0, |gather| gather.interval);
        let traces = file.recorded.iter().map(|shot| shot.len() as u64).sum::<u64>();
        let reading = bytes_of_reading(Some(&path), traces * file.samples as u64, plan);
        let last = plan.time.duration() - 0.5 * plan.time.interval();
        let is_whole = |samples: &Range<usize>| {
            samples.start == 0 && samples.end.saturating_sub(1) as f64 * interval >= last
        };
        let lacks_samples = !file.recorded.iter().flatten().all(is_whole);
        Ok(RecordedSize { reading, lacks_samples })
    }

    /// The file of gathers that a key names for a command, if it is there: a run may still create it, of which is warned.
    pub(crate) fn gathers_to_check(
        &self,
        key: &str,
        name: Option<&str>,
        command: &str,
    ) -> Option<GathersToCheck> {
        let path = self.path(name?);
        if !path.exists() {
            tracing::warn!(
                "{} is not there yet: huygens {command} needs it ({key})",
                path.display()
            );
            return None;
        }
        let is_long =
            has_headers(&path) && fs::metadata(&path).is_ok_and(|file| file.len() > SHORT);
        Some(GathersToCheck { path, is_long })
    }
}
