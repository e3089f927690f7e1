//! The processes that MPI started together, and messages between them: all that knows the MPI library.
//!
//! Calls come from one thread at a time. Who waits serves what others send meanwhile, so that no message waits for another.

use super::told::Told;
use crate::engine::{EngineError, split::ended::together};
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

/// Ranks, of which each is a process.
pub struct World {
    universe: Mutex<Option<Universe>>,
    /// This one, counted from 0.
    pub rank: usize,
    /// How many there are.
    pub size: usize,
    /// This one among those of its host.
    pub local: usize,
    /// Its host.
    pub host: String,
    state: Mutex<Agreement>,
}

#[derive(Default)]
struct Agreement {
    /// What ranks have told for the next one, at rank 0.
    outcomes: BTreeMap<usize, Vec<u8>>,
    /// Whether one has failed, after which there is none.
    over: bool,
}

/// Why there is no world.
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

/// What a message is.
#[derive(Clone, Copy)]
pub(super) enum Tag {
    /// p at an end of a share; an empty one says that there is no more.
    Halo = 1,
    /// For rank 0, in the order in which a rank tells it: what a share's observer heard, or what came of a rank's part.
    Told = 2,
    /// What came of all, from rank 0.
    Verdict = 3,
    /// That a rank failed, where each has a task of its own.
    Stop = 4,
}

/// What a rank tells, its first byte.
const HEARD: u8 = 0;
const OUTCOME: u8 = 1;

/// Values of a piece of a message; MPI counts them by 32 bits. One that is shorter is the last.
const PIECE: usize = 1 << 28;
/// Who waits gives its core away, and after so long sleeps.
const PATIENCE: Duration = Duration::from_millis(50);
const NAP: Duration = Duration::from_micros(200);

impl World {
    /// Joins the others, so many as were started.
    ///
    /// # Errors
    ///
    /// Where the library knows of another number of them, or allows no threads.
    ///
    /// # Panics
    ///
    /// Where MPI was initialised before.
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
        })
    }

    /// Leaves, once all do. Without it a process that ends takes all others with it.
    pub fn leave(&self) {
        let universe = self.universe.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(universe);
    }

    /// Whether this is rank 0.
    pub fn is_first(&self) -> bool {
        self.rank == 0
    }

    /// Whether a rank has failed, and all know it.
    pub fn is_over(&self) -> bool {
        self.agreement().over
    }

    /// Tells all others that this one has failed, for those that look.
    pub fn stop_others(&self) {
        (0..self.size).filter(|rank| *rank != self.rank).for_each(|rank| {
            self.send::<u8>(rank, Tag::Stop, &[]);
        });
    }

    /// Whether another has told that.
    pub fn is_stopped(&self) -> bool {
        self.take::<u8>(None, Tag::Stop).is_some()
    }

    /// Waits until every rank has told what came of its part: what all of them told, or the reason that it ends for all.
    ///
    /// # Errors
    ///
    /// Where one failed; nobody agrees on anything after it.
    pub fn agree(&self, mine: Result<Value, EngineError>) -> Result<Vec<Value>, EngineError> {
        self.agree_hearing(mine, &mut |_, _| {})
    }

    /// The same while rank 0 hears what others send.
    pub(super) fn agree_hearing(
        &self,
        mine: Result<Value, EngineError>,
        hear: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<Vec<Value>, EngineError> {
        let mine = mine.map_err(|error| Told::new(error, self));
        let verdict = if self.is_first() {
            self.wait(|| {
                self.serve(hear);
                self.agreement().outcomes.len() + 1 == self.size
            });
            let others = std::mem::take(&mut self.agreement().outcomes);
            let others = others.into_values().map(|outcome| read::<Result<Value, Told>>(&outcome));
            let all = std::iter::once(mine).chain(others);
            let verdict = together(all.map(|one| one.map_err(EngineError::from)).collect());
            let verdict = verdict.map_err(|error| Told::new(error, self));
            let text = written(&verdict);
            (1..self.size).for_each(|rank| self.send(rank, Tag::Verdict, &text));
            verdict
        } else {
            self.tell(OUTCOME, &[&written(&mine)]);
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

    /// At rank 0 hears what others have sent, and keeps what came of their parts.
    pub(super) fn serve(&self, hear: &mut dyn FnMut(usize, &[u8])) {
        while let Some((rank, message)) = self.take::<u8>(None, Tag::Told) {
            match message.split_first() {
                Some((&OUTCOME, outcome)) => {
                    self.agreement().outcomes.insert(rank, outcome.to_vec());
                }
                Some((_, heard)) => hear(rank, heard),
                None => {}
            }
        }
    }

    /// Tells rank 0 what a share's observer heard.
    pub(super) fn tell_heard(&self, parts: &[&[u8]]) {
        self.tell(HEARD, parts);
    }

    fn tell(&self, kind: u8, parts: &[&[u8]]) {
        self.send(0, Tag::Told, &[&[&[kind][..]], parts].concat().concat());
    }

    /// Sends, and waits until it is on its way or read.
    pub(super) fn send<T: Equivalence>(&self, rank: usize, tag: Tag, message: &[T]) {
        let all = self.all();
        let to = all.process_at_rank(rank as i32);
        pieces(message).for_each(|piece| to.send_with_tag(piece, tag as i32));
    }

    /// Sends all of these and meanwhile does something, until that and they are done.
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

    /// A message of a rank, or of any, if one is there.
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

    /// Tries until it is done.
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
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // A process that fails does not wait for the others.
        std::mem::forget(self.universe.get_mut().unwrap_or_else(PoisonError::into_inner).take());
    }
}

/// Pieces of a message, of which the last alone is not full.
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
