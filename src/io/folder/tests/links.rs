//! Folders that others made, to lead a run to files elsewhere.

use super::*;
use std::{
    io::Read,
    os::unix::fs::{MetadataExt, symlink},
};

/// A folder for results beside another one with a file, `outside/precious.txt`.
struct Trap(tempfile::TempDir);

impl Trap {
    fn new() -> Self {
        let root = tempfile::tempdir().expect("a temporary folder");
        put(&root.path().join("outside/precious.txt"), b"precious");
        fs::create_dir(root.path().join("out")).expect("made");
        Trap(root)
    }

    fn out(&self, name: &str) -> PathBuf {
        self.0.path().join("out").join(name)
    }

    fn outside(&self) -> PathBuf {
        self.0.path().join("outside")
    }

    /// The error of a run that writes `d/precious.txt`, even with force; the file elsewhere is as it was.
    #[track_caller]
    fn refused(&self) -> String {
        let run = || {
            let record_of = |name: &str| record(&[name]);
            let folder = OutputFolder::new(&self.out(""), Some(RUN), Earlier::IsOverwritten)?;
            folder.write("d/precious.txt", b"new")?;
            folder.write(RUN, &record_of("d/precious.txt"))?;
            folder.commit()
        };
        let refused = run().expect_err("a trap").to_string();
        self.is_as_it_was();
        refused
    }

    #[track_caller]
    fn is_as_it_was(&self) {
        assert_eq!(below(&self.outside()), ["precious.txt"]);
        assert_eq!(fs::read(self.outside().join("precious.txt")).expect("there"), b"precious");
    }
}

#[test]
fn a_finished_run_moves_no_files_out_of_a_linked_folder_nor_into_one() {
    for (link, evil) in [
        (".huygens-finished/d", ".huygens-finished/e"),
        ("d", ".huygens-finished/d/precious.txt"),
        (FINISHED, "e"),
    ] {
        let trap = Trap::new();
        put(&trap.out(evil), b"evil");
        symlink(trap.outside(), trap.out(link)).expect("a link");
        let said = trap.refused();
        assert!(said.contains(&format!("out/{link} is a link")), "{said}");
        assert!(said.contains("remove it"), "{said}");
    }
}

/// 3^40 paths, if they were followed.
#[test]
fn links_in_a_circle_come_to_an_end() {
    let trap = Trap::new();
    fs::create_dir(trap.out(FINISHED)).expect("made");
    for name in ["a", "b", "c"] {
        symlink(".", trap.out(".huygens-finished").join(name)).expect("a link");
        symlink(".", trap.out(name)).expect("a link");
    }
    assert!(trap.refused().contains("is a link"));
}

#[test]
fn a_folder_of_a_run_that_is_a_link_is_found_before_anything_is_computed() {
    let trap = Trap::new();
    symlink(trap.outside(), trap.out("d")).expect("a link");
    let folder = OutputFolder::new(&trap.out(""), Some(RUN), Earlier::IsOverwritten);
    let refused = folder.expect("a folder").write("d/precious.txt", b"new");
    assert!(matches!(refused, Err(FolderError::Link { path }) if path.ends_with("out/d")));
    trap.is_as_it_was();
}

#[test]
fn a_record_removes_nothing_beyond_a_link_nor_above_its_folder() {
    let trap = Trap::new();
    symlink(trap.outside(), trap.out("link")).expect("a link");
    put(&trap.out("mine.txt"), b"mine");
    let listed = ["link/precious.txt", "../outside/precious.txt", "mine.txt/../link/precious.txt"];
    put(&trap.out(RUN), &record(&listed));
    let folder = OutputFolder::new(&trap.out(""), Some(RUN), Earlier::IsReplaced).expect("a run's");
    folder.write(RUN, &record(&[])).expect("written");
    folder.commit().expect("moved");
    trap.is_as_it_was();
    assert_eq!(below(&trap.out("")), ["mine.txt", RUN]);
    // A record that is a link is no record.
    fs::rename(trap.out(RUN), trap.outside().join(RUN)).expect("moved");
    symlink(trap.outside().join(RUN), trap.out(RUN)).expect("a link");
    let refused = OutputFolder::new(&trap.out(""), Some(RUN), Earlier::IsReplaced);
    assert!(matches!(refused, Err(FolderError::NotEmpty { .. })));
}

#[test]
fn a_lock_is_a_plain_file() {
    let trap = Trap::new();
    symlink(trap.outside().join("new"), trap.out(".huygens.lock")).expect("a link");
    assert!(trap.refused().contains(".huygens.lock is a link"));

    let trap = Trap::new();
    let made = std::process::Command::new("mkfifo").arg(trap.out(".huygens.lock")).status();
    assert!(made.is_ok_and(|status| status.success()));
    let said = trap.refused();
    assert!(
        said.contains("out/.huygens.lock is a pipe, no plain file; move it elsewhere"),
        "{said}"
    );
}

#[test]
fn a_run_goes_on_with_plain_files_that_have_one_name() {
    for (name, words) in [("gathers.sgy", "hard link"), ("pipe", "unfinished/pipe is a pipe")] {
        let trap = Trap::new();
        put(&trap.out("unfinished/journal.jsonl"), b"{}");
        fs::hard_link(trap.outside().join("precious.txt"), trap.out("unfinished/gathers.sgy"))
            .expect("a link");
        let pipe = trap.out("unfinished/pipe");
        assert!(std::process::Command::new("mkfifo").arg(pipe).status().is_ok_and(|s| s.success()));
        let open = || OutputFolder::unfinished(&trap.out(""), None, Earlier::Stays, true);
        let folder = open().expect("to go on with");
        let said = folder.write_part(name, 0, b"new").expect_err("no plain file").to_string();
        assert!(said.contains(words), "{said}");
        assert!(folder.append(name).is_err() && folder.cut(name, 0).is_err());
        // A whole file takes the name alone.
        folder.write(name, b"new").expect("written");
        trap.is_as_it_was();
    }
}

/// Tasks and records have folders of their own in the one that a user names.
#[test]
fn a_user_may_link_the_folder_and_no_run_the_folders_in_it() {
    let trap = Trap::new();
    let link = trap.0.path().join("link");
    symlink(trap.out(""), &link).expect("a link");
    let open = |name| {
        let path = FolderPath::within(&link, name);
        OutputFolder::new(path, Some(RUN), Earlier::IsOverwritten)
    };
    let folder = open("task-1-of-2").expect("made");
    folder.write("a", b"a").expect("written");
    folder.commit().expect("moved");
    assert_eq!(fs::read(trap.out("task-1-of-2/a")).expect("there"), b"a");
    symlink(trap.outside(), trap.out("task-2-of-2")).expect("a link");
    assert!(matches!(open("task-2-of-2"), Err(FolderError::Link { .. })));
    assert!(OutputFolder::recover(FolderPath::within(&link, "task-2-of-2")).is_err());
    trap.is_as_it_was();
}

#[test]
fn a_spool_is_in_the_folder_and_has_no_name() {
    let trap = Trap::new();
    let folder = Dir::open(&trap.out("")).expect("a folder");
    let mut file = folder.unnamed_file().expect("room");
    file.write_all(b"frame").expect("written");
    file.seek(SeekFrom::Start(0)).expect("moved");
    let mut text = String::new();
    file.read_to_string(&mut text).expect("read");
    let about = file.metadata().expect("its own");
    assert_eq!((text.as_str(), about.nlink()), ("frame", 0));
    assert!(folder.names().expect("read").is_empty());
}
