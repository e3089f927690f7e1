//! Part of an array that others share.

use std::{
    ops::{Deref, Range},
    sync::Arc,
};

/// Consecutive values of a shared array; a clone or a part of it copies none.
#[derive(Clone, Debug)]
pub struct Slice {
    all: Arc<Vec<f32>>,
    range: Range<usize>,
}

impl Slice {
    /// Whether two are the same values of the same array.
    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.all, &other.all) && self.range == other.range
    }

    /// Some of its values.
    pub(super) fn part(&self, range: Range<usize>) -> Self {
        let first = self.range.start;
        Slice { all: self.all.clone(), range: first + range.start..first + range.end }
    }
}

impl Deref for Slice {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.all[self.range.clone()]
    }
}

impl From<Vec<f32>> for Slice {
    fn from(values: Vec<f32>) -> Self {
        Slice { range: 0..values.len(), all: Arc::new(values) }
    }
}
