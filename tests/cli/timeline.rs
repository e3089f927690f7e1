//! `--trace`: where the time of a run went.

use crate::{
    rtm,
    run::{SMALL, done, folder, json, names, with_job},
    survey::{self, refuses},
};
use serde_json::Value;
use std::{collections::BTreeSet, fs, path::Path, time::Instant};

/// A span: its lane and name, and from when to when, s.
type Span = (String, String, f64, f64);

/// The spans that a run left in a folder, within `seconds` s.
fn spans(out: &Path, seconds: f64) -> Vec<Span> {
    let trace = json(out.join("trace.json"));
    assert_eq!(trace["otherData"]["spans_left_out"], 0);
    let events = trace["traceEvents"].as_array().expect("events");
    let lane = |number: &Value| {
        let names = |event: &&Value| event["name"] == "thread_name" && event["tid"] == *number;
        let named = events.iter().find(names).expect("every lane has a name");
        named["args"]["name"].as_str().expect("a name").to_owned()
    };
    let complete = events.iter().filter(|event| event["ph"] == "X");
    let spans: Vec<Span> = complete
        .map(|event| {
            let of = |key: &str| 1e-6 * event[key].as_f64().expect("microseconds");
            let name = event["name"].as_str().expect("a name").to_owned();
            (lane(&event["tid"]), name, of("ts"), of("ts") + of("dur"))
        })
        .collect();
    for (lane, name, from, until) in &spans {
        assert!(
            0.0 <= *from && from <= until && *until <= seconds,
            "{name} of {lane}: {from}, {until}"
        );
    }
    spans
}

/// The spans of a lane.
fn of_lane<'s>(spans: &'s [Span], lane: &str) -> BTreeSet<&'s str> {
    spans.iter().filter(|span| span.0 == lane).map(|span| span.1.as_str()).collect()
}

#[track_caller]
fn holds(done: &BTreeSet<&str>, names: &[&str]) {
    assert!(names.iter().all(|name| done.contains(name)), "{names:?} in {done:?}");
}

/// Both files are there, and listed.
fn listed(out: &Path, record: &str) {
    let record = json(out.join(record));
    let files = record["files"].as_array().expect("files");
    for file in ["timeline.png", "trace.json"] {
        assert!(files.iter().any(|listed| listed == file), "{file} in {files:?}");
        assert!(out.join(file).is_file(), "{file}");
    }
}

#[test]
fn a_survey_has_a_lane_for_each_device() {
    let folder = with_job(survey::SURVEY);
    let folder = folder.path();
    for devices in ["cpu", "cpu,cpu"] {
        let began = Instant::now();
        let words = ["shot", "job.toml", "--devices", devices, "--out", devices, "--trace"];
        done(folder, &words);
        let out = folder.join(devices);
        let spans = spans(&out, began.elapsed().as_secs_f64());
        for number in 1..=2 {
            let done = of_lane(&spans, &format!("device {number}"));
            match devices.split(',').count() >= number {
                true => holds(&done, &["batch", "setting up", "computing"]),
                false => assert!(done.is_empty(), "{done:?}"),
            }
        }
        holds(&of_lane(&spans, "main"), &["reading and planning", "writing files"]);
        let batches = spans.iter().filter(|span| span.1 == "batch");
        for (lane, _, from, until) in batches {
            let within = |span: &&Span| span.0 == *lane && span.2 >= *from && span.3 <= *until;
            let inner = spans.iter().filter(within).filter(|span| span.1 != "batch");
            let inner: f64 = inner.map(|(.., from, until)| until - from).sum();
            assert!(0.0 < inner && inner <= until - from, "what a batch is made of");
        }
        assert!(spans.iter().any(|span| span.0.starts_with("writer") && span.1 == "writing files"));
        listed(&out, "run.json");
    }
    // Nothing of it where it is not asked for; and no picture where there are to be none.
    done(folder, &["shot", "job.toml", "--backend", "cpu", "--no-pictures"]);
    assert!(!folder.join("out/trace.json").exists());
    let words = ["shot", "job.toml", "--backend", "cpu", "--no-pictures", "--trace", "--force"];
    done(folder, &words);
    assert!(folder.join("out/trace.json").exists() && !folder.join("out/timeline.png").exists());
}

#[test]
fn every_command_that_runs_a_job_has_one() {
    let folder = with_job(SMALL);
    let folder = folder.path();
    fs::write(folder.join("rtm.toml"), rtm::JOB).expect("written");
    let began = Instant::now();
    for (command, out, record) in [
        (&["shot"][..], "shot", "run.json"),
        (&["locate", "--gather", "shot/gather.npy"], "located", "focus.json"),
        (&["zero-offset"], "section", "run.json"),
        (&["rtm", "--set", "survey.line.count=2"], "image", "run.json"),
    ] {
        let job = if command[0] == "rtm" { "rtm.toml" } else { "job.toml" };
        let words = [&command[..1], &[job], &command[1..]].concat();
        let more = ["--backend", "cpu", "--out", out, "--trace"];
        done(folder, &[&words[..], &more].concat());
        let out = folder.join(out);
        let spans = spans(&out, began.elapsed().as_secs_f64());
        holds(&of_lane(&spans, "device 1"), &["setting up", "computing"]);
        holds(&of_lane(&spans, "main"), &["reading and planning", "writing files"]);
        listed(&out, record);
    }
}

#[test]
fn shares_of_a_volume_wait_for_each_other() {
    let folder = folder();
    let folder = folder.path();
    let words = ["ladder", "3d", "--sweep", "devices", "--devices", "cpu,cpu", "--trace"];
    let began = Instant::now();
    done(folder, &[&words[..], &["--size", "16x12x26", "--out", "d"]].concat());
    let spans = spans(&folder.join("d"), began.elapsed().as_secs_f64());
    for lane in ["device 1", "device 2"] {
        holds(&of_lane(&spans, lane), &["setting up", "computing", "waiting for neighbours"]);
    }
    holds(&of_lane(&spans, "main"), &["reading and planning", "writing files"]);
    let files = ["devices.png", "ladder.json", "shares.png", "timeline.png", "trace.json"];
    assert_eq!(names(&folder.join("d")), files);
    listed(&folder.join("d"), "ladder.json");
    refuses(folder, &["ladder", "3d", "--trace"], &["--devices"]);
}
