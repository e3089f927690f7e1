//! The layout of the source: its size, whether imports keep to the layers that ARCHITECTURE.md draws, and
//! whether each package holds the files that it includes.

mod signatures;

use self::signatures::{LONGEST, Signatures};
use crate::run::{Outcome, root};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// The layers of the package `huygens`, the lowest first; Cargo keeps those of the other packages.
const LAYERS: [&str; 5] = ["job", "results", "run", "operations", "cli"];

/// Prints the size of the source, and fails if an import goes upward or a file lies outside its package.
pub fn layout() -> Outcome {
    let (shaders, files): (Vec<File>, Vec<File>) =
        sources(&root().join("src"))?.into_iter().partition(|file| file.name.ends_with(".wgsl"));
    let lines: usize = files.iter().chain(&shaders).map(|file| file.lines()).sum();
    println!("{lines} lines of .rs and .wgsl in {} files of src", files.len() + shaders.len());
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    for file in &files {
        *folders.entry(file.layer().unwrap_or("src")).or_default() += file.lines();
    }
    folders.insert("shaders", shaders.iter().map(File::lines).sum());
    for (folder, lines) in folders {
        println!("  {lines:>6} {folder}");
    }
    let of_rtm: Vec<&File> = files.iter().filter(|file| file.is_of_rtm()).collect();
    println!(
        "{} files name the migration outside operations/rtm, kernels and tests:",
        of_rtm.len()
    );
    of_rtm.iter().for_each(|file| println!("  {}", file.name));
    // Without their tests.
    let is_command =
        |file: &&File| file.name.starts_with("cli/command/") && !file.name.ends_with("/tests.rs");
    let commands = files.iter().filter(is_command);
    if let Some(longest) = commands.max_by_key(|file| file.lines()) {
        println!("the longest file of a command has {} lines: {}", longest.lines(), longest.name);
    }
    let mut signatures = Signatures::default();
    files.iter().for_each(|file| signatures.add(&file.name, &file.text));
    println!("{} parameters are tuples", signatures.tuples);
    println!("{} parameters are a dyn Fn", signatures.closures);
    println!("{} functions, types, modules and fields are public", signatures.public);
    println!("{} functions have more than {LONGEST} lines:", signatures.long.len());
    signatures.long.iter().for_each(|(name, lines)| println!("  {lines:>6} {name}"));
    let upward = upward(&files);
    for (file, import) in &upward {
        println!("upward: {file} imports {import}");
    }
    let outside = outside(&files);
    for (file, line) in &outside {
        println!("outside its package: {file}: {line}");
    }
    match (upward.len(), outside.len()) {
        (0, 0) => Ok(()),
        (0, count) => Err(format!("{count} included files lie outside their packages")),
        (count, _) => Err(format!("{count} imports go upward")),
    }
}

/// A file of source text.
struct File {
    /// Its path in the folder.
    name: String,
    text: String,
}

impl File {
    fn lines(&self) -> usize {
        self.text.lines().count()
    }

    /// The folder that it lies in.
    fn layer(&self) -> Option<&str> {
        self.name.split_once('/').map(|(folder, _)| folder)
    }

    /// The layers that it imports from.
    fn imports(&self) -> BTreeSet<&'static str> {
        let mut found = BTreeSet::new();
        for rest in self.text.split("crate::").skip(1) {
            let names = match rest.strip_prefix('{') {
                Some(tree) => first_names(tree),
                None => vec![first_name(rest)],
            };
            found.extend(LAYERS.iter().filter(|layer| names.contains(layer)));
        }
        found
    }

    /// True if it imports from the migration without being of it, or of the gradient and the inversion, which are made of
    /// migrations.
    fn is_of_rtm(&self) -> bool {
        let its_own = ["rtm", "lsrtm", "gradient", "invert"];
        let is_its_own = self.name.starts_with("engine/")
            || its_own.iter().any(|of| self.name.starts_with(&format!("operations/{of}/")));
        let names = ["rtm::", "rtm,", "mod rtm", "Rtm {"];
        // Not as the end of another word, such as lsrtm.
        let mut places = names.into_iter().flat_map(|name| self.text.match_indices(name));
        !is_its_own && places.any(|(at, _)| !self.text[..at].ends_with(char::is_alphanumeric))
    }
}

