//! The crates that the program is made of: their licences, sources and versions, and the advisories
//! about them (`deny.toml`).

use crate::run::{Outcome, cargo, run};

/// Checks them if cargo-deny is installed: to compile it takes longer than all tests.
pub fn checked_if_there() -> Outcome {
    if !cargo(&["deny", "--version"]).output().is_ok_and(|output| output.status.success()) {
        println!(
            "NOT RUN: licences, sources and advisories of all crates; `cargo install cargo-deny --locked` installs what checks them"
        );
        return Ok(());
    }
    run(&mut cargo(&["deny", "check", "licenses", "bans", "sources"]))?;
    if run(&mut cargo(&["deny", "fetch", "db"])).is_err() {
        println!("NOT RUN: advisories; their database is not reached");
        return Ok(());
    }
    run(&mut cargo(&["deny", "check", "advisories"]))
}

#[cfg(test)]
mod tests {
    use crate::run::{cargo, root};
    use serde_json::Value;
    use std::{
        collections::BTreeSet,
        path::{Path, PathBuf},
    };

    /// docs/dependencies.md has a line for each crate that a manifest of the workspace names, and for
    /// no other.
    #[test]
    fn each_dependency_has_its_reason() {
        let what = ["metadata", "--no-deps", "--format-version", "1"];
        let told = cargo(&what).output().expect("cargo runs");
        let told: Value = serde_json::from_slice(&told.stdout).expect("JSON");
        let packages = told["packages"].as_array().expect("the workspace");
        let all = packages.iter().flat_map(|package| package["dependencies"].as_array());
        let names = all.flatten().filter_map(|dependency| dependency["name"].as_str());
        let named: BTreeSet<_> = names.filter(|name| !name.starts_with("huygens")).collect();
        let page = std::fs::read_to_string(root().join("docs/dependencies.md")).expect("a page");
        let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split(' ').next());
        let told: BTreeSet<_> = rows.filter(|name| *name != "crate").collect();
        assert_eq!(told, named);
    }

    /// docs/reliability.md counts the unsafe code of each file, or of each folder.
    #[test]
    fn unsafe_code_is_counted() {
        let page = std::fs::read_to_string(root().join("docs/reliability.md")).expect("a page");
        let rows = page.lines().filter_map(|line| line.strip_prefix("| `src/")?.split_once("` | "));
        let told: Vec<_> = rows
            .filter_map(|(at, rest)| Some((at, rest.split(' ').next()?.parse::<usize>().ok()?)))
            .collect();
        let mut found = vec![0; told.len()];
        for file in sources(&root().join("src")) {
            let text = std::fs::read_to_string(&file).expect("a source file");
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            let begins = ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern"];
            let count = code.filter(|line| begins.iter().any(|begin| line.contains(begin))).count();
            let at = file.strip_prefix(root().join("src")).expect("below it");
            match told.iter().position(|(of, _)| at.starts_with(of)) {
                Some(row) => found[row] += count,
                None => assert_eq!(count, 0, "{} has unsafe code", at.display()),
            }
        }
        let told: Vec<_> = told.into_iter().map(|(_, count)| count).collect();
        assert_eq!(told, found);
    }

    fn sources(folder: &Path) -> Vec<PathBuf> {
        let entries = folder.read_dir().expect("a folder").flatten().map(|entry| entry.path());
        let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
        let inside = folders.iter().flat_map(|folder| sources(folder));
        files
            .into_iter()
            .chain(inside)
            .filter(|path| path.extension().is_some_and(|of| of == "rs"))
            .collect()
    }
}
