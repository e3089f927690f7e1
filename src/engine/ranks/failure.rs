//! The reason why a rank's part ended, in the form sent to the others.

use crate::{
    Cause, EngineError,
    grid::PerAxis,
    share::{RankFailure, ShareError},
};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(crate) enum Failure {
    BlowUp {
        step: usize,
        time: f64,
        healthy: Option<usize>,
        shot: usize,
        at: Option<PerAxis<f64>>,
        /// The bits of the value, since JSON has no infinity.
        value: u32,
        cause: Cause,
    },
    Stopped {
        step: usize,
        steps: usize,
    },
    Neighbour,
    Failed(RankFailure),
}

impl Failure {
    /// From an error of a rank on a host, or one received from another.
    pub(crate) fn new(error: EngineError, rank: usize, host: &str) -> Self {
        match error {
            EngineError::BlowUp { step, time, healthy, shot, at, value, cause } => {
                let cause = match cause {
                    Cause::Amplitude { injected } => {
                        Cause::Amplitude { injected: injected.min(f64::MAX) }
                    }
                    cause => cause,
                };
                Failure::BlowUp { step, time, healthy, shot, at, value: value.to_bits(), cause }
            }
            EngineError::Stopped { step, steps } => Failure::Stopped { step, steps },
            EngineError::Share(ShareError::Neighbour) => Failure::Neighbour,
            EngineError::Share(ShareError::Rank(failed)) => Failure::Failed(failed),
            error => {
                let (host, device) = (host.to_owned(), error.of_device());
                let (message, input) = (error.to_string(), false);
                Failure::Failed(RankFailure { rank, host, message, input, device })
            }
        }
    }
}

impl From<Failure> for EngineError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::BlowUp { step, time, healthy, shot, at, value, cause } => {
                let value = f32::from_bits(value);
                EngineError::BlowUp { step, time, healthy, shot, at, value, cause }
            }
            Failure::Stopped { step, steps } => EngineError::Stopped { step, steps },
            Failure::Neighbour => ShareError::Neighbour.into(),
            Failure::Failed(failed) => ShareError::Rank(failed).into(),
        }
    }
}
