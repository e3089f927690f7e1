//! Wavelets that gradients and inversions estimate from the observed traces.

use crate::{
    held,
    run::{done, exits, said, says, with_job},
};
use ndarray::{Array2, Array3};
use ndarray_npy::{read_npy, write_npy};
use std::{f64::consts::PI, fs, path::Path};

const JOB: &str = r#"
[model]
velocity = "start.rsf"

[time]
duration = 1.2
record = 0.004

[survey]
line = { first = { x = 200.0, z = 25.0 }, increment = { x = 400.0 }, count = 5 }
wavelet = { kind = "ricker", peak_hz = 6.0, delay = 0.3 }

[receivers]
line = { from = { x = 0.0, z = 25.0 }, to = { x = 2000.0, z = 25.0 }, count = 81 }

[gradient]
around_sources = 100.0

[invert]
bands = [4.0, 8.0]
iterations = 3
least = 1400.0
most = 3500.0
"#;

/// 100 times the wavelet of the job, turned by 30 degrees, by the sum of its frequencies: the amplitude of a Ricker
/// wavelet is `x^2 exp(-x^2)` at x times its peak.
fn turned() -> String {
    let all: Vec<(f64, f64)> =
        (0..600).map(|k| 0.01 * f64::from(k)).map(|x| (x, x * x * (-x * x).exp())).collect();
    let sum: f64 = all.iter().map(|(_, amplitude)| amplitude).sum();
    let value = |t: f64| {
        let phase = |x: f64| (2.0 * PI * 6.0 * x * (t - 0.3) + PI / 6.0).cos();
        100.0 * all.iter().map(|(x, amplitude)| amplitude * phase(*x)).sum::<f64>() / sum
    };
    (0..450).map(|n| 0.002 * f64::from(n)).map(|t| format!("{t} {}\n", value(t))).collect()
}

const TURNED: &str = "survey.wavelet={kind=\"file\",path=\"turned.txt\"}";
const ESTIMATED: &str = "gradient.wavelet=\"estimated\"";

/// The job, and what was observed of another model with another wavelet.
fn observed() -> tempfile::TempDir {
    let folder = with_job(JOB);
    let at = folder.path();
    fs::write(at.join("turned.txt"), turned()).expect("written");
    let nodes = ["--nodes", "z=51,x=81", "--spacing", "25"];
    done(at, &[&["model", "build", "layers", "--out", "true.rsf"], &nodes[..]].concat());
    done(at, &["model", "convert", "true.rsf", "start.rsf", "--smooth", "150"]);
    done(at, &["model", "convert", "true.rsf", "true.npy"]);
    done(at, &["model", "convert", "start.rsf", "start.npy"]);
    let shot = ["shot", "job.toml", "--model", "true.rsf", "--out", "observed", "--no-pictures"];
    done(at, &[&shot[..], &["--backend", "cpu", "--set", TURNED]].concat());
    folder
}

fn run<'a>(command: &'a str, out: &'a str, sets: &[&'a str]) -> Vec<&'a str> {
    let words = [
        command,
        "job.toml",
        "--observed",
        "observed/gathers.sgy",
        "--backend",
        "cpu",
        "--out",
        out,
    ];
    let sets = sets.iter().flat_map(|set| ["--set", *set]);
    words.into_iter().chain(sets).collect()
}

fn model(folder: &Path, name: &str) -> Array2<f64> {
    read_npy::<_, Array2<f32>>(folder.join(name)).expect(name).mapv(f64::from)
}

#[test]
fn an_inversion_with_an_estimated_wavelet_ends_like_one_with_the_true_one() {
    let folder = observed();
    let at = folder.path();
    let printed = said(&done(at, &run("invert", "estimated", &[ESTIMATED])));
    says(
        &printed,
        &[
            "with the job's wavelet least-squares factor",
            "with the estimated one least-squares factor 1.0",
        ],
    );
    done(at, &run("invert", "known", &[TURNED]));
    done(at, &run("invert", "wrong", &[]));
    let wanted = model(at, "true.npy");
    let error = |name: &str| (model(at, name) - &wanted).mapv(|v| v * v).sum().sqrt();
    let names = ["start.npy", "estimated/model.npy", "known/model.npy", "wrong/model.npy"];
    let [start, estimated, known, wrong] = names.map(error);
    println!("{start} {estimated} {known} {wrong}");
    assert!((estimated / known - 1.0).abs() < 0.02, "{estimated} {known}");
    assert!(known < 0.97 * start && wrong > 1.05 * known, "{start} {known} {wrong}");
    assert!(at.join("estimated/wavelet.png").exists());
    // The file is one that a job reads.
    let file = "survey.wavelet={kind=\"file\",path=\"estimated/wavelet.csv\"}";
    done(at, &run("invert", "again", &[file]));
    let again = error("again/model.npy");
    assert!((again / estimated - 1.0).abs() < 1e-3, "{again} {estimated}");
}

