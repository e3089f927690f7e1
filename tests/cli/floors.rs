//! What stands below the command line knows no flag of it.

use std::path::{Path, PathBuf};

/// Rust files below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().expect("a folder").map(|entry| entry.expect("an entry").path());
    entries
        .flat_map(|path| match path.is_dir() {
            true => sources(&path),
            false => vec![path],
        })
        .filter(|path| path.extension().is_some_and(|end| end == "rs"))
        .collect()
}

/// Whether a line of code, comments left out, names a flag or a command of the program.
fn names_one(line: &str) -> bool {
    let flag = |(at, _): (usize, _)| line[at + 2..].starts_with(|c: char| c.is_ascii_lowercase());
    let is_code = !line.trim_start().starts_with("//");
    is_code && (line.match_indices("--").any(flag) || line.contains("`huygens "))
}

#[test]
fn no_floor_below_the_command_line_names_a_flag() {
    assert!(names_one("    \"there is none; choose one with --adapter\""));
    assert!(
        names_one("    \"`huygens devices` lists them\"") && !names_one("    // as --set does")
    );
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    // A build script gives flags to git.
    let mut files = sources(&src);
    files.retain(|path| !path.ends_with("build.rs"));
    let (above, below): (Vec<_>, Vec<_>) =
        files.iter().partition(|path| path.starts_with(src.join("cli")));
    let named = |path: &&PathBuf| -> Vec<String> {
        let text = std::fs::read_to_string(path).expect("a source");
        let lines = text.lines().enumerate().filter(|(_, line)| names_one(line));
        lines.map(|(n, line)| format!("{}:{}: {line}", path.display(), n + 1)).collect()
    };
    let found: Vec<_> = below.iter().flat_map(named).collect();
    assert_eq!(found, [""; 0], "\n{}", found.join("\n"));
    assert!(below.len() > 200 && above.iter().any(|path| !named(path).is_empty()));
}
