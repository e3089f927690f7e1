//! What a survey is: everything that determines its files.

use super::SurveyError;
use crate::{
    engine::Description,
    io::{
        dir::Dir,
        journal::{self, Piece},
    },
    job::JobFile,
    program::PROGRAM,
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, path::Path};

/// The identity of a survey: everything that determines its files.
pub(crate) struct Identity {
    value: Value,
    pub(super) shots: usize,
}

impl Identity {
    /// The run of a command and its job, which has so many shots, and reads files with these SHA-256.
    pub(crate) fn new(
        command: &str,
        file: &JobFile,
        shots: usize,
        read: &[(String, String)],
    ) -> Self {
        // By name: the same file may have several paths.
        let mut files: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for (path, sum) in read {
            let name = Path::new(path).file_name().unwrap_or_default();
            files.entry(name.to_string_lossy().into_owned()).or_default().push(sum);
        }
        let mut job = serde_json::to_value(&file.job).expect("a job holds plain values with names");
        // Traces do not depend on pictures.
        if let Some(output) = job["output"].as_object_mut() {
            output.retain(|key, _| !["pictures", "figures", "movie"].contains(&key.as_str()));
        }
        // Observed traces are among the inputs.
        if let Some(gradient) = job["gradient"].as_object_mut() {
            gradient.remove("observed");
            // Nor does a gradient depend on what is kept of its wavefields, or written beside it.
            gradient.retain(|key, _| !["memory", "formats", "traces"].contains(&key.as_str()));
        }
        if let Some(invert) = job["invert"].as_object_mut() {
            invert.retain(|key, _| !["formats", "traces"].contains(&key.as_str()));
        }
        // Nor do the sums of a migration depend on its outputs.
        if let Some(rtm) = job["rtm"].as_object_mut() {
            let of_images = ["memory", "movie", "formats", "conditions", "angles"];
            rtm.retain(|key, _| !of_images.contains(&key.as_str()));
            if let Some(offsets) = rtm.get_mut("offsets").and_then(Value::as_object_mut) {
                offsets.remove("drawn");
            }
        }
        let value = json!({
            "program": PROGRAM.name,
            "command": command,
            "version": PROGRAM.version,
            "revision": PROGRAM.revision,
            "shots": shots,
            "job": job,
            "inputs": files,
        });
        Identity { value, shots }
    }

    /// All of it as JSON, for comparison.
    pub(crate) fn value(&self) -> &Value {
        &self.value
    }

    /// The heading of its journal, with the beginning of the files that all shots share.
    pub(crate) fn heading(&self, engine: &Description, headers: &[Piece]) -> Value {
        json!({ "survey": self.value, "engine": engine, "headers": headers })
    }

    /// The first difference from the survey of a journal with this heading, in words.
    pub(crate) fn difference(&self, heading: &Value) -> Option<String> {
        let (key, before, now) = journal::difference(&heading["survey"], &self.value)?;
        Some(match key.split_once('.') {
            Some(("inputs", file)) => format!("{file} has changed since"),
            None if key == "command" => {
                format!("it is a run of huygens {before}, and this command is {now}")
            }
            Some(("job", key)) => format!("{key} is {before} there and {now} in this job"),
            _ if !heading["survey"].is_object() => "its journal does not name the job".into(),
            _ => format!("{key} is {before} there and {now} here"),
        })
    }

    /// Returns an error for a journal of another survey.
    pub(super) fn check(&self, folder: &Dir, heading: &Value) -> Result<(), SurveyError> {
        match self.difference(heading) {
            Some(difference) => {
                Err(SurveyError::AnotherSurvey { folder: folder.path(), difference })
            }
            None => Ok(()),
        }
    }
}
