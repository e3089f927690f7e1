//! A share of a simulation: consecutive pieces of its slowest axis, which one engine runs beside
//! others that run the rest.
//!
//! Independent of threads and devices: [`Neighbours`] hides who runs the shares, and how halos are
//! exchanged.

mod error;
mod message;

pub use error::{MOST_GHOST_STEPS, RankFailure, ShareError};
pub use message::Message;

use super::{EngineError, Observer, Run, Timings};
use crate::{
    acquisition::spread::HALF_WIDTH,
    grid::Axes,
    plan::{Plan, PointShot, Sampling, Tap},
};
use serde::Serialize;
use std::{ops::Range, sync::Arc};

/// Some pieces of a Plan: planes along y or, in 2-D, columns.
#[derive(Clone, Debug)]
pub struct Share {
    /// The whole, with only the receivers and offset gathers of these pieces.
    pub(crate) plan: Arc<Plan>,
    /// Their range.
    pub(crate) pieces: Range<usize>,
    /// Pieces of either neighbour that a step reads: by a stencil or a receiver between nodes.
    pub(crate) ghosts: usize,
    /// Steps between exchanges. If more than one, the ends of neighbours are stepped here as well
    /// (Micikevicius 2009, section 5).
    pub(crate) ghost_steps: usize,
}

/// Times of a share, s, for `run.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ShareTimings {
    /// Its device.
    pub(crate) device: String,
    /// Number of its planes or, in 2-D, columns.
    pub pieces: usize,
    /// [`ShareRun::halos`].
    #[serde(skip_serializing_if = "str::is_empty")]
    pub halos: &'static str,
    /// Stepping, halo copies included.
    pub computing: f64,
    /// Waiting for neighbours.
    pub waiting: f64,
    /// Done, while others were not.
    pub idle: f64,
}

/// An end of a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Towards the first piece.
    Low,
    /// Towards the last.
    High,
}

/// The connection to the shares on either side.
pub trait Neighbours {
    /// Sends this share's pieces at an end to the neighbour there; an error if it has ended. Does not
    /// wait until they are read.
    fn send(&mut self, side: Side, message: Message) -> Result<(), EngineError>;

    /// Waits for a neighbour's pieces; an error if it has ended.
    fn receive(&mut self, side: Side) -> Result<Message, EngineError>;

    /// True if messages stay in this process, and nothing in between reads their values: then a
    /// message may name a device buffer instead.
    fn are_at_hand(&self) -> bool {
        false
    }
}

/// Takes the place of neighbours, to measure a share by itself: it receives what it sends.
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

/// The way of halos between devices of one process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Way {
    /// Through the host's memory.
    #[default]
    Host,
    /// From device to device, where they can.
    Direct,
}

/// A share under way. Its observer gets the results of the share's own pieces and receivers.
///
/// The shares of a run advance by the same steps at a time. Neighbours exchange halos at the
/// beginning of an advance, then after every [`Share::ghost_steps`] steps of it and after its last,
/// and before the end.
pub trait ShareRun: Send {
    /// Name of its engine in a state.
    fn engine(&self) -> &'static str;

    /// The route of its halos in the last exchange, for a report; empty if unknown.
    fn halos(&self) -> &'static str {
        ""
    }

    /// Takes a way for its halos, from the next exchange on.
    fn go_by(&mut self, _way: Way) {}

    /// Seconds for which it has waited for its own copies through the host.
    fn copying(&self) -> f64 {
        0.0
    }

    /// Steps done.
    fn step(&self) -> usize;

    /// [`super::Run::advance`]. If a neighbour ends on the way, results up to there are reported.
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

    /// Its pieces as a separate run, for states and fields; it must not be advanced by that.
    fn run(&mut self) -> &mut dyn Run;

    /// The length of each array in a shot's layer memory. The whole's array is the concatenation of
    /// the shares' parts.
    fn memory_lens(&self) -> Vec<usize>;
}

impl Share {
    /// A whole Plan as one share.
    pub fn whole(plan: &Arc<Plan>) -> Self {
        let (pieces, ghosts) = (0..plan.pieces(), ghosts(plan));
        Share { plan: plan.clone(), pieces, ghosts, ghost_steps: 1 }
    }

