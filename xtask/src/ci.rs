//! The checks that must pass before a change is merged.

use crate::{
    deny, docs, mpi, python,
    run::{Outcome, cargo, run},
    soak, targets, test, web,
};
use std::time::Instant;

type Part = (&'static str, fn() -> Outcome);

/// Runs each part, and stops at the first that fails.
pub fn ci() -> Outcome {
    let parts: [Part; 12] = [
        ("fmt", fmt),
        ("deny", deny::checked_if_there),
        ("obtain", obtain),
        ("clippy", clippy),
        ("targets", targets::check),
        ("test", test),
        ("soak", soaked),
        ("mpi", over_ranks),
        ("python", python::tested_if_there),
        ("web", web::tested_quickly),
        ("doc", doc),
        ("docs", docs::tested),
    ];
    let mut times = Vec::new();
    for (name, part) in parts {
        println!("\n=== {name}");
        let start = Instant::now();
        let outcome = part();
        let seconds = start.elapsed().as_secs_f64();
        println!("=== {name}: {seconds:.1} s");
        times.push((name, seconds));
        if let Err(why) = outcome {
            print!("{}", table(&times));
            return Err(format!("ci stopped at {name}: {why}"));
        }
    }
    print!("{}", table(&times));
    Ok(())
}

fn fmt() -> Outcome {
    run(&mut cargo(&["fmt", "--all", "--check"]))
}

fn clippy() -> Outcome {
    let what = ["clippy", "--all-targets"];
    run(cargo(&what).args(mpi::all()).args(["--", "-D", "warnings"]))
}

/// Built with the rest, so before it.
fn obtain() -> Outcome {
    if cfg!(target_os = "linux") { mpi::obtain(true) } else { Ok(()) }
}

fn test() -> Outcome {
    test::test(true, false, &[])
}

/// As long as a change may wait for it.
fn soaked() -> Outcome {
    soak::soak(2.0, Some(26))
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
    // With the examples, what is checked for it has the features that clippy had it checked with.
    let what = ["--workspace", "--no-deps", "--lib", "--bin", "xtask", "--examples"];
    run(cargo(&["doc"]).args(what).env("RUSTDOCFLAGS", "-D warnings"))
}

fn table(times: &[(&str, f64)]) -> String {
    let rows: String = times.iter().map(|(name, s)| format!("{name:<8} {s:>8.1}\n")).collect();
    format!("\n{:<8} {:>8}\n{rows}", "part", "seconds")
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_has_a_row_for_each_part() {
        let table = super::table(&[("fmt", 0.26), ("clippy", 101.0)]);
        assert_eq!(table, "\npart      seconds\nfmt           0.3\nclippy      101.0\n");
    }
}
