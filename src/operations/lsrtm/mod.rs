//! Least-squares migration: the relative change m = dv/v of the velocity whose scattered waves fit the
//! recorded ones best (Nemeth, Wu and Schuster 1999, "Least-squares migration of incomplete reflection
//! data", Geophysics 64(1); Dai, Fowler and Schuster 2012, "Multi-source least-squares reverse time
//! migration", Geophys. Prosp. 60(4)).
//!
//! With F Born modelling ([`crate::plan::Scattering`]), W the weights of the traces and m of the
//! [`Unknowns`] u,
//!
//! ```text
//! min |W (F m - d)|^2 + w |u|^2
//! ```
//!
//! by [`ConjugateGradients`]. Migration is the first direction. An iteration runs three waves for each
//! shot: that of the source, which is stored; that which the direction scatters from it; and that which
//! takes the weighed traces of the scattered one back. F' is the transpose of the discrete F, so that
//! each misfit is lower than the one before.

mod conjugate_gradients;
mod doubts;
#[cfg(feature = "runs")]
mod files;
mod fitted;
#[cfg(feature = "runs")]
mod memory;
#[cfg(feature = "runs")]
mod operation;
mod prepare;
mod solve;
mod sweeps;
mod unknowns;
mod weights;

pub(crate) use conjugate_gradients::{ConjugateGradients, Normal};
pub(crate) use doubts::{Lags, OtherStart};
#[cfg(feature = "runs")]
pub use operation::LeastSquaresRun;
pub use prepare::LeastSquares;
pub use solve::{LeastSquaresSurvey, Solution, Solved};
pub(crate) use sweeps::{Summed, Sweeps};
pub(crate) use unknowns::Unknowns;
pub(crate) use weights::{RecordedSamples, Weights};
