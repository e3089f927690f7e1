//! The manual as a book, target/book, by the workspace beside this one that knows mdBook.

use crate::{
    run::{Outcome, cargo, root, run},
    web::PAGE,
};
use std::{fs, path::Path};

const MANIFEST: [&str; 5] =
    ["--locked", "--manifest-path", "xtask/book/Cargo.toml", "--target-dir", "target/book-tool"];

/// Builds the book; fails where a link leads nowhere, a formula is none, or a page is not in
/// docs/SUMMARY.md.
pub fn docs() -> Outcome {
    run(cargo(&["run"]).args(MANIFEST).args(["--", "docs"]))?;
    carry(&root().join(PAGE), &root().join("target/book/wave"))
}

/// Takes the page of the browser into the book, in place of one that says that it is missing.
fn carry(page: &Path, to: &Path) -> Outcome {
    let Ok(files) = fs::read_dir(page) else {
        println!(
            "The manual is without the page of the browser: `cargo xtask web` builds it first."
        );
        return Ok(());
    };
    for file in files.flatten() {
        let to = to.join(file.file_name());
        fs::copy(file.path(), &to)
            .map_err(|error| format!("cannot write {}: {error}", to.display()))?;
    }
    Ok(())
}

/// Builds the manual, with the tests of its builder.
pub fn tested() -> Outcome {
    run(&mut cargo(&["fmt", "--check", "--manifest-path", "xtask/book/Cargo.toml"]))?;
    run(cargo(&["test"]).args(MANIFEST))?;
    docs()
}
