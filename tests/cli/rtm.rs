//! `huygens rtm` from the outside.

use crate::common::engines;
use crate::{
    held,
    run::{done, exits, folder, huygens, names, printed, said, says, with_job},
    survey::{begun, refuses},
};
use ndarray::{Array2, Array3, Axis};
use ndarray_npy::{read_npy, write_npy};
use serde_json::Value;
use std::{fs, path::Path};

pub const JOB: &str = r#"
[model]
velocity = "builtin:layers"
nodes = { z = 61, x = 81 }
spacing = 10.0
[time]
duration = 0.4
step = 0.001
record = 0.004
[boundary]
top = "absorb"
sides = { kind = "cpml", cells = 10 }
[survey]
wavelet = { kind = "ricker", peak_hz = 20.0 }
line = { first = { x = 200.0, z = 20.0 }, increment = { x = 200.0 }, count = 3 }
[receivers]
line = { from = { x = 0.0, z = 20.0 }, to = { x = 800.0, z = 20.0 }, count = 81 }
[rtm]
smooth = 80.0
"#;

/// From the shots' file it is the image that shots modelled on the way give.
#[test]
fn gathers_of_a_file_are_those_that_are_modelled() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("job.toml"), JOB).expect("written");
    let cpu = ["--backend", "cpu", "--no-pictures", "--out"];
    let run = |words: &[&str]| {
        done(folder.path(), words);
    };
    run(&[&["rtm", "job.toml"], &cpu[..], &["modelled"]].concat());
    run(&[&["shot", "job.toml"], &cpu[..], &["shots"]].concat());
    let gathers = ["--set", "rtm.gathers=\"shots/gathers.sgy\""];
    run(&[&["rtm", "job.toml"], &cpu[..], &["read"], &gathers].concat());
    let image = |name: &str| fs::read(at(name).join("image.npy")).expect("an image");
    assert!(image("modelled") == image("read"));
    run(&["gather", "convert", "shots/gathers.sgy", "gathers.npz"]);
    let arrays = ["--set", "rtm.gathers=\"gathers.npz\""];
    run(&[&["rtm", "job.toml"], &cpu[..], &["arrays"], &arrays].concat());
    assert!(image("modelled") == image("arrays"));
    for file in ["image.sgy", "illumination.npy", "run.json"] {
        assert!(at("read").join(file).exists(), "{file}");
    }
    let record: Value = serde_json::from_slice(&fs::read(at("read/run.json")).expect("a record"))
        .expect("a record");
    let inputs = record["inputs"].as_object().expect("inputs");
    assert!(inputs.keys().any(|name| name.ends_with("gathers.sgy")), "{inputs:?}");
    // It is no image of nothing.
    let array: ndarray::Array2<f32> =
        ndarray_npy::read_npy(at("read/image.npy")).expect("an array");
    assert!(array.iter().any(|v| v.abs() > 0.0) && array.iter().all(|v| v.is_finite()));
}

/// A file for each shot, in a list and by a pattern, is the file of all.
#[test]
fn several_files_are_one_survey() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("job.toml"), JOB).expect("written");
    let cpu = ["--backend", "cpu", "--no-pictures", "--out"];
    let formats = ["--set", "output.gathers=[\"sgy\", \"npy\"]"];
    done(folder.path(), &[&["shot", "job.toml"], &cpu[..], &["shots"], &formats].concat());
    // The shots of a SEG-Y of 81 traces each, one by one.
    let whole = fs::read(at("shots/gathers.sgy")).expect("gathers");
    let (head, traces) = whole.split_at(3600);
    for (shot, traces) in (1..).zip(traces.chunks(traces.len() / 3)) {
        fs::write(at(&format!("s{shot}.sgy")), [head, traces].concat()).expect("written");
    }
    let image_by = |command: &str, out: &str, gathers: &str| {
        let gathers = format!("rtm.gathers={gathers}");
        let words = [&[command, "job.toml"], &cpu[..], &[out, "--set", &gathers]].concat();
        done(folder.path(), &words);
        fs::read(at(out).join("image.npy")).expect("an image")
    };
    let image = |out: &str, gathers: &str| image_by("rtm", out, gathers);
    let one = image("one", "\"shots/gathers.sgy\"");
    assert!(image("listed", "[\"s1.sgy\", \"s2.sgy\", \"s3.sgy\"]") == one);
    assert!(image("matching", "\"s?.sgy\"") == one);
    let fitted = image_by("lsrtm", "fitted", "\"shots/gathers.sgy\"");
    assert!(image_by("lsrtm", "fitted-files", "\"s?.sgy\"") == fitted);
    let record: Value =
        serde_json::from_slice(&fs::read(at("matching/run.json")).expect("a record"))
            .expect("JSON");
    let inputs = record["inputs"].as_object().expect("inputs");
    assert_eq!(inputs.keys().filter(|name| name.ends_with(".sgy")).count(), 3, "{inputs:?}");
    let arrays = image("arrays", "\"shots/shot*/gather.npy\"");
    let bare = image(
        "bare",
        "[\"shots/shot0001/gather.npy\", \"shots/shot0002/gather.npy\", \"shots/shot0003/gather.npy\"]",
    );
    assert!(arrays == bare);
    // The geometry of several files.
    let survey = "line = { first = { x = 200.0, z = 20.0 }, increment = { x = 200.0 }, count = 3 }";
    let taken = JOB.replace(survey, "geometry = \"s?.sgy\"");
    let (taken, _) = taken.split_once("[receivers]").expect("receivers");
    let taken = format!("{taken}[rtm]\nsmooth = 80.0\ngathers = \"s?.sgy\"\n");
    fs::write(at("taken.toml"), taken).expect("written");
    done(folder.path(), &[&["rtm", "taken.toml"], &cpu[..], &["taken"]].concat());
    assert!(fs::read(at("taken/image.npy")).expect("an image") == one);
    // In another order, too few, and of other kinds.
    for (gathers, parts) in [
        ("[\"s2.sgy\", \"s1.sgy\", \"s3.sgy\"]", &["s2.sgy and 2 further files", "shot 1"][..]),
        ("\"s[12].sgy\"", &["s1.sgy and another file", "holds 2 shots, and the job has 3"]),
        ("\"t*.sgy\"", &["no file is called", "t*.sgy"]),
        ("[\"s1.sgy\", \"shots/shot0002/gather.npy\", \"s3.sgy\"]", &["one kind of file"]),
        ("[]", &["names no file"]),
    ] {
        let set = format!("rtm.gathers={gathers}");
        let words = [&["rtm", "job.toml"], &cpu[..], &["wrong", "--set", &set]].concat();
        says(&said(&exits(2, folder.path(), &words)), parts);
    }
}

