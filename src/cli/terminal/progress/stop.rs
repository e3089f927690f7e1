//! Ctrl-C.

use super::write_line;
use crate::cli::ranks;
use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// Returns the flag that Ctrl-C sets. A second Ctrl-C ends the program at once; a file being
/// written then stays in a hidden folder, which the next run removes, and the output folder holds
/// complete files only.
pub(crate) fn stop_on_ctrl_c() -> Arc<AtomicBool> {
    end_on_ctrl_c().listening()
}

/// Ends the program on Ctrl-C while there is no output to complete and nothing polls the flag:
/// during reading and planning.
pub(crate) fn end_on_ctrl_c() -> Ends {
    let (stop, listens) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (seen, heard) = (stop.clone(), listens.clone());
    let first = OnceLock::new();
    let handler = ctrlc::set_handler(move || {
        if !heard.load(Ordering::Relaxed) {
            if ranks::all().is_none_or(|ranks| ranks.is_first()) {
                write_line("stopped, as asked; nothing was written");
            }
            std::process::exit(1);
        }
        seen.store(true, Ordering::Relaxed);
        // Some senders signal twice at once, which is one request to stop.
        if first.get_or_init(Instant::now).elapsed() > Duration::from_secs(1) {
            std::process::exit(130);
        }
    });
    if let Err(error) = handler {
        tracing::debug!(%error, "no Ctrl-C handler: it ends the program at once");
    }
    Ends { stop, listens }
}

/// The action of Ctrl-C until the flag is polled.
pub(crate) struct Ends {
    stop: Arc<AtomicBool>,
    listens: Arc<AtomicBool>,
}

impl Ends {
    /// Returns the flag that Ctrl-C sets from now on.
    pub(crate) fn listening(&self) -> Arc<AtomicBool> {
        self.listens.store(true, Ordering::Relaxed);
        self.stop.clone()
    }
}
