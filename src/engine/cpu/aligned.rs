//! Arrays, and their columns, that start on a cache line, so that no vector straddles two lines.

use super::{cache::LINE, pool::Pool, shared::Shared};
use std::ops::{Deref, DerefMut};

/// The fewest values that a task touches.
const TOUCHED: usize = 1 << 18;
/// Tasks per thread that touch an array: large pages are few.
const TASKS_PER_THREAD: usize = 4;

/// An array whose first value lies on a 64-byte boundary.
pub(crate) struct Aligned {
    values: Vec<f32>,
    first: usize,
    len: usize,
}

impl Aligned {
    /// `len` zeros, whose pages the threads of a pool touch first: a fault takes as long as copying
    /// a page, and a page lies near the core that touches it.
    #[allow(unsafe_code, reason = "parts of an array by task; see SAFETY")]
    pub(crate) fn zeros(len: usize, pool: &Pool) -> Self {
        let values = vec![0.0; len + LINE];
        let mut zeros = Aligned { first: first(&values), values, len };
        let array = Shared::new(&mut zeros);
        let tasks = (len / TOUCHED).min(pool.threads() * TASKS_PER_THREAD);
        pool.run(tasks, |task| {
            let [from, to] = [task, task + 1].map(|task| len * task / tasks);
            // SAFETY: each task has its own part.
            unsafe { array.writer() }.part(from, to - from).fill(0.0);
        });
        zeros
    }
}

/// Index of the first value on a boundary.
fn first(values: &[f32]) -> usize {
    // If the offset is unknown, the array is unaligned: slower, not wrong.
    values.as_ptr().align_offset(LINE * size_of::<f32>()).min(LINE)
}

impl Deref for Aligned {
    type Target = [f32];

    // A call would empty the vector registers of the loop around it.
    #[inline(always)]
    fn deref(&self) -> &[f32] {
        &self.values[self.first..][..self.len]
    }
}

impl DerefMut for Aligned {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.values[self.first..][..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_on_a_line() {
        for len in [0, 1, 33, 70_000, 5 << 18] {
            let zeros = Aligned::zeros(len, &Pool::new(3));
            assert_eq!(*zeros, vec![0.0; len]);
            assert_eq!(zeros.as_ptr() as usize % 64, 0);
        }
    }
}