#[test]
fn gathers_that_do_not_fit_are_named() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("job.toml"), JOB).expect("written");
    let shots = ["shot", "job.toml", "--backend", "cpu", "--no-pictures", "--out", "shots"];
    assert!(huygens(folder.path(), &shots).status.success());
    write_npy(at("two.npy"), &Array3::<f32>::zeros((2, 81, 101))).expect("written");
    write_npy(at("wide.npy"), &Array3::<f32>::zeros((3, 80, 101))).expect("written");
    write_npy(at("nan.npy"), &Array3::from_elem((3, 81, 101), f32::NAN)).expect("written");
    write_npy(at("silent.npy"), &Array3::<f32>::zeros((3, 81, 101))).expect("written");
    let cases: [(&[&str], &str); 34] = [
        (&["rtm.gathers=\"two.npy\""], "it holds 2 shots, and the job has 3"),
        (&["rtm.gathers=\"wide.npy\""], "shot 1 has 80 traces, and the job has 81 receivers"),
        (&["rtm.gathers=\"nan.npy\""], "a sample of shot 1 is not finite"),
        (&["rtm.gathers=\"job.toml\""], "it holds no gathers by its ending"),
        (
            &["rtm.gathers=\"shots/gathers.sgy\"", "survey.line.first.x=210.0"],
            "the source of shot 1 is at x = 200 m, z = 20 m, and the job's is at x = 210 m",
        ),
        (
            &["rtm.gathers=\"shots/gathers.sgy\"", "receivers.line.from.z=30.0"],
            "trace 1 of shot 1 is at x = 0 m, z = 20 m",
        ),
        (&["rtm.smooth=0.0"], "rtm.smooth"),
        (&["rtm.conditions=[]"], "no image is asked for"),
        (&["rtm.conditions=[\"best\"]"], "best"),
        (
            &["rtm.conditions=[\"cross-correlation\", \"cross-correlation\"]"],
            "a condition is there twice",
        ),
        (&["rtm.conditions=[\"plain-product\", \"cross-correlation\"]"], "give it alone"),
        (&["rtm.gathers=\"silent.npy\""], "nothing was recorded"),
        (&["rtm.band=[10.0, 5.0, 40.0, 50.0]"], "Hz make no band; give four that rise"),
        (
            &["rtm.band=[2.0, 5.0, 40.0, 150.0]"],
            "a band up to 150 Hz reaches beyond 125 Hz, the Nyquist frequency of traces with a sample every 0.004 s",
        ),
        (
            &["rtm.gathers=\"shots/gathers.sgy\"", "rtm.band=[2.0, 5.0, 40.0, 150.0]"],
            "a band up to 150 Hz reaches beyond 125 Hz",
        ),
        (&["rtm.mute.delay=nan"], "rtm.mute.delay"),
        (&["rtm.mute.taper=-1.0"], "rtm.mute.taper"),
        (&["rtm.interval=1.0"], "longer than the run, 0.4 s"),
        (
            &["rtm.offsets.most=900.0"],
            "900 m is not available along x; give from a cell, 10 m, to 800 m",
        ),
        (&["rtm.offsets={ along = \"z\", most = 700.0 }"], "700 m is not available along z"),
        (
            &["rtm.offsets={ most = 50.0, step = 60.0 }"],
            "the step is larger than the largest offset, 50 m",
        ),
        (&["rtm.offsets={ most = 50.0, step = 0.0 }"], "0 m is not available along x"),
        (&["rtm.offsets={ most = 50.0, drawn = [900.0] }"], "x = 900 m lies outside the model"),
        (&["rtm.offsets={ most = 50.0, lines = [100.0] }"], "the model is 2-D, and has one line"),
        (&["rtm.angles={ most = 60.0, step = 5.0 }"], "give rtm.offsets along x"),
        (
            &["rtm.offsets.most=50.0", "rtm.angles={ most = 90.0, step = 5.0 }"],
            "up to 90 degrees are not available",
        ),
        (
            &["rtm.offsets.most=50.0", "rtm.angles={ most = 60.0, step = 0.0 }"],
            "a step of 0 degrees is not available",
        ),
        (&["rtm.formats=[]"], "no format is asked for"),
        (&["rtm.formats=[\"sgy\"]", "rtm.offsets.most=50.0"], "gathers are not written as SEG-Y"),
        (&["rtm.movie.rate=90"], "a movie of 90 frames a second"),
        (&["rtm.movie.every=0"], "a frame every 0 shots"),
        (&["rtm.movie.every=3"], "one every 3 of 3 shots is one"),
        (&["rtm.formats=[\"npy\", \"npy\"]"], "a format is there twice"),
        (&["rtm.factor=3.0"], "through velocities times 3"),
    ];
    for (sets, expected) in cases {
        let mut words = vec!["rtm", "job.toml", "--backend", "cpu", "--out", "image"];
        sets.iter().for_each(|set| words.extend(["--set", *set]));
        let output = huygens(folder.path(), &words);
        assert_eq!(output.status.code(), Some(2), "{sets:?}: {}", said(&output));
        let said: String = said(&output).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(expected), "{sets:?}: {expected} in {said}");
        assert!(!at("image").exists(), "{sets:?}");
    }
}

