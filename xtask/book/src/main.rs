//! Builds the manual: `book docs` reads docs/book.toml and docs/SUMMARY.md and writes target/book.
//!
//! mdBook does the work. Beside it stand formulas as MathML (`formula`), links into the source tree, which the book
//! does not hold (`page`), and what mdBook does not look at: pages that SUMMARY.md forgets, and links that lead
//! nowhere (`links`).

mod formula;
mod links;
mod page;
mod pages;

use mdbook_driver::MDBook;
use std::{env, path::Path, process::ExitCode};

fn main() -> ExitCode {
    let Some(docs) = env::args_os().nth(1) else {
        eprintln!("error: the folder of the pages is not named: book docs");
        return ExitCode::from(2);
    };
    match build(Path::new(&docs)) {
        Ok(built) => {
            println!("{built}");
            ExitCode::SUCCESS
        }
        Err(wrong) => {
            eprintln!("error: {wrong}");
            ExitCode::FAILURE
        }
    }
}

/// The book as HTML, or everything that is wrong with it.
fn build(docs: &Path) -> Result<String, String> {
    let told = |error: mdbook_driver::errors::Error| format!("{error:#}");
    let mut book = MDBook::load(docs).map_err(told)?;
    let listed = pages::listed(&book);
    let forgotten = pages::forgotten(docs, &listed)?;
    book.with_preprocessor(page::Pages { docs: docs.into() });
    book.build().map_err(told)?;
    let out = book.build_dir_for("html");
    let mut wrong = forgotten;
    wrong.extend(links::broken(&out)?);
    if wrong.is_empty() {
        Ok(format!("{} pages in {}", listed.len(), out.join("index.html").display()))
    } else {
        Err(wrong.join("\n       "))
    }
}
