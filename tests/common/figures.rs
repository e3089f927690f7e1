//! Figures as `cargo xtask figures accuracy` reads them, a line each, for the tables of
//! docs/accuracy.md.
//!
//! To add a figure of accuracy: `figure` or `cell` in the test that reaches it, and a part of the
//! test's name in `TESTS` (`xtask/src/accuracy.rs`). A new table is a mark `<!-- table: NAME -->`
//! in a page of `PAGES` there.

use huygens::engine::Engine;

/// A measured figure: the table that it belongs to, the case (a line of the table), the engine (a
/// column), what was reached, the bar, and what an independent code reaches; "" where there is
/// none.
pub fn figure(
    table: &str,
    case: &str,
    engine: &dyn Engine,
    value: &str,
    bar: &str,
    independent: &str,
) {
    let engine = engine.describe();
    println!("ran on | {} | {}", engine.backend, engine.device);
    println!("figure | {table} | {case} | {} | {value} | {bar} | {independent}", engine.backend);
}

/// A value of a table of any lines and columns.
pub fn cell(table: &str, line: &str, column: &str, value: &str) {
    println!("cell | {table} | {line} | {column} | {value}");
}

/// Prints the error of a deliberate mistake, and the bar that it must exceed.
pub fn mistake(test: &str, mistake: &str, error: f64, bar: f64) {
    cell("mistakes", test, mistake, &format!("{} ({:.2} %)", percent(error), 100.0 * bar));
}

/// An error of rounding, to one figure.
pub fn tiny(error: f64) -> String {
    if error == 0.0 { "0".into() } else { format!("{error:.0e}") }
}

/// A share as per cent, to three figures.
pub fn percent(share: f64) -> String {
    let decimals = (1.0 - (100.0 * share).abs().log10().floor()).clamp(0.0, 4.0) as usize + 1;
    let decimals = if share >= 1.0 { 0 } else { decimals };
    format!("{:.decimals$} %", 100.0 * share)
}
