//! Models in the files of other programs, which `data/make.py` makes, and our own read again.

use huygens::{
    grid::Axes,
    io::{
        hdf5,
        model_file::{Format, ModelFile, ReadOptions},
        vti,
    },
    model::{ModelQuantity, Placement, VelocityModel},
};
use ndarray::{Array2, Array3};
use std::{io::Cursor, path::Path};

fn open(name: &str, options: ReadOptions<'_>) -> Result<ModelFile, String> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/data");
    ModelFile::open(&data.join(name), options).map_err(|error| error.to_string())
}

/// The model of a file, with the axes given where the file does not name them.
fn model(file: ModelFile, axes: Option<&str>) -> VelocityModel {
    let given = axes.map(|axes| axes.parse().expect("an order"));
    let order = file.order(given.as_ref()).expect("an order");
    let h = file.spacing(&order).expect("a spacing");
    let unit = file.value_unit().expect("a unit");
    file.model(&order, h, unit).expect("a model")
}

/// v[x][z] = 1500 + 10 x + z, x 20 m apart and z 10 m.
fn is_the_model(model: &VelocityModel, within: f32) {
    let (n, h) = (model.grid().n, model.grid().h);
    assert_eq!((n.x, n.z), (6, 5));
    assert!((h.x - 20.0).abs() < 1e-9 && (h.z - 10.0).abs() < 1e-9, "{h:?}");
    for ((_, x, z), v) in model.velocity().indexed_iter() {
        let wanted = 1500.0 + 10.0 * x as f32 + z as f32;
        assert!((v - wanted).abs() <= within, "{v} at {x}, {z}, not {wanted}");
    }
}

#[test]
fn an_array_of_h5py_is_found_in_its_group_with_its_attributes() {
    let file = open("h5py.h5", ReadOptions::default()).expect("the only one");
    assert_eq!(file.unit.as_deref(), Some("m/s"));
    assert_eq!(file.axes[0].origin, Some(100.0));
    let said = file.order(None).expect_err("the axes have no names").to_string();
    assert!(said.contains("does not name its axes"), "{said}");
    is_the_model(&model(file, Some("xz")), 0.0);
}

#[test]
fn one_of_several_arrays_is_named() {
    let said = open("two.h5", ReadOptions::default()).expect_err("which?");
    assert!(said.contains("rho, vp") && said.contains("array = \"rho\""), "{said}");
    let named = |array| ReadOptions { array: Some(array), ..ReadOptions::default() };
    let said = open("two.h5", named("vs")).expect_err("none");
    assert!(said.contains("none is called \"vs\""), "{said}");
    let file = open("two.h5", named("vp")).expect("an array");
    assert_eq!(file.values.as_slice().map(|v| (v[0], v[29])), Some((1500.0, 1554.0)));
    let said = open("h5py.h5", named("index")).expect_err("integers");
    assert!(said.contains("index in") && said.contains("i32"), "{said}");
}

#[test]
fn coordinates_of_netcdf_are_the_axes() {
    let file = open("netcdf4.nc", ReadOptions::default()).expect("the only one");
    assert_eq!((file.axes[0].origin, file.axes[1].unit.as_deref()), (Some(100.0), Some("km")));
    assert_eq!(file.warnings, Vec::<String>::new());
    is_the_model(&model(file, None), 0.0);
}

/// Groups of the oldest kind have an entry without an address for each soft link.
#[test]
fn an_array_beside_soft_links_is_read() {
    let file = open("soft.h5", ReadOptions::default()).expect("the only one");
    assert_eq!(file.values.as_slice().map(|v| (v[0], v[29])), Some((1500.0, 1554.0)));
    let alias = ReadOptions { array: Some("alias"), ..ReadOptions::default() };
    let said = open("soft.h5", alias).expect_err("a link");
    assert!(said.contains("none is called \"alias\"") && said.contains("run/vp"), "{said}");
}

/// Hard links back to groups above, which would be listed for ever.
#[test]
fn a_circle_of_groups_is_listed_once() {
    let file = open("circle.h5", ReadOptions::default()).expect("the only one");
    assert_eq!(file.shape, [6, 5]);
    let other = ReadOptions { array: Some("vs"), ..ReadOptions::default() };
    let said = open("circle.h5", other).expect_err("no such array");
    assert!(said.contains("the arrays run/vp, and none is called \"vs\""), "{said}");
}

#[test]
fn dimension_scales_are_the_axes_and_one_time_is_left_out() {
    let file = open("scales.h5", ReadOptions::default()).expect("the only one");
    assert_eq!(file.shape, [6, 5]);
    assert_eq!((file.axes[0].origin, file.axes[1].unit.as_deref()), (Some(100.0), Some("km")));
    is_the_model(&model(file, None), 1e-3);
    // As they are named, a model of one plane is refused.
    let axes = "yxz".parse().expect("an order");
    let file = open("scales.h5", ReadOptions { axes: Some(&axes), ..ReadOptions::default() });
    let said = file.expect("an array").order(Some(&axes)).expect_err("one plane").to_string();
    assert!(said.contains("[1, 6, 5]"), "{said}");
}

