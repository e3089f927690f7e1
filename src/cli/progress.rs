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
    /// What is counted, and how many of it there are.
    what: &'static str,
    all: usize,
    /// Grid points that one updates; `None` where a rate says nothing.
    points: Option<f64>,
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
        let counting = Progress::counting("step", quiet, stop);
        Progress { all: steps, points: Some(points), ..counting }
    }

    /// For so many of something that [`Progress::hear_of`] will tell.
    pub fn counting(what: &'static str, quiet: bool, stop: Arc<AtomicBool>) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let bar = (terminal && !quiet).then(bar);
        let now = Instant::now();
        Progress { bar, quiet, stop, started: now, told: now, what, all: 0, points: None }
    }

    /// Hears what is done out of all.
    pub fn hear_of(&mut self, done: usize, all: usize) -> ControlFlow<()> {
        self.all = all;
        self.hear(done)
    }

    /// Hears the steps done; `Break` after Ctrl-C.
    pub fn hear(&mut self, step: usize) -> ControlFlow<()> {
        let now = Instant::now();
        // Nothing to count yet.
        if self.all == 0 {
            return self.go_on();
        }
        let every = if self.bar.is_some() { REFRESH } else { LINES };
        if now - self.told >= every && now - self.started >= PATIENCE {
            self.told = now;
            let rate = self.rate(step);
            match &self.bar {
                Some(bar) => {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    bar.set_length(self.all as u64);
                    bar.set_position(step as u64);
                    bar.set_message(format!("{}s{rate}", self.what));
                }
                None if !self.quiet => {
                    super::tell(format_args!("{} {step} of {}{rate}", self.what, self.all));
                }
                None => {}
            }
        }
        self.go_on()
    }

    fn go_on(&self) -> ControlFlow<()> {
        match self.stop.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    /// The bar, so that it can make room while something else is told.
    pub fn aside(&self) -> Aside {
        Aside(self.bar.clone())
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// 10^9 grid points a second so far.
    fn rate(&self, step: usize) -> String {
        let seconds = self.started.elapsed().as_secs_f64();
        let rate = |points| format!(", {:.2} Gpts/s", step as f64 * points / seconds * 1e-9);
        self.points.map_or_else(String::new, rate)
    }
}

/// The bar of a run that is also told of by others.
pub struct Aside(Option<ProgressBar>);

impl Aside {
    /// Does something while the bar is away.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(bar) => bar.suspend(work),
            None => work(),
        }
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}, {eta} left");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
