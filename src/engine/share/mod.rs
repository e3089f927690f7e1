//! A share of a simulation: consecutive pieces of its slowest axis, which one engine runs beside others that run the rest.
//!
//! No threads and no devices here: who runs the shares, and how neighbours' pieces go to and fro, is behind [`Neighbours`].

mod message;

pub use message::Message;

use super::{EngineError, Observer, Run, Timings};
use crate::{
    acquisition::spread::HALF_WIDTH,
    grid::Axes,
    plan::{Plan, PointShot, Sampling, Tap},
    remedy::{Refusal, Remedy, remedies},
};
use serde::Serialize;
use std::{ops::Range, sync::Arc};

/// Some pieces of a Plan: planes along y or, in 2-D, columns.
#[derive(Clone, Debug)]
pub struct Share {
    /// The whole, of whose receivers and offset gathers only those are left that lie here.
    pub plan: Arc<Plan>,
    /// Which pieces they are.
    pub pieces: Range<usize>,
    /// Pieces of either neighbour that a step reads here: by a stencil, or a receiver between nodes.
    pub ghosts: usize,
    /// Steps from one exchange to the next. Of more than one, the ends of neighbours are stepped here as well
    /// (Micikevicius 2009, section 5).
    pub ghost_steps: usize,
}

/// Seconds that a share has spent, for `run.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ShareTimings {
    /// Its device.
    pub device: String,
    /// Planes or, in 2-D, columns that it has.
    pub pieces: usize,
    /// [`ShareRun::halos`].
    #[serde(skip_serializing_if = "str::is_empty")]
    pub halos: &'static str,
    /// Stepping, with what is done to give and take what neighbours read.
    pub computing: f64,
    /// Waiting for neighbours.
    pub waiting: f64,
    /// Done, while others were not.
    pub idle: f64,
}

/// Why a simulation was not split.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum ShareError {
    /// Engines for planes or columns, layers included.
    #[error(
        "a simulation of {pieces} {what} is not split over {engines} engines: each takes {least} at the least{}; give from 1 to {most}",
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
    #[error("ghosts of {0} steps are not available; give from 1 to {MOST_GHOST_STEPS}")]
    GhostSteps(usize),
    #[error(
        "ghosts of {0} steps are exchanged between engines of one kind; give them one step, or take devices of one kind"
    )]
    UnlikeGhosts(usize),
    #[error(
        "weights of {weights:?} for {engines} engines are not available; give each a number above 0, or none"
    )]
    Weights { weights: Vec<f64>, engines: usize },
    /// Shares between which a wave that goes back through a CPML would have a layer.
    #[error(
        "{engines} shares are too thin for a wave that goes back through a CPML: the first and the last take {least} {what} at the least, the \
         layer and what stencils reach there; name fewer engines, or take thinner layers or a sponge"
    )]
    Adjoint { engines: usize, least: usize, what: &'static str },
    /// Something done after each step by the share alone that has the nodes.
    #[error(
        "{what} exchanges after every step, and ghosts of {ghost_steps} steps are given; give them one"
    )]
    EveryStep { what: &'static str, ghost_steps: usize },
    #[error(
        "offset gathers along x are not made of a plane that is split along x over {engines} engines, as each has the waves of its own columns \
         alone; {}",
        remedies(self)
    )]
    Offsets { engines: usize },
    #[error("{what} is not split over engines, and {engines} are given; run it on one of them")]
    Unsplit { what: &'static str, engines: usize },
    #[error("{engine} runs no share of a simulation; split it over GPUs and the CPU engine")]
    NoShares { engine: String },
    /// A rank that failed, counted from 0, and whether its input is to blame.
    #[error("rank {rank} on {host} failed: {message}")]
    Rank { rank: usize, host: String, message: String, input: bool },
    #[error("the share beside this one ended; what it says is the reason")]
    Neighbour,
}

impl Refusal for ShareError {
    fn remedies(&self) -> Vec<Remedy> {
        match self {
            ShareError::Offsets { .. } => vec!["make them along z".into(), Remedy::ShareShots],
            _ => Vec::new(),
        }
    }
}

