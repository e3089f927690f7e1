//! Agreement with the oracle on other drivers than the usual one, which may accept what others
//! reject: the same adapter restricted to WebGPU's guarantees, OpenGL, and SwiftShader. Missing
//! ones are named.

use crate::{
    debian, mpi,
    run::{Outcome, cargo, run},
    test::{FULL, REQUIRE, devices},
};
use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

/// The variable that selects a driver in the tests (`tests/common/engines.rs`).
const ADAPTER: &str = "HUYGENS_ADAPTER";
const WITHIN_WEBGPU: &str = "HUYGENS_WITHIN_WEBGPU";
/// The manifest of SwiftShader's driver, where it is not in a usual place.
const SWIFTSHADER: &str = "HUYGENS_SWIFTSHADER";

const OPENGL: &str = "OpenGL";

/// A driver, or a part of one.
pub struct Driver {
    pub name: &'static str,
    variables: Vec<(&'static str, PathBuf)>,
}

impl Driver {
    /// Makes tests run on it alone, with all their cases.
    pub fn of<'c>(&self, tests: &'c mut Command) -> &'c mut Command {
        tests.env(REQUIRE, "1").env(FULL, "1").env_remove(ADAPTER).env_remove(WITHIN_WEBGPU);
        tests.envs(self.variables.iter().cloned())
    }
}

/// The installed drivers; missing ones are named.
pub fn all(install: bool) -> Result<Vec<Driver>, String> {
    let mut drivers =
        vec![Driver { name: "within WebGPU", variables: vec![(WITHIN_WEBGPU, "1".into())] }];
    let not_run = |name, why| println!("\nNOT RUN on {name}: {why}");
    if gl()? {
        drivers.push(Driver { name: OPENGL, variables: vec![(ADAPTER, "gl:".into())] });
    } else {
        not_run(OPENGL, "no adapter of it can run the engine here".into());
    }
    match swiftshader(install) {
        Ok(manifest) => {
            let variables =
                vec![("VK_DRIVER_FILES", manifest), (ADAPTER, "vulkan:swiftshader".into())];
            drivers.push(Driver { name: "SwiftShader", variables });
        }
        Err(why) => not_run("SwiftShader", why),
    }
    Ok(drivers)
}

/// Runs them on each.
pub fn test(install: bool) -> Outcome {
    for driver in all(install)? {
        println!("\n--- agreement on {}", driver.name);
        let mut tests = cargo(&["test"]);
        tests.args(mpi::all()).args(["--test", "agreement", "--"]);
        // Of two threads that use OpenGL, one may wait for the other longer than wgpu's timeout.
        let threads: &[_] = if driver.name == OPENGL { &["--test-threads=1"] } else { &[] };
        run(driver.of(tests.args(threads))).map_err(|why| format!("on {}: {why}", driver.name))?;
    }
    Ok(())
}

/// True if the program finds an OpenGL adapter that can run the engine.
fn gl() -> Result<bool, String> {
    let asked = devices(&["--gl"])?;
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
    let usual = Path::new("/usr/lib/chromium").join(name);
    let named = env::var_os(SWIFTSHADER).map(PathBuf::from);
    if let Some(found) = named.into_iter().chain([usual]).find(|path| path.is_file()) {
        return Ok(found);
    }
    let file = format!("usr/lib/chromium/{name}");
    let folder = debian::unpacked(&["chromium-common"], "swiftshader", &[&file], install);
    folder
        .map(|folder| folder.join(file))
        .map_err(|why| format!("{why}; name its {name} in {SWIFTSHADER}"))
}
