//! Files of other programs, with what is known of them. They are not ours to ship: the test looks
//! for them in the folder that `HUYGENS_DATA` names, or in `../shared/data`.

use crate::samples;
use huygens::io::segy::{
    ByteOrder, LengthUnit, Reader, ReaderOptions, Warning, arrange, read_gathers, read_model,
};
use serde_json::Value;
use std::path::PathBuf;

/// The folder of the files, and what is known of them; `None`, and a word, where they are not here.
fn data() -> Option<(PathBuf, serde_json::Map<String, Value>)> {
    let root =
        std::env::var_os("HUYGENS_DATA").map_or_else(|| "../shared/data".into(), PathBuf::from);
    let folder = root.join("segy");
    let Ok(text) = std::fs::read_to_string(folder.join("expected.json")) else {
        println!(
            "NOT RUN: the SEG-Y files of others are not here; set HUYGENS_DATA to their folder"
        );
        return None;
    };
    Some((folder, serde_json::from_str(&text).expect("expected.json is JSON")))
}

#[test]
fn every_file_reads_as_is_known_of_it_or_fails_with_a_reason() {
    let Some((folder, expected)) = data() else { return };
    for (name, known) in &expected {
        let mut reader = match (
            Reader::open(&folder.join(name), ReaderOptions::default()),
            known.get("error"),
        ) {
            (Err(error), Some(_)) => {
                println!("{name}: {error}");
                assert!(error.to_string().contains("bytes 3221-3222"), "{error}");
                continue;
            }
            (Ok(reader), None) => reader,
            (read, _) => panic!("{name}: {known}, {read:?}"),
        };
        for warning in reader.warnings() {
            println!("{name}: {warning}");
        }
        let layout = *reader.layout();
        let order = match known["endian"].as_str() {
            Some("little") => ByteOrder::Little,
            _ => ByteOrder::Big,
        };
        assert_eq!(reader.order(), order, "{name}");
        assert_eq!(i64::from(layout.format.code()), known["format"], "{name}");
        assert_eq!(layout.traces, known["traces"], "{name}");
        assert_eq!(layout.samples, known["samples"], "{name}");
        assert_eq!(layout.interval, known["interval_us"].as_f64(), "{name}");
        let all = samples(&mut reader);
        assert_eq!(all.len() as u64, layout.traces * layout.samples as u64);
        // To f32: the last digits of a double are not kept by every reader of JSON.
        let first: Vec<f32> = all[..4].iter().map(|v| *v as f32).collect();
        let wanted = known["first"].as_array().expect("a list").iter();
        let wanted: Vec<f32> = wanted.map(|v| v.as_f64().expect("a number") as f32).collect();
        assert_eq!(first, wanted, "{name}");
        let (sum, wanted) =
            (all.iter().map(|v| v.abs()).sum::<f64>(), known["abs_sum"].as_f64().expect("a sum"));
        assert!((sum - wanted).abs() <= 1e-9 * wanted, "{name}: {sum} {wanted}");
    }
    assert_eq!(expected.len(), 15);
}

#[test]
fn the_same_data_in_either_byte_order_and_in_any_format_are_the_same() {
    let Some((folder, _)) = data() else { return };
    let read = |name: &str| {
        samples(&mut Reader::open(&folder.join(name), ReaderOptions::default()).expect(name))
    };
    let wanted = read("f3.sgy");
    for name in
        ["f3-lsb.sgy", "Format1msb.sgy", "Format1lsb.sgy", "Format2msb.sgy", "Format3msb.sgy"]
            .into_iter()
            .chain(["Format5msb.sgy", "Format5lsb.sgy"])
    {
        assert!(read(name) == wanted, "{name}");
    }
    assert_eq!(read("small.sgy"), read("small-lsb.sgy"));
}

#[test]
fn their_contradictions_are_reported() {
    let Some((folder, _)) = data() else { return };
    let reader = Reader::open(&folder.join("f3.sgy"), ReaderOptions::default()).expect("a file");
    let samples = reader.warnings().iter().find(|w| matches!(w, Warning::Samples { .. }));
    let said = samples.expect("462 samples in its trace headers, 75 in the file").to_string();
    assert!(said.contains("bytes 3221-3222") && said.contains("462"), "{said}");
}

#[test]
fn they_are_models_and_gathers() {
    let Some((folder, _)) = data() else { return };
    let mut reader =
        Reader::open(&folder.join("small.sgy"), ReaderOptions::default()).expect("a file");
    let model = read_model(&mut reader, None).expect("a grid of 5 inlines and 5 crosslines");
    assert_eq!(
        (model.values.dim(), model.spacing, model.interval),
        ((5, 5, 50), None, Some(4000.0))
    );
    assert_eq!(model.values[[0, 0, 0]], 1.199_999_8);
    // An inline number and a crossline number for each trace: 23 by 18 bins, 25 m apart.
    let mut reader =
        Reader::open(&folder.join("f3.sgy"), ReaderOptions::default()).expect("a file");
    let model = read_model(&mut reader, None).expect("a grid");
    println!("f3: {:?}, {:?} m", model.values.dim(), model.spacing);
    assert_eq!(model.values.len(), 414 * 75);
    let (hx, hy) = model.spacing.expect("even coordinates");
    assert!((hx - 25.0).abs() < 0.1 && (hy - 25.0).abs() < 0.1, "{hx} {hy}");
    let mut reader =
        Reader::open(&folder.join("shot-gather.sgy"), ReaderOptions::default()).expect("a file");
    assert!(read_gathers(&mut reader, None).is_err(), "it says neither metres nor feet");
    let mut reader =
        Reader::open(&folder.join("shot-gather.sgy"), ReaderOptions::default()).expect("a file");
    let gathers = read_gathers(&mut reader, Some(LengthUnit::Metre)).expect("gathers");
    println!("shot-gather: {} shots", gathers.len());
    assert_eq!(gathers.iter().map(|g| g.receivers.len()).sum::<usize>(), 61);
    assert_eq!(gathers[0].interval, 0.001);
    assert!(arrange(&[]).is_err());
}
