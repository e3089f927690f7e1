//! SEG-Y in and out of `huygens shot`.

use crate::run::{SMALL, done, exits, folder, huygens, said, says, with_job};
use huygens::{
    grid::Position,
    io::segy::{
        ByteOrder, Format, LengthUnit, ModelSpec, Reader, ReaderOptions, Revision, read_gathers,
        trace, write_model,
    },
    model::Placement,
};
use ndarray::{Array2, Array3};
use ndarray_npy::read_npy;
use std::path::Path;

/// A model of two layers, `[y][x][z]`.
fn write(path: &Path, ny: usize, unit: LengthUnit) {
    let values =
        Array3::from_shape_fn((ny, 80, 60), |(_, _, z)| if z < 30 { 1500.0 } else { 2500.0 });
    let spec = ModelSpec {
        text: vec!["velocity, m/s; the sample interval is in millimetres".into()],
        spacing: (20.0, 25.0),
        interval: 20_000.0,
        revision: Revision::One,
        format: Format::Ibm,
        order: ByteOrder::Big,
        unit,
        placement: Placement::default(),
    };
    let bytes = write_model(Vec::new(), values.view(), spec).expect("written");
    std::fs::write(path, bytes).expect("kept");
}

/// The small job with a model of these lines.
fn job(model: &str) -> String {
    let (_, rest) = SMALL.split_once("[time]").expect("a job");
    format!("[model]\nvelocity = \"model.sgy\"\n{model}\n\n[time]{rest}")
}

fn run(model: &str) -> (tempfile::TempDir, String, bool) {
    let folder = folder();
    write(&folder.path().join("model.sgy"), 1, LengthUnit::Foot);
    std::fs::write(folder.path().join("job.toml"), job(model)).expect("written");
    let output = huygens(folder.path(), &["shot", "job.toml", "--backend", "cpu"]);
    (folder, said(&output), output.status.success())
}

#[test]
fn a_model_in_segy_gives_the_gather_of_the_same_in_npy() {
    let (segy, told, ran) = run("sample_interval = \"mm\"");
    assert!(ran, "{told}");
    let gather: Array2<f32> = read_npy(segy.path().join("out/gather.npy")).expect("an array");
    let (given, told, ran) = run("spacing = 20.0");
    assert!(ran, "{told}");
    let same: Array2<f32> = read_npy(given.path().join("out/gather.npy")).expect("an array");

    let npy = folder();
    let values = Array2::from_shape_fn((80, 60), |(_, z)| if z < 30 { 1500.0f32 } else { 2500.0 });
    ndarray_npy::write_npy(npy.path().join("model.npy"), &values).expect("written");
    let text = job("spacing = 20.0\naxes = \"xz\"").replace("model.sgy", "model.npy");
    std::fs::write(npy.path().join("job.toml"), text).expect("written");
    done(npy.path(), &["shot", "job.toml", "--backend", "cpu"]);
    let theirs: Array2<f32> = read_npy(npy.path().join("out/gather.npy")).expect("an array");
    assert_eq!(same, theirs, "with the spacing of the job");
    // Feet round the spacing of the file to 0.03 mm.
    let error = crate::common::gather_error(gather.view(), theirs.view());
    println!("with the spacing of the file, in feet: {error:e}");
    assert!(error < 1e-4, "{error}");
}

#[test]
fn a_model_is_copied_column_by_column_as_from_memory() {
    let folder = folder();
    write(&folder.path().join("a.sgy"), 3, LengthUnit::Metre);
    let convert = |from: &str, to: &str, more: &[&str]| {
        let words = ["model", "convert", from, to, "--force"];
        let output = huygens(folder.path(), &[&words[..], more].concat());
        assert!(output.status.success(), "{from}: {}", said(&output));
        std::fs::read(folder.path().join(to)).expect("written")
    };
    let unit = ["--sample-interval", "mm", "--unit", "ft/s", "--origin", "x=5000,elevation=30"];
    convert("a.sgy", "held.npz", &unit);
    // A file whose traces are in another order cannot be copied so.
    let mut bytes = std::fs::read(folder.path().join("a.sgy")).expect("there");
    let traces = bytes.split_off(3600);
    traces.rchunks(240 + 4 * 60).for_each(|trace| bytes.extend(trace));
    std::fs::write(folder.path().join("reversed.sgy"), bytes).expect("written");
    for to in ["b.rsf", "b.npy", "b.bin", "b.su", "b.sgy"] {
        let held = convert("held.npz", to, &[]);
        assert_eq!(convert("a.sgy", to, &unit), held, "{to}");
        assert_eq!(convert("reversed.sgy", to, &unit), held, "{to}");
    }
}