#[test]
fn an_interval_that_aliases_is_warned_about() {
    let folder = with_job(JOB);
    let words =
        ["rtm", "job.toml", "--backend", "cpu", "--no-pictures", "--set", "rtm.interval=0.05"];
    let output = done(folder.path(), &words);
    let said = said(&output);
    assert!(said.contains("alias") && said.contains("rtm.interval = 0.0"), "{said}");
}

/// `check` rejects whatever `rtm` rejects.
#[test]
fn check_knows_it() {
    let folder = with_job(JOB);
    let check = ["check", "job.toml", "--backend", "cpu", "--set"];
    let output = done(folder.path(), &[&check[..], &["rtm.smooth=100.0"]].concat());
    // The chosen storage, and the alternatives; the one that takes least is used on request.
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    says(
        &text,
        &["imaging steps, one every", "all imaging steps; 1.00 runs forward, 1 back", "(chosen)"],
    );
    says(&text, &["a part, and a state for each other part: ", "chosen: all imaging steps fit"]);
    let little = [&check[..], &["rtm.memory=1e-4", "--json"]].concat();
    let output = huygens(folder.path(), &little);
    let report = printed(&output);
    let kept = report["migration"]["kept"].as_array().expect("ways");
    let taken: Vec<_> = kept.iter().filter(|cost| cost["taken"] == true).collect();
    assert_eq!(taken.len(), 1, "{kept:?}");
    assert!(
        taken[0]["runs"].as_f64() > Some(1.5) && taken[0]["parts"].as_u64() > Some(2),
        "{kept:?}"
    );
    let bytes: Vec<_> = kept.iter().map(|cost| cost["bytes"].as_u64()).collect();
    assert!(bytes.is_sorted_by(|a, b| a > b), "{bytes:?}");
    // The requested storage is used, or rejected with those that fit.
    let asked = |way: &str, memory: &str| {
        let (way, memory) = (format!("rtm.wavefield=\"{way}\""), format!("rtm.memory={memory}"));
        huygens(folder.path(), &[&check[..], &[&way, "--set", &memory]].concat())
    };
    for way in ["boundaries", "boundaries-16"] {
        let output = asked(way, "1.0");
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        says(&said(&output), &[way, "is gone; give \"checkpoints\""]);
    }
    let output = asked("checkpoints", "1.0");
    says(&String::from_utf8_lossy(&output.stdout), &["chosen: rtm.wavefield asks for it"]);
    let output = asked("kept", "0.0005");
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    says(&said(&output), &["all imaging steps: this takes", "raise rtm.memory"]);
    exits(2, folder.path(), &[&check[..], &["rtm.offsets.most=900.0"]].concat());
}

