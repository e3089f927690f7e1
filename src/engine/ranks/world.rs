//! The processes started by MPI, and messages between them. Only this file uses the MPI library.
//!
//! Calls come from one thread at a time. A rank that waits serves the others' messages meanwhile,
//! so no message waits for another.

use super::failure::Failure;
use crate::{EngineError, locked, split::ended::combined};
use mpi::{
    Threading,
    environment::{self, Universe},
    point_to_point::{Message, Status},
    traits::{Communicator, Destination, Equivalence, MatchedReceiveVec, Source},
};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// The ranks, one process each.
pub struct World {
    universe: Mutex<Option<Universe>>,
    /// This rank, counted from 0.
    pub rank: usize,
    /// Number of ranks.
    pub size: usize,
    /// This rank's index on its host.
    pub local: usize,
    /// Its host.
    pub(crate) host: String,
    state: Mutex<Agreement>,
    /// Time of the last look for another rank's failure, and its result.
    pub(super) stopped: Mutex<(Instant, bool)>,
}

#[derive(Default)]
struct Agreement {
    /// Outcomes received for the next agreement, at rank 0.
    outcomes: BTreeMap<usize, Vec<u8>>,
    /// Whether a rank has failed.
    over: bool,
}

/// Reasons why ranks cannot be joined.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum WorldError {
    #[error(
        "{library} allows no threads beside those that call it; use one that was built with them"
    )]
    Threads { library: String },
    #[error(
        "{started} ranks were started, but {library} sees {size}; start them with the mpirun of the library that huygens was built with"
    )]
    Size { started: usize, size: usize, library: String },
}

/// The kinds of messages.
#[derive(Clone, Copy)]
pub(super) enum Tag {
    /// p at an end of a share; an empty message announces the end.
    Halo = 1,
    /// To rank 0, in the sender's order: an observer's event, or the outcome of a part.
    Report = 2,
    /// The common outcome, from rank 0.
    Verdict = 3,
    /// A rank has failed, where each has a task of its own.
    Stop = 4,
}

/// The first byte of such a message: an event.
const EVENT: u8 = 0;
const OUTCOME: u8 = 1;

/// Values per piece of a message, since MPI counts by 32 bits. A shorter piece is the last.
const PIECE: usize = 1 << 28;
/// A waiting rank yields its core, and after this time sleeps.
const PATIENCE: Duration = Duration::from_millis(50);
const NAP: Duration = Duration::from_micros(200);

impl World {
    /// Joins the other ranks.
    ///
    /// # Errors
    ///
    /// If the library reports another number of ranks, or allows no threads.
    ///
    /// # Panics
    ///
    /// If MPI was already initialised.
    pub fn join(started: usize) -> Result<Self, WorldError> {
        let begun = mpi::initialize_with_threading(Threading::Serialized);
        let (universe, provided) = begun.expect("it is begun once");
        let library = || environment::library_version().unwrap_or_default();
        let library = || library().split([',', '\n']).next().unwrap_or_default().to_owned();
        let all = universe.world();
        let size = all.size() as usize;
        if size != started {
            return Err(WorldError::Size { started, size, library: library() });
        }
        if provided < Threading::Serialized {
            return Err(WorldError::Threads { library: library() });
        }
        Ok(World {
            rank: all.rank() as usize,
            size,
            local: all.split_shared(all.rank()).rank() as usize,
            host: environment::processor_name().unwrap_or_default(),
            universe: Mutex::new(Some(universe)),
            state: Mutex::default(),
            stopped: Mutex::new((Instant::now(), false)),
        })
    }

    /// Leaves together with all others. Otherwise a process that ends aborts them.
    pub fn leave(&self) {
        let universe = locked(&self.universe).take();
        drop(universe);
    }

    /// True for rank 0.
    pub fn is_first(&self) -> bool {
        self.rank == 0
    }

    /// True if a rank has failed, and all know it.
    pub(crate) fn is_over(&self) -> bool {
        self.agreement().over
    }

    /// Tells all others that this rank has failed; they check by [`World::is_stopped`].
    pub(crate) fn stop_others(&self) {
        (0..self.size).filter(|rank| *rank != self.rank).for_each(|rank| {
            self.send::<u8>(rank, Tag::Stop, &[]);
        });
    }

    /// True if another rank has sent that.
    pub(super) fn hears_stop(&self) -> bool {
        self.take::<u8>(None, Tag::Stop).is_some()
    }

    /// Agreements are possible again after one that failed. All ranks call it.
    pub(super) fn go_on(&self) {
        self.agreement().over = false;
    }

    /// Waits until every rank has sent the outcome of its part. Returns the results of all, or the
    /// error that ends them all.
    ///
    /// # Errors
    ///
    /// If a rank failed; there are no agreements after it, until all go on.
    pub(crate) fn agree(
        &self,
        mine: Result<Value, EngineError>,
    ) -> Result<Vec<Value>, EngineError> {
        self.agree_serving(mine, &mut |_, _| {})
    }