#[test]
fn a_spacing_that_positions_do_not_hold_is_told() {
    let folder = folder();
    let model = |words: &[&str]| {
        let output = done(folder.path(), &[&["model"], words].concat());
        said(&output)
    };
    let size = ["--nodes", "z=9,x=9", "--spacing", "0.5", "--out", "a.rsf"];
    model(&[&["build", "builtin:homogeneous"], &size[..]].concat());
    let place = ["--origin", "x=500000,y=6700000", "--azimuth", "30"];
    let told = model(&[&["convert", "a.rsf", "b.sgy"], &place[..]].concat());
    assert!(told.contains("too coarse for a spacing of 0.5 m"), "{told}");
    assert!(!model(&["convert", "a.rsf", "c.sgy"]).contains("too coarse"));
}

#[test]
fn missing_properties_are_asked_for() {
    for (model, key, part) in [
        (
            "",
            "spacing",
            "is 20000, and no header field gives its unit; give sample_interval = \"mm\"",
        ),
        ("sample_interval = \"mm\"\nspacing = 20.0", "sample_interval", "leave sample_interval or"),
        ("sample_interval = \"mm\"\naxes = \"xz\"", "axes", "leave axes out"),
        ("sample_interval = \"km\"", "sample_interval", "there is no choice km; there are "),
    ] {
        let (folder, told, done) = run(model);
        assert!(!done && told.contains(part) && told.contains(key), "{model}: {told}");
        assert!(!folder.path().join("out").exists());
    }
}

#[test]
fn a_broken_model_is_named_by_its_field() {
    let folder = folder();
    let path = folder.path().join("model.sgy");
    write(&path, 1, LengthUnit::Metre);
    let bytes = std::fs::read(&path).expect("there");
    std::fs::write(&path, &bytes[..bytes.len() - 7]).expect("written");
    std::fs::write(folder.path().join("job.toml"), job("spacing = 20.0")).expect("written");
    let output = exits(2, folder.path(), &["shot", "job.toml", "--backend", "cpu"]);
    let told = said(&output);
    assert!(told.contains("bytes 3221-3222") && told.contains("model.sgy"), "{told}");
}

#[test]
fn info_refuses_bytes_outside_the_header_too() {
    let folder = folder();
    write(&folder.path().join("a.sgy"), 1, LengthUnit::Metre);
    for (command, fields, parts) in [
        ("model", "xline=239", ["xline is 239", "from 1 to 237"]),
        ("model", "cdp_x=0", ["cdp_x is 0", "from 1 to 237"]),
        ("gather", "group_x=239", ["group_x is 239", "from 1 to 237"]),
        ("gather", "source_x=0", ["source_x is 0", "from 1 to 237"]),
        ("model", "iline=first", ["iline=first", "a name and a number"]),
    ] {
        let output = exits(2, folder.path(), &[command, "info", "a.sgy", "--segy", fields]);
        says(&said(&output), &parts);
    }
    done(folder.path(), &["model", "info", "a.sgy", "--segy", "xline=237"]);
}

#[test]
fn a_volume_in_segy_is_a_3d_job() {
    let folder = folder();
    write(&folder.path().join("model.sgy"), 3, LengthUnit::Metre);
    std::fs::write(folder.path().join("job.toml"), job("sample_interval = \"mm\""))
        .expect("written");
    let output = huygens(folder.path(), &["check", "job.toml"]);
    let told = said(&output);
    assert!(told.contains("the model is 3-D, and y is missing here"), "{told}");
}

#[test]
fn a_gather_is_written_with_the_positions_of_the_plan() {
    let folder = with_job(SMALL);
    done(folder.path(), &["shot", "job.toml", "--backend", "cpu"]);
    let out = folder.path().join("out");
    let gather: Array2<f32> = read_npy(out.join("gather.npy")).expect("an array");
    let mut reader =
        Reader::open(&out.join("gather.sgy"), ReaderOptions::default()).expect("a SEG-Y file");
    assert_eq!((reader.layout().revision, reader.warnings()), (1, [].as_slice()));
    let text = reader.texts()[0].join("\n");
    assert!(text.contains(concat!("modelled by huygens ", env!("CARGO_PKG_VERSION"))), "{text}");
    assert!(text.contains("Job: job.toml"), "{text}");
    assert!(text.contains(" WAVELET ricker 10 Hz, middle at 0.15 s"), "{text}");
    let unit = reader.trace(0).expect("a trace").header.get(trace::VALUE_UNIT);
    assert_eq!(unit, 1, "pascals");
    assert!(text.contains("if the wavelet is in Pa\n"), "{text}");
    let mut reader =
        Reader::open(&out.join("gather.sgy"), ReaderOptions::default()).expect("a SEG-Y file");
    let read = read_gathers(&mut reader, None).expect("a gather").remove(0);
    assert_eq!((read.traces, read.record, read.interval), (gather, 1, 0.002));
    assert_eq!(read.source, Position { x: 800.0, y: 0.0, z: 200.0 });
    assert_eq!(read.receivers.len(), 80);
    assert_eq!(read.receivers[79], Position { x: 1580.0, y: 0.0, z: 0.0 });
}
