//! Tests that the templates stay valid: every optional line works, and no key is missing.

use super::*;
use crate::job::{Inputs, JobFile, schema};
use serde_json::Value;
use std::{collections::BTreeSet, path::PathBuf};

/// A template with one of its options enabled.
struct Variant {
    text: String,
    /// The enabled lines.
    taken: String,
    /// True if it replaces something, false if it states the default.
    instead: bool,
}

/// Matches `#key = value` and `#[[table]]`, but not prose, `# text`.
fn optional(line: &str) -> Option<&str> {
    let line = line.strip_prefix('#')?;
    let key = line.split_once('=').map(|(key, _)| key.trim_end());
    let is_key = |key: &str| key.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    (line.starts_with('[') || key.is_some_and(|key| !key.is_empty() && is_key(key))).then_some(line)
}

fn key(line: &str) -> &str {
    line.split(['=', '#']).next().unwrap_or(line).trim()
}

/// Every option of a template.
fn variants(text: &str) -> Vec<Variant> {
    let lines: Vec<&str> = text.lines().collect();
    let mut variants = Vec::new();
    let mut start = 0;
    for paragraph in text.split("\n\n") {
        let range = start..start + paragraph.lines().count();
        start = range.end + 1;
        let instead =
            lines[range.clone()].iter().find_map(|line| line.strip_prefix("# Instead of "));
        let replaced: Vec<&str> = match instead.and_then(|rest| rest.split_once(':')) {
            Some((named, _)) => named.split('`').skip(1).step_by(2).collect(),
            None => Vec::new(),
        };
        let offered: Vec<usize> = range.filter(|at| optional(lines[*at]).is_some()).collect();
        let keys: BTreeSet<&str> = offered.iter().map(|at| key(&lines[*at][1..])).collect();
        let tables = offered.iter().any(|at| lines[*at].starts_with("#["));
        // Lines of one key are alternatives; several keys under "Instead" form one option.
        let together = instead.is_some() && (tables || keys.len() == offered.len());
        let choices: Vec<Vec<usize>> = match together {
            true => vec![offered],
            false => offered.into_iter().map(|at| vec![at]).collect(),
        };
        variants.extend(choices.iter().filter(|choice| !choice.is_empty()).map(|choice| Variant {
            text: taking(&lines, choice, &replaced),
            taken: choice.iter().map(|at| lines[*at]).collect::<Vec<_>>().join("\n"),
            instead: instead.is_some(),
        }));
    }
    variants
}

