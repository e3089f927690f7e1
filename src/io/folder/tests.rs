#[cfg(unix)]
mod links;

use super::{
    super::commit::tests::{below, put, record},
    *,
};
use std::fs;

#[test]
fn a_dropped_folder_leaves_nothing_behind() {
    let root = tempfile::tempdir().expect("a temporary folder");
    let path = root.path().join("a/b");
    let folder =
        OutputFolder::new(&path, Some("run.json"), Earlier::Stays).expect("a writable place");
    folder.write("x/y.txt", b"half").expect("written");
    drop(folder);
    assert!(!root.path().join("a").exists());
}

#[test]
fn what_a_run_reads_is_not_replaced() {
    let root = tempfile::tempdir().expect("a temporary folder");
    let path = root.path().join("out");
    let open = || OutputFolder::new(&path, Some("run.json"), Earlier::IsOverwritten);
    let folder = open().expect("a writable place");
    folder.write("gathers.sgy", b"traces").expect("written");
    folder.write("run.json", &record(&["gathers.sgy"])).expect("written");
    folder.commit().expect("moved");
    fs::write(path.join("model.npy"), b"velocities").expect("written");
    let file = |name: &str| (path.join(name).display().to_string(), String::new());
    let mut folder = open().expect("a writable place");
    let refused = folder.reads(&[file("model.npy"), file("gathers.sgy")]);
    assert!(matches!(refused, Err(FolderError::Read { path }) if path.ends_with("s.sgy")));
    drop(folder);
    // One of no run may lie there, but has its name alone.
    let mut folder = open().expect("a writable place");
    folder.reads(&[file("model.npy")]).expect("no result");
    folder.write("model.npy", b"inverted").expect("written");
    folder.write("run.json", &record(&["model.npy"])).expect("written");
    assert!(matches!(folder.commit(), Err(FolderError::Read { .. })));
    assert_eq!(fs::read(path.join("model.npy")).expect("there"), b"velocities");
}

#[test]
fn a_committed_folder_is_kept_and_protected() {
    let root = tempfile::tempdir().expect("a temporary folder");
    let path = root.path().join("out");
    let open = |earlier| OutputFolder::new(&path, Some("run.json"), earlier);
    let folder = open(Earlier::Stays).expect("a writable place");
    assert!(matches!(open(Earlier::IsOverwritten), Err(FolderError::Taken { .. })));
    folder.write("x/y.txt", b"whole").expect("written");
    folder.write("run.json", &record(&["x/y.txt"])).expect("written");
    assert!(!path.join("x").exists(), "nothing shows before the end");
    folder.commit().expect("moved");
    assert_eq!(fs::read(path.join("x/y.txt")).expect("there"), b"whole");
    assert_eq!(below(&path), ["run.json", "x/y.txt"], "nothing else is left");
    assert!(matches!(open(Earlier::Stays), Err(FolderError::NotEmpty { .. })));

    let again = open(Earlier::IsReplaced).expect("a run's own");
    again.write("x/z.txt", b"new").expect("written");
    again.write("run.json", &record(&["x/z.txt", "../a"])).expect("written");
    again.commit().expect("moved");
    assert_eq!(below(&path), ["run.json", "x/z.txt"]);

    let again = open(Earlier::IsReplaced).expect("a run's own");
    again.write("run.json", &record(&[])).expect("written");
    fs::write(path.join("x/mine.txt"), b"mine").expect("written");
    again.commit().expect("moved");
    assert_eq!(below(&path), ["run.json", "x/mine.txt"]);
}

