//! Other programs that read and write SEG-Y, in a Python of their own.

use crate::run::{root, run};
use std::{env, path::PathBuf, process::Command};

/// Names the Python that has them to the tests.
pub const PYTHON: &str = "HUYGENS_PEERS";

/// What is installed: these versions, so that a test fails for what we did.
const PACKAGES: [&str; 2] = ["segyio==1.9.14", "obspy==1.5.1"];

/// The Python that has segyio and obspy: in `target/peers`, installed there on first use.
pub fn python() -> Result<PathBuf, String> {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    let folder = root().join(target).join("peers");
    let place = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
    let python = folder.join(place);
    let has = || {
        let tried = Command::new(&python).args(["-c", "import segyio, obspy"]).output();
        tried.is_ok_and(|output| output.status.success())
    };
    if !has() {
        let system = if cfg!(windows) { "python" } else { "python3" };
        run(Command::new(system).args(["-m", "venv"]).arg(&folder))?;
        run(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(PACKAGES))?;
    }
    Ok(python)
}
