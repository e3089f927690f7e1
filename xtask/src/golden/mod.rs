//! Digests of what every command writes, to show that a change left the bits alone.

mod cases;
mod digest;

use crate::{
    run::{Outcome, root, run},
    vulkan::{self, Driver},
};
use cases::{CASES, Case, INPUTS, JOBS, LEFT_OUT};
use digest::digests;
use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The engines, each with its flags.
const ENGINES: [(&str, &[&str]); 3] = [
    ("reference", &["--backend", "reference", "--no-pictures"]),
    ("cpu", &["--backend", "cpu"]),
    ("lavapipe", &["--backend", "vulkan", "--adapter", "llvmpipe", "--no-pictures"]),
];

/// SHA-256 by case, engine and file; what was refused has the exit code.
type Digests = BTreeMap<String, String>;

/// Writes the digests of this checkout to `target/golden.txt`. With another checkout, runs its program on the same jobs and
/// fails if a digest differs.
pub fn golden(against: Option<&Path>) -> Outcome {
    let here = of_checkout(&root())?;
    let list: String = here.iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect();
    let file = root().join("target/golden.txt");
    fs::write(&file, list).map_err(|error| format!("{}: {error}", file.display()))?;
    println!("{} digests in {}", here.len(), file.display());
    let Some(against) = against else { return Ok(()) };
    let there = of_checkout(against)?;
    let differences = differences(&here, &there);
    for line in &differences {
        println!("{line}");
    }
    match differences.len() {
        0 => {
            println!("{} digests are equal", here.len());
            Ok(())
        }
        count => Err(format!("{count} of {} digests differ", here.len().max(there.len()))),
    }
}

fn differences(here: &Digests, there: &Digests) -> Vec<String> {
    let names: std::collections::BTreeSet<_> = here.keys().chain(there.keys()).collect();
    let differs = |name: &&&String| here.get(**name) != there.get(**name);
    let told = |name: &String| match (here.get(name), there.get(name)) {
        (Some(_), Some(_)) => format!("differs: {name}"),
        (Some(_), None) => format!("only here: {name}"),
        _ => format!("only there: {name}"),
    };
    names.iter().filter(differs).map(|name| told(name)).collect()
}

/// Builds the program of a checkout and runs it on all cases.
fn of_checkout(checkout: &Path) -> Result<Digests, String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    run(Command::new(cargo)
        .args(["build", "--release", "--bin", "huygens"])
        .current_dir(checkout))?;
    let program = checkout.join("target/release/huygens");
    let program =
        program.canonicalize().map_err(|error| format!("{}: {error}", program.display()))?;
    let folder = root().join("target/golden");
    fs::remove_dir_all(&folder).or_else(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Ok(()),
        _ => Err(format!("{}: {error}", folder.display())),
    })?;
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    write_jobs(&folder)?;
    for (job, why) in LEFT_OUT {
        println!("NOT RUN: {job}: {why}");
    }
    for words in INPUTS {
        if let Some(code) = huygens(&program, &folder, words)? {
            return Err(format!("`huygens {}` ended with exit code {code}", words.join(" ")));
        }
    }
    let mut all = Digests::new();
    for (engine, flags) in ENGINES {
        if engine == "lavapipe" && matches!(vulkan::driver(), Driver::Missing { .. }) {
            println!("NOT RUN on lavapipe: no Vulkan driver is installed");
            continue;
        }
        for case in &CASES {
            let out = format!("{}-{engine}", case.name);
            println!("{}: {engine}", case.name);
            if let Some(code) = huygens(&program, &folder, &words(case, flags, &out))? {
                all.insert(format!("{}/{engine}: exit code", case.name), code.to_string());
            }
            for (file, sum) in digests(&folder.join(&out))? {
                all.insert(format!("{}/{engine}/{file}", case.name), sum);
            }
        }
    }
    Ok(all)
}

fn words<'w>(case: &'w Case, flags: &[&'w str], out: &'w str) -> Vec<&'w str> {
    let set = case.set.iter().flat_map(|key| ["--set", key]);
    case.words.iter().chain(flags).copied().chain(set).chain(["--out", out]).collect()
}

/// Copies the shipped jobs of this checkout, and writes those of this chore.
fn write_jobs(folder: &Path) -> Outcome {
    let failed = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let shipped = root().join("assets/jobs");
    for name in shipped_jobs()? {
        let (from, to) = (shipped.join(&name), folder.join(&name));
        fs::copy(&from, &to).map_err(|error| failed(&from, error))?;
    }
    for (name, text) in JOBS {
        let path = folder.join(name).with_extension("toml");
        fs::write(&path, text).map_err(|error| failed(&path, error))?;
    }
    Ok(())
}

fn shipped_jobs() -> Result<Vec<PathBuf>, String> {
    let folder = root().join("assets/jobs");
    let entries =
        fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(entries.flatten().map(|entry| entry.file_name().into()).collect())
}

/// Runs the program quietly; its exit code if it is not 0.
fn huygens(program: &Path, folder: &Path, words: &[&str]) -> Result<Option<i32>, String> {
    let mut command = Command::new(program);
    command
        .arg("--quiet")
        .args(words)
        .current_dir(folder)
        .env("XDG_CACHE_HOME", folder.join("cache"));
    let output = command.output().map_err(|error| format!("{}: {error}", program.display()))?;
    match output.status.code() {
        Some(0) => Ok(None),
        Some(code) => Ok(Some(code)),
        None => Err(format!("`huygens {}` was killed", words.join(" "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_job_is_run_or_left_out_for_a_reason() {
        for job in shipped_jobs().expect("there") {
            let (file, name) = (job.to_string_lossy(), job.with_extension(""));
            let name = name.to_string_lossy();
            let runs = CASES.iter().any(|case| case.words.contains(&&*file));
            let is_left_out = LEFT_OUT.iter().any(|(left, _)| *left == name);
            assert!(runs != is_left_out, "{name}");
        }
    }

    #[test]
    fn a_difference_is_named() {
        let digests = |all: &[(&str, &str)]| -> Digests {
            all.iter().map(|(name, sum)| ((*name).into(), (*sum).into())).collect()
        };
        let (here, there) =
            (digests(&[("a", "1"), ("b", "2")]), digests(&[("a", "1"), ("b", "3")]));
        assert_eq!(differences(&here, &here), [""; 0]);
        assert_eq!(differences(&here, &there), ["differs: b"]);
        let fewer = digests(&[("a", "1")]);
        assert_eq!(differences(&here, &fewer), ["only here: b"]);
        assert_eq!(differences(&fewer, &here), ["only there: b"]);
    }
}
