//! A gather that is sent back to its source.

use crate::{
    pictures::{coloured, frames, text},
    run::{
        done, exits, folder, huygens, names, printed, refused, said, says, small_volume, with_job,
    },
};
use image::RgbImage;
use ndarray::Array2;
use ndarray_npy::{read_npy, write_npy};
use serde_json::Value;
use std::path::Path;

/// A source above the salt, under receivers on the surface.
const JOB: &str = r#"
[model]
velocity = "builtin:salt"
spacing = 40.0

[time]
duration = 2.5
step = 0.004

[boundary]
top = "zero"

[[source]]
at = { x = 6000.0, z = 1000.0 }
wavelet = { kind = "ricker", peak_hz = 5.0, delay = 0.3 }

[receivers]
line = { from = { x = 0.0, z = 0.0 }, to = { x = 13480.0, z = 0.0 }, count = 338 }

[output]
snapshots = [0.4, 1.2]
"#;

/// A folder with the job, and what it records in out/.
fn recorded() -> tempfile::TempDir {
    let folder = with_job(JOB);
    done(folder.path(), &["shot", "job.toml", "--backend", "cpu", "--out", "out"]);
    folder
}

fn locate(folder: &Path, more: &[&str]) -> std::process::Output {
    let arguments = ["locate", "job.toml", "--backend", "cpu", "--force", "--out", "back"];
    huygens(folder, &[&arguments, more].concat())
}

fn located(folder: &Path, more: &[&str]) -> Value {
    let output = locate(folder, &[more, &["--json"]].concat());
    assert!(output.status.success(), "{}", said(&output));
    printed(&output)
}

fn is_the_source(found: &Value) -> bool {
    let at = |axis: &str| found["at"][axis].as_f64().expect("metres");
    let off = (at("x") - 6000.0).hypot(at("z") - 1000.0);
    // A cell, and less than half a period.
    off < 40.0 && (found["time"].as_f64().expect("s") - 0.3).abs() < 0.1
}

#[test]
fn a_gather_is_located_from_each_format() {
    let folder = recorded();
    let sgy = located(folder.path(), &["--gather", "out/gather.sgy"]);
    assert!(is_the_source(&sgy["found"][0]), "{sgy:#}");
    let npy = located(folder.path(), &["--gather", "out/gather.npy"]);
    assert_eq!(npy["found"], sgy["found"]);
    assert_eq!(sgy["recorded"], 2.5);
    let files = names(&folder.path().join("back"));
    assert_eq!(files, ["events.csv", "focus.json", "focus.npy", "focus.png", "snapshots"]);
    let snapshots = names(&folder.path().join("back/snapshots"));
    assert_eq!(snapshots, ["back-t0000100.png", "back-t0000300.png"]);
    let map: ndarray::Array3<f32> = read_npy(folder.path().join("back/focus.npy")).expect("a map");
    assert_eq!(map.dim(), (1, 338, 105));
    let worse = &["--noise", "1", "--drop", "0.5"][..];
    for way in [&["--condition", "energy"][..], &["--groups", "3"], worse] {
        let found = located(folder.path(), &[way, &["--gather", "out/gather.npy"]].concat());
        assert!(is_the_source(&found["found"][0]), "{way:?}: {:#}", found["found"]);
    }
}

#[test]
fn a_scan_names_the_true_model() {
    let folder = recorded();
    let scan = format!("{JOB}\n[scan]\nfactors = {{ from = 0.9, to = 1.1, count = 5 }}\n");
    std::fs::write(folder.path().join("job.toml"), scan).expect("written");
    // The letters of the chart shrink to fit.
    let small = ["--gather", "out/gather.npy", "--figure-size", "700x500"];
    let report = located(folder.path(), &small);
    let tried = report["tried"].as_array().expect("the models tried");
    assert_eq!(tried.len(), 5);
    let chart = image::image_dimensions(folder.path().join("back/scan.png")).expect("a picture");
    let map = image::image_dimensions(folder.path().join("back/focus.png")).expect("a picture");
    assert_eq!(map, (700, 500));
    assert_eq!(chart, (700, 500));
    // The scan's result for the best model is that of its own map.
    let best = &tried[2];
    for what in ["largest", "kurtosis", "over_rms"] {
        let of = |report: &Value| report["sharpness"][what].as_f64().expect("a number");
        let (ours, theirs) = (of(best), of(&report));
        assert!((ours / theirs - 1.0).abs() < 1e-4, "{what}: {ours}, {theirs}");
    }
    assert!(is_the_source(&best["found"]), "{best:#}");
    assert_eq!(report["model"], "builtin:salt x 1.0000");
    assert!(is_the_source(&report["found"][0]), "{:#}", report["found"]);
    // On the command line: the first instead of the job's, the others beside it.
    std::fs::write(folder.path().join("job.toml"), JOB).expect("written");
    let models = ["--model", "builtin:layers", "--model", "builtin:salt"];
    let report = located(folder.path(), &[&models[..], &["--gather", "out/gather.npy"]].concat());
    assert_eq!(report["model"], "builtin:salt");
    assert_eq!(report["tried"][0]["model"], "builtin:layers");
}

