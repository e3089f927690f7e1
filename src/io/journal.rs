//! The journal of a survey: which shots are done, the positions of their traces and files, and
//! checksums. It is a text of lines, each a JSON object; the first describes the survey. Each line ends
//! with its own checksum, `"sum"`, of the bytes before it, and the checksum of a piece depends on the
//! number of its shot: neither is taken for that of another shot.

pub use super::piece::{Piece, PieceWriter};

use super::{
    access::Unreadable,
    dir::Dir,
    folder::{FolderError, JOURNAL, OutputFolder, is_inside},
    piece::hex,
};
use crate::fault;
use rayon::prelude::*;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::{
    collections::BTreeMap,
    fs::File,
    io::Write,
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

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
    /// What an operation keeps of them beside files.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub kept: Value,
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
    #[error(
        "{path} is no journal of a survey: {reason}; begin again with --force and without --resume"
    )]
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

impl Done {
    /// Of one shot, counted from 1.
    pub fn of_shot(shot: usize, pieces: Vec<Piece>) -> Self {
        Done { shot, count: 1, pieces, kept: Value::Null }
    }

    /// True if a run may have written it: the numbers of its shots are numbers, and its files are in
    /// the folder.
    fn is_possible(&self) -> bool {
        let is_some = self.shot > 0 && self.count > 0;
        is_some
            && self.shot.checked_add(self.count).is_some()
            && self.pieces.iter().all(|piece| is_inside(&piece.file))
    }

    /// True if all its results are unchanged.
    pub(crate) fn is_whole(&self, folder: &Dir) -> bool {
        self.pieces.iter().all(|piece| piece.read(self.shot, folder).is_some())
    }
}

impl Journal {
    /// Writes the journal of a survey, with the finished shots, and keeps it open for more.
    pub fn begin<'d>(
        folder: &OutputFolder,
        survey: &Value,
        done: impl IntoIterator<Item = &'d Done>,
    ) -> Result<Self, FolderError> {
        let done: Vec<_> = done.into_iter().collect();
        // Without its name, nothing is lost that was done.
        match done.is_empty() {
            true => folder.put(JOURNAL, &text(survey, done)),
            false => folder.replace(JOURNAL, &text(survey, done)),
        }?;
        let file = Mutex::new(folder.append(JOURNAL)?);
        Ok(Journal { path: folder.staged().path().join(JOURNAL), file })
    }

    /// Records that a shot is done.
    pub fn add(&self, done: &Done) -> Result<(), FolderError> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // One write per line: a killed run leaves complete lines and at most one that is cut.
        let written = file.write_all(&line(done));
        written.map_err(|source| FolderError::unwritten(&self.path, source))?;
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

/// The beginning of the checksum of a line, the last key of its object, and its length with the end of
/// the line.
const SUM: &[u8] = b",\"sum\":\"";
const SUM_LENGTH: usize = SUM.len() + 16 + b"\"}\n".len();

fn line(object: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(object).expect("plain values with names");
    assert_eq!(line.pop(), Some(b'}'), "an object");
    let sum = hex(&Sha256::digest(&line)[..8]);
    line.extend_from_slice(SUM);
    line.extend_from_slice(sum.as_bytes());
    line.extend_from_slice(b"\"}\n");
    line
}

/// The object of a line; `None` if it is damaged.
fn object<T: DeserializeOwned>(line: &[u8]) -> Option<T> {
    let (text, end) = line.split_at_checked(line.len().checked_sub(SUM_LENGTH)?)?;
    let sum = end.strip_prefix(SUM)?.strip_suffix(b"\"}\n")?;
    if hex(&Sha256::digest(text)[..8]).as_bytes() != sum {
        return None;
    }
    serde_json::from_slice(&[text, b"}"].concat()).ok()
}

/// What a journal says.
#[derive(Clone, Debug, PartialEq)]
pub struct Contents {
    /// The description of the survey.
    pub heading: Value,
    /// The finished shots.
    pub done: Vec<Done>,
    /// The lines that are damaged, counted from 1: what they said is not known.
    pub damaged: Vec<usize>,
}

/// Reads the journal in a folder. A cut last line is ignored.
pub fn read(folder: &Dir) -> Result<Contents, JournalError> {
    let shown = folder.path().join(JOURNAL).display().to_string();
    let text = folder.bytes(JOURNAL).map_err(Unreadable::at(&shown))?;
    let mut lines = text.split_inclusive(|byte| *byte == b'\n').filter(|l| l.ends_with(b"\n"));
    let wrong = |reason: &str| JournalError::Format { path: shown.clone(), reason: reason.into() };
    let first = lines.next().ok_or_else(|| wrong("it has no line"))?;
    let heading: Value = object(first).ok_or_else(|| {
        wrong("its first line has no valid checksum (earlier versions wrote none)")
    })?;
    let (mut done, mut damaged) = (BTreeMap::new(), Vec::new());
    for (line, number) in lines.zip(2..) {
        // A shot that was repeated is there twice.
        match object::<Done>(line).filter(Done::is_possible) {
            Some(shot) => drop(done.insert(shot.shot, shot)),
            None => damaged.push(number),
        }
    }
    Ok(Contents { heading, done: done.into_values().collect(), damaged })
}

