//! Devices that fail on purpose (`src/numbers/fault.rs`): out of memory, lost, silent, gone.

#[cfg(not(feature = "faults"))]
#[test]
fn devices_that_fail() {
    println!("NOT RUN: devices that fail on purpose; --features faults runs them");
}

#[cfg(feature = "faults")]
mod on_purpose {
    use crate::{
        common::engines,
        rtm,
        run::{SMALL, command, done, json, names, said, says, told, with_job},
        survey::SURVEY,
    };
    use serde_json::Value;
    use std::{
        fs,
        path::Path,
        process::{Command, Output},
    };

    /// Six shots of 200 steps, one after another.
    const SHOTS: [&str; 6] = [
        "shot",
        "job.toml",
        "--no-pictures",
        "--set",
        "survey.line.count=6",
        "--set=output.gathers=[\"sgy\", \"npy\"]",
    ];
    /// Within the third of them, and within the third when it is done again: a submit is of 200 steps at most, and the loss is
    /// seen before the next one.
    const LOST: &str = "lost:500";
    const LOST_TWICE: &str = "lost:500,lost:650";

    /// Runs a command on the first adapter with faults; a batch has one shot.
    #[track_caller]
    fn ends(code: i32, folder: &Path, faults: &str, words: &[&[&str]]) -> Output {
        let output = begun(folder, faults, &[words, &[&["--adapter", "0"]]].concat()).output();
        let output = output.expect("the binary runs");
        assert_eq!(output.status.code(), Some(code), "{faults}, {words:?}: {}", said(&output));
        assert!(!said(&output).contains("panicked"), "{}", said(&output));
        output
    }

    fn begun(folder: &Path, faults: &str, words: &[&[&str]]) -> Command {
        let mut command = command(folder, &words.concat());
        command.env("HUYGENS_FAULT", format!("room:1+,{faults}"));
        command
    }

    fn is_none() -> bool {
        engines::adapters().is_empty()
    }

    #[track_caller]
    fn same(folder: &Path, [one, other]: [&str; 2], files: &[&str]) {
        for file in files {
            let [one, other] = [one, other].map(|out| fs::read(folder.join(out).join(file)));
            assert!(one.expect("a file") == other.expect("a file"), "{file}");
        }
    }

    /// What a record says was done again: each error, and on which engine.
    fn retried(record: impl AsRef<Path>) -> Vec<(String, String)> {
        let record = json(record);
        let all = record["retried"].as_array().cloned().unwrap_or_default();
        let text = |of: &Value| of.as_str().expect("text").to_owned();
        all.iter().map(|one| (text(&one["error"]), text(&one["engine"]["backend"]))).collect()
    }

    #[test]
    fn a_shot_whose_device_is_lost_is_done_again_with_the_same_bytes() {
        if is_none() {
            return;
        }
        let folder = with_job(SURVEY);
        let folder = folder.path();
        ends(0, folder, "", &[&SHOTS, &["--out", "whole"]]);
        assert!(retried(folder.join("whole/run.json")).is_empty());
        for (fault, why) in [(LOST, "was lost at step"), ("poll:3", "has not answered for 120 s")] {
            let output = ends(0, folder, fault, &[&SHOTS, &["--out", "again", "--force"]]);
            says(&said(&output), &[why, "done again on"]);
            let retried = retried(folder.join("again/run.json"));
            assert_eq!(retried.len(), 1, "{retried:?}");
            assert!(retried[0].0.contains(why) && retried[0].1 == "vulkan", "{retried:?}");
            same(folder, ["whole", "again"], &["gathers.sgy", "journal.jsonl"]);
        }
        // One of two devices that share them.
        let two = ["--devices", "0,0", "--out"];
        let on_two = |faults: &str, out: &str| {
            let run = begun(folder, faults, &[&SHOTS, &two, &[out]]).output();
            let run = run.expect("the binary runs");
            assert!(run.status.success(), "{}", said(&run));
        };
        on_two("", "two");
        on_two(LOST, "two-again");
        assert_eq!(retried(folder.join("two-again/run.json")).len(), 1);
        same(folder, ["two", "two-again"], &["gathers.sgy"]);
    }

    /// More of them with HUYGENS_LOSSES.
    #[test]
    fn a_device_lost_at_any_step_is_opened_again() {
        if is_none() {
            return;
        }
        let folder = with_job(SURVEY);
        let folder = folder.path();
        ends(0, folder, "", &[&SHOTS, &["--out", "whole"]]);
        let losses = told("HUYGENS_LOSSES", 3);
        let mut seen = 0;
        for loss in 0..losses {
            // Of the 1,200 steps of all shots.
            let fault = format!("lost:{}", 1 + 1199 * loss / losses);
            ends(0, folder, &fault, &[&SHOTS, &["--out", "again", "--force"]]);
            seen += retried(folder.join("again/run.json")).len();
            same(folder, ["whole", "again"], &["gathers.sgy", "journal.jsonl"]);
        }
        println!("{losses} losses, {seen} shots done again, the same bytes each time");
        assert_eq!(seen as u64, losses);
    }

