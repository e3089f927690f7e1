//! Progress of running work: bars on a terminal, plain lines elsewhere, nothing with `--quiet`.
//! Work that ends within half a second is not shown. Ctrl-C stops a run at the next submit.

mod activity;
mod screen;
mod stop;
mod terminal;

pub use screen::{LogLines, above, be_quiet, tell, write_line};
pub use stop::{Ends, end_on_ctrl_c, stop_on_ctrl_c};

use crate::cli::ranks;
use activity::{Activity, Count};
use huygens::results::Shown;
use std::{
    fmt::Display,
    ops::ControlFlow,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

/// A progress display, shown until dropped, below those that started earlier.
pub struct Progress {
    activity: Arc<Activity>,
    stop: Arc<AtomicBool>,
}

/// An uncounted activity: "reading salt.npy".
pub fn doing(what: impl Display) -> Progress {
    Progress::new(Activity::new(what, Count::Nothing, 0), Arc::default())
}

/// Writes a file; `write` is told whether Ctrl-C was pressed.
pub fn writing<T>(path: &Path, write: impl FnOnce(&dyn Fn() -> bool) -> T) -> T {
    let _writing = doing(format!("writing {}", path.display()));
    let stop = stop_on_ctrl_c();
    write(&|| stop.load(Ordering::Relaxed))
}

impl Progress {
    fn new(activity: Activity, stop: Arc<AtomicBool>) -> Self {
        let activity = Arc::new(activity);
        screen::show(&activity);
        Progress { activity, stop }
    }

    /// A count of items with a total set by [`Progress::hear_of`].
    pub fn listening(what: &str, stop: Arc<AtomicBool>) -> Self {
        Progress::new(Activity::new(what, Count::Each, 0), stop)
    }

    /// A count of things or, with 0, something without a count, until Ctrl-C.
    pub fn of_count(what: &str, all: usize, stop: Arc<AtomicBool>) -> Self {
        let count = if all == 0 { Count::Nothing } else { Count::Each };
        Progress::new(Activity::new(what, count, all), stop)
    }

    /// Shots in batches of `at_once`, of `length` steps each and `all` in all.
    pub fn of_shots(shots: usize, at_once: usize, (length, all): (usize, usize)) -> Self {
        let count = Count::Shots { shots, at_once, length };
        Progress::new(Activity::new("shot", count, all), Arc::default())
    }

    /// Shots shared by `devices` devices, counted in the steps of every shot.
    pub fn of_devices(devices: usize, shots: usize, all: usize, stop: Arc<AtomicBool>) -> Self {
        Progress::new(Activity::new("shot", Count::Shared { shots, devices }, all), stop)
    }

    /// The steps of a run, shown per batch of shots of `length` steps each; each step updates
    /// `points` nodes.
    pub fn of_steps(length: usize, all: usize, points: f64, stop: Arc<AtomicBool>) -> Self {
        Progress::new(Activity::new("step", Count::Laps { length, points }, all), stop)
    }

    /// Updates the count and the total; `Break` after Ctrl-C.
    pub fn hear_of(&self, done: usize, all: usize) -> ControlFlow<()> {
        self.activity.set(done, all, Instant::now());
        self.go_on()
    }

    /// Updates the count; `Break` after Ctrl-C.
    pub fn hear(&self, done: usize) -> ControlFlow<()> {
        self.activity.set(done, self.activity.all(), Instant::now());
        self.go_on()
    }

    /// Counts one more.
    pub fn one_more(&self) {
        self.activity.add();
    }

    fn go_on(&self) -> ControlFlow<()> {
        match self.stop.load(Ordering::Relaxed) || ranks::is_ended_elsewhere() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

/// Shows the progress of results, until Ctrl-C.
pub fn show(stop: &Arc<AtomicBool>) -> impl Fn(&str, usize) -> Box<dyn Shown> + Sync + use<> {
    let stop = stop.clone();
    move |what, all| Box::new(Progress::of_count(what, all, stop.clone()))
}

impl Shown for Progress {
    fn one_more(&self) -> ControlFlow<()> {
        Progress::one_more(self);
        self.go_on()
    }

    fn hear(&self, done: usize) -> ControlFlow<()> {
        Progress::hear(self, done)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        screen::take_away(&self.activity);
    }
}
