use super::*;
use ndarray::{Array2, ArrayViewD, arr0, arr1, arr2};
use std::io::Cursor;

fn gather(record: i64) -> Gather {
    let at = |n: i64| Position { x: 5e6 + 0.125 * n as f64, y: -3.0, z: 10.0 * record as f64 };
    Gather {
        record,
        source: Position { x: 100.0 * record as f64, y: 7.0, z: 20.0 },
        receivers: (0..3).map(at).collect(),
        traces: Array2::from_shape_fn((3, 40), |(r, t)| {
            (r as f32 + record as f32 * t as f32).sin()
        }),
        interval: 4e-3,
        start: -0.1 * record as f64,
    }
}

#[test]
fn gathers_come_back_as_they_were() -> Result<(), GatherArraysError> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [npz, h5] = ["g.npz", "g.h5"].map(|name| folder.path().join(name));
    let mut alike = vec![gather(4), gather(9)];
    alike[1].receivers = alike[0].receivers.clone();
    alike[1].start = alike[0].start;
    for gathers in [vec![gather(1)], vec![gather(7)], vec![gather(2), gather(3)], alike] {
        write_npz(&npz, &gathers, true)?;
        assert_eq!(read_npz(&npz)?, gathers);
        write_hdf5(&h5, &gathers, true)?;
        assert_eq!(read_hdf5(&h5)?, gathers);
    }
    let said = write_npz(&npz, &[gather(1)], false).expect_err("it is there").to_string();
    assert!(said.contains("g.npz is there already"), "{said}");
    Ok(())
}

#[cfg(feature = "jobs")]
#[test]
fn a_list_of_receivers_stands_beside_an_array() -> Result<(), GatherArraysError> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [traces, receivers] = ["g.npy", "g.csv"].map(|name| folder.path().join(name));
    let gather = Gather { record: 1, ..gather(5) };
    let Gather { source, interval, start, .. } = gather;
    let described = Described { source, interval, start, metres: 1.0 };
    write_npy(&traces, &receivers, &gather, false)?;
    assert_eq!(read_npy(&traces, &receivers, described)?, gather);
    std::fs::write(&receivers, "x,z\n1,2\n").expect("written");
    let said = read_npy(&traces, &receivers, described).expect_err("one of three").to_string();
    assert!(
        said.ends_with("lists 1 receivers for 3 traces; give one for each trace, in their order")
    );
    Ok(())
}

/// The message of an archive of these arrays.
fn said(arrays: &[(&str, ArrayViewD<'_, f64>)]) -> String {
    let arrays: Vec<_> =
        arrays.iter().map(|(name, of)| ((*name).to_owned(), Array::F64(of.view()))).collect();
    let bytes = npz::bytes(npz::Text { name: "about.txt", text: "" }, &arrays).expect("memory");
    match parse_npz("g.npz", Cursor::new(bytes)) {
        Ok(read) => format!("{} gathers, {:?}", read.len(), read[0]),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_is_missing_or_does_not_fit_is_named() {
    let (traces, interval) = (Array2::zeros((2, 5)), arr0(2e-3));
    let source = arr1(&[1.0, 2.0, 3.0]);
    let receivers = arr2(&[[0.0, 0.0, 5.0], [10.0, 0.0, 5.0]]);
    let all = [
        ("traces", traces.view().into_dyn()),
        ("interval", interval.view().into_dyn()),
        ("source", source.view().into_dyn()),
        ("receivers", receivers.view().into_dyn()),
    ];
    let whole = said(&all);
    assert!(whole.starts_with("1 gathers") && whole.contains("start: 0.0"), "{whole}");
    assert!(whole.contains("record: 1,"), "{whole}");
    for missing in 0..4 {
        let mut rest = all.to_vec();
        let (name, _) = rest.remove(missing);
        let said = said(&rest);
        assert!(said.contains(&format!("and no \"{name}\"; add it: ")), "{said}");
    }
    for (at, array, part) in [
        (
            2,
            arr1(&[1.0, 2.0]).into_dyn(),
            "source in g.npz has the shape [2]; give it the shape [3]",
        ),
        (3, source.clone().into_dyn(), "give it the shape [2, 3]"),
        (0, source.clone().into_dyn(), "[receiver][time] or [record]"),
        (1, source.clone().into_dyn(), "interval in g.npz has the shape [3]"),
        (1, arr0(-1.0).into_dyn(), "interval in g.npz holds -1"),
        (2, arr1(&[1.0, f64::NAN, 2.0]).into_dyn(), "holds NaN"),
        // Three records with their source and receivers in common.
        (0, ndarray::Array3::zeros((3, 2, 5)).into_dyn(), "3 gathers"),
    ] {
        let mut changed = all.to_vec();
        changed[at].1 = array.view();
        let said = said(&changed);
        assert!(said.contains(part), "{part}: {said}");
    }
}

/// NumPy writes what was transposed with its first axis the fastest.
#[test]
fn transposed_arrays_are_read_by_their_axes() {
    let gather = Gather { record: 1, start: 0.0, ..gather(1) };
    let places: Vec<f64> = gather.receivers.iter().flat_map(|at| [at.x, at.y, at.z]).collect();
    let places = Array2::from_shape_vec((3, 3), places).expect("three of three");
    let traces = gather.traces.mapv(f64::from);
    let turned = |array: &Array2<f64>| array.t().as_standard_layout().into_owned();
    let (places, traces) = (turned(&places), turned(&traces));
    let at = gather.source;
    let (interval, source) = (arr1(&[gather.interval]), arr1(&[at.x, at.y, at.z]));
    let arrays = [
        ("traces".to_owned(), Array::F64(traces.t().into_dyn())),
        ("interval".to_owned(), Array::F64(interval.view().into_dyn())),
        ("source".to_owned(), Array::F64(source.view().into_dyn())),
        ("receivers".to_owned(), Array::F64(places.t().into_dyn())),
    ];
    let bytes = npz::bytes(npz::Text { name: "about.txt", text: "" }, &arrays).expect("memory");
    assert!(bytes.windows(21).any(|part| part == b"'fortran_order': True"));
    let read = parse_npz("g.npz", Cursor::new(bytes)).expect("a gather");
    assert_eq!(read, [gather]);
    assert!(read[0].traces.is_standard_layout());
}

#[test]
fn an_hdf5_without_an_array_says_which() {
    let mut file = FileBuilder::new();
    file.create_dataset("traces").with_f32_data(&[0.0; 10]).with_shape(&[2, 5]);
    file.create_dataset("interval").with_f64_data(&[2e-3]).with_shape(&[]);
    let mut bytes = Vec::new();
    file.finish_to(&mut bytes).expect("memory");
    let said = parse_hdf5("g.h5", Cursor::new(bytes)).expect_err("two of four").to_string();
    assert!(said.contains("traces") && said.contains("and no \"source\"; add it: x, y"), "{said}");
}

#[test]
fn records_that_differ_are_not_written_as_one_array() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("g.npz");
    let other = Gather { interval: 2e-3, ..gather(2) };
    let said = write_npz(&path, &[gather(1), other], false).expect_err("another interval");
    assert_eq!(
        said.to_string(),
        "the interval of record 2 is 0.002 s, and that of the first is 0.004 s; write each record to its own file"
    );
    assert!(matches!(write_npz(&path, &[], false), Err(GatherArraysError::None)));
    assert!(!path.exists());
}
