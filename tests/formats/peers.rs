//! Our files read by segyio and obspy, and theirs by us. `cargo xtask test --peers` installs both
//! and says in `HUYGENS_PEERS` which Python has them; without it nothing is run.

use crate::samples;
use huygens::{
    grid::Position,
    io::segy::{
        Bins, ByteOrder, Format, IntervalUnit, LengthUnit, ModelSpec, Reader, ReaderOptions,
        Revision, ShotSpec, SurveyFile, SurveySpec, ValueUnit, read_gathers, read_model,
        write_gather, write_model, write_su_gather, write_su_model,
    },
    model::Placement,
};
use ndarray::{Array2, Array3};
use std::{ffi::OsString, path::Path, process::Command};

fn python() -> Option<OsString> {
    let python = std::env::var_os("HUYGENS_PEERS");
    if python.is_none() {
        println!("NOT RUN: segyio and obspy are not here; run cargo xtask test --peers");
    }
    python
}

/// Runs the script beside this file.
fn peers(python: &OsString, what: &str, folder: &Path) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/peers.py");
    let output = Command::new(python).arg(script).arg(what).arg(folder).output().expect("it runs");
    print!("{}", String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The value that the script expects: `value` in peers.py.
pub fn value(trace: usize, sample: usize) -> f32 {
    (trace as f32 - 3.5) * (sample as f32 - 10.0) + 0.25
}

pub const TRACES: usize = 12;
pub const SAMPLES: usize = 25;

fn point(n: usize) -> Position {
    Position { x: 1000.0 + 12.5 * n as f64, y: -200.0, z: 7.5 }
}

/// The format, the byte order, and what they are called in a name. Whole numbers are what integers
/// have.
const KINDS: [(Format, ByteOrder, &str); 4] = [
    (Format::F32, ByteOrder::Big, "5-big"),
    (Format::F32, ByteOrder::Little, "5-little"),
    (Format::Ibm, ByteOrder::Big, "1-big"),
    (Format::Ibm, ByteOrder::Little, "1-little"),
];

#[test]
fn they_read_what_we_write() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (format, order, name) in KINDS {
        let keep = |kind: &str, bytes: Vec<u8>| {
            let path = folder.path().join(format!("{kind}-{name}.sgy"));
            std::fs::write(path, bytes).expect("kept");
        };
        let traces = Array2::from_shape_fn((TRACES, SAMPLES), |(r, t)| value(r, t));
        let spec = gather(format, order);
        keep("gather", write_gather(Vec::new(), traces.view(), spec).expect("written"));
        let values = Array3::from_shape_fn((3, 4, SAMPLES), |(y, x, z)| value(4 * y + x, z));
        let spec = model(format, order);
        keep("model", write_model(Vec::new(), values.view(), spec).expect("written"));
    }
    let values = Array3::from_shape_fn((3, 4, SAMPLES), |(y, x, z)| value(4 * y + x, z));
    let spec =
        ModelSpec { interval: IntervalUnit::of(80.0).1, ..model(Format::F32, ByteOrder::Big) };
    let deep = write_model(Vec::new(), values.view(), spec).expect("written");
    std::fs::write(folder.path().join("deep-5-big.sgy"), deep).expect("kept");
    let survey = SurveyFile::segy(survey()).expect("a survey");
    let mut file = survey.headers().expect("headers");
    // In any order: each shot has its place.
    for shot in [2, 0, 1] {
        let traces = Array2::from_shape_fn((4, SAMPLES), |(r, t)| value(4 * shot + r, t));
        let traces = survey.shot(shot, traces.view()).expect("traces");
        let from = survey.place(shot) as usize;
        file.resize(file.len().max(from + traces.len()), 0);
        file[from..from + traces.len()].copy_from_slice(&traces);
    }
    std::fs::write(folder.path().join("survey-5-big.sgy"), file).expect("kept");
    for order in [ByteOrder::Big, ByteOrder::Little] {
        let end = if order == ByteOrder::Big { "big" } else { "little" };
        let name = |kind: &str| folder.path().join(format!("{kind}-su-{end}.su"));
        let traces = Array2::from_shape_fn((TRACES, SAMPLES), |(r, t)| value(r, t));
        let gather = write_su_gather(Vec::new(), traces.view(), gather(Format::F32, order));
        std::fs::write(name("gather"), gather.expect("written")).expect("kept");
        let values = Array3::from_shape_fn((1, TRACES, SAMPLES), |(_, x, z)| value(x, z));
        let spec = ModelSpec { interval: 12.5, ..model(Format::F32, order) };
        let model = write_su_model(Vec::new(), values.view(), spec).expect("written");
        std::fs::write(name("model"), model).expect("kept");
    }
    peers(&python, "read", folder.path());
}

