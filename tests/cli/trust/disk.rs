//! A disk that is full, or becomes read-only, at any call of a run that changes it.

use super::{
    brief, migration, same,
    strace::{Traced, named, open_file, traced},
};
use crate::run::{command, done, folder, names, said, says, told};
use std::{collections::BTreeMap, fs, path::Path};

/// The calls that change a disk.
const CHANGES: [&str; 9] = [
    "write",
    "mkdir",
    "mkdirat",
    "rename",
    "renameat",
    "renameat2",
    "linkat",
    "ftruncate",
    "fsync",
];

/// A run, and what it leaves.
struct Case {
    arguments: &'static [&'static str],
    resumes: bool,
}

const CASES: [Case; 4] = [
    Case { arguments: &["shot", "a.toml", "--no-pictures", "--out", "out"], resumes: true },
    Case { arguments: &["rtm", "b.toml", "--no-pictures", "--out", "out"], resumes: true },
    Case {
        arguments: &[
            "locate",
            "c.toml",
            "--no-pictures",
            "--out",
            "out",
            "--gather",
            "g/gather.npy",
        ],
        resumes: false,
    },
    Case {
        arguments: &[
            "model",
            "convert",
            "m.npy",
            "out/m.rsf",
            "--file-spacing",
            "10",
            "--axes",
            "xz",
        ],
        resumes: false,
    },
];

fn begun() -> tempfile::TempDir {
    let folder = folder();
    for (name, job) in
        [("a.toml", brief(4)), ("b.toml", migration(2)), ("c.toml", crate::run::SMALL.to_owned())]
    {
        fs::write(folder.path().join(name), job).expect("written");
    }
    done(folder.path(), &["shot", "c.toml", "--backend", "cpu", "--out", "g", "--no-pictures"]);
    done(folder.path(), &["model", "build", "homogeneous", "--nodes", "z=9,x=9", "--out", "m.npy"]);
    folder
}

impl Case {
    fn arguments<'a>(&self, more: &[&'a str]) -> Vec<&'a str> {
        let cpu: &[&str] = if self.arguments[0] == "model" { &[] } else { &["--backend", "cpu"] };
        [self.arguments, cpu, more].concat()
    }

    /// The run left alone, on one thread as one that is traced: a journal names the engine.
    fn done(&self, at: &Path, more: &[&str]) {
        let mut command = command(at, &self.arguments(more));
        let output = command.env("RAYON_NUM_THREADS", "1").output().expect("the binary runs");
        assert!(output.status.success(), "{more:?}: {}", said(&output));
    }

    /// The run while a call fails, `when` as strace counts them in each thread.
    fn fails(&self, at: &Path, call: &str, error: &str, when: &str) -> Option<Traced> {
        let _ = fs::remove_dir_all(at.join("out"));
        let inject = format!("inject={call}:error={error}:when={when}");
        let calls = format!("{call},rename");
        traced(at, &calls, &["-e", &inject], &self.arguments(&[]))
    }

    /// What is there after a run that failed is whole, and another one brings it to its end.
    fn goes_on(&self, at: &Path, what: &str, whole: &BTreeMap<String, Vec<u8>>) {
        let out = at.join("out");
        // Between the first move of a file and the last, a run has ended and its files are whole.
        let is_moving = out.join(".huygens-finished").exists();
        for (name, bytes) in same(&out) {
            let is_kept = name.starts_with("unfinished/") || name.starts_with('.');
            assert!(is_kept || whole.get(&name) == Some(&bytes), "{what}: {name} is not whole");
        }
        let hidden = |name: &String| name.starts_with('.') && name != ".huygens-finished";
        let left: Vec<_> = if out.exists() { names(&out) } else { Vec::new() };
        assert!(is_moving || !left.iter().any(hidden), "{what}: {left:?}");
        let again = match (out.join("unfinished").exists(), is_moving, left.is_empty()) {
            (true, ..) => "--resume",
            (_, true, _) if self.resumes => "--resume",
            (.., true) => "-q",
            _ => "--force",
        };
        self.done(at, &[again]);
        assert!(same(&out) == *whole, "{what}: other files after {again}");
        assert!(!names(&out).iter().any(|name| name.starts_with('.')), "{what}: {:?}", names(&out));
    }
}

