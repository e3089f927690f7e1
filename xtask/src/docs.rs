//! The manual as a book, target/book, by the workspace beside this one that knows mdBook.

use crate::run::{Outcome, cargo, run};

const MANIFEST: [&str; 5] =
    ["--locked", "--manifest-path", "xtask/book/Cargo.toml", "--target-dir", "target/book-tool"];

/// Builds the book; fails where a link leads nowhere, a formula is none, or a page is not in
/// docs/SUMMARY.md.
pub fn docs() -> Outcome {
    run(cargo(&["run"]).args(MANIFEST).args(["--", "docs"]))
}

/// Builds the manual, with the tests of its builder.
pub fn tested() -> Outcome {
    run(&mut cargo(&["fmt", "--check", "--manifest-path", "xtask/book/Cargo.toml"]))?;
    run(cargo(&["test"]).args(MANIFEST))?;
    docs()
}