/// Through one velocity all that is recorded is the direct wave, and less that it is nothing, from
/// a file too; a receiver at another velocity is warned about.
#[test]
fn a_direct_wave_is_subtracted() {
    let folder = with_job(JOB.replace("layers", "homogeneous"));
    let path = folder.path();
    let cpu = ["--backend", "cpu", "--no-pictures", "--out"];
    done(path, &[&["shot", "job.toml"], &cpu[..], &["shots"]].concat());
    let image = |direct: &str, more: &[&str]| {
        let direct = format!("rtm.direct=\"{direct}\"");
        let more = [more, &["--set", &direct, "--force"]].concat();
        done(path, &[&["rtm", "job.toml"], &cpu[..], &["out"], &more].concat());
        let image: Array2<f32> = read_npy(path.join("out/image.npy")).expect("an image");
        image.iter().fold(0.0f32, |most, v| most.max(v.abs()))
    };
    assert!(image("kept", &[]) > 0.0);
    assert_eq!(image("modelled", &[]), 0.0);
    assert_eq!(image("modelled", &["--set", "rtm.gathers=\"shots/gathers.sgy\""]), 0.0);
    fs::write(path.join("job.toml"), JOB).expect("written");
    let deep = ["rtm.direct=\"modelled\"", "receivers.line.to.z=500.0"];
    let sets = deep.iter().flat_map(|set| ["--set", *set]).collect::<Vec<_>>();
    let output = done(path, &[&["rtm", "job.toml"], &cpu[..], &["deep"], &sets[..]].concat());
    let wanted =
        ["1500 m/s, the velocity at its source", "x = 800 m, z = 500 m, more than 1 % off"];
    says(&said(&output), &wanted);
}

/// One run gives the cross-correlation as it is and, as its Laplacian, the inverse scattering
/// condition; of integrated traces both are one.
#[test]
fn a_run_gives_several_conditions() {
    let folder = folder();
    let path = folder.path();
    let job = JOB.replace("layers", "homogeneous") + "direct = \"kept\"\n";
    fs::write(path.join("job.toml"), job).expect("written");
    let both = ["--set", "rtm.conditions=[\"cross-correlation\", \"inverse-scattering\"]"];
    let images = |laplacian: &str| {
        let set = format!("rtm.laplacian={laplacian}");
        let more = ["--set", &set, "--backend", "cpu", "--no-pictures", "--out", laplacian];
        done(path, &[&["rtm", "job.toml"], &both[..], &more].concat());
        let read = |name: &str| -> Array2<f32> {
            read_npy(path.join(laplacian).join(name)).expect("an image")
        };
        (read("image.npy"), read("image-inverse-scattering.npy"))
    };
    let (filtered, scattered) = images("true");
    assert!(filtered == scattered);
    let (image, scattered) = images("false");
    let nodes = (1..80).flat_map(|x| (1..60).map(move |z| (x, z)));
    let (mut off, mut all) = (0.0, 0.0);
    for (x, z) in nodes {
        let at = |x: usize, z: usize| f64::from(image[[x, z]]);
        let sides = at(x - 1, z) + at(x + 1, z) + at(x, z - 1) + at(x, z + 1);
        let wanted = -2000.0 / 8.0 * (sides - 4.0 * at(x, z)) / 100.0;
        off += (wanted - f64::from(scattered[[x, z]])).powi(2);
        all += wanted.powi(2);
    }
    assert!(all > 0.0 && off < 1e-8 * all, "{off} of {all}");
}

