//! Reasons why a simulation is not split.

use crate::DeviceFailure;
use serde::{Deserialize, Serialize};

/// The most steps between exchanges.
pub const MOST_GHOST_STEPS: usize = 64;

/// Reasons why a simulation was not split.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum ShareError {
    /// Engines for planes or columns, layers included.
    #[error(
        "a simulation of {pieces} {what} is not split over {engines} engines: each takes {least} at the least{}; \
         give from 1 to {most}",
        with(*ghost_steps)
    )]
    Engines {
        engines: usize,
        most: usize,
        pieces: usize,
        what: &'static str,
        least: usize,
        ghost_steps: usize,
    },
    #[error("ghosts of {} steps are not available; give from 1 to {MOST_GHOST_STEPS}", .0)]
    GhostSteps(usize),
    #[error(
        "{first} and {other} do not share a shot, because they store its layers differently; take devices of one \
         kind, or have the devices share the shots, without --split"
    )]
    Unlike { first: String, other: String },
    #[error(
        "weights of {weights:?} for {engines} engines are not available; give each a number above 0, or none"
    )]
    Weights { weights: Vec<f64>, engines: usize },
    /// Shares between which a wave that goes back through a CPML would have a layer.
    #[error(
        "{engines} shares are too thin for a wave that goes back through a CPML: the first and the last take {least} \
         {what} at the least, the layer and what stencils reach there; name fewer engines, or take thinner layers or \
         a sponge"
    )]
    Adjoint { engines: usize, least: usize, what: &'static str },
    /// Something done after each step by the share alone that has the nodes.
    #[error(
        "{what} exchanges after every step, and ghosts of {ghost_steps} steps are given; give them one"
    )]
    EveryStep { what: &'static str, ghost_steps: usize },
    #[error(
        "offset gathers along x are not made of a plane that is split along x over {engines} engines, as each has \
         the waves of its own columns alone; make them along z, or have the devices share the shots, without --split"
    )]
    Offsets { engines: usize },
    #[error("{what} is not split over engines, and {engines} are given; run it on one of them")]
    Unsplit { what: &'static str, engines: usize },
    #[error("{engine} runs no share of a simulation; split it over GPUs, or over CPU engines")]
    NoShares { engine: String },
    /// A rank that failed.
    #[error("rank {} on {} failed: {}", .0.rank, .0.host, .0.message)]
    Rank(RankFailure),
    #[error("the share beside this one ended; what it says is the reason")]
    Neighbour,
}

/// What a rank of MPI that failed said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankFailure {
    /// The rank, counted from 0.
    pub(crate) rank: usize,
    /// Its host.
    pub(crate) host: String,
    /// Its message.
    pub(crate) message: String,
    /// True if its input is to blame.
    pub input: bool,
    /// The failure of its device, if that is to blame.
    pub(crate) device: Option<DeviceFailure>,
}

/// What a message says of ghosts.
fn with(ghost_steps: usize) -> String {
    if ghost_steps > 1 { format!(" with ghosts of {ghost_steps} steps") } else { String::new() }
}
