//! Shots in their order, whichever device finishes first.

use crate::operations::rtm::Partial;
use std::collections::BTreeMap;

/// Takes the images of shots as they come, and gives them in the order of the shots.
pub(crate) struct InOrder<'a> {
    order: &'a [usize],
    waiting: BTreeMap<usize, Partial>,
}

impl<'a> InOrder<'a> {
    /// Of these shots, each with an image of its own.
    pub(crate) fn new(order: &'a [usize]) -> Self {
        InOrder { order, waiting: BTreeMap::new() }
    }

    /// Takes the image of a shot.
    pub(crate) fn add(&mut self, partial: Partial) {
        self.waiting.insert(partial.shots.start, partial);
    }
}

/// Ends, for the time being, where the image of the next shot has not come.
impl Iterator for InOrder<'_> {
    type Item = Partial;

    fn next(&mut self) -> Option<Partial> {
        let (first, rest) = self.order.split_first()?;
        let next = self.waiting.remove(first)?;
        self.order = rest;
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::rtm::Units;

    #[test]
    fn images_wait_for_those_before_them() {
        let mut order = InOrder::new(&[2, 3, 7]);
        let mut taken = |shot: usize| -> Vec<usize> {
            order.add(Partial {
                shots: shot..shot + 1,
                units: Units::default(),
                arrays: Vec::new(),
                misfits: Vec::new(),
            });
            order.by_ref().map(|partial| partial.shots.start).collect()
        };
        assert_eq!([taken(3), taken(2), taken(7)], [vec![], vec![2, 3], vec![7]]);
    }
}
