//! Shots shared by several devices of one host, or split over them.

use crate::{
    common::engines,
    invert, rtm,
    run::{SMALL, done, huygens, json, said, says, with_job},
    survey::{self, refuses},
};
use std::{fs, path::Path};

/// Lists of one device and of the same twice: the CPU's engine, and an adapter where there is one.
fn lists() -> Vec<[&'static str; 2]> {
    let gpu = ["0", "0,0"];
    match engines::opened(false).is_empty() {
        true => vec![["cpu", "cpu,cpu"]],
        false => vec![["cpu", "cpu,cpu"], gpu],
    }
}

/// Runs a command of `job.toml` on devices into a folder, and gives what it said.
fn on(folder: &Path, command: &str, devices: &str, more: &[&str]) -> String {
    let words = [command, "job.toml", "--devices", devices, "--no-pictures"];
    let output = huygens(folder, &[&words[..], more].concat());
    assert!(output.status.success(), "{devices}: {}", said(&output));
    said(&output)
}

#[track_caller]
fn same(folder: &Path, file: &str, [one, other]: [&str; 2]) {
    let [one, other] = [one, other].map(|out| fs::read(folder.join(out).join(file)));
    assert!(one.expect("a file") == other.expect("a file"), "{file}");
}

/// The shots that each device did.
fn did(folder: &Path, out: &str) -> Vec<u64> {
    let record = json(folder.join(out).join("run.json"));
    let devices = record["devices"].as_array().expect("devices");
    for of in devices {
        assert!(of["engine"]["device"].is_string(), "{of}");
        for seconds in [&of["timings"]["setup"], &of["timings"]["stepping"], &of["idle"]] {
            assert!(seconds.as_f64().is_some_and(|seconds| seconds >= 0.0), "{of}");
        }
    }
    devices.iter().map(|of| of["shots"].as_u64().expect("shots")).collect()
}

#[test]
fn a_survey_has_the_same_bytes_on_one_device_and_on_two() {
    let folder = with_job(survey::SURVEY);
    let folder = folder.path();
    for list in lists() {
        let [_, two] = list.map(|devices| on(folder, "shot", devices, &["--out", devices]));
        says(&two, &["device 2 of 2: ", " on 2 devices; results in"]);
        for file in ["gathers.sgy", "journal.jsonl"] {
            same(folder, file, list);
        }
        let [one, two] = list.map(|out| did(folder, out));
        assert_eq!(one, [12]);
        assert!(two.len() == 2 && two.iter().all(|shots| *shots > 0), "{two:?}");
        assert_eq!(two.iter().sum::<u64>(), 12);
    }
    // Unlike devices, and more than there are shots.
    if lists().len() > 1 {
        let two = ["--set", "survey.line.count=2", "--out", "mixed"];
        let told = on(folder, "shot", "0,cpu,cpu", &two);
        says(&told, &["round differently", "more devices, 3, than shots, 2"]);
        assert_eq!(did(folder, "mixed"), [1, 1, 0]);
    }
}

#[test]
fn a_migration_has_the_same_bits_on_one_device_and_on_two() {
    let folder = with_job(rtm::JOB);
    let folder = folder.path();
    let sets = ["--set", "survey.line.increment.x=100.0", "--set", "survey.line.count=5"];
    for list in lists() {
        // Software Vulkan takes its time.
        let sets = if list[0] == "0" { ["--set", "survey.line.count=2"].as_slice() } else { &sets };
        let offsets = ["--set", "rtm.offsets.most=40.0", "--out"];
        for devices in list {
            on(folder, "rtm", devices, &[sets, &offsets, &[devices]].concat());
        }
        for file in ["image.npy", "illumination.npy", "offsets-x.npy", "journal.jsonl"] {
            same(folder, file, list);
        }
        let two = did(folder, list[1]);
        assert!(two.len() == 2 && two.iter().all(|shots| *shots > 0), "{two:?}");
    }
    // The frames of a movie are in the order of the shots.
    let movies = ["one", "two"];
    for (devices, out) in ["cpu", "cpu,cpu"].into_iter().zip(movies) {
        let words = ["rtm", "job.toml", "--devices", devices, "--out", out];
        done(folder, &[&words[..], &sets, &["--set", "rtm.movie.format=\"gif\""]].concat());
    }
    same(folder, "movie.gif", movies);
}

