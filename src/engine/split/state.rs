//! Merges the states of shares into the state of the whole simulation, and back; the whole does not
//! depend on the cut.
//!
//! A field is `[y][x][z]`, so the shares' fields are concatenated. Of the layers' memory each array
//! is concatenated separately.

use crate::{ShotState, State, Values};
use std::{iter::zip, ops::Range};

/// The length of each array of a shot's layer memory, for each share.
pub(crate) struct Memory(pub Vec<Vec<usize>>);

impl Memory {
    /// Values of a shot.
    pub(crate) fn values(&self) -> usize {
        self.0.iter().flatten().sum()
    }

    /// Array by array: the share of each part, and its range in that share's values.
    fn parts(&self) -> impl Iterator<Item = (usize, Range<usize>)> {
        let arrays = self.0.first().map_or(0, Vec::len);
        (0..arrays).flat_map(move |array| {
            zip(0.., &self.0).map(move |(share, lens)| {
                let before: usize = lens[..array].iter().sum();
                (share, before..before + lens[array])
            })
        })
    }
}

/// A shot of the whole, from its states in the shares.
pub(crate) fn whole(shares: &[&ShotState], memory: &Memory) -> ShotState {
    let of = |share: &ShotState, which: usize| -> Vec<f32> {
        share.arrays()[which].f32().unwrap_or_default().to_vec()
    };
    let field = |which| Values::F32(shares.iter().flat_map(|share| of(share, which)).collect());
    let layers: Vec<_> = shares.iter().map(|share| of(share, 2)).collect();
    let layers = memory.parts().flat_map(|(share, at)| &layers[share][at]).copied();
    ShotState { now: field(0), second: field(1), memory: Values::F32(layers.collect()) }
}

/// The shots of a state for a share, whose field and memory have these ranges.
pub(crate) fn part(
    state: &State,
    field: Range<usize>,
    memory: &Memory,
    share: usize,
) -> Vec<ShotState> {
    let layers = |values: &[f32]| {
        let (mut mine, mut before) = (Vec::new(), 0);
        for (of, at) in memory.parts() {
            if of == share {
                mine.extend(&values[before..before + at.len()]);
            }
            before += at.len();
        }
        mine
    };
    let shot = |shot: usize| {
        let [now, second, memory] = state.arrays(shot, Values::f32);
        let field = |values: Option<&[f32]>| values.map(|values| values[field.clone()].to_vec());
        let [now, second, memory] = [field(now), field(second), memory.map(layers)]
            .map(|values| Values::F32(values.unwrap_or_default()));
        ShotState { now, second, memory }
    };
    (0..state.shots.len()).map(shot).collect()
}
