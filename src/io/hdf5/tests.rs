use super::*;
use crate::file_axis::FileAxis;
use std::{
    io::{Cursor, SeekFrom},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// v[x][z] of three columns of four nodes, beside coordinates with attributes of their own.
fn file(
    of_values: &[(&str, AttrValue)],
    (z, of_z): ([f64; 4], &[(&str, AttrValue)]),
    values: [f32; 12],
) -> Vec<u8> {
    let mut file = FileBuilder::new();
    let coordinates = [("x", vec![0.0, 20.0, 40.0], &[][..]), ("z", z.to_vec(), of_z)];
    for (name, at, attributes) in coordinates {
        let array = file.create_dataset(name);
        array.with_f64_data(&at).with_shape(&[at.len() as u64]);
        array.set_attr("CLASS", AttrValue::AsciiString("DIMENSION_SCALE".into()));
        for (name, value) in attributes {
            array.set_attr(name, value.clone());
        }
    }
    let array = file.create_dataset("vp");
    array.with_f32_data(&values).with_shape(&[3, 4]);
    for (name, value) in of_values {
        array.set_attr(name, value.clone());
    }
    let mut bytes = Vec::new();
    file.finish_to(&mut bytes).expect("memory");
    bytes
}

const DEPTHS: [f64; 4] = [0.0, 10.0, 20.0, 30.0];
const VALUES: [f32; 12] = [1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12.];

fn read(bytes: Vec<u8>) -> Result<FileArray, Hdf5Error> {
    parse("v.nc", Cursor::new(bytes), None)
}

fn word(word: &str) -> AttrValue {
    AttrValue::AsciiString(word.into())
}

#[test]
fn packed_values_are_unpacked() {
    let packing =
        [("scale_factor", AttrValue::F64(0.5)), ("add_offset", AttrValue::F32Array(vec![100.0]))];
    let found = read(file(&packing, (DEPTHS, &[]), VALUES)).expect("a model");
    assert_eq!(found.values[[0, 0]], 100.5);
    assert_eq!(found.values[[2, 3]], 106.0);
    let plain = read(file(&[], (DEPTHS, &[]), VALUES)).expect("a model");
    assert_eq!(plain.values.as_slice(), Some(VALUES.as_slice()));
    assert_eq!(plain.axes[1].spacing, Some(10.0));
}

#[test]
fn packed_integers_are_named() {
    let packed = |attributes: &[(&str, AttrValue)]| {
        let mut file = FileBuilder::new();
        let array = file.create_dataset("vp");
        array.with_i16_data(&[1; 12]).with_shape(&[3, 4]);
        for (name, value) in attributes {
            array.set_attr(name, value.clone());
        }
        let mut bytes = Vec::new();
        file.finish_to(&mut bytes).expect("memory");
        read(bytes).expect_err("integers").to_string()
    };
    let said = packed(&[("scale_factor", AttrValue::F64(0.1))]);
    assert!(said.contains("vp in v.nc is packed: integers") && said.contains("ncpdq -U"), "{said}");
    assert!(packed(&[]).contains("no array of floats"), "{}", packed(&[]));
}

#[test]
fn missing_values_are_counted_and_their_place_is_named() {
    let fill = [("_FillValue", AttrValue::F32(7.0)), ("missing_value", AttrValue::F64(10.0))];
    let said = read(file(&fill, (DEPTHS, &[]), VALUES)).expect_err("two").to_string();
    for part in
        ["vp in v.nc", "2 of its 12 places", "_FillValue 7, missing_value 10", "x 1 to 2, z 1 to 2"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    let range = [("valid_range", AttrValue::F64Array(vec![2.0, 100.0]))];
    let said = read(file(&range, (DEPTHS, &[]), VALUES)).expect_err("one").to_string();
    assert!(said.contains("1 of its 12 places (a valid range of 2 to 100): x 0, z 0,"), "{said}");
    let mut never = VALUES;
    never[5] = 9.969_21e36;
    let said = read(file(&[], (DEPTHS, &[]), never)).expect_err("one").to_string();
    assert!(said.contains("1 of its 12 places (NaN): x 1, z 1,"), "{said}");
}

/// Heights become depths, from the highest node on.
#[test]
fn a_vertical_axis_runs_down() {
    let top = |z, attributes: &[(&str, AttrValue)]| {
        let found = read(file(&[], (z, attributes), VALUES)).expect("a model");
        assert_eq!(found.axes[1].spacing, Some(10.0));
        (found.values[[0, 0]], found.axes[1].origin, found.warnings.len())
    };
    let (falling, below) = ([30.0, 20.0, 10.0, 0.0], [-30.0, -20.0, -10.0, 0.0]);
    let up = [("positive", word("up"))];
    assert_eq!(top(DEPTHS, &up), (4.0, Some(-30.0), 0));
    assert_eq!(top(falling, &up), (1.0, Some(-30.0), 0));
    assert_eq!(top(DEPTHS, &[("standard_name", word("height"))]), (4.0, Some(-30.0), 0));
    assert_eq!(top(DEPTHS, &[("positive", word("down"))]), (1.0, Some(0.0), 0));
    assert_eq!(top(falling, &[]), (4.0, Some(0.0), 0));
    // Negative numbers are heights, unless the file says that they are depths.
    assert_eq!(top(below, &[]), (4.0, Some(0.0), 1));
    assert_eq!(top(below, &[("positive", word("down"))]), (1.0, Some(-30.0), 0));
}

/// CF names an axis by its attributes.
#[test]
fn a_vertical_axis_may_have_any_name() {
    let label = |name: &str, attributes: &[(&str, &str)]| {
        let attributes = attributes.iter().map(|(name, value)| (name.to_string(), word(value)));
        let axis = FileAxis { label: Some(name.into()), ..FileAxis::default() };
        description::letter(&axis, &attributes.collect())
    };
    let [down, up] = ["down", "up"].map(|way| [("axis", "Z"), ("positive", way)]);
    for name in ["lev", "bathymetry", "x", "depth"] {
        assert_eq!([label(name, &down), label(name, &up)], [Some("z"); 2], "{name}");
    }
    assert_eq!(label("lev", &down[1..]), Some("z"));
    assert_eq!([label("lev", &down[..1]), label("x", &down[1..])], [None; 2]);
    assert_eq!(label("easting", &[("axis", "X")]), Some("x"));
    assert_eq!(label("y", &[("axis", "X")]), None);
}

#[test]
fn classic_netcdf_is_named() {
    let said = read(b"CDF\x01and so on".to_vec()).expect_err("netCDF-3").to_string();
    assert!(said.contains("netCDF-3") && said.contains("nccopy"), "{said}");
}

/// Counts the bytes that are read.
struct Counted(Cursor<Vec<u8>>, Arc<AtomicU64>);

impl Read for Counted {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(into)?;
        self.1.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl Seek for Counted {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

#[test]
fn a_file_of_many_arrays_is_not_read_again_for_each() {
    let mut many = FileBuilder::new();
    many.create_dataset("vp").with_f32_data(&VALUES).with_shape(&[3, 4]);
    for number in 0..1500 {
        many.create_dataset(&format!("pick{number}")).with_f32_data(&[1.0]).with_shape(&[1]);
    }
    let mut bytes = Vec::new();
    many.finish_to(&mut bytes).expect("memory");
    let (length, read) = (bytes.len() as u64, Arc::new(AtomicU64::new(0)));
    let found = parse("v.h5", Counted(Cursor::new(bytes), read.clone()), None).expect("one");
    assert_eq!(found.values.shape(), [3, 4]);
    let read = read.load(Ordering::Relaxed);
    assert!(read < 20 * length, "{read} bytes of {length}");
}
