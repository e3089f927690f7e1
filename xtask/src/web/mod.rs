//! The page that computes in a browser: target/web, a folder that any web server serves.

mod server;
mod test;

pub use test::test;

use crate::run::{Outcome, cargo, root, run};
use flate2::{Compression, write::GzEncoder};
use std::{fs, io::Write, path::Path, process::Command};

const BROWSER: &str = "wasm32-unknown-unknown";
/// The folder of the page.
pub const PAGE: &str = "target/web";
/// The most bytes of the page, each file compressed by itself as servers send it.
const MOST: usize = 2 << 20;
/// The files of the page that are served as they are, with where they are kept.
const FILES: [(&str, &str); 4] = [
    ("web/index.html", "index.html"),
    ("web/style.css", "style.css"),
    ("web/page.js", "page.js"),
    ("docs/images/manual/movie.gif", "movie.gif"),
];

/// Builds the page.
pub fn web() -> Outcome {
    run(Command::new("rustup").args(["target", "add", BROWSER])).map_err(|why| {
        format!("{why}; the standard library of {BROWSER} is needed to build the page")
    })?;
    let what = ["build", "--package", "huygens-web", "--profile", "web", "--target", BROWSER];
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
    let module = format!("target/{BROWSER}/web/huygens_web.wasm");
    let tool = [
        "--locked",
        "--manifest-path",
        "xtask/bindgen/Cargo.toml",
        "--target-dir",
        "target/bindgen-tool",
    ];
    run(cargo(&["run"]).args(tool).args(["--", &module, PAGE]))?;
    for (from, to) in FILES {
        let to = folder.join(to);
        fs::copy(root().join(from), &to).map_err(|error| cannot(&to, &error))?;
    }
    weighed(&folder)
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
