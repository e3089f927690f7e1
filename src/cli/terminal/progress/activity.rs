//! An activity in progress and its description.

use crate::cli::terminal::escape;
use std::{
    fmt::Display,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

/// The unit of progress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Count {
    Nothing,
    Each,
    /// Shots, in batches that advance together.
    Shots {
        shots: usize,
        at_once: usize,
        length: usize,
    },
    /// Shots shared by devices, each at another step.
    Shared {
        shots: usize,
        devices: usize,
    },
    /// Repeated passes from the start; each step updates `points` nodes.
    Laps {
        length: usize,
        points: f64,
    },
}

/// An activity in progress. The worker updates it, and another thread shows it.
#[derive(Debug)]
pub(crate) struct Activity {
    what: String,
    count: Count,
    done: AtomicUsize,
    all: AtomicUsize,
    started: Instant,
    lap: Mutex<Lap>,
}

/// The steps of the current batch.
#[derive(Clone, Copy, Debug)]
struct Lap {
    /// Time of the first update, and the count then.
    since: Instant,
    from: usize,
    /// Time of the last update. Later work, such as the files of a shot, is not included in its
    /// time.
    heard: Instant,
}

impl Activity {
    pub(crate) fn new(what: impl Display, count: Count, all: usize) -> Self {
        let (started, zero) = (Instant::now(), AtomicUsize::new(0));
        let lap = Mutex::new(Lap { since: started, from: 0, heard: started });
        let all = AtomicUsize::new(all);
        Activity { what: escape::line(what), count, done: zero, all, started, lap }
    }

    pub(crate) fn all(&self) -> usize {
        self.all.load(Ordering::Relaxed)
    }

    fn done(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }

    pub(crate) fn set(&self, done: usize, all: usize, now: Instant) {
        let before = self.done.swap(done, Ordering::Relaxed);
        self.all.store(all, Ordering::Relaxed);
        if let Count::Laps { length, .. } = self.count {
            let mut at = self.lap.lock().unwrap_or_else(PoisonError::into_inner);
            if lap(before, length) != lap(done, length) {
                (at.since, at.from) = (now, done);
            }
            at.heard = now;
        }
    }

    pub(crate) fn add(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn age(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.started)
    }

    /// Position and length of the bar; none if nothing is counted, or not yet.
    pub(crate) fn bar(&self) -> Option<(usize, usize)> {
        let (done, all) = (self.done(), self.all());
        match self.count {
            Count::Nothing => None,
            _ if all == 0 => None,
            Count::Each | Count::Shots { .. } | Count::Shared { .. } => Some((done, all)),
            Count::Laps { length, .. } => Some((in_lap(done, length), length)),
        }
    }

    /// ", 0.42 shots/s", from the number of shots in the total.
    fn rate(&self, shots: usize, now: Instant) -> String {
        let part = self.done() as f64 / self.all() as f64;
        match self.done() {
            0 => String::new(),
            _ => format!(", {:.2} shots/s", part * shots as f64 / self.age(now).as_secs_f64()),
        }
    }

    /// "412 of 1000 steps, 1.32 Gpts/s, 3 s left".
    pub(crate) fn words(&self, now: Instant) -> String {
        let (done, all, what) = (self.done(), self.all(), &self.what);
        let counted = |done: usize, all: usize| format!("{done} of {all} {what}s");
        match self.count {
            Count::Nothing => format!("{what}, {}", seconds(self.age(now).as_secs_f64())),
            _ if all == 0 => format!("{what}s"),
            Count::Each => counted(done, all) + &left(done, all, self.age(now)),
            Count::Shots { shots, at_once, length } => {
                let through = shots.min(done / length.max(1) * at_once);
                counted(through, shots) + &self.rate(shots, now) + &left(done, all, self.age(now))
            }
            Count::Shared { shots, devices } => {
                let percent = done * 100 / all;
                let of = format!("{percent} % of {shots} shots on {devices} devices");
                of + &self.rate(shots, now) + &left(done, all, self.age(now))
            }
            Count::Laps { length, points } => {
                let lap = *self.lap.lock().unwrap_or_else(PoisonError::into_inner);
                let took = lap.heard.saturating_duration_since(lap.since);
                let made = done.saturating_sub(lap.from);
                let rate = made as f64 * points / took.as_secs_f64().max(1e-9) * 1e-9;
                let rate = if made > 0 { format!(", {rate:.2} Gpts/s") } else { String::new() };
                let done = in_lap(done, length);
                counted(done, length) + &rate + &left(made, made + length - done, took)
            }
        }
    }
}

