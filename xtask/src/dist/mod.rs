//! What ships, made by one command in `target/artefacts`: archives, wheels, packages for Debian,
//! checksums, bills of materials and release notes.
//!
//! To add a system: a [`Target`] in `target.rs`; `cargo xtask dist --only NAME` tries it.

mod archive;
mod crates;
mod deb;
mod pages;
mod roots;
mod target;

use crate::{
    python,
    run::{Outcome, built, cargo, root},
};
use crates::Crates;
use pages::Pages;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};
use target::{Built, TARGETS, Target};

/// What to make.
#[derive(Debug, Default, PartialEq)]
pub struct Dist {
    /// Names of targets; all if it is empty.
    pub only: Vec<String>,
    /// Whether what was made earlier is installed in clean systems instead.
    pub test: bool,
}

/// The largest program that may ship, bytes: what it has on x86_64, and 4 % (docs/notebook.md, "Size of the program").
const LARGEST: u64 = 20_000_000;

/// A file that was made, or why it was not.
enum Artefact {
    Made(PathBuf),
    NotRun { name: String, why: String },
}

/// The release that is made.
struct Release {
    version: String,
    /// Where the files go.
    out: PathBuf,
    /// The Python that has zig, maturin and what makes wheels.
    python: PathBuf,
}

impl Release {
    /// The name of a file that ships, without its ending.
    fn name(&self, target: &Target) -> String {
        format!("huygens-{}-{}", self.version, target.name)
    }
}

/// Makes what ships, and prints a table of it.
pub fn dist(wanted: &Dist) -> Outcome {
    let began = Instant::now();
    let out = built("artefacts");
    if wanted.test {
        return roots::test(&version()?, &out);
    }
    let targets = chosen(&wanted.only)?;
    if wanted.only.is_empty() {
        fresh(&out)?;
    }
    let release = Release { version: version()?, out, python: python::cross_python()? };
    let mut artefacts = Vec::new();
    let mut pages = None;
    for target in targets {
        match target.build(&release.python)? {
            Err(why) => {
                artefacts.push(Artefact::NotRun { name: release.name(target), why });
            }
            Ok(files) => {
                let pages = match &mut pages {
                    Some(pages) => pages,
                    none => none.insert(Pages::new(target.runs_here().then_some(&files))?),
                };
                artefacts.extend(ship(&release, target, &files, pages)?);
            }
        }
    }
    artefacts.push(Artefact::Made(notes(&release)?));
    artefacts.push(Artefact::Made(sums(&release.out)?));
    table(&artefacts, began.elapsed().as_secs_f64());
    Ok(())
}

/// Everything for one target.
fn ship(
    release: &Release,
    target: &Target,
    files: &Built,
    pages: &Pages,
) -> Result<Vec<Artefact>, String> {
    let size = size(&files.program)?;
    if size > LARGEST {
        return Err(format!(
            "{} has {:.1} MB; the limit is {:.1} MB: optimise cold crates for size in \
             [profile.dist.package]",
            files.program.display(),
            1e-6 * size as f64,
            1e-6 * LARGEST as f64
        ));
    }
    let crates = Crates::of(target.triple)?;
    let bill = release.out.join(format!("{}.cdx.json", release.name(target)));
    write(&bill, crates.bill_of_materials()?)?;
    let licences = crates.licences()?;
    let content = archive::Content { release, target, files, pages, licences: &licences };
    let mut artefacts = vec![Artefact::Made(content.archive(&bill)?), Artefact::Made(bill)];
    artefacts.extend(content.debian()?);
    let wheel = python::Wheel {
        python: &release.python,
        program: &files.program,
        module: &files.module,
        extension: target.extension(),
        platform: Some(target.platform),
        licences: Some(&licences),
    };
    let wheel = wheel.pack(&built("wheel-dist"), &built("wheels-dist"))?;
    python::check_tag(&release.python, &wheel, target.platform)?;
    let place = release.out.join(wheel.file_name().unwrap_or_default());
    copy(&wheel, &place)?;
    artefacts.push(Artefact::Made(place));
    Ok(artefacts)
}

fn chosen(only: &[String]) -> Result<Vec<&'static Target>, String> {
    let known = || TARGETS.iter().map(|target| target.name).collect::<Vec<_>>().join(", ");
    for name in only {
        if !TARGETS.iter().any(|target| target.name == name) {
            return Err(format!("there is no target {name}; the targets are {}", known()));
        }
    }
    let is_wanted =
        |target: &&Target| only.is_empty() || only.iter().any(|name| name == target.name);
    // First what runs here: it writes the manual pages.
    let mut targets: Vec<_> = TARGETS.iter().filter(is_wanted).collect();
    targets.sort_by_key(|target| !target.runs_here());
    Ok(targets)
}

