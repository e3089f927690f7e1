//! Files of models: whole ones are read, others refused by the field that is wrong.

use flate2::{Compression, write::GzEncoder};
use huygens::io::{
    file_axis::{FileArray, FileAxis},
    hdf5,
    model_file::{ModelFile, ReadOptions},
    model_unit::ModelUnit,
    npy, npz, raw,
    rsf::{self, Description, RsfError},
};
use huygens::model::{ModelQuantity, Placement};
use ndarray::{Array2, ArrayD};
use proptest::{prelude::*, test_runner::RngSeed};
use std::io::{Cursor, Read, Seek, SeekFrom, Write};

fn array() -> ArrayD<f32> {
    Array2::from_shape_fn((7, 5), |(x, z)| 1500.0 + (x * 5 + z) as f32).into_dyn()
}

fn axis(label: &str, spacing: f64) -> FileAxis {
    let (label, unit) = (Some(label.into()), Some("m".into()));
    FileAxis { label, unit, origin: Some(0.0), spacing: Some(spacing) }
}

pub fn whole_rsf() -> Vec<u8> {
    let axes = [axis("X", 20.0), axis("Depth", 10.0)];
    let description = Description {
        axes: &axes,
        label: "Velocity",
        unit: "m/s",
        placement: Placement::default(),
    };
    rsf::whole(array().view(), description)
}

/// Files of h5py, netCDF and JUDI.
const HDF5: [&[u8]; 6] = [
    include_bytes!("../formats/data/h5py.h5"),
    include_bytes!("../formats/data/two.h5"),
    include_bytes!("../formats/data/netcdf4.nc"),
    include_bytes!("../formats/data/judi.h5"),
    include_bytes!("../formats/data/soft.h5"),
    include_bytes!("../formats/data/scales.h5"),
];

pub fn whole_hdf5() -> Vec<u8> {
    let mut bytes = Vec::new();
    hdf5::write(
        &mut bytes,
        array().view(),
        hdf5::ModelLabels { quantity: ModelQuantity::Velocity, axes: "xz" },
        [vec![20.0, 10.0], vec![0.0; 2]],
        &Placement::default(),
    )
    .expect("memory");
    bytes
}

/// Reads bytes as an HDF5 file.
pub fn read_hdf5(bytes: &[u8], wanted: Option<&str>) -> Result<FileArray, hdf5::Hdf5Error> {
    hdf5::parse("v.h5", Cursor::new(bytes.to_vec()), wanted)
}

#[test]
fn an_hdf5_cut_anywhere_is_refused() {
    let bytes = whole_hdf5();
    assert_eq!(read_hdf5(&bytes, None).expect("a whole file").values, array());
    for end in 0..bytes.len() {
        assert!(read_hdf5(&bytes[..end], None).is_err(), "cut at {end}");
    }
    for bytes in HDF5 {
        for end in (0..bytes.len()).step_by(13) {
            assert!(read_hdf5(&bytes[..end], Some("vp")).is_err(), "cut at {end}");
        }
    }
}

/// The shape in the file, its first axis 2^40 instead of 7.
#[test]
fn an_hdf5_that_promises_more_than_it_has_is_refused() {
    let mut bytes = whole_hdf5();
    let shape: Vec<u8> = [7u64, 5].iter().flat_map(|n| n.to_le_bytes()).collect();
    let at = bytes.windows(16).position(|part| part == shape).expect("the shape is in the file");
    bytes[at..at + 8].copy_from_slice(&(1u64 << 40).to_le_bytes());
    assert!(read_hdf5(&bytes, None).is_err());
}

#[test]
fn packed_traces_that_are_damaged_are_refused() {
    let whole = include_bytes!("../formats/data/segyio.sgy.gz");
    assert!(open(whole, "sgy.gz").is_ok());
    for end in 0..whole.len() {
        assert!(open(&whole[..end], "sgy.gz").is_err(), "cut at {end}");
    }
    let said = open(b"no gzip", "su.gz").expect_err("no gzip");
    assert!(said.contains("packed by gzip") && said.contains("gunzip"), "{said}");
    // 300 MB of zeros in 0.3 MB.
    let mut bomb = GzEncoder::new(Vec::new(), Compression::fast());
    (0..300).for_each(|_| bomb.write_all(&[0; 1 << 20]).expect("packed"));
    let said = open(&bomb.finish().expect("packed"), "sgy.gz").expect_err("a bomb");
    assert!(said.contains("more than 268435456 bytes") && said.contains("gunzip"), "{said}");
}

/// Reads bytes as an RSF file.
pub fn read_rsf(bytes: &[u8]) -> Result<FileArray, RsfError> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("v.rsf");
    std::fs::write(&path, bytes).expect("written");
    rsf::read(&path)
}

