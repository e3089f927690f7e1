//! The outputs of tasks copied into one survey.

use crate::{
    io::{
        folder::{OutputFolder, is_inside},
        journal::{Done, Piece},
    },
    results::Show,
    run::{SurveyError, TaskOutput, TaskOutputs},
};
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};

impl TaskOutputs {
    /// Merges the outputs of modelling into the files of one run of all shots, byte for byte, and
    /// returns the number of shots. `overwrite` replaces files that have the names of these.
    ///
    /// # Errors
    ///
    /// The shares of another command, damaged files, or a folder that cannot be written to.
    pub(crate) fn merge(&self, overwrite: bool, show: &Show<'_>) -> Result<usize, SurveyError> {
        let command = self.heading["survey"]["command"].as_str().unwrap_or_default();
        if command != "shot" {
            let (folder, command) = (self.folder.clone(), command.to_owned());
            return Err(SurveyError::OfAnotherCommand { folder, command });
        }
        let folder = self.to_merge(overwrite)?;
        let merged = self.copy_to(&folder, show)?;
        let record = self.record(&folder);
        self.keep(folder, &merged, &record)?;
        Ok(merged.len())
    }

    /// Copies the shots of all tasks to the files of one run.
    pub(super) fn copy_to(
        &self,
        folder: &OutputFolder,
        show: &Show<'_>,
    ) -> Result<Vec<Done>, SurveyError> {
        let mut ends = self.begin(folder)?;
        let copying = show("shot", self.tasks.iter().map(|task| task.done.len()).sum());
        let mut merged = Vec::new();
        'tasks: for task in &self.tasks {
            for done in &task.done {
                let pieces = done.pieces.iter().map(|piece| {
                    let bytes = piece.read(done.shot, &task.folder);
                    let bytes = bytes.ok_or_else(|| task.damaged(done.shot))?;
                    let from = match ends.get_mut(&piece.file) {
                        Some(end) => std::mem::replace(end, *end + piece.bytes),
                        None => 0,
                    };
                    folder.write_part(&piece.file, from, &bytes)?;
                    Ok(Piece { from, ..piece.clone() })
                });
                let pieces = pieces.collect::<Result<_, SurveyError>>()?;
                merged.push(Done { pieces, ..done.clone() });
                if copying.one_more().is_break() {
                    break 'tasks;
                }
            }
            task.copy_others(folder)?;
        }
        Ok(merged)
    }

    /// Writes the beginning of the files that all shots share; returns their lengths so far, bytes.
    fn begin(&self, folder: &OutputFolder) -> Result<BTreeMap<String, u64>, SurveyError> {
        let headers = serde_json::from_value::<Vec<Piece>>(self.heading["headers"].clone());
        let headers = headers.unwrap_or_default();
        let headers = headers.into_iter().filter(|piece| is_inside(&piece.file)).map(|piece| {
            let whole = self.tasks.iter().find_map(|task| piece.read(0, &task.folder));
            let bytes = whole.ok_or_else(|| self.tasks[0].damaged(1))?;
            folder.write_part(&piece.file, 0, &bytes)?;
            Ok((piece.file, piece.bytes))
        });
        headers.collect()
    }
}

/// True if all shots share a file; files of one shot are in a subfolder.
fn is_shared(file: &str) -> bool {
    !file.contains('/')
}

impl TaskOutput {
    /// Copies the files that are not in the journal: movies.
    fn copy_others(&self, folder: &OutputFolder) -> Result<(), SurveyError> {
        let files = self.record["files"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let pieces = self.done.iter().flat_map(|done| &done.pieces);
        let known: HashSet<&str> = pieces.map(|piece| piece.file.as_str()).collect();
        for file in
            files.filter(|file| is_inside(file) && !is_shared(file) && !known.contains(file))
        {
            folder.write(file, &self.bytes(file)?)?;
        }
        Ok(())
    }
}