/// The plain product is that of the snapshots of two shots: of the integrated wavelet, and of the
/// receivers with their traces reversed.
#[test]
fn the_plain_product_is_that_of_two_shots() {
    const STEPS: usize = 800;
    const EVERY: usize = 10;
    const RECEIVERS: usize = 17;
    let folder = folder();
    let path = folder.path();
    let write = |name: &str, samples: Vec<f64>| {
        let lines: Vec<_> = samples.iter().map(|sample| format!("{sample:e}\n")).collect();
        fs::write(path.join(name), lines.concat()).expect("written");
    };
    let source = |file: &str, x: usize| {
        let wavelet = format!("{{ kind = \"file\", path = \"{file}\", interval = 0.001 }}");
        format!("[[source]]\nat = {{ x = {x}.0, z = 30.0 }}\nwavelet = {wavelet}\n")
    };
    let run = |command: &str, out: &str, sources: &str, more: &str| {
        let job = format!(
            "[model]\nvelocity = \"builtin:layers\"\nnodes = {{ z = 81, x = 101 }}\nspacing = 10.0\n\
             [time]\nduration = 0.8\nstep = 0.001\n[boundary]\ntop = \"absorb\"\n\
             sides = {{ kind = \"sponge\", cells = 40 }}\n{sources}[receivers]\n\
             line = {{ from = {{ x = 100.0, z = 30.0 }}, to = {{ x = 900.0, z = 30.0 }}, count = 17 }}\n{more}"
        );
        fs::write(path.join("job.toml"), job).expect("written");
        let more = ["--backend", "cpu", "--no-pictures", "--out", out];
        done(path, &[&[command, "job.toml"], &more[..]].concat());
    };
    let ricker = |n: usize| {
        let a = (std::f64::consts::PI * 15.0 * (n as f64 * 1e-3 - 0.12)).powi(2);
        (1.0 - 2.0 * a) * (-a).exp()
    };
    write("wavelet.txt", (0..=STEPS).map(ricker).collect());
    let integral = (0..=STEPS).scan(0.0, |sum, n| {
        *sum += 1e-3 * ricker(n);
        Some(*sum)
    });
    write("integral.txt", integral.collect());
    let times: Vec<_> = (1..STEPS / EVERY).map(|n| format!("{:.2}", 0.01 * n as f64)).collect();
    let snapshots = format!("[output]\nsnapshots = [{}]\n", times.join(", "));
    run("shot", "traces", &source("wavelet.txt", 300), "");
    run("shot", "forward", &source("integral.txt", 300), &snapshots);
    let traces: Array2<f32> = read_npy(path.join("traces/gather.npy")).expect("a gather");
    let mut sources = String::new();
    for (receiver, trace) in traces.outer_iter().enumerate() {
        let file = format!("trace-{receiver}.txt");
        write(&file, trace.iter().rev().map(|sample| f64::from(*sample)).collect());
        sources += &source(&file, 100 + 800 / (RECEIVERS - 1) * receiver);
    }
    run("shot", "back", &sources, &snapshots);
    let migrated = "[rtm]\ngathers = \"traces/gather.npy\"\nconditions = [\"plain-product\"]\n\
                    direct = \"kept\"\ninterval = 0.01\n";
    run("rtm", "image", &source("wavelet.txt", 300), migrated);
    let read = |of: &str| -> Array3<f32> {
        read_npy(path.join(of).join("snapshots.npy")).expect("snapshots")
    };
    let (forward, back) = (read("forward"), read("back"));
    let image: Array2<f32> = read_npy(path.join("image/image.npy")).expect("an image");
    let (mut off, mut all) = (0.0, 0.0);
    // Not beside the sources. The rest is the low frequencies that integrated traces lack, and their end.
    for (x, z) in (5..96).flat_map(|x| (12..76).map(move |z| (x, z))) {
        let steps = forward.outer_iter().zip(back.outer_iter().rev());
        let wanted: f64 = steps.map(|(p, b)| f64::from(p[[x, z]]) * f64::from(b[[x, z]])).sum();
        off += (wanted - f64::from(image[[x, z]])).powi(2);
        all += wanted.powi(2);
    }
    assert!(all > 0.0 && off < 0.03 * all, "{off} of {all}");
}

/// The script of a job whose [rtm] says anything migrates it, and what the script runs is the image
/// of one run.
#[test]
fn a_script_for_slurm_migrates() {
    let folder = with_job(JOB);
    let path = folder.path();
    let script = |more: &[&str]| {
        let check = ["check", "job.toml", "--backend", "cpu", "--slurm", "2"];
        let output = done(path, &[&check[..], more].concat());
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let line = |script: &str, before: &str| {
        let line = script.lines().find_map(|line| line.strip_prefix(before)).map(str::to_owned);
        line.unwrap_or_else(|| panic!("no {before} in {script}"))
    };
    // The templates of jobs have an [rtm] that says nothing.
    let empty = JOB.replace("smooth = 80.0", "");
    let observed = format!("{JOB}\n[gradient]\nobserved = \"field.sgy\"\n");
    for (job, more, command) in [
        (&*observed, &["--run", "gradient"][..], "gradient"),
        (JOB, &[][..], "rtm"),
        (JOB, &["--run", "shot"], "shot"),
        (&empty, &[], "shot"),
        (&empty, &["--run", "rtm"], "rtm"),
        (&empty, &["--set", "rtm.direct=\"kept\""], "rtm"),
    ] {
        fs::write(path.join("job.toml"), job).expect("written");
        let first = line(&script(more), "srun huygens ");
        assert!(first.starts_with(command), "{more:?}: {first}");
    }
    fs::write(path.join("job.toml"), JOB).expect("written");
    refuses(
        path,
        &["check", "job.toml", "--backend", "cpu", "--slurm", "2", "--run", "gradient"],
        &["the job names none; give gradient.observed"],
    );
    let script = script(&[]);
    for task in ["1", "2"] {
        let command = line(&script, "srun huygens ").replace("$SLURM_ARRAY_TASK_ID", task);
        done(path, &command.split(' ').collect::<Vec<_>>());
    }
    let merge = line(&script, "# When all are done: huygens ");
    done(path, &merge.split(' ').collect::<Vec<_>>());
    done(path, &rtm(&["--out", "whole"]));
    let image = |name: &str| fs::read(path.join(name).join("image.npy")).expect("an image");
    assert!(image("job") == image("whole"));
}

/// Thirteen shots and their offset gathers, long enough to be broken off.
fn long(folder: &Path) {
    let job = JOB.replace("count = 3 }", "count = 13 }").replace("{ x = 200.0 }", "{ x = 40.0 }");
    let job = job.replace("duration = 0.4", "duration = 1.0");
    let offsets = "offsets = { along = \"both\", most = 40.0 }\n";
    fs::write(folder.join("job.toml"), format!("{job}{offsets}")).expect("written");
}

fn rtm<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["rtm", "job.toml", "--backend", "cpu", "--no-pictures"], more].concat()
}

