//! Another model instead of a job's own.

use super::{Model, OneOrEach};
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
    pub(crate) fn take(&mut self, velocity: &str) {
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
            self.segy = None;
        }
    }

    /// Selects a model that is named in place of the job's own. The spacing of that is removed if a
    /// file of another format gives it, or if the job is `built_in`, which names no file.
    pub fn take_instead(&mut self, velocity: &str, built_in: bool) {
        let own = self.format();
        self.take(velocity);
        let format = self.format().filter(|format| Some(*format) != own);
        if format.is_some_and(|format| format.says_axes() || built_in) {
            self.spacing = None;
        }
    }

    /// Takes another spacing, metres along every axis; `anew` for a model that was just taken.
    ///
    /// # Errors
    ///
    /// If the nodes of the model's file have another one.
    pub fn take_spacing(&mut self, spacing: f64, anew: bool) -> Result<(), String> {
        if let Some(own) = self.spacing.filter(|own| !anew && !own.is_all(spacing))
            && let Some(velocity) = self.velocity.as_ref().filter(|_| self.format().is_some())
        {
            return Err(format!(
                "the job has spacing = {own} for the nodes of {velocity}, and another would \
                 stretch the model; leave --spacing out, or put the model on other nodes first \
                 with `huygens model convert --spacing`"
            ));
        }
        self.spacing = Some(OneOrEach::One(spacing));
        Ok(())
    }
}
