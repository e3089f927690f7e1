//! The terminal, shared by all displays: a thread draws it, so that it stays live during a long
//! submit or file access.

use super::{super::escape, activity::Activity};
use crate::{cli::failure::named, message::Names};
use console::Term;
use std::{
    fmt::Display,
    io::{self, IsTerminal, Write, stderr},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// Shorter work is not shown.
const PATIENCE: Duration = Duration::from_millis(500);
/// Interval of drawings.
const REFRESH: Duration = Duration::from_millis(100);
/// Interval of plain lines, at first and after the first minute.
const LINES: Duration = Duration::from_secs(5);
const MINUTE: Duration = Duration::from_secs(60);
/// Width of a bar, columns.
const BAR: usize = 30;

static QUIET: AtomicBool = AtomicBool::new(false);
static SCREEN: Mutex<Screen> =
    Mutex::new(Screen { shown: Vec::new(), last_line: None, has_thread: false });
/// The bars on the terminal now, a line each.
static BARS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The current activities, in order of start.
struct Screen {
    shown: Vec<Arc<Activity>>,
    /// Time of the last plain line.
    last_line: Option<Instant>,
    /// True if a thread draws it.
    has_thread: bool,
}

/// Silences messages and bars from now on.
pub(crate) fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Writes to standard error above the bars.
pub(crate) fn above<T>(write: impl FnOnce() -> T) -> T {
    let mut bars = locked(&BARS);
    let drawn = std::mem::take(&mut *bars);
    draw(&mut bars, Vec::new(), drawn.len());
    let written = write();
    draw(&mut bars, drawn, 0);
    written
}

/// Puts bars in the place of as many lines of the terminal. A closed terminal shows nothing.
fn draw(bars: &mut Vec<String>, new: Vec<String>, old: usize) {
    if new.len() + old > 0 {
        let terminal = Term::buffered_stderr();
        let _ = terminal.clear_last_lines(old);
        new.iter().for_each(|line| _ = terminal.write_line(line));
        let _ = terminal.flush();
    }
    *bars = new;
}

/// Writes a line to standard error, unless --quiet.
pub(crate) fn tell(line: impl Display) {
    if !QUIET.load(Ordering::Relaxed) {
        write_line(escape::line(line));
    }
}

/// Writes a line to standard error as it is; lost if that is closed.
pub(crate) fn write_line(line: impl Display) {
    // Errors are ignored.
    let _ = above(|| stderr().write_all(format!("{line}\n").as_bytes()));
}

/// Each event of the log as a line above the progress bars. Writing always succeeds: on an error
/// the log would report it on standard error, and panic.
pub(crate) struct LogLines(pub Option<Names>);

impl Write for LogLines {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        write_line(escape::line(named(self.0, text.strip_suffix('\n').unwrap_or(&text))));
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The state that a panicked thread left is still drawable.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Shows an activity after a delay.
pub(crate) fn show(activity: &Arc<Activity>) {
    if QUIET.load(Ordering::Relaxed) {
        return;
    }
    let mut screen = locked(&SCREEN);
    screen.shown.push(activity.clone());
    if !std::mem::replace(&mut screen.has_thread, true) {
        let terminal = stderr().is_terminal();
        let drawing = std::thread::Builder::new().spawn(move || draw_on(terminal));
        // If no thread can be started nothing is shown, but all work is done.
        screen.has_thread = drawing.is_ok();
    }
}

/// Removes an activity.
pub(crate) fn take_away(activity: &Arc<Activity>) {
    let mut screen = locked(&SCREEN);
    screen.shown.retain(|shown| !Arc::ptr_eq(shown, activity));
    screen.redraw();
}

/// Draws while there are activities.
fn draw_on(terminal: bool) {
    loop {
        std::thread::sleep(REFRESH);
        let mut screen = locked(&SCREEN);
        if screen.shown.is_empty() {
            screen.has_thread = false;
            return;
        }
        match terminal {
            true => screen.redraw(),
            false => {
                // Written without the lock: standard error may block.
                let line = screen.line(Instant::now());
                drop(screen);
                line.into_iter().for_each(write_line);
            }
        }
    }
}

impl Screen {
    fn redraw(&self) {
        if !stderr().is_terminal() {
            return;
        }
        let new = self.bars(Instant::now(), Term::stderr().size().1.into());
        let mut bars = locked(&BARS);
        if *bars != new {
            let old = bars.len();
            draw(&mut bars, new, old);
        }
    }

    /// A line for each activity, of less than so many columns.
    fn bars(&self, now: Instant, width: usize) -> Vec<String> {
        let bar = |activity: &Arc<Activity>| {
            let bar = activity.bar().map_or_else(String::new, |(done, all)| {
                let full = (BAR * done / all.max(1)).min(BAR);
                format!("{}{} ", "\u{2588}".repeat(full), "\u{2591}".repeat(BAR - full))
            });
            let line = bar + &activity.words(now);
            line.chars().take(width.saturating_sub(1)).collect()
        };
        self.patient(now).map(bar).collect()
    }

    fn patient(&self, now: Instant) -> impl Iterator<Item = &Arc<Activity>> {
        self.shown.iter().filter(move |activity| activity.age(now) >= PATIENCE)
    }

    /// All activities in one line, every few seconds, then every minute.
    fn line(&mut self, now: Instant) -> Option<String> {
        let words: Vec<_> = self.patient(now).map(|activity| activity.words(now)).collect();
        let oldest = self.shown.first()?.age(now);
        let since =
            self.last_line.map_or(oldest, |at| now.saturating_duration_since(at).min(oldest));
        let pause = if oldest > MINUTE { MINUTE } else { LINES };
        if since < pause {
            return None;
        }
        self.last_line = Some(now);
        Some(words.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::activity::Count, *};

    const SHOTS: Count = Count::Shots { shots: 8, at_once: 1, length: 100 };

    fn activity(what: &str, count: Count, all: usize, done: usize) -> Arc<Activity> {
        let activity = Arc::new(Activity::new(what, count, all));
        activity.set(done, all, Instant::now());
        activity
    }

    #[test]
    fn bars_stand_below_each_other_once_half_a_second_is_over() {
        let shots = activity("shot", SHOTS, 800, 250);
        let steps = activity("step", Count::Laps { length: 100, points: 1e6 }, 800, 250);
        let reading = activity("writing t.npy", Count::Nothing, 0, 0);
        let shown = vec![shots, steps, reading];
        let screen = Screen { shown, last_line: None, has_thread: true };
        let bars = |seconds| screen.bars(Instant::now() + Duration::from_secs_f64(seconds), 80);
        assert!(bars(0.3).is_empty(), "too soon");
        let bars = bars(1.0);
        let bar = |full| "\u{2588}".repeat(full) + &"\u{2591}".repeat(BAR - full) + " ";
        assert_eq!(bars[0], bar(9) + "2 of 8 shots, 2.50 shots/s, 2 s left");
        assert!(bars[1].starts_with(&(bar(15) + "50 of 100 steps")), "{bars:?}");
        assert_eq!(bars[2..], ["writing t.npy, 1 s"]);
    }

    #[test]
    fn lines_come_every_five_seconds_and_then_every_minute() {
        let (shots, steps) =
            (activity("shot", SHOTS, 800, 250), activity("step", Count::Each, 100, 50));
        let shown = vec![shots, steps];
        let mut screen = Screen { shown, last_line: None, has_thread: true };
        let now = Instant::now();
        let mut at = |seconds: f64| screen.line(now + Duration::from_secs_f64(seconds));
        assert_eq!(at(4.9), None);
        let line = at(5.1).expect("five seconds are over");
        assert_eq!(line, "2 of 8 shots, 0.49 shots/s, 11 s left; 50 of 100 steps, 5 s left");
        assert_eq!(at(9.0), None);
        assert!(at(10.2).is_some());
        assert!(at(59.0).is_some());
        assert_eq!(at(118.0), None);
        assert!(at(119.1).is_some());
    }
}
