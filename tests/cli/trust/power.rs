//! A power loss: what has a name is on the disk, and what may not be is known by its sum.

use super::{
    brief, migration, same,
    strace::{named, open_file, traced},
};
use crate::{
    held,
    run::{SMALL, done, folder, said, says},
    survey::long,
};
use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

/// The calls that change files and names, and those that wait for the disk.
const CALLS: &str = "write,pwrite64,writev,ftruncate,fsync,fdatasync,mkdir,mkdirat,rename,renameat,renameat2,link,linkat";

/// Follows the files below a folder: written and not yet on the disk; and names that are not.
#[derive(Default)]
struct Disk {
    files: HashSet<PathBuf>,
    folders: HashSet<PathBuf>,
    renames: usize,
}

impl Disk {
    /// After the calls of a run with this working folder, nothing is left that a power loss takes, and
    /// nothing was renamed before it was on the disk.
    fn check(root: &Path, calls: &[(u32, String)]) -> usize {
        let mut disk = Disk::default();
        let mut begun: Vec<(u32, String)> = Vec::new();
        for (thread, call) in calls {
            // A write has happened at its end; for all else count from the beginning.
            let call = match call.strip_suffix("<unfinished ...>") {
                Some(start) if start.starts_with("write") => {
                    begun.push((*thread, start.to_owned()));
                    continue;
                }
                Some(start) => start,
                None if call.starts_with("<... write") => {
                    let at = begun.iter().position(|(of, _)| of == thread).expect("its beginning");
                    &begun.swap_remove(at).1
                }
                None => call,
            };
            disk.hear(root, call);
        }
        assert!(
            disk.files.is_empty() && disk.folders.is_empty(),
            "{:?} {:?}",
            disk.files,
            disk.folders
        );
        disk.renames
    }

    fn hear(&mut self, root: &Path, call: &str) {
        if call.starts_with("fsync") || call.starts_with("fdatasync") {
            let path = open_file(call).expect("a file");
            self.files.remove(&path);
            self.folders.remove(&path);
        } else if call.starts_with("write")
            || call.starts_with("pwrite")
            || call.starts_with("ftruncate")
        {
            // A file without a name goes with the run.
            let is_named = |path: &PathBuf| {
                let name = path.file_name().unwrap_or_default();
                path.starts_with(root) && !name.to_string_lossy().starts_with('#')
            };
            self.files.extend(open_file(call).filter(is_named));
        } else if call.starts_with("mkdir") && call.ends_with("= 0") {
            self.folders.extend(
                named(call)[..1]
                    .iter()
                    .filter_map(|made| root.join(made).parent().map(Path::to_owned)),
            );
        } else if call.starts_with("rename") || call.starts_with("link") {
            let [from, to] = &named(call)[..] else { panic!("{call}") };
            let (from, to) = (root.join(from), root.join(to));
            let waits: Vec<_> = self.files.iter().filter(|file| file.starts_with(&from)).collect();
            assert!(waits.is_empty(), "{call} before {waits:?} are on the disk");
            self.renames += 1;
            // In a folder that has moved.
            self.folders.retain(|folder| !folder.starts_with(&from));
            self.folders.extend(to.parent().map(Path::to_owned));
        }
    }
}

#[test]
fn files_are_on_the_disk_before_they_have_their_names() {
    let folder = folder();
    let root = folder.path().canonicalize().expect("a folder");
    for (name, job) in
        [("a.toml", brief(4)), ("b.toml", migration(2)), ("c.toml", SMALL.to_owned())]
    {
        fs::write(root.join(name), job).expect("written");
    }
    for (arguments, least) in [
        (&["shot", "a.toml", "--backend", "cpu", "--out", "a/a"] as &[&str], 5),
        (&["rtm", "b.toml", "--backend", "cpu", "--out", "b"], 5),
        (&["shot", "c.toml", "--backend", "cpu", "--out", "c"], 5),
        (&["locate", "c.toml", "--backend", "cpu", "--out", "d", "--gather", "c/gather.npy"], 3),
        (&["model", "build", "homogeneous", "--out", "m.npy"], 1),
        (
            &[
                "model",
                "convert",
                "m.npy",
                "m/m.rsf",
                "--file-spacing",
                "10",
                "--axes",
                "xz",
                "--data-beside",
            ],
            2,
        ),
    ] {
        let Some(run) = traced(&root, CALLS, &[], arguments) else { return };
        assert!(run.output.status.success(), "{arguments:?}: {}", said(&run.output));
        let renames = Disk::check(&root, &run.calls);
        assert!(renames >= least, "{arguments:?}: {renames}");
    }
}

/// What a journal vouches for may be lost, all of it or its end, and the end of the journal too.
#[test]
fn shots_that_a_power_loss_took_are_modelled_again() {
    let folder = folder();
    fs::write(folder.path().join("job.toml"), long()).expect("written");
    let shot = ["shot", "job.toml", "--backend", "cpu", "--no-pictures"];
    done(folder.path(), &[&shot[..], &["--out", "whole"]].concat());
    let whole = same(&folder.path().join("whole"));
    for lost in ["cut", "zeros", "journal"] {
        let mut run = held::begin(folder.path(), &shot, "journal", 4);
        let at = folder.path().join("out/unfinished");
        let journal = at.join("journal.jsonl");
        run.until_lines(&journal, 5).kill();
        let path = if lost == "journal" { journal } else { at.join("gathers.sgy") };
        let mut bytes = fs::read(&path).expect("as far as it is");
        // The first line of a journal is on the disk before any other.
        let lines = bytes.split_inclusive(|byte| *byte == b'\n');
        let first = lines.map(<[u8]>::len).next().filter(|_| lost == "journal").unwrap_or(0);
        let half = first + (bytes.len() - first) / 2;
        match lost {
            "cut" => bytes.truncate(half),
            _ => bytes[half..].fill(0),
        }
        fs::write(&path, bytes).expect("written");
        let output = done(folder.path(), &[&shot[..], &["--resume"]].concat());
        if lost != "journal" {
            says(&said(&output), &["are damaged; it is modelled again"]);
        }
        assert!(same(&folder.path().join("out")) == whole, "{lost}");
        fs::remove_dir_all(folder.path().join("out")).expect("removed");
    }
}
