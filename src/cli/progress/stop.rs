//! Ctrl-C.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// Set by Ctrl-C. A second Ctrl-C ends the program at once; what it was writing then stays behind in a
/// hidden folder, and whole files alone in the folder that was asked for.
pub fn stop_on_ctrl_c() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let seen = stop.clone();
    let first = OnceLock::new();
    let handler = ctrlc::set_handler(move || {
        seen.store(true, Ordering::Relaxed);
        // Some senders signal twice at once, which is still one wish to stop.
        if first.get_or_init(Instant::now).elapsed() > Duration::from_secs(1) {
            std::process::exit(130);
        }
    });
    if let Err(error) = handler {
        tracing::debug!(%error, "no Ctrl-C handler: it ends the program at once");
    }
    stop
}
