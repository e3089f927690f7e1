//! What a job can reach: it writes into the folder of `--out` alone, and reads the files that it names.

use super::{brief, migration, strace::traced};
use crate::run::{SMALL, done, folder, huygens, names, said, says};
use ndarray::Array2;
use ndarray_npy::write_npy;
use serde_json::Value;
use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

/// The keys of texts that name files, each with a command that reads it, and the others.
const FILES: [(&str, &str); 18] = [
    ("gather.positions", "locate"),
    ("gradient.observed", "gradient"),
    ("gradient.observed[]", "gradient"),
    ("locate.gather", "locate"),
    ("model.delta", "shot"),
    ("model.density", "shot"),
    ("model.epsilon", "shot"),
    ("model.velocity", "shot"),
    ("rtm.gathers", "rtm"),
    ("rtm.gathers[]", "rtm"),
    ("scan.folder", "locate"),
    ("scan.models[]", "locate"),
    ("shot[].source[].wavelet.path", "shot"),
    ("source[].wavelet.path", "shot"),
    ("survey.csv", "shot"),
    ("survey.geometry", "shot"),
    ("survey.geometry[]", "shot"),
    ("survey.wavelet.path", "shot"),
];
const TEXTS: [&str; 5] = [
    "model.array",
    "model.projection",
    "output.figures.size",
    "output.figures.title",
    "gather.date",
];

/// The keys of a schema that take any text.
fn texts(schema: &Value, node: &Value, key: &str, found: &mut BTreeSet<String>) {
    let below = |name: &str| if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") };
    let defined = node["$ref"].as_str().and_then(|name| name.rsplit('/').next());
    if let Some(defined) = defined {
        texts(schema, &schema["definitions"][defined], key, found);
    }
    let of = &node["type"];
    let is_text = of == "string" || of.as_array().is_some_and(|of| of.contains(&"string".into()));
    if is_text && node["enum"].is_null() && node["const"].is_null() {
        found.insert(key.to_owned());
    }
    for several in ["anyOf", "oneOf", "allOf"] {
        let several = node[several].as_array().into_iter().flatten();
        several.for_each(|node| texts(schema, node, key, found));
    }
    for (name, node) in node["properties"].as_object().into_iter().flatten() {
        texts(schema, node, &below(name), found);
    }
    let items = &node["items"];
    let items = items.as_array().map_or_else(|| std::slice::from_ref(items), Vec::as_slice);
    for item in items.iter().filter(|item| item.is_object()) {
        texts(schema, item, &format!("{key}[]"), found);
    }
}

/// Files and folders below one.
fn tree(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for entry in folder.read_dir().expect("a folder").flatten() {
        found.insert(entry.path());
        if entry.path().is_dir() {
            found.extend(tree(&entry.path()));
        }
    }
    found
}

/// A job of one source or of a survey, for a key.
fn job(key: &str, value: &str) -> String {
    let wavelet = "kind = \"ricker\", peak_hz = 10.0";
    let named = format!("kind = \"file\", path = '{value}'");
    let survey = migration(2) + "[gradient]\nobserved = \"none.sgy\"\n";
    let line = survey.lines().find(|line| line.starts_with("line")).expect("one").to_owned();
    let located = |gather: &str| SMALL.to_owned() + &format!("[locate]\ngather = '{gather}'\n");
    match key {
        "survey.csv" => survey.replace(&line, &format!("csv = '{value}'")),
        "survey.geometry" => survey.replace(&line, &format!("geometry = '{value}'")),
        "survey.geometry[]" => survey.replace(&line, &format!("geometry = ['{value}']")),
        "survey.wavelet.path" => survey.replace(wavelet, &named),
        "source[].wavelet.path" => SMALL.replace(wavelet, &named),
        "shot[].source[].wavelet.path" => {
            SMALL.replace("[[source]]", "[[shot]]\n[[shot.source]]").replace(wavelet, &named)
        }
        "model.velocity" => SMALL.replace("builtin:layers", value),
        "model.array" | "model.delta" | "model.density" | "model.epsilon" | "model.projection" => {
            let (_, name) = key.split_once('.').expect("a table and a key");
            SMALL.replace("[model]", &format!("[model]\n{name} = '{value}'"))
        }
        "output.figures.size" | "output.figures.title" => {
            let (_, name) = key.rsplit_once('.').expect("tables and a key");
            SMALL.to_owned() + &format!("figures = {{ {name} = '{value}' }}\n")
        }
        "gradient.observed" => survey.replace("none.sgy", value),
        "gradient.observed[]" => survey.replace("\"none.sgy\"", &format!("['{value}']")),
        "rtm.gathers" => survey.replace("[rtm]", &format!("[rtm]\ngathers = '{value}'")),
        "rtm.gathers[]" => survey.replace("[rtm]", &format!("[rtm]\ngathers = ['{value}']")),
        "locate.gather" => located(value),
        "gather.positions" => located("g.npy") + &format!("[gather]\npositions = '{value}'\n"),
        "gather.date" => located("g.npy") + &format!("[gather]\ndate = '{value}'\n"),
        "scan.folder" => located("g.npy") + &format!("[scan]\nfolder = '{value}'\n"),
        "scan.models[]" => located("g.npy") + &format!("[scan]\nmodels = ['{value}']\n"),
        _ => panic!("{key} has no job"),
    }
}

