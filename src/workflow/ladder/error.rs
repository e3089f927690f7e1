//! Why there is no ladder.

use super::{Case, CaseError, Sweep};
use crate::{
    engine::{EngineError, gpu::bench::BenchError},
    stencil::ete::TableError,
};

/// Why there is no ladder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LadderError {
    /// The grid or the operator cannot be.
    #[error(transparent)]
    Case(#[from] CaseError),
    /// A field that the device cannot bind whole.
    #[error(
        "a field of {case} takes {:.1} MiB with the zeros around it, and {device} binds at most {:.1} MiB; give {largest} \
         nodes or fewer", mib(*.size), mib(*.limit)
    )]
    TooLarge {
        /// What was to be climbed.
        case: String,
        /// Bytes of a field.
        size: u64,
        /// The device.
        device: String,
        /// Bytes that it binds.
        limit: u64,
        /// The largest square or cube that fits.
        largest: String,
    },
    /// The device failed, or cannot hold the grid.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// No table of explicit time evolution.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A table with more rows than an index of 16 bits counts.
    #[error(
        "{bins} bins are more than the {most} that an index of 16 bits counts; give {most} or fewer"
    )]
    Bins {
        /// What was asked for.
        bins: usize,
        /// What there may be.
        most: usize,
    },
    /// A sweep that the ladder of the case does not have.
    #[error("there is no such sweep of {case}; {}", match .sweep {
        Sweep::Slices => "`slices` belongs to `ladder 3d`, choose threads or geometry",
        _ => "`threads` belongs to `ladder 2d`, choose geometry or slices",
    })]
    NoSuchSweep {
        /// What was asked for.
        sweep: Sweep,
        /// What of.
        case: Case,
    },
    /// The device does not take a kernel that it must.
    #[error(transparent)]
    Bench(BenchError),
}

impl LadderError {
    /// Whether a smaller grid would do.
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
