//! The page that computes in a browser: target/web, a folder that any web server serves.

mod browser;
mod server;
mod test;

pub use test::{keep, test};

use crate::run::{Outcome, cargo, root, run};
use flate2::{Compression, write::GzEncoder};
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::Command,
};

const BROWSER: &str = "wasm32-unknown-unknown";
/// The folder of the page.
pub const PAGE: &str = "target/web";
/// The most bytes of the page, each file compressed by itself as servers send it.
const MOST: usize = 2 << 20;
/// The folder of the files that are served as they are, and what their names end in.
const SOURCE: &str = "web";
const ENDINGS: [&str; 3] = ["html", "css", "js"];
/// The wave of a browser without WebGPU.
const MOVIE: &str = "docs/images/manual/browser-movie.gif";

/// Builds the page as it ships.
pub fn web() -> Outcome {
    built().map(drop)
}

/// Builds the page and weighs it; its folder.
fn built() -> Result<PathBuf, String> {
    run(Command::new("rustup").args(["target", "add", BROWSER])).map_err(|why| {
        format!("{why}; the standard library of {BROWSER} is needed to build the page")
    })?;
    let what = ["build", "--package", "huygens-web", "--profile", "page", "--target", BROWSER];
    run(cargo(&what).args(["--target-dir", "target"]))?;
    let folder = root().join(PAGE);
    let cannot = |what: &Path, error: &dyn std::fmt::Display| {
        format!("cannot write {}: {error}", what.display())
    };
    // What an earlier build left would be served too.
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| cannot(&folder, &error))?;
    }
    fs::create_dir_all(&folder).map_err(|error| cannot(&folder, &error))?;
    let module = format!("target/{BROWSER}/page/huygens_web.wasm");
    let tool = [
        "--locked",
        "--manifest-path",
        "xtask/bindgen/Cargo.toml",
        "--target-dir",
        "target/bindgen-tool",
    ];
    run(cargo(&["run"]).args(tool).args(["--", &module, PAGE]))?;
    let source = root().join(SOURCE);
    let files = fs::read_dir(&source).map_err(|error| cannot(&source, &error))?;
    let ends = |path: &PathBuf| {
        ENDINGS.iter().any(|ending| path.extension().is_some_and(|end| end == *ending))
    };
    let served = files.flatten().map(|file| file.path()).filter(ends);
    for from in served.chain([root().join(MOVIE)]) {
        let to = folder.join(from.file_name().unwrap_or_default());
        fs::copy(&from, &to).map_err(|error| cannot(&to, &error))?;
    }
    weighed(&folder)?;
    Ok(folder)
}

/// Tells the size of each file, and fails where the page is too large.
fn weighed(folder: &Path) -> Outcome {
    let cannot = |error: std::io::Error| format!("cannot read {}: {error}", folder.display());
    let mut all = 0;
    for file in fs::read_dir(folder).map_err(cannot)? {
        let path = file.map_err(cannot)?.path();
        let bytes = fs::read(&path).map_err(cannot)?;
        let size = compressed(&bytes).map_err(cannot)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        println!("{name:<24} {:>9} bytes, compressed {size:>9}", bytes.len());
        all += size;
    }
    println!("{:<24} {:>34}", "the page", all);
    match all > MOST {
        true => Err(format!("the page takes {all} bytes compressed, and may take {MOST}")),
        false => Ok(()),
    }
}

/// Bytes of a file as a server sends it.
fn compressed(bytes: &[u8]) -> std::io::Result<usize> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(bytes)?;
    Ok(packed.finish()?.len())
}