/// The density of waves around the source in a frame of 1600 x 900 dots, relative to the whole
/// model.
fn at_the_source(frame: &RgbImage) -> f64 {
    coloured(frame, 0.44..0.51, 0.2..0.36) / field(frame).max(1e-9)
}

/// The fraction of the model with waves.
fn field(frame: &RgbImage) -> f64 {
    coloured(frame, 0.08..0.96, 0.17..0.65)
}

#[test]
fn a_movie_runs_backward_to_the_source() {
    let folder = recorded();
    let movie = "movie = { every = 0.25, format = \"both\" }\nfigures = { size = \"1600x900\" }\n";
    std::fs::write(folder.path().join("job.toml"), format!("{JOB}{movie}")).expect("written");
    located(folder.path(), &["--gather", "out/gather.npy"]);
    let back = folder.path().join("back");
    let files = [
        "events.csv",
        "focus.json",
        "focus.npy",
        "focus.png",
        "movie.apng",
        "movie.gif",
        "snapshots",
    ];
    assert_eq!(names(&back), files);
    assert_eq!(names(&back.join("snapshots")), ["back-t0000100.png", "back-t0000300.png"]);
    let one = frames(&back.join("movie.apng"));
    // 2.5, 2.25, ... 0 s, the pictures' width halved.
    assert_eq!((one.len(), one[0].width()), (11, 800));
    assert!(text(&back.join("movie.apng"), "Title").contains("back"));
    // Nothing has come out of the receivers yet; then the waves close in on the source, until 0.5 s
    // and after.
    assert_eq!(field(&one[0]), 0.0);
    let near: Vec<f64> = one[..9].iter().map(at_the_source).collect();
    assert!(near.is_sorted() && near[8] > 5.0, "{near:?}");

    // The fields of the groups together are that of all receivers.
    located(folder.path(), &["--gather", "out/gather.npy", "--groups", "3"]);
    let three = frames(&back.join("movie.apng"));
    assert_eq!((three.len(), field(&three[0])), (11, 0.0));
    let differs =
        |frame: usize, k: usize| one[frame].as_raw()[k].abs_diff(three[frame].as_raw()[k]) > 2;
    let pixels = one[0].len();
    // Without a wave the pictures differ in the ring, which lies a small part of a node elsewhere: that is not the field.
    let ring: Vec<bool> = (0..pixels).map(|k| differs(0, k)).collect();
    assert!(ring.iter().filter(|of_it| **of_it).count() < pixels / 500);
    for frame in 1..11 {
        let differ = (0..pixels).filter(|&k| !ring[k] && differs(frame, k)).count();
        assert!(differ < pixels / 1000, "{differ} of {pixels}");
    }
}

#[test]
fn a_scan_shows_the_best_model_move_and_a_movie_of_one_frame_is_refused() {
    let folder = recorded();
    let job = |more: &str| {
        std::fs::write(folder.path().join("job.toml"), format!("{JOB}{more}")).expect("written");
    };
    let scan = "\n[scan]\nfactors = { from = 0.9, to = 1.1, count = 3 }\n";
    job(&format!("movie = {{ every = 1.0 }}\n{scan}"));
    let report = located(folder.path(), &["--gather", "out/gather.npy"]);
    assert_eq!(report["model"], "builtin:salt x 1.0000");
    assert_eq!(frames(&folder.path().join("back/movie.apng")).len(), 3);
    std::fs::remove_dir_all(folder.path().join("back")).expect("removed");
    for (movie, words) in [
        ("movie = { every = 3.0 }", "one every 3 s of 2.5 s is 1"),
        ("movie = { every = 1e-6 }", "at most 2000"),
    ] {
        job(&format!("{movie}{scan}"));
        let output = locate(folder.path(), &["--gather", "out/gather.npy"]);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains(words), "{}", said(&output));
        assert!(!folder.path().join("back").exists(), "nothing is left behind");
    }
}

