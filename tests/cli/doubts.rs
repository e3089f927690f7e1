//! The doubts of `huygens locate` about its result, and its message if it found nothing.

use crate::run::{done, huygens, json, names, said, says, with_job};
use ndarray::Array2;
use ndarray_npy::{read_npy, write_npy};
use serde_json::Value;
use std::{fs, path::Path};

const JOB: &str = r#"
[model]
velocity = "builtin:layers"
nodes = { z = 60, x = 80 }
spacing = 20.0

[time]
duration = 1.2
step = 0.002

[boundary]
top = "zero"

[[source]]
at = { x = 800.0, z = 600.0 }
wavelet = { kind = "ricker", peak_hz = 10.0 }

[receivers]
line = { from = { x = 0.0, z = 40.0 }, to = { x = 1580.0, z = 40.0 }, count = 80 }
"#;

/// A folder with a job and, in out/, what it records.
fn recorded(job: &str) -> tempfile::TempDir {
    let folder = with_job(job);
    done(folder.path(), &["shot", "job.toml", "--backend", "cpu", "--out", "out"]);
    folder
}

fn locate(folder: &Path, more: &[&str]) -> (Option<i32>, String) {
    let gather = ["--gather", "out/gather.npy"];
    let arguments = ["locate", "job.toml", "--backend", "cpu", "--force", "--out", "back"];
    let output = huygens(folder, &[&arguments[..], &gather, more].concat());
    (output.status.code(), said(&output))
}

fn report(folder: &Path) -> Value {
    json(folder.join("back/focus.json"))
}

#[test]
fn nothing_found_is_a_failure_that_leaves_nothing() {
    let folder = recorded(JOB);
    let (code, said) = locate(folder.path(), &["--mask", "9000"]);
    assert_eq!(code, Some(2), "{said}");
    says(&said, &["every node", "9000 m", "--mask"]);
    assert!(!folder.path().join("back").exists());
    // Receivers on a free surface, whose traces are noise, are heard nowhere.
    let loud = recorded(&JOB.replace("top = \"zero\"", "top = \"absorb\""));
    let free = JOB.replace("top = \"zero\"", "top = \"free\"").replace("z = 40.0", "z = 0.0");
    fs::write(loud.path().join("job.toml"), free).expect("written");
    let (code, said) = locate(loud.path(), &[]);
    assert_eq!(code, Some(1), "{said}");
    says(&said, &["no source was found", "free surface"]);
    assert!(!loud.path().join("back").exists());
}

