//! Shares equal lists of receivers between shots.

use super::Sampling;
use crate::grid::{Axes, GridError, Position};
use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

/// The receivers of a shot: their positions, and their samplings.
type Receivers = (Arc<[Position]>, Arc<[Sampling]>);

/// The lists of receivers so far.
#[derive(Default)]
pub(super) struct ReceiverLists {
    /// A list that shots already share needs no comparison.
    by_address: HashMap<(*const Position, [usize; 3]), Receivers>,
    /// By a hash of the positions: equal lists.
    by_positions: HashMap<(u64, [usize; 3]), Vec<Receivers>>,
}

impl ReceiverLists {
    /// The known list with the same positions in a window that begins at the same node, or a new one
    /// from `sampled`.
    pub(super) fn of(
        &mut self,
        places: &Arc<[Position]>,
        Axes { z, x, y }: Axes<usize>,
        sampled: impl FnOnce(&[Position]) -> Result<Arc<[Sampling]>, (usize, GridError)>,
    ) -> Result<Receivers, (usize, GridError)> {
        let first = [z, x, y];
        if let Some(known) = self.by_address.get(&(places.as_ptr(), first)) {
            return Ok(known.clone());
        }
        let alike = self.by_positions.entry((hash(places), first)).or_default();
        let receivers = match alike.iter().find(|(known, _)| known == places) {
            Some(known) => known.clone(),
            None => {
                let new = (places.clone(), sampled(places)?);
                alike.push(new.clone());
                new
            }
        };
        self.by_address.insert((places.as_ptr(), first), receivers.clone());
        Ok(receivers)
    }
}

fn hash(places: &[Position]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for at in places {
        [at.z, at.x, at.y].map(f64::to_bits).hash(&mut hasher);
    }
    hasher.finish()
}