#[test]
fn a_volume_runs_back_in_three_planes() {
    let folder = folder();
    let job = small_volume().replace("[0.2]", "[0.2]\nvolumes = false");
    let write = |more: &str| {
        std::fs::write(folder.path().join("job.toml"), format!("{job}{more}")).expect("written");
    };
    write("");
    done(folder.path(), &["shot", "job.toml", "--backend", "cpu"]);
    write("movie = { every = 0.1 }\n");
    located(folder.path(), &["--gather", "out/gather.npy", "--mask", "60"]);
    let movie = frames(&folder.path().join("back/movie.apng"));
    let still = image::image_dimensions(folder.path().join("out/snapshots/t0000100.png"));
    let still = still.expect("a picture of three planes");
    assert_eq!(movie.len(), 5);
    assert!(
        movie[0].width().abs_diff(still.0 / 2) <= 1 && movie[0].height().abs_diff(still.1 / 2) <= 1
    );
    let output = locate(folder.path(), &["--gather", "out/gather.npy", "--figure-size", "700x700"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("too small"), "{}", said(&output));
}

/// Writes a model in a folder.
fn build(folder: &Path, model: &str, nodes: &str, to: &str) {
    let build = ["model", "build", model, "--nodes", nodes, "--spacing", "40", "--out", to];
    done(folder, &build);
}

#[test]
fn a_scan_tries_every_model_of_a_folder() {
    let folder = recorded();
    let folder = folder.path();
    let scan = |own: &str, models: &str| {
        let job = JOB.replace("\"builtin:salt\"", own);
        let job = format!("{job}\n[scan]\nfolder = \"{models}\"\n");
        std::fs::write(folder.join("job.toml"), job).expect("written");
    };
    // Its nodes are not said of files, which have their own.
    let layers = "\"builtin:layers\"\nnodes = { z = 105, x = 338 }";
    std::fs::create_dir(folder.join("models")).expect("a folder");
    let refused = |words: &[&str]| {
        let output = locate(folder, &["--gather", "out/gather.npy"]);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        for word in words {
            assert!(said(&output).contains(word), "{word}: {}", said(&output));
        }
    };
    let whole = "z=105,x=338";
    build(folder, "builtin:salt", whole, "models/salt.rsf");
    build(folder, "builtin:layers", whole, "models/layers.sgy");
    build(folder, "builtin:homogeneous", whole, "models/.hidden.sgy");
    std::fs::write(folder.join("models/notes.txt"), "none").expect("written");
    let tried = || {
        let report = located(folder, &["--gather", "out/gather.npy"]);
        let tried = report["tried"].as_array().expect("a scan").clone();
        let names: Vec<String> =
            tried.iter().filter_map(|tried| tried["model"].as_str().map(String::from)).collect();
        assert_eq!(report["model"], "models/salt.rsf");
        assert!(is_the_source(&report["found"][0]), "{:#}", report["found"]);
        names
    };
    scan(layers, "models");
    assert_eq!(tried(), ["builtin:layers", "models/layers.sgy", "models/salt.rsf"]);
    // The job's own once.
    scan("\"models/salt.rsf\"", "models");
    assert_eq!(tried(), ["models/salt.rsf", "models/layers.sgy"]);

    build(folder, "builtin:layers", "z=105,x=337", "models/narrow.rsf");
    refused(&[
        "models/narrow.rsf has the",
        "337 x 105",
        "models/salt.rsf has 338 x 105",
        "convert",
    ]);
    std::fs::write(folder.join("models/narrow.rsf"), "broken").expect("written");
    refused(&["models/narrow.rsf", "job.toml:24:10"]);
    scan(layers, "empty");
    refused(&["cannot read the folder empty", "job.toml:25:10"]);
    std::fs::create_dir(folder.join("empty")).expect("a folder");
    std::fs::write(folder.join("empty/notes.txt"), "none").expect("written");
    refused(&["0 of the 1 files of empty are models by their ending", ".npy"]);
}

#[test]
fn a_pulse_of_one_sign_is_located() {
    let job = r#"
[model]
velocity = "builtin:homogeneous"
nodes = { z = 61, x = 81 }
spacing = 20.0
[time]
duration = 0.9
[[source]]
at = { x = 900.0, z = 800.0 }
wavelet = { kind = "gaussian", peak_hz = 10.0 }
[receivers]
line = { from = { x = 0.0, z = 200.0 }, to = { x = 1600.0, z = 200.0 }, count = 41 }
[locate]
gather = "out/gather.sgy"
"#;
    let folder = with_job(job);
    done(folder.path(), &["shot", "job.toml", "--backend", "cpu", "--out", "out"]);
    for condition in ["amplitude", "energy"] {
        let report = located(folder.path(), &["--mask", "100", "--condition", condition]);
        let hz = report["frequency"].as_f64().expect("Hz");
        assert!((3.0..10.0).contains(&hz), "{hz}");
        let at = |axis: &str| report["found"][0]["at"][axis].as_f64().expect("metres");
        let off = (at("x") - 900.0).hypot(at("z") - 800.0);
        assert!(off < 40.0, "{condition}: {report:#}");
    }
}

#[test]
fn unusable_recordings_are_refused() {
    let folder = recorded();
    let refused = |more: &[&str], words: &[&str]| {
        let output = locate(folder.path(), more);
        assert_eq!(output.status.code(), Some(2), "{more:?}: {}", said(&output));
        for word in words {
            assert!(said(&output).contains(word), "{more:?}: {}", said(&output));
        }
    };
    refused(&[], &["no gather"]);
    refused(&["--gather", "none.npy"], &["none.npy"]);
    refused(&["--gather", "job.toml"], &[".npy, .npz, .h5, .sgy or .su"]);
    let whole: Array2<f32> = read_npy(folder.path().join("out/gather.npy")).expect("a gather");
    let write = |gather: &Array2<f32>| {
        write_npy(folder.path().join("g.npy"), gather).expect("written");
    };
    write(&whole.slice(ndarray::s![..337, ..]).to_owned());
    refused(&["--gather", "g.npy"], &["337 traces", "338 receivers"]);
    write(&Array2::zeros(whole.dim()));
    refused(&["--gather", "g.npy"], &["silent"]);
    let mut broken = whole.clone();
    broken[[3, 5]] = f32::NAN;
    write(&broken);
    refused(&["--gather", "g.npy"], &["trace 4", "sample 6"]);
    write(&whole);
    refused(&["--gather", "g.npy", "--groups", "999"], &["999 groups"]);
    refused(&["--gather", "g.npy", "--groups", "0"], &["0 groups"]);
    refused(&["--gather", "g.npy", "--sources", "0"], &["0 sources"]);
    refused(&["--gather", "g.npy", "--mask", "nan"], &["NaN m"]);
    refused(&["--gather", "g.npy", "--noise", "-1"], &["--noise: -1 is no ratio"]);
    refused(&["--gather", "g.npy", "--drop", "1"], &["--drop: 1 is no fraction"]);
    let twice = ["shot", "job.toml", "--model", "builtin:salt", "--model", "builtin:layers"];
    let output = exits(2, folder.path(), &twice);
    assert!(said(&output).contains("huygens locate"), "{}", said(&output));
}

#[test]
fn a_recording_in_kilometres_is_refused_unless_forced() {
    let folder = folder();
    let folder = folder.path();
    let job = JOB.replace("x = 13480.0", "x = 13.48");
    std::fs::write(folder.join("job.toml"), job).expect("written");
    let noise = |(trace, sample)| ((7 * trace + 3 * sample) % 11) as f32 - 5.0;
    write_npy(folder.join("g.npy"), &Array2::from_shape_fn((338, 50), noise)).expect("written");
    let locate = ["locate", "job.toml", "--backend", "cpu", "--gather", "g.npy", "--mask", "0"];
    let told = refused(folder, &locate);
    says(&told, &["within 13.48 m, less than a cell", "--force"]);
    let told = said(&huygens(folder, &[&locate[..], &["--force"]].concat()));
    says(&told, &["WARN", "within 13.48 m, less than a cell"]);
}