/// The lap of a step; at the end, the last one.
fn lap(done: usize, length: usize) -> usize {
    done.saturating_sub(1) / length.max(1)
}

fn in_lap(done: usize, length: usize) -> usize {
    done - lap(done, length) * length
}

/// ", 12 s left", extrapolated from the time so far; nothing once all is done, as work that is not
/// counted may follow.
fn left(done: usize, all: usize, took: Duration) -> String {
    if done == 0 || done >= all {
        return String::new();
    }
    let ahead = all.saturating_sub(done) as f64 / done as f64;
    format!(", {} left", seconds(took.as_secs_f64() * ahead))
}

fn seconds(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..100 => format!("{whole} s"),
        100..6000 => format!("{} min", (whole + 30) / 60),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(activity: &Activity, seconds: f64) -> Instant {
        activity.started + Duration::from_secs_f64(seconds)
    }

    #[test]
    fn what_is_counted_is_told_with_the_time_left() {
        let activity = Activity::new("picture", Count::Each, 12);
        assert_eq!(activity.words(after(&activity, 1.0)), "0 of 12 pictures");
        (0..3).for_each(|_| activity.add());
        assert_eq!(activity.words(after(&activity, 2.0)), "3 of 12 pictures, 6 s left");
        assert_eq!(activity.bar(), Some((3, 12)));
        let activity = Activity::new("reading salt.npy", Count::Nothing, 0);
        assert_eq!(activity.words(after(&activity, 3.2)), "reading salt.npy, 3 s");
        assert_eq!(activity.bar(), None);
        let activity = Activity::new("timed run", Count::Each, 0);
        assert_eq!(
            (activity.words(after(&activity, 9.0)).as_str(), activity.bar()),
            ("timed runs", None)
        );
    }

    #[test]
    fn the_steps_of_a_batch_are_counted_by_themselves() {
        // Five shots two at a time, 100 steps each of 10^7 nodes.
        let steps = Activity::new("step", Count::Laps { length: 100, points: 1e7 }, 300);
        let shots = Activity::new("shot", Count::Shots { shots: 5, at_once: 2, length: 100 }, 300);
        let tell = |done, seconds| {
            let now = after(&steps, seconds);
            steps.set(done, 300, now);
            shots.set(done, 300, now);
            (steps.words(now), shots.words(after(&shots, seconds)))
        };
        let (of_steps, of_shots) = tell(50, 2.0);
        assert_eq!(of_steps, "50 of 100 steps, 0.25 Gpts/s, 2 s left");
        assert_eq!(of_shots, "0 of 5 shots, 0.42 shots/s, 10 s left");
        let (of_steps, of_shots) = tell(100, 4.0);
        assert_eq!(of_steps, "100 of 100 steps, 0.25 Gpts/s");
        let writing = after(&steps, 13.0);
        assert_eq!(steps.words(writing), of_steps, "files are none of the steps' time");
        assert_eq!(of_shots, "2 of 5 shots, 0.42 shots/s, 8 s left");
        assert_eq!(steps.bar(), Some((100, 100)));
        // Writing the files of the first two took 10 s, which the rate excludes and the time left
        // includes.
        let (of_steps, _) = tell(110, 14.0);
        assert_eq!((of_steps.as_str(), steps.bar()), ("10 of 100 steps", Some((10, 100))));
        let (of_steps, of_shots) = tell(150, 15.0);
        assert_eq!(of_steps, "50 of 100 steps, 0.40 Gpts/s, 1 s left");
        assert_eq!(of_shots, "2 of 5 shots, 0.17 shots/s, 15 s left");
        assert_eq!(tell(300, 20.0).1, "5 of 5 shots, 0.25 shots/s");
    }

    #[test]
    fn shots_of_several_devices_are_told_together() {
        let activity = Activity::new("shot", Count::Shared { shots: 12, devices: 2 }, 1200);
        let now = after(&activity, 10.0);
        activity.set(300, 1200, now);
        assert_eq!(activity.words(now), "25 % of 12 shots on 2 devices, 0.30 shots/s, 30 s left");
    }

    #[test]
    fn times_are_told_in_words() {
        let told = [0.3, 99.4, 100.0, 5999.0, 9000.0].map(seconds);
        assert_eq!(told, ["0 s", "99 s", "2 min", "100 min", "2.5 h"]);
    }
}
