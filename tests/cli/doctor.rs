//! `huygens doctor`: what is here, and a shot on each device.

use crate::run::{done, folder, names, printed, said, says};
use serde_json::Value;

fn devices(report: &Value) -> &[Value] {
    report["devices"].as_array().expect("a list")
}

#[test]
fn each_device_is_compared_with_the_oracle() {
    let folder = folder();
    let report = printed(&done(folder.path(), &["doctor", "--json"]));
    assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
    assert!(report["memory"].as_u64().expect("bytes") > 1 << 20, "{report}");
    let features = report["features"].as_array().expect("a list");
    assert!(features.contains(&"cli".into()), "{report}");

    let listed = printed(&done(folder.path(), &["devices", "--json"]));
    let listed = listed.as_array().expect("a list");
    assert_eq!(devices(&report).len(), listed.len());
    for (device, row) in devices(&report).iter().zip(listed) {
        for (key, value) in row.as_object().expect("a row") {
            assert_eq!(device[key], *value, "{key}");
        }
        let shot = &device["shot"];
        match shot["result"].as_str().expect("a word") {
            "oracle" => assert_eq!(device["backend"], "reference"),
            "agrees" => {
                // Rounding to 32 bits in 667 steps: neither nothing nor an error.
                let difference = shot["difference"].as_f64().expect("a number");
                assert!(1e-9 < difference && difference < 1e-5, "{device}");
            }
            other => assert!(other == "not-run" && device["lacks"] != Value::Array(vec![])),
        }
    }
    let has = |backend: &str| devices(&report).iter().any(|device| device["backend"] == backend);
    assert!(has("cpu") && has("reference"), "{report}");
    assert!(names(folder.path()).is_empty(), "it writes nothing here");
}

#[test]
#[cfg(target_os = "linux")]
fn without_a_gpu_it_says_what_to_do_and_succeeds() {
    use crate::run::huygens_without_vulkan;

    let folder = folder();
    let output = huygens_without_vulkan(folder.path(), &["doctor"]);
    assert!(output.status.success(), "{}", said(&output));
    let text = String::from_utf8(output.stdout).expect("text");
    let parts = ["agrees with the reference engine", "VK_DRIVER_FILES names no driver", "* -  cpu"];
    says(&text, &parts);
}

/// A device that does not open is named, with exit code 1.
#[test]
#[cfg(feature = "faults")]
fn a_device_that_fails_is_named() {
    use crate::{common::engines, run::command};

    if engines::adapters().is_empty() {
        return;
    }
    let folder = folder();
    let mut doctor = command(folder.path(), &["doctor"]);
    let output = doctor.env("HUYGENS_FAULT", "adapter:1+").output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    says(&text, &["FAILED: ", "update its driver", "agrees with the reference engine"]);
    says(&said(&output), &["devices cannot be used", "--backend"]);
}