#[test]
fn no_key_of_a_job_writes_outside_the_folder_of_its_results() {
    let folder = folder();
    let work = folder.path().join("a/work");
    fs::create_dir_all(&work).expect("made");
    write_npy(work.join("g.npy"), &Array2::<f32>::ones((80, 201))).expect("written");
    let schema = huygens(&work, &["job", "schema"]).stdout;
    let schema: Value = serde_json::from_slice(&schema).expect("a schema");
    let mut found = BTreeSet::new();
    texts(&schema, &schema, "", &mut found);
    let known: BTreeSet<String> =
        FILES.iter().map(|(key, _)| *key).chain(TEXTS).map(str::to_owned).collect();
    assert_eq!(found, known, "a new key of a text: does it name a file?");
    let absolute = folder.path().join("absolute").display().to_string();
    let commands = FILES.into_iter().chain(TEXTS.map(|key| (key, "shot")));
    for (key, command) in commands {
        for value in
            ["../escaped", "../../escaped/further", &absolute, "out/../../escaped", "~/escaped"]
        {
            fs::write(work.join("job.toml"), job(key, value)).expect("written");
            let before = tree(folder.path());
            let output = huygens(
                &work,
                &[command, "job.toml", "--backend", "cpu", "--out", "out", "--force"],
            );
            // A file that is not there, or a text that is no file's.
            assert!(
                matches!(output.status.code(), Some(0 | 2)),
                "{key} = {value}: {}",
                said(&output)
            );
            if FILES.iter().any(|(file, _)| *file == key) {
                let name = value.rsplit('/').next().expect("a name");
                assert!(said(&output).contains(name), "{key} = {value}: {}", said(&output));
            }
            let new: Vec<_> = tree(folder.path()).difference(&before).cloned().collect();
            assert!(
                new.iter().all(|path| path.starts_with(work.join("out"))),
                "{key} = {value}: {new:?}"
            );
            let _ = fs::remove_dir_all(work.join("out"));
        }
    }
}

/// A folder of results that someone else made leads no run to files elsewhere, and lets none wait.
#[test]
fn no_link_in_the_folder_of_results_is_followed() {
    let folder = folder();
    let at = folder.path();
    let (out, outside) = (at.join("out"), at.join("outside"));
    fs::create_dir(&outside).expect("made");
    fs::write(outside.join("precious.txt"), "precious").expect("written");
    fs::write(at.join("job.toml"), SMALL).expect("written");
    let link = |to: &Path, name: &str| symlink(to, out.join(name)).expect("a link");
    type Trap<'a> = (&'a str, &'a dyn Fn());
    let traps: [Trap<'_>; 6] = [
        ("out/.huygens-finished/d is a link", &|| {
            fs::create_dir(out.join(".huygens-finished")).expect("made");
            link(&outside, ".huygens-finished/d");
        }),
        ("out/d is a link", &|| {
            fs::create_dir_all(out.join(".huygens-finished/d")).expect("made");
            fs::write(out.join(".huygens-finished/d/precious.txt"), "evil").expect("written");
            link(&outside, "d");
        }),
        (".huygens-finished/a is a link", &|| {
            fs::create_dir(out.join(".huygens-finished")).expect("made");
            link(Path::new("."), ".huygens-finished/a");
        }),
        ("out/.huygens.lock is a link", &|| link(&outside.join("new"), ".huygens.lock")),
        ("out/.huygens.lock is a pipe, no plain file; move it elsewhere", &|| {
            let made = Command::new("mkfifo").arg(out.join(".huygens.lock")).status();
            assert!(made.is_ok_and(|status| status.success()));
        }),
        ("out/snapshots is a link", &|| link(&outside, "snapshots")),
    ];
    for (words, set) in traps {
        fs::create_dir(&out).expect("made");
        set();
        let output = huygens(at, &["shot", "job.toml", "--backend", "cpu", "--force"]);
        assert!(!output.status.success(), "{words}: {}", said(&output));
        says(&said(&output), &[words]);
        assert_eq!(names(&outside), ["precious.txt"], "{words}");
        assert_eq!(fs::read(outside.join("precious.txt")).expect("there"), b"precious", "{words}");
        fs::remove_dir_all(&out).expect("removed");
    }
    // A record whose files lie beyond a link.
    fs::create_dir(&out).expect("made");
    link(&outside, "link");
    let record = |files: &str| format!("{{\"program\":\"huygens\",\"files\":[{files}]}}");
    fs::write(out.join("run.json"), record("\"link/precious.txt\"")).expect("written");
    done(at, &["shot", "job.toml", "--backend", "cpu", "--no-pictures", "--force"]);
    assert_eq!(fs::read(outside.join("precious.txt")).expect("there"), b"precious");
    // A run that goes on, from a pipe as its record.
    fs::remove_dir_all(&out).expect("removed");
    fs::create_dir_all(out.join("unfinished")).expect("made");
    let made = Command::new("mkfifo").arg(out.join("unfinished/run.json")).status();
    assert!(made.is_ok_and(|status| status.success()));
    fs::write(at.join("job.toml"), brief(2)).expect("written");
    done(at, &["shot", "job.toml", "--backend", "cpu", "--no-pictures", "--resume"]);
    assert!(out.join("run.json").is_file());
}