fn text_rsf(text: &str, data: usize) -> Vec<u8> {
    [text.as_bytes(), b"\x0c\x0c\x04", &vec![0x40; data]].concat()
}

#[test]
fn an_rsf_comes_back_as_it_was() {
    let rsf = read_rsf(&whole_rsf()).expect("a whole file");
    assert_eq!(rsf.values, array());
    assert_eq!(rsf.axes, [axis("X", 20.0), axis("Depth", 10.0)]);
    assert_eq!((rsf.unit.as_deref(), rsf.data), (Some("m/s"), None));

    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.path().join(name), bytes).expect("written");
    };
    // By hand, as Madagascar writes it: big-endian, data elsewhere, a history.
    let big: Vec<u8> = array().iter().flat_map(|v| v.to_be_bytes()).collect();
    write("data@", &big);
    let header = "sfspike\tx:\tme@here\n\tn1=3\n\tn1=5 n2=7 d1=0.01 unit1=km label1=\"Depth\"\n\
                  \tdata_format=\"xdr_float\" esize=4 in=\"./data@\"\n";
    write("v.rsf", header.as_bytes());
    let rsf = rsf::read(&folder.path().join("v.rsf")).expect("a whole file");
    assert_eq!(rsf.values, array());
    assert_eq!(rsf.axes[1].spacing, Some(0.01));
    assert!(rsf.data.is_some_and(|data| data.ends_with("data@")));
    // The same bytes in the other order are other numbers.
    write("v.rsf", header.replace("xdr", "native").as_bytes());
    assert_ne!(rsf::read(&folder.path().join("v.rsf")).expect("floats").values, array());
    std::fs::remove_file(folder.path().join("data@")).expect("removed");
    let said = rsf::read(&folder.path().join("v.rsf")).expect_err("no data").to_string();
    assert!(said.contains("in=\"./data@\"") && said.contains("bring the data"), "{said}");
}

#[test]
fn an_rsf_cut_anywhere_is_refused() {
    let bytes = whole_rsf();
    for end in 0..bytes.len() {
        assert!(read_rsf(&bytes[..end]).is_err(), "cut at {end}");
    }
    assert!(read_rsf(&[bytes, vec![0]].concat()).is_err(), "a byte too many");
}

#[test]
fn fields_that_will_not_do_are_named() {
    let refused = |text: &str, parts: &[&str]| {
        let said = read_rsf(&text_rsf(text, 60)).expect_err(text).to_string();
        for part in parts {
            assert!(said.contains(part), "\"{part}\" in: {said}");
        }
    };
    assert!(read_rsf(&text_rsf("n1=3 n2=5 in=stdin", 60)).is_ok());
    refused("n1=3 n2=5", &["no in=", "stdin"]);
    refused("n1=3 n2=5 in=\"\"", &["in=\"\""]);
    refused("in=stdin", &["no n1="]);
    refused("n1=3 n3=5 in=stdin", &["no n2=", "n3"]);
    for n in ["0", "-5", "1.5", "five", "", "99999999999999999999999"] {
        refused(&format!("n1=3 n2={n} in=stdin"), &[&format!("n2={n}"), "1 or more"]);
    }
    refused(
        "n1=3 n2=9223372036854775807 n3=9223372036854775807 in=stdin",
        &["n2=9223372036854775807", "the most"],
    );
    refused("n1=3 n2=1000000000 in=stdin", &["n1=3, n2=1000000000", "12000000000 bytes", "60"]);
    refused("n1=3 n2=5 esize=8 in=stdin", &["esize=8", "esize=4"]);
    for format in ["ascii_float", "native_complex", "native_int"] {
        refused(&format!("n1=3 n2=5 data_format={format} in=stdin"), &[format, "sfdd"]);
    }
    for d in ["nan", "inf", "ten"] {
        refused(&format!("n1=3 n2=5 d2={d} in=stdin"), &[&format!("d2={d}"), "finite number"]);
    }
    refused("n1=3 n2=5 in=/", &["in=\"/\"", "no plain file"]);
    let long = read_rsf(&vec![b' '; 3 << 20]).expect_err("no header").to_string();
    assert!(long.contains("1048576 bytes"), "{long}");
}

#[test]
fn a_raw_file_has_the_size_of_its_shape() {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(
        file.path(),
        array().iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>(),
    )
    .expect("written");
    assert_eq!(raw::read(file.path(), &[7, 5]).expect("an array"), array());
    for shape in [&[7usize, 4] as &[usize], &[7, 0], &[usize::MAX, 2], &[usize::MAX / 4, 1]] {
        assert!(raw::read(file.path(), shape).is_err(), "{shape:?}");
    }
    let said = raw::read(file.path(), &[7, 6]).expect_err("too few").to_string();
    assert!(said.contains("140 bytes") && said.contains("168"), "{said}");
    assert!(raw::read(std::path::Path::new("/"), &[7, 5]).is_err());
}

