//! Random jobs against the oracle (`tests/soak/`).

use crate::{
    mpi,
    run::{Outcome, cargo, run},
    test::REQUIRE,
    vulkan::{self, Driver},
};
use std::time::{SystemTime, UNIX_EPOCH};

/// How long it runs and where it begins, as the test reads them.
const MINUTES: &str = "HUYGENS_SOAK_MINUTES";
const SEED: &str = "HUYGENS_SOAK_SEED";
/// Makes Mesa's software Vulkan fill new memory with rubbish, so that what reads it is seen.
const POISON: &str = "LVP_POISON_MEMORY";
/// More jobs than a day takes: the jobs of two days differ.
const OF_A_DAY: u64 = 10_000_000;
const DAY: u64 = 24 * 60 * 60;

/// Runs jobs for some minutes, from a seed or that of the day on.
pub fn soak(minutes: f64, seed: Option<u64>) -> Outcome {
    let seed = seed.unwrap_or_else(of_the_day);
    println!("{minutes} minutes from seed {seed} on");
    let mut test = cargo(&["test"]);
    test.args(mpi::all()).args(["--test", "soak", "random_jobs", "--", "--nocapture"]);
    test.env(MINUTES, minutes.to_string()).env(SEED, seed.to_string()).env(POISON, "true");
    if !matches!(vulkan::driver(), Driver::Missing { .. }) {
        test.env(REQUIRE, "1");
    }
    run(&mut test)
}

/// A seed that changes every day.
fn of_the_day() -> u64 {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    seconds / DAY * OF_A_DAY
}
