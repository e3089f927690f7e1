//! Progress of running work: bars on a terminal, plain lines elsewhere, nothing with `--quiet`.
//! Work that ends within half a second is not shown. Ctrl-C stops a run at the next submit.

mod activity;
mod screen;
mod stop;

pub(crate) use screen::{LogLines, above, be_quiet, tell, write_line};
pub(crate) use stop::{Ends, end_on_ctrl_c, stop_on_ctrl_c};

use crate::{cli::ranks, results::Shown, run::Activity as Work};
use activity::{Activity, Count};
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
pub(crate) struct Progress {
    activity: Arc<Activity>,
    stop: Arc<AtomicBool>,
}

/// An uncounted activity: "reading salt.npy".
pub(crate) fn doing(what: impl Display) -> Progress {
    Progress::new(Activity::new(what, Count::Nothing, 0), Arc::default())
}

/// Writes a file; `write` is told whether Ctrl-C was pressed.
pub(crate) fn writing<T>(path: &Path, write: impl FnOnce(&dyn Fn() -> bool) -> T) -> T {
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
    pub(crate) fn listening(what: &str, stop: Arc<AtomicBool>) -> Self {
        Progress::new(Activity::new(what, Count::Each, 0), stop)
    }

    /// Some work of a run, until Ctrl-C.
    pub(crate) fn of(work: Work<'_>, stop: Arc<AtomicBool>) -> Self {
        let (what, count, all) = match work {
            Work::Doing(what) => (what, Count::Nothing, 0),
            Work::Counting(what, all) => (what, Count::Each, all),
            Work::Steps { devices, shots, steps, .. } if devices > 1 && shots > 1 => {
                ("shot", Count::Shared { shots, devices }, steps)
            }
            Work::Steps { lap: length, steps, updates: points, .. } => {
                ("step", Count::Laps { length, points }, steps)
            }
            Work::Shots { shots, at_once, lap: length, steps } => {
                ("shot", Count::Shots { shots, at_once, length }, steps)
            }
        };
        Progress::new(Activity::new(what, count, all), stop)
    }

    /// Updates the count and the total; `Break` after Ctrl-C.
    pub(crate) fn hear_of(&self, done: usize, all: usize) -> ControlFlow<()> {
        self.activity.set(done, all, Instant::now());
        self.go_on()
    }

    fn go_on(&self) -> ControlFlow<()> {
        match self.stop.load(Ordering::Relaxed) || ranks::is_ended_elsewhere() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

/// Shows the progress of results, until Ctrl-C.
pub(crate) fn show(
    stop: &Arc<AtomicBool>,
) -> impl Fn(&str, usize) -> Box<dyn Shown> + Sync + use<> {
    let stop = stop.clone();
    move |what, all| {
        let work = if all == 0 { Work::Doing(what) } else { Work::Counting(what, all) };
        Box::new(Progress::of(work, stop.clone()))
    }
}

impl Shown for Progress {
    fn one_more(&self) -> ControlFlow<()> {
        self.activity.add();
        self.go_on()
    }

    fn hear(&self, done: usize) -> ControlFlow<()> {
        self.hear_of(done, self.activity.all())
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        screen::take_away(&self.activity);
    }
}