/// What a message says of ghosts.
fn with(ghost_steps: usize) -> String {
    if ghost_steps > 1 { format!(" with ghosts of {ghost_steps} steps") } else { String::new() }
}

/// An end of a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Towards the first piece.
    Low,
    /// Towards the last.
    High,
}

/// The way to the shares on either side.
pub trait Neighbours {
    /// Gives a neighbour what it takes of this share's pieces at that end. Does not wait until they are read.
    ///
    /// # Errors
    ///
    /// Where the neighbour has ended.
    fn send(&mut self, side: Side, message: Message) -> Result<(), EngineError>;

    /// Waits for the same of a neighbour.
    ///
    /// # Errors
    ///
    /// Where the neighbour has ended.
    fn receive(&mut self, side: Side) -> Result<Message, EngineError>;

    /// Whether messages are given from hand to hand, in one process, and nobody on the way looks at their values: then a message may name a
    /// place on a device in their stead.
    fn are_at_hand(&self) -> bool {
        false
    }
}

/// In the place of neighbours, to measure a share by itself: it gets back what it gives.
#[derive(Default)]
pub struct Alone([Vec<Message>; 2]);

impl Alone {
    fn at(&mut self, side: Side) -> &mut Vec<Message> {
        &mut self.0[usize::from(side == Side::High)]
    }
}

impl Neighbours for Alone {
    fn send(&mut self, side: Side, p: Message) -> Result<(), EngineError> {
        self.at(side).push(p);
        Ok(())
    }

    fn receive(&mut self, side: Side) -> Result<Message, EngineError> {
        Ok(self.at(side).pop().unwrap_or_default())
    }

    fn are_at_hand(&self) -> bool {
        true
    }
}

/// A share under way. What its observer hears is of the pieces and receivers that lie in it.
///
/// The shares of a run advance by the same steps at a time. Neighbours exchange what they take of each other as an advance begins, then
/// after every [`Share::ghost_steps`] steps of it and its last, and before the end.
pub trait ShareRun: Send {
    /// What its engine is called in a state.
    fn engine(&self) -> &'static str;

    /// How what it exchanges goes to and fro, as far as it knows: a word for a report, or none.
    fn halos(&self) -> &'static str {
        ""
    }

    /// Steps done.
    fn step(&self) -> usize;

    /// [`super::Run::advance`]. Where a neighbour ends on the way, everything up to there was heard.
    fn advance(
        &mut self,
        steps: usize,
        neighbours: &mut dyn Neighbours,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError>;

    /// [`super::Run::finish`].
    fn finish(
        &mut self,
        neighbours: &mut dyn Neighbours,
        observer: &mut dyn Observer,
    ) -> Result<Timings, EngineError>;

    /// [`super::Run::restart`] with the same pieces of another batch.
    fn restart(&mut self, share: &Share) -> Result<bool, EngineError>;

    /// Its pieces as a run of their own, which gives and takes states and shows fields; it is advanced here alone.
    fn run(&mut self) -> &mut dyn Run;

    /// Values of each array that a shot's layer memory is of, one after another. Of each array the shares' parts make the whole.
    fn memory_lens(&self) -> Vec<usize>;
}

impl Share {
    /// All of a Plan.
    pub fn whole(plan: &Arc<Plan>) -> Self {
        let (pieces, ghosts) = (0..plan.pieces(), ghosts(plan));
        Share { plan: plan.clone(), pieces, ghosts, ghost_steps: 1 }
    }

    /// Some pieces of a Plan, which exchanges after so many steps.
    pub fn new(whole: &Plan, pieces: Range<usize>, ghost_steps: usize) -> Self {
        let here = |receiver: &&Sampling| pieces.contains(&piece_of(receiver, whole));
        let shot = |shot: &PointShot| PointShot {
            receivers: shot.receivers.iter().filter(here).cloned().collect(),
            ..shot.clone()
        };
        let shots = whole.shots.iter().map(shot).collect();
        let makes = |tap: &&Tap| match tap {
            Tap::OffsetGathers(_, offsets) => whole.makes(&pieces, offsets),
            _ => true,
        };
        let taps = whole.taps.iter().filter(makes).cloned().collect();
        let plan = Arc::new(Plan { shots, taps, ..whole.clone() });
        Share { plan, pieces, ghosts: ghosts(whole), ghost_steps }
    }

