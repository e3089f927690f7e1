//! Another model instead of a job's own.

use super::Model;
use crate::io::model_file::Format;
use std::path::Path;

impl Model {
    /// The format of its file; `None` for a built-in model, or for an unknown extension, which the
    /// reader of the file reports.
    pub fn format(&self) -> Option<Format> {
        self.velocity.as_deref().and_then(|velocity| Format::of(Path::new(velocity)).ok())
    }

    /// Selects another model on the same nodes. Keys of the former model are removed if the new
    /// file's format gives them itself or has no such thing; for a file of the same format they
    /// stay.
    pub fn take(&mut self, velocity: &str) {
        let own = self.format();
        self.velocity = Some(velocity.to_owned());
        let Some(format) = self.format().filter(|format| Some(*format) != own) else { return };
        if format.says_axes() {
            self.axes = None;
        }
        if format != Format::Raw {
            self.nodes = None;
        }
        if format != Format::Npz {
            self.array = None;
        }
        if !format.is_traces() {
            self.sample_interval = None;
        }
    }
}
