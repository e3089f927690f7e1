//! The journal of a survey: which shots are done, the positions of their traces and files, and
//! checksums. It is a text of lines, each a JSON object; the first describes the survey.

use super::{
    access::{self, Unreadable},
    folder::{FolderError, JOURNAL, OutputFolder, is_inside},
};
use crate::{
    fault,
    remedy::{Refusal, Remedy, remedies},
};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::{
    collections::BTreeMap,
    fs::File,
    io::{Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

/// A part of a file that belongs to a shot, or the whole file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The file, within the folder.
    pub file: String,
    /// Its first byte.
    pub from: u64,
    /// Its length.
    pub bytes: u64,
    /// SHA-256 in hexadecimal.
    pub sha256: String,
}

/// A finished shot, or several with common results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    /// The first of them, counted from 1.
    pub shot: usize,
    /// Their number.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub count: usize,
    /// Their results.
    pub pieces: Vec<Piece>,
}

fn one() -> usize {
    1
}

fn is_one(count: &usize) -> bool {
    *count == 1
}

/// The journal of a survey under way.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: Mutex<File>,
}

/// Reasons why a journal cannot be read.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum JournalError {
    #[error(transparent)]
    Io(#[from] Unreadable),
    #[error("{path} is no journal of a survey: {reason}; {}", remedies(self))]
    Format { path: String, reason: String },
}

impl JournalError {
    /// What is wrong with it, without its path.
    pub fn reason(&self) -> String {
        match self {
            JournalError::Io(error) => format!("cannot be read: {}", error.source),
            JournalError::Format { reason, .. } => format!("is damaged: {reason}"),
        }
    }
}

impl Refusal for JournalError {
    fn remedies(&self) -> Vec<Remedy> {
        match self {
            JournalError::Io(error) => error.remedies(),
            JournalError::Format { .. } => vec![Remedy::BeginAgain],
        }
    }
}

impl Piece {
    /// For bytes that are a whole file, or lie in one from a byte on.
    pub fn new(file: impl Into<String>, from: u64, bytes: &[u8]) -> Self {
        Piece { file: file.into(), from, bytes: bytes.len() as u64, sha256: hex(bytes) }
    }

    /// Its bytes, if they are unchanged.
    pub fn read(&self, folder: &Path) -> Option<Vec<u8>> {
        let mut file = access::open(&folder.join(&self.file)).ok()?;
        let end = self.from.checked_add(self.bytes)?;
        if file.metadata().ok()?.len() < end {
            return None;
        }
        let mut bytes = vec![0; usize::try_from(self.bytes).ok()?];
        file.seek(SeekFrom::Start(self.from)).ok()?;
        file.read_exact(&mut bytes).ok()?;
        (hex(&bytes) == self.sha256).then_some(bytes)
    }
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Done {
    /// True if a run may have written it: the numbers of its shots are numbers, and its files are in
    /// the folder.
    fn is_possible(&self) -> bool {
        let is_some = self.shot > 0 && self.count > 0;
        is_some
            && self.shot.checked_add(self.count).is_some()
            && self.pieces.iter().all(|piece| is_inside(&piece.file))
    }

    /// True if all its results are unchanged.
    pub fn is_whole(&self, folder: &Path) -> bool {
        self.pieces.iter().all(|piece| piece.read(folder).is_some())
    }
}

impl Journal {
    /// Writes the journal of a survey, with the finished shots, and keeps it open for more.
    pub fn begin<'d>(
        folder: &OutputFolder,
        survey: &Value,
        done: impl IntoIterator<Item = &'d Done>,
    ) -> Result<Self, FolderError> {
        folder.replace(JOURNAL, &text(survey, done))?;
        let path = folder.at(JOURNAL);
        let io = |source| FolderError::Unwritten { path: path.display().to_string(), source };
        let file = Mutex::new(File::options().append(true).open(&path).map_err(io)?);
        Ok(Journal { path, file })
    }

    /// Records that a shot is done.
    pub fn add(&self, done: &Done) -> Result<(), FolderError> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // One write per line: a killed run leaves complete lines and at most one that is cut.
        file.write_all(&line(done)).map_err(|source| FolderError::Unwritten {
            path: self.path.display().to_string(),
            source,
        })?;
        fault::hold("journal");
        Ok(())
    }
}

/// The text of a journal, in the order of the shots.
pub fn text<'d>(survey: &Value, done: impl IntoIterator<Item = &'d Done>) -> Vec<u8> {
    let mut done: Vec<&Done> = done.into_iter().collect();
    done.sort_by_key(|done| done.shot);
    let mut text = line(survey);
    done.into_iter().for_each(|done| text.extend(line(done)));
    text
}

fn line(value: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(value).expect("plain values with names");
    line.push(b'\n');
    line
}

