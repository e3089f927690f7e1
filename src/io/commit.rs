//! The end of a run in its folder: files are moved into place, the record last, in an order that
//! can be completed after being killed at any point.

use super::{
    access,
    folder_error::{FolderError, shown},
    synced,
};
use crate::program::PROGRAM;
use std::{
    collections::HashSet,
    fs,
    path::{Component, Path, PathBuf},
};

/// The folder of a finished run's files, on their way to their places.
pub(super) const FINISHED: &str = ".huygens-finished";
/// The record of an earlier run while its files are being replaced.
pub(super) const REPLACED: &str = ".huygens-replaced.json";

/// Completes a commit that has begun: moves every file into place, removes an earlier run's files,
/// and moves the record last.
pub(super) fn complete(path: &Path, spared: &[PathBuf]) -> Result<(), FolderError> {
    let (finished, replaced) = (path.join(FINISHED), path.join(REPLACED));
    if !finished.is_dir() {
        return Ok(());
    }
    let io = |name: &str| {
        let path = shown(&path.join(name));
        move |source| FolderError::Io { path, source }
    };
    let Moved { files, record, listed: all } = Moved::of(&finished);
    let is_record = |name: &&String| Some(*name) == record.as_ref();
    if let Some(record) = &record {
        let before = path.join(record);
        if !replaced.exists() && !listed(&before).is_empty() {
            fs::rename(&before, &replaced).map_err(io(record))?;
        }
    }
    let move_one = |name: &String| {
        fs::create_dir_all(place(path, name)).map_err(io(name))?;
        fs::rename(finished.join(name), path.join(name)).map_err(io(name))
    };
    files.iter().filter(|name| !is_record(name)).try_for_each(move_one)?;
    // A record is there only with its files, whatever the disk has.
    let mut places: HashSet<PathBuf> = files.iter().map(|name| place(path, name)).collect();
    places.insert(path.to_owned());
    places.iter().try_for_each(|place| synced::folder(place)).map_err(io(""))?;
    let stale = if record.is_some() { listed(&replaced) } else { Vec::new() };
    let is_kept = |name: &&String| {
        let spare = || path.join(name).canonicalize().is_ok_and(|file| spared.contains(&file));
        all.contains(*name) || files.contains(name) || spare()
    };
    remove(path, stale.iter().filter(|name| !is_kept(name)));
    // Without their record, working files would be taken for results.
    let mut working = Vec::new();
    list(&finished, "", &mut working);
    remove(&finished, working.iter().filter(|name| record.is_some() && !is_record(name)));
    files.iter().filter(is_record).try_for_each(move_one)?;
    synced::folder(path).map_err(io(""))?;
    let _ = fs::remove_file(replaced);
    let _ = fs::remove_dir_all(finished);
    Ok(())
}

/// The folder of a file within one.
fn place(path: &Path, name: &str) -> PathBuf {
    path.join(name).parent().unwrap_or(path).to_owned()
}

/// Removes files of a folder, and the folders in it that they leave empty.
pub(super) fn remove<'a>(path: &Path, names: impl Iterator<Item = &'a String>) {
    for name in names.filter(|name| is_inside(name)) {
        let file = path.join(name);
        // A file that is gone already needs no removal.
        let _ = fs::remove_file(&file);
        // A folder that is left empty is removed; one with other files stays.
        if let Some(folder) = file.parent().filter(|folder| *folder != path) {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// The files of a run that go into place.
pub(super) struct Moved {
    pub files: Vec<String>,
    /// The file that lists the others, and its list.
    record: Option<String>,
    listed: HashSet<String>,
}

impl Moved {
    /// From the folder where they wait. The record is found among the files that are still there.
    /// Files that it does not list were the run's working files; they are deleted with that folder.
    pub fn of(folder: &Path) -> Self {
        let mut files = Vec::new();
        list(folder, "", &mut files);
        let jsons = files.iter().filter(|name| name.ends_with(".json"));
        let mut records = jsons.map(|name| (name.clone(), listed(&folder.join(name))));
        let (record, all) = records.find(|(_, listed)| !listed.is_empty()).unzip();
        let listed: HashSet<String> = all.into_iter().flatten().collect();
        files.retain(|name| {
            listed.is_empty() || listed.contains(name) || Some(name) == record.as_ref()
        });
        Moved { files, record, listed }
    }
}

/// True if a name is a file in a folder or below it.
pub fn is_inside(name: &str) -> bool {
    Path::new(name).components().all(|part| matches!(part, Component::Normal(_)))
}

/// The files that an earlier run left in a folder, as its record lists them, and the record itself.
/// Other programs' records of the same name are ignored, since their files are not ours to remove.
pub(super) fn listed(record: &Path) -> Vec<String> {
    let named = record.file_name().map(|name| name.to_string_lossy().into_owned());
    let record: serde_json::Value = access::bytes(record)
        .ok()
        .and_then(|b| serde_json::from_slice(&b).ok())
        .unwrap_or_default();
    if record["program"] != PROGRAM.name {
        return Vec::new();
    }
    let files = record["files"].as_array().cloned().unwrap_or_default();
    files.iter().filter_map(|file| file.as_str().map(str::to_owned)).chain(named).collect()
}

/// Files below a folder, as paths within it.
pub(super) fn list(folder: &Path, prefix: &str, files: &mut Vec<String>) {
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        match entry.path().is_dir() {
            true => list(&entry.path(), &format!("{name}/"), files),
            false => files.push(name),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::folder::{Earlier, OutputFolder};

    /// The files below a folder, except locks.
    pub fn below(path: &Path) -> Vec<String> {
        let mut files = Vec::new();
        list(path, "", &mut files);
        files.sort();
        files
    }

    pub fn record(files: &[&str]) -> Vec<u8> {
        serde_json::json!({ "program": PROGRAM.name, "files": files }).to_string().into_bytes()
    }

    /// A run with b.txt and c.txt after one with a.txt, killed anywhere between the renames.
    #[test]
    fn an_interrupted_commit_is_completed() {
        for moved in 0..4 {
            let root = tempfile::tempdir().expect("a temporary folder");
            let path = root.path();
            let put = |name: &str, bytes: &[u8]| {
                let file = path.join(name);
                fs::create_dir_all(file.parent().expect("a folder")).expect("made");
                fs::write(file, bytes).expect("written");
            };
            put("a.txt", b"old");
            put(if moved == 0 { "run.json" } else { REPLACED }, &record(&["a.txt"]));
            put(".huygens-abc/d.txt", b"of another that was killed");
            for (name, order) in [("b.txt", 1), ("c.txt", 2)] {
                let at = if moved > order { String::new() } else { format!("{FINISHED}/") };
                put(&format!("{at}{name}"), b"new");
            }
            put(&format!("{FINISHED}/run.json"), &record(&["b.txt", "c.txt"]));
            OutputFolder::recover(path).expect("brought to its end");
            let files = below(path);
            assert_eq!(files, [".huygens-abc/d.txt", "b.txt", "c.txt", "run.json"], "{moved}");
            let folder = OutputFolder::new(path, Some("run.json"), Earlier::IsReplaced);
            let folder = folder.expect("a run's own");
            folder.write("run.json", &record(&[])).expect("written");
            folder.commit().expect("moved");
            assert_eq!(below(path), ["run.json"]);
        }
    }
}