    /// The neighbour's pieces at an end that are stepped here too, with its sources; none where every step is exchanged.
    pub fn mirror(&self, side: Side) -> Option<Share> {
        let mirrored = || {
            let plan = Plan { taps: Vec::new(), ..(*self.plan).clone() };
            Share::new(&plan, self.taken_of(side), 1)
        };
        (self.ghost_steps > 1).then(mirrored)
    }

    /// Whether there are others.
    pub fn is_split(&self) -> bool {
        self.pieces.len() < self.plan.pieces()
    }

    /// The sides with a neighbour.
    pub fn sides(&self) -> impl Iterator<Item = Side> + use<> {
        let low = (self.pieces.start > 0).then_some(Side::Low);
        let high = (self.pieces.end < self.plan.pieces()).then_some(Side::High);
        low.into_iter().chain(high)
    }

    /// Pieces at an end that are exchanged.
    pub fn exchanged(&self) -> usize {
        self.ghosts * self.ghost_steps
    }

    /// The pieces at an end that are given to the neighbour there.
    pub fn given_to(&self, side: Side) -> Range<usize> {
        let Range { start, end } = self.pieces;
        match side {
            Side::Low => start..start + self.exchanged(),
            Side::High => end - self.exchanged()..end,
        }
    }

    /// The pieces of the neighbour at an end that are taken in exchange.
    pub fn taken_of(&self, side: Side) -> Range<usize> {
        let Range { start, end } = self.pieces;
        match side {
            Side::Low => start - self.exchanged()..start,
            Side::High => end..end + self.exchanged(),
        }
    }

    /// The pieces at an end that are stepped apart, so that they can be given while the rest is stepped.
    pub fn apart(&self) -> usize {
        self.exchanged().max(self.least())
    }

    /// The fewest pieces of a slab: each gives its neighbours their ghosts.
    pub fn least(&self) -> usize {
        least(self.ghosts)
    }

    /// The node of the whole grid that a node of this share is.
    pub fn in_whole(&self, node: Axes<usize>) -> Axes<usize> {
        match self.plan.grid.is_volume() {
            true => Axes { y: node.y + self.pieces.start, ..node },
            false => Axes { x: node.x + self.pieces.start, ..node },
        }
    }
}

/// The most steps from one exchange to the next.
pub const MOST_GHOST_STEPS: usize = 64;

/// The fewest pieces of a share of a Plan that exchanges after so many steps. Of more than one, what it gives at either end is stepped apart
/// from the rest.
pub fn least_pieces(plan: &Plan, ghost_steps: usize) -> usize {
    let ghosts = ghosts(plan);
    let ends = if ghost_steps > 1 { 2 * ghosts * ghost_steps } else { 0 };
    ends + least(ghosts)
}

/// What receivers between nodes read is counted where there are none, too: waves that meet are cut alike.
fn least(ghosts: usize) -> usize {
    ghosts.max(HALF_WIDTH)
}

/// Pieces that a part reads of either neighbour.
fn ghosts(plan: &Plan) -> usize {
    let between = plan.samples_between_nodes();
    if between { plan.radius().max(HALF_WIDTH) } else { plan.radius() }
}

/// The piece in which a receiver is read: its node's or, between nodes, that of the middle of its window, whose ends are then ghosts at
/// most.
pub fn piece_of(receiver: &Sampling, whole: &Plan) -> usize {
    let volume = whole.grid.is_volume();
    match receiver {
        Sampling::Node(node) => (if volume { node.y } else { node.x }) as usize,
        Sampling::Between(spread) => {
            let first = if volume { spread.y.first } else { spread.x.first };
            (first + HALF_WIDTH - 1).min(whole.pieces() - 1)
        }
    }
}
