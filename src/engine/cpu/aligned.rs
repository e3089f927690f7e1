//! Arrays, and their columns, that start on a cache line, so that no vector straddles two lines.

use super::cache::LINE;
use std::ops::{Deref, DerefMut};

/// An array whose first value lies on a 64-byte boundary.
pub struct Aligned {
    values: Vec<f32>,
    first: usize,
    len: usize,
}

impl Aligned {
    /// `len` zeros.
    pub fn zeros(len: usize) -> Self {
        let values = vec![0.0; len + LINE];
        Aligned { first: first(&values), values, len }
    }
}

impl From<Vec<f32>> for Aligned {
    fn from(mut values: Vec<f32>) -> Self {
        let len = values.len();
        values.resize(len + LINE, 0.0);
        let first = first(&values);
        values.copy_within(..len, first);
        Aligned { values, first, len }
    }
}

/// Index of the first value on a boundary.
fn first(values: &[f32]) -> usize {
    // If the offset is unknown, the array is unaligned: slower, not wrong.
    values.as_ptr().align_offset(LINE * size_of::<f32>()).min(LINE)
}

impl Deref for Aligned {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.values[self.first..][..self.len]
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.values[self.first..][..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_on_a_line_with_what_it_was_given() {
        for len in [0, 1, 33, 70_000] {
            let given: Vec<f32> = (0..len).map(|i| i as f32).collect();
            let aligned = Aligned::from(given.clone());
            assert_eq!(*aligned, given);
            assert_eq!(aligned.as_ptr() as usize % 64, 0);
            assert_eq!(*Aligned::zeros(len), vec![0.0; len]);
        }
    }
}
