//! Agreement with the oracle on other drivers than the usual one, for what one takes another may not: the same adapter with no more
//! than WebGPU promises, OpenGL, and SwiftShader. What is not there is named.

use crate::{
    run::{Outcome, cargo, root, run},
    test::{REQUIRE, devices},
};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Of the agreement tests those that meet every kind of kernel in the shortest time: `cargo xtask test` of all of them is for the
/// usual driver.
const TESTS: [&str; 4] = ["oracle::", "scan::", "sources::", "taps::"];

/// What the tests of the drivers look at (`tests/common/engines.rs`).
const ADAPTER: &str = "HUYGENS_ADAPTER";
const WITHIN_WEBGPU: &str = "HUYGENS_WITHIN_WEBGPU";
/// The manifest of SwiftShader's driver, where it is not in a usual place.
const SWIFTSHADER: &str = "HUYGENS_SWIFTSHADER";

/// Runs them on each.
pub fn test(install: bool) -> Outcome {
    on("what WebGPU promises of any adapter", &[(WITHIN_WEBGPU, Path::new("1"))])?;
    match gl()? {
        true => on("OpenGL", &[(ADAPTER, Path::new("gl:"))])?,
        false => {
            println!("\nAGREEMENT NOT RUN on OpenGL: no adapter of it can run the engine here")
        }
    }
    match swiftshader(install) {
        Ok(manifest) => {
            let named = (ADAPTER, Path::new("vulkan:swiftshader"));
            on("SwiftShader", &[("VK_DRIVER_FILES", &manifest), named])
        }
        Err(why) => {
            println!("\nAGREEMENT NOT RUN on SwiftShader: {why}");
            Ok(())
        }
    }
}

fn on(name: &str, variables: &[(&str, &Path)]) -> Outcome {
    println!("\n--- agreement on {name}");
    let mut tests = cargo(&["test", "--test", "agreement", "--"]);
    tests.args(TESTS).env(REQUIRE, "1").env_remove(ADAPTER).env_remove(WITHIN_WEBGPU);
    run(tests.envs(variables.iter().copied())).map_err(|why| format!("on {name}: {why}"))
}

/// Whether the program sees an adapter of OpenGL that can run the engine.
fn gl() -> Result<bool, String> {
    let asked = devices().arg("--gl").output();
    let asked =
        asked.map_err(|error| format!("cannot ask the program for its devices: {error}"))?;
    if !asked.status.success() {
        let said = String::from_utf8_lossy(&asked.stderr);
        return Err(format!("cannot ask the program for its devices: {said}"));
    }
    let rows: serde_json::Value = serde_json::from_slice(&asked.stdout)
        .map_err(|error| format!("the program's devices are no JSON: {error}"))?;
    let able = |row: &serde_json::Value| {
        row["backend"] == "gl" && row["lacks"].as_array().is_some_and(Vec::is_empty)
    };
    Ok(rows.as_array().is_some_and(|rows| rows.iter().any(able)))
}

/// The manifest of SwiftShader's driver: Chromium brings it.
fn swiftshader(install: bool) -> Result<PathBuf, String> {
    let name = "vk_swiftshader_icd.json";
    let own = root().join("target/swiftshader");
    let unpacked = own.join("usr/lib/chromium").join(name);
    let usual = [Path::new("/usr/lib/chromium").join(name), unpacked.clone()];
    let named = env::var_os(SWIFTSHADER).map(PathBuf::from);
    if let Some(found) = named.into_iter().chain(usual).find(|path| path.is_file()) {
        return Ok(found);
    }
    let place = format!("name its {name} in {SWIFTSHADER}");
    if !install {
        return Err(format!("it is not here; {place}"));
    }
    println!("\nSwiftShader is taken from Debian's package of Chromium, into {}", own.display());
    fs::create_dir_all(&own).map_err(|error| format!("{}: {error}", own.display()))?;
    // Unpacked, not installed.
    let unpack = "apt-get download chromium-common && dpkg-deb -x chromium-common_*.deb .";
    run(Command::new("sh").args(["-c", unpack]).current_dir(&own))
        .map_err(|why| format!("{why}; {place}"))?;
    unpacked.is_file().then_some(unpacked).ok_or(format!("the package has no {name}; {place}"))
}