/// A source among the receivers is masked: what is named instead is doubted.
#[test]
fn a_field_stronger_at_the_mask_is_reported() {
    let folder = recorded(&JOB.replace("z = 600.0", "z = 60.0"));
    let (code, said) = locate(folder.path(), &["--mask", "200"]);
    assert_eq!(code, Some(0), "{said}");
    says(&said, &["edge of the mask", "200 m", "smaller --mask"]);
    let (code, said) = locate(folder.path(), &["--mask", "0"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(!said.contains("edge of the mask"), "{said}");
}

#[test]
fn a_scan_that_ends_too_soon_is_reported_and_no_other() {
    let folder = recorded(JOB);
    let scan = |from: f64, to: f64| {
        let scan = format!("{JOB}\n[scan]\nfactors = {{ from = {from}, to = {to}, count = 3 }}\n");
        fs::write(folder.path().join("job.toml"), scan).expect("written");
        let (code, said) = locate(folder.path(), &[]);
        assert_eq!(code, Some(0), "{said}");
        said
    };
    says(&scan(0.6, 0.8), &["end of the range", "builtin:layers x 0.8000", "widen"]);
    let said = scan(0.7, 1.3);
    assert!(!said.contains("end of the range"), "{said}");
    assert!(folder.path().join("back/scan.png").exists());
    // The picture of a scan does not stay beside a run without one.
    fs::write(folder.path().join("job.toml"), JOB).expect("written");
    let (code, said) = locate(folder.path(), &[]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(
        names(&folder.path().join("back")),
        ["events.csv", "focus.json", "focus.npy", "focus.png"]
    );
}

#[test]
fn the_report_says_how_the_recording_was_made_worse() {
    let folder = recorded(JOB);
    let (code, said) = locate(folder.path(), &[]);
    assert_eq!(code, Some(0), "{said}");
    let clean = report(folder.path());
    assert_eq!((&clean["receivers"], &clean["noise"]), (&80.into(), &Value::Null));
    let (code, said) = locate(folder.path(), &["--noise", "2", "--drop", "0.5"]);
    assert_eq!(code, Some(0), "{said}");
    let worse = report(folder.path());
    assert_eq!((worse["noise"].as_f64(), worse["dropped"].as_f64()), (Some(2.0), Some(0.5)));
    assert_eq!(worse["receivers"], 40);
}

#[test]
fn waves_too_short_for_the_grid_are_reported() {
    let folder = recorded(JOB);
    let scan = format!("{JOB}\n[scan]\nfactors = {{ from = 0.1, to = 1.0, count = 2 }}\n");
    fs::write(folder.path().join("job.toml"), scan).expect("written");
    let (code, said) = locate(folder.path(), &[]);
    assert_eq!(code, Some(0), "{said}");
    says(&said, &["points per wavelength"]);
    // Nor is what happens at the receivers taken for a focus.
    assert_eq!(report(folder.path())["model"], "builtin:layers x 1.0000");
}

/// The unit of a gather means nothing, down to where f32 has no digits left.
#[test]
fn a_gather_in_any_unit_is_located_alike() {
    let folder = recorded(JOB);
    let gather: Array2<f32> = read_npy(folder.path().join("out/gather.npy")).expect("a gather");
    let peak = gather.iter().fold(0f32, |peak, v| peak.max(v.abs()));
    let in_unit = |unit: f32| {
        let scaled = gather.mapv(|v| v / peak * unit);
        write_npy(folder.path().join("out/gather.npy"), &scaled).expect("written");
        locate(folder.path(), &[])
    };
    let found = || report(folder.path())["found"][0].clone();
    let (code, said) = in_unit(1.0);
    assert_eq!(code, Some(0), "{said}");
    let one = found();
    for unit in [1e-30, 1e30, 3e38, 1e-40] {
        let (code, said) = in_unit(unit);
        assert_eq!(code, Some(0), "{unit}: {said}");
        assert_eq!(said.contains("1.4e-45"), unit < 1e-38, "{unit}: {said}");
        let this = found();
        for axis in ["x", "z"] {
            let of = |found: &Value| found["at"][axis].as_f64().expect("metres");
            assert!((of(&this) - of(&one)).abs() < 0.1, "{unit}: {this:#} {one:#}");
        }
        assert_eq!(this["time"], one["time"], "{unit}");
        let told = report(folder.path())["recording"]["peak"].as_f64().expect("the peak");
        assert!((told / f64::from(unit) - 1.0).abs() < 1e-3, "{told}");
    }
    let (code, said) = in_unit(1e-43);
    assert_eq!(code, Some(2), "{said}");
    says(&said, &["1.4e-45", "71 values", "f64"]);
}

#[test]
fn a_receiver_outside_is_named_by_its_trace() {
    let folder = recorded(JOB);
    let longer = JOB.replace("to = { x = 1580.0", "to = { x = 1659.0");
    fs::write(folder.path().join("job.toml"), longer).expect("written");
    let (code, said) = locate(folder.path(), &["--groups", "4"]);
    assert_eq!(code, Some(2), "{said}");
    says(&said, &["trace 77 of the gather", "x 1596", "z 40"]);
    assert!(!said.contains("shot"), "{said}");
}

#[test]
fn a_mask_of_any_size_leaves_nothing() {
    let folder = recorded(JOB);
    for mask in ["1e150", "1e300"] {
        let (code, said) = locate(folder.path(), &["--mask", mask]);
        assert_eq!(code, Some(2), "{said}");
        says(&said, &["every node", &format!("{mask} m")]);
    }
}

/// One source was recorded, and two are asked for.
#[test]
fn a_false_second_source_is_doubted() {
    let folder = recorded(JOB);
    let (code, said) = locate(folder.path(), &["--sources", "2"]);
    assert_eq!(code, Some(0), "{said}");
    says(&said, &["source 2 may be spurious", "--sources"]);
    let (code, said) = locate(folder.path(), &[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(!said.contains("may be spurious"), "{said}");
    let found = &report(folder.path())["found"][0];
    let half = |axis: &str| found["extent"]["half"][axis].as_f64().expect("metres");
    assert!((50.0..150.0).contains(&half("x")) && (200.0..400.0).contains(&half("z")), "{found:#}");
}

/// Two sources closer to each other than the search distance: the second is reported, and found on
/// request.
#[test]
fn a_source_too_near_to_another_is_reported() {
    let two = "[[source]]\nat = { x = 1050.0, z = 600.0 }\nwavelet = { kind = \"ricker\", peak_hz = 10.0, delay = 0.4 }\n\n[receivers]";
    let job = JOB.replace("[receivers]", two);
    let folder = recorded(&job);
    let (code, said) = locate(folder.path(), &[]);
    assert_eq!(code, Some(0), "{said}");
    says(&said, &["beside source 1", "another", "apart"]);
    fs::write(folder.path().join("job.toml"), format!("{job}\n[locate]\napart = 200.0\n"))
        .expect("written");
    let (code, said) = locate(folder.path(), &["--sources", "2"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(!said.contains("beside") && !said.contains("may be spurious"), "{said}");
}
