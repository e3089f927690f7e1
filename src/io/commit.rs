//! The end of a run in its folder: files are moved into place, the record last, in an order that
//! can be completed after being killed at any point.

use super::{
    dir::{Dir, is_inside, parents},
    folder_error::FolderError,
    synced,
};
use crate::program::PROGRAM;
use rayon::prelude::*;
use std::{
    collections::HashSet,
    io,
    path::{Path, PathBuf},
};

/// The folder of a finished run's files, on their way to their places.
pub(super) const FINISHED: &str = ".huygens-finished";
/// The record of an earlier run while its files are being replaced.
pub(super) const REPLACED: &str = ".huygens-replaced.json";

/// Completes a commit that has begun, if there is one: moves every file into place, removes an
/// earlier run's files, and moves the record last.
pub(super) fn complete(folder: &Dir, spared: &[PathBuf]) -> Result<bool, FolderError> {
    let io = |name: &str| {
        let path = folder.path().join(name);
        move |source| FolderError::io(path, source)
    };
    if !folder.has(FINISHED) {
        return Ok(false);
    }
    let finished = folder.below(FINISHED);
    finished.check_links().map_err(io(FINISHED))?;
    let Moved { files, record, listed: all } = Moved::of(&finished).map_err(io(FINISHED))?;
    let is_record = |name: &&String| Some(*name) == record.as_ref();
    if let Some(record) = &record
        && !folder.has(REPLACED)
        && !listed(folder, record).is_empty()
    {
        folder.rename(record, REPLACED).map_err(io(record))?;
    }
    let move_one = |name: &String| {
        let moved = make_place(folder, name)
            .and_then(|()| folder.rename(Path::new(FINISHED).join(name), name));
        moved.map_err(io(name))
    };
    files.iter().filter(|name| !is_record(name)).try_for_each(move_one)?;
    // A record is there only with its files, whatever the disk has.
    let places = parents(&files).into_par_iter();
    places.try_for_each(|place| synced::folder_in(folder, place)).map_err(io(""))?;
    let stale = if record.is_some() { listed(folder, REPLACED) } else { Vec::new() };
    let path = folder.path();
    let is_kept = |name: &&String| {
        let spare = || path.join(name).canonicalize().is_ok_and(|file| spared.contains(&file));
        all.contains(*name) || files.contains(name) || spare()
    };
    remove(folder, stale.iter().filter(|name| !is_kept(name)));
    // Without their record, working files would be taken for results.
    let working = finished.files().map_err(io(FINISHED))?;
    remove(&finished, working.iter().filter(|name| record.is_some() && !is_record(name)));
    files.iter().filter(is_record).try_for_each(move_one)?;
    synced::folder_in(folder, "").map_err(io(""))?;
    let _ = folder.remove_file(REPLACED);
    let _ = finished.remove_tree("");
    Ok(true)
}

/// Makes the folder of a file within one.
pub(super) fn make_place(folder: &Dir, name: &str) -> io::Result<()> {
    Path::new(name).parent().map_or(Ok(()), |place| folder.make_folders(place))
}

/// Removes files of a folder, and the folders in it that they leave empty.
pub(super) fn remove<'a>(folder: &Dir, names: impl Iterator<Item = &'a String>) {
    for name in names {
        // A file that is gone already needs no removal, and one beyond a link is not the folder's.
        let _ = folder.remove_file(name);
        // A folder that is left empty is removed; one with other files stays.
        if let Some(place) = Path::new(name).parent().filter(|place| !place.as_os_str().is_empty())
        {
            let _ = folder.remove_folder(place);
        }
    }
}

/// The files of a run that go into place.
pub(super) struct Moved {
    pub(crate) files: Vec<String>,
    /// The file that lists the others, and its list.
    record: Option<String>,
    listed: HashSet<String>,
}

impl Moved {
    /// From the folder where they wait. The record is found among the files that are still there.
    /// Files that it does not list were the run's working files; they are deleted with that folder.
    pub(crate) fn of(folder: &Dir) -> io::Result<Self> {
        let mut files = folder.files()?;
        let jsons = files.iter().filter(|name| name.ends_with(".json"));
        let mut records = jsons.map(|name| (name.clone(), listed(folder, name)));
        let (record, all) = records.find(|(_, listed)| !listed.is_empty()).unzip();
        let listed: HashSet<String> = all.into_iter().flatten().collect();
        files.retain(|name| {
            listed.is_empty() || listed.contains(name) || Some(name) == record.as_ref()
        });
        Ok(Moved { files, record, listed })
    }
}

/// The files that an earlier run left in a folder, as its record lists them, and the record itself.
/// Other programs' records of the same name are ignored, since their files are not ours to remove.
pub(super) fn listed(folder: &Dir, record: &str) -> Vec<String> {
    let named = Path::new(record).file_name().map(|name| name.to_string_lossy().into_owned());
    let record: serde_json::Value =
        folder.bytes(record).ok().and_then(|b| serde_json::from_slice(&b).ok()).unwrap_or_default();
    if record["program"] != PROGRAM.name {
        return Vec::new();
    }
    let files = record["files"].as_array().cloned().unwrap_or_default();
    let files = files.iter().filter_map(|file| file.as_str().map(str::to_owned)).chain(named);
    files.filter(|file| is_inside(file)).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::folder::{Earlier, OutputFolder};
    use std::fs;

    /// The files below a folder, except locks.
    pub(crate) fn below(path: &Path) -> Vec<String> {
        Dir::open(path).and_then(|folder| folder.files()).unwrap_or_default()
    }

    pub(crate) fn record(files: &[&str]) -> Vec<u8> {
        serde_json::json!({ "program": PROGRAM.name, "files": files }).to_string().into_bytes()
    }

    pub(crate) fn put(file: &Path, bytes: &[u8]) {
        fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        fs::write(file, bytes).expect("written");
    }

    /// A run with b.txt and c.txt after one with a.txt, killed anywhere between the renames.
    #[test]
    fn an_interrupted_commit_is_completed() {
        for moved in 0..4 {
            let root = tempfile::tempdir().expect("a temporary folder");
            let path = root.path();
            let put = |name: &str, bytes: &[u8]| put(&path.join(name), bytes);
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
