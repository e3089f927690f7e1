//! The crates in a program: their licences, and a bill of materials in CycloneDX 1.5.

use super::read;
use crate::run::{cargo, root};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// What ships; all else is reached from these.
const ROOTS: [&str; 2] = ["huygens", "huygens-python"];
/// The beginnings of the names of files with licences.
const LICENCES: [&str; 5] = ["license", "licence", "copying", "notice", "copyright"];

const HEAD: &str = "The program holds Rust's standard library (MIT OR Apache-2.0), LLVM's libunwind and \
    compiler-rt (Apache-2.0 WITH LLVM-exception),\nand these crates, under these licences:\n\n";

/// The crates of a program.
pub struct Crates {
    /// By their ids, as cargo describes them.
    packages: BTreeMap<String, Value>,
    /// The ids that each needs.
    needs: BTreeMap<String, Vec<String>>,
}

impl Crates {
    /// Those that run in a program of a target, without macros and what builds it.
    pub fn of(triple: &str) -> Result<Self, String> {
        let words = ["metadata", "--locked", "--format-version", "1", "--filter-platform", triple];
        let told = cargo(&words).output().map_err(|why| format!("cargo metadata: {why}"))?;
        let told: Value = serde_json::from_slice(&told.stdout).map_err(|_| {
            format!("cargo metadata failed: {}", String::from_utf8_lossy(&told.stderr))
        })?;
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let id = |value: &Value| value["id"].as_str().unwrap_or_default().to_owned();
        let all: BTreeMap<_, _> =
            list(&told["packages"]).into_iter().map(|of| (id(&of), of)).collect();
        let nodes = list(&told["resolve"]["nodes"]);
        let nodes: BTreeMap<_, _> = nodes.iter().map(|node| (id(node), node)).collect();
        let is_root = |(_, of): &(&String, &Value)| ROOTS.iter().any(|root| of["name"] == *root);
        let mut open: Vec<String> = all.iter().filter(is_root).map(|(id, _)| id.clone()).collect();
        let mut crates = Crates { packages: BTreeMap::new(), needs: BTreeMap::new() };
        while let Some(next) = open.pop() {
            if crates.packages.contains_key(&next) {
                continue;
            }
            let needs = list(&nodes[&next]["deps"]);
            let needs = needs.iter().filter(|need| is_linked(need));
            let needs: Vec<_> = needs.filter_map(|need| need["pkg"].as_str()).collect();
            let needs = needs.into_iter().filter(|need| !is_macro(&all[*need]));
            let needs: Vec<_> = needs.map(String::from).collect();
            open.extend(needs.iter().cloned());
            crates.packages.insert(next.clone(), all[&next].clone());
            crates.needs.insert(next, needs);
        }
        Ok(crates)
    }

    /// Those of others.
    fn foreign(&self) -> impl Iterator<Item = &Value> {
        self.packages.values().filter(|package| !package["source"].is_null())
    }

    /// The list of crates with their licences, then each text once.
    pub fn licences(&self) -> Result<String, String> {
        let mut list = String::from(HEAD);
        let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for package in self.foreign() {
            let name = format!("{} {}", text(&package["name"]), text(&package["version"]));
            list += &format!("{name}: {}\n", text(&package["license"]));
            let manifest = text(&package["manifest_path"]);
            for licence in files(Path::new(manifest).parent().unwrap_or(Path::new(".")))? {
                texts.entry(licence).or_default().insert(name.clone());
            }
        }
        let font = read(&root().join("src/render/font/LICENSE"))?;
        texts.entry(font.trim().to_owned()).or_default().insert("the font Open Sans".into());
        let rule = "-".repeat(78);
        for (licence, names) in texts {
            let names = names.into_iter().collect::<Vec<_>>().join(", ");
            list += &format!("\n{rule}\n{names}:\n\n{licence}\n");
        }
        Ok(list)
    }