/// Every `HUYGENS_EVERY`th failing call: 1 is all.
#[test]
fn a_disk_that_is_full_at_any_call_leaves_whole_files() {
    let folder = begun();
    let at = folder.path();
    // The 8th wait of a migration is the one after its record is in place.
    let every = told("HUYGENS_EVERY", 7);
    let mut failed = 0;
    for case in CASES {
        case.done(at, &[]);
        let whole = same(&at.join("out"));
        for call in CHANGES {
            for k in (1..).step_by(every as usize) {
                // Full from then on; or, since messages are written too, for one write of each thread.
                let ways = if call == "write" {
                    vec![format!("{k}+"), k.to_string()]
                } else {
                    vec![format!("{k}+")]
                };
                let mut met = false;
                for when in ways {
                    let what = format!("{:?}, {call} {when}", case.arguments);
                    let Some(run) = case.fails(at, call, "ENOSPC", &when) else { return };
                    let hits =
                        run.calls.iter().filter(|(_, call)| call.ends_with("(INJECTED)")).count();
                    met |= hits > 0;
                    let said = said(&run.output);
                    if run.output.status.success() {
                        // The choice of kernels is not remembered.
                        assert!(same(&at.join("out")) == whole, "{what}");
                        continue;
                    }
                    failed += 1;
                    assert_eq!(run.output.status.code(), Some(1), "{what}: {said}");
                    // Unless the message itself was not written.
                    let is_silent = |(_, call): &(_, String)| {
                        call.starts_with("write(2<") && call.ends_with("(INJECTED)")
                    };
                    if !run.calls.iter().any(is_silent) {
                        says(
                            &said,
                            &["cannot write", "No space left on device", "make room on that disk"],
                        );
                        assert_eq!(said.matches("make room").count(), 1, "{what}: {said}");
                    }
                    case.goes_on(at, &what, &whole);
                }
                if !met {
                    break;
                }
            }
        }
        fs::remove_dir_all(at.join("out")).expect("removed");
    }
    println!("{failed} runs failed and were brought to their ends");
}

#[test]
fn a_disk_that_becomes_read_only_leaves_whole_files() {
    let folder = begun();
    let at = folder.path();
    let every = told("HUYGENS_EVERY", 5) as usize;
    let mut failed = 0;
    for case in CASES {
        let _ = fs::remove_dir_all(at.join("out"));
        // The calls that create or open files to write, counted in their threads, after the job is read.
        let Some(run) = traced(at, "openat,openat2", &[], &case.arguments(&[])) else { return };
        let whole = same(&at.join("out"));
        let mut count = BTreeMap::new();
        let mut opened = Vec::new();
        for (thread, call) in &run.calls {
            let name = if call.starts_with("openat2(") { "openat2" } else { "openat" };
            let count = count.entry((thread, name)).or_insert(0);
            *count += 1;
            let is_in_out = named(call).iter().any(|path| path.iter().any(|part| part == "out"));
            if *thread == run.calls[0].0 && call.contains("O_CREAT") && is_in_out {
                opened.push((name, *count));
            }
        }
        assert!(!opened.is_empty(), "{:?}", run.calls);
        let names = ["mkdir", "mkdirat", "rename", "renameat", "renameat2"];
        let others = names.iter().flat_map(|name| (1..20).map(move |k| (*name, k)));
        for (call, k) in opened.into_iter().chain(others).step_by(every) {
            let what = format!("{:?}, {call} {k}", case.arguments);
            let Some(run) = case.fails(at, call, "EROFS", &k.to_string()) else { return };
            if run.output.status.success() {
                continue;
            }
            failed += 1;
            let said = said(&run.output);
            assert!(matches!(run.output.status.code(), Some(1 | 2)), "{what}: {said}");
            says(&said, &["Read-only file system", "nothing can be written on that disk"]);
            case.goes_on(at, &what, &whole);
        }
        fs::remove_dir_all(at.join("out")).expect("removed");
    }
    assert!(failed > 4, "{failed}");
    println!("{failed} runs failed and were brought to their ends");
}

/// Some disks of a network have no locks.
#[test]
fn a_disk_without_locks_gives_a_warning() {
    let folder = begun();
    let arguments = CASES[0].arguments(&[]);
    let inject = ["-e", "inject=flock:error=ENOLCK"];
    let Some(run) = traced(folder.path(), "flock", &inject, &arguments) else { return };
    assert!(run.output.status.success());
    says(&said(&run.output), &["out cannot be locked", "start one at a time"]);
    let locked = run.calls.iter().filter_map(|(_, call)| open_file(call));
    assert!(locked.count() > 0);
}
