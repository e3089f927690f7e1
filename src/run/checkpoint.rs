//! The checkpoint in the folder of a run.
//!
//! `journal.jsonl` lists the shots that are done, with their files, and stays. `partial/journal.jsonl` lists what waits to
//! become a result, such as the sum of the shots so far; `partial` goes at the end of the run.

use super::{Identity, SurveyError, Task, TaskOutput};
use crate::{
    engine::Description,
    fault,
    io::{
        dir::Dir,
        folder::{FolderError, JOURNAL, OutputFolder, SUMS},
        journal::{self, Done, Journal, Piece},
    },
};
use serde_json::Value;
use std::{
    ops::Range,
    sync::{Mutex, PoisonError},
};

/// The checkpoint of a run. Shots, or iterations, are counted from 0.
pub(crate) struct Checkpoint<'a> {
    folder: &'a OutputFolder,
    heading: Value,
    /// `None` for a run that is done at once.
    journal: Option<Journal>,
    done: Mutex<Vec<Done>>,
    parts: Mutex<Vec<Done>>,
}

/// The work of an earlier run.
#[derive(Debug, Default)]
pub struct EarlierWork {
    /// Shots that are done, whose files are intact.
    pub(crate) done: Vec<Done>,
    /// Those whose files are damaged.
    pub(crate) damaged: Vec<Done>,
    /// Parts that are listed.
    pub(crate) parts: Vec<Done>,
    /// True if the list of parts is missing or damaged.
    pub(crate) is_list_damaged: bool,
}

/// A part of a result: what some shots together have given so far.
pub(crate) struct Part<'p> {
    /// The shots.
    pub(crate) shots: Range<usize>,
    /// The ending of its file.
    pub(crate) ending: &'static str,
    /// Makes the bytes of the file.
    pub(crate) bytes: Box<dyn Fn() -> Vec<u8> + 'p>,
    /// What is kept of it beside the file.
    pub(crate) kept: Value,
}

impl Part<'_> {
    fn is(&self, done: &Done) -> bool {
        (done.shot, done.count) == (self.shots.start + 1, self.shots.len())
    }
}

impl<'a> Checkpoint<'a> {
    /// Begins the checkpoint of a run in a folder; with `resume`, from what an earlier run of the same has left. `headers` are
    /// the beginnings of the files that all shots share.
    ///
    /// # Errors
    ///
    /// An earlier run of something else, or a folder that cannot be written to.
    pub(crate) fn begin(
        identity: &Identity,
        engine: &Description,
        headers: &[Piece],
        folder: &'a OutputFolder,
        resume: bool,
        share: &Range<usize>,
    ) -> Result<(Self, EarlierWork), SurveyError> {
        let mut earlier = match resume {
            true => identity.earlier_work(folder, engine)?,
            false => EarlierWork::default(),
        };
        let is_own = |done: &Done| done.shot > 0 && share.contains(&(done.shot - 1));
        earlier.done.retain(is_own);
        earlier.damaged.retain(is_own);
        let heading = identity.heading(engine, headers);
        let listed = earlier.done.iter().chain(&earlier.damaged);
        let journal = Some(Journal::begin(folder, &heading, listed)?);
        let (done, parts) = (Mutex::new(earlier.done.clone()), Mutex::default());
        Ok((Checkpoint { folder, heading, journal, done, parts }, earlier))
    }

    /// An empty checkpoint, for a run that cannot be resumed.
    pub(crate) fn none(folder: &'a OutputFolder) -> Self {
        let (done, parts) = (Mutex::default(), Mutex::default());
        Checkpoint { folder, heading: Value::Null, journal: None, done, parts }
    }

    /// Records a shot as done, with its files.
    pub(crate) fn add(&self, shot: usize, pieces: Vec<Piece>) -> Result<(), FolderError> {
        let Some(journal) = &self.journal else { return Ok(()) };
        let done = Done::of_shot(shot + 1, pieces);
        journal.add(&done)?;
        let mut all = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        // One that is done again is there once.
        all.retain(|other| other.shot != done.shot);
        all.push(done);
        self.folder.keep();
        Ok(())
    }

