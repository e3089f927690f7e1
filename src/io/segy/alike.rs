//! Traces of which the same is said.

use super::{LengthUnit, remedy};
use std::fmt;

/// Numbers that are kept: one more than a remedy lists.
const FEW: usize = 17;

/// The first of some traces, and how many others are alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alike {
    /// Index of the first in the file, from 0.
    pub first: u64,
    /// How many others.
    pub others: u64,
    few: Vec<u64>,
}

impl Alike {
    /// One trace, by its index in the file.
    pub fn of(trace: u64) -> Self {
        Alike { first: trace, others: 0, few: vec![trace] }
    }

    /// Counts another.
    pub fn add(&mut self, trace: u64) {
        self.others += 1;
        if self.few.len() < FEW {
            self.few.push(trace);
        }
    }

    /// How many they are.
    pub fn count(&self) -> u64 {
        self.others.saturating_add(1)
    }

    /// Both together.
    pub(super) fn join(&mut self, other: &Alike) {
        let mut few = [&self.few[..], &other.few[..]].concat();
        few.sort_unstable();
        few.truncate(FEW);
        self.first = self.first.min(other.first);
        self.others = self.others.saturating_add(other.count());
        self.few = few;
    }

    /// One of these or the other, as a sentence needs it.
    pub(super) fn choose(&self, one: &'static str, several: &'static str) -> &'static str {
        if self.others == 0 { one } else { several }
    }

    pub(super) fn kill(&self) -> String {
        remedy::kill(&self.few.iter().map(|index| index + 1).collect::<Vec<_>>())
    }

    /// The end of a sentence about the first.
    pub(super) fn and_others(&self) -> String {
        match self.others {
            0 => String::new(),
            1 => ", and one other trace is alike".into(),
            count => format!(", and {count} other traces are alike"),
        }
    }
}

/// `trace 3`, or `trace 3 and 8 others`.
impl fmt::Display for Alike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "trace {}", self.first.saturating_add(1))?;
        match self.others {
            0 => Ok(()),
            1 => f.write_str(" and one other"),
            count => write!(f, " and {count} others"),
        }
    }
}

/// A length of a file in metres; as it is if the file's unit is not known.
pub(super) fn length(value: f64, unit: Option<LengthUnit>) -> String {
    match unit {
        Some(unit) => format!("{:.1} m", value * unit.metres()),
        None => format!("{value:.1}"),
    }
}
