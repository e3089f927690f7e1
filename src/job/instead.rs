//! Another model instead of a job's own.

use super::Model;
use crate::io::model_file::Format;
use std::path::Path;

impl Model {
    /// The format of its file; none where it is built in, or of an ending that is told of where the file is read.
    pub fn format(&self) -> Option<Format> {
        self.velocity.as_deref().and_then(|velocity| Format::of(Path::new(velocity)).ok())
    }

    /// Another model on the same nodes. What was said of the one before is not said of a file that says it itself, or
    /// that has no such thing; of one in the same format it is.
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
