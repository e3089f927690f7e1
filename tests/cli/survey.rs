//! Surveys: one file of all shots, broken off and gone on with, cut into tasks and put together.

use crate::{
    held,
    run::{command, done, exits, folder, huygens, names, said, says},
};
use huygens::io::segy::{Reader, ReaderOptions, TraceHeader, read_gathers, trace};
use ndarray::Array2;
use ndarray_npy::read_npy;
use std::{
    fs,
    path::Path,
    process::{Child, Stdio},
};

/// Twelve shots, each heard by a spread that rolls off.
pub const SURVEY: &str = r#"
[model]
velocity = "builtin:layers"
nodes = { z = 60, x = 80 }
spacing = 20.0

[time]
duration = 0.4
step = 0.002

[survey]
wavelet = { kind = "ricker", peak_hz = 10.0 }
line = { first = { x = 100.0, z = 40.0 }, increment = { x = 120.0 }, count = 12 }
spread = { offsets = { first = -400.0, increment = 40.0, count = 21 }, z = 20.0, ends = "roll-off" }
"#;

/// The job, long enough to be interrupted.
pub fn long() -> String {
    SURVEY.replace("duration = 0.4", "duration = 6.0")
}

fn write(folder: &Path, job: &str) {
    fs::write(folder.join("job.toml"), job).expect("written");
}

fn shot<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["shot", "job.toml", "--backend", "cpu", "--no-pictures"], more].concat()
}

/// Wrong input: exit code 2, and some words.
#[track_caller]
pub fn refuses(folder: &Path, arguments: &[&str], parts: &[&str]) {
    says(&said(&exits(2, folder, arguments)), parts);
}

pub fn begun(folder: &Path, arguments: &[&str]) -> Child {
    let mut command = command(folder, arguments);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the binary runs")
}

#[test]
fn a_survey_is_one_file_of_all_its_shots() {
    let folder = folder();
    write(folder.path(), SURVEY);
    done(folder.path(), &shot(&[]));
    let out = folder.path().join("out");
    assert_eq!(names(&out), ["gathers.sgy", "journal.jsonl", "run.json"]);
    // As .npy each shot has a file.
    done(folder.path(), &shot(&["--set", "output.gathers=[\"npy\"]", "--out", "arrays"]));
    let mut reader =
        Reader::open(&out.join("gathers.sgy"), ReaderOptions::default()).expect("whole");
    let gathers = read_gathers(&mut reader, None).expect("gathers");
    assert_eq!(gathers.len(), 12);
    assert!(reader.warnings().is_empty(), "{:?}", reader.warnings());
    for (gather, number) in gathers.iter().zip(1..) {
        let array: Array2<f32> =
            read_npy(folder.path().join(format!("arrays/shot{number:04}/gather.npy"))).expect("it");
        assert_eq!(gather.traces, array, "shot {number}");
        assert_eq!(gather.record, number);
        assert_eq!(gather.source.x, 100.0 + 120.0 * (number - 1) as f64);
        assert!(gather.receivers.iter().all(|at| (0.0..=1580.0).contains(&at.x) && at.z == 20.0));
    }
    // Receivers before the model's first node, and after its last, are dropped.
    assert_eq!(gathers[0].receivers.len(), 13);
    assert_eq!(gathers[6].receivers.len(), 21);
}

#[test]
fn its_traces_are_numbered_with_signed_offsets_and_columns_of_midpoints() {
    let folder = folder();
    write(folder.path(), SURVEY);
    done(folder.path(), &shot(&[]));
    let mut reader = Reader::open(&folder.path().join("out/gathers.sgy"), ReaderOptions::default())
        .expect("whole");
    let mut headers: Vec<TraceHeader> = Vec::new();
    while let Some(trace) = reader.next_trace().expect("whole") {
        headers.push(trace.header.clone());
    }
    for (header, number) in headers.iter().zip(1..) {
        let of = |field| header.get(field);
        assert_eq!((of(trace::IN_LINE), of(trace::IN_FILE)), (number, number));
        let (source, receiver) = (of(trace::SOURCE_X), of(trace::RECEIVER_X));
        assert_eq!(of(trace::OFFSET), receiver - source);
        assert_eq!(of(trace::CDP_X), (receiver + source) / 2);
        // The model's columns are 20 m apart.
        let column = 1 + (f64::from((receiver + source) as i32) / 40.0).round() as i64;
        assert_eq!(of(trace::ENSEMBLE), column);
    }
    // The first shot has 13 traces.
    let numbers =
        headers.iter().map(|header| (header.get(trace::RECORD), header.get(trace::IN_RECORD)));
    let numbers: Vec<_> = numbers.collect();
    assert_eq!(numbers[12..14], [(1, 13), (2, 1)]);
    assert!(headers[0].get(trace::OFFSET) < 0, "its receiver is left of the source");
}

