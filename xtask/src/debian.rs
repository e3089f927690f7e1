//! Programs and drivers out of Debian's packages, unpacked into a folder of `target/` and not
//! installed.

use crate::run::{root, run};
use std::{fs, path::PathBuf, process::Command};

/// The folder that packages are unpacked in, once it holds all of `wanted`.
pub fn unpacked(
    packages: &[&str],
    folder: &str,
    wanted: &[&str],
    install: bool,
) -> Result<PathBuf, String> {
    let own = root().join("target").join(folder);
    let missing = || wanted.iter().find(|file| !own.join(file).is_file());
    if missing().is_none() {
        return Ok(own);
    }
    if !install {
        return Err(format!("it is not in {}", own.display()));
    }
    let packages = packages.join(" ");
    println!("\nDebian's {packages} is unpacked into {}", own.display());
    fs::create_dir_all(&own).map_err(|error| format!("{}: {error}", own.display()))?;
    let unpack = format!(
        "apt-get download {packages} && for each in *.deb; do dpkg-deb -x \"$each\" . || exit 1; done"
    );
    run(Command::new("sh").args(["-c", &unpack]).current_dir(&own))?;
    missing().map_or(Ok(own), |file| Err(format!("{packages} has no {file}")))
}