/// On a busy machine a test sleeps for a second: with these there are seconds left when it wakes.
const MANY: [&str; 4] =
    ["--set", "survey.line.count=39", "--set", "survey.line.increment={ x = 10.0 }"];

const FILES: [&str; 7] = [
    "illumination.npy",
    "image.npy",
    "image.sgy",
    "journal.jsonl",
    "offsets-x.npy",
    "offsets-z.npy",
    "run.json",
];

#[track_caller]
fn same(folder: &Path, one: &str, other: &str) {
    for file in FILES.iter().filter(|file| **file != "run.json") {
        let [one, other] =
            [one, other].map(|out| fs::read(folder.join(out).join(file)).expect("it"));
        assert!(one == other, "{file}");
    }
}

#[test]
fn a_migration_that_is_killed_goes_on_and_ends_with_the_same_bytes() {
    let folder = folder();
    let path = folder.path();
    long(path);
    done(path, &rtm(&["--out", "whole"]));
    let unfinished = path.join("out/unfinished");
    let mut run = held::begin(path, &rtm(&[]), "journal", 1);
    run.until_lines(&unfinished.join("partial/journal.jsonl"), 2).kill();
    refuses(path, &rtm(&[]), &["unfinished run", "--resume"]);
    refuses(
        path,
        &rtm(&["--resume", "--set", "rtm.smooth=90.0"]),
        &["rtm.smooth is 80.0 there and 90.0 in this job", "--force"],
    );
    refuses(
        path,
        &["shot", "job.toml", "--resume"],
        &["of huygens \"rtm\", and this command is \"shot\""],
    );
    // A sum that is damaged is made again.
    let sums = names(&unfinished.join("partial"));
    let file = unfinished.join("partial").join(&sums[0]);
    let mut bytes = fs::read(&file).expect("a sum");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&file, bytes).expect("written");
    let output = done(path, &rtm(&["--resume"]));
    says(&said(&output), &["from shot 1 on is damaged"]);
    assert_eq!(names(&path.join("out")), FILES);
    same(path, "out", "whole");
    // A file in the way is found when all sums are done.
    let foreign = path.join("foreign");
    fs::create_dir(&foreign).expect("made");
    let mut run = held::begin(path, &rtm(&["--out", "foreign"]), "journal", 1);
    run.until_lines(&foreign.join("unfinished/partial/journal.jsonl"), 2).kill();
    // A line that was changed is not believed.
    let listed = foreign.join("unfinished/partial/journal.jsonl");
    let text = fs::read_to_string(&listed).expect("a journal");
    let (heading, sums) = text.split_once('\n').expect("lines");
    let wrong = match sums.contains("\"count\":") {
        true => sums.replace("\"count\":", "\"count\":1"),
        false => sums.replace("\"shot\":1,", "\"shot\":1,\"count\":2,"),
    };
    assert_ne!(wrong, sums);
    fs::write(&listed, format!("{heading}\n{wrong}")).expect("written");
    fs::write(foreign.join("image.npy"), "mine").expect("written");
    let resume = rtm(&["--out", "foreign", "--resume"]);
    let in_the_way = "image.npy is there, and no run of huygens wrote it";
    let line = "line 2 of partial/journal.jsonl is damaged";
    refuses(path, &resume, &[line, in_the_way, "resume it with --resume"]);
    fs::remove_file(foreign.join("image.npy")).expect("removed");
    let output = huygens(path, &resume);
    says(&said(&output), &["13 of 13 shots are done"]);
    assert!(output.status.success(), "{}", said(&output));
    same(path, "foreign", "whole");
    let again = huygens(path, &rtm(&["--resume"]));
    assert!(again.status.success() && said(&again).contains("done already"), "{}", said(&again));
    fs::remove_file(path.join("out/image.npy")).expect("removed");
    refuses(path, &rtm(&["--resume"]), &["is done, but image.npy is missing"]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_shots_that_are_stacked() {
    let folder = folder();
    let path = folder.path();
    long(path);
    let rtm = |more: &[&'static str]| rtm(&[&MANY[..], more].concat());
    done(path, &rtm(&["--out", "whole"]));
    let mut run = held::begin(path, &rtm(&[]), "journal", 1);
    run.until_lines(&path.join("out/unfinished/partial/journal.jsonl"), 2);
    let output = run.interrupt();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let words = "of 39 shots are done and kept in out/unfinished";
    says(&said(&output), &["as asked", words, "resume it with --resume"]);
    assert!(!said(&output).contains("nothing"), "{}", said(&output));
    let output = huygens(path, &rtm(&["--resume"]));
    says(&said(&output), &["of 39 shots are done"]);
    same(path, "out", "whole");
}

#[test]
fn tasks_are_stacked_to_the_bits_of_one_run() {
    let folder = folder();
    let path = folder.path();
    long(path);
    let rtm = |more: &[&'static str]| rtm(&[&MANY[..], more].concat());
    done(path, &rtm(&["--out", "whole"]));
    let of = |task| rtm(&["--out", "out", "--task", task]);
    let mut others = ["1/3", "3/3"].map(|task| begun(path, &of(task)));
    let mut second = held::begin(path, &of("2/3"), "journal", 1);
    second.until_lines(&path.join("out/task-2-of-3/unfinished/partial/journal.jsonl"), 2).kill();
    for run in &mut others {
        assert!(run.wait().expect("over").success());
    }
    let merge = rtm(&["--out", "out", "--merge"]);
    refuses(path, &merge, &["out is of 3 tasks, and task 2 is not done"]);
    done(path, &rtm(&["--out", "out", "--task", "2/3"]));
    refuses(path, &["merge", "out"], &["huygens rtm JOB --merge --out out"]);
    refuses(path, &[&merge[..], &["--set", "rtm.smooth=90.0"]].concat(), &["80.0 there and 90.0"]);
    done(path, &merge);
    same(path, "out", "whole");
    // As a kill leaves it before the last move.
    fs::create_dir(path.join("out/.huygens-finished")).expect("made");
    fs::rename(path.join("out/run.json"), path.join("out/.huygens-finished/run.json"))
        .expect("moved");
    says(&said(&done(path, &merge)), &["completed the merge in out"]);
    same(path, "out", "whole");
    assert!(path.join("out/run.json").exists());
    // A share that is damaged is named.
    let sums = path.join("out/task-3-of-3/partial");
    let file = sums.join(&names(&sums)[0]);
    let mut bytes = fs::read(&file).expect("a sum");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&file, bytes).expect("written");
    let force = [&merge[..], &["--force"]].concat();
    refuses(path, &force, &["damaged", "--task 3/3 --force"]);
    same(path, "out", "whole");
}

/// The job's file is named without its folder: equal runs have equal bytes.
#[test]
fn an_image_does_not_say_where_the_job_was() {
    let folder = with_job(JOB);
    let cpu = ["--backend", "cpu", "--no-pictures", "--set", "survey.line.count=1", "--out"];
    let job = folder.path().join("job.toml");
    let run = |job: &str, out: &str| {
        done(folder.path(), &[&["rtm", job], &cpu[..], &[out]].concat());
        fs::read(folder.path().join(out).join("image.sgy")).expect("an image")
    };
    assert!(run("job.toml", "a") == run(&job.display().to_string(), "b"));
}

/// The image by shots, gathers by angle, and files for Madagascar that say what their axes are.
#[test]
fn the_requested_outputs_are_written() {
    let folder = with_job(JOB);
    let path = folder.path();
    let sets = [
        "rtm.offsets={ along = \"both\", most = 40.0, step = 20.0 }",
        "rtm.angles={ most = 30.0, step = 10.0 }",
        "rtm.formats=[\"rsf\", \"npy\"]",
        "rtm.movie={ format = \"both\" }",
    ];
    let sets = sets.iter().flat_map(|set| ["--set", *set]);
    let words: Vec<_> = ["rtm", "job.toml", "--backend", "cpu"].into_iter().chain(sets).collect();
    done(path, &words);
    let out = path.join("out");
    let expected = [
        "angles.npy",
        "angles.png",
        "angles.rsf",
        "illumination.npy",
        "illumination.rsf",
        "image.npy",
        "image.png",
        "image.rsf",
        "journal.jsonl",
        "movie.apng",
        "movie.gif",
        "offsets-x.npy",
        "offsets-x.png",
        "offsets-x.rsf",
        "offsets-z.npy",
        "offsets-z.png",
        "offsets-z.rsf",
        "run.json",
    ];
    assert_eq!(names(&out), expected);
    let rsf = fs::read(out.join("offsets-x.rsf")).expect("a file");
    let header = String::from_utf8_lossy(&rsf[..600]).into_owned();
    says(
        &header,
        &["n1=61 o1=0 d1=10 label1=\"Depth\"", "n3=5 o3=-40 d3=20 label3=\"Offset along x\""],
    );
    let angles: ndarray::Array3<f32> = ndarray_npy::read_npy(out.join("angles.npy")).expect("it");
    let offsets: ndarray::Array3<f32> =
        ndarray_npy::read_npy(out.join("offsets-x.npy")).expect("it");
    assert_eq!((angles.dim(), offsets.dim()), ((7, 81, 61), (5, 81, 61)));
    // At no angle it is the mean over the offsets.
    let mean = offsets.mean_axis(ndarray::Axis(0)).expect("offsets");
    let largest = mean.iter().fold(0.0f32, |largest, v| largest.max(v.abs()));
    let flat = angles.index_axis(ndarray::Axis(0), 3);
    assert!(largest > 0.0);
    assert!(flat.iter().zip(&mean).all(|(a, b)| (a - b).abs() < 1e-5 * largest));
    let movie = fs::read(out.join("movie.gif")).expect("a movie");
    let frames = image::codecs::gif::GifDecoder::new(std::io::Cursor::new(movie)).expect("a GIF");
    assert_eq!(image::AnimationDecoder::into_frames(frames).count(), 3);
}

/// Two shots of the job that ships, on the CPU and on what there is of Vulkan.
#[test]
fn the_shipped_job_is_the_same_on_a_gpu() {
    let folder = folder();
    let job = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/jobs/rtm-layers.toml");
    let job = job.to_string_lossy();
    let two = ["--set", "survey.line.count=2", "--set", "survey.line.first.x=960.0"];
    let image = |backend: &str| -> Array2<f32> {
        let words = ["rtm", &job, "--backend", backend, "--no-pictures", "--out", backend];
        done(folder.path(), &[&words[..], &two].concat());
        read_npy(folder.path().join(backend).join("image.npy")).expect("an image")
    };
    let cpu = image("cpu");
    if engines::opened(false).is_empty() {
        return;
    }
    let gpu = image("vulkan");
    let squares = |values: &Array2<f32>| values.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>();
    let error = (squares(&(&gpu - &cpu)) / squares(&cpu)).sqrt();
    assert!(squares(&cpu) > 0.0 && error < 1e-4, "{error:e}");
}

/// Offsets that reach beyond the middle of the model meet nowhere, and are zero.
#[test]
fn offsets_as_long_as_the_model_are_zero() {
    let folder = with_job(JOB);
    let set = "rtm.offsets={ along = \"both\", most = 600.0, step = 200.0 }";
    let words = ["rtm", "job.toml", "--backend", "cpu", "--no-pictures", "--set", set];
    done(folder.path(), &words);
    let gathers: Array3<f32> = read_npy(folder.path().join("out/offsets-z.npy")).expect("gathers");
    let largest = |offset: usize| {
        let gather = gathers.index_axis(ndarray::Axis(0), offset);
        gather.iter().fold(0.0f32, |largest, v| largest.max(v.abs()))
    };
    assert_eq!([0, 6].map(largest), [0.0; 2]);
    assert!(largest(3) > 0.0);
}

/// Offset and angle gathers of a volume are those of the lines that are asked for.
#[test]
fn a_volume_has_gathers_on_lines() {
    let folder = folder();
    let job = r#"
[model]
velocity = "builtin:layers"
nodes = { z = 20, x = 24, y = 22 }
spacing = 10.0
[time]
duration = 0.1
[boundary]
sides = { kind = "cpml", cells = 5 }
[[source]]
at = { x = 110.0, y = 100.0, z = 20.0 }
wavelet = { kind = "ricker", peak_hz = 25.0 }
[receivers]
line = { from = { x = 0.0, y = 100.0, z = 10.0 }, to = { x = 230.0, y = 100.0, z = 10.0 }, count = 24 }
[rtm]
laplacian = false
conditions = ["cross-correlation"]
offsets = { along = "both", most = 40.0, step = 20.0, lines = [50.0, 104.0] }
angles = { most = 40.0, step = 20.0 }
"#;
    fs::write(folder.path().join("job.toml"), job).expect("written");
    let words = ["rtm", "job.toml", "--backend", "cpu", "--out", "image"];
    done(folder.path(), &words);
    let names = names(&folder.path().join("image"));
    for kind in ["offsets-x-y50", "offsets-x-y100", "offsets-z-y50", "offsets-z-y100", "angles-y50"]
    {
        for ending in ["npy", "png"] {
            assert!(names.contains(&format!("{kind}.{ending}")), "{kind}.{ending}: {names:?}");
        }
    }
    let array = |name: &str| -> Array3<f32> {
        read_npy(folder.path().join("image").join(name)).expect("an array")
    };
    let (image, gathers) = (array("image.npy"), array("offsets-z-y100.npy"));
    assert_eq!(gathers.shape(), [5, 24, 20]);
    // At h = 0 they are the image of the line.
    assert_eq!(gathers.index_axis(Axis(0), 2), image.index_axis(Axis(0), 10));
    for (set, expected) in [
        ("rtm.offsets.lines=[]", "gathers of a volume are made on lines along x"),
        (
            "rtm.offsets.lines=[220.0]",
            "y = 220 m lies outside the model, which reaches from 0 to 210 m",
        ),
        ("rtm.offsets.lines=[50.0, 52.0]", "the line at y = 52 m is there twice"),
    ] {
        let output = huygens(folder.path(), &[&words[..], &["--set", set, "--force"]].concat());
        assert!(!output.status.success() && said(&output).contains(expected), "{}", said(&output));
    }
}
