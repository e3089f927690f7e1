//! How the parts of a program end on all ranks.

use super::World;
use crate::{
    EngineError, locked,
    share::{RankFailure, ShareError},
};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::time::{Duration, Instant};

/// Interval of checks for the failure of another rank.
const LOOK: Duration = Duration::from_millis(100);

impl World {
    /// The first rank that gives another value than rank 0, with the value of rank 0 and its own.
    /// All ranks call it.
    pub fn differing(&self, mine: Value) -> Result<Option<(usize, [Value; 2])>, EngineError> {
        let digest = format!("{:x?}", Sha256::digest(mine.to_string()).as_slice());
        let other = |all: &[Value]| all.iter().position(|one| *one != all[0]);
        if other(&self.agree(Ok(digest.into()))?).is_none() {
            return Ok(None);
        }
        let all = self.agree(Ok(mine))?;
        Ok(other(&all).map(|rank| (rank, [all[0].clone(), all[rank].clone()])))
    }

    /// True if another rank has called [`World::stop_others`]; looks every 100 ms at most.
    pub fn is_stopped(&self) -> bool {
        let mut stopped = locked(&self.stopped);
        if !stopped.1 && stopped.0.elapsed() > LOOK {
            *stopped = (Instant::now(), self.hears_stop());
        }
        stopped.1
    }

    /// The outcome of a part of a program on all ranks: this rank's error, if it is the reason that
    /// all end. `told` gives an error's message, and whether the input is wrong. If ranks work
    /// `alone` meanwhile, each on a task, one that fails stops the others.
    ///
    /// # Errors
    ///
    /// That of the rank that failed first.
    pub fn agreed<E: From<EngineError>>(
        &self,
        done: Result<(), E>,
        told: impl FnOnce(&E) -> (String, bool),
        alone: bool,
    ) -> Result<(), E> {
        if self.is_over() {
            return done;
        }
        if done.is_err() && alone {
            self.stop_others();
        }
        let mine = match &done {
            Ok(()) => Ok(Value::Null),
            // Another rank's failure is the reason.
            Err(_) if locked(&self.stopped).1 => Err(ShareError::Neighbour.into()),
            Err(error) => {
                let (message, input) = told(error);
                let (rank, host, device) = (self.rank, self.host.clone(), None);
                let failed = RankFailure { rank, host, message, input, device };
                Err(ShareError::Rank(failed).into())
            }
        };
        match self.agree(mine) {
            Ok(_) => Ok(()),
            Err(EngineError::Share(ShareError::Rank(failed)))
                if failed.rank == self.rank && done.is_err() =>
            {
                done
            }
            Err(error) => Err(error.into()),
        }
    }
}
