//! Times in the tables of a ladder, and tables that fit the terminal.

use crate::{cli::terminal::table::Column, ladder::Measured, results::numbers::digits};
use comfy_table::{ColumnConstraint, Table};

pub(crate) fn us(time: Measured) -> String {
    digits(1e6 * time.seconds)
}

pub(crate) fn spread(time: Measured) -> String {
    digits(0.5e6 * (time.slowest - time.fastest))
}

pub(crate) fn ms(time: Measured) -> String {
    digits(1e3 * time.seconds)
}

/// Columns that a narrow terminal omits, in order of removal.
const LESS: [&str; 12] = [
    "what changes",
    "threads",
    "+-",
    "x thread",
    "flop",
    "accesses",
    "p reads",
    "GB/s",
    "afforded",
    "B/step",
    "x before",
    "ceiling",
];

/// Removes columns until the table fits the terminal, and returns a note of them.
pub(crate) fn fit<R>(table: &mut Table, columns: &[Column<'_, R>]) -> String {
    let Some(room) = table.width() else { return String::new() };
    let widths = table.column_max_content_widths();
    let mut wide: usize = widths.iter().map(|width| usize::from(*width) + BLANKS).sum();
    let mut left_out = Vec::new();
    for name in LESS {
        let at = columns.iter().position(|column| column.0 == name);
        let Some((at, column)) = at.and_then(|at| Some((at, table.column_mut(at)?))) else {
            continue;
        };
        if wide <= usize::from(room) {
            break;
        }
        column.set_constraint(ColumnConstraint::Hidden);
        wide -= usize::from(widths[at]) + BLANKS;
        left_out.push(name);
    }
    match left_out.as_slice() {
        [] => String::new(),
        names => {
            format!("\nwithout room in {room} columns: {}; ladder.json has them", names.join(", "))
        }
    }
}

/// Spaces between adjacent cells.
const BLANKS: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::terminal::table::table;

    #[test]
    fn a_narrow_terminal_has_fewer_columns_and_no_broken_words() {
        let row = ["2 global memory", "a GPU instead of a CPU", "32x4x4", "748", "9.68", "179"];
        let columns: [Column<'_, [&str; 6]>; 6] = [
            ("rung", &|row| row[0].into()),
            ("what changes", &|row| row[1].into()),
            ("threads", &|row| row[2].into()),
            ("us/step", &|row| row[3].into()),
            ("+-", &|row| row[4].into()),
            ("Gpts/s", &|row| row[5].into()),
        ];
        let narrow = |room| {
            let mut table = table([row], 3, &columns);
            table.set_width(room);
            let note = fit(&mut table, &columns);
            (table.to_string(), note)
        };
        let (whole, note) = narrow(90);
        assert!(whole.contains("a GPU instead of a CPU") && note.is_empty(), "{whole}{note}");
        let (few, note) = narrow(48);
        assert!(few.lines().all(|line| line.chars().count() <= 48), "{few}");
        assert_eq!(few.lines().count(), 5, "no cell is wrapped: {few}");
        assert!(few.contains("2 global memory") && few.contains("9.68"), "{few}");
        assert!(!few.contains("what changes") && !few.contains("32x4x4"), "{few}");
        assert_eq!(
            note,
            "\nwithout room in 48 columns: what changes, threads; ladder.json has them"
        );
    }
}
