//! A page, tried.

use crate::{
    block::{Block, blocks},
    report::Report,
};
use std::{
    ffi::OsStr,
    fs,
    path::Path,
    process::{Command, Output},
};

/// Requirements of blocks that a test does not have. The options of their commands are checked all
/// the same.
const NEEDS: [&str; 5] =
    ["needs-gpu", "needs-minutes", "needs-files", "needs-source", "needs-shell"];
/// Commands are to end with exit code 2, and `huygens check` with a job file: it is wrong, to show
/// what is said.
const REFUSED: &str = "refused";
/// Blocks that only show something.
const SHOWN: [&str; 4] = ["text", "json", "math", "python"];
/// The job that an incomplete one is laid over, without keys that may not fit it: snapshots beyond
/// its duration, a step too long for its spacing.
const BASE: &str = include_str!("../../assets/jobs/thesis.toml");

/// Tries the blocks of a page in their order, in an empty folder, also those that need what is `met`.
pub fn try_page(text: &str, folder: &Path, met: &[&str]) -> Report {
    let mut report = Report::default();
    match blocks(text) {
        Ok(blocks) => blocks.iter().for_each(|block| try_block(block, folder, met, &mut report)),
        Err(fault) => report.wrong.push(fault),
    }
    report
}

fn try_block(block: &Block, folder: &Path, met: &[&str], report: &mut Report) {
    let line = block.line;
    let refused = block.marks == [REFUSED];
    if let Some(mark) = block.marks.iter().find(|mark| !refused && !NEEDS.contains(&mark.as_str()))
    {
        let there = format!("{NEEDS:?}, or {REFUSED:?} alone");
        report.wrong.push(format!("{line}: no mark is called {mark:?}; there are {there}"));
        return;
    }
    let needs = block.marks.first().map(String::as_str).filter(|mark| !met.contains(mark));
    match block.language.as_str() {
        "sh" => try_commands(block, needs, folder, report),
        "toml" => try_job(block, needs, folder, report),
        // A file that later commands read, such as a wavelet.
        "text" if block.file.is_some() => {
            let name = block.file.as_deref().unwrap_or_default();
            fs::write(folder.join(name), &block.text).expect("a writable folder");
        }
        shown if SHOWN.contains(&shown) => {}
        other => report.wrong.push(format!(
            "{line}: a block of {other:?} is none that is tried (sh, toml) or shown ({SHOWN:?})"
        )),
    }
}

fn try_commands(block: &Block, needs: Option<&str>, folder: &Path, report: &mut Report) {
    for (text, line) in block.text.lines().zip(block.line + 1..) {
        let command = text.split(" #").next().unwrap_or(text).trim();
        if command.is_empty() || command.starts_with('#') {
            continue;
        }
        let Some(arguments) = command.strip_prefix("huygens ") else {
            match needs {
                Some(mark) => report.not_run.push(format!("{line}: {command} ({mark})")),
                None => report.wrong.push(format!("{line}: {command:?} is no command of huygens")),
            }
            continue;
        };
        let ours = match needs {
            Some("needs-shell") => arguments.split(['|', '>']).next().unwrap_or(arguments),
            _ => arguments,
        };
        let Some(mut words) = words(ours) else {
            report.wrong.push(format!("{line}: {command:?} needs a shell; the test has none"));
            continue;
        };
        let refused = needs == Some(REFUSED);
        if let Some(mark) = needs.filter(|_| !refused) {
            // Options are read from left to right, so that a wrong one is found before this one is.
            words.push("--help".into());
            report.not_run.push(format!("{line}: {command} ({mark})"));
        } else {
            report.ran += 1;
        }
        let output = huygens(folder, &words);
        if output.status.code() != Some(if refused { 2 } else { 0 }) {
            report.wrong.push(format!("{line}: {command}\n{}", said(&output)));
        }
    }
}

/// The words of a command, of which some stand in single quotes; `None` if it needs more of a shell.
fn words(command: &str) -> Option<Vec<String>> {
    let mut words = vec![String::new()];
    for (number, part) in command.split('\'').enumerate() {
        if number % 2 == 1 {
            words.last_mut()?.push_str(part);
            continue;
        }
        if part.contains(['|', '>', '<', '$', '"', '\\', ';', '&']) {
            return None;
        }
        for (number, plain) in part.split(char::is_whitespace).enumerate() {
            if number > 0 {
                words.push(String::new());
            }
            words.last_mut()?.push_str(plain);
        }
    }
    words.retain(|word| !word.is_empty());
    Some(words)
}