/// An archive of entries, deflated or not.
pub fn archive(entries: &[(&str, &[u8])], packed: bool) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let method =
        if packed { zip::CompressionMethod::Deflated } else { zip::CompressionMethod::Stored };
    let options = zip::write::SimpleFileOptions::default().compression_method(method);
    for (name, bytes) in entries {
        zip.start_file(*name, options).expect("an entry");
        zip.write_all(bytes).expect("written");
    }
    zip.finish().expect("an archive").into_inner()
}

fn read_npz(bytes: &[u8], wanted: Option<&str>) -> Result<ArrayD<f64>, npz::NpzError> {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), bytes).expect("written");
    npz::read(file.path(), wanted)
}

#[test]
fn an_array_of_an_archive_is_read_by_its_name() {
    let one = npy::bytes(array().view());
    let two = npy::bytes(Array2::<f32>::zeros((9, 4)).view().into_dyn());
    for packed in [false, true] {
        let only = read_npz(&archive(&[("vp.npy", &one)], packed), None).expect("an array");
        assert_eq!(only.mapv(|v| v as f32), array());
        let both = archive(&[("vp.npy", &one), ("rho.npy", &two)], packed);
        assert_eq!(read_npz(&both, Some("rho")).expect("an array").shape(), [9, 4]);
        let said = read_npz(&both, None).expect_err("which?").to_string();
        assert!(said.contains("rho, vp") && said.contains("array = \"rho\""), "{said}");
        let said = read_npz(&both, Some("vs")).expect_err("none").to_string();
        assert!(said.contains("none is called \"vs\""), "{said}");
        for end in 0..both.len() {
            assert!(read_npz(&both[..end], Some("vp")).is_err(), "cut at {end}");
        }
    }
    assert!(read_npz(&archive(&[("a.txt", b"text")], false), None).is_err());
    // A comment may follow, as long as its length has room for.
    let commented = |length: u16| {
        let mut bytes = archive(&[("vp.npy", &one)], false);
        let end = bytes.len() - 2;
        bytes[end..].copy_from_slice(&length.to_le_bytes());
        bytes.extend(vec![b'#'; length.into()]);
        read_npz(&bytes, None)
    };
    assert_eq!(commented(u16::MAX).expect("an array").shape(), [7, 5]);
    // Bytes that go on for ever, packed small, behind a header that promises little.
    let bomb = [one.clone(), vec![0; 8 << 20]].concat();
    let said =
        read_npz(&archive(&[("vp.npy", &bomb)], true), None).expect_err("a bomb").to_string();
    assert!(said.contains("[7, 5]"), "{said}");
    // 300 MB out of 0.3 MB, as the directory has it.
    let mut state = 1u64;
    let mut byte = || {
        // Knuth's generator of the MMIX.
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    let noise: Vec<u8> = (0..300_000).map(|_| byte()).collect();
    let mut bomb = archive(&[("vp.npy", &noise)], true);
    let entry = bomb.windows(4).rposition(|of| of == b"PK\x01\x02").expect("a directory");
    bomb[entry + 24..entry + 28].copy_from_slice(&300_000_000u32.to_le_bytes());
    let said = read_npz(&bomb, None).expect_err("a bomb").to_string();
    for part in ["300000000 bytes out of", "no more than 268435456", "numpy.savez"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

/// Counts the bytes that are read.
struct Counted<R>(R, u64);

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let read = self.0.read(into)?;
        self.1 += read as u64;
        Ok(read)
    }
}

impl<R: Seek> Seek for Counted<R> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.0.seek(to)
    }
}

#[test]
fn the_end_of_an_archive_is_looked_for_where_it_may_be() {
    let array = npy::bytes(Array2::<f32>::zeros((1024, 1024)).view().into_dyn());
    let whole = archive(&[("vp.npy", &array)], false);
    // Without the record that ends it, and with one before more than a comment may hold.
    let cut = whole[..whole.len() - 22].to_vec();
    let long = [whole, vec![0; 1 << 16]].concat();
    for bytes in [cut, long, vec![0; 4 << 20]] {
        let mut file = Counted(Cursor::new(bytes), 0);
        let said = npz::parse::<f32>("m.npz", &mut file, None).expect_err("no end").to_string();
        assert!(said.contains("the record that ends an archive is not there"), "{said}");
        assert!(file.1 <= 22 + 65_535, "{} bytes are read", file.1);
    }
}

