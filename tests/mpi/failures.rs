//! A failure anywhere ends all ranks, and is reported once.

#[cfg(feature = "faults")]
use crate::ranks::has_gpu;
use crate::ranks::{
    PROGRAM, SMALL, SURVEY, fails, folder, huygens, mpirun, ranks, said, two, works,
};
use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

const SHOT: [&str; 5] = ["shot", "job.toml", "--backend", "cpu", "--no-pictures"];

#[test]
fn ranks_that_disagree_are_refused() {
    let folder = folder(SMALL);
    let other = [&SHOT[..], &["--set", "time.duration=0.5"]].concat();
    let output = two(folder.path(), &SHOT, &other);
    fails(
        &output,
        2,
        "rank 1 was given another job than rank 0: job.time.duration is 0.5 there and 0.4",
    );
    let output = two(folder.path(), &SHOT, &[&SHOT[..], &["--out", "other"]].concat());
    fails(&output, 2, "rank 1 was given another job than rank 0: out is \"other\" there");
    assert!(!folder.path().join("out").exists());
}

#[test]
fn a_rank_that_fails_says_why() {
    let folder = folder(SMALL);
    let nothing = ["shot", "job.toml", "--adapter", "nothing"];
    let output = two(folder.path(), &SHOT, &nothing);
    fails(&output, 2, "failed: no adapter matches \"nothing\"");
    assert!(said(&output).contains("rank 1 on "), "{}", said(&output));
    // A mistake common to all is reported by rank 0.
    let output = ranks(folder.path(), 4, &["shot", "nowhere.toml"]);
    fails(&output, 2, "nowhere.toml");
    assert!(!folder.path().join("out").exists());
}

/// Runs a shot on two ranks with a GPU each, of which the second has a fault.
#[cfg(feature = "faults")]
fn with_fault(folder: &Path, fault: &str, words: &[&str]) -> std::process::Output {
    let words = [&["shot", "job.toml", "--backend", "vulkan", "--no-pictures"], words].concat();
    let fault = format!("HUYGENS_FAULT={fault}");
    let first = [&["-n", "1", PROGRAM], &words[..], &[":"]].concat();
    let second = [&["-n", "1", "env", &fault, PROGRAM], &words[..]].concat();
    mpirun(folder, &[first, second].concat()).output().expect("mpirun is here")
}

#[cfg(feature = "faults")]
#[test]
fn a_shot_is_done_again_where_a_rank_loses_its_device() {
    if !has_gpu() {
        return;
    }
    let folder = folder(SMALL);
    let folder = folder.path();
    works(&with_fault(folder, "", &["--out", "whole"]));
    let told = "failed: the device";
    let same = |out: &str| {
        let [one, other] = ["whole", out]
            .map(|out| fs::read(folder.join(out).join("gather.sgy")).expect("a file"));
        assert!(one == other, "{out}");
        let record = fs::read_to_string(folder.join(out).join("run.json")).expect("a record");
        assert!(record.contains("\"retried\"") && record.contains("rank 1 on"), "{record}");
    };
    for (fault, out) in [("lost:100", "lost"), ("poll:1", "silent")] {
        let output = with_fault(folder, fault, &["--out", out]);
        works(&output);
        assert_eq!(said(&output).matches(told).count(), 1, "{}", said(&output));
        same(out);
    }
    // Once is enough without another device, and with one both ranks go on there.
    let twice = "lost:100,lost:250";
    fails(&with_fault(folder, twice, &["--out", "twice"]), 1, "run it again, update its driver");
    assert!(!folder.join("twice").exists());
    let cpu = with_fault(folder, twice, &["--out", "fallback", "--fallback", "cpu"]);
    works(&cpu);
    assert!(said(&cpu).contains("done again on 2 ranks"), "{}", said(&cpu));
    works(&ranks(folder, 2, &[&SHOT[..], &["--out", "cpu"]].concat()));
    let [one, other] = ["cpu", "fallback"].map(|out| fs::read(folder.join(out).join("gather.sgy")));
    assert!(one.expect("a file") == other.expect("a file"));
}

