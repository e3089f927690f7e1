//! The record of the run that wrote a file.

use crate::{
    cli::failure::Failure, io::access, job::JobFile,
    operations::locate::operation::RECORD as LOCATED,
};
use serde_json::Value;
use std::{
    io::Read,
    path::{Path, PathBuf},
};

/// Names of records.
const NAMES: [&str; 2] = ["run.json", LOCATED];
/// Folders up from a result in which its record may lie.
const UP: usize = 3;

/// The record of a run.
pub(super) struct RunRecord {
    /// The command, if the record names it.
    pub(super) command: String,
    pub(super) file: JobFile,
    /// The whole record.
    pub(super) json: Value,
}

impl RunRecord {
    /// The record in the folder of a file or in one above it, if there is one.
    pub(super) fn beside(path: &Path, folder: Option<&Path>) -> Result<Option<Self>, Failure> {
        let above = path.parent().into_iter().flat_map(Path::ancestors).take(UP);
        let places = above.flat_map(|folder| NAMES.map(|name| folder.join(name)));
        let Some(place) = places.into_iter().find(|place| place.is_file()) else {
            return Ok(None);
        };
        let wrong = |why: String| Failure::input(format!("{}: {why}", place.display()));
        let mut text = String::new();
        let read = access::open(&place).and_then(|mut file| file.read_to_string(&mut text));
        read.map_err(|error| wrong(format!("the record cannot be read: {error}")))?;
        let json: Value = serde_json::from_str(&text)
            .map_err(|error| wrong(format!("it is no record of a run: {error}")))?;
        let job = toml::to_string(&given(&json["job"]))
            .map_err(|error| wrong(format!("it has no job: {error}")))?;
        let name = place.display().to_string();
        let mut file = JobFile::parse(&name, &job, PathBuf::new())?;
        let of_run = place.parent().unwrap_or(Path::new(""));
        file.folder = match folder {
            Some(folder) => folder.to_owned(),
            None => found(&file, of_run),
        };
        let command = json["command"].as_str().unwrap_or("locate").to_owned();
        Ok(Some(RunRecord { command, file, json }))
    }
}

/// The values that are given: a job text has no null.
fn given(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let some = map.iter().filter(|(_, value)| !value.is_null());
            Value::Object(some.map(|(key, value)| (key.clone(), given(value))).collect())
        }
        Value::Array(list) => Value::Array(list.iter().map(given).collect()),
        other => other.clone(),
    }
}

/// The folder in which the model of a job is found: this one, that of the run or the one above it.
fn found(file: &JobFile, of_run: &Path) -> PathBuf {
    let model = file.job.model.velocity.as_deref().unwrap_or_default();
    let above = of_run.parent().map(Path::to_owned).unwrap_or_default();
    let places = [PathBuf::new(), above, of_run.to_owned()];
    places.into_iter().find(|folder| folder.join(model).is_file()).unwrap_or_default()
}
