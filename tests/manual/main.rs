//! The manual does what it says: its commands run, its job files are jobs, its keys are shown in
//! use.
//!
//! To add a page: a file in `docs/` and a line in `docs/SUMMARY.md`. The commands of a page run in
//! a folder of the page. A `sh` block holds commands without prompt and shell syntax. A `toml`
//! block is a job, or a part laid over the built-in one; `<!-- file: NAME -->` before it
//! writes it for the commands after it. A word after the language says what a test lacks
//! (`needs-gpu`, `needs-minutes`, `needs-files`, `needs-source`, `needs-shell`): only options and
//! keys are checked then. `refused` expects exit code 2. `<!-- run: COMMAND -->` runs a hidden
//! command. `text`, `json`, `python` and `math` are only shown. A number that a command prints
//! stands between marks (`values.rs`). Pictures that commands draw are those that are kept (`pictures.rs`).

mod block;
mod keys;
mod pictures;
mod report;
mod trial;
mod values;

use std::{collections::BTreeSet, env, fs, path::Path, path::PathBuf};
use trial::try_page;

/// The pages, by their paths below docs/.
fn pages() -> Vec<(String, String)> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let (mut folders, mut pages) = (vec![docs.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().expect("a folder") {
            let path: PathBuf = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|known| known == "md") {
                let name = path.strip_prefix(&docs).expect("below docs").display().to_string();
                pages.push((name, fs::read_to_string(&path).expect("a page of text")));
            }
        }
    }
    pages.sort();
    pages
}

/// Copies the files that a page works on: those of docs/data/PAGE.
fn copy_data(page: &str, folder: &Path) {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/data");
    let Ok(files) = data.join(page.trim_end_matches(".md")).read_dir() else { return };
    for file in files {
        let file = file.expect("an entry");
        fs::copy(file.path(), folder.join(file.file_name())).expect("a copy");
    }
}

/// The folder where `cargo xtask figures` takes pictures of pages from, and keeps theirs.
const KEPT: &str = "HUYGENS_MANUAL";

#[test]
fn every_page_does_what_it_says() {
    let (mut ran, mut checked, mut compared) = (0, 0, 0);
    let (mut not_run, mut wrong) = (Vec::new(), Vec::new());
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let root = env::var_os(KEPT).map_or(temporary.path().to_owned(), PathBuf::from);
    for (name, text) in pages() {
        let folder = root.join(name.trim_end_matches(".md"));
        fs::create_dir_all(&folder).expect("a new folder");
        copy_data(&name, &folder);
        let mut report = try_page(&text, &folder, &[]);
        let (numbers, differing) = values::check(&text, &folder);
        report.wrong.extend(differing);
        compared += numbers;
        ran += report.ran;
        checked += report.checked;
        not_run.extend(report.not_run.into_iter().map(|why| format!("{name}:{why}")));
        wrong.extend(report.wrong.into_iter().map(|what| format!("docs/{name}:{what}")));
    }
    // With a folder to keep them in, the pictures are being drawn again.
    let mut pictures = 0;
    if env::var_os(KEPT).is_none() {
        let stale;
        (pictures, stale) = pictures::compare(&root);
        wrong.extend(stale);
    }
    println!(
        "{ran} commands ran, {checked} job files are jobs, {compared} numbers are as printed, {pictures} pictures are as \
         drawn; NOT RUN: {} commands",
        not_run.len()
    );
    not_run.iter().for_each(|what| println!("NOT RUN: {what}"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(ran > 20 && checked > 10, "the manual has lost its examples");
    assert!(compared >= 15, "the papers have lost their numbers");
}

/// `cargo xtask figures papers`: runs the commands of the papers' pages, those that take minutes too, and writes their numbers.
#[test]
#[ignore = "takes minutes and writes docs/papers: cargo xtask figures papers"]
fn the_papers_are_written() {
    let root = env::var_os(KEPT).map(PathBuf::from).expect("xtask says where to keep the files");
    let mut wrong = Vec::new();
    for (name, text) in pages().into_iter().filter(|(name, _)| name.starts_with("papers/")) {
        let folder = root.join(name.trim_end_matches(".md"));
        fs::create_dir_all(&folder).expect("a new folder");
        let report = try_page(&text, &folder, &["needs-minutes"]);
        wrong.extend(report.wrong.into_iter().map(|what| format!("docs/{name}:{what}")));
        let (text, left) = values::renewed(&text, &folder);
        left.iter().for_each(|what| println!("LEFT AS IT WAS: docs/{name}:{what}"));
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(&name);
        fs::write(page, text).expect("a writable page");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_key_of_the_job_page_is_in_an_example() {
    let pages = pages();
    let shown: BTreeSet<String> = pages.iter().flat_map(|(_, text)| keys::shown(text)).collect();
    let (_, job) = pages.iter().find(|(name, _)| name == "job.md").expect("the page");
    let told = keys::told(job);
    assert!(told.contains("peak_hz") && told.contains("array"), "{told:?}");
    let missing: Vec<_> = told.difference(&shown).collect();
    assert!(missing.is_empty(), "no page has an example with {missing:?}");
}
