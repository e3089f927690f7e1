//! Ranks write the same bytes as one process.

use crate::ranks::{SMALL, SURVEY, folder, has_gpu, huygens, ranks, volume, works};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// All files of a folder and of those in it, but the record and the journal, which say what ran.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else if !path.ends_with("run.json") && !path.ends_with("journal.jsonl") {
            files.insert(path.clone(), fs::read(path).expect("a file"));
        }
    }
    files
}

#[track_caller]
fn same(folder: &Path, one: &str, other: &str) {
    let [one, other] = [one, other].map(|out| {
        let at = folder.join(out);
        let all = files(&at).into_iter();
        all.map(|(path, bytes)| (path.strip_prefix(&at).expect("in it").to_owned(), bytes))
            .collect::<BTreeMap<_, _>>()
    });
    assert!(!one.is_empty() && one.keys().eq(other.keys()), "{:?} {:?}", one.keys(), other.keys());
    for (path, bytes) in &one {
        assert!(*bytes == other[path], "{path:?}");
    }
}

#[track_caller]
fn equal(job: &str, command: &str, backend: &str, counts: &[usize]) {
    let folder = folder(job);
    equal_in(folder.path(), command, backend, counts);
}

#[track_caller]
fn equal_in(folder: &Path, command: &str, backend: &str, counts: &[usize]) {
    let words = [command, "job.toml", "--backend", backend, "--no-pictures", "--out"];
    works(&huygens(folder, &[&words[..], &["alone"]].concat()));
    for count in counts {
        let out = &*format!("ranks-{count}");
        works(&ranks(folder, *count, &[&words[..], &[out]].concat()));
        same(folder, "alone", out);
    }
}

#[test]
fn a_shot_of_a_plane() {
    equal(SMALL, "shot", "cpu", &[1, 2, 4]);
}

#[test]
fn a_shot_with_ghosts_of_several_steps() {
    let folder = folder(SMALL);
    let words = ["shot", "job.toml", "--backend", "cpu", "--no-pictures", "--out"];
    works(&huygens(folder.path(), &[&words[..], &["alone"]].concat()));
    works(&ranks(folder.path(), 2, &[&words[..], &["deep", "--ghost-steps", "3"]].concat()));
    same(folder.path(), "alone", "deep");
}

#[test]
fn a_shot_of_a_volume() {
    equal(&volume(), "shot", "cpu", &[2, 4]);
}

#[test]
fn a_shot_on_gpus() {
    if !has_gpu() {
        return;
    }
    equal(SMALL, "shot", "vulkan", &[1, 2, 4]);
    equal(&volume(), "shot", "vulkan", &[2]);
}

#[test]
fn a_shot_through_a_density_that_varies() {
    let dense = |job: String| job.replace("[time]", "density = \"gardner\"\n\n[time]");
    equal(&dense(SMALL.to_owned()), "shot", "cpu", &[2, 4]);
    equal(&dense(volume()), "shot", "cpu", &[2]);
    if has_gpu() {
        equal(&dense(SMALL.to_owned()), "shot", "vulkan", &[2]);
    }
}

/// More ranks than a survey has shots, too.
#[test]
fn a_survey() {
    equal(SURVEY, "shot", "cpu", &[2, 4]);
    let two = SURVEY.replace("count = 12", "count = 2");
    equal(&two, "shot", "cpu", &[3]);
}

#[test]
fn a_migration() {
    let job = SURVEY.replace("count = 12", "count = 5").replace("duration = 2.0", "duration = 0.6");
    equal(&format!("{job}\n[rtm]\nsmooth = 60.0\n"), "rtm", "cpu", &[2, 4]);
}

/// With the misfits of all shots.
#[test]
fn a_gradient() {
    let job = SURVEY.replace("count = 12", "count = 5").replace("duration = 2.0", "duration = 0.6");
    let folder = folder(&format!("{job}\n[gradient]\nobserved = \"observed/gathers.sgy\"\n"));
    let folder = folder.path();
    let rock = ["--model", "builtin:homogeneous", "--out", "observed", "--no-pictures"];
    works(&huygens(folder, &[&["shot", "job.toml", "--backend", "cpu"][..], &rock].concat()));
    equal_in(folder, "gradient", "cpu", &[2]);
    let misfits = |out: &str| {
        let record = fs::read(folder.join(out).join("run.json")).expect("a record");
        let record: serde_json::Value = serde_json::from_slice(&record).expect("JSON");
        record["misfits"].clone()
    };
    assert!(misfits("alone").as_array().is_some_and(|all| all.len() > 1));
    assert_eq!(misfits("alone"), misfits("ranks-2"));
}