#[test]
fn an_interrupted_inversion_keeps_its_wavelet() {
    let folder = observed();
    let at = folder.path();
    let sets = ["gradient.wavelet={per=\"shot\",amplitude=\"fixed\"}", "invert.iterations=2"];
    let quiet = |out: &'static str| [&run("invert", out, &sets)[..], &["--no-pictures"]].concat();
    done(at, &quiet("whole"));
    let parted = quiet("parted");
    let listed = at.join("parted/unfinished/partial/journal.jsonl");
    let has_two = || fs::read_to_string(&listed).is_ok_and(|list| list.contains("0002-0002"));
    held::begin(at, &parted, "state", 2).until(has_two).kill();
    done(at, &[&parted[..], &["--resume"]].concat());
    for file in ["model.npy", "misfits.csv", "shot-0001/wavelet.csv", "shot-0005/wavelet.csv"] {
        let [one, other] =
            ["whole", "parted"].map(|of| fs::read(at.join(of).join(file)).expect(file));
        assert!(one == other, "{file}");
    }
    // Of the energy of the job's wavelet.
    let text = fs::read_to_string(at.join("whole/shot-0003/wavelet.csv")).expect("a wavelet");
    let values =
        text.lines().skip(1).filter_map(|line| line.split(',').nth(1)?.parse::<f64>().ok());
    let largest = values.fold(0.0f64, |most, value| most.max(value.abs()));
    assert!((0.8..1.0).contains(&largest), "{largest}");
}

#[test]
fn tasks_of_a_gradient_have_the_wavelet_of_one_run() {
    let folder = observed();
    let at = folder.path();
    done(at, &run("gradient", "whole", &[ESTIMATED]));
    let task =
        |more: &[&'static str]| [&run("gradient", "shared", &[ESTIMATED])[..], more].concat();
    done(at, &task(&["--task", "1/2"]));
    done(at, &task(&["--task", "2/2"]));
    done(at, &task(&["--merge"]));
    for file in ["gradient.npy", "illumination.npy", "wavelet.csv"] {
        let [one, other] =
            ["whole", "shared"].map(|of| fs::read(at.join(of).join(file)).expect(file));
        assert!(one == other, "{file}");
    }
    assert!(at.join("shared/wavelet.png").exists());
}

#[test]
fn what_cannot_be_estimated_is_refused() {
    let folder = observed();
    let at = folder.path();
    let zeros =
        Array3::<f32>::from_shape_fn((5, 81, 301), |(_, _, k)| if k < 20 { 1.0 } else { 0.0 });
    write_npy(at.join("silent.npy"), &zeros).expect("written");
    let silent =
        ["gradient.observed=\"silent.npy\"", "gradient.mute={velocity=1e9,delay=0.2,taper=0.0}"];
    let low = "survey.wavelet={kind=\"ormsby\",corners_hz=[11.0,12.0,13.0,14.0]}";
    let cases: [(&[&str], &str); 5] = [
        (&["gradient.wavelet={length=5.0}"], "a wavelet of 5 s is longer than the record of 1.2 s"),
        (&["gradient.wavelet={length=-1.0}"], "give a number above 0"),
        (&["gradient.wavelet={per=\"trace\"}"], "there is no choice trace; there are survey, shot"),
        (&[ESTIMATED, silent[0], silent[1]], "the observed traces are 0 wherever they count"),
        (&[ESTIMATED, low, "gradient.observed=\"low.npy\""], "the band of the job's wavelet"),
    ];
    let low = Array3::<f32>::from_shape_fn((5, 81, 301), |(_, r, k)| {
        let t = 0.004 * k as f32 - 0.5 - 0.002 * r as f32;
        (18.8 * t).cos() * (-(t / 0.15).powi(2)).exp()
    });
    write_npy(at.join("low.npy"), &low).expect("written");
    for (sets, part) in cases {
        let words = ["gradient", "job.toml", "--backend", "cpu", "--out", "out"];
        let named = sets.iter().any(|set| set.starts_with("gradient.observed"));
        let observed = (!named).then_some(["--set", "gradient.observed=\"observed/gathers.sgy\""]);
        let sets = sets.iter().flat_map(|set| ["--set", *set]);
        let words: Vec<_> =
            words.into_iter().chain(observed.into_iter().flatten()).chain(sets).collect();
        says(&said(&exits(2, at, &words)), &[part]);
    }
    let set = ["--set", ESTIMATED, "--set", "gradient.observed=\"observed/gathers.sgy\""];
    let check = done(at, &[&["check", "job.toml", "--backend", "cpu"], &set[..]].concat());
    says(&String::from_utf8_lossy(&check.stdout), &["model all shots once more"]);
}
