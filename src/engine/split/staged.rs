//! Transfers of the shares' stored waves between their devices and host memory.

use super::run::each;
use crate::{
    EngineError,
    source_wavefield::{OnHost, SourceWavefield, Staged},
};
use std::{iter::zip, ops::Range};

impl Staged for Vec<SourceWavefield> {
    fn bring(&self, slots: Range<usize>, to: Vec<&mut OnHost>) -> Result<(), EngineError> {
        let mut of_each: Vec<Vec<&mut OnHost>> = self.iter().map(|_| Vec::new()).collect();
        for step in to {
            step.shares.resize_with(self.len(), OnHost::default);
            zip(&mut of_each, &mut step.shares).for_each(|(all, share)| all.push(share));
        }
        each(zip(self, of_each), |_, (share, to)| share.staged()?.bring(slots.clone(), to))
            .map(drop)
    }

    fn send(&self, slots: Range<usize>, from: Vec<&OnHost>) -> Result<(), EngineError> {
        let of_share = |i| from.iter().filter_map(|step| step.shares.get(i)).collect();
        each(self, |i, share| share.staged()?.send(slots.clone(), of_share(i))).map(drop)
    }
}