/// Reads bytes as a model of an ending.
fn open(bytes: &[u8], ending: &str) -> Result<ModelFile, String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join(format!("v.{ending}"));
    std::fs::write(&path, bytes).expect("written");
    ModelFile::open(&path, ReadOptions::default()).map_err(|error| error.to_string())
}

#[test]
fn axes_come_from_the_file_and_the_rest_is_asked_for() {
    let file = open(&whole_rsf(), "rsf").expect("a file");
    let order = file.order(None).expect("its labels say so");
    assert_eq!(order.to_string(), "xz");
    let h = file.spacing(&order).expect("carried");
    assert_eq!((h.x, h.z), (20.0, 10.0));
    assert!(file.notes(&order, h).is_empty());
    assert_eq!(file.notes(&"zx".parse().expect("an order"), h).len(), 3, "axes and both spacings");
    let model = file.model(&order, h, ModelUnit::SI).expect("a model");
    assert_eq!(model.velocity()[[0, 6, 4]], 1534.0);

    let text = "n1=3 n2=5 n3=1 d1=10 d2=2 label1=Time unit2=s o2=7 in=stdin";
    let file = open(&text_rsf(text, 60), "rsf").expect("a file");
    assert_eq!(file.values.shape(), [5, 3], "an axis of one sample is left out");
    let said = file.order(None).expect_err("Time is no axis").to_string();
    assert!(said.contains("\"Time\"") && said.contains("slowest first"), "{said}");
    let order = "xz".parse().expect("an order");
    let said = file.spacing(&order).expect_err("seconds").to_string();
    assert!(said.contains("axis x in \"s\""), "{said}");
    assert!(open(b"", "sgz").expect_err("no format").contains("no known format"));
    assert!(open(b"", "bin").expect_err("no shape").contains("nodes"));
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(11),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn damage_never_panics(place: prop::sample::Index, value: u8, other: prop::sample::Index, second: u8) {
        let archive = archive(&[("vp.npy", &npy::bytes(array().view()))], true);
        for (mut bytes, ending) in [(whole_rsf(), "rsf"), (archive, "npz")] {
            let length = bytes.len();
            bytes[place.index(length)] = value;
            bytes[other.index(length)] = second;
            let _ = open(&bytes, ending);
        }
    }

    #[test]
    fn damaged_hdf5_is_read_or_refused(file in 0usize..6, places: [prop::sample::Index; 3], values: [u8; 3]) {
        let mut bytes = HDF5[file].to_vec();
        for (place, value) in places.iter().zip(values) {
            let length = bytes.len();
            bytes[place.index(length)] = value;
        }
        for name in [None, Some("vp")] {
            if let Ok(read) = read_hdf5(&bytes, name) {
                prop_assert!(4 * read.values.len() <= 1032 * bytes.len() + (1 << 16));
            }
        }
    }

    #[test]
    fn any_text_of_fields_is_read_or_refused(text in "(([ndo][0-9]|in|esize|label1)=[-\"'0-9a-z.]{0,8}[ \n]){0,12}", data in 0usize..80) {
        let text = text.replace("in=\"", "in=stdin n1=");
        if let Ok(rsf) = read_rsf(&text_rsf(&text, data)) {
            prop_assert_eq!(4 * rsf.values.len(), data);
        }
    }

    #[test]
    fn bytes_after_an_honest_start_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        for (start, ending) in [
            (b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'shape': (" as &[u8], "npy"),
            (b"PK\x03\x04", "npz"),
            (b"PK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00", "npz"),
            (b"\x89HDF\r\n\x1a\n\0\0\0\0\0\x08\x08\0", "h5"),
            (b"n1=3 n2=5 in=stdin\x0c\x0c\x04", "rsf"),
        ] {
            let _ = open(&[start, &bytes].concat(), ending);
        }
    }

    #[test]
    fn a_cut_array_or_archive_is_refused(end: prop::sample::Index, packed: bool) {
        let array = npy::bytes(array().view());
        prop_assert!(open(&array[..end.index(array.len())], "npy").is_err());
        let archive = archive(&[("vp.npy", &array)], packed);
        prop_assert!(open(&archive[..end.index(archive.len())], "npz").is_err());
    }

    #[test]
    fn any_bytes_are_no_reason_to_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300), a: usize, b: usize) {
        for ending in ["rsf", "npz", "npy", "h5", "nc", "sgy", "su", "sgy.gz", "su.gz"] {
            let _ = open(&bytes, ending);
        }
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        std::fs::write(file.path(), &bytes).expect("written");
        let read = raw::read(file.path(), &[a, b]);
        prop_assert!(read.is_err() || a.checked_mul(b) == Some(bytes.len() / 4));
    }
}