#[test]
fn a_run_reads_what_its_job_names_and_the_system() {
    let folder = folder();
    let root = folder.path().canonicalize().expect("a folder");
    let at = |name: &str| root.join(name);
    for name in ["work", "models", "other"] {
        fs::create_dir(at(name)).expect("made");
    }
    write_npy(at("models/v.npy"), &Array2::<f32>::from_elem((80, 60), 2000.0)).expect("written");
    write_npy(at("models/other.npy"), &Array2::<f32>::from_elem((80, 60), 2500.0))
        .expect("written");
    fs::write(at("other/secret.txt"), "nobody's").expect("written");
    let survey = migration(2)
        .replace("builtin:layers", "../models/v.npy")
        .replace("nodes = { z = 60, x = 80 }", "axes = \"xz\"");
    fs::write(at("work/job.toml"), &survey).expect("written");
    let work = at("work");
    done(&work, &["shot", "job.toml", "--backend", "cpu", "--out", "../shots", "--no-pictures"]);
    let positions = "x,z\n100,40\n700,40\n";
    fs::write(work.join("shots.csv"), positions).expect("written");
    let line = brief(2).lines().find(|line| line.starts_with("line")).expect("one").to_owned();
    let listed = survey
        .replace(&line, "csv = \"shots.csv\"")
        .replace("[rtm]", "[rtm]\ngathers = \"../shots/gathers.sgy\"");
    fs::write(work.join("listed.toml"), listed).expect("written");
    for (arguments, named) in [
        (["shot", "job.toml"], &["work/job.toml", "models/v.npy"] as &[&str]),
        (["shot", "listed.toml"], &["work/listed.toml", "work/shots.csv", "models/v.npy"]),
        (
            ["rtm", "listed.toml"],
            &["work/listed.toml", "work/shots.csv", "models/v.npy", "shots/gathers.sgy"],
        ),
    ] {
        let arguments = [&arguments[..], &["--backend", "cpu", "--out", "out", "--force"]].concat();
        let Some(run) = traced(&work, "open,openat,openat2,creat", &[], &arguments) else { return };
        assert!(run.output.status.success(), "{}", said(&run.output));
        // What a call has opened: ` = 5</out/a>`.
        let opened =
            run.calls.iter().filter_map(|(_, call)| call.rsplit_once(" = ")?.1.split_once('<'));
        let opened: BTreeSet<PathBuf> =
            opened.map(|(_, path)| path.trim_end_matches('>').into()).collect();
        let known: Vec<PathBuf> = named.iter().map(|name| at(name)).collect();
        for path in &opened {
            let of_system = ["/usr", "/lib", "/lib64", "/etc", "/proc", "/sys", "/dev", "/opt"];
            let is_system = of_system.iter().any(|system| path.starts_with(system));
            let own = [work.join("out"), work.join("cache")];
            // Its names are brought to the disk.
            let is_own = *path == work || own.iter().any(|own| path.starts_with(own));
            assert!(
                is_system || is_own || known.contains(path),
                "{arguments:?} opened {}",
                path.display()
            );
        }
        assert!(known.iter().all(|path| opened.contains(path)), "{known:?} in {opened:?}");
        assert!(names(&work).iter().all(|name| {
            ["cache", "job.toml", "listed.toml", "out", "shots.csv"].contains(&&**name)
        }));
    }
}
