//! The arguments of the command line.

use crate::{dist::Dist, test::Tests};
use std::path::PathBuf;

/// One chore with its options.
#[derive(Debug, PartialEq)]
pub enum Chore {
    /// Lists the chores.
    Help,
    /// Runs all tests.
    Test {
        /// What of it.
        tests: Tests,
        /// Whether a survey is modelled by an array of Slurm's tasks, too.
        slurm: bool,
        /// Whether jobs are shared by the ranks of MPI, too.
        mpi: bool,
        /// Whether the Python package is tested instead.
        python: bool,
        /// Whether the page is tested in a browser instead.
        web: bool,
    },
    /// Runs what must pass before a change is merged.
    Ci {
        /// Whether all systems, drivers, long studies, the manual's book and the browser are added.
        full: bool,
    },
    /// Writes digests of the outputs of every command.
    Golden {
        /// The folder of another checkout, whose digests must be the same.
        against: Option<PathBuf>,
    },
    /// Tells the size of the source, and whether its layers hold.
    Layout,
    /// Runs random jobs against the oracle.
    Soak {
        /// How long.
        minutes: f64,
        /// The first job; without it, one of the day.
        seed: Option<u64>,
    },
    /// Runs the benchmarks.
    Bench {
        /// Whether the program is timed beside Deepwave, Devito and C instead.
        peers: bool,
        /// The arguments after `--`, for the benchmarks.
        args: Vec<String>,
    },
    /// Builds the wheel of the Python package.
    Wheel,
    /// Makes what ships.
    Dist(Dist),
    /// Builds the page that computes in a browser.
    Web,
    /// Runs the test of each compute kernel's validity.
    Shaders,
    /// Builds the manual.
    Docs,
    /// Draws the pictures of the documentation.
    Figures,
    /// Draws those that commands of pages draw.
    Pages,
    /// Measures the accuracy and writes its tables and pictures.
    Accuracy,
    /// Does the experiments of the four papers and writes their pages.
    Papers,
}

struct Entry {
    name: &'static str,
    usage: &'static str,
    about: &'static str,
}

#[rustfmt::skip]
const ENTRIES: [Entry; 13] = [
    Entry { name: "help", usage: "help", about: "lists the chores" },
    Entry { name: "test", usage: "test [--full] [--no-install] [--peers] [--slurm] [--mpi] [--python|--web] [-- ARGS]", about: "runs the tests; --full runs all cases on all drivers; on Linux installs a Vulkan driver where there is none; with --peers tests against other codes too, with --slurm a survey on Slurm, with --mpi jobs over ranks; with --python those of the Python package instead, with --web the page in a browser" },
    Entry { name: "ci", usage: "ci [--full]", about: "runs what must pass before a change lands, and stops at the first failure; with --full also what TESTING.md lists as full: all systems, drivers and studies, the book, the browser and a long soak" },
    Entry { name: "golden", usage: "golden [--against CHECKOUT]", about: "writes SHA-256 of the outputs of every command on reference, cpu and lavapipe to target/golden.txt; fails if those of another checkout's program differ" },
    Entry { name: "layout", usage: "layout", about: "prints the size of the source by folders; fails if an import goes upward through the layers of ARCHITECTURE.md" },
    Entry { name: "soak", usage: "soak [--minutes N] [--seed S]", about: "runs random small jobs on every engine against the oracle, for 10 minutes; shrinks and prints one that fails" },
    Entry { name: "bench", usage: "bench [--peers] [-- ARGS]", about: "runs the benchmarks; with --peers times whole jobs beside Deepwave, Devito and C instead" },
    Entry { name: "wheel", usage: "wheel", about: "builds the Python package as target/wheels/*.whl" },
    Entry { name: "dist", usage: "dist [--only TARGET]... [--test]", about: "makes what ships in target/artefacts: archives, wheels, packages for Debian, checksums, bills of materials, release notes; with --test installs it in clean systems of two Debian releases instead" },
    Entry { name: "web", usage: "web", about: "builds the page that computes in a browser as target/web" },
    Entry { name: "shaders", usage: "shaders", about: "tells for each compute kernel whether it is valid" },
    Entry { name: "docs", usage: "docs", about: "builds the manual as target/book; fails where a link leads nowhere or a page is not listed" },
    Entry { name: "figures", usage: "figures [pages|accuracy|papers]", about: "draws the pictures of the documentation; or only those that commands of its pages draw; or measures what docs/accuracy.md says; or runs the commands of docs/papers and writes their numbers" },
];

