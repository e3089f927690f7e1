//! The terminal, shared by all displays: a thread draws it, so that it stays live during a long
//! submit or file access.

use super::{super::escape, activity::Activity, terminal};
use crate::cli::failure::named;
use huygens::message::Names;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::{
    fmt::Display,
    io::{self, IsTerminal, Write, stderr},
    sync::{
        Arc, LazyLock, Mutex, MutexGuard, PoisonError,
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

static QUIET: AtomicBool = AtomicBool::new(false);
static BARS: LazyLock<MultiProgress> =
    LazyLock::new(|| MultiProgress::with_draw_target(terminal::target()));
static SCREEN: Mutex<Screen> = Mutex::new(Screen { shown: Vec::new(), told: None, drawn: false });

/// The current activities, in order of start.
struct Screen {
    shown: Vec<(Arc<Activity>, Option<ProgressBar>)>,
    /// Time of the last plain line.
    told: Option<Instant>,
    /// True if a thread draws it.
    drawn: bool,
}

/// Silences messages and bars from now on.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Writes to standard error above the bars.
pub fn above<T>(write: impl FnOnce() -> T) -> T {
    BARS.suspend(write)
}

/// Writes a line to standard error, unless --quiet.
pub fn tell(line: impl Display) {
    if !QUIET.load(Ordering::Relaxed) {
        write_line(escape::line(line));
    }
}

/// Writes a line to standard error as it is; lost if that is closed.
pub fn write_line(line: impl Display) {
    // Errors are ignored.
    let _ = above(|| stderr().write_all(format!("{line}\n").as_bytes()));
}

/// Each event of the log as a line above the progress bars. Writing always succeeds: on an error
/// the log would report it on standard error, and panic.
pub struct LogLines(pub Option<Names>);

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

fn screen() -> MutexGuard<'static, Screen> {
    // The state left by a panicked thread is still drawable.
    SCREEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Shows an activity after a delay.
pub fn show(activity: &Arc<Activity>) {
    if QUIET.load(Ordering::Relaxed) {
        return;
    }
    let mut screen = screen();
    screen.shown.push((activity.clone(), None));
    if !std::mem::replace(&mut screen.drawn, true) {
        let terminal = stderr().is_terminal();
        let drawing = std::thread::Builder::new().spawn(move || draw_on(terminal));
        // If no thread can be started nothing is shown, but all work is done.
        screen.drawn = drawing.is_ok();
    }
}

/// Removes an activity.
pub fn take_away(activity: &Arc<Activity>) {
    let mut screen = screen();
    if let Some(at) = screen.shown.iter().position(|(shown, _)| Arc::ptr_eq(shown, activity)) {
        let (_, bar) = screen.shown.remove(at);
        if let Some(bar) = bar {
            bar.finish_and_clear();
            BARS.remove(&bar);
        }
    }
}

/// Draws while there are activities.
fn draw_on(terminal: bool) {
    loop {
        std::thread::sleep(REFRESH);
        let (mut screen, now) = (screen(), Instant::now());
        if screen.shown.is_empty() {
            screen.drawn = false;
            return;
        }
        match terminal {
            true => screen.draw(&BARS, now),
            false => {
                // Written without the lock: standard error may block.
                let line = screen.line(now);
                drop(screen);
                line.into_iter().for_each(write_line);
            }
        }
    }
}

impl Screen {
    fn draw(&mut self, bars: &MultiProgress, now: Instant) {
        for (activity, bar) in &mut self.shown {
            if activity.age(now) < PATIENCE {
                continue;
            }
            let bar = bar.get_or_insert_with(|| bars.add(ProgressBar::no_length()));
            match activity.bar() {
                Some((done, all)) => {
                    bar.set_style(style("{bar:30} {wide_msg}"));
                    bar.set_length(all as u64);
                    bar.set_position(done as u64);
                }
                None => bar.set_style(style("{wide_msg}")),
            }
            bar.set_message(activity.words(now));
            bar.tick();
        }
    }

    /// All activities in one line, every few seconds, then every minute.
    fn line(&mut self, now: Instant) -> Option<String> {
        let shown = self.shown.iter().filter(|(activity, _)| activity.age(now) >= PATIENCE);
        let words: Vec<_> = shown.map(|(activity, _)| activity.words(now)).collect();
        let oldest = self.shown.first().map(|(activity, _)| activity.age(now))?;
        let told = self.told.map_or(oldest, |told| now.saturating_duration_since(told).min(oldest));
        let pause = if oldest > MINUTE { MINUTE } else { LINES };
        if told < pause {
            return None;
        }
        self.told = Some(now);
        Some(words.join("; "))
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests {
    use super::{super::activity::Count, *};
    use indicatif::{ProgressDrawTarget, TermLike};
    use std::io::Result;

    /// A terminal that records its output.
    #[derive(Clone, Debug, Default)]
    struct Written(Arc<Mutex<String>>);

    impl Written {
        fn take(&self) -> String {
            std::mem::take(&mut self.0.lock().expect("no writer panics"))
        }
    }

    impl TermLike for Written {
        fn width(&self) -> u16 {
            80
        }
        fn move_cursor_up(&self, _: usize) -> Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> Result<()> {
            self.write_str(&format!("{text}\n"))
        }
        fn write_str(&self, text: &str) -> Result<()> {
            self.0.lock().expect("no writer panics").push_str(text);
            Ok(())
        }
        fn clear_line(&self) -> Result<()> {
            Ok(())
        }
        fn flush(&self) -> Result<()> {
            Ok(())
        }
    }

    const SHOTS: Count = Count::Shots { shots: 8, at_once: 1, length: 100 };

    fn activity(what: &str, count: Count, all: usize, done: usize) -> Arc<Activity> {
        let activity = Arc::new(Activity::new(what, count, all));
        activity.set(done, all, Instant::now());
        activity
    }

    #[test]
    fn bars_stand_below_each_other_once_half_a_second_is_over() {
        let terminal = Written::default();
        let target = ProgressDrawTarget::term_like(Box::new(terminal.clone()));
        let bars = MultiProgress::with_draw_target(target);
        let shots = activity("shot", SHOTS, 800, 250);
        let steps = activity("step", Count::Laps { length: 100, points: 1e6 }, 800, 250);
        let reading = activity("writing t.npy", Count::Nothing, 0, 0);
        let shown = [shots, steps, reading].map(|activity| (activity, None)).into();
        let mut screen = Screen { shown, told: None, drawn: true };
        let now = Instant::now();
        screen.draw(&bars, now + Duration::from_millis(300));
        assert_eq!(terminal.take(), "", "too soon");
        screen.draw(&bars, now + Duration::from_millis(1000));
        let drawn = terminal.take();
        // The last drawing has all three, in order.
        let last = drawn.rfind("2 of 8 shots, 2.50 shots/s, 2 s left").expect(&drawn);
        let places =
            ["50 of 100 steps", "writing t.npy, 1 s"].map(|words| drawn[last..].find(words));
        assert!(places[0].is_some() && places[0] < places[1], "{drawn}");
    }

    #[test]
    fn lines_come_every_five_seconds_and_then_every_minute() {
        let (shots, steps) =
            (activity("shot", SHOTS, 800, 250), activity("step", Count::Each, 100, 50));
        let shown = [shots, steps].map(|activity| (activity, None)).into();
        let mut screen = Screen { shown, told: None, drawn: true };
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
