//! Errors of the ladder.

use super::{Case, CaseError, Sweep};
use crate::{
    engine::{EngineError, gpu::bench::BenchError},
    stencil::ete::TableError,
};

/// An error of the ladder.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum LadderError {
    #[error(transparent)]
    Case(#[from] CaseError),
    #[error(
        "a field of {case} takes {:.1} MiB with the zeros around it, and {device} binds at most {:.1} MiB; give {largest} \
         nodes or fewer", mib(*.size), mib(*.limit)
    )]
    TooLarge { case: String, size: u64, device: String, limit: u64, largest: String },
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Table(#[from] TableError),
    #[error(
        "{bins} bins are more than the {most} that an index of 16 bits counts; give {most} or fewer"
    )]
    Bins { bins: usize, most: usize },
    #[error("there is no such sweep of {case}; {}", match .sweep {
        Sweep::Slices => "`slices` belongs to `ladder 3d`, choose threads or geometry",
        _ => "`threads` belongs to `ladder 2d`, choose geometry or slices",
    })]
    NoSuchSweep { sweep: Sweep, case: Case },
    #[error(transparent)]
    Bench(BenchError),
}

impl LadderError {
    /// True if a smaller grid would do.
    pub fn is_too_large(&self) -> bool {
        use EngineError::{DoesNotFit, OutOfMemory, TooLarge};
        matches!(
            self,
            LadderError::TooLarge { .. }
                | LadderError::Engine(DoesNotFit(_) | OutOfMemory { .. } | TooLarge { .. })
                | LadderError::Case(CaseError::TooLarge(_) | CaseError::NoMemory { .. })
        )
    }
}

fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

impl From<BenchError> for LadderError {
    fn from(error: BenchError) -> Self {
        match error {
            BenchError::Engine(error) => LadderError::Engine(error),
            refused => LadderError::Bench(refused),
        }
    }
}