pub fn gather(format: Format, order: ByteOrder) -> SurveySpec {
    let receivers = (0..TRACES).map(point).collect();
    let source = Position { x: 1500.5, y: 20.0, z: 10.0 };
    SurveySpec {
        text: vec!["a gather of huygens".into()],
        shots: vec![ShotSpec { record: 3, source, receivers }],
        samples: SAMPLES,
        interval: 0.002,
        format,
        order,
        unit: LengthUnit::Metre,
        bins: None,
        values: ValueUnit::Unknown,
    }
}

/// Three shots with four receivers each, over columns of 25 m.
fn survey() -> SurveySpec {
    let at = |x: f64| Position { x, y: 0.0, z: 10.0 };
    let shot = |shot: usize| ShotSpec {
        record: shot as i64 + 1,
        source: at(1000.0 + 100.0 * shot as f64),
        receivers: (0..4).map(|k| at(850.0 + 100.0 * (shot + k) as f64)).collect(),
    };
    SurveySpec {
        text: vec!["a survey of huygens".into()],
        shots: (0..3).map(shot).collect(),
        samples: SAMPLES,
        interval: 0.002,
        format: Format::F32,
        order: ByteOrder::Big,
        unit: LengthUnit::Metre,
        bins: Some(Bins { width: (25.0, 0.0), along_x: 100, placement: Placement::default() }),
        values: ValueUnit::Pascal,
    }
}

fn model(format: Format, order: ByteOrder) -> ModelSpec {
    ModelSpec {
        text: vec!["a model of huygens".into()],
        spacing: (25.0, 50.0),
        interval: 10_000.0,
        revision: Revision::One,
        format,
        order,
        unit: LengthUnit::Metre,
        placement: Placement::default(),
    }
}

#[test]
fn we_read_what_they_write() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    peers(&python, "write", folder.path());
    let mut files: Vec<_> = folder
        .path()
        .read_dir()
        .expect("a folder")
        .map(|entry| entry.expect("a file").path())
        .collect();
    files.sort();
    assert_eq!(files.len(), 16, "{files:?}");
    for file in files {
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let open = || Reader::open(&file, ReaderOptions::default()).expect("a whole file");
        if file.extension().is_some_and(|ending| ending == "su") {
            read_su(&file, name.ends_with("little"));
            continue;
        }
        let parts: Vec<&str> = name.split('-').collect();
        let [peer, kind, code, order] = parts[..] else { panic!("{name}") };
        let mut reader = open();
        println!("{name}: {} warnings", reader.warnings().len());
        let layout = *reader.layout();
        assert_eq!(layout.format.code().to_string(), code, "{name}");
        assert_eq!(reader.order() == ByteOrder::Little, order == "little", "{name}");
        let interval = if kind == "model" { 10_000.0 } else { 2000.0 };
        assert_eq!((layout.samples, layout.interval), (SAMPLES, Some(interval)), "{name}");
        let wanted: Vec<f64> = (0..TRACES)
            .flat_map(|trace| (0..SAMPLES).map(move |sample| f64::from(value(trace, sample))))
            .map(|v| if matches!(code, "1" | "5" | "6") { v } else { v.floor() })
            .collect();
        assert_eq!(samples(&mut reader), wanted, "{name}");
        if kind == "model" {
            let model = read_model(&mut open(), Some(LengthUnit::Metre)).expect("a grid");
            assert_eq!(model.values.dim(), (3, 4, SAMPLES), "{name}");
            assert_eq!(model.spacing, Some((25.0, 50.0)), "{name}");
            assert_eq!(f64::from(model.values[[2, 1, 5]]), wanted[9 * SAMPLES + 5], "{name}");
        } else {
            let gathers = read_gathers(&mut open(), Some(LengthUnit::Metre)).expect("a gather");
            assert_eq!((gathers.len(), gathers[0].record), (1, 3), "{name}");
            assert_eq!(gathers[0].source, Position { x: 1500.5, y: 20.0, z: 10.0 }, "{name}");
            let wanted: Vec<Position> = (0..TRACES).map(point).collect();
            assert_eq!(gathers[0].receivers, wanted, "{name}");
        }
        assert!(matches!(peer, "segyio" | "obspy"));
    }
}

/// A gather of Seismic Unix that obspy wrote.
fn read_su(path: &Path, little: bool) {
    let mut reader = Reader::open(path, ReaderOptions::su()).expect("a whole file");
    assert_eq!(reader.order() == ByteOrder::Little, little, "{path:?}");
    let read = read_gathers(&mut reader, Some(LengthUnit::Metre)).expect("a gather").remove(0);
    assert_eq!(read.traces, Array2::from_shape_fn((TRACES, SAMPLES), |(r, t)| value(r, t)));
    assert_eq!((read.record, read.interval, reader.warnings()), (3, 0.002, [].as_slice()));
    assert_eq!(read.source, Position { x: 1500.5, y: 20.0, z: 10.0 });
    assert_eq!(read.receivers, (0..TRACES).map(point).collect::<Vec<_>>());
}