    /// [`World::agree`] while rank 0 receives the others' events.
    pub(super) fn agree_serving(
        &self,
        mine: Result<Value, EngineError>,
        on_event: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<Vec<Value>, EngineError> {
        let failure = |error| Failure::new(error, self.rank, &self.host);
        let mine = mine.map_err(failure);
        let verdict = if self.is_first() {
            self.wait(|| {
                self.serve(on_event);
                self.agreement().outcomes.len() + 1 == self.size
            });
            let others = std::mem::take(&mut self.agreement().outcomes);
            let others =
                others.into_values().map(|outcome| read::<Result<Value, Failure>>(&outcome));
            let all = std::iter::once(mine).chain(others);
            let verdict = combined(all.map(|one| one.map_err(EngineError::from)).collect());
            let verdict = verdict.map_err(failure);
            let text = written(&verdict);
            (1..self.size).for_each(|rank| self.send(rank, Tag::Verdict, &text));
            verdict
        } else {
            self.report(OUTCOME, &[&written(&mine)]);
            let mut verdict = None;
            self.wait(|| {
                verdict = self.take(Some(0), Tag::Verdict);
                verdict.is_some()
            });
            read(&verdict.map(|(_, text)| text).unwrap_or_default())
        };
        self.agreement().over |= verdict.is_err();
        verdict.map_err(EngineError::from)
    }

    /// At rank 0, receives the others' events, and stores the outcomes of their parts.
    pub(super) fn serve(&self, on_event: &mut dyn FnMut(usize, &[u8])) {
        while let Some((rank, message)) = self.take::<u8>(None, Tag::Report) {
            match message.split_first() {
                Some((&OUTCOME, outcome)) => {
                    self.agreement().outcomes.insert(rank, outcome.to_vec());
                }
                Some((_, event)) => on_event(rank, event),
                None => {}
            }
        }
    }

    /// Sends an event of a share's observer to rank 0.
    pub(super) fn send_event(&self, parts: &[&[u8]]) {
        self.report(EVENT, parts);
    }

    fn report(&self, kind: u8, parts: &[&[u8]]) {
        self.send(0, Tag::Report, &[&[&[kind][..]], parts].concat().concat());
    }

    /// Sends, and waits until the message is buffered or received.
    pub(super) fn send<T: Equivalence>(&self, rank: usize, tag: Tag, message: &[T]) {
        let all = self.all();
        let to = all.process_at_rank(rank as i32);
        pieces(message).for_each(|piece| to.send_with_tag(piece, tag as i32));
    }

    /// Sends messages and polls `until`; returns once it holds and they are sent.
    pub(super) fn send_while(
        &self,
        tag: Tag,
        messages: &[(usize, &[f32])],
        mut until: impl FnMut() -> bool,
    ) {
        let all = self.all();
        mpi::request::scope(|scope| {
            let mut sent = Vec::new();
            for (rank, message) in messages {
                let to = all.process_at_rank(*rank as i32);
                let begin = |piece| to.immediate_send_with_tag(scope, piece, tag as i32);
                sent.extend(pieces(message).map(begin));
            }
            self.wait(|| {
                sent = sent.drain(..).filter_map(|request| request.test().err()).collect();
                until() && sent.is_empty()
            });
        });
    }

    /// Receives a message of a rank, or of any, if one is there.
    pub(super) fn take<T: Equivalence>(
        &self,
        rank: Option<usize>,
        tag: Tag,
    ) -> Option<(usize, Vec<T>)> {
        let (all, tag) = (self.all(), tag as i32);
        let first = match rank {
            Some(rank) => all.process_at_rank(rank as i32).immediate_matched_probe_with_tag(tag),
            None => all.any_process().immediate_matched_probe_with_tag(tag),
        }?;
        let from = first.1.source_rank();
        let received = |message: (Message, Status)| message.matched_receive_vec::<T>().0;
        let mut values = received(first);
        let mut last = values.len();
        while last == PIECE {
            let next = received(all.process_at_rank(from).matched_probe_with_tag(tag));
            last = next.len();
            values.extend(next);
        }
        Some((from as usize, values))
    }

    /// Polls until it is done.
    pub(super) fn wait(&self, mut is_done: impl FnMut() -> bool) {
        let began = Instant::now();
        while !is_done() {
            match began.elapsed() < PATIENCE {
                true => thread::yield_now(),
                false => thread::sleep(NAP),
            }
        }
    }

    fn all(&self) -> mpi::topology::SimpleCommunicator {
        mpi::topology::SimpleCommunicator::world()
    }

    fn agreement(&self) -> MutexGuard<'_, Agreement> {
        locked(&self.state)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // A failing process does not wait for the others.
        std::mem::forget(self.universe.get_mut().unwrap_or_else(PoisonError::into_inner).take());
    }
}

/// Splits a message into pieces; only the last is not full.
fn pieces<T>(message: &[T]) -> impl Iterator<Item = &[T]> {
    let full = message.len() / PIECE;
    (0..=full).map(move |i| &message[i * PIECE..message.len().min((i + 1) * PIECE)])
}

fn written(outcome: &impl serde::Serialize) -> Vec<u8> {
    serde_json::to_vec(outcome).expect("numbers and text")
}

fn read<T: serde::de::DeserializeOwned>(text: &[u8]) -> T {
    serde_json::from_slice(text).expect("ranks are of one program")
}
