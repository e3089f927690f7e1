//! The axes, quantities and units of pictures: each is what the library draws with the right ones.

use crate::{
    pictures::text,
    rtm,
    run::{SMALL, done, folder, refused, says, with_job},
};
use huygens::{
    grid::{PlaneAxes, Position},
    io::{
        gather_file,
        segy::{
            ByteOrder, Format, Gather, IntervalUnit, LengthUnit, ModelSpec, Revision, write_model,
            write_su_model,
        },
    },
    model::{Placement, builtin},
    operations::rtm::files::clip,
    render::{
        Backdrop, Figure, FigureSize, Gain, GatherFigure, Marks, Plane, Quantity, SampleAxis,
        SnapshotFigure,
    },
};
use ndarray::{Array2, Array3, Axis};
use ndarray_npy::read_npy;
use std::{fs, path::Path};

/// A picture shows a figure, pixel by pixel.
fn shows(path: &Path, figure: &dyn Figure) -> bool {
    let drawn = figure.draw(FigureSize::default()).expect("a figure");
    let own = image::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    own.to_rgb8().as_raw().as_slice() == drawn.bytes()
}

/// An image over 21 columns, 25 m apart, and 31 depths.
fn image_values() -> Array3<f32> {
    Array3::from_shape_fn((1, 21, 31), |(_, x, z)| (x as f32 * 0.3).sin() * (z as f32 * 0.5).cos())
}

/// A file of its depths, 80 m apart, below one.
fn image_spec(depth: f64) -> ModelSpec {
    let (unit, interval) = IntervalUnit::of(80.0);
    ModelSpec {
        text: vec![unit.line()],
        spacing: (25.0, 25.0),
        interval,
        revision: Revision::default(),
        format: Format::F32,
        order: ByteOrder::Big,
        unit: LengthUnit::Metre,
        placement: Placement {
            origin: Position { z: depth, ..Position::default() },
            ..Placement::default()
        },
    }
}

#[test]
fn samples_of_depth_have_an_axis_of_depth() {
    let (folder, values) = (folder(), image_values());
    let at = |name: &str| folder.path().join(name);
    let sgy = write_model(Vec::new(), values.view(), image_spec(0.0)).expect("traces");
    fs::write(at("image.sgy"), sgy).expect("written");
    let spec = ModelSpec { interval: 80.0, ..image_spec(200.0) };
    let su = write_su_model(Vec::new(), values.view(), spec).expect("traces");
    fs::write(at("image.su"), su).expect("written");
    let figure = |title: &str, samples: SampleAxis, interval: f64| GatherFigure {
        traces: values.index_axis(Axis(0), 0),
        quantity: Quantity::AMPLITUDE,
        samples,
        interval,
        positions: (0..21).map(|x| 25.0 * f64::from(x)).collect(),
        across: "x (km)".into(),
        title: title.into(),
        gain: Gain::default(),
        largest: None,
        zero_line: false,
    };
    let below = |from| SampleAxis::Depth { from };
    for (file, more, samples, interval) in [
        ("image.sgy", &[][..], below(0.0), 80.0),
        ("image.su", &[], below(200.0), 80.0),
        ("image.sgy", &["--depth", "12.5"], below(0.0), 12.5),
    ] {
        let words = ["gather", "plot", file, "--out", "image.png", "--force"];
        done(folder.path(), &[&words, more].concat());
        assert!(shows(&at("image.png"), &figure(file, samples, interval)), "{file} {more:?}");
        let of_time = figure(file, SampleAxis::Time, interval);
        assert!(!shows(&at("image.png"), &of_time), "the test sees the axis");
    }
    // The user may say that samples are times, and may not choose records of depths.
    let words = ["gather", "plot", "image.sgy", "--out", "time.png"];
    done(folder.path(), &[&words[..], &["--interval", "0.004"]].concat());
    let said = refused(folder.path(), &[&words[..], &["--force", "--records", "1"]].concat());
    says(&said, &["image.sgy are depths", "leave --records"]);
    let said = refused(folder.path(), &[&words[..], &["--force", "--depth", "0"]].concat());
    says(&said, &["metres above 0"]);
}