/// The flags of `test` before `--`.
const TEST_FLAGS: [&str; 7] =
    ["--full", "--no-install", "--peers", "--slurm", "--mpi", "--python", "--web"];

/// The list of chores, one line each.
pub fn help() -> String {
    let line = |entry: &Entry| format!("  {:<58} {}\n", entry.usage, entry.about);
    let lines: String = ENTRIES.iter().map(line).collect();
    format!("The chores of huygens\n\nUsage: cargo xtask CHORE\n\n{lines}")
}

/// The chore that the words of the command line name, or what is wrong with them.
pub fn parse(line: &[String]) -> Result<Chore, String> {
    let words: Vec<&str> = line.iter().map(String::as_str).collect();
    let (ours, passed) = match words.iter().position(|word| *word == "--") {
        Some(at) => (&words[..at], Some(&words[at + 1..])),
        None => (&words[..], None),
    };
    if ours.iter().any(|word| ["-h", "--help"].contains(word)) {
        return Ok(Chore::Help);
    }
    let args = passed.unwrap_or_default().iter().map(ToString::to_string).collect();
    match (ours, passed) {
        (["help"], None) => Ok(Chore::Help),
        (["test", flags @ ..], _) if flags.iter().all(|flag| TEST_FLAGS.contains(flag)) => {
            let [full, no_install, peers, slurm, mpi, python, web] =
                TEST_FLAGS.map(|flag| flags.contains(&flag));
            let tests = Tests { install: !no_install, full, peers, args };
            Ok(Chore::Test { tests, slurm, mpi, python, web })
        }
        (["ci"], None) => Ok(Chore::Ci { full: false }),
        (["ci", "--full"], None) => Ok(Chore::Ci { full: true }),
        (["golden"], None) => Ok(Chore::Golden { against: None }),
        (["golden", "--against", checkout], None) => {
            Ok(Chore::Golden { against: Some(checkout.into()) })
        }
        (["layout"], None) => Ok(Chore::Layout),
        (["soak", flags @ ..], None) => soak(flags).ok_or_else(|| wrong("soak")),
        (["bench"], _) => Ok(Chore::Bench { peers: false, args }),
        (["bench", "--peers"], _) => Ok(Chore::Bench { peers: true, args }),
        (["wheel"], None) => Ok(Chore::Wheel),
        (["dist", flags @ ..], None) => dist(flags).ok_or_else(|| wrong("dist")),
        (["web"], None) => Ok(Chore::Web),
        (["shaders"], None) => Ok(Chore::Shaders),
        (["docs"], None) => Ok(Chore::Docs),
        (["figures"], None) => Ok(Chore::Figures),
        (["figures", "pages"], None) => Ok(Chore::Pages),
        (["figures", "accuracy"], None) => Ok(Chore::Accuracy),
        (["figures", "papers"], None) => Ok(Chore::Papers),
        ([], _) => Err(format!("no chore is named\n\n{}", help().trim_end())),
        ([name, ..], _) => Err(wrong(name)),
    }
}

/// How long `cargo xtask soak` runs, minutes.
const SOAK: f64 = 10.0;

/// The soak that its flags ask for.
fn soak(flags: &[&str]) -> Option<Chore> {
    let (mut minutes, mut seed) = (SOAK, None);
    for pair in flags.chunks(2) {
        match pair {
            ["--minutes", value] => {
                minutes = value.parse().ok().filter(|m: &f64| m.is_finite() && *m > 0.0)?
            }
            ["--seed", value] => seed = Some(value.parse().ok()?),
            _ => return None,
        }
    }
    Some(Chore::Soak { minutes, seed })
}

/// What its flags ask to make.
fn dist(flags: &[&str]) -> Option<Chore> {
    let (mut dist, mut flags) = (Dist::default(), flags.iter());
    while let Some(flag) = flags.next() {
        match *flag {
            "--only" => dist.only.push((*flags.next()?).into()),
            "--test" => dist.test = true,
            _ => return None,
        }
    }
    Some(Chore::Dist(dist))
}

