//! Tables of text, and the digits of their numbers.

use super::escape;
use comfy_table::{
    Cell, CellAlignment, ContentArrangement, Table, TableComponent,
    presets::{NOTHING, UTF8_HORIZONTAL_ONLY},
};
use std::fmt::Display;

/// Placeholder for a missing value.
pub(crate) const NONE: &str = "-";

/// A column of a table: its title, and the text of a row's value.
pub(crate) type Column<'c, R> = (&'c str, &'c dyn Fn(&R) -> String);

/// Two columns: name and value.
pub(crate) struct Lines(Table);

impl Lines {
    pub(crate) fn new() -> Self {
        Lines(empty())
    }

    pub(crate) fn add(&mut self, what: &str, text: impl Display) {
        self.0.add_row([cell(what), cell(text)]);
    }

    pub(crate) fn text(mut self) -> String {
        if let Some(first) = self.0.column_mut(0) {
            first.set_padding((0, 1));
        }
        self.0.trim_fmt()
    }
}

/// A table with right-aligned columns from `first_number` on.
pub(crate) fn table<R>(
    rows: impl IntoIterator<Item = R>,
    first_number: usize,
    columns: &[Column<'_, R>],
) -> Table {
    let mut table = plain(rows, first_number, columns);
    table.load_preset(UTF8_HORIZONTAL_ONLY);
    table.remove_style(TableComponent::HorizontalLines);
    table.remove_style(TableComponent::MiddleIntersections);
    table
}

/// [`table`] without lines.
pub(crate) fn plain<R>(
    rows: impl IntoIterator<Item = R>,
    first_number: usize,
    columns: &[Column<'_, R>],
) -> Table {
    let mut table = empty();
    table.set_header(cells(columns.iter().map(|(title, _)| (*title).to_owned()), first_number));
    for row in rows {
        add(&mut table, columns.iter().map(|(_, text)| text(&row)), first_number);
    }
    table
}

/// A table without lines. Wraps to the width of a terminal; elsewhere lines are not wrapped.
fn empty() -> Table {
    let mut table = Table::new();
    table.load_preset(NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table
}

pub(crate) fn add(table: &mut Table, row: impl IntoIterator<Item = String>, first_number: usize) {
    table.add_row(cells(row, first_number));
}

fn cells(row: impl IntoIterator<Item = String>, first_number: usize) -> Vec<Cell> {
    let align = |column| match column < first_number {
        true => CellAlignment::Left,
        false => CellAlignment::Right,
    };
    let row = row.into_iter().enumerate();
    row.map(|(column, text)| cell(text).set_alignment(align(column))).collect()
}

/// A cell of one line.
pub(crate) fn cell(text: impl Display) -> Cell {
    Cell::new(escape::line(text))
}

pub(crate) fn of<T>(value: Option<T>, text: impl Fn(T) -> String) -> String {
    value.map_or_else(|| NONE.into(), text)
}

pub(crate) fn tenths(value: f64) -> String {
    format!("{value:.1}")
}

pub(crate) fn hundredths(value: f64) -> String {
    format!("{value:.2}")
}

/// A part of 1, with so many places.
pub(crate) fn percent(part: f64, places: usize) -> String {
    format!("{:.places$} %", 100.0 * part)
}
