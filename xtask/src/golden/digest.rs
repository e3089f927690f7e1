//! SHA-256 of the files of a run, without what differs between equal runs.

use serde_json::Value;
use sha2::{Digest, Sha256};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// Keys of a record that measure a run, name the version of the program, or hold the sums of inputs,
/// whose text headers name it.
const MEASURED: [&str; 7] =
    ["timings", "idle", "gpts_per_s", "recorded_per_second", "revision", "version", "inputs"];
/// A journal holds checksums of the other files.
const JOURNAL: &str = "journal.jsonl";
/// The text header of SEG-Y, which names the revision of the program.
const TEXT_HEADER: usize = 3200;

/// The digest of each file of a folder, by its path in there; nothing if there is no folder.
pub fn digests(folder: &Path) -> Result<BTreeMap<String, String>, String> {
    let mut found = BTreeMap::new();
    for path in files(folder) {
        let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
        if name == JOURNAL || name.starts_with('.') {
            continue;
        }
        let sum = Sha256::digest(lasting(&path, bytes)?);
        found.insert(name, sum.iter().map(|byte| format!("{byte:02x}")).collect());
    }
    Ok(found)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// The part of a file that equal runs have in common.
fn lasting(path: &Path, bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    match &*extension {
        "json" => {
            let record = serde_json::from_slice(&bytes);
            let record = record.map_err(|error| format!("{}: {error}", path.display()))?;
            Ok(without_measurements(record).to_string().into_bytes())
        }
        "sgy" => Ok(bytes.get(TEXT_HEADER..).unwrap_or_default().to_vec()),
        "png" => Ok(pixels(&bytes)),
        _ => Ok(bytes),
    }
}

fn without_measurements(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let kept = map.into_iter().filter(|(key, _)| !MEASURED.contains(&key.as_str()));
            kept.map(|(key, value)| (key, without_measurements(value))).collect()
        }
        Value::Array(values) => values.into_iter().map(without_measurements).collect(),
        other => other,
    }
}

/// All chunks of a PNG except text and time.
fn pixels(png: &[u8]) -> Vec<u8> {
    let mut rest = png.get(8..).unwrap_or_default();
    let mut kept = Vec::new();
    while let [a, b, c, d, after @ ..] = rest {
        let end = (u32::from_be_bytes([*a, *b, *c, *d]) as usize + 8).min(after.len());
        let (chunk, next) = after.split_at(end);
        if ![&b"tEXt"[..], b"iTXt", b"zTXt", b"tIME"].iter().any(|kind| chunk.starts_with(kind)) {
            kept.extend_from_slice(chunk);
        }
        rest = next;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_without_its_times_is_the_same() {
        let record = |time: f64, steps: usize| {
            let text = format!(
                r#"{{"steps":{steps},"devices":[{{"shots":2,"idle":{time},"timings":{{"plan":{time}}}}}]}}"#
            );
            lasting(Path::new("run.json"), text.into_bytes()).expect("JSON")
        };
        assert_eq!(record(0.1, 5), record(0.2, 5));
        assert_ne!(record(0.1, 5), record(0.1, 6));
    }

    #[test]
    fn a_picture_is_its_pixels() {
        let chunk = |kind: &[u8; 4], data: &[u8]| {
            let length = u32::try_from(data.len()).expect("short").to_be_bytes();
            [&length[..], kind, data, &[1, 2, 3, 4]].concat()
        };
        let picture = |text: &[u8], data: &[u8]| {
            [&b"\x89PNG\r\n\x1a\n"[..], &chunk(b"tEXt", text), &chunk(b"IDAT", data)].concat()
        };
        assert_eq!(pixels(&picture(b"monday", b"red")), pixels(&picture(b"tuesday", b"red")));
        assert_ne!(pixels(&picture(b"monday", b"red")), pixels(&picture(b"monday", b"blue")));
    }
}
