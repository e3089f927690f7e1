//! The short jobs of `huygens job new --template`.

use crate::run::{done, folder};
use std::{fs, path::Path};

const CPU: [&str; 2] = ["--backend", "cpu"];

/// Writes a starter into a folder, and runs the commands that its first lines give.
fn runs(at: &Path, name: &str) -> String {
    let file = format!("{name}.toml");
    done(at, &["job", "new", &file, "--template", name]);
    let text = fs::read_to_string(at.join(&file)).expect("a job");
    assert!(text.lines().count() <= 30, "{name} is short");
    let commands = text.lines().filter_map(|line| line.strip_prefix("#   huygens "));
    for command in commands {
        let words: Vec<&str> = command.split(' ').collect();
        let has_engine = !matches!(words[0], "model" | "gather");
        let engine = if has_engine { &CPU[..] } else { &[] };
        done(at, &[&words[..], engine].concat());
    }
    text
}

#[test]
fn each_runs_as_its_first_lines_say() {
    let folder = folder();
    let at = folder.path();
    for (name, result) in [
        ("shot", "out/gather.sgy"),
        ("locate", "located/focus.json"),
        ("rtm", "image/image.npy"),
        ("lsrtm", "least-squares/image.npy"),
        ("invert", "inverted/model.npy"),
    ] {
        runs(at, name);
        assert!(at.join(result).is_file(), "{name}: {result}");
    }
    // The files that a user has.
    fs::remove_dir_all(at.join("image")).expect("it is there");
    done(at, &[&["shot", "rtm.toml", "--out", "field", "--no-pictures"], &CPU[..]].concat());
    fs::copy(at.join("field/gathers.sgy"), at.join("field.sgy")).expect("a survey");
    let model = ["model", "build", "builtin:layers", "--nodes", "z=101,x=151", "--spacing", "10"];
    done(at, &[&model[..], &["--out", "vp.npy"]].concat());
    runs(at, "own-data");
    assert!(at.join("image/image.npy").is_file());
}