/// Reads the journal in a folder: the description of the survey, and the finished shots. A cut last
/// line is ignored.
pub fn read(folder: &Path) -> Result<(Value, Vec<Done>), JournalError> {
    let path = folder.join(JOURNAL);
    let shown = path.display().to_string();
    let text = access::bytes(&path).map_err(Unreadable::at(&shown))?;
    let mut lines = text.split_inclusive(|byte| *byte == b'\n').filter(|l| l.ends_with(b"\n"));
    let wrong = |reason: String| JournalError::Format { path: shown.clone(), reason };
    let first = lines.next().ok_or_else(|| wrong("it has no line".into()))?;
    let survey: Value = serde_json::from_slice(first).map_err(|error| wrong(error.to_string()))?;
    // A shot that was repeated is there twice; damaged lines are ignored.
    let done = lines.filter_map(|line| serde_json::from_slice::<Done>(line).ok());
    let done = done.filter(Done::is_possible);
    let done: BTreeMap<usize, Done> = done.map(|done| (done.shot, done)).collect();
    Ok((survey, done.into_values().collect()))
}

/// The finished shots whose results are unchanged, and the numbers of the others.
pub fn whole(folder: &Path, done: Vec<Done>) -> (Vec<Done>, Vec<usize>) {
    let checked: Vec<(Done, bool)> = done
        .into_par_iter()
        .map(|done| {
            let whole = done.is_whole(folder);
            (done, whole)
        })
        .collect();
    let (whole, damaged): (Vec<_>, Vec<_>) = checked.into_iter().partition(|(_, whole)| *whole);
    let damaged = damaged.into_iter().map(|(done, _)| done.shot).collect();
    (whole.into_iter().map(|(done, _)| done).collect(), damaged)
}

/// The first difference between two descriptions of a survey, as a key such as `job.time.duration`,
/// with both values.
pub fn difference(before: &Value, now: &Value) -> Option<(String, String, String)> {
    if before == now {
        return None;
    }
    let (Some(a), Some(b)) = (before.as_object(), now.as_object()) else {
        return Some((String::new(), before.to_string(), now.to_string()));
    };
    let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
    for key in keys {
        let (left, right) =
            (a.get(key).unwrap_or(&Value::Null), b.get(key).unwrap_or(&Value::Null));
        if let Some((below, left, right)) = difference(left, right) {
            let dot = if below.is_empty() { "" } else { "." };
            return Some((format!("{key}{dot}{below}"), left, right));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::Earlier;
    use serde_json::json;

    fn done(shot: usize, file: &str, bytes: &[u8]) -> Done {
        Done { shot, count: 1, pieces: vec![Piece::new(file, 0, bytes)] }
    }

    #[test]
    fn damaged_shots_are_found() -> Result<(), Box<dyn std::error::Error>> {
        let root = tempfile::tempdir()?;
        let folder = OutputFolder::unfinished(root.path(), None, Earlier::Stays, false)?;
        folder.keep();
        let survey = json!({ "shots": 4 });
        let journal = Journal::begin(&folder, &survey, [])?;
        for (shot, bytes) in [(3, b"ccc"), (1, b"aaa"), (2, b"bbb")] {
            let file = format!("shot{shot}");
            folder.write(&file, bytes)?;
            journal.add(&done(shot, &file, bytes))?;
        }
        folder.write("shot2", b"bxb")?;
        folder.write("shot3", b"cc")?;
        // As after a kill.
        let path = folder.at(JOURNAL);
        let mut cut = std::fs::read(&path)?;
        cut.extend_from_slice(b"{\"shot\":4,\"pie");
        std::fs::write(&path, cut)?;
        let at = folder.at("");
        let (read_survey, said) = read(&at)?;
        assert_eq!((read_survey, said.len()), (survey, 3));
        let (left, damaged) = whole(&at, said);
        assert_eq!(left, [done(1, "shot1", b"aaa")]);
        assert_eq!(damaged, [2, 3]);
        Ok(())
    }

    /// A job read from a journal is the job that was written, with all the digits of its numbers.
    #[test]
    fn numbers_come_back_from_a_journal() {
        for k in 1..10_000 {
            let survey = json!({ "step": 0.1 / f64::from(k) });
            let read: Value = serde_json::from_slice(&line(&survey)).expect("a line");
            assert_eq!(difference(&survey, &read), None);
        }
    }

    #[test]
    fn the_first_difference_is_named() {
        let of = |duration: f64| json!({ "job": { "model": 1, "time": { "duration": duration } } });
        assert_eq!(difference(&of(1.0), &of(1.0)), None);
        let said = ("job.time.duration".to_owned(), "1.0".to_owned(), "2.0".to_owned());
        assert_eq!(difference(&of(1.0), &of(2.0)), Some(said));
        let missing = difference(&json!({ "a": 1 }), &json!({ "a": 1, "b": 2 }));
        assert_eq!(missing, Some(("b".into(), "null".into(), "2".into())));
    }
}