/// Enables the lines of an option, and drops the lines of their table that they replace.
fn taking(lines: &[&str], choice: &[usize], replaced: &[&str]) -> String {
    let tables: Vec<&str> = lines
        .iter()
        .scan("", |table, line| {
            if line.starts_with('[') {
                *table = key(line);
            }
            Some(*table)
        })
        .collect();
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        let here = tables[at] == tables[choice[0]];
        let taken = choice.iter().any(|taken| key(&lines[*taken][1..]) == key(line));
        let out =
            replaced.contains(&tables[at]) || here && (taken || replaced.contains(&key(line)));
        match choice.contains(&at) {
            true => text.push_str(&line[1..]),
            false if out => {}
            false => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

fn parsed(text: &str, taken: &str) -> JobFile {
    match JobFile::parse("the template", text, PathBuf::new()) {
        Ok(file) => file,
        Err(failure) => panic!("with {taken}: {}\n{text}", failure),
    }
}

fn planned(text: &str, taken: &str) -> Inputs {
    match parsed(text, taken).inputs() {
        Ok(inputs) => inputs,
        Err(failure) => panic!("with {taken}: {}\n{text}", failure),
    }
}

#[test]
fn a_template_runs_and_is_not_warned_of() {
    for text in [PLANE, VOLUME] {
        let inputs = planned(text, "nothing");
        assert!(inputs.plan.warnings().is_empty(), "{:?}", inputs.plan.warnings());
        assert_eq!(inputs.plan.grid.is_volume(), text == VOLUME);
    }
}

#[test]
fn what_is_optional_holds_where_it_is_not_given() {
    for text in [PLANE, VOLUME] {
        let told = |inputs: &Inputs| format!("{:?} {}", inputs.plan, inputs.volumes);
        let without = told(&planned(text, "nothing"));
        let variants = variants(text);
        let plain: Vec<_> = variants.iter().filter(|variant| !variant.instead).collect();
        assert!(plain.len() > 6, "{}", plain.len());
        for variant in plain {
            assert!(told(&planned(&variant.text, &variant.taken)) == without, "{}", variant.taken);
        }
    }
}

#[test]
fn what_stands_instead_does_so() {
    for text in [PLANE, VOLUME] {
        let variants = variants(text);
        let instead: Vec<_> = variants.iter().filter(|variant| variant.instead).collect();
        assert!(instead.len() > 9, "{}", instead.len());
        for variant in instead {
            let file = parsed(&variant.text, &variant.taken);
            // Options that name a file are skipped: the file does not exist.
            let of_files = ["velocity.", "kind = \"file\"", "#csv", "#geometry"];
            if !of_files.iter().any(|name| variant.taken.contains(name)) {
                planned(&variant.text, &variant.taken);
            }
            drop(file);
        }
    }
}

#[test]
fn every_key_is_in_the_templates() {
    let mut known = BTreeSet::new();
    let schema = schema();
    of_schema(&schema, &schema, "", &mut known);
    for key in ["time.step", "source.wavelet.peak_hz", "boundary.sides.cells", "shot.receivers"] {
        assert!(known.contains(key), "{key} in {known:?}");
    }
    let keys = |text: &str| {
        let mut keys = BTreeSet::new();
        for variant in variants(text) {
            let table: Value = toml::from_str(&variant.text).expect("it was parsed before");
            of_job(&table, "", &mut keys);
        }
        keys
    };
    let (plane, volume) = (keys(PLANE), keys(VOLUME));
    let missing: Vec<_> = known.difference(&volume).collect();
    assert!(missing.is_empty(), "in volume.toml: {missing:?}");
    let of_volumes = [
        "receivers.grid",
        "output.slices",
        "output.volumes",
        "rtm.offsets.lines",
        "survey.grid",
        "survey.spread.lines",
    ];
    let missing: Vec<_> = known.difference(&plane).collect();
    let expected: Vec<_> =
        known.iter().filter(|key| of_volumes.iter().any(|start| key.starts_with(start))).collect();
    assert_eq!(missing, expected, "in plane.toml");
}

/// Keys of an axis, or shared with a job's sources and receivers.
fn is_told_elsewhere(key: &str) -> bool {
    matches!(key.rsplit('.').next(), Some("x" | "y" | "z"))
        || key.starts_with("shot.source.")
        || key.starts_with("shot.receivers.")
        || key.starts_with("survey.wavelet.")
}

/// Every key of a schema, such as `time.step`.
fn of_schema(root: &Value, schema: &Value, at: &str, keys: &mut BTreeSet<String>) {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.trim_start_matches("#/definitions/");
        of_schema(root, &root["definitions"][name], at, keys);
    }
    for several in ["allOf", "anyOf", "oneOf"] {
        for part in schema[several].as_array().into_iter().flatten() {
            of_schema(root, part, at, keys);
        }
    }
    if schema["items"].is_object() {
        of_schema(root, &schema["items"], at, keys);
    }
    for (key, value) in schema["properties"].as_object().into_iter().flatten() {
        let key = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
        of_schema(root, value, &key, keys);
        if !is_told_elsewhere(&key) {
            keys.insert(key);
        }
    }
}

/// Every key of a job.
fn of_job(job: &Value, at: &str, keys: &mut BTreeSet<String>) {
    for item in job.as_array().into_iter().flatten() {
        of_job(item, at, keys);
    }
    for (key, value) in job.as_object().into_iter().flatten() {
        let key = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
        of_job(value, &key, keys);
        if !is_told_elsewhere(&key) {
            keys.insert(key);
        }
    }
}

/// Commands of its first lines run the file that was asked for; nothing else changes.
#[test]
fn first_lines_name_the_file() {
    for example in STARTERS.iter().chain(EXAMPLES) {
        let text = renamed(example.text, Some(example), "my jobs/mine.toml");
        let (own, shipped) = (format!(" {}.toml", example.name), "assets/jobs/");
        let commands = |text: &str| -> Vec<String> {
            let head = text.lines().take_while(|line| line.starts_with('#'));
            head.filter(|line| line.starts_with("#   huygens")).map(str::to_owned).collect()
        };
        let changed = commands(&text);
        assert!(!changed.iter().any(|line| line.contains(&own)), "{changed:?}");
        let back = text.replace("\"my jobs/mine.toml\"", own.trim_start());
        let plain = |text: &str| text.replace(shipped, "");
        assert_eq!(plain(&back), plain(example.text), "{}", example.name);
    }
    let shot = STARTERS.iter().find(|example| example.name == "shot").expect("a starter");
    let text = renamed(shot.text, Some(shot), "mine.toml");
    assert!(text.contains("#   huygens shot mine.toml\n"), "{text}");
    assert!(renamed(PLANE, None, "a.toml").contains("#   huygens check a.toml "));
}