    #[test]
    fn a_device_lost_twice_ends_the_run_or_another_engine_goes_on() {
        if is_none() {
            return;
        }
        let folder = with_job(SURVEY);
        let folder = folder.path();
        ends(0, folder, "", &[&SHOTS, &["--out", "whole"]]);
        let output = ends(1, folder, LOST_TWICE, &[&SHOTS, &["--out", "ended"]]);
        let done_and_kept = "2 of 6 shots are done and kept in";
        says(&said(&output), &["was lost at step", "--backend cpu", done_and_kept, "--resume"]);
        // So does a device that is gone when it is to be opened again.
        let gone = "lost:500,adapter:2+";
        let output = ends(1, folder, gone, &[&SHOTS, &["--out", "gone"]]);
        says(&said(&output), &["does not open", "was lost at step", done_and_kept]);
        for out in ["ended", "gone"] {
            ends(0, folder, "", &[&SHOTS, &["--out", out, "--resume"]]);
            same(folder, ["whole", out], &["gathers.sgy"]);
        }
        for (faults, backends) in [(LOST_TWICE, ["vulkan", "cpu"].as_slice()), (gone, &["cpu"])] {
            let fallback = ["--fallback", "cpu", "--out", "fallen-back", "--force"];
            ends(0, folder, faults, &[&SHOTS, &fallback]);
            let on: Vec<_> = retried(folder.join("fallen-back/run.json"));
            assert_eq!(
                on.iter().map(|(_, backend)| backend.as_str()).collect::<Vec<_>>(),
                backends
            );
            let gathers = [1, 2].map(|shot| format!("shot{shot:04}/gather.npy"));
            same(folder, ["whole", "fallen-back"], &gathers.each_ref().map(String::as_str));
            assert!(folder.join("fallen-back/shot0006/gather.npy").exists());
        }
    }

    #[test]
    fn a_single_shot_a_location_and_a_migration_are_done_again_with_the_same_bytes() {
        if is_none() {
            return;
        }
        let folder = with_job(SMALL);
        let folder = folder.path();
        let movie = ["--set", "output.movie.format=\"gif\"", "--set", "output.movie.every=0.05"];
        let shot = [&["shot", "job.toml"][..], &movie].concat();
        let locate = [&["locate", "job.toml", "--gather", "shot/gather.npy"][..], &movie].concat();
        fs::write(folder.join("rtm.toml"), rtm::JOB).expect("written");
        let rtm = ["rtm", "rtm.toml", "--no-pictures", "--set", "survey.line.count=2"];
        for (words, out, fault, record, files) in [
            (&shot[..], "shot", "lost:150", "run.json", ["gather.npy", "movie.gif"]),
            (&locate, "located", "lost:150", "focus.json", ["focus.npy", "movie.gif"]),
            // Each shot is modelled, runs forward and back: 400 steps each time.
            (&rtm, "image", "lost:1400", "run.json", ["image.npy", "illumination.npy"]),
        ] {
            let again = format!("{out}-again");
            ends(0, folder, "", &[words, &["--out", out]]);
            ends(0, folder, fault, &[words, &["--out", &again]]);
            assert_eq!(retried(folder.join(&again).join(record)).len(), 1, "{out}");
            same(folder, [out, &again], &files);
        }
    }

    #[test]
    fn a_device_of_a_split_is_opened_again_whenever_it_is_lost() {
        if is_none() {
            return;
        }
        let folder = with_job(SMALL);
        let folder = folder.path();
        fs::write(folder.join("rtm.toml"), rtm::JOB).expect("written");
        let two = ["--devices", "0,0", "--split", "--no-pictures", "--force", "--out", "split"];
        let rtm = ["rtm", "rtm.toml", "--set", "survey.line.count=2"];
        for (words, faults) in
            [(&["shot", "job.toml"][..], ["lost:1", "lost:190"]), (&rtm, ["lost:100", "lost:250"])]
        {
            for fault in faults {
                let mut command = command(folder, &[words, &two].concat());
                let output = command.env("HUYGENS_FAULT", fault).output().expect("it runs");
                assert!(output.status.success(), "{words:?} {fault}: {}", said(&output));
                says(&said(&output), &["was lost"]);
            }
        }
    }

    #[test]
    fn a_device_without_memory_or_that_does_not_open_is_one_error() {
        if is_none() {
            return;
        }
        let folder = with_job(SMALL);
        let folder = folder.path();
        for (fault, code, parts) in [
            ("memory:3", 2, ["memory", "the wavefield p at a step", "--backend cpu"]),
            ("adapter:1+", 1, ["does not open", "`huygens devices` lists", "--backend cpu"]),
        ] {
            let shot = ["shot", "job.toml", "--no-pictures"];
            let output = ends(code, folder, fault, &[&shot]);
            says(&said(&output), &parts);
            assert_eq!(names(folder), ["job.toml"], "nothing is left behind");
            let fallback = ["--fallback", "cpu", "--out", "fallen-back", "--force"];
            let output = ends(0, folder, fault, &[&shot, &fallback]);
            says(&said(&output), &parts[..1]);
            done(folder, &[&shot[..], &["--backend", "cpu", "--out", "cpu", "--force"]].concat());
            same(folder, ["cpu", "fallen-back"], &["gather.npy"]);
            for out in ["cpu", "fallen-back"] {
                fs::remove_dir_all(folder.join(out)).expect("removed");
            }
        }
    }
}
