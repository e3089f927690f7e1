//! The connection to the ranks on either side.
//!
//! Messages are queued until this rank waits for one. Then all are sent without blocking, and
//! messages from both sides are received, so no two ranks wait for each other. A rank that is done
//! tells both sides and receives their messages until they have done the same.

use super::world::{Tag, World};
use crate::{
    EngineError,
    share::{Message, Neighbours, Share, ShareError, Side},
};
use std::collections::VecDeque;
use web_time::Instant;

pub(crate) struct Connection<'w> {
    world: &'w World,
    low: Seam,
    high: Seam,
    sides: Vec<Side>,
    given: Vec<(usize, Message)>,
    /// Messages that were sent, for reuse.
    spare: Vec<Message>,
    /// Handles the events that other ranks send to rank 0.
    on_event: &'w mut dyn FnMut(usize, &[u8]),
    /// Seconds spent waiting.
    pub(crate) waited: f64,
}

#[derive(Default)]
struct Seam {
    come: VecDeque<Message>,
    /// Whether the neighbour has ended.
    ended: bool,
}

impl Seam {
    /// Receives the messages that have arrived.
    fn take(&mut self, world: &World, rank: usize, spare: &mut Vec<Message>) {
        while !self.ended
            && let Some((_, p)) = world.take::<f32>(Some(rank), Tag::Halo)
        {
            self.ended = p.is_empty();
            if !self.ended {
                let known = spare.iter().position(|message| message.values().len() == p.len());
                let known = known.map(|at| spare.swap_remove(at));
                let mut message = known.unwrap_or_else(|| Message::new(p.len()));
                message.values_mut().copy_from_slice(&p);
                self.come.push_back(message);
            }
        }
    }
}

impl<'w> Connection<'w> {
    pub(crate) fn new(
        world: &'w World,
        share: &Share,
        on_event: &'w mut dyn FnMut(usize, &[u8]),
    ) -> Self {
        let (low, high) = Default::default();
        Connection {
            world,
            low,
            high,
            sides: share.sides().collect(),
            given: Vec::new(),
            spare: Vec::new(),
            on_event,
            waited: 0.0,
        }
    }

    fn rank(&self, side: Side) -> usize {
        match side {
            Side::Low => self.world.rank - 1,
            Side::High => self.world.rank + 1,
        }
    }

    fn at(&mut self, side: Side) -> &mut Seam {
        if side == Side::Low { &mut self.low } else { &mut self.high }
    }

    /// Sends the queued messages, and serves all ranks until a condition holds.
    fn serve(&mut self, until: impl Fn(&Self) -> bool) {
        let (began, given) = (Instant::now(), std::mem::take(&mut self.given));
        let values: Vec<_> = given.iter().map(|(rank, p)| (*rank, p.values())).collect();
        self.world.send_while(Tag::Halo, &values, || {
            for side in self.sides.clone() {
                let (world, rank) = (self.world, self.rank(side));
                let mut spare = std::mem::take(&mut self.spare);
                self.at(side).take(world, rank, &mut spare);
                self.spare = spare;
            }
            if self.world.is_first() {
                self.world.serve(self.on_event);
            }
            until(self)
        });
        self.spare.extend(given.into_iter().map(|(_, sent)| sent));
        self.waited += began.elapsed().as_secs_f64();
    }

    /// Announces the end, and waits until both sides have done so.
    pub(crate) fn end(&mut self) {
        let ends = self.sides.iter().map(|side| (self.rank(*side), Message::default()));
        self.given.extend(ends.collect::<Vec<_>>());
        self.serve(|connection| {
            let seams = [(Side::Low, &connection.low), (Side::High, &connection.high)];
            seams.iter().all(|(side, seam)| seam.ended || !connection.sides.contains(side))
        });
    }
}

impl Neighbours for Connection<'_> {
    fn send(&mut self, side: Side, p: Message) -> Result<(), EngineError> {
        if self.at(side).ended {
            return Err(ShareError::Neighbour.into());
        }
        let rank = self.rank(side);
        self.given.push((rank, p));
        Ok(())
    }

    fn receive(&mut self, side: Side) -> Result<Message, EngineError> {
        if self.at(side).come.is_empty() {
            self.serve(|connection| {
                let seam = if side == Side::Low { &connection.low } else { &connection.high };
                seam.ended || !seam.come.is_empty()
            });
        }
        self.at(side).come.pop_front().ok_or(ShareError::Neighbour.into())
    }
}
