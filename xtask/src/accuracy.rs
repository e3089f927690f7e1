//! The accuracy of the engines as docs/accuracy.md has it: runs the tests that print figures, and puts their tables
//! between the page's marks.

use crate::{
    peers,
    run::{Outcome, cargo, root, shown},
    tables::Tables,
};
use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::Stdio,
    time::Instant,
};

const PAGE: &str = "docs/accuracy.md";
const DRAWN: &str = "target/figures/accuracy";
const KEPT: &str = "docs/images/accuracy";
const PICTURES: [&str; 2] = ["absorption.png", "absorption-frequency.png"];

/// The tests whose figures the page has, by parts of their names.
const TESTS: [&str; 20] = [
    "homogeneous",
    "dipole::",
    "half_space",
    "volume::errors",
    "volume::mistakes",
    "scatterer",
    "convergence",
    "time_dispersion::next_to",
    "free_surface::the_field",
    "real_salt",
    "held_out",
    "rounding::short_steps",
    "rounding::nothing_drifts",
    "adjoint",
    "reciprocity",
    "exploding_reflector",
    "stability::nothing_grows",
    "reflection",
    "every_order_on_an_odd_size",
    "every_kernel_on_every_boundary",
];

/// Measures, and writes the page and its pictures.
pub fn accuracy() -> Outcome {
    let start = Instant::now();
    let root = root();
    let tables = Tables::from_lines(&measured(&root)?);
    let page = fs::read_to_string(root.join(PAGE)).map_err(|error| format!("{PAGE}: {error}"))?;
    let (page, kept) = tables.put_into(&page)?;
    for table in kept {
        println!("NOT MEASURED, left as it was: the table {table:?} of {PAGE}");
    }
    fs::write(root.join(PAGE), page).map_err(|error| format!("{PAGE}: {error}"))?;
    println!("{PAGE}");
    let folder = root.join(KEPT);
    fs::create_dir_all(&folder).map_err(|error| format!("no folder {KEPT}: {error}"))?;
    for picture in PICTURES {
        fs::copy(root.join(DRAWN).join(picture), folder.join(picture))
            .map_err(|error| format!("{DRAWN}/{picture} is not copied to {KEPT}: {error}"))?;
        println!("{KEPT}/{picture}");
    }
    println!("{:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// What the tests print. One test at a time, so that the lines always come in the same order.
fn measured(root: &Path) -> Result<Vec<String>, String> {
    let mut tests = cargo(&["test", "--test", "analytic", "--test", "physics"]);
    tests.args(["--test", "agreement", "--"]);
    tests.args(["--nocapture", "--include-ignored", "--test-threads=1"]).args(TESTS);
    tests.env("HUYGENS_FIGURES", root.join(DRAWN)).stdout(Stdio::piped());
    if let Some(python) = peers::installed() {
        tests.env(peers::PYTHON, python);
    }
    let line = shown(&tests);
    println!("$ {line}");
    let mut child = tests.spawn().map_err(|error| format!("`{line}`: {error}"))?;
    let out = child.stdout.take().expect("stdout is piped");
    let mut lines = Vec::new();
    for line in BufReader::new(out).lines() {
        let line = line.map_err(|error| format!("the tests' output cannot be read: {error}"))?;
        println!("{line}");
        lines.push(line);
    }
    match child.wait() {
        Ok(status) if status.success() => Ok(lines),
        Ok(status) => Err(format!("`{line}` failed ({status})")),
        Err(error) => Err(format!("`{line}`: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mark that is misspelt would leave its table as it is for ever.
    #[test]
    fn the_page_has_a_mark_for_every_table_of_the_tests() {
        let page = fs::read_to_string(root().join(PAGE)).expect("the page");
        for table in [
            "homogeneous",
            "surface",
            "volume",
            "scatterer",
            "convergence",
            "salt",
            "held-out",
            "held-out models",
            "held-out mistakes",
            "absorption",
            "absorption by width",
            "absorption by contrast",
            "absorption by frequency",
            "absorption by target",
            "symmetry",
            "exploding",
            "agreement",
            "stability",
            "time",
            "positions",
            "dipoles",
            "mistakes",
            "engines",
        ] {
            assert!(page.contains(&format!("<!-- table: {table} -->\n")), "{table}");
        }
    }
}
