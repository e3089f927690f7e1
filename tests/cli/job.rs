//! A job file to begin with, and the schema of job files.

use crate::run::{done, exits, folder, huygens, names, said, with_job};
use serde_json::Value;

fn printed(arguments: &[&str]) -> String {
    let output = done(folder().path(), arguments);
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_new_job_runs_as_it_is() {
    let folder = folder();
    let output = huygens(folder.path(), &["job", "new", "a/job.toml"]);
    assert!(output.status.success() && output.stdout.is_empty(), "{}", said(&output));
    assert!(said(&output).contains("huygens shot a/job.toml"), "{}", said(&output));
    let output = done(folder.path(), &["shot", "a/job.toml", "--backend", "cpu"]);
    assert!(!said(&output).contains("WARN"), "{}", said(&output));
    assert!(names(&folder.path().join("out")).contains(&"gather.npy".to_owned()));
}

#[test]
fn a_new_job_goes_to_standard_output_or_to_a_file_that_is_not_there() {
    let text = printed(&["job", "new"]);
    assert!(text.contains("[time]") && text.ends_with("\n"));
    assert_eq!(printed(&["job", "new", "-"]), text);
    assert!(printed(&["job", "new", "--3d"]).contains("builtin:salt3d"));
    assert!(printed(&["job", "new", "--template", "sep138"]).contains("SEP-138"));
    let by_author = printed(&["job", "new", "--template", "sadahiro-source-2"]);
    assert_eq!(printed(&["job", "new", "--template", "thesis"]), by_author);
    let folder = with_job("mine");
    let output = exits(2, folder.path(), &["job", "new", "job.toml"]);
    assert!(said(&output).contains("--force"), "{}", said(&output));
    let kept = std::fs::read_to_string(folder.path().join("job.toml")).expect("there");
    assert_eq!(kept, "mine");
    let output = huygens(folder.path(), &["job", "new", "job.toml", "--force", "-q"]);
    assert!(output.status.success() && output.stderr.is_empty());
    let written = std::fs::read_to_string(folder.path().join("job.toml")).expect("there");
    assert_eq!(written, text);
}

#[test]
fn the_schema_takes_the_jobs_that_ship_and_no_others() {
    let schema: Value = serde_json::from_str(&printed(&["job", "schema"])).expect("JSON");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    let told = |text: &str| -> Vec<String> {
        let job: Value = toml::from_str(text).expect("TOML");
        schema.iter_errors(&job).map(|error| error.to_string()).collect()
    };
    let jobs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/jobs");
    let mut seen = 0;
    for entry in jobs.read_dir().expect("the folder of jobs") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a job");
        assert_eq!(told(&text), [""; 0], "{}", path.display());
        seen += 1;
    }
    assert!(seen > 10);
    for template in [printed(&["job", "new"]), printed(&["job", "new", "--3d"])] {
        assert_eq!(told(&template), [""; 0]);
    }

    // The schema rejects whatever the program rejects when it reads a job.
    let right = crate::run::SMALL;
    assert_eq!(told(right), [""; 0]);
    let folder = folder();
    for (from, to) in [
        ("duration = 0.4", "durration = 0.4"),
        ("duration = 0.4", "duration = \"long\""),
        ("step = 0.002", "step = \"automatic\""),
        ("z = 60, x = 80", "z = -60, x = 80"),
        ("z = 20.0, x = 20.0", "z = 20.0"),
        ("kind = \"ricker\"", "kind = \"rickert\""),
        ("peak_hz = 10.0", "peak_hz = 10.0, length = 8.0"),
        ("x = 800.0, z = 200.0", "x = 800.0, depth = 200.0"),
        ("snapshots = [0.2]", "snapshots = 0.2"),
        ("line = {", "points = []\nline = {"),
    ] {
        let wrong = right.replacen(from, to, 1);
        assert_ne!(wrong, right, "{from}");
        assert!(!told(&wrong).is_empty(), "{to} is taken by the schema");
        std::fs::write(folder.path().join("job.toml"), &wrong).expect("written");
        let output = huygens(folder.path(), &["check", "job.toml", "--backend", "cpu"]);
        assert_eq!(output.status.code(), Some(2), "{to}");
    }
}
