//! Random small jobs on every engine against the oracle: `cargo xtask soak`.
//!
//! A job is drawn from a number (`draw.rs`), run on an engine and on the oracle, and compared
//! (`trial.rs`). One that fails or panics is shrunk, and printed with its number.

#[path = "../common/mod.rs"]
mod common;

mod case;
mod draw;
mod migrated;
mod on;
mod tally;
mod trial;

use case::{Case, On, Task};
use proptest::{
    strategy::ValueTree,
    test_runner::{TestCaseError, TestError},
};
use std::{
    cell::Cell,
    env, panic,
    str::FromStr,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};
use tally::Tally;
use trial::Outcome;

/// For how many minutes it runs; without it, [`JOBS`] jobs.
const MINUTES: &str = "HUYGENS_SOAK_MINUTES";
/// The number of the first job.
const SEED: &str = "HUYGENS_SOAK_SEED";
const JOBS: u64 = 40;

#[test]
fn random_jobs_agree_with_the_oracle() {
    let minutes = given(MINUTES).map(|minutes: f64| Duration::from_secs_f64(60.0 * minutes));
    let first = given(SEED).unwrap_or(1);
    quieten();
    let (started, mut tally) = (Instant::now(), Tally::new());
    for number in first.. {
        let is_over = match minutes {
            Some(minutes) => started.elapsed() >= minutes,
            None => number - first >= JOBS,
        };
        if is_over {
            break;
        }
        let began = Instant::now();
        match job(number, &|case| trial::of(case)) {
            Ok((case, outcome)) => {
                tally.add(number, &case, outcome, began.elapsed().as_secs_f64());
            }
            Err(failure) => {
                TOLD.store(false, Ordering::Relaxed);
                println!("{tally}");
                panic!("{failure}");
            }
        }
    }
    println!("{}{tally}, from seed {first}", tally.table());
}

/// The value of a variable, if it is set.
fn given<T: FromStr>(name: &str) -> Option<T> {
    let value = env::var(name).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{name} is {value}")))
}

/// Whether a panic has been told since the last job began: a failure that is shrunk panics over and
/// over.
static TOLD: AtomicBool = AtomicBool::new(false);

fn quieten() {
    let tell = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !TOLD.swap(true, Ordering::Relaxed) {
            tell(info);
        }
    }));
}

/// Draws a job and runs it; if it fails, what is left of it when it is shrunk.
fn job(
    number: u64,
    run: &dyn Fn(&Case) -> Result<Outcome, String>,
) -> Result<(Case, Outcome), String> {
    TOLD.store(false, Ordering::Relaxed);
    let (mut runner, tree) = draw::numbered(number);
    let case = tree.current();
    let outcome = Cell::new(None);
    let tried = runner.run_one(tree, |case| match run(&case) {
        Ok(of_case) => {
            outcome.set(Some(of_case));
            Ok(())
        }
        Err(why) => Err(TestCaseError::fail(why)),
    });
    match tried {
        Ok(_) => Ok((case, outcome.take().unwrap_or(Outcome::NotRun))),
        Err(TestError::Abort(why)) => Err(format!("job {number} was not tried: {why}")),
        Err(TestError::Fail(why, least)) => Err(format!(
            "job {number} fails; again: cargo xtask soak --seed {number}\n{case:#?}\nshrunk: {why}\n{least:#?}"
        )),
    }
}

/// A test of the test: a coefficient that is 1 % off fails where a random field is stepped.
#[test]
fn a_wrong_coefficient_is_seen() {
    let wrong = |case: &Case| {
        let case = Case { on: On::Cpu, initial: true, ..case.clone() };
        trial::of_changed(&case, |plan| plan.operator.z.second[1] *= 1.01)
    };
    let models = |case: &Case| matches!(case.task, Task::Model(_)) && case.nodes.z > 2;
    let all: Vec<_> = (0..200).map(draw::numbered).map(|(_, tree)| tree.current()).collect();
    let (mut seen, mut run) = (0, 0);
    for case in all.iter().filter(|case| models(case)).take(20) {
        match wrong(case) {
            Ok(Outcome::Refused(_) | Outcome::NotRun) => {}
            Ok(Outcome::Agrees(_)) => run += 1,
            Err(_) => (run, seen) = (run + 1, seen + 1),
        }
    }
    assert!(run >= 10 && 10 * seen >= 8 * run, "{seen} of {run}");
}