#[test]
fn layouts_of_newer_hdf5_are_named() {
    for name in ["layout5.h5", "btree2.h5"] {
        let said = open(name, ReadOptions::default()).expect_err("newer");
        assert!(said.contains("newer HDF5") && said.contains("libver=\"earliest\""), "{said}");
    }
}

#[test]
fn squared_slowness_of_judi_becomes_velocity() {
    let file = open("judi.h5", ReadOptions::default()).expect("the only one");
    assert_eq!(file.unit.as_deref(), Some("s2/km2"));
    assert!(file.warnings.iter().any(|told| told.contains("JUDI")), "{:?}", file.warnings);
    is_the_model(&model(file, Some("zx")), 1e-3);
}

#[test]
fn packed_traces_are_read() {
    let millimetres = ReadOptions { sample_interval: Some(1e-3), ..ReadOptions::default() };
    let file = open("segyio.sgy.gz", millimetres).expect("a model");
    assert_eq!(file.format, Format::Segy);
    assert_eq!(file.axes[1].spacing, Some(10.0));
    let first: Vec<_> = file.values.iter().copied().take(6).collect();
    assert_eq!(first, [1500.0, 1501.0, 1502.0, 1503.0, 1504.0, 1510.0]);
    let said = ModelFile::open(Path::new("v.npy.gz"), ReadOptions::default());
    assert!(said.expect_err("packed").to_string().contains("gunzip"));
}

#[test]
fn an_hdf5_of_ours_comes_back_as_it_was() {
    let values = Array3::from_shape_fn((2, 6, 5), |(y, x, z)| (100 * y + 10 * x + z) as f32);
    let plain = Placement::default();
    let mut bytes = Vec::new();
    hdf5::write(
        &mut bytes,
        values.view().into_dyn(),
        hdf5::ModelLabels { quantity: ModelQuantity::Velocity, axes: "yxz" },
        [vec![50.0, 20.0, 10.0], vec![0.0; 3]],
        &plain,
    )
    .expect("memory");
    let read = hdf5::parse("v.h5", Cursor::new(bytes), None).expect("ours");
    assert_eq!(read.values, values.into_dyn());
    assert_eq!(read.unit.as_deref(), Some("m/s"));
    let axes: Vec<_> = read.axes.iter().map(|axis| (axis.letter(), axis.spacing)).collect();
    assert_eq!(axes, [(Some('y'), Some(50.0)), (Some('x'), Some(20.0)), (Some('z'), Some(10.0))]);
    // Its shape is the same both ways round.
    let square = Array2::from_shape_fn((4, 4), |(x, z)| (10 * x + z) as f32);
    let mut bytes = Vec::new();
    hdf5::write(
        &mut bytes,
        square.view().into_dyn(),
        hdf5::ModelLabels { quantity: ModelQuantity::Velocity, axes: "xz" },
        [vec![20.0, 10.0], vec![0.0; 2]],
        &plain,
    )
    .expect("memory");
    let read = hdf5::parse("v.h5", Cursor::new(bytes), None).expect("ours");
    assert_eq!(
        read.axes.iter().map(|axis| axis.spacing).collect::<Vec<_>>(),
        [Some(20.0), Some(10.0)]
    );
}

/// vtkXMLImageDataReader of VTK 9.7 takes such a file, with each value at x, y and minus the depth.
#[test]
fn image_data_of_vtk_start_at_the_deepest_node_and_x_is_fastest() {
    let values = Array3::from_shape_fn((2, 3, 4), |(y, x, z)| (100 * y + 10 * x + z) as f32);
    let mut bytes = Vec::new();
    let h = Axes { z: 10.0, x: 20.0, y: 50.0 };
    vti::write(&mut bytes, values.view(), ModelQuantity::Velocity, h, &Placement::default())
        .expect("memory");
    let text = String::from_utf8_lossy(&bytes);
    for part in [
        "Extent=\"0 2 0 1 0 3\"",
        "Origin=\"0 0 -30\"",
        "Spacing=\"20 50 10\"",
        "header_type=\"UInt64\"",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let mark = b"encoding=\"raw\">\n_";
    let at = bytes.windows(mark.len()).position(|part| part == mark).expect("data") + mark.len();
    let (length, data) = bytes[at..].split_at(8);
    assert_eq!(length, (4u64 * 24).to_le_bytes());
    let values: Vec<_> = data[..96].as_chunks().0.iter().map(|v| f32::from_le_bytes(*v)).collect();
    assert_eq!(values[..7], [3.0, 13.0, 23.0, 103.0, 113.0, 123.0, 2.0]);
    assert_eq!(values[23], 120.0);
}
