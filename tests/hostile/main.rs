//! Random damage to input files: an error or a result, never a panic.

mod gathers;
mod jobs;
mod kept;
mod models;
mod seeds;
mod segy;

use huygens::io::{
    columns::{self, ColumnsError},
    npy,
};
use ndarray::Array2;
use proptest::{prelude::*, test_runner::RngSeed};

fn whole() -> Vec<u8> {
    let array = Array2::from_shape_fn((7, 5), |(x, z)| (x * 5 + z) as f32);
    npy::bytes(array.view().into_dyn())
}

/// Reads bytes as a file.
fn read(bytes: &[u8]) -> Result<ndarray::ArrayD<f64>, npy::NpyError> {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), bytes).expect("written");
    npy::read(file.path())
}

#[test]
fn a_whole_file_is_read_and_a_cut_one_is_not() {
    let bytes = whole();
    let array = read(&bytes).expect("a whole file");
    assert_eq!((array.shape(), array[[6, 4]]), ([7, 5].as_slice(), 34.0));
    for end in 0..bytes.len() {
        assert!(read(&bytes[..end]).is_err(), "cut at {end}");
    }
}

/// A file with this header.
fn with_header(text: &str) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes
}

#[test]
fn empty_axes_and_deep_nesting_are_refused() {
    for shape in ["(18446744073709551615, 0)", "(0, 18446744073709551615)", "(0,)"] {
        let text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n");
        assert!(read(&with_header(&text)).is_err(), "{shape}");
    }
    let nested = format!("{{'descr': {}{}, }}\n", "[".repeat(40), "]".repeat(40));
    assert!(read(&with_header(&nested)).is_err());
}

/// Reads bytes as columns of numbers.
fn read_text(bytes: &[u8]) -> Result<columns::Columns, ColumnsError> {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), bytes).expect("written");
    columns::read(file.path())
}

/// 10^9 values and more in a file of a few hundred bytes.
#[test]
fn a_header_that_promises_more_than_the_file_has_is_refused() {
    for shape in ["(1000000000,)", "(1000000000, 1000000000)", "(4294967295, 4294967297)"] {
        let text = format!("{{'descr': '<f8', 'fortran_order': True, 'shape': {shape}, }}\n");
        let said = read(&with_header(&text)).expect_err("no values follow").to_string();
        assert!(said.contains("promises the shape"), "{said}");
    }
}

#[test]
fn text_of_numbers_is_read() {
    let columns =
        read_text(b"# t s\r\n\n 0.0\t1e-3 # first\n0.5,  -2\n 1.0 , 3.5").expect("two columns");
    assert_eq!(columns.values, [1e-3, -2.0, 3.5]);
    assert_eq!(columns.interval, Some(0.5));
    let columns = read_text(b"1\n2\n").expect("a column");
    assert_eq!((columns.values.as_slice(), columns.interval), ([1.0, 2.0].as_slice(), None));
    let long = [b"1.0\n".as_slice(), "x".repeat(1 << 20).as_bytes()].concat();
    let said = read_text(&long).expect_err("a word").to_string();
    assert!(said.len() < 300 && said.contains("line 2"), "{said}");
    let times = "1e308 1.0\n-1e308 1.0\n1e308 0.0\n";
    assert!(read_text(times.as_bytes()).is_err(), "times that overflow are no times");
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(7),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn damage_never_panics(place in 0usize..128, value: u8, second in 0usize..128, other: u8) {
        let mut bytes = whole();
        bytes[place] = value;
        bytes[second] = other;
        let _ = read(&bytes);
    }

    #[test]
    fn any_shape_in_the_header_is_checked_against_the_file(a: u64, b: u64) {
        let text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({a}, {b}), }}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((text.len() as u16).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.extend([0; 140]);
        let read = read(&bytes);
        prop_assert!(read.is_err() || a.checked_mul(b) == Some(35));
    }

    #[test]
    fn damaged_columns_are_read_or_refused(place: prop::sample::Index, value: u8, end: prop::sample::Index) {
        let mut bytes = b"\xef\xbb\xbf# t s\n0.0 1e-3\n0.5, -2\n1.0\t3.5 # last\n".to_vec();
        let length = bytes.len();
        bytes[place.index(length)] = value;
        bytes.truncate(end.index(length) + 1);
        if let Ok(columns) = columns::parse("w.txt", &bytes) {
            prop_assert!(!columns.values.is_empty() && columns.values.iter().all(|v| v.is_finite()));
        }
    }

    #[test]
    fn any_bytes_are_no_reason_to_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(&bytes);
        let _ = read_text(&bytes);
    }

    #[test]
    fn any_text_of_numbers_is_read_or_refused(text in "([-+.0-9eE#, naif]{0,12}\n){0,6}") {
        if let Ok(columns) = read_text(text.as_bytes()) {
            prop_assert!(!columns.values.is_empty() && columns.values.iter().all(|v| v.is_finite()));
        }
    }
}