#[test]
fn a_recording_of_an_unknown_source_has_distances() {
    let folder = folder();
    let receivers: Vec<Position> = (0..9)
        .map(|k| Position {
            x: 448_000.0 + 30.0 * f64::from(k),
            y: 3_448_000.0 + 40.0 * f64::from(k),
            z: 0.0,
        })
        .collect();
    let traces = Array2::from_shape_fn((9, 50), |(r, t)| ((r + t) as f32 * 0.4).sin());
    let passive = Gather {
        record: 3,
        source: Position::default(),
        receivers,
        traces,
        interval: 0.004,
        start: 0.0,
    };
    let known = Gather { source: passive.receivers[2], record: 4, ..passive.clone() };
    let distances: Vec<f64> = (0..9).map(|k| 50.0 * f64::from(k)).collect();
    let offsets: Vec<f64> = distances.iter().map(|at| at - 100.0).collect();
    for (gather, positions, across) in
        [(&passive, distances, "Distance along the line (km)"), (&known, offsets, "Offset (km)")]
    {
        for ending in ["npz", "sgy"] {
            let name = format!("record-{}.{ending}", gather.record);
            let path = folder.path().join(&name);
            gather_file::write(&path, std::slice::from_ref(gather), false, &|| false)
                .expect("written");
            done(folder.path(), &["gather", "plot", &name, "--out", "plot.png", "--force"]);
            let figure = GatherFigure {
                traces: gather.traces.view(),
                quantity: Quantity::AMPLITUDE,
                samples: SampleAxis::Time,
                interval: gather.interval,
                positions: positions.clone(),
                across: across.into(),
                title: format!("{name}, record {}", gather.record),
                gain: Gain::default(),
                largest: None,
                zero_line: false,
            };
            assert!(shows(&folder.path().join("plot.png"), &figure), "{name}");
        }
    }
}

/// The figure of a map over the built-in layers, with the picture's own title.
fn over_layers<'a>(
    picture: &Path,
    map: &'a Array2<f32>,
    velocity: &'a Array2<f32>,
    h: f64,
) -> SnapshotFigure<'a> {
    let (nx, nz) = map.dim();
    let last = Position { x: (nx - 1) as f64 * h, y: 0.0, z: (nz - 1) as f64 * h };
    SnapshotFigure {
        plane: Plane::Xz,
        wavefield: map.view(),
        quantity: Quantity::IMAGE,
        velocity: velocity.view(),
        backdrop: Backdrop::default(),
        largest: None,
        extent: Plane::Xz.extent(last),
        title: text(picture, "Title"),
        marks: Marks::default(),
    }
}

fn layers(n: (usize, usize), h: f64) -> Array2<f32> {
    let nodes = PlaneAxes { x: n.0, z: n.1 };
    let model = builtin("layers", Some(nodes), Some(PlaneAxes { x: h, z: h })).expect("a model");
    model.velocity().index_axis(Axis(0), 0).to_owned()
}

#[test]
fn an_image_is_not_called_reflectivity() {
    let job = rtm::JOB
        .replace("duration = 0.4", "duration = 0.2")
        .replace("count = 3", "count = 1")
        .replace("smooth = 80.0", "");
    let folder = with_job(job);
    done(folder.path(), &["rtm", "job.toml", "--backend", "cpu", "--out", "rtm"]);
    let at = |name: &str| folder.path().join(name);
    let image: Array2<f32> = read_npy(at("rtm/image.npy")).expect("an image");
    let (picture, velocity) = (at("rtm/image.png"), layers((81, 61), 10.0));
    let figure = over_layers(&picture, &image, &velocity, 10.0);
    let figure = SnapshotFigure { largest: clip(image.view()), ..figure };
    assert!(shows(&picture, &figure));
    let other = SnapshotFigure { quantity: Quantity::REFLECTIVITY, ..figure };
    assert!(!shows(&picture, &other), "the test sees the quantity");
}

#[test]
fn a_section_that_is_sent_back_has_no_unit() {
    let folder = with_job(SMALL);
    let cpu = ["--backend", "cpu"];
    done(folder.path(), &[&["zero-offset", "job.toml", "--out", "there"][..], &cpu].concat());
    let back = ["zero-offset", "job.toml", "--migrate", "there/section.npy", "--out", "back"];
    done(folder.path(), &[&back[..], &cpu].concat());
    let at = |name: &str| folder.path().join(name);
    let velocity = layers((80, 60), 20.0);
    let receivers = (0..80).map(|x| (20.0 * f64::from(x), 0.0)).collect();
    let marks = Marks { receivers, ..Marks::default() };
    for (map, quantity) in
        [("there/reflectivity", Quantity::REFLECTIVITY), ("back/image", Quantity::AMPLITUDE)]
    {
        let values: Array2<f32> = read_npy(at(&format!("{map}.npy"))).expect("a map");
        let picture = at(&format!("{map}.png"));
        let figure = SnapshotFigure {
            quantity,
            marks: marks.clone(),
            ..over_layers(&picture, &values, &velocity, 20.0)
        };
        assert!(shows(&picture, &figure), "{map}");
    }
}