    /// The bill of materials.
    pub fn bill_of_materials(&self) -> Result<String, String> {
        let sums = checksums(&read(&root().join("Cargo.lock"))?);
        let of = |id: &String| {
            format!(
                "pkg:cargo/{}@{}",
                text(&self.packages[id]["name"]),
                text(&self.packages[id]["version"]).replace('+', "%2B")
            )
        };
        let component = |(id, package): (&String, &Value)| {
            let (name, version) = (text(&package["name"]), text(&package["version"]));
            let licence = text(&package["license"]).replace('/', " OR ");
            let mut component = json!({
                "type": "library", "bom-ref": of(id), "name": name, "version": version,
                "purl": of(id), "licenses": [{ "expression": licence }],
            });
            if let Some(sum) = sums.get(&(name.to_owned(), version.to_owned())) {
                component["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
            }
            component
        };
        let (program, others): (Vec<_>, Vec<_>) =
            self.packages.iter().partition(|(_, package)| package["name"] == ROOTS[0]);
        let mut program = program.into_iter().map(component).next().unwrap_or_default();
        program["type"] = "application".into();
        let depends = |(id, needs): (&String, &Vec<String>)| {
            let on: BTreeSet<_> = needs.iter().map(of).collect();
            json!({ "ref": of(id), "dependsOn": on })
        };
        let bill = json!({
            "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
            "metadata": { "component": program },
            "components": others.into_iter().map(component).collect::<Vec<_>>(),
            "dependencies": self.needs.iter().map(depends).collect::<Vec<_>>(),
        });
        serde_json::to_string_pretty(&bill).map_err(|why| why.to_string())
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// True if a dependency is linked, and not only built with or tested with.
fn is_linked(dependency: &Value) -> bool {
    let kinds = dependency["dep_kinds"].as_array();
    kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"].is_null()))
}

fn is_macro(package: &Value) -> bool {
    let targets = package["targets"].as_array().into_iter().flatten();
    let mut kinds = targets.filter_map(|target| target["kind"][0].as_str());
    kinds.any(|kind| kind == "proc-macro")
}

/// The licences in the folder of a crate.
fn files(folder: &Path) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(folder).map_err(|why| format!("{}: {why}", folder.display()))?;
    let is_licence = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        path.is_file() && LICENCES.iter().any(|beginning| name.starts_with(beginning))
    };
    let paths = entries.flatten().map(|entry| entry.path()).filter(is_licence);
    paths.map(|path| Ok(read(&path)?.replace("\r\n", "\n").trim().to_owned())).collect()
}

/// The SHA-256 of each crate's file in the registry, by name and version.
fn checksums(lock: &str) -> BTreeMap<(String, String), String> {
    let value = |package: &str, key: &str| {
        let line = package.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "))?;
        Some(line.trim_matches('"').to_owned())
    };
    let sums = lock.split("[[package]]").filter_map(|package| {
        let name = (value(package, "name")?, value(package, "version")?);
        Some((name, value(package, "checksum")?))
    });
    sums.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bill_lists_what_is_linked() {
        let crates = Crates::of("x86_64-unknown-linux-gnu").expect("cargo knows them");
        let bill = crates.bill_of_materials().expect("JSON");
        let bill: Value = serde_json::from_str(&bill).expect("JSON");
        let components = bill["components"].as_array().expect("a list");
        let find = |name: &str| components.iter().find(|of| of["name"] == name);
        let wgpu = find("wgpu").expect("linked");
        assert_eq!(wgpu["hashes"][0]["content"].as_str().map(str::len), Some(64));
        assert!(find("huygens-engine").is_some() && find("pyo3").is_some());
        // A macro, a test's crate, another chore's.
        for name in ["serde_derive", "criterion", "xtask", "huygens"] {
            assert!(find(name).is_none(), "{name}");
        }
        let own = &bill["metadata"]["component"]["bom-ref"];
        let known: BTreeSet<_> =
            components.iter().map(|of| &of["bom-ref"]).chain([own]).map(text).collect();
        for node in bill["dependencies"].as_array().expect("a list") {
            assert!(known.contains(text(&node["ref"])), "{node}");
            let needs = node["dependsOn"].as_array().expect("a list");
            assert!(needs.iter().all(|need| known.contains(text(need))), "{node}");
        }
        let licences = crates.licences().expect("files");
        assert!(licences.contains("\nwgpu ") && licences.contains("Permission is hereby granted"));
    }
}
