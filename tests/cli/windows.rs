//! Jobs with a window around each shot.

use crate::{
    run::{done, json, printed, says, with_job},
    survey::refuses,
};
use ndarray::{Array2, Array3};
use ndarray_npy::read_npy;
use std::{fs, path::Path};

/// Six shots whose windows are half as wide as the model.
const JOB: &str = r#"
[model]
velocity = "builtin:layers"
nodes = { z = 60, x = 160 }
spacing = 20.0

[time]
duration = 0.5
step = 0.002

[window]
margin = 300.0

[survey]
wavelet = { kind = "ricker", peak_hz = 10.0 }
line = { first = { x = 600.0, z = 40.0 }, increment = { x = 400.0 }, count = 6 }
spread = { offsets = { first = -400.0, increment = 40.0, count = 21 }, z = 20.0 }

[rtm]
conditions = ["cross-correlation"]
offsets = { along = "x", most = 80.0 }
"#;

fn of<'a>(command: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&[command, "job.toml", "--backend", "cpu", "--no-pictures"], more].concat()
}

#[test]
fn check_says_how_large_windows_are_and_when_waves_return() {
    let folder = with_job(JOB);
    let text = done(folder.path(), &["check", "job.toml", "--backend", "cpu"]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    // 800 m of receivers and 300 m on either side are 71 nodes; 20 cells of layer on each side.
    says(&text, &["71 x 60 nodes, 111 x 100 with the layers: 1/1.8 of the model's", "from 0."]);
    let report =
        printed(&done(folder.path(), &["check", "job.toml", "--backend", "cpu", "--json"]));
    let windows = &report["windows"];
    assert_eq!(
        (windows["nodes"]["x"].as_u64(), windows["nodes"]["z"].as_u64()),
        (Some(71), Some(60))
    );
    // From the source 300 m beyond the last receiver and back, at 1500 to 4500 m/s.
    let returns = windows["earliest_return"].as_f64().expect("a time");
    assert!((600.0 / 4500.0..1000.0 / 1500.0).contains(&returns), "{returns}");
}

/// Images lie at the windows' places, in files as large as the model; tasks and an unbroken run have
/// the same bits.
#[test]
fn tasks_with_windows_are_stacked_to_the_bits_of_one_run() {
    let folder = with_job(JOB);
    let path = folder.path();
    done(path, &of("rtm", &["--out", "whole"]));
    for task in ["1/2", "2/2"] {
        done(path, &of("rtm", &["--out", "tasks", "--task", task]));
    }
    done(path, &of("rtm", &["--out", "tasks", "--merge"]));
    for file in ["image.npy", "offsets-x.npy", "illumination.npy"] {
        let [whole, tasks] = ["whole", "tasks"].map(|out| fs::read(path.join(out).join(file)));
        assert_eq!(whole.expect("a file"), tasks.expect("a file"), "{file}");
    }
    let image: Array2<f32> = read_npy(path.join("whole/image.npy")).expect("an image");
    let gathers: Array3<f32> = read_npy(path.join("whole/offsets-x.npy")).expect("gathers");
    assert_eq!((image.dim(), gathers.dim()), ((160, 60), (9, 160, 60)));
    assert!(image.row(80).iter().any(|v| *v != 0.0));
    // Offset 0 is the image.
    assert_eq!(gathers.index_axis(ndarray::Axis(0), 4), image);
    assert_eq!(json(path.join("whole/run.json"))["window_nodes"]["x"], 71);
}

/// The gradient of one shot is 0 outside of its window.
#[test]
fn what_lies_outside_of_a_window_is_not_touched() {
    let one = JOB.replace("count = 6", "count = 1").replace("x = 600.0", "x = 1600.0");
    let folder = with_job(one);
    let path = folder.path();
    done(path, &of("shot", &["--out", "observed", "--set", "output.snapshots=[0.4]"]));
    let snapshots: Array3<f32> = read_npy(path.join("observed/snapshots.npy")).expect("snapshots");
    let more =
        ["--observed", "observed/gather.npy", "--set", "model.velocity=\"builtin:homogeneous\""];
    done(path, &of("gradient", &[&more[..], &["--out", "gradient"]].concat()));
    let gradient: Array2<f32> = read_npy(path.join("gradient/gradient.npy")).expect("a gradient");
    let snapshot = snapshots.index_axis(ndarray::Axis(0), 0).to_owned();
    for (name, map) in [("gradient", &gradient), ("snapshot", &snapshot)] {
        assert_eq!(map.dim(), (160, 60), "{name}");
        for (x, column) in map.outer_iter().enumerate() {
            let is_inside = (45..=115).contains(&x);
            assert_eq!(column.iter().any(|v| *v != 0.0), is_inside, "{name} at node {x}");
        }
    }
}

#[test]
fn windows_that_cannot_be_are_refused_with_the_least_margin() {
    let folder = with_job(JOB);
    let refused = |set: &str, parts: &[&str]| {
        refuses(folder.path(), &of("shot", &["--set", set]), parts);
    };
    refused("window.margin=0", &["window.margin", "120 m or more"]);
    refused("window.margin=-200", &["window.margin", "120 m or more"]);
    refused("window.margin=100", &["100 m", "120 m or more"]);
    refused("window.depth=20", &["window.depth", "120 m or more"]);
    refused("window={}", &["window", "the table is empty"]);
    refused("window.margin={x=300, y=300}", &["2-D"]);
    refused("boundary.sides={kind=\"zero\"}", &["window", "sides that absorb"]);
    let locate = "[[source]]\nat = { x = 600.0, z = 500.0 }\nwavelet = { kind = \"ricker\", peak_hz = 10.0 }\n";
    let single = JOB.split("[survey]").next().expect("its start").to_owned() + locate;
    let zero_offset = with_job(single + "[receivers]\npoints = [{ x = 600.0, z = 20.0 }]\n");
    let whole = ["window", "needs the whole model"];
    refuses(zero_offset.path(), &of("zero-offset", &[]), &whole);
    write_gather(zero_offset.path());
    let located = ["locate", "job.toml", "--gather", "gather.npy", "--backend", "cpu"];
    refuses(zero_offset.path(), &located, &whole);
}

/// A recording of one receiver.
fn write_gather(folder: &Path) {
    let gather = Array2::from_shape_fn((1, 101), |(_, n)| (0.1 * n as f32).sin());
    ndarray_npy::write_npy(folder.join("gather.npy"), &gather).expect("written");
}