    /// Forgets what was done after so many shots: it is done again.
    pub(crate) fn forget_after(&self, shots: usize) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        done.retain(|done| done.shot <= shots);
    }

    /// Number of shots done.
    pub(crate) fn done(&self) -> usize {
        self.done.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Makes these the parts: those that are not in the folder yet are written, all are listed, then the others are removed. A
    /// run that is killed meanwhile leaves the list of before or this one, with all files of it.
    pub(crate) fn replace_parts(&self, parts: &[Part<'_>]) -> Result<(), FolderError> {
        let mut known = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut listed = Vec::with_capacity(parts.len());
        for part in parts {
            listed.push(match known.iter().find(|done| part.is(done)) {
                Some(done) => done.clone(),
                None => self.write_part(part)?,
            });
        }
        self.list(&listed)?;
        if !listed.is_empty() {
            self.folder.keep();
        }
        fault::hold("state");
        *known = listed;
        self.remove_unlisted(&known);
        Ok(())
    }

    /// Takes parts of an earlier run as they are: the others are removed.
    pub(crate) fn keep_parts(&self, parts: Vec<Done>) -> Result<(), FolderError> {
        self.list(&parts)?;
        self.remove_unlisted(&parts);
        *self.parts.lock().unwrap_or_else(PoisonError::into_inner) = parts;
        Ok(())
    }

    /// Shots, or iterations, that the listed parts stand for.
    pub(crate) fn in_parts(&self) -> usize {
        let parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        parts.iter().map(|done| done.count).sum()
    }

    fn write_part(&self, part: &Part<'_>) -> Result<Done, FolderError> {
        let (name, bytes) = (name(&part.shots) + part.ending, (part.bytes)());
        // On the disk before those that it replaces are removed.
        self.folder.replace(&name, &bytes)?;
        let shot = part.shots.start + 1;
        let pieces = vec![Piece::new(shot, name, 0, &bytes)];
        Ok(Done { shot, count: part.shots.len(), pieces, kept: part.kept.clone() })
    }

    fn list(&self, parts: &[Done]) -> Result<(), FolderError> {
        let name = format!("{SUMS}/{JOURNAL}");
        let text = journal::text(&self.heading, parts);
        match parts.is_empty() && !self.folder.staged().has(&name) {
            true => self.folder.put(&name, &text),
            false => self.folder.replace(&name, &text),
        }
    }

    fn remove_unlisted(&self, listed: &[Done]) {
        let is_listed = |file: &str| {
            let mut pieces = listed.iter().flat_map(|done| &done.pieces);
            file == JOURNAL || pieces.any(|piece| piece.file == format!("{SUMS}/{file}"))
        };
        let parts = self.folder.staged().below(SUMS);
        for (file, _) in parts.names().unwrap_or_default() {
            if !is_listed(&file) {
                // A remaining file does no harm.
                let _ = parts.remove_file(file);
            }
        }
    }

    /// Rewrites the journal in the order of the shots, independent of the order in which they were done. The end of the run,
    /// which follows, brings its name to the disk.
    pub(crate) fn close(&self) -> Result<(), FolderError> {
        if self.journal.is_none() {
            return Ok(());
        }
        let done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        self.folder.put(JOURNAL, &journal::text(&self.heading, &*done))
    }
}

impl EarlierWork {
    /// The bytes of a part, if its file is intact and has the name of the part.
    pub(crate) fn read(folder: &Dir, done: &Done) -> Option<Vec<u8>> {
        let [piece] = &done.pieces[..] else { return None };
        let first = done.shot.checked_sub(1)?;
        let shots = first..first.checked_add(done.count)?;
        let is_it = !shots.is_empty() && piece.file.starts_with(&name(&shots));
        if is_it { piece.read(done.shot, folder) } else { None }
    }
}

impl TaskOutput {
    /// Its parts, with the bytes of each.
    pub(crate) fn parts(&self) -> impl Iterator<Item = Result<(&Done, Vec<u8>), SurveyError>> {
        self.done.iter().map(|done| {
            let bytes = EarlierWork::read(&self.folder, done);
            Ok((done, bytes.ok_or_else(|| self.damaged(done.shot))?))
        })
    }
}

/// The name of a part's file, without the ending.
fn name(shots: &Range<usize>) -> String {
    format!("{SUMS}/{:04}-{:04}.", shots.start + 1, shots.end)
}

/// The shots of a run: those of a task, or all.
pub(super) fn share(shots: usize, task: Option<Task>) -> Range<usize> {
    task.map_or(0..shots, |task| task.share(shots))
}
