//! The keys of job files that pages speak of, and those that their examples use.

use crate::block::blocks;
use std::collections::BTreeSet;
use toml::{Table, Value};

/// The keys in the job files of a page.
pub fn shown(page: &str) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    for block in blocks(page).unwrap_or_default() {
        if block.language == "toml" {
            of_table(&toml::from_str(&block.text).unwrap_or_default(), &mut keys);
        }
    }
    keys
}

/// The keys that a page speaks of: those of its job files, of lines of them that are commented out,
/// and of code within its text.
pub fn told(page: &str) -> BTreeSet<String> {
    let mut keys = shown(page);
    for line in page.lines().filter_map(|line| line.strip_prefix("# ")) {
        of_table(&toml::from_str(line).unwrap_or_default(), &mut keys);
    }
    for code in page.split('`').skip(1).step_by(2) {
        let inline = format!("inline = {code}");
        let read = toml::from_str(code).or_else(|_| toml::from_str(&inline));
        of_table(&read.unwrap_or_default(), &mut keys);
    }
    keys.remove("inline");
    keys
}

fn of_table(table: &Table, keys: &mut BTreeSet<String>) {
    for (key, value) in table {
        keys.insert(key.clone());
        of_value(value, keys);
    }
}

fn of_value(value: &Value, keys: &mut BTreeSet<String>) {
    match value {
        Value::Table(table) => of_table(table, keys),
        Value::Array(values) => values.iter().for_each(|value| of_value(value, keys)),
        _ => {}
    }
}

#[test]
fn keys_are_found_in_examples_comments_and_text() {
    let page = "```toml\n[model]\n# array = \"vp\"\nspacing = { z = 1.0 }\n```\nTake `axes = \"xz\"`, \
                or `{ kind = \"gaussian\", derivative = 1 }`; `no key`, `a == b`.\n";
    assert_eq!(Vec::from_iter(shown(page)), ["model", "spacing", "z"]);
    let told = Vec::from_iter(told(page));
    assert_eq!(told, ["array", "axes", "derivative", "kind", "model", "spacing", "z"]);
}
