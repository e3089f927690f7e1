//! The accuracy of the engines as docs/accuracy.md has it, and which model a scan names: runs the
//! tests that print figures, and puts their tables between the marks of the pages.

use crate::{
    drivers::{self, Driver},
    peers,
    run::{Outcome, cargo, root, shown},
    tables::Tables,
    test::FULL,
};
use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

const PAGES: [&str; 2] = ["docs/accuracy.md", "docs/locating.md"];
const DRAWN: &str = "target/figures/accuracy";
const KEPT: &str = "docs/images/accuracy";
const PICTURES: [&str; 2] = ["absorption.png", "absorption-frequency.png"];

/// The tests whose figures the pages have, by parts of their names.
const TESTS: [&str; 27] = [
    "homogeneous",
    "dipole::",
    "half_space",
    "density::",
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
    "born::born_modelling",
    "gradient::the_misfit",
    "gradient::every_engine",
    "rtm::",
    "reciprocity",
    "exploding_reflector",
    "stability::nothing_grows",
    "reflection",
    "uneven_rock",
    "scans_name",
    "every_order_on_an_odd_size",
    "every_kernel_on_every_boundary",
];

/// The tests that are measured on every driver.
const AGREEMENT: [&str; 2] = ["every_order_on_an_odd_size", "every_kernel_on_every_boundary"];

/// Measures, and writes the pages and their pictures.
pub fn accuracy() -> Outcome {
    let start = Instant::now();
    let root = root();
    let mut lines = measured(&root)?;
    for driver in drivers::all(true)? {
        lines.extend(agreement(&driver)?);
    }
    let tables = Tables::from_lines(&lines);
    let read = |page| fs::read_to_string(root.join(page)).map_err(|e| format!("{page}: {e}"));
    let texts: Vec<String> = PAGES.into_iter().map(read).collect::<Result<_, _>>()?;
    if let [table, ..] = tables.without_a_mark(&texts)[..] {
        return Err(format!("no page has a mark for the table {table:?}"));
    }
    for (page, text) in PAGES.iter().zip(texts) {
        let (text, kept) = tables.put_into(&text)?;
        for table in kept {
            println!("NOT MEASURED, left as it was: the table {table:?} of {page}");
        }
        fs::write(root.join(page), text).map_err(|error| format!("{page}: {error}"))?;
        println!("{page}");
    }
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

/// The tests' output. One test at a time, so that the lines always come in the same order.
fn measured(root: &Path) -> Result<Vec<String>, String> {
    let mut tests = cargo(&["test", "--test", "analytic", "--test", "physics"]);
    tests.args(["--test", "agreement", "--"]);
    tests.args(["--nocapture", "--include-ignored", "--test-threads=1"]).args(TESTS);
    tests.env(FULL, "1").env("HUYGENS_FIGURES", root.join(DRAWN)).stdout(Stdio::piped());
    if let Some(python) = peers::installed() {
        tests.env(peers::PYTHON, python);
    }
    printed(&mut tests)
}

/// The table of agreement on another driver, as columns of its name.
fn agreement(driver: &Driver) -> Result<Vec<String>, String> {
    let mut tests = cargo(&["test", "--test", "agreement", "--"]);
    tests.args(["--nocapture", "--test-threads=1"]).args(AGREEMENT).stdout(Stdio::piped());
    let lines = printed(driver.of(&mut tests))?.into_iter();
    let of_gpu =
        lines.filter(|line| line.contains("figure | agreement |") && !line.contains("| cpu |"));
    let renamed = |line: String| {
        let mut fields: Vec<_> = line.split(" | ").collect();
        fields[3] = driver.name;
        fields.join(" | ")
    };
    Ok(of_gpu.map(renamed).collect())
}

/// The output of tests, shown and collected.
fn printed(tests: &mut Command) -> Result<Vec<String>, String> {
    let line = shown(tests);
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
    fn the_pages_have_a_mark_for_every_table_of_the_tests() {
        let pages = PAGES.map(|page| fs::read_to_string(root().join(page)).expect("the page"));
        let page = pages.concat();
        for table in [
            "homogeneous",
            "surface",
            "volume",
            "scatterer",
            "convergence",
            "salt",
            "scans",
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
            "density",
            "density by angle",
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
