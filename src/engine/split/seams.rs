//! Channels between the threads of neighbours.
//!
//! A share that ends drops its channels. Its neighbours still read the messages in them, then end
//! too, and their neighbours after them: so none waits for ever, and every share has done at least
//! the steps of the first one to end.

use crate::{
    EngineError,
    share::{Message, Neighbours, ShareError, Side},
};
use std::sync::mpsc::{Receiver, Sender, channel};
use web_time::Instant;

/// The channels of a share.
#[derive(Default)]
pub(crate) struct Ends {
    low: Option<Seam>,
    high: Option<Seam>,
    /// Seconds spent waiting.
    pub(crate) waited: f64,
}

struct Seam {
    to: Sender<Message>,
    from: Receiver<Message>,
}

/// The channels between `shares` shares.
pub(crate) fn between(shares: usize) -> Vec<Ends> {
    let mut all: Vec<Ends> = (0..shares).map(|_| Ends::default()).collect();
    for i in 1..shares {
        let ((up, from_low), (down, from_high)) = (channel(), channel());
        all[i - 1].high = Some(Seam { to: up, from: from_high });
        all[i].low = Some(Seam { to: down, from: from_low });
    }
    all
}

impl Ends {
    fn at(&self, side: Side) -> Result<&Seam, EngineError> {
        let seam = if side == Side::Low { &self.low } else { &self.high };
        seam.as_ref().ok_or(ShareError::Neighbour.into())
    }
}

impl Neighbours for Ends {
    fn send(&mut self, side: Side, p: Message) -> Result<(), EngineError> {
        self.at(side)?.to.send(p).map_err(|_| ShareError::Neighbour.into())
    }

    fn receive(&mut self, side: Side) -> Result<Message, EngineError> {
        let _waiting = tracing::info_span!(target: "timeline", "waiting for neighbours").entered();
        let began = Instant::now();
        let received = self.at(side)?.from.recv().map_err(|_| ShareError::Neighbour.into());
        self.waited += began.elapsed().as_secs_f64();
        received
    }

    fn are_at_hand(&self) -> bool {
        true
    }
}