/// A known chore was called wrongly, or there is none of this name.
fn wrong(name: &str) -> String {
    if let Some(entry) = ENTRIES.iter().find(|entry| entry.name == name) {
        return format!("`{name}` is called as `cargo xtask {}`", entry.usage);
    }
    let names = ENTRIES.map(|entry| entry.name);
    let distance = |known: &&str| strsim::damerau_levenshtein(name, known);
    let near = names.into_iter().min_by_key(distance).filter(|known| distance(known) <= 2);
    let hint = near.map_or(String::new(), |known| format!("did you mean `{known}`? "));
    format!("there is no chore `{name}`; {hint}The chores are {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Chore, String> {
        parse(&line.split_whitespace().map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn each_listed_chore_is_known() {
        assert_eq!(parsed("figures accuracy"), Ok(Chore::Accuracy));
        assert_eq!(parsed("figures papers"), Ok(Chore::Papers));
        for entry in ENTRIES {
            assert!(parsed(entry.name).is_ok(), "{}", entry.name);
            assert!(entry.usage.starts_with(entry.name));
        }
    }

    #[test]
    fn arguments_after_two_dashes_are_passed_on() {
        let args = ["--test", "cli", "--", "--nocapture"].map(String::from).to_vec();
        let of = |tests: Tests, slurm: bool| {
            Ok(Chore::Test { tests, slurm, mpi: slurm, python: false, web: false })
        };
        let named = Tests { args, ..Tests::default() };
        assert_eq!(parsed("test --no-install -- --test cli -- --nocapture"), of(named, false));
        let plain = Tests { install: true, ..Tests::default() };
        assert_eq!(parsed("test"), of(plain, false));
        let full = Tests { install: true, full: true, ..Tests::default() };
        assert_eq!(parsed("test --full"), of(full, false));
        let all = Tests { peers: true, ..Tests::default() };
        assert_eq!(parsed("test --slurm --mpi --peers --no-install"), of(all, true));
        assert_eq!(
            parsed("bench -- --help"),
            Ok(Chore::Bench { peers: false, args: vec!["--help".into()] })
        );
    }

    #[test]
    fn a_soak_has_a_length_and_a_seed() {
        assert_eq!(parsed("soak"), Ok(Chore::Soak { minutes: SOAK, seed: None }));
        let given = parsed("soak --seed 7 --minutes 0.5");
        assert_eq!(given, Ok(Chore::Soak { minutes: 0.5, seed: Some(7) }));
    }

    #[test]
    fn a_release_is_made_for_some_systems() {
        assert_eq!(parsed("dist"), Ok(Chore::Dist(Dist::default())));
        let only = Dist { only: vec!["a".into(), "b".into()], test: true };
        assert_eq!(parsed("dist --only a --test --only b"), Ok(Chore::Dist(only)));
        assert!(parsed("dist --only").unwrap_err().contains("dist [--only TARGET]... [--test]"));
    }

    #[test]
    fn help_is_had_in_three_ways() {
        for line in ["help", "-h", "test --help"] {
            assert_eq!(parsed(line), Ok(Chore::Help));
        }
    }

    #[test]
    fn wrong_lines_say_what_is_right() {
        assert!(parsed("").unwrap_err().contains("cargo xtask CHORE"));
        assert!(parsed("tset").unwrap_err().contains("did you mean `test`?"));
        assert!(parsed("deploy").unwrap_err().ends_with(
            "help, test, ci, golden, layout, soak, bench, wheel, dist, web, shaders, docs, figures"
        ));
        assert!(parsed("test --instal").unwrap_err().contains(
            "test [--full] [--no-install] [--peers] [--slurm] [--mpi] [--python|--web] [-- ARGS]"
        ));
        assert!(parsed("figures speed").unwrap_err().contains("figures [pages|accuracy|papers]"));
        for line in ["soak --minutes", "soak --minutes -1", "soak 3", "soak --seed x"] {
            assert!(
                parsed(line).unwrap_err().ends_with("soak [--minutes N] [--seed S]`"),
                "{line}"
            );
        }
        assert!(parsed("ci -- --release").unwrap_err().ends_with("`cargo xtask ci [--full]`"));
    }
}
