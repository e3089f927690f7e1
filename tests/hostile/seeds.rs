//! Small whole files for the fuzzer to start from, in `fuzz/seeds`, a folder a target.

use super::{gathers, jobs, kept, models, whole};
use huygens::{
    grid::Position,
    io::{
        columns, npy, npz,
        segy::{
            ByteOrder, Format, LengthUnit, ModelSpec, Reader, ReaderOptions, Revision, ShotSpec,
            SurveySpec, ValueUnit, read_gathers, read_model, write_gather, write_model,
            write_su_gather, write_su_model,
        },
    },
    model::Placement,
};
use ndarray::{Array2, Array3};
use std::{io::Cursor, path::PathBuf};

fn gather(order: ByteOrder) -> (Array2<f32>, SurveySpec) {
    let receivers = (0..4).map(|n| Position { x: 12.5 * f64::from(n), y: 0.0, z: 5.0 }).collect();
    let source = Position { x: 100.0, y: 0.0, z: 20.0 };
    let spec = SurveySpec {
        text: vec!["a seed".into()],
        shots: vec![ShotSpec { record: 2, source, receivers }],
        samples: 10,
        interval: 0.002,
        format: Format::F32,
        order,
        unit: LengthUnit::Metre,
        bins: None,
        values: ValueUnit::Unknown,
    };
    (Array2::from_shape_fn((4, 10), |(r, t)| (r as f32 - t as f32).sin()), spec)
}

fn model(order: ByteOrder, format: Format, revision: Revision) -> (Array3<f32>, ModelSpec) {
    let text = vec!["a seed".into()];
    let (spacing, interval, unit) = ((25.0, 50.0), 10_000.0, LengthUnit::Metre);
    let spec = ModelSpec {
        text,
        spacing,
        interval,
        revision,
        format,
        order,
        unit,
        placement: Placement::default(),
    };
    (Array3::from_shape_fn((2, 3, 6), |(y, x, z)| 1500.0 + (y + x + z) as f32), spec)
}

/// The target, the name and the bytes of each.
fn seeds() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let (big, little) = (ByteOrder::Big, ByteOrder::Little);
    let (traces, of_big) = gather(big);
    let of_little = gather(little).1;
    let (values, ibm) = model(big, Format::Ibm, Revision::One);
    let two = model(little, Format::F64, Revision::Two).1;
    let depth = ModelSpec { interval: 12.5, ..model(little, Format::F32, Revision::One).1 };
    let written = "written into memory";
    vec![
        ("segy", "gather", write_gather(vec![], traces.view(), of_big.clone()).expect(written)),
        ("segy", "model", write_model(vec![], values.view(), ibm).expect(written)),
        ("segy", "model2", write_model(vec![], values.view(), two).expect(written)),
        ("su", "gather", write_su_gather(vec![], traces.view(), of_little).expect(written)),
        ("su", "big", write_su_gather(vec![], traces.view(), of_big).expect(written)),
        ("su", "model", write_su_model(vec![], values.view(), depth).expect(written)),
        ("rsf", "whole", models::whole_rsf()),
        ("hdf5", "whole", models::whole_hdf5()),
        ("gather_arrays", "npz", gathers::whole("npz")),
        ("gather_arrays", "h5", gathers::whole("h5")),
        ("npy", "plane", whole()),
        ("npz", "stored", models::archive(&[("vp.npy", &whole())], false)),
        ("npz", "deflated", models::archive(&[("vp.npy", &whole()), ("b.npy", &whole())], true)),
        ("columns", "two", b"# t s\n0.0 1e-3\n0.5, -2\n1.0\t3.5\n".to_vec()),
        ("columns", "one", b"1.0\n-2\n".to_vec()),
        ("job", "volume", jobs::JOB.into()),
        ("job", "survey", jobs::SURVEY.into()),
        ("journal", "three", kept::whole_journal()),
        ("state", "plane", kept::whole_state()),
        ("inversion", "plane", kept::whole_inversion()),
        ("kernels", "cpu", kept::whole_choices()),
    ]
}

fn place(target: &str, name: &str) -> PathBuf {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("fuzz/seeds").join(target).join(name)
}

#[test]
#[ignore = "writes fuzz/seeds"]
fn seeds_are_written() {
    for (target, name, bytes) in seeds() {
        let path = place(target, name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, bytes).expect("written");
    }
}

/// A fuzzer that starts from what is refused at once finds little.
#[test]
fn seeds_are_small_and_read() {
    let mut count = 0;
    for (target, name, _) in seeds() {
        let bytes = std::fs::read(place(target, name)).expect("a seed");
        assert!(bytes.len() < 8192, "{target}/{name}");
        let reader = || match target {
            "su" => Reader::new(Cursor::new(&bytes[..]), ReaderOptions::su()),
            _ => Reader::new(Cursor::new(&bytes[..]), ReaderOptions::default()),
        };
        let metre = Some(LengthUnit::Metre);
        match (target, name) {
            ("segy" | "su", "gather" | "big") => {
                let gathers = read_gathers(&mut reader().expect(name), metre).expect(name);
                assert_eq!(gathers[0].traces, gather(ByteOrder::Big).0);
            }
            ("segy" | "su", _) => {
                let read = read_model(&mut reader().expect(name), metre).expect(name);
                assert_eq!(read.values, model(ByteOrder::Big, Format::F32, Revision::One).0);
            }
            ("rsf", _) => assert!(models::read_rsf(&bytes).is_ok()),
            ("hdf5", _) => assert!(models::read_hdf5(&bytes, None).is_ok()),
            ("gather_arrays", _) => assert_eq!(gathers::read(name, &bytes).expect(name).len(), 2),
            ("npy", _) => assert!(npy::parse::<f64>(name, &bytes).is_ok()),
            ("npz", _) => assert!(npz::parse::<f32>(name, Cursor::new(&bytes), Some("vp")).is_ok()),
            ("job", _) => jobs::taken(std::str::from_utf8(&bytes).expect(name)),
            ("journal", _) => assert_eq!(kept::read_journal(&bytes).expect(name).done.len(), 3),
            ("state", _) => assert_eq!(kept::read_state(&bytes).expect(name).shots.len(), 2),
            ("inversion", _) => assert_eq!(kept::read_inversion(&bytes), Ok(())),
            ("kernels", _) => assert!(kept::read_choices(&bytes).is_ok()),
            ("columns", _) => assert!(columns::parse(name, &bytes).is_ok()),
            other => panic!("{other:?} has no reader here"),
        }
        count += 1;
    }
    assert_eq!(count, 21);
}