#[test]
fn a_gradient_and_an_inversion_have_the_same_bits_on_one_device_and_on_two() {
    let folder = invert::observed();
    let folder = folder.path();
    let of = ["--model", "start.rsf", "--observed", "observed/gathers.sgy", "--set"];
    let (per_shot, one) =
        (["gradient.per_shot=true"], ["invert.iterations=1", "--set", "invert.bands=[6.0]"]);
    for list in lists() {
        for (command, set, files) in [
            ("gradient", &per_shot[..], ["gradient.npy", "shot-0003/gradient.npy"]),
            ("invert", &one, ["model.npy", "misfits.csv"]),
        ] {
            // Software Vulkan takes its time.
            if command == "invert" && list[0] == "0" {
                continue;
            }
            let runs = [
                (list[0], "one", [].as_slice()),
                (list[1], "two", &[]),
                (list[1], "split", &["--split"]),
            ];
            let outs = runs.map(|(devices, name, more)| {
                let out = format!("{command}-{name}-{devices}");
                on(folder, command, devices, &[&of, set, more, &["--out", &out]].concat());
                out
            });
            for file in files {
                same(folder, file, [&outs[0], &outs[1]]);
                same(folder, file, [&outs[0], &outs[2]]);
            }
            assert_eq!(shares(folder, &format!("{}/run.json", outs[2])).len(), 2);
            if command == "gradient" {
                let two = did(folder, &outs[1]);
                assert!(two.len() == 2 && two.iter().all(|shots| *shots > 0), "{two:?}");
            }
        }
    }
}

/// The columns that each share of a record has.
fn shares(folder: &Path, record: &str) -> Vec<u64> {
    let record = json(folder.join(record));
    let shares = record["shares"].as_array().cloned().unwrap_or_default();
    for share in &shares {
        assert!(share["computing"].as_f64().is_some_and(|seconds| seconds > 0.0), "{share}");
        for part in ["waiting", "idle"] {
            assert!(share[part].as_f64().is_some_and(|seconds| seconds >= 0.0), "{share}");
        }
    }
    shares.iter().map(|share| share["pieces"].as_u64().expect("a number")).collect()
}

#[test]
fn one_simulation_has_the_same_bytes_on_one_device_and_split_over_two() {
    let folder = with_job(SMALL);
    let folder = folder.path();
    for list in lists() {
        for (command, more, record, file) in [
            ("shot", [].as_slice(), "run.json", "gather.npy"),
            ("zero-offset", &[], "run.json", "section.npy"),
            ("locate", &["--gather", "shot-cpu/gather.npy"], "focus.json", "focus.npy"),
            (
                "locate",
                &["--gather", "shot-cpu/gather.npy", "--groups", "2"],
                "focus.json",
                "focus.npy",
            ),
        ] {
            let groups = if more.contains(&"--groups") { "-groups" } else { "" };
            let out = list.map(|devices| format!("{command}{groups}-{devices}"));
            for (devices, out) in list.iter().zip(&out) {
                on(folder, command, devices, &[more, &["--out", out]].concat());
            }
            let (deep, steps) = (format!("{}-deep", out[1]), ["--ghost-steps", "2", "--out"]);
            on(folder, command, list[1], &[more, &steps, &[deep.as_str()]].concat());
            same(folder, file, [&out[0], &deep]);
            same(folder, file, [&out[0], &out[1]]);
            assert_eq!(shares(folder, &format!("{}/{record}", out[0])), [0; 0]);
            let two = shares(folder, &format!("{}/{record}", out[1]));
            assert!(two.len() == 2 && two[0].abs_diff(two[1]) <= 1, "{command}: {two:?}");
        }
    }
    if lists().len() > 1 {
        let words = ["shot", "job.toml", "--devices", "0,cpu", "--out", "mixed"];
        refuses(folder, &words, &["do not share a shot", "take devices of one kind"]);
    }
    // A survey, where it is asked for.
    fs::write(folder.join("job.toml"), survey::SURVEY).expect("written");
    for (devices, more) in [("cpu", [].as_slice()), ("cpu,cpu", &["--split"])] {
        on(folder, "shot", devices, &[more, &["--out", devices]].concat());
    }
    same(folder, "gathers.sgy", ["cpu", "cpu,cpu"]);
    assert_eq!(shares(folder, "cpu,cpu/run.json").len(), 2);
}

