//! How far a run is: a bar on a terminal, plain lines elsewhere; Ctrl-C stops at the next submit.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    io::IsTerminal,
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// Runs shorter than this say nothing.
const PATIENCE: Duration = Duration::from_millis(500);
/// Between looks at the bar.
const REFRESH: Duration = Duration::from_millis(100);
/// Between plain lines.
const LINES: Duration = Duration::from_secs(5);

pub struct Progress {
    bar: Option<ProgressBar>,
    quiet: bool,
    stop: Arc<AtomicBool>,
    started: Instant,
    told: Instant,
    steps: usize,
    /// Grid points that a step updates.
    points: f64,
}

/// Set by Ctrl-C. A second Ctrl-C ends the program at once; what it was writing then stays behind in a
/// hidden folder, and whole files alone in the folder that was asked for.
pub fn stop_on_ctrl_c() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let seen = stop.clone();
    let first = std::sync::OnceLock::new();
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

impl Progress {
    /// For `steps` steps of `points` grid points.
    pub fn new(steps: usize, points: f64, quiet: bool, stop: Arc<AtomicBool>) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let bar = (terminal && !quiet).then(|| bar(steps));
        let now = Instant::now();
        Progress { bar, quiet, stop, started: now, told: now, steps, points }
    }

    /// Hears the steps done; `Break` after Ctrl-C.
    pub fn hear(&mut self, step: usize) -> ControlFlow<()> {
        let now = Instant::now();
        let every = if self.bar.is_some() { REFRESH } else { LINES };
        if now - self.told >= every && now - self.started >= PATIENCE {
            self.told = now;
            let rate = format!("{:.2} Gpts/s", self.rate(step));
            match &self.bar {
                Some(bar) => {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    bar.set_position(step as u64);
                    bar.set_message(rate);
                }
                None if !self.quiet => {
                    super::tell(format_args!("step {step} of {}, {rate}", self.steps));
                }
                None => {}
            }
        }
        match self.stop.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// 10^9 grid points a second so far.
    fn rate(&self, step: usize) -> f64 {
        step as f64 * self.points / self.started.elapsed().as_secs_f64() * 1e-9
    }
}

fn bar(steps: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::hidden());
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} steps, {msg}, {eta} left");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
