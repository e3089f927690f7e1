//! Which kernel a run takes, and what is remembered of it.

use crate::{
    common::engines,
    run::{SMALL, folder, huygens_with_cache, json, printed, said},
};
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    process::Output,
};

/// A folder with the small job, where a GPU is; `None`, said aloud, where there is none.
fn with_job() -> Option<tempfile::TempDir> {
    if engines::opened(false).is_empty() {
        return None;
    }
    let folder = folder();
    std::fs::write(folder.path().join("job.toml"), SMALL).expect("written");
    Some(folder)
}

/// `huygens ARGUMENTS` with a cache in the folder itself.
fn huygens(folder: &Path, arguments: &[&str]) -> Output {
    huygens_with_cache(folder, arguments, &folder.join(".cache"))
}

fn cache(folder: &Path) -> PathBuf {
    folder.join(".cache/huygens/kernels.json")
}

/// The kernel of `huygens shot job.toml ARGUMENTS`, and what was said.
fn kernel(folder: &Path, arguments: &[&str]) -> (String, String) {
    let shot = ["shot", "job.toml", "--backend", "vulkan", "--force"];
    let output = huygens(folder, &[&shot, arguments].concat());
    assert!(output.status.success(), "{}", said(&output));
    let record = json(folder.join("out/run.json"));
    (record["engine"]["kernel"].as_str().expect("a name").to_owned(), said(&output))
}

/// The file that remembers a kernel for the first class that was measured.
fn remembered(record: &Value, kernel: &str) -> String {
    let device = &record["device"];
    let choice = json!({
        "device": device["device"],
        "driver": device["driver"],
        "backend": device["backend"],
        "variant": "",
        "shaders": huygens::engine::gpu::digest(),
        "class": record["results"][0]["class"],
        "kernel": kernel,
        "gpts": 1.0,
    });
    let file = json!({ "format": "huygens kernels 3", "kernels": [choice] });
    serde_json::to_string_pretty(&file).expect("JSON")
}

#[test]
fn the_fastest_is_remembered_and_taken() {
    let Some(folder) = with_job() else { return };
    let folder = folder.path();
    let tune = ["tune", "job.toml", "--backend", "vulkan", "--seconds", "0.2", "--json"];
    let output = huygens(folder, &tune);
    assert!(output.status.success(), "{}", said(&output));
    let record = printed(&output);
    let timings = record["results"][0]["timings"].as_array().expect("timings");
    let seconds = |timing: &Value| timing["seconds"].as_f64().expect("seconds");
    assert!(!timings.is_empty() && seconds(&timings[0]) > 0.0);
    // Behind the one that is chosen, which may tie with the fastest.
    assert!(timings[1..].is_sorted_by_key(seconds), "{timings:?}");
    assert!(seconds(&timings[0]) <= 1.02 * seconds(&timings[1]), "{timings:?}");
    assert!(timings.iter().all(|timing| timing["spread"].as_f64().is_some_and(|s| s >= 0.0)));
    let fastest = timings[0]["kernel"].as_str().expect("a name");
    let text = std::fs::read_to_string(cache(folder)).expect("remembered");
    assert!(text.contains(fastest), "{text}");
    assert_eq!(kernel(folder, &[]).0, fastest);

    // The remembered kernel is used.
    let text = remembered(&record, fastest);
    let other = if fastest == "plane-64x4" { "plane-32x8" } else { "plane-64x4" };
    std::fs::write(cache(folder), text.replace(fastest, other)).expect("written");
    assert_eq!(kernel(folder, &[]).0, other);
    // Another class of simulation is not answered by it.
    let wider = text.replace(fastest, other).replace("\"radius\": 4", "\"radius\": 5");
    std::fs::write(cache(folder), wider).expect("written");
    assert_eq!(kernel(folder, &[]).0, "plane-16x8");
    // Nor is a kernel taken that there is not, or that steps volumes.
    for foreign in ["warp-drive", "march-16x16"] {
        std::fs::write(cache(folder), text.replace(fastest, foreign)).expect("written");
        assert_eq!(kernel(folder, &[]).0, "plane-16x8");
    }
}

/// A later measurement of another class leaves the earlier one.
#[test]
fn each_measurement_is_remembered() {
    let Some(folder) = with_job() else { return };
    let folder = folder.path();
    std::fs::write(
        folder.join("wide.toml"),
        format!("{SMALL}[operator]\nkind = \"taylor\"\norder = 4\n"),
    )
    .expect("written");
    for (job, count) in [("job.toml", 1), ("wide.toml", 2), ("job.toml", 2)] {
        // However short: what is measured in so few rounds is noise.
        let tune = ["tune", job, "--backend", "vulkan", "--seconds", "0.01", "--json"];
        let output = huygens(folder, &tune);
        assert!(output.status.success(), "{}", said(&output));
        let known = json(cache(folder));
        let kernels = known["kernels"].as_array().expect("a list");
        assert_eq!(kernels.len(), count, "{job}");
        let record = printed(&output);
        let fastest = &record["results"][0]["timings"][0]["kernel"];
        let class = &record["results"][0]["class"];
        let found = kernels.iter().find(|known| known["class"] == *class).expect("its class");
        assert_eq!(found["kernel"], *fastest);
    }
}

#[test]
fn a_broken_or_foreign_file_is_ignored_with_a_word() {
    let Some(folder) = with_job() else { return };
    let folder = folder.path();
    std::fs::create_dir_all(folder.join(".cache/huygens")).expect("a folder");
    for text in [
        "",
        "{\"format\": \"huygens kernels 3\", \"kernels\": [{}]}",
        "\0\0\0",
        "{\"format\": \"x\", \"kernels\": []}",
    ] {
        std::fs::write(cache(folder), text).expect("written");
        let (kernel, said) = kernel(folder, &[]);
        assert_eq!(kernel, "plane-16x8");
        assert!(said.contains("kernels.json is ignored"), "{said}");
    }
}

#[test]
fn a_kernel_is_taken_by_name() {
    let Some(folder) = with_job() else { return };
    let folder = folder.path();
    assert_eq!(kernel(folder, &["--kernel", "plane-32x8"]).0, "plane-32x8");
    for (arguments, words) in [
        (["--backend", "vulkan", "--kernel", "plane-17x8"], "there are: plane-16x8"),
        (
            ["--backend", "vulkan", "--kernel", "march-16x16"],
            "cannot run this model on this device; these can: ",
        ),
        (["--backend", "cpu", "--kernel", "plane-16x8"], "leave --kernel out with a CPU engine"),
    ] {
        let output = huygens(folder, &[&["shot", "job.toml", "--force"], &arguments[..]].concat());
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains(words), "{}", said(&output));
    }
    let output = huygens(folder, &["tune", "--backend", "cpu"]);
    assert_eq!(output.status.code(), Some(2));
    let output = huygens(folder, &["tune", "--seconds", "0"]);
    assert_eq!(output.status.code(), Some(2));
}
