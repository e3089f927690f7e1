//! Positions in separated values: a line of names, x, z and optionally y, then a position a line.

use super::access::{self, Unreadable};
use crate::grid::Position;
use csv::{ErrorKind, ReaderBuilder, StringRecord, Trim};
use std::path::Path;

/// Reasons why positions were not read.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum PositionsError {
    #[error(transparent)]
    Io(#[from] Unreadable),
    #[error(
        "the first line of {path} reads \"{line}\"; it names the columns: x,z or x,y,z, and any others"
    )]
    Names { path: String, line: String },
    /// Counted from 1.
    #[error("line {line} of {path}: {what}")]
    Line { path: String, line: u64, what: String },
    #[error("{path} holds no position below the names of its columns")]
    Empty { path: String },
}

/// A position, in the unit of its file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Listed {
    /// Along the model's first horizontal axis, or east.
    pub x: f64,
    /// Across it, or north, if there is such a column.
    pub y: Option<f64>,
    /// Depth.
    pub z: f64,
}

impl Listed {
    /// The position in metres, of a file whose unit is so many; y is 0 if there is none.
    pub fn in_metres(self, unit: f64) -> Position {
        Position { z: self.z * unit, x: self.x * unit, y: self.y.unwrap_or(0.0) * unit }
    }
}

/// Reads the positions of a file. Other columns are ignored; lines that start with # are comments.
pub fn read(path: &Path) -> Result<Vec<Listed>, PositionsError> {
    let name = path.display().to_string();
    let bytes = access::bytes(path).map_err(Unreadable::at(&name))?;
    parse(&name, &bytes)
}

/// Parses the positions of a text; `path` is its name in messages.
pub fn parse(path: &str, text: &[u8]) -> Result<Vec<Listed>, PositionsError> {
    let path = || path.to_owned();
    let mut reader = ReaderBuilder::new();
    let mut reader = reader.trim(Trim::All).comment(Some(b'#')).from_reader(text);
    let at = |line: u64, what: String| PositionsError::Line { path: path(), line, what };
    let place = |position: Option<&csv::Position>| {
        position.map_or(1, |position| line_of(text, position.byte()))
    };
    let broken = |error: csv::Error| {
        let what = match error.kind() {
            ErrorKind::Utf8 { .. } => "it is no text in UTF-8".into(),
            ErrorKind::UnequalLengths { expected_len, len, .. } => {
                format!("it has {len} values, and the first line names {expected_len} columns")
            }
            _ => error.to_string(),
        };
        at(place(error.position()), what)
    };
    let names = reader.headers().map_err(broken)?.clone();
    let column = |wanted: &str| names.iter().position(|name| name.eq_ignore_ascii_case(wanted));
    let (Some(x), Some(z)) = (column("x"), column("z")) else {
        let line = names.iter().collect::<Vec<_>>().join(",").chars().take(80).collect();
        return Err(PositionsError::Names { path: path(), line });
    };
    let mut positions = Vec::new();
    for record in reader.records() {
        let record = record.map_err(broken)?;
        let number = |column: usize| {
            number(&record, column, &names).map_err(|what| at(place(record.position()), what))
        };
        let y = column("y").map(number).transpose()?;
        positions.push(Listed { x: number(x)?, y, z: number(z)? });
    }
    match positions.is_empty() {
        true => Err(PositionsError::Empty { path: path() }),
        false => Ok(positions),
    }
}

/// The line of a record that the reader sought from a byte on, skipping comments and empty lines.
fn line_of(text: &[u8], byte: u64) -> u64 {
    let (before, after) = text.split_at((byte as usize).min(text.len()));
    let passed = |line: &&[u8]| {
        let line = line.trim_ascii();
        line.is_empty() || line.starts_with(b"#")
    };
    let line = before.iter().filter(|byte| **byte == b'\n').count();
    1 + (line + after.split(|byte| *byte == b'\n').take_while(passed).count()) as u64
}

fn number(record: &StringRecord, column: usize, names: &StringRecord) -> Result<f64, String> {
    let (text, name) = (record.get(column).unwrap_or(""), names.get(column).unwrap_or(""));
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => {
            let shown: String = text.chars().take(40).collect();
            Err(format!("{name} reads \"{shown}\", which is no number"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn said(text: &str) -> String {
        parse("shots.csv", text.as_bytes()).expect_err(text).to_string()
    }

    #[test]
    fn positions_are_read_by_the_names_of_their_columns() {
        let text = "station, z, X\n# the first two\n1, 10, 100\n2, 10.5, 1e2\n";
        let read = parse("shots.csv", text.as_bytes()).expect("two positions");
        let at = |z| Listed { x: 100.0, y: None, z };
        assert_eq!(read, [at(10.0), at(10.5)]);
        let volume = parse("shots.csv", b"x,y,z\n1,2,3\n").expect("one position");
        assert_eq!(volume[0].y, Some(2.0));
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            rng_seed: proptest::test_runner::RngSeed::Fixed(7),
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn any_bytes_are_positions_or_refused(
            rest in proptest::collection::vec(prop_oneof![any::<u8>(), Just(b','), Just(b'\n'), Just(b'"')], 0..80),
        ) {
            let text = [b"x,z\n1,2\n".as_slice(), &rest].concat();
            match parse("shots.csv", &text) {
                Ok(listed) => prop_assert!(listed.iter().all(|at| at.x.is_finite())),
                Err(error) => prop_assert!(error.to_string().contains("shots.csv")),
            }
        }
    }

    #[test]
    fn mistakes_are_named_by_their_line() {
        assert!(said("x,z\n1,2\n3,deep\n").contains("line 3 of shots.csv: z reads \"deep\""));
        assert!(said("x,z\n1,nan\n").contains("line 2"));
        assert!(said("x,z\n# a word\n\n1,nan\n").contains("line 4"));
        assert!(said("x,z\n1,2\n3\n").contains("line 3"), "{}", said("x,z\n1,2\n3\n"));
        assert!(said("1,2\n").contains("names the columns"));
        assert!(said("x,z\n").contains("no position"));
        assert!(said("").contains("names the columns"));
        let bytes = parse("shots.csv", b"x,z\n\xff,1\n").expect_err("no text").to_string();
        assert!(bytes.contains("line 2"), "{bytes}");
    }
}