/// One rank sees it, and all end with what was recorded before.
#[test]
fn a_blow_up_is_reported_as_by_one_process() {
    let folder = folder(include_str!("../../assets/jobs/unstable.toml"));
    let folder = folder.path();
    let words = |out| [&SHOT[..], &["--force", "--out", out]].concat();
    let alone = huygens(folder, &words("alone"));
    let ours = ranks(folder, 3, &words("ranks"));
    let told = said(&alone);
    let told = &told[told.find("the field blew up").expect("it is told")..];
    let until = told.find(" What was recorded").expect("what is kept");
    fails(&ours, 1, &told[..until]);
    let [one, other] = ["alone", "ranks"].map(|out| {
        let all = fs::read_dir(folder.join(out)).expect("a folder");
        let mut all: Vec<_> = all.map(|entry| entry.expect("an entry").path()).collect();
        all.retain(|path| !path.ends_with("run.json"));
        all.sort();
        all.iter().map(|path| fs::read(path).expect("a file")).collect::<Vec<_>>()
    });
    assert!(!one.is_empty() && one == other);
}

#[test]
fn slabs_too_thin_are_refused() {
    let job = SMALL.replace("x = 80", "x = 20").replace("x = 810.0", "x = 210.0");
    let job = job.replace("x = 1570.0", "x = 370.0");
    let folder = folder(&(job + "\n[boundary]\ntop = \"zero\"\nsides = { kind = \"zero\" }\n"));
    let output = ranks(folder.path(), 6, &SHOT);
    fails(
        &output,
        2,
        "a simulation of 20 columns is not split over 6 engines: each takes 4 at the least",
    );
    works(&ranks(folder.path(), 5, &SHOT));
}

#[test]
fn unsplittable_jobs_are_refused() {
    let folder = folder(SMALL);
    let folder = folder.path();
    let output = ranks(folder, 2, &["locate", "job.toml"]);
    fails(&output, 2, "2 ranks were started of a command that runs in one process");
    let output = ranks(folder, 2, &["shot", "job.toml", "--devices", "cpu,cpu"]);
    fails(&output, 2, "start a rank for each device");
    // A command that each rank runs separately.
    works(&ranks(folder, 2, &["devices"]));
    // Ranks that another library's mpirun has started.
    let mut alone = std::process::Command::new(PROGRAM);
    alone.args(SHOT).current_dir(folder).envs([("PMI_RANK", "0"), ("PMI_SIZE", "4")]);
    alone.envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")]);
    fails(&alone.output().expect("the program runs"), 2, "4 ranks were started, but ");
}

/// Runs two ranks of which the second kills itself once a command of the shell succeeds; how long
/// they took.
fn killed(folder: &Path, once: &str, words: &[&str]) -> Duration {
    let script = "test \"${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\" = 0 || (until eval \"$0\"; do sleep 0.1; done; kill -9 $$) & exec \"$@\"";
    let words = [&["-n", "2", "sh", "-c", script, once, PROGRAM], words].concat();
    let began = Instant::now();
    let output = mpirun(folder, &words).output().expect("mpirun is here");
    assert!(!output.status.success(), "{}", said(&output));
    began.elapsed()
}

#[test]
fn a_rank_that_is_killed_ends_all() {
    let long = SMALL.replace("duration = 0.4", "duration = 2000.0");
    let long = long.replace("snapshots = [0.1, 0.2]", "");
    let folder = folder(&long);
    let took = killed(folder.path(), "sleep 2", &SHOT);
    assert!(took < Duration::from_secs(60), "{took:?}");
    // Unfinished files stay hidden.
    let files = fs::read_dir(folder.path().join("out")).into_iter().flatten().flatten();
    let mut names = files.map(|file| file.file_name().to_string_lossy().into_owned());
    assert!(names.all(|name| name.starts_with('.')));
}

#[test]
fn finished_shots_stay_finished() {
    let folder = folder(&SURVEY.replace("duration = 2.0", "duration = 12.0"));
    let folder = folder.path();
    let words = |out| [&SHOT[..], &["--out", out]].concat();
    // The journal begins with a line of what it is of.
    let journal = "ranks/task-2-of-2/unfinished/journal.jsonl";
    let one_is_done = format!("test $(wc -l 2>/dev/null < {journal} || echo 0) -gt 1");
    killed(folder, &one_is_done, &words("ranks"));
    let lines = fs::read_to_string(folder.join(journal)).expect("what is done");
    assert!((2..7).contains(&lines.lines().count()), "{lines}");
    let again = ranks(folder, 2, &words("ranks"));
    works(&again);
    works(&huygens(folder, &words("alone")));
    let [one, other] = ["alone", "ranks"].map(|out| fs::read(folder.join(out).join("gathers.sgy")));
    assert!(one.expect("a file") == other.expect("a file"));
    assert!(!folder.join("ranks/task-1-of-2").exists());
    // Existing files are not overwritten unasked.
    fails(&ranks(folder, 2, &words("ranks")), 2, "is not empty");
}
