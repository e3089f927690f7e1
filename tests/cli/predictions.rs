//! The memory that `check` predicts beside what commands hold: their largest resident memory, which
//! does not depend on their speed.

use crate::{
    common::all_or,
    memory_cases::{CASES, Case, SHOT},
    run::{command, exits, said, says, with_job},
};
use std::{fs, path::Path, process::Stdio, thread::sleep, time::Duration};

/// The largest resident memory of a command, bytes, and whether it succeeded.
fn peak(folder: &Path, words: &[&str]) -> (f64, bool) {
    let mut run = command(folder, words);
    let mut run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
    let status = format!("/proc/{}/status", run.id());
    let mut most = 0.0f64;
    while run.try_wait().expect("a child").is_none() {
        let told = fs::read_to_string(&status).unwrap_or_default();
        let line = told.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
        most = most.max(kib.unwrap_or(0.0));
        sleep(Duration::from_millis(1));
    }
    (1024.0 * most, run.wait().expect("over").success())
}

impl Case {
    /// What the command holds, and what is said that it does: by `check` or, of a section that is
    /// made, by its refusal.
    fn measured(&self) -> (f64, f64) {
        let folder = with_job(self.job());
        let at = folder.path();
        let words = self.begin(at);
        let (used, succeeded) = peak(at, &words);
        assert!(succeeded, "{}", self.name);
        let predicted = match (self.command, self.seen) {
            ("zero-offset", []) => refusal(at, &words, 0.6 * used),
            _ => self.predicted(at, &[]).iter().map(|(_, bytes)| bytes).sum(),
        };
        let (ratio, mb) = (used / predicted, 1e-6 * used);
        println!("{}: {mb:.0} MB, {ratio:.2} of the predicted", self.name);
        (used, predicted)
    }
}

/// What a command says that it would take, with the program, where so many bytes are allowed.
fn refusal(at: &Path, words: &[&str], bytes: f64) -> f64 {
    let cap = format!("{}", 1e-9 * bytes);
    let told = said(&exits(2, at, &[words, &["--max-memory", &cap]].concat()));
    says(&told, &["huygens zero-offset (", "--max-memory"]);
    let (_, rest) = told.split_once("would take ").expect("it says how much");
    let mut words = rest.split_whitespace();
    let number: f64 = words.next().and_then(|number| number.parse().ok()).expect("a number");
    let unit = words.next().map(|unit| unit.trim_end_matches(','));
    let scale = match unit {
        Some("GiB") => 1u64 << 30,
        Some("MiB") => 1 << 20,
        _ => panic!("{unit:?}"),
    };
    number * scale as f64 + 24.0 * f64::from(1 << 20)
}

/// Bytes from which a prediction is held to a ratio.
const LARGE: f64 = 200e6;

#[test]
fn predictions_are_what_is_used() {
    let some = [
        "a plane",
        "a plane whose density varies",
        "traces",
        "snapshots of a plane",
        "a migration of a large plane",
        "a section of many traces",
        "a search of many traces",
    ];
    let some: Vec<_> = CASES.iter().filter(|case| some.contains(&case.name)).cloned().collect();
    let wrong = all_or(&CASES, &some).into_iter().filter_map(|case| {
        let (used, predicted) = case.measured();
        let is_right = match used.max(predicted) < LARGE {
            true => (used - predicted).abs() <= 50e6,
            false => (0.8..=1.25).contains(&(used / predicted)),
        };
        (!is_right).then(|| format!("{}: {used:.3e} of {predicted:.3e} bytes", case.name))
    });
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The same cap refuses a job in `check` and in its run, before its model is built.
#[test]
fn what_is_refused_is_not_built() {
    let job = SHOT.clone();
    let folder = with_job(Case { nodes: &[20_000, 20_000], ..job }.job());
    for word in ["check", "shot", "rtm", "locate", "zero-offset"] {
        let words = [word, "job.toml", "--backend", "cpu", "--max-memory", "4"];
        says(
            &said(&exits(2, folder.path(), &words)),
            &["20000 x 20000 nodes", "nodes fit", "--max-memory"],
        );
        // The model alone takes 1.6 GB.
        assert!(peak(folder.path(), &words).0 < 3e8);
    }
}

/// A migration that holds more than its cap is refused by `check` too, and named.
#[test]
fn check_compares_with_the_cap() {
    let migration = CASES.iter().find(|case| case.name == "offset gathers").expect("a case");
    let folder = with_job(migration.job());
    for word in ["check", "rtm"] {
        let words = [word, "job.toml", "--backend", "cpu", "--max-memory", "0.05"];
        says(&said(&exits(2, folder.path(), &words)), &["huygens rtm", "MiB of", "--max-memory"]);
    }
}

/// Receivers are counted before they are laid out.
#[test]
fn receivers_beyond_the_memory_are_refused() {
    let case = Case {
        shots: 12,
        more: "[survey.spread]\noffsets = { first = 0.0, increment = 0.0001, count = 1000000 }\nz = 20.0\nends = \"roll-off\"\n",
        nodes: &[50, 40],
        ..SHOT
    };
    let folder = with_job(case.job());
    let run = crate::limits::under(
        "ulimit -v 1000000",
        folder.path(),
        &["check", "job.toml", "--backend", "cpu"],
    );
    assert_eq!(run.status.code(), Some(2), "{}", said(&run));
    says(&said(&run), &["survey.spread", "the receivers of all shots", "give fewer"]);
}
