//! What the tasks of a survey have written, to be merged.

use super::{Identity, SurveyError, Task, other_than_tasks, tasks};
use crate::{
    io::{
        access::Unreadable,
        dir::Dir,
        folder::{Earlier, FolderError, JOURNAL, OutputFolder, RUN, SUMS, UNFINISHED},
        journal::{self, Contents, Done},
    },
    program::PROGRAM,
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The output of a finished task.
pub(crate) struct TaskOutput {
    /// The task.
    pub(crate) task: Task,
    /// Its folder.
    pub(crate) folder: Dir,
    /// Its record.
    pub(crate) record: Value,
    /// Its shots, or the sums of a migration.
    pub(crate) done: Vec<Done>,
}

/// The outputs of all tasks of a survey.
pub struct TaskOutputs {
    /// The folder that they share.
    pub(crate) folder: PathBuf,
    /// The heading of their journals.
    pub(crate) heading: Value,
    /// In the order of the tasks: all shots once. A task without shots has none.
    pub(crate) tasks: Vec<TaskOutput>,
}

impl TaskOutputs {
    /// The outputs in the folder that tasks share.
    ///
    /// # Errors
    ///
    /// A folder without tasks; tasks that are not done, of different surveys, or damaged.
    pub(crate) fn read(out: &Path) -> Result<Self, SurveyError> {
        let found = tasks(out);
        let Some(all) = found.first().map(|task| task.all) else {
            return Err(SurveyError::NoTasks { folder: out.to_owned() });
        };
        for task in &found {
            OutputFolder::recover(task.path(out))?;
        }
        let shared = opened(out)?;
        let left = not_done(&shared, all, &found);
        if !left.is_empty() {
            return Err(SurveyError::TasksNotDone { folder: out.to_owned(), all, left });
        }
        let (mut heading, mut tasks): (Option<Value>, Vec<TaskOutput>) = (None, Vec::new());
        for task in found.into_iter().filter(|task| task.all == all) {
            let (own, output) = TaskOutput::read(task, shared.below(task.folder()))?;
            let first = heading.get_or_insert_with(|| own.clone());
            if let Some((key, first, own)) = journal::difference(&first["survey"], &own["survey"]) {
                let folder = output.folder.path();
                return Err(SurveyError::UnlikeTasks { folder, key, first, own });
            }
            tasks.push(output);
        }
        let outputs =
            TaskOutputs { folder: out.to_owned(), heading: heading.unwrap_or_default(), tasks };
        outputs.compare_engines();
        outputs.tasks.iter().try_for_each(|task| task.check_shots(&outputs.heading))?;
        Ok(outputs)
    }

    /// Completes a merge that was killed while it moved its files into place; its record.
    pub(crate) fn complete(out: &Path) -> Result<Option<Value>, SurveyError> {
        if !OutputFolder::recover(out)? {
            return Ok(None);
        }
        // Another command's run has no such record.
        let record = opened(out)?.bytes(RUN).ok();
        let record = record.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
        Ok(record.filter(|record| record["tasks"].is_array()))
    }

    /// What a user is told of that.
    pub(crate) fn completed(out: &Path) -> String {
        let out = out.display();
        format!(
            "completed the merge in {out} that was interrupted while it moved its files into place"
        )
    }

    /// Warns of tasks that ran on different engines.
    fn compare_engines(&self) {
        let Some((first, others)) = self.tasks.split_first() else { return };
        let differs = |task: &&TaskOutput| task.record["engine"] != first.record["engine"];
        if let Some(other) = others.iter().find(differs) {
            tracing::warn!(
                "task {} ran on another engine than task {}, {} and not {}: their results may differ by rounding from those of one engine",
                other.task.this,
                first.task.this,
                other.record["engine"]["device"],
                first.record["engine"]["device"]
            );
        }
    }

    /// Returns an error if they are of another survey.
    pub(crate) fn check(&self, survey: &Identity) -> Result<(), SurveyError> {
        let folder = || self.folder.clone();
        match survey.difference(&self.heading) {
            Some(difference) => Err(SurveyError::AnotherJob { folder: folder(), difference }),
            None => Ok(()),
        }
    }

    /// The folder that they share, for the merged results; it holds nothing else, unless that may
    /// be overwritten.
    pub(crate) fn to_merge(&self, overwrite: bool) -> Result<OutputFolder, SurveyError> {
        if let Some(other) = other_than_tasks(&self.folder).filter(|_| !overwrite) {
            return Err(SurveyError::MoreThanTasks { folder: self.folder.clone(), other });
        }
        Ok(OutputFolder::new(&self.folder, Some(RUN), Earlier::IsOverwritten)?)
    }

    /// Removes the folders of `all` tasks, whose results are merged. A folder that remains does no
    /// harm.
    #[cfg(feature = "mpi")]
    pub(crate) fn remove(out: &Path, all: usize) {
        if let Ok(out) = Dir::open(out) {
            for task in (1..=all).map(|this| Task { this, all }) {
                let _ = out.remove_tree(task.folder());
            }
        }
    }

    /// The record of the merged results that are in a folder so far.
    pub(crate) fn record(&self, folder: &OutputFolder) -> Value {
        let survey = &self.heading["survey"];
        let tasks =
            self.tasks.iter().map(|TaskOutput { task: Task { this, all }, record, .. }| {
                let (engine, timings) = (&record["engine"], &record["timings"]);
                json!({ "task": format!("{this}/{all}"), "engine": engine, "timings": timings })
            });
        let mut files = folder.files();
        files.push(JOURNAL.into());
        files.sort();
        json!({
            "program": PROGRAM.name,
            "version": PROGRAM.version,
            "revision": PROGRAM.revision,
            "command": survey["command"],
            "job": survey["job"],
            "shots": survey["shots"],
            "tasks": tasks.collect::<Vec<_>>(),
            "files": files,
        })
    }

    /// Puts the merged results in place, with a journal of these shots and a record.
    pub(crate) fn keep(
        &self,
        folder: OutputFolder,
        merged: &[Done],
        record: &Value,
    ) -> Result<(), FolderError> {
        folder.write(JOURNAL, &journal::text(&self.heading, merged))?;
        folder.write(RUN, format!("{record:#}").as_bytes())?;
        folder.commit()
    }
}

impl TaskOutput {
    /// The output in the folder of a task that has come to its end, and the heading of its journal.
    pub(crate) fn read(task: Task, folder: Dir) -> Result<(Value, Self), SurveyError> {
        let damaged = |file, how| {
            let folder = folder.path();
            SurveyError::DamagedTask { folder, file, how, task }
        };
        let read = |at: &Dir| {
            let contents: Contents =
                journal::read(at).map_err(|error| damaged(JOURNAL, error.reason()))?;
            match contents.damaged.first() {
                Some(line) => Err(damaged(JOURNAL, format!("is damaged in line {line}"))),
                None => Ok((contents.heading, contents.done)),
            }
        };
        let (heading, mut done) = read(&folder)?;
        if folder.has(SUMS) {
            let (of_parts, parts) = read(&folder.below(SUMS))?;
            if journal::difference(&heading["survey"], &of_parts["survey"]).is_some() {
                return Err(damaged(JOURNAL, format!("is not that of {SUMS}/{JOURNAL}")));
            }
            done = parts;
        }
        let record = bytes(&folder, RUN);
        let record =
            record.map_err(|error| damaged(RUN, format!("cannot be read: {}", error.source)))?;
        let record = serde_json::from_slice(&record);
        let record = record.map_err(|error| damaged(RUN, format!("is damaged: {error}")))?;
        Ok((heading, TaskOutput { task, folder, record, done }))
    }

    /// Returns an error unless it holds its share of the shots once, in order; `heading` is that of
    /// its journal.
    fn check_shots(&self, heading: &Value) -> Result<(), SurveyError> {
        let TaskOutput { task, folder, done, .. } = self;
        let of = |done: &Done| (done.shot - 1..).take(done.count);
        let share = task.share(heading["survey"]["shots"].as_u64().unwrap_or(0) as usize);
        if done.iter().flat_map(of).eq(share.clone()) {
            return Ok(());
        }
        let count = done.iter().map(|done| done.count).fold(0, usize::saturating_add);
        let first = done.first().map_or(0, |done| done.shot);
        Err(SurveyError::OtherShots { folder: folder.path(), count, first, share, task: *task })
    }

    /// [`TaskOutput::read`], unless the shots are not its own or what one has left has changed since.
    pub(crate) fn check(task: Task, folder: Dir) -> Result<(), SurveyError> {
        let (heading, output) = TaskOutput::read(task, folder)?;
        output.check_shots(&heading)?;
        let (_, damaged) = journal::whole(&output.folder, output.done.clone());
        damaged.first().map_or(Ok(()), |done| Err(output.damaged(done.shot)))
    }

    /// All bytes of one of its files.
    pub(crate) fn bytes(&self, name: &str) -> Result<Vec<u8>, Unreadable> {
        bytes(&self.folder, name)
    }

    /// The error of a shot, counted from 1, whose bytes have changed.
    pub(crate) fn damaged(&self, shot: usize) -> SurveyError {
        SurveyError::DamagedShot { folder: self.folder.path(), shot, task: self.task }
    }
}

/// The numbers of the tasks, of `all`, that are not done. With more tasks than shots, some have no
/// shots and no folder.
fn not_done(out: &Dir, all: usize, found: &[Task]) -> Vec<usize> {
    // Without its record a task cannot be resumed.
    let done = |folder: &Dir| folder.has(RUN) || folder.has(JOURNAL) && !folder.has(UNFINISHED);
    let folder = |task: &Task| out.below(task.folder());
    let known = found.iter().find_map(|task| journal::read(&folder(task)).ok());
    let shots = known.and_then(|known| known.heading["survey"]["shots"].as_u64());
    let has_shots = |task: &Task| shots.is_none_or(|shots| !task.share(shots as usize).is_empty());
    let tasks = (1..=all).map(|this| Task { this, all });
    let left = tasks.filter(|task| has_shots(task) && !done(&folder(task)));
    left.map(|task| task.this).collect()
}

fn opened(out: &Path) -> Result<Dir, Unreadable> {
    Dir::open(out).map_err(Unreadable::at(&out.display().to_string()))
}

fn bytes(folder: &Dir, name: &str) -> Result<Vec<u8>, Unreadable> {
    let path = folder.path().join(name).display().to_string();
    folder.bytes(name).map_err(Unreadable::at(&path))
}
