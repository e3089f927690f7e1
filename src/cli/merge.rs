//! `huygens merge`: merges the shares of a survey's tasks.

use super::{
    PROGRAM,
    failure::Failure,
    progress,
    survey::{
        SUMS,
        task::{Task, holds_others, tasks},
    },
};
use huygens::{
    io::{
        access::{self, Unreadable},
        folder::{Earlier, FolderError, JOURNAL, OutputFolder, RUN, is_inside},
        journal::{self, Done, Piece},
    },
    results::survey::SurveyError,
};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, HashSet},
    path::{Path, PathBuf},
};

#[derive(clap::Args)]
#[command(after_help = "Example: huygens merge out\n\
                        after huygens shot survey.toml --out out --task 1/2, and the same with --task 2/2. The tasks' folders \
                        stay, and may go once the survey is there.")]
pub struct Arguments {
    /// The folder that the tasks share.
    pub folder: PathBuf,
    /// Replace the survey that an earlier run left there.
    #[arg(long)]
    pub force: bool,
}

/// The output of a task.
pub struct Share {
    task: Task,
    pub folder: PathBuf,
    record: Value,
    pub done: Vec<Done>,
}

pub fn run(arguments: &Arguments, quiet: bool) -> Result<(), Failure> {
    let out = &arguments.folder;
    let (heading, shares) = shares(out)?;
    if heading["survey"]["command"] == "rtm" {
        return Err(SurveyError::OfMigration { folder: out.clone() }.into());
    }
    let folder = folder_of(out, arguments.force)?;
    let mut ends = BTreeMap::new();
    let headers = serde_json::from_value::<Vec<Piece>>(heading["headers"].clone());
    for piece in headers.unwrap_or_default().iter().filter(|piece| is_inside(&piece.file)) {
        let whole = shares.iter().find_map(|share| piece.read(&share.folder));
        let bytes = whole.ok_or_else(|| shares[0].damaged(1))?;
        folder.write_part(&piece.file, 0, &bytes)?;
        ends.insert(piece.file.clone(), piece.bytes);
    }
    let copying = progress::counting("shot", shares.iter().map(|share| share.done.len()).sum());
    let mut merged = Vec::new();
    for share in &shares {
        for done in &share.done {
            let pieces = done.pieces.iter().map(|piece| {
                let bytes = piece.read(&share.folder).ok_or_else(|| share.damaged(done.shot))?;
                let from = match ends.get_mut(&piece.file) {
                    Some(end) => std::mem::replace(end, *end + piece.bytes),
                    None => 0,
                };
                folder.write_part(&piece.file, from, &bytes)?;
                Ok(Piece { from, ..piece.clone() })
            });
            let pieces = pieces.collect::<Result<_, SurveyError>>()?;
            merged.push(Done { pieces, ..done.clone() });
            copying.one_more();
        }
        share.copy_others(&folder)?;
    }
    drop(copying);
    folder.write(JOURNAL, &journal::text(&heading, &merged))?;
    keep(folder, (&heading, &shares))?;
    if !quiet {
        progress::tell(format_args!(
            "{} shots of {} tasks in {}",
            merged.len(),
            shares.len(),
            out.display()
        ));
    }
    Ok(())
}

/// The folder of the tasks, for the merged results.
pub fn folder_of(out: &Path, force: bool) -> Result<OutputFolder, SurveyError> {
    if !force && holds_others(out) {
        return Err(SurveyError::MoreThanTasks { folder: out.to_owned() });
    }
    Ok(OutputFolder::new(out, Some(RUN), Earlier::IsOverwritten)?)
}

/// Puts the merged results in place, with a record.
pub fn keep(
    folder: OutputFolder,
    (heading, shares): (&Value, &[Share]),
) -> Result<Value, FolderError> {
    let tasks: Vec<Value> = shares.iter().map(Share::told).collect();
    let record = json!({
        "program": PROGRAM,
        "version": env!("CARGO_PKG_VERSION"),
        "revision": option_env!("HUYGENS_REVISION"),
        "job": heading["survey"]["job"],
        "shots": heading["survey"]["shots"],
        "tasks": tasks,
        "files": folder.files(),
    });
    folder.write(RUN, format!("{record:#}").as_bytes())?;
    folder.commit()?;
    Ok(record)
}