/// The names of the first level of a tree of imports, after its brace.
fn first_names(tree: &str) -> Vec<&str> {
    let (mut depth, mut start, mut names) = (0, 0, Vec::new());
    for (at, letter) in tree.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => {
                names.push(first_name(&tree[start..at]));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                names.push(first_name(&tree[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    names
}

fn first_name(path: &str) -> &str {
    let path = path.trim_start();
    path.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next().unwrap_or_default()
}

/// The imports of a layer from one above it.
fn upward(files: &[File]) -> Vec<(&str, &'static str)> {
    let rank = |layer: &str| LAYERS.iter().position(|of| *of == layer);
    let mut found = Vec::new();
    for file in files {
        let Some(own) = file.layer().and_then(rank) else { continue };
        let above = file.imports().into_iter().filter(|layer| rank(layer) > Some(own));
        found.extend(above.map(|layer| (file.name.as_str(), layer)));
    }
    found
}

/// Lines that include a file from above the folder of their package, which `cargo package` leaves out.
fn outside(files: &[File]) -> Vec<(&str, &str)> {
    let packages: BTreeSet<_> =
        files.iter().filter_map(|file| file.name.strip_suffix("/lib.rs")).collect();
    let mut found = Vec::new();
    for file in files {
        // Folders between the package and the file. In `huygens` itself tests read the manual.
        let Some(package) = file.layer().filter(|layer| packages.contains(layer)) else { continue };
        let deep = file.name[package.len() + 1..].matches('/').count();
        let is_include =
            |line: &&str| ["include_str!", "include_bytes!"].iter().any(|of| line.contains(of));
        for line in file.text.lines().filter(is_include) {
            let from = if line.contains("CARGO_MANIFEST_DIR") { 0 } else { deep };
            if line.matches("../").count() > from {
                found.push((file.name.as_str(), line.trim()));
            }
        }
    }
    found
}

/// The source files below a folder.
fn sources(folder: &Path) -> Result<Vec<File>, String> {
    let (mut files, mut left) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = left.pop() {
        let wrong = |error| format!("{}: {error}", next.display());
        for entry in fs::read_dir(&next).map_err(wrong)? {
            let path: PathBuf = entry.map_err(wrong)?.path();
            let is_source = path
                .extension()
                .is_some_and(|ending| ["rs", "wgsl"].iter().any(|of| ending == *of));
            if path.is_dir() {
                left.push(path);
            } else if is_source {
                let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
                let text = fs::read_to_string(&path).map_err(wrong)?;
                files.push(File { name: name.replace('\\', "/"), text });
            }
        }
    }
    files.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> File {
        File { name: name.into(), text: text.into() }
    }

    #[test]
    fn imports_are_found() {
        let nested = "use crate::{\n    engine::{Engine, run},\n    job::{Job, run},\n    results::Results,\n};\n";
        assert_eq!(Vec::from_iter(file("run/a.rs", nested).imports()), ["job", "results"]);
        let one = "fn f() { crate::operations::rtm::scale() }";
        assert_eq!(Vec::from_iter(file("job/a.rs", one).imports()), ["operations"]);
        let files = [file("job/a.rs", one), file("run/a.rs", nested)];
        assert_eq!(upward(&files), [("job/a.rs", "operations")]);
    }

    #[test]
    fn no_import_goes_upward() {
        let files = sources(&root().join("src")).expect("the source");
        assert_eq!(upward(&files), []);
    }

    #[test]
    fn packages_hold_what_they_include() {
        let files = sources(&root().join("src")).expect("the source");
        assert_eq!(outside(&files), []);

        let above = r#"const A: &str = include_str!("../a.txt");"#;
        let manifest = r#"include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../a", ".txt"))"#;
        let files = ["io/lib.rs", "io/deep/b.rs", "job/a.rs"].map(|name| file(name, above));
        assert_eq!(outside(&files), [("io/lib.rs", above)]);
        let files = [file("io/lib.rs", ""), file("io/deep/b.rs", manifest)];
        assert_eq!(outside(&files), [("io/deep/b.rs", manifest)]);
    }

    /// The layers are those that contributors read about, in this order.
    #[test]
    fn the_layers_are_drawn() {
        let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the page");
        let diagram = page.split("```text").nth(1).and_then(|rest| rest.split("```").next());
        let diagram = diagram.expect("a diagram");
        let places = LAYERS.map(|layer| diagram.find(&format!("{layer}/")).expect(layer));
        assert!(places.iter().rev().is_sorted(), "{places:?}");
    }
}
