//! Traces of which the same is said, and numbers as messages list them.

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
    pub(crate) fn of(trace: u64) -> Self {
        Alike { first: trace, others: 0, few: vec![trace] }
    }

    /// Counts another.
    pub(crate) fn add(&mut self, trace: u64) {
        self.others += 1;
        if self.few.len() < FEW {
            self.few.push(trace);
        }
    }

    /// How many they are.
    pub(crate) fn count(&self) -> u64 {
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
        for_others(self.others, ", and one other trace is alike", ", and {} other traces are alike")
    }
}

/// `trace 3`, or `trace 3 and 8 others`.
impl fmt::Display for Alike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let others = for_others(self.others, " and one other", " and {} others");
        write!(f, "trace {}{others}", self.first.saturating_add(1))
    }
}

/// The end of a sentence that is true of others too: of one, or of as many as `{}` stands for.
pub(super) fn for_others(count: u64, one: &str, several: &str) -> String {
    match count {
        0 => String::new(),
        1 => one.into(),
        count => several.replace("{}", &count.to_string()),
    }
}

/// A length of a file in metres; as it is if the file's unit is not known.
pub(super) fn length(value: f64, unit: Option<LengthUnit>) -> String {
    match unit {
        Some(unit) => format!("{:.1} m", value * unit.metres()),
        None => format!("{value:.1}"),
    }
}

const SHOWN: usize = 8;

/// Numbers in their order, three or more in a row by the first and the last: `2, 5 to 9, 12`. Of
/// many the first few.
pub(crate) fn listed(numbers: impl IntoIterator<Item = i64>) -> String {
    let mut runs: Vec<(i64, i64)> = Vec::new();
    let mut more = "";
    for number in numbers {
        let shown = runs.len();
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ if shown == SHOWN => {
                more = ", ...";
                break;
            }
            _ => runs.push((number, number)),
        }
    }
    let run = |(first, last): &(i64, i64)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first} to {last}"),
    };
    runs.iter().map(run).collect::<Vec<_>>().join(", ") + more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_listed_by_their_ends() {
        assert_eq!(listed([2, 5, 6, 7, 9, 10]), "2, 5 to 7, 9, 10");
        assert_eq!(listed([-1, 0, 1]), "-1 to 1");
        assert_eq!(listed((0..20).map(|n| 2 * n)), "0, 2, 4, 6, 8, 10, 12, 14, ...");
        assert_eq!(listed([]), "");
    }
}
