//! What has been run, for the report.

use crate::{
    case::{Case, On},
    trial::Outcome,
};
use std::{
    collections::BTreeMap,
    fmt,
    time::{Duration, Instant},
};

/// Between two lines of progress.
const EVERY: Duration = Duration::from_secs(10);

pub struct Tally {
    started: Instant,
    told: Instant,
    cases: usize,
    counts: BTreeMap<String, (usize, f64)>,
    refused: BTreeMap<String, usize>,
    /// The largest error of the bar, and the number of its case.
    worst: (f64, u64),
}

impl Tally {
    pub fn new() -> Self {
        let started = Instant::now();
        let (counts, refused) = (BTreeMap::new(), BTreeMap::new());
        Tally { started, told: started, cases: 0, counts, refused, worst: (0.0, 0) }
    }

    pub fn add(&mut self, number: u64, case: &Case, outcome: Outcome, seconds: f64) {
        self.cases += 1;
        let error = match outcome {
            Outcome::Agrees(error) => error,
            Outcome::Refused(why) => return *self.refused.entry(why).or_default() += 1,
            Outcome::NotRun => return *self.refused.entry("no adapter".into()).or_default() += 1,
        };
        if error > self.worst.0 {
            self.worst = (error, number);
        }
        let engine = match &case.on {
            On::Cpu => "on the CPU".into(),
            On::Gpu(way) => {
                format!("on a GPU, {}", if way.checked { "checked" } else { "unchecked" })
            }
            On::Split { weights, .. } => format!("split over {}", weights.len()),
        };
        let features = case.features().into_iter().map(String::from);
        for name in features.chain([engine]) {
            let (count, took) = self.counts.entry(name).or_default();
            (*count, *took) = (*count + 1, *took + seconds);
        }
        if self.told.elapsed() >= EVERY {
            self.told = Instant::now();
            println!("{self}, at case {number}");
        }
    }

    /// How often each feature was run, and for how many seconds.
    pub fn table(&self) -> String {
        let run = self.counts.iter().map(|(name, (n, s))| format!("{n:>7} {s:>9.1} s  {name}\n"));
        let refused = self.refused.iter().map(|(why, n)| format!("{n:>7}  refused: {why}\n"));
        run.chain(refused).collect()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let refused: usize = self.refused.values().sum();
        let (worst, number) = self.worst;
        write!(
            f,
            "{} jobs in {:.0} s, {refused} of them refused; the largest error is {worst:.2} of the bar (case {number})",
            self.cases,
            self.started.elapsed().as_secs_f64(),
        )
    }
}