/// The version of the program.
fn version() -> Result<String, String> {
    let told = cargo(&["metadata", "--no-deps", "--format-version", "1"]).output();
    let told = told.map_err(|why| format!("cargo metadata could not be started: {why}"))?;
    let told: Value = serde_json::from_slice(&told.stdout).map_err(|why| why.to_string())?;
    let packages = told["packages"].as_array().into_iter().flatten();
    let version =
        packages.filter(|of| of["name"] == "huygens").find_map(|of| of["version"].as_str());
    version.map(String::from).ok_or_else(|| "cargo metadata names no huygens".into())
}

/// The part of the changelog about this version.
fn notes(release: &Release) -> Result<PathBuf, String> {
    let changes = read(&root().join("CHANGELOG.md"))?;
    let text = section(&changes, &release.version)
        .ok_or_else(|| format!("CHANGELOG.md has no section \"## {}\"", release.version))?;
    let path = release.out.join("RELEASE-NOTES.md");
    write(&path, format!("# huygens {}\n\n{text}\n", release.version))?;
    Ok(path)
}

/// The text below the heading of a version.
fn section<'c>(changes: &'c str, version: &str) -> Option<&'c str> {
    let is_it = |heading: &str| heading.split_whitespace().next() == Some(version);
    let section = changes.split("\n## ").skip(1).find(|section| is_it(section))?;
    section.split_once('\n').map(|(_, text)| text.trim())
}

/// Writes SHA256SUMS of all that is there, which `sha256sum -c` reads.
fn sums(out: &Path) -> Result<PathBuf, String> {
    let sums = out.join("SHA256SUMS");
    let mut text = String::new();
    for path in files(out)?.into_iter().filter(|path| *path != sums) {
        let bytes = fs::read(&path).map_err(|why| format!("{}: {why}", path.display()))?;
        let digest: String = Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        text += &format!("{digest}  {name}\n");
    }
    write(&sums, text)?;
    Ok(sums)
}

fn table(artefacts: &[Artefact], seconds: f64) {
    println!("\nMade in {:.0} min:", seconds / 60.0);
    for artefact in artefacts {
        match artefact {
            Artefact::Made(path) => {
                let megabytes = 1e-6 * size(path).unwrap_or_default() as f64;
                println!("  {megabytes:6.2} MB  {}", path.display());
            }
            Artefact::NotRun { name, why } => println!("  NOT RUN    {name}: {why}"),
        }
    }
}

fn size(path: &Path) -> Result<u64, String> {
    let about = fs::metadata(path).map_err(|why| format!("{}: {why}", path.display()))?;
    Ok(about.len())
}

/// The files of a folder, sorted.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|why| format!("{}: {why}", folder.display()))?;
    let mut files: Vec<_> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    files.sort();
    Ok(files)
}

/// An empty folder in place of an earlier one.
fn fresh(folder: &Path) -> Outcome {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|why| format!("{}: {why}", folder.display()))?;
    }
    fs::create_dir_all(folder).map_err(|why| format!("{}: {why}", folder.display()))
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|why| format!("{}: {why}", path.display()))
}

/// Writes a file, and its folder.
fn write(path: &Path, content: impl AsRef<[u8]>) -> Outcome {
    let folder = path.parent().unwrap_or(path);
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(path, content));
    written.map_err(|why| format!("{}: {why}", path.display()))
}

/// Copies a file, and makes its folder.
fn copy(from: &Path, to: &Path) -> Outcome {
    let folder = to.parent().unwrap_or(to);
    let copied = fs::create_dir_all(folder).and_then(|()| fs::copy(from, to).map(drop));
    copied.map_err(|why| format!("{} to {}: {why}", from.display(), to.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_the_section_of_a_version() {
        let changes = "# Changelog\n\n## 0.2.0 (2026-11-28)\n\n- new\n\n## 0.1.0\n\n- first\n";
        assert_eq!(section(changes, "0.2.0"), Some("- new"));
        assert_eq!(section(changes, "0.1.0"), Some("- first"));
        assert_eq!(section(changes, "0.2"), None);
    }

    #[test]
    fn what_runs_here_is_built_first() {
        let all = chosen(&[]).expect("all");
        assert_eq!(all.len(), TARGETS.len());
        assert!(all.is_sorted_by_key(|target| !target.runs_here()));
        let only = chosen(&["windows-x86_64".into()]).expect("a target");
        assert_eq!(only.iter().map(|target| target.name).collect::<Vec<_>>(), ["windows-x86_64"]);
        let wrong = chosen(&["amiga".into()]).map(|_| ()).expect_err("it is no target");
        assert!(wrong.contains("linux-x86_64"), "{wrong}");
    }
}