/// True if all shots share a file; files of one shot are in a subfolder.
fn is_shared(file: &str) -> bool {
    !file.contains('/')
}

/// All bytes of a file.
fn bytes(path: &Path) -> Result<Vec<u8>, Unreadable> {
    access::bytes(path).map_err(Unreadable::at(&path.display().to_string()))
}

/// The shares of all tasks of a folder, in order, and the common heading of their journals. All
/// tasks must be done, and of one survey.
pub fn shares(out: &Path) -> Result<(Value, Vec<Share>), SurveyError> {
    let found = tasks(out);
    let Some(all) = found.first().map(|(task, _)| task.all) else {
        return Err(SurveyError::NoTasks { folder: out.to_owned() });
    };
    for (_, folder) in &found {
        OutputFolder::recover(folder)?;
    }
    let done = |folder: &Path| folder.join(RUN).exists();
    let known = found.iter().find(|(_, folder)| done(folder));
    let known = known.map(|(_, folder)| journal::read(folder)).transpose();
    let shots = known?.and_then(|(its, _)| its["survey"]["shots"].as_u64());
    // With more tasks than shots, some have no shots and no folder.
    let has_shots = |task: Task| shots.is_none_or(|shots| !task.share(shots as usize).is_empty());
    let left: Vec<usize> = (1..=all)
        .map(|this| Task { this, all })
        .filter(|task| has_shots(*task) && !done(&out.join(task.folder())))
        .map(|task| task.this)
        .collect();
    if !left.is_empty() {
        return Err(SurveyError::TasksNotDone { folder: out.to_owned(), all, left });
    }
    let (mut heading, mut shares): (Option<Value>, Vec<Share>) = (None, Vec::new());
    for (task, folder) in found.into_iter().filter(|(task, _)| task.all == all) {
        let (its, mut done) = journal::read(&folder)?;
        let sums = folder.join(SUMS);
        if sums.is_dir() {
            (_, done) = journal::read(&sums)?;
        }
        let first = heading.get_or_insert_with(|| its.clone());
        if let Some((key, first, own)) = journal::difference(&first["survey"], &its["survey"]) {
            return Err(SurveyError::UnlikeTasks { folder, key, first, own });
        }
        let record = serde_json::from_slice(&bytes(&folder.join(RUN))?);
        let damaged = |source| SurveyError::DamagedRecord { folder: folder.clone(), source };
        let record = record.map_err(damaged)?;
        shares.push(Share { task, folder, record, done });
    }
    let engine = |share: &Share| share.record["engine"].clone();
    if let Some(other) = shares.iter().find(|share| engine(share) != engine(&shares[0])) {
        tracing::warn!(
            "task {} ran on another engine than task {}, {} and not {}: their results may differ by rounding from those of one engine",
            other.task.this,
            shares[0].task.this,
            other.record["engine"]["device"],
            shares[0].record["engine"]["device"]
        );
    }
    let heading = heading.unwrap_or_default();
    let done = || shares.iter().flat_map(|share| &share.done);
    let of = |done: &Done| (done.shot as u64..).take(done.count);
    let all = heading["survey"]["shots"].as_u64().unwrap_or(0);
    if !done().flat_map(of).eq(1..=all) {
        let found = done().map(|done| done.count).fold(0, usize::saturating_add);
        return Err(SurveyError::MissingShots { folder: out.to_owned(), found, all });
    }
    Ok((heading, shares))
}

impl Share {
    pub fn damaged(&self, shot: usize) -> SurveyError {
        SurveyError::DamagedShot { folder: self.folder.clone(), shot, task: self.task }
    }

    /// Copies the files that are not in the journal: movies.
    fn copy_others(&self, folder: &OutputFolder) -> Result<(), SurveyError> {
        let files = self.record["files"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let pieces = self.done.iter().flat_map(|done| &done.pieces);
        let known: HashSet<&str> = pieces.map(|piece| piece.file.as_str()).collect();
        for file in
            files.filter(|file| is_inside(file) && !is_shared(file) && !known.contains(file))
        {
            folder.write(file, &bytes(&self.folder.join(file))?)?;
        }
        Ok(())
    }

    fn told(&self) -> Value {
        let Task { this, all } = self.task;
        json!({
            "task": format!("{this}/{all}"),
            "engine": self.record["engine"],
            "timings": self.record["timings"],
        })
    }
}
