//! What `huygens locate` says where what it found is in doubt, and where it found nothing.

use crate::run::{folder, huygens, names, said, says};
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
    let folder = folder();
    fs::write(folder.path().join("job.toml"), job).expect("written");
    let output = huygens(folder.path(), &["shot", "job.toml", "--backend", "cpu", "--out", "out"]);
    assert!(output.status.success(), "{}", said(&output));
    folder
}

fn locate(folder: &Path, more: &[&str]) -> (Option<i32>, String) {
    let gather = ["--gather", "out/gather.npy"];
    let arguments = ["locate", "job.toml", "--backend", "cpu", "--force", "--out", "back"];
    let output = huygens(folder, &[&arguments[..], &gather, more].concat());
    (output.status.code(), said(&output))
}

fn report(folder: &Path) -> Value {
    let text = fs::read(folder.join("back/focus.json")).expect("a report");
    serde_json::from_slice(&text).expect("JSON")
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
fn a_field_that_is_stronger_at_the_mask_is_told() {
    let folder = recorded(&JOB.replace("z = 600.0", "z = 60.0"));
    let (code, said) = locate(folder.path(), &["--mask", "200"]);
    assert_eq!(code, Some(0), "{said}");
    says(&said, &["edge of the mask", "200 m", "smaller --mask"]);
    let (code, said) = locate(folder.path(), &["--mask", "0"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(!said.contains("edge of the mask"), "{said}");
}

#[test]
fn a_scan_that_ends_too_soon_is_told_and_one_that_does_not_is_not() {
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
    assert_eq!(names(&folder.path().join("back")), ["focus.json", "focus.npy", "focus.png"]);
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
fn waves_that_the_grid_does_not_carry_are_told() {
    let folder = recorded(JOB);
    let scan = format!("{JOB}\n[scan]\nfactors = {{ from = 0.1, to = 1.0, count = 2 }}\n");
    fs::write(folder.path().join("job.toml"), scan).expect("written");
    let (code, said) = locate(folder.path(), &[]);
    assert_eq!(code, Some(0), "{said}");
    says(&said, &["points per wavelength"]);
    // Nor is what happens at the receivers taken for a focus.
    assert_eq!(report(folder.path())["model"], "builtin:layers x 1.0000");
}
