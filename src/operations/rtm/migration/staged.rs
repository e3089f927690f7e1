//! Source wavefields in the host's memory: a part is copied there while the next is stepped, and
//! comes back while the part after it is met.

use super::{Batch, BatchObserver, Migration, Runs};
use crate::engine::{EngineError, OnHost};
use std::{
    io,
    ops::Range,
    panic::resume_unwind,
    thread::{self, ScopedJoinHandle},
};

impl Migration<'_> {
    /// Runs a batch with two parts at a time on the device; the host holds the others, allocated at
    /// the first call.
    pub(super) fn met_from_host(
        &self,
        Runs { source: wave, backward, host, .. }: &mut Runs,
        batch: &mut Batch,
        hear: &mut BatchObserver<'_>,
    ) -> Result<(), EngineError> {
        let (steps, parts) = (self.plan.time.steps, self.strategy.parts());
        let source = wave.forward.source_wavefield().ok_or(EngineError::NoSourceWavefield)?;
        let (source, backward) = (&source, backward.as_mut());
        // A part has `each` imaging steps; the slots hold two parts, in turn.
        let each = self.imaging.slots / 2;
        let slots = |part: usize| -> Range<usize> {
            let first = part % 2 * each;
            first..first + each
        };
        let away = parts.len().saturating_sub(2);
        host.resize_with(away * each, OnHost::default);

        thread::scope(|scope| {
            let mut on_its_way = None;
            let mut room = host.chunks_mut(each);
            for part in 0..parts.len() {
                wave.advance_to(parts.get(part + 1).copied().unwrap_or(steps), &parts, hear)?;
                arrived(on_its_way.take())?;
                if let Some(room) = room.next() {
                    let copy = move || source.bring(slots(part), room);
                    on_its_way =
                        Some(thread::Builder::new().spawn_scoped(scope, copy).map_err(no_thread)?);
                }
            }
            arrived(on_its_way.take())
        })?;
        self.answer(wave, backward, batch, hear)?;

        let host = &*host;
        thread::scope(|scope| {
            let mut on_its_way = None;
            for (part, first) in parts.iter().enumerate().rev() {
                hear.advance_to(backward, (steps + 2 - first).min(steps))?;
                arrived(on_its_way.take())?;
                if let Some(next) = part.checked_sub(2) {
                    let from = &host[next * each..][..each];
                    let copy = move || source.send(slots(next), from);
                    on_its_way =
                        Some(thread::Builder::new().spawn_scoped(scope, copy).map_err(no_thread)?);
                }
            }
            Ok(())
        })
    }
}

fn no_thread(error: io::Error) -> EngineError {
    EngineError::NoThread { device: "a copy of the source's wave".into(), said: error.to_string() }
}

/// Waits for a copy under way.
fn arrived(way: Option<ScopedJoinHandle<'_, Result<(), EngineError>>>) -> Result<(), EngineError> {
    // Propagate the thread's panic.
    way.map_or(Ok(()), |way| way.join().unwrap_or_else(|e| resume_unwind(e)))
}
