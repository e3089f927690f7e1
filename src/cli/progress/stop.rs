//! Ctrl-C.

use crate::cli::ranks;
use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// Set by Ctrl-C. A second Ctrl-C ends the program at once; what it was writing then stays behind in a
/// hidden folder, which the next run cleans up, and whole files alone in the folder that was asked for.
pub fn stop_on_ctrl_c() -> Arc<AtomicBool> {
    end_on_ctrl_c().listening()
}

/// Ends the program by Ctrl-C, as long as nothing is to be left whole and nobody would listen: while it reads and plans.
pub fn end_on_ctrl_c() -> Ends {
    let (stop, listens) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (seen, heard) = (stop.clone(), listens.clone());
    let first = OnceLock::new();
    let handler = ctrlc::set_handler(move || {
        if !heard.load(Ordering::Relaxed) {
            if ranks::all().is_none_or(|ranks| ranks.is_first()) {
                crate::cli::tell("stopped, as asked; nothing was written");
            }
            std::process::exit(1);
        }
        seen.store(true, Ordering::Relaxed);
        // Some senders signal twice at once, which is still one wish to stop.
        if first.get_or_init(Instant::now).elapsed() > Duration::from_secs(1) {
            std::process::exit(130);
        }
    });
    if let Err(error) = handler {
        tracing::debug!(%error, "no Ctrl-C handler: it ends the program at once");
    }
    Ends { stop, listens }
}

/// What Ctrl-C does until somebody listens.
pub struct Ends {
    stop: Arc<AtomicBool>,
    listens: Arc<AtomicBool>,
}

impl Ends {
    /// From now on somebody listens to what Ctrl-C sets.
    pub fn listening(&self) -> Arc<AtomicBool> {
        self.listens.store(true, Ordering::Relaxed);
        self.stop.clone()
    }
}
