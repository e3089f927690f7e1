//! Numbers in text: one per line, or a time and a value. Written here because crates for separated
//! values take one separator, and such files are aligned with any number of blanks.

use super::access::{self, Unreadable};
use std::path::Path;

/// Reasons why a text was not read.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum ColumnsError {
    #[error(transparent)]
    Io(#[from] Unreadable),
    #[error(
        "{path} is no text; give a .npy file, or text of one number a line or of a time and a value"
    )]
    NotText { path: String },
    /// Counted from 1: neither one number nor two, or not what the lines before are.
    #[error(
        "line {line} of {path} reads \"{text}\"; every line holds {columns}, and comments start with #"
    )]
    Line { path: String, line: usize, text: String, columns: &'static str },
    #[error("{path} holds no number; give one number a line, or a time and a value")]
    Empty { path: String },
    #[error(
        "the times of {path} start at {first} s, and a source starts at t = 0; shift them, so that the first is 0"
    )]
    Start { path: String, first: f64 },
    #[error(
        "time {index} of {path} is {time} s; evenly spaced times would have {expected} s there; resample the \
         samples, or give them alone and their interval"
    )]
    Uneven { path: String, index: usize, time: f64, expected: f64 },
}

/// A column of samples, and their interval if there is a column of times.
#[derive(Clone, Debug, PartialEq)]
pub struct Columns {
    /// The samples.
    pub values: Vec<f64>,
    /// Seconds between samples.
    pub interval: Option<f64>,
}

impl Columns {
    /// True if an interval agrees with the times, to their printed precision.
    pub fn are_every(&self, interval: f64) -> bool {
        let last = self.values.len().saturating_sub(1).max(1) as f64;
        self.interval.is_none_or(|read| (interval - read).abs() * last <= EVEN * read.abs())
    }
}

/// Tolerance of a time, in intervals: times are printed with a few digits.
const EVEN: f64 = 0.01;
/// The most characters of a line in a message.
const SHOWN: usize = 40;

/// Reads a column of samples, or a column of times from 0 on and one of samples, separated by
/// blanks or a comma. Empty lines and text after a # are skipped; every number must be finite.
pub fn read(path: &Path) -> Result<Columns, ColumnsError> {
    let name = path.display().to_string();
    parse(&name, &access::bytes(path).map_err(Unreadable::at(&name))?)
}

/// Parses the bytes of a file; `name` is its name in messages.
pub fn parse(name: &str, bytes: &[u8]) -> Result<Columns, ColumnsError> {
    let name = || name.to_owned();
    let text = std::str::from_utf8(bytes).map_err(|_| ColumnsError::NotText { path: name() })?;
    // The byte order mark of some editors.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for (index, line) in text.lines().enumerate() {
        let numbers = line.split('#').next().unwrap_or_default().trim();
        if numbers.is_empty() {
            continue;
        }
        let wrong = |columns| {
            let text = line.trim().chars().take(SHOWN).collect();
            ColumnsError::Line { path: name(), line: index + 1, text, columns }
        };
        let columns = match (first.is_empty(), second.is_empty()) {
            (true, _) => "one finite number, or a time and a value",
            (false, true) => "one finite number, as the first one does",
            (false, false) => "a time and a value, both finite, as the first one does",
        };
        let parts =
            numbers.split(|c: char| c == ',' || c.is_whitespace()).filter(|p| !p.is_empty());
        let parts = parts.map(|part| part.parse().ok().filter(|number: &f64| number.is_finite()));
        match parts.collect::<Option<Vec<f64>>>().as_deref() {
            Some([value]) if second.is_empty() => first.push(*value),
            Some([time, value]) if first.len() == second.len() => {
                first.push(*time);
                second.push(*value);
            }
            _ => return Err(wrong(columns)),
        }
    }
    match (first.is_empty(), second.is_empty()) {
        (true, _) => Err(ColumnsError::Empty { path: name() }),
        (false, true) => Ok(Columns { values: first, interval: None }),
        (false, false) => Ok(Columns { values: second, interval: Some(interval(&first, name)?) }),
    }
}

/// The interval of evenly spaced times from 0 on.
fn interval(times: &[f64], path: impl Fn() -> String) -> Result<f64, ColumnsError> {
    // Least squares through 0: the rounding of the last time would stretch the whole wavelet.
    let (up, square) = times.iter().enumerate().fold((0.0, 0.0), |(up, square), (index, time)| {
        let index = index as f64;
        (up + index * time, square + index * index)
    });
    let interval = if square > 0.0 { up / square } else { 0.0 };
    if times[0].abs() > EVEN * interval.abs() {
        return Err(ColumnsError::Start { path: path(), first: times[0] });
    }
    let off = |(index, time): &(usize, f64)| {
        // A sum of times may overflow; then none is even.
        !interval.is_finite() || (time - *index as f64 * interval).abs() > EVEN * interval.abs()
    };
    match times.iter().copied().enumerate().find(off) {
        Some((index, time)) => {
            // The shortest readable form.
            let expected = format!("{:.5e}", index as f64 * interval);
            let expected = expected.parse().unwrap_or(index as f64 * interval);
            Err(ColumnsError::Uneven { path: path(), index, time, expected })
        }
        None => Ok(interval),
    }
}