/// The finished shots whose results are unchanged, and the others.
pub fn whole(folder: &Dir, done: Vec<Done>) -> (Vec<Done>, Vec<Done>) {
    let checked: Vec<(Done, bool)> = done
        .into_par_iter()
        .map(|done| {
            let whole = done.is_whole(folder);
            (done, whole)
        })
        .collect();
    let (whole, damaged): (Vec<_>, Vec<_>) = checked.into_iter().partition(|(_, whole)| *whole);
    let alone = |of: Vec<(Done, bool)>| of.into_iter().map(|(done, _)| done).collect();
    (alone(whole), alone(damaged))
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
        Done::of_shot(shot, vec![Piece::new(shot, file, 0, bytes)])
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
        folder.append(JOURNAL)?.write_all(b"{\"shot\":4,\"pie")?;
        let at = folder.staged();
        let Contents { heading, done: said, damaged } = read(at)?;
        assert_eq!((heading, said.len(), damaged), (survey, 3, vec![]));
        let (left, damaged) = whole(at, said);
        assert_eq!(left, [done(1, "shot1", b"aaa")]);
        let damaged: Vec<_> = damaged.iter().map(|done| done.shot).collect();
        assert_eq!(damaged, [2, 3]);
        Ok(())
    }

    /// A whole file without what an earlier run has left, and a part of one.
    #[test]
    fn a_piece_written_in_parts_is_that_of_all_its_bytes() -> Result<(), FolderError> {
        let root = tempfile::tempdir().expect("a temporary folder");
        let folder = OutputFolder::unfinished(root.path(), None, Earlier::Stays, false)?;
        folder.write("whole", b"what an earlier run has left")?;
        let whole = PieceWriter::whole(&folder, "whole")?;
        let part = PieceWriter::part(&folder, "part", 4);
        for mut writer in [whole.of_shot(3), part.of_shot(3)] {
            writer.push(b"ab")?;
            writer.push(b"cde")?;
            let piece = writer.end().expect("it has a checksum");
            assert_eq!(piece, Piece::new(3, piece.file.clone(), piece.from, b"abcde"));
            assert_eq!(piece.read(3, folder.staged()).as_deref(), Some(&b"abcde"[..]));
            assert_eq!(piece.read(2, folder.staged()), None);
        }
        assert_eq!(folder.staged().bytes("whole").expect("it is there"), b"abcde");
        assert_eq!(PieceWriter::part(&folder, "part", 0).end(), None);
        Ok(())
    }

    /// Any bit of a line, and a piece that is said to be another shot's.
    #[test]
    fn a_flipped_bit_costs_its_line_alone() -> Result<(), Box<dyn std::error::Error>> {
        let root = tempfile::tempdir()?;
        let folder = Dir::open(root.path())?;
        std::fs::write(root.path().join("a"), b"aaa")?;
        let one = done(1, "a", b"aaa");
        let text = text(&json!({ "shots": 2 }), [&one, &done(2, "a", b"aaa")]);
        let lines: Vec<usize> = text.split_inclusive(|b| *b == b'\n').map(<[u8]>::len).collect();
        let second = lines[0] + lines[1];
        for bit in 8 * second..8 * (text.len() - 1) {
            let mut flipped = text.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(root.path().join(JOURNAL), &flipped)?;
            let found = read(&folder)?;
            assert_eq!(found.done, std::slice::from_ref(&one), "bit {bit}");
            assert!(!found.damaged.is_empty() && found.damaged[0] == 3, "bit {bit}");
        }
        let old = b"{\"shots\":2}\n{\"shot\":1,\"pieces\":[]}\n";
        std::fs::write(root.path().join(JOURNAL), old)?;
        let refused = read(&folder).expect_err("no checksums").to_string();
        assert!(
            refused.contains("no valid checksum") && refused.contains("begin again"),
            "{refused}"
        );
        assert!(one.is_whole(&folder));
        assert!(!Done { shot: 9, ..one }.is_whole(&folder));
        Ok(())
    }

    /// A job read from a journal is the job that was written, with all the digits of its numbers.
    #[test]
    fn numbers_come_back_from_a_journal() {
        for k in 1..10_000 {
            let survey = json!({ "step": 0.1 / f64::from(k) });
            let read: Value = object(&line(&survey)).expect("a line");
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