#[test]
fn a_survey_that_is_killed_goes_on_and_ends_with_the_same_bytes() {
    let folder = folder();
    write(folder.path(), &long());
    done(folder.path(), &shot(&["--out", "whole"]));
    let whole = fs::read(folder.path().join("whole/gathers.sgy")).expect("a survey");
    let unfinished = folder.path().join("out/unfinished");
    let journal = unfinished.join("journal.jsonl");
    for (arguments, shots, lines) in [(shot(&[]), 2, 3), (shot(&["--resume"]), 3, 6)] {
        let mut run = held::begin(folder.path(), &arguments, "journal", shots);
        run.until_lines(&journal, lines);
        // While it runs the folder is its own.
        refuses(folder.path(), &shot(&["--force"]), &["another run writes to out"]);
        run.kill();
        assert_eq!(names(&folder.path().join("out"))[1..], ["unfinished"], "and a lock nobody has");
    }
    refuses(folder.path(), &shot(&[]), &["unfinished run", "--resume"]);
    let before = fs::read(unfinished.join("gathers.sgy")).expect("as far as it is");
    refuses(
        folder.path(),
        &shot(&["--resume", "--set", "survey.line.increment.x=110", "--set", "time.step=0.0025"]),
        &["survey.line.increment.x is 120.0 there and 110.0 in this job", "--force"],
    );
    assert!(fs::read(unfinished.join("gathers.sgy")).expect("untouched") == before);
    // A shot that is damaged is done again, alone.
    let file = unfinished.join("gathers.sgy");
    let mut bytes = fs::read(&file).expect("as far as it is");
    bytes[3600 + 300] ^= 1;
    fs::write(&file, bytes).expect("written");
    let output = done(folder.path(), &shot(&["--resume"]));
    says(&said(&output), &["the files of shot 1 are damaged"]);
    assert_eq!(names(&folder.path().join("out")), ["gathers.sgy", "journal.jsonl", "run.json"]);
    assert!(fs::read(folder.path().join("out/gathers.sgy")).expect("a survey") == whole);
    let journals =
        ["out", "whole"].map(|out| fs::read(folder.path().join(out).join("journal.jsonl")));
    assert_eq!(journals[0].as_ref().expect("one"), journals[1].as_ref().expect("another"));
    let again = huygens(folder.path(), &shot(&["--resume"]));
    assert!(again.status.success() && said(&again).contains("done already"), "{}", said(&again));

    // Killed when all was done but the last move.
    let out = folder.path().join("out");
    fs::create_dir(&unfinished).expect("made");
    for file in ["gathers.sgy", "journal.jsonl"] {
        fs::rename(out.join(file), unfinished.join(file)).expect("moved");
    }
    fs::remove_file(out.join("run.json")).expect("removed");
    done(folder.path(), &shot(&["--resume"]));
    assert!(fs::read(out.join("gathers.sgy")).expect("a survey") == whole);
    fs::remove_dir_all(&out).expect("removed");
    refuses(folder.path(), &shot(&["--resume"]), &["nothing to resume"]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_shots_that_are_done() {
    let folder = folder();
    write(folder.path(), &long());
    let mut run = held::begin(folder.path(), &shot(&[]), "journal", 2);
    run.until_lines(&folder.path().join("out/unfinished/journal.jsonl"), 3);
    let output = run.interrupt();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    says(
        &said(&output),
        &["of 12 shots are done and kept in out/unfinished; resume it with --resume"],
    );
    done(folder.path(), &shot(&["--resume"]));
}

/// A second Ctrl-C ends a run whose step does not; the shots that are done stay.
#[cfg(all(unix, feature = "faults"))]
#[test]
fn ctrl_c_sent_again_ends_a_run_at_once() {
    let folder = folder();
    write(folder.path(), SURVEY);
    let mut run = held::begin(folder.path(), &shot(&[]), "journal", 2);
    run.until_lines(&folder.path().join("out/unfinished/journal.jsonl"), 3);
    let output = run.interrupt_until_it_ends();
    assert_eq!(output.status.code(), Some(130), "{}", said(&output));
    done(folder.path(), &shot(&["--resume"]));
}

#[test]
fn nothing_is_said_to_be_kept_in_a_folder_that_was_removed() {
    let folder = folder();
    write(folder.path(), &long());
    let mut run = held::begin(folder.path(), &shot(&[]), "journal", 2);
    run.until_lines(&folder.path().join("out/unfinished/journal.jsonl"), 3);
    fs::remove_dir_all(folder.path().join("out")).expect("removed");
    let output = run.release();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    says(&said(&output), &["was moved or removed while this run wrote to it"]);
    assert!(!said(&output).contains("kept in"), "{}", said(&output));
}

#[test]
fn four_tasks_at_once_one_of_them_killed_are_the_survey() {
    let folder = folder();
    write(folder.path(), &long());
    done(folder.path(), &shot(&["--out", "whole"]));
    let of = |task| shot(&["--out", "out", "--task", task]);
    let mut others = ["1/4", "2/4", "4/4"].map(|task| begun(folder.path(), &of(task)));
    let mut third = held::begin(folder.path(), &of("3/4"), "journal", 1);
    third.until_lines(&folder.path().join("out/task-3-of-4/unfinished/journal.jsonl"), 2).kill();
    for run in &mut others {
        assert!(run.wait().expect("over").success());
    }
    refuses(folder.path(), &["merge", "out"], &["out is of 4 tasks, and task 3 is not done"]);
    // Requeued, and one twice.
    done(folder.path(), &shot(&["--out", "out", "--task", "3/4"]));
    let again = huygens(folder.path(), &shot(&["--out", "out", "--task", "3/4"]));
    says(&said(&again), &["task 3 of 4 is done already"]);
    done(folder.path(), &["merge", "out"]);
    for file in ["gathers.sgy", "journal.jsonl"] {
        let [merged, whole] =
            ["out", "whole"].map(|out| fs::read(folder.path().join(out).join(file)).expect("it"));
        assert!(merged == whole, "{file}");
    }
    refuses(folder.path(), &["merge", "out"], &["beside tasks", "--force"]);
    refuses(
        folder.path(),
        &shot(&["--out", "out", "--task", "1/3"]),
        &["is a task of 4, and this one is of 3"],
    );
    refuses(
        folder.path(),
        &shot(&["--out", "out", "--task", "1/4", "--set", "time.duration=5"]),
        &["another run", "time.duration is 6.0 there and 5"],
    );
    refuses(folder.path(), &["merge", "whole"], &["whole holds no tasks of a survey"]);
}

#[test]
fn a_task_whose_files_are_not_its_own_is_named_with_what_helps() {
    let folder = folder();
    let at = folder.path();
    write(at, SURVEY);
    for task in ["1/2", "2/2"] {
        done(at, &shot(&["--out", "out", "--task", task]));
    }
    let [first, second] = ["out/task-1-of-2", "out/task-2-of-2"].map(|task| at.join(task));
    let kept = ["journal.jsonl", "run.json"].map(|name| (name, fs::read(second.join(name))));
    let again = "do it again with --task 2/2 --force";
    for (name, bytes) in kept {
        let bytes = bytes.expect("it");
        fs::write(second.join(name), &bytes[..9]).expect("written");
        refuses(at, &["merge", "out"], &["task-2-of-2", name, "is damaged", again]);
        if name == "journal.jsonl" {
            fs::remove_file(second.join(name)).expect("removed");
            refuses(at, &["merge", "out"], &["its journal.jsonl cannot be read", again]);
            // Of other shots.
            fs::copy(first.join(name), second.join(name)).expect("copied");
            let shots = "lists 6 shots from 1 on, and that task is of shots 7 to 12";
            refuses(at, &["merge", "out"], &["task-2-of-2", shots, again]);
        }
        fs::write(second.join(name), &bytes).expect("written");
    }
    let record = fs::read(second.join("run.json")).expect("it");
    fs::remove_file(second.join("run.json")).expect("removed");
    refuses(at, &["merge", "out"], &["its run.json cannot be read", again]);
    fs::write(second.join("run.json"), record).expect("written");
    let gathers = second.join("gathers.sgy");
    let kept = fs::read(&gathers).expect("it");
    fs::write(&gathers, &kept[..kept.len() - 4]).expect("written");
    for words in [&["merge", "out"] as &[&str], &shot(&["--out", "out", "--task", "2/2"])] {
        refuses(at, words, &["the files of shot 12 in out/task-2-of-2 are damaged", again]);
    }
    fs::write(&gathers, &kept).expect("written");
    says(&said(&done(at, &shot(&["--out", "out", "--task", "2/2"]))), &["is done already"]);
    fs::create_dir(at.join("out/task-1-of-02")).expect("made");
    refuses(at, &["merge", "out"], &["out holds task-1-of-02 beside tasks", "move that"]);
    done(at, &["merge", "out", "--force"]);
}

/// A survey of which a kill has left the first six shots.
fn six_of_twelve(at: &Path) -> Vec<u8> {
    write(at, SURVEY);
    done(at, &shot(&["--out", "whole"]));
    let [whole, unfinished] = ["whole", "out/unfinished"].map(|folder| at.join(folder));
    let journal = fs::read(whole.join("journal.jsonl")).expect("a journal");
    let lines: Vec<&[u8]> = journal.split_inclusive(|byte| *byte == b'\n').collect();
    let last: serde_json::Value = serde_json::from_slice(lines[6]).expect("a shot");
    let end = ["from", "bytes"].map(|key| last["pieces"][0][key].as_u64().expect("a number"));
    let gathers = fs::read(whole.join("gathers.sgy")).expect("a survey");
    fs::create_dir_all(&unfinished).expect("made");
    fs::write(unfinished.join("journal.jsonl"), lines[..7].concat()).expect("written");
    fs::write(unfinished.join("gathers.sgy"), &gathers[..(end[0] + end[1]) as usize])
        .expect("written");
    gathers
}

/// Replaces a text in a file, once.
fn change(file: &Path, one: &str, other: &str) {
    let text = fs::read_to_string(file).expect("a text");
    assert_eq!(text.matches(one).count(), 1, "{text}");
    fs::write(file, text.replace(one, other)).expect("written");
}

#[test]
fn a_flipped_bit_of_a_journal_costs_its_shot_and_no_other() {
    let folder = folder();
    let at = folder.path();
    let whole = six_of_twelve(at);
    // Shot 9 was never modelled: its traces would be zeros.
    let journal = at.join("out/unfinished/journal.jsonl");
    change(&journal, "{\"shot\":1,", "{\"shot\":9,");
    let output = done(at, &shot(&["--out", "out", "--resume"]));
    says(&said(&output), &["line 2 of journal.jsonl is damaged", "5 of 12 shots are done"]);
    assert!(fs::read(at.join("out/gathers.sgy")).expect("a survey") == whole);
    // A run that is done is not taken for whole either, nor is a task.
    let journal = at.join("out/journal.jsonl");
    change(&journal, "{\"shot\":3,", "{\"shot\":2,");
    let resume = shot(&["--out", "out", "--resume"]);
    refuses(at, &resume, &["line 4 of its journal is damaged", "--force"]);
    for task in ["1/2", "2/2"] {
        done(at, &shot(&["--out", "tasks", "--task", task]));
    }
    let journal = at.join("tasks/task-1-of-2/journal.jsonl");
    change(&journal, "{\"shot\":1,", "{\"shot\":9,");
    let again = "do it again with --task 1/2 --force";
    let words = ["journal.jsonl is damaged in line 2", again];
    refuses(at, &["merge", "tasks"], &words);
    refuses(at, &shot(&["--out", "tasks", "--task", "1/2"]), &words);
    assert!(!at.join("tasks/gathers.sgy").exists());
}

#[test]
fn a_journal_without_checksums_is_refused_with_what_helps() {
    let folder = folder();
    let at = folder.path();
    let whole = six_of_twelve(at);
    let journal = at.join("out/unfinished/journal.jsonl");
    let text = fs::read_to_string(&journal).expect("a text");
    let lines = text.lines().map(|line| {
        let (text, _) = line.rsplit_once(",\"sum\":").expect("a checksum");
        format!("{text}}}\n")
    });
    fs::write(&journal, lines.collect::<String>()).expect("written");
    let words = ["no valid checksum (earlier versions wrote none)", "begin again with --force"];
    refuses(at, &shot(&["--out", "out", "--resume"]), &words);
    done(at, &shot(&["--out", "out", "--force"]));
    assert!(fs::read(at.join("out/gathers.sgy")).expect("a survey") == whole);
}

#[test]
fn a_merge_that_is_killed_between_its_renames_is_completed_by_the_next() {
    let folder = folder();
    let at = folder.path();
    write(at, SURVEY);
    for task in ["1/2", "2/2"] {
        done(at, &shot(&["--out", "out", "--task", task]));
    }
    done(at, &["merge", "out"]);
    let out = at.join("out");
    let kept = |name: &str| fs::read(out.join(name)).expect("it");
    let whole = ["gathers.sgy", "journal.jsonl", "run.json"].map(kept);
    // After none, one and two of its three.
    for moved in 0..3 {
        let finished = out.join(".huygens-finished");
        fs::create_dir(&finished).expect("made");
        for name in &["gathers.sgy", "journal.jsonl", "run.json"][moved..] {
            fs::rename(out.join(name), finished.join(name)).expect("moved");
        }
        says(&said(&done(at, &["merge", "out"])), &["completed the merge in out"]);
        assert!(["gathers.sgy", "journal.jsonl", "run.json"].map(kept) == whole, "{moved}");
        assert!(!finished.exists());
    }
    refuses(at, &["merge", "out"], &["beside tasks", "--force"]);
    done(at, &["merge", "out", "--force"]);
}

#[test]
fn a_run_typed_twice_replaces_what_it_left_and_nothing_else() {
    let folder = folder();
    write(folder.path(), SURVEY);
    done(folder.path(), &shot(&["--set", "output.per_shot=true"]));
    let out = folder.path().join("out");
    assert_eq!(names(&out).len(), 14, "a folder a shot, a journal and a record");
    fs::write(out.join("notes.txt"), "mine").expect("written");
    done(folder.path(), &shot(&[]));
    assert_eq!(names(&out), ["gathers.sgy", "journal.jsonl", "notes.txt", "run.json"]);
    refuses(folder.path(), &shot(&["--out", "out"]), &["not empty", "--force"]);
    fs::remove_file(out.join("run.json")).expect("removed");
    refuses(folder.path(), &shot(&[]), &["not empty", "--force"]);
}

#[test]
fn sources_come_from_a_list_or_from_the_headers_of_a_file() {
    let folder = folder();
    write(folder.path(), SURVEY);
    done(folder.path(), &shot(&["--out", "line"]));
    let line = "line = { first = { x = 100.0, z = 40.0 }, increment = { x = 120.0 }, count = 12 }";
    let positions = (0..12).map(|k| format!("{k},{},40\n", 100 + 120 * k));
    fs::write(
        folder.path().join("shots.csv"),
        "station,x,z\n".to_owned() + &positions.collect::<String>(),
    )
    .expect("written");
    let listed = SURVEY.replace(line, "csv = \"shots.csv\"");
    write(folder.path(), &listed);
    done(folder.path(), &shot(&["--out", "csv"]));
    let spread = SURVEY.lines().find(|line| line.starts_with("spread")).expect("one");
    let as_recorded = SURVEY.replace(line, "geometry = \"line/gathers.sgy\"").replace(spread, "");
    write(folder.path(), &as_recorded);
    done(folder.path(), &shot(&["--out", "geometry"]));
    // All but the headers of the file, which name the job.
    let bytes = |out: &str| fs::read(folder.path().join(out).join("gathers.sgy")).expect("it");
    for other in ["csv", "geometry"] {
        assert!(bytes("line")[3200..] == bytes(other)[3200..], "{other}");
    }
    fs::write(folder.path().join("shots.csv"), "x,z\n100,40\n220,deep\n").expect("written");
    write(folder.path(), &listed);
    refuses(folder.path(), &shot(&[]), &["line 3 of shots.csv: z reads \"deep\""]);
}

#[test]
fn an_invalid_survey_is_refused_at_its_mistake() {
    let folder = folder();
    for (right, wrong, said) in [
        (
            "increment = { x = 120.0 }",
            "increment = { x = 200.0 }",
            "the source of shot 9 is at x = 1700 m",
        ),
        (
            "increment = { x = 120.0 }",
            "increment = { x = 0.0 }",
            "the increment of 12 sources is 0",
        ),
        ("count = 12", "count = 0", "0 sources are no survey"),
        ("increment = 40.0", "increment = 0.0", "the increment between 21 of them is 0"),
        ("ends = \"roll-off\"", "ends = \"refuse\"", "a receiver of shot 1 would be at x = -300 m"),
        (
            "first = -400.0",
            "first = 5000.0",
            "no receiver of shot 1 is left: the first would be at x = 5100 m, z = 20 m",
        ),
        ("line = {", "csv = \"shots.csv\"\nline = {", "give one of the four"),
        ("line = {", "grid = {", "increment"),
        ("spread = {", "#spread = {", "the survey has no receivers"),
        (
            "[survey]",
            "[[source]]\nat = { x = 1.0, z = 1.0 }\nwavelet = { kind = \"ricker\", peak_hz = 9.0 }\n[survey]",
            "[survey] beside [[source]]",
        ),
        (
            "z = 20.0, ends",
            "lines = { first = 0.0, increment = 10.0, count = 2 }, z = 20.0, ends",
            "need a 3-D model",
        ),
    ] {
        assert!(SURVEY.contains(right), "{right}");
        write(folder.path(), &SURVEY.replace(right, wrong));
        refuses(folder.path(), &shot(&[]), &[said]);
    }
    write(folder.path(), SURVEY);
    refuses(folder.path(), &shot(&["--task", "5/4"]), &["there is no task 5 of 4"]);
    refuses(folder.path(), &shot(&["--set", "time.durration=1"]), &["did you mean `duration`?"]);
    write(folder.path(), crate::run::SMALL);
    refuses(folder.path(), &shot(&["--resume"]), &["--resume applies only to surveys"]);
    refuses(folder.path(), &shot(&["--task", "1/2"]), &["--task applies only to surveys"]);
    assert_eq!(names(folder.path()), ["job.toml"], "nothing is touched");
}

#[test]
fn an_archive_has_times_and_positions() {
    let folder = folder();
    write(folder.path(), SURVEY);
    done(folder.path(), &shot(&["--set", "output.gathers=[\"npz\", \"su\"]"]));
    assert_eq!(names(&folder.path().join("out/shot0002")), ["gather.npz"]);
    let path = folder.path().join("out/shot0002/gather.npz");
    let array = |name: &str| huygens::io::npz::read::<f64>(&path, Some(name)).expect("an array");
    assert_eq!(array("time").shape(), [201]);
    assert!((array("time")[[200]] - 0.4).abs() < 1e-12);
    assert_eq!(array("sources").into_raw_vec_and_offset().0, [220.0, 0.0, 40.0]);
    assert_eq!(array("receivers").shape(), [16, 3]);
    assert_eq!(array("pressure").shape(), [16, 201]);
    let mut su =
        Reader::open(&folder.path().join("out/gathers.su"), ReaderOptions::su()).expect("whole");
    let metres = Some(huygens::io::segy::LengthUnit::Metre);
    assert_eq!(read_gathers(&mut su, metres).expect("gathers").len(), 12);
}