#[test]
fn a_simulation_that_is_too_thin_is_not_split() {
    let folder = with_job(SMALL);
    let folder = folder.path();
    let many = ["cpu"; 40].join(",");
    let parts = ["columns is not split over 40 engines: each takes 4 at the least; give from 1 to"];
    refuses(folder, &["shot", "job.toml", "--devices", &many], &parts);
    refuses(folder, &["shot", "job.toml", "--split"], &["--devices"]);
    let told = on(folder, "shot", "cpu", &["--split", "--out", "alone"]);
    says(&told, &["--split needs two devices or more, and there is one"]);
    let deep = ["--devices", "cpu,cpu,cpu", "--ghost-steps", "5"];
    let part = "with ghosts of 5 steps; give from 1 to";
    refuses(folder, &[&["shot", "job.toml"][..], &deep].concat(), &[part]);
    for command in ["shot", "rtm"] {
        let parts = ["--ghost-steps 2 is for a shot that several devices split", "leave it out"];
        refuses(folder, &[command, "job.toml", "--ghost-steps", "2"], &parts);
    }
    // Other commands than surveys are split without a flag.
    for command in ["locate", "zero-offset"] {
        let words = [command, "job.toml", "--devices", "cpu,cpu", "--split"];
        refuses(folder, &words, &["unexpected argument '--split'"]);
    }
}

#[test]
fn a_migration_has_the_same_bytes_on_one_device_and_split_over_two() {
    let folder = with_job(rtm::JOB);
    let folder = folder.path();
    for list in lists() {
        let shots = ["--set", "survey.line.count=2"];
        let offsets = ["--set", "rtm.offsets={ along = \"z\", most = 40.0 }"];
        // Software Vulkan takes its time.
        let ways = if list[0] == "0" { &["checkpoints"][..] } else { &["auto", "checkpoints"] };
        for way in ways {
            let wavefield = format!("rtm.wavefield=\"{way}\"");
            let more = [&shots[..], &offsets, &["--set", &wavefield]].concat();
            let out = list.map(|devices| format!("{devices}-{way}"));
            on(folder, "rtm", list[0], &[&more[..], &["--out", &out[0]]].concat());
            on(folder, "rtm", list[1], &[&more[..], &["--split", "--out", &out[1]]].concat());
            for file in ["image.npy", "illumination.npy", "offsets-z.npy", "journal.jsonl"] {
                same(folder, file, [&out[0], &out[1]]);
            }
            let two = shares(folder, &format!("{}/run.json", out[1]));
            assert!(two.len() == 2 && two[0].abs_diff(two[1]) <= 1, "{two:?}");
        }
    }
    let split = ["rtm", "job.toml", "--devices", "cpu,cpu", "--split"];
    let along_x = ["--set", "rtm.offsets.most=40.0"];
    let part =
        "offset gathers along x are not made of a plane that is split along x over 2 engines";
    refuses(folder, &[&split[..], &along_x].concat(), &[part]);
    let part = "a wave that goes back through a CPML exchanges after every step";
    refuses(folder, &[&split[..], &["--ghost-steps", "2"]].concat(), &[part]);
}

#[test]
fn lists_that_are_wrong_are_refused() {
    let folder = with_job(survey::SURVEY);
    let folder = folder.path();
    for (list, part) in [
        (
            "99",
            "there is no device \"99\"; --devices takes all, cpu, and numbers and names of these",
        ),
        ("cpu,nothing", "there is no device \"nothing\""),
        ("all,0", "give all, or a list"),
        ("0,,1", "a device is without a name"),
    ] {
        refuses(folder, &["shot", "job.toml", "--devices", list], &[part]);
    }
    for flag in [["--backend", "cpu"], ["--adapter", "0"]] {
        let words = [&["rtm", "job.toml", "--devices", "all"][..], &flag].concat();
        refuses(folder, &words, &["cannot be used with"]);
    }
    refuses(
        folder,
        &["shot", "job.toml", "--devices", "cpu,cpu", "--kernel", "plane-16x16"],
        &["leave --kernel out with a CPU engine"],
    );
}

/// Killed, then stopped by Ctrl-C, and ended on one device.
#[cfg(unix)]
#[test]
fn a_survey_on_two_devices_that_is_broken_off_goes_on() {
    let folder = with_job(survey::long());
    let folder = folder.path();
    let journal = folder.join("out/unfinished/journal.jsonl");
    let two = ["shot", "job.toml", "--devices", "cpu,cpu", "--no-pictures"];
    crate::held::begin(folder, &two, "journal", 2).until_lines(&journal, 3).kill();
    let again = [&two[..], &["--resume"]].concat();
    let mut run = crate::held::begin(folder, &again, "journal", 3);
    run.until_lines(&journal, 6);
    let output = run.interrupt();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    says(
        &said(&output),
        &["of 12 shots are done and kept in out/unfinished; resume it with --resume"],
    );
    on(folder, "shot", "cpu", &["--resume"]);
    on(folder, "shot", "cpu", &["--out", "whole"]);
    for file in ["gathers.sgy", "journal.jsonl"] {
        same(folder, file, ["out", "whole"]);
    }
}
