//! A model's values some columns at a time, so that a file of any size is written with little
//! memory.

use std::io;

/// The values of a model, whole columns in the order `[y][x]`, z along each.
pub(crate) trait ColumnStream {
    /// The next columns; `None` after the last.
    fn next_columns(&mut self) -> io::Result<Option<&[f32]>>;
}

/// The columns of a model in memory, all at once.
pub(crate) struct Held<'a>(Option<&'a [f32]>);

impl<'a> Held<'a> {
    /// Of values in memory order.
    pub(crate) fn new(values: &'a [f32]) -> Self {
        Held(Some(values))
    }
}

impl ColumnStream for Held<'_> {
    fn next_columns(&mut self) -> io::Result<Option<&[f32]>> {
        Ok(self.0.take())
    }
}