#[test]
fn an_unfinished_run_without_a_journal_leaves_nothing_and_another_programs_folder_stays() {
    let root = tempfile::tempdir().expect("a temporary folder");
    let path = root.path().join("out");
    let open = |earlier, resume| OutputFolder::unfinished(&path, None, earlier, resume);
    let folder = open(Earlier::Stays, false).expect("a writable place");
    folder.write_part("gathers.sgy", 0, b"head").expect("written");
    drop(folder);
    assert!(!path.exists(), "nothing to resume from");
    // Killed while it wrote its first file.
    put(&path.join("unfinished/journal.jsonl.new"), b"half");
    drop(open(Earlier::IsOverwritten, false).expect("a run's"));
    put(&path.join("unfinished/mine.txt"), b"mine");
    for (earlier, resume) in [(Earlier::Stays, true), (Earlier::IsOverwritten, false)] {
        assert!(matches!(open(earlier, resume), Err(FolderError::NotOurs { .. })));
    }
    assert_eq!(below(&path), ["unfinished/mine.txt"]);
}

#[test]
fn an_unfinished_run_is_kept_and_resumed() {
    let root = tempfile::tempdir().expect("a temporary folder");
    let path = root.path().join("out");
    let open = |earlier, resume| OutputFolder::unfinished(&path, None, earlier, resume);
    assert!(matches!(open(Earlier::Stays, true), Err(FolderError::NothingToResume { .. })));
    let folder = open(Earlier::Stays, false).expect("a writable place");
    folder.write_part("a", 3, b"def").expect("written");
    folder.replace(JOURNAL, b"{}").expect("written");
    folder.keep();
    drop(folder);
    assert!(matches!(open(Earlier::Stays, false), Err(FolderError::Unfinished { .. })));
    let new = OutputFolder::new(&path, Some(RUN), Earlier::IsReplaced);
    assert!(matches!(new, Err(FolderError::Unfinished { .. })));
    let folder = open(Earlier::Stays, true).expect("to go on with");
    folder.write_part("a", 0, b"abc").expect("written");
    folder.commit().expect("moved");
    assert_eq!(fs::read(path.join("a")).expect("there"), b"abcdef");
    assert_eq!(below(&path), ["a", JOURNAL]);
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_moved_is_not_made_anew() {
    let root = tempfile::tempdir().expect("a temporary folder");
    let [path, moved] = ["out", "moved"].map(|name| root.path().join(name));
    let open = |path: &Path, resume| OutputFolder::unfinished(path, None, Earlier::Stays, resume);
    let folder = open(&path, false).expect("a writable place");
    folder.write_part("a", 0, b"abc").expect("written");
    folder.replace(JOURNAL, b"{}").expect("written");
    folder.keep();
    fs::rename(&path, &moved).expect("moved");
    assert!(matches!(folder.write_part("a", 3, b"def"), Err(FolderError::Gone { .. })));
    // Nor is another run's in its place.
    put(&path.join("unfinished/journal.jsonl"), b"{}");
    assert!(matches!(folder.write_part("a", 3, b"def"), Err(FolderError::Gone { .. })));
    assert!(matches!(folder.commit(), Err(FolderError::Gone { .. })));
    assert_eq!(below(&path), ["unfinished/journal.jsonl"]);
    let folder = open(&moved, true).expect("to go on with");
    folder.write_part("a", 3, b"def").expect("written");
    folder.commit().expect("moved");
    assert_eq!(fs::read(moved.join("a")).expect("there"), b"abcdef");
}

#[cfg(unix)]
#[test]
fn a_run_that_goes_on_writes_through_no_link() {
    let root = tempfile::tempdir().expect("a temporary folder");
    let (path, victim) = (root.path().join("out"), root.path().join("victim"));
    put(&victim, b"mine");
    put(&path.join("unfinished/journal.jsonl"), b"{}");
    std::os::unix::fs::symlink(&victim, path.join("unfinished/a")).expect("a link");
    let resumed = OutputFolder::unfinished(&path, None, Earlier::Stays, true);
    assert!(matches!(resumed, Err(FolderError::Link { path }) if path.ends_with("unfinished/a")));
    drop(OutputFolder::unfinished(&path, None, Earlier::IsOverwritten, false).expect("begun"));
    assert_eq!(fs::read(victim).expect("there"), b"mine");
}