/// A job file with a name is written for the commands after it; one without is a part of a job,
/// laid over [`BASE`].
fn try_job(block: &Block, needs: Option<&str>, folder: &Path, report: &mut Report) {
    let line = block.line;
    let (name, text) = match &block.file {
        Some(name) => (name.as_str(), block.text.clone()),
        None => match laid_over(&block.text) {
            Ok(text) => ("part-of-a-job.toml", text),
            Err(fault) => return report.wrong.push(format!("{line}: {fault}")),
        },
    };
    fs::write(folder.join(name), text).expect("a writable folder");
    let output = huygens(folder, &["check", name, "--backend", "cpu"]);
    match needs {
        None if output.status.success() => report.checked += 1,
        Some(REFUSED) if output.status.code() == Some(2) => report.checked += 1,
        // All that may be wrong with it is the file that is not there, which is read after the
        // keys.
        Some(mark) if mark != REFUSED && said(&output).contains("(os error 2)") => {
            report.not_run.push(format!("{line}: a job file ({mark})"));
        }
        _ => report.wrong.push(format!("{line}: {name}\n{}", said(&output))),
    }
}

fn laid_over(part: &str) -> Result<String, toml::de::Error> {
    let mut job: toml::Table = toml::from_str(BASE)?;
    let part: toml::Table = toml::from_str(part)?;
    job.remove("output");
    if let Some(toml::Value::Table(time)) = job.get_mut("time") {
        time.remove("step");
    }
    if part.contains_key("shot") || part.contains_key("survey") {
        job.remove("source");
    }
    job.extend(part);
    Ok(job.to_string())
}

fn huygens(folder: &Path, words: &[impl AsRef<OsStr>]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_huygens"))
        .args(words)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"))
        .env_remove("RUST_LOG")
        .output()
        .expect("the binary runs")
}

/// Messages are wrapped to the terminal.
fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let words = text.split_whitespace().filter(|word| !matches!(*word, "│" | "×"));
    words.collect::<Vec<_>>().join(" ")
}

fn tried(page: &str) -> Report {
    try_page(page, tempfile::tempdir().expect("a temporary folder").path(), &[])
}

/// Tests the test: pages that are wrong, and what is said of each.
#[test]
fn mistakes_are_seen() {
    let sh = |line: &str| format!("```sh\n{line}\n```\n");
    for (page, said) in [
        (sh("huygens devices --jsn"), "2: huygens devices --jsn"),
        (sh("huygens shot none.toml"), "none.toml"),
        (sh("cargo build"), "no command of huygens"),
        (sh("huygens devices --json > a"), "needs a shell"),
        (sh("huygens devices --jsn > a").replace("sh", "sh needs-shell"), "--jsn"),
        (sh("huygens tune --sekonds 2").replace("sh", "sh needs-gpu"), "--sekonds"),
        (sh("huygens devices").replace("sh", "sh needs-time"), "needs-time"),
        (sh("huygens devices").replace("sh", "sh refused"), "2: huygens devices"),
        (sh("huygens devices").replace("sh", "bash"), "\"bash\""),
        (sh("huygens devices").replace("sh", ""), "\"\""),
        ("```toml\n[time]\nduraton = 1.0\n```\n".into(), "duraton"),
        ("```toml\n[time]\nduration = \"long\"\n```\n".into(), "duration"),
        ("```toml\n[time\n```\n".into(), "1: "),
        ("<!-- file: a.toml -->\n```toml\n[model]\nvelocty = \"a\"\n```\n".into(), "velocty"),
        ("```toml\n[model]\nvelocity = \"a.sgy\"\n```\n".into(), "a.sgy"),
        ("```toml needs-files\n[model]\nvelocity = \"a.sgy\"\nax = 1\n```\n".into(), "ax"),
        ("```toml refused\n[time]\nduration = 1.0\n```\n".into(), "part-of-a-job.toml"),
        ("```toml needs-files\n[time]\nduration = 1.0\n```\n".into(), "part-of-a-job.toml"),
    ] {
        let report = tried(&page);
        let told = report.wrong.join("\n");
        assert!(told.contains(said), "{page}\nsays {told:?}");
    }
}

#[test]
fn later_commands_see_the_files_of_earlier_ones() {
    let page = "<!-- run: huygens model build builtin:layers --spacing 100 --out layers.rsf -->\n\
                ```sh\nhuygens model info layers.rsf   # what it holds\n```\n\
                ```toml\n[model]\nvelocity = \"layers.rsf\"\n[time]\nduration = 0.1\n[operator]\n\
                kind = \"taylor\"\n[receivers]\npoints = [{ x = 0.0, z = 0.0 }]\n[output]\n[[source]]\n\
                at = { x = 200.0, z = 200.0 }\nwavelet = { kind = \"ricker\", peak_hz = 2.0 }\n```\n\
                ```sh needs-gpu\nhuygens tune\ncargo bench\n```\n\
                <!-- file: w.txt -->\n```text\n1\n```\n\
                ```sh refused\nhuygens shot w.txt\n```\n";
    let report = tried(page);
    assert!(report.wrong.is_empty(), "{:?}", report.wrong);
    assert_eq!((report.ran, report.checked, report.not_run.len()), (3, 1, 2));
}