    /// Some pieces of a Plan, with exchanges after every `ghost_steps` steps.
    pub fn new(whole: &Plan, pieces: Range<usize>, ghost_steps: usize) -> Self {
        let here = |receiver: &&Sampling| pieces.contains(&piece_of(receiver, whole));
        let shot = |shot: &PointShot| PointShot {
            receivers: shot.receivers.iter().filter(here).cloned().collect(),
            ..shot.clone()
        };
        let shots = whole.shots.iter().map(shot).collect();
        let makes = |tap: &&Tap| match tap {
            Tap::OffsetGathers(_, offsets) => whole.makes_offsets(&pieces, offsets),
            _ => true,
        };
        let taps = whole.taps.iter().filter(makes).cloned().collect();
        let plan = Arc::new(Plan { shots, taps, ..whole.clone() });
        Share { plan, pieces, ghosts: ghosts(whole), ghost_steps }
    }

    /// The neighbour's pieces at an end that are stepped here too, with its sources; `None` if
    /// every step is exchanged.
    pub(crate) fn mirror(&self, side: Side) -> Option<Share> {
        let mirrored = || {
            let plan = Plan { taps: Vec::new(), ..(*self.plan).clone() };
            Share::new(&plan, self.taken_of(side), 1)
        };
        (self.ghost_steps > 1).then(mirrored)
    }

    /// True if there are other shares.
    pub(crate) fn is_split(&self) -> bool {
        self.pieces.len() < self.plan.pieces()
    }

    /// The sides with a neighbour.
    pub(crate) fn sides(&self) -> impl Iterator<Item = Side> + use<> {
        let low = (self.pieces.start > 0).then_some(Side::Low);
        let high = (self.pieces.end < self.plan.pieces()).then_some(Side::High);
        low.into_iter().chain(high)
    }

    /// Pieces that are exchanged at an end.
    pub(crate) fn exchanged(&self) -> usize {
        self.ghosts * self.ghost_steps
    }

    /// The pieces at an end that are sent to the neighbour there.
    pub(crate) fn given_to(&self, side: Side) -> Range<usize> {
        let Range { start, end } = self.pieces;
        match side {
            Side::Low => start..start + self.exchanged(),
            Side::High => end - self.exchanged()..end,
        }
    }

    /// The pieces that are received from the neighbour at an end.
    pub(crate) fn taken_of(&self, side: Side) -> Range<usize> {
        let Range { start, end } = self.pieces;
        match side {
            Side::Low => start - self.exchanged()..start,
            Side::High => end..end + self.exchanged(),
        }
    }

    /// The pieces at an end that are stepped separately, to be sent during the rest.
    pub(crate) fn apart(&self) -> usize {
        self.exchanged().max(self.least())
    }

    /// The fewest pieces of a slab, which must supply its neighbours' ghosts.
    pub(crate) fn least(&self) -> usize {
        least(self.ghosts)
    }

    /// The index in the whole grid of a node of this share.
    pub(crate) fn in_whole(&self, node: Axes<usize>) -> Axes<usize> {
        match self.plan.grid.is_volume() {
            true => Axes { y: node.y + self.pieces.start, ..node },
            false => Axes { x: node.x + self.pieces.start, ..node },
        }
    }
}

/// The fewest pieces of a share of a Plan with this many steps between exchanges. If there is more
/// than one step, the pieces that are sent at either end are stepped separately.
pub(crate) fn least_pieces(plan: &Plan, ghost_steps: usize) -> usize {
    let ghosts = ghosts(plan);
    let ends = if ghost_steps > 1 { 2 * ghosts * ghost_steps } else { 0 };
    ends + least(ghosts)
}

/// Receivers between nodes count even if there are none, so that correlated waves are cut alike.
fn least(ghosts: usize) -> usize {
    ghosts.max(HALF_WIDTH)
}

/// Pieces that a part reads of either neighbour.
fn ghosts(plan: &Plan) -> usize {
    let between = plan.samples_between_nodes();
    if between { plan.radius().max(HALF_WIDTH) } else { plan.radius() }
}

/// The piece in which a receiver is read: its node's or, between nodes, that of the middle of its
/// window, which then reaches no further than the ghosts.
pub(crate) fn piece_of(receiver: &Sampling, whole: &Plan) -> usize {
    let volume = whole.grid.is_volume();
    match receiver {
        Sampling::Node(node) => (if volume { node.y } else { node.x }) as usize,
        Sampling::Between(spread) => {
            let first = if volume { spread.y.first } else { spread.x.first };
            (first + HALF_WIDTH - 1).min(whole.pieces() - 1)
        }
    }
}
