//! The checks that must pass before a change lands, in two sizes.

use crate::{
    deny, docs, mpi, python,
    run::{Outcome, cargo, run},
    soak, targets,
    test::{self, Tests},
    web,
};
use std::time::Instant;

/// A part of the checks.
struct Part {
    name: &'static str,
    run: fn() -> Outcome,
}

const fn part(name: &'static str, run: fn() -> Outcome) -> Part {
    Part { name, run }
}

/// What every landing must pass.
const QUICK: [Part; 8] = [
    part("fmt", fmt),
    part("deny", deny::checked_if_there),
    part("obtain", obtain),
    part("clippy", clippy),
    part("test", || tested(false)),
    part("mpi", over_ranks),
    part("python", python::tested_if_there),
    part("doc", doc),
];

/// All there is: before a release, and after a change near what [`QUICK`] leaves out (TESTING.md).
const FULL: [Part; 12] = [
    part("fmt", fmt),
    part("deny", deny::checked_if_there),
    part("obtain", obtain),
    part("clippy", clippy),
    part("targets", targets::check),
    part("test", || tested(true)),
    part("mpi", over_ranks),
    part("python", python::tested_if_there),
    part("web", web::test),
    part("doc", doc),
    part("docs", docs::tested),
    part("soak", || soak::soak(SOAK, None)),
];

/// Minutes of random jobs.
const SOAK: f64 = 120.0;

/// Runs each part, and stops at the first that fails.
pub fn ci(full: bool) -> Outcome {
    let parts: &[Part] = if full { &FULL } else { &QUICK };
    let mut times = Vec::new();
    for Part { name, run } in parts {
        println!("\n=== {name}");
        let start = Instant::now();
        let outcome = run();
        let seconds = start.elapsed().as_secs_f64();
        println!("=== {name}: {seconds:.1} s");
        times.push((*name, seconds));
        if let Err(why) = outcome {
            print!("{}", table(&times));
            return Err(format!("ci stopped at {name}: {why}"));
        }
    }
    print!("{}", table(&times));
    if !full {
        let left = FULL.iter().filter(|part| QUICK.iter().all(|quick| quick.name != part.name));
        let left: Vec<_> = left.map(|part| part.name).collect();
        println!(
            "NOT RUN: {}, and long studies; `cargo xtask ci --full` runs them",
            left.join(", ")
        );
    }
    Ok(())
}

fn tested(full: bool) -> Outcome {
    test::test(&Tests { install: true, full, ..Tests::default() })
}

fn fmt() -> Outcome {
    run(&mut cargo(&["fmt", "--all", "--check"]))
}

fn clippy() -> Outcome {
    let what = ["clippy", "--all-targets"];
    run(cargo(&what).args(mpi::all()).args(["--", "-D", "warnings"]))
}

/// MPI changes the features of all builds, so it is installed before the first.
fn obtain() -> Outcome {
    if cfg!(target_os = "linux") { mpi::obtain(true) } else { Ok(()) }
}

/// Elsewhere than on Linux MPI is not installed for it.
fn over_ranks() -> Outcome {
    match cfg!(target_os = "linux") {
        true => mpi::test(),
        false => {
            println!("NOT RUN: jobs over the ranks of MPI are tested on Linux");
            Ok(())
        }
    }
}

fn doc() -> Outcome {
    // `--examples` makes `doc` reuse clippy's feature set.
    let what = ["--workspace", "--no-deps", "--lib", "--bin", "xtask", "--examples"];
    run(cargo(&["doc"]).args(what).env("RUSTDOCFLAGS", "-D warnings"))
}

fn table(times: &[(&str, f64)]) -> String {
    let rows: String = times.iter().map(|(name, s)| format!("{name:<8} {s:>8.1}\n")).collect();
    format!("\n{:<8} {:>8}\n{rows}", "part", "seconds")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_a_row_for_each_part() {
        let table = table(&[("fmt", 0.26), ("clippy", 101.0)]);
        assert_eq!(table, "\npart      seconds\nfmt           0.3\nclippy      101.0\n");
    }

    #[test]
    fn the_full_checks_leave_nothing_out() {
        for quick in &QUICK {
            assert!(FULL.iter().any(|part| part.name == quick.name), "{}", quick.name);
        }
    }
}
