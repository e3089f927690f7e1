//! Shots through volumes: what they leave behind, and what is wrong with a job of three dimensions.

use crate::run::{self, SMALL, done, folder, json, names, says, with_job};
use ndarray::{Array2, Array3, Axis};
use ndarray_npy::read_npy;
use std::path::Path;

/// A 3-D job that runs in a moment, on a node everywhere.
const SMALL_3D: &str = r#"
[model]
velocity = "builtin:layers"
nodes = { z = 30, x = 24, y = 20 }
spacing = { z = 20.0, x = 20.0, y = 25.0 }

[time]
duration = 0.2
step = 0.004

[boundary]
sides = { kind = "cpml", cells = 10 }

[[source]]
at = { x = 240.0, z = 100.0, y = 250.0 }
wavelet = { kind = "ricker", peak_hz = 10.0, delay = 0.05 }

[receivers]
grid = { from = { x = 0.0, z = 20.0, y = 0.0 }, to = { x = 460.0, z = 20.0, y = 475.0 }, count = { x = 24, y = 20 } }

[output]
snapshots = [0.1, 0.2]
"#;

/// The small job with a piece of text replaced.
fn changed(from: &str, to: &str) -> String {
    assert!(SMALL_3D.contains(from), "{from}");
    SMALL_3D.replace(from, to)
}

/// Runs a job in a folder, on the CPU; what it wrote is in `out`.
fn run(folder: &Path, job: &str, more: &[&str]) {
    std::fs::write(folder.join("job.toml"), job).expect("written");
    let arguments = ["shot", "job.toml", "--backend", "cpu", "--force"];
    done(folder, &[&arguments, more].concat());
}

#[test]
fn a_shot_writes_planes_and_volumes() {
    let folder = folder();
    let slices = "[output]\nslices = { x = [60.0], y = [475.0, 0.0], z = [180.0, 187.0] }";
    run(folder.path(), &changed("[output]", slices), &[]);
    let out = folder.path().join("out");
    assert_eq!(
        names(&out),
        ["gather-wiggle.png", "gather.npy", "gather.png", "gather.sgy", "run.json", "snapshots"]
    );
    let of = |step: &str| {
        ["-x60.png", "-y0.png", "-y475.png", "-z180.png", ".npy", ".png"]
            .map(|ending| format!("{step}{ending}"))
    };
    assert_eq!(names(&out.join("snapshots")), [of("t0000025"), of("t0000050")].concat());
    for picture in names(&out.join("snapshots")).iter().filter(|name| name.ends_with("png")) {
        let picture = image::open(out.join("snapshots").join(picture)).expect("a picture");
        assert!(picture.width() > 600 && picture.height() > 300);
    }

    // Receivers lie on every node of the plane z = 20 m, so a snapshot's plane is their samples.
    let gather: Array2<f32> = read_npy(out.join("gather.npy")).expect("an array");
    assert_eq!(gather.dim(), (480, 51));
    let field: Array3<f32> = read_npy(out.join("snapshots/t0000025.npy")).expect("an array");
    assert_eq!(field.dim(), (20, 24, 30));
    let plane = field.index_axis(Axis(2), 1);
    assert!(plane.iter().any(|p| p.abs() > 1e-9));
    assert!(plane.iter().zip(gather.column(25)).all(|(field, trace)| field == trace));

    let record = json(out.join("run.json"));
    assert_eq!(record["nodes"], serde_json::json!({ "z": 30, "x": 24, "y": 20 }));
    assert_eq!(record["nodes_with_layers"], serde_json::json!({ "z": 50, "x": 44, "y": 40 }));
    assert_eq!(record["origin"], serde_json::json!({ "z": 10, "x": 10, "y": 10 }));
    assert_eq!(record["spacing"], serde_json::json!({ "z": 20.0, "x": 20.0, "y": 25.0 }));
    assert_eq!(record["job"]["source"][0]["at"]["y"], 250.0);
    assert_eq!(record["receivers"], serde_json::json!([480]));
}

#[test]
fn volumes_are_left_out_where_the_job_says_so() {
    let folder = folder();
    run(folder.path(), &changed("[output]", "[output]\nvolumes = false"), &[]);
    let snapshots = names(&folder.path().join("out/snapshots"));
    assert_eq!(snapshots, ["t0000025.png", "t0000050.png"]);
}

#[test]
fn a_plane_leaves_no_trace_of_y() {
    let folder = folder();
    run(folder.path(), SMALL, &[]);
    let record = std::fs::read_to_string(folder.path().join("out/run.json")).expect("a record");
    assert!(!record.contains("\"y\""), "{record}");
}

#[test]
fn lines_and_points_of_any_azimuth_and_operators_of_their_own() {
    let folder = folder();
    let grid = "grid = { from = { x = 0.0, z = 20.0, y = 0.0 }, to = { x = 460.0, z = 20.0, y = 475.0 }, \
                count = { x = 24, y = 20 } }";
    let oblique = "line = { from = { x = 0.0, z = 20.0, y = 475.0 }, \
                   to = { x = 380.0, z = 20.0, y = 0.0 }, count = 20 }";
    let points = "points = [{ x = 0.0, z = 20.0, y = 475.0 }, { x = 20.0, z = 20.0, y = 450.0 }]";
    let gather = |receivers: &str| -> Array2<f32> {
        run(folder.path(), &changed(grid, receivers), &[]);
        read_npy(folder.path().join("out/gather.npy")).expect("an array")
    };
    let whole = gather(grid);
    let line = gather(oblique);
    assert_eq!(line.dim(), (20, 51));
    for (k, trace) in line.outer_iter().enumerate() {
        assert_eq!(trace, whole.row((19 - k) * 24 + k), "receiver {k} of the line");
    }
    assert_eq!(gather(points), line.slice(ndarray::s![..2, ..]));

    let sinc = |wing: &str| {
        changed(
            "[boundary]",
            &format!("[operator]\nkind = \"windowed-sinc\"\nwing = {wing}\n[boundary]"),
        )
    };
    let mut gathers = Vec::new();
    for wing in ["4", "{ z = 4, x = 4, y = 4 }", "{ z = 4, x = 4, y = 2 }"] {
        run(folder.path(), &sinc(wing), &[]);
        gathers.push(
            read_npy::<_, Array2<f32>>(folder.path().join("out/gather.npy")).expect("an array"),
        );
    }
    assert_eq!(gathers[0], gathers[1]);
    assert_ne!(gathers[1], gathers[2], "y has its own operator");
}

#[test]
fn a_model_file_in_any_order_of_its_axes_is_the_same_model() {
    let folder = folder();
    let ours =
        Array3::from_shape_fn((20, 24, 30), |(y, x, z)| (1500 + 7 * y + 3 * x + 11 * z) as f32);
    let job = changed("nodes = { z = 30, x = 24, y = 20 }\n", "");
    let mut gathers = Vec::new();
    for (axes, order) in
        [("yxz", [0, 1, 2]), ("zxy", [2, 1, 0]), ("xzy", [1, 2, 0]), ("zyx", [2, 0, 1])]
    {
        let array = ours.view().permuted_axes(order);
        let name = format!("{axes}.npy");
        std::fs::write(folder.path().join(&name), huygens::io::npy::bytes(array.into_dyn()))
            .expect("written");
        run(folder.path(), &job, &["--model", &name, "--axes", axes]);
        gathers.push(
            read_npy::<_, Array2<f32>>(folder.path().join("out/gather.npy")).expect("an array"),
        );
    }
    assert!(gathers.windows(2).all(|pair| pair[0] == pair[1]));

    // One spacing on the command line is that of every axis.
    let job =
        job.replace("y = 475.0 }, count", "y = 380.0 }, count").replace("y = 250.0", "y = 200.0");
    run(folder.path(), &job, &["--model", "yxz.npy", "--axes", "yxz", "--spacing", "20"]);
    let record = json(folder.path().join("out/run.json"));
    assert_eq!(record["spacing"], serde_json::json!({ "z": 20.0, "x": 20.0, "y": 20.0 }));
}

/// A stencil that reaches across the whole of a small volume sees zeros beyond it, as at any edge.
#[test]
fn a_volume_smaller_than_the_stencil_runs() {
    let folder = folder();
    let job = changed("nodes = { z = 30, x = 24, y = 20 }", "nodes = { z = 2, x = 3, y = 2 }")
        .replace("[boundary]", "[operator]\nkind = \"taylor\"\norder = 16\n[boundary]")
        .replace("x = 240.0, z = 100.0, y = 250.0", "x = 20.0, z = 0.0, y = 25.0")
        .replace("x = 460.0, z = 20.0, y = 475.0", "x = 40.0, z = 20.0, y = 25.0")
        .replace("count = { x = 24, y = 20 }", "count = { x = 3, y = 2 }");
    run(folder.path(), &job, &[]);
    let gather: Array2<f32> = read_npy(folder.path().join("out/gather.npy")).expect("an array");
    assert!(gather.iter().any(|p| *p != 0.0) && gather.iter().all(|p| p.is_finite()));
}

/// Runs a job that is wrong; returns what the user reads.
fn refused(job: &str, more: &[&str]) -> String {
    let folder = with_job(job);
    let model = Array2::from_elem((24, 30), 2000.0f32);
    std::fs::write(folder.path().join("v.npy"), huygens::io::npy::bytes(model.view().into_dyn()))
        .expect("written");
    let one = model.view().insert_axis(Axis(0));
    std::fs::write(folder.path().join("one.npy"), huygens::io::npy::bytes(one.into_dyn()))
        .expect("written");
    let arguments = ["shot", "job.toml", "--backend", "cpu"];
    run::refused(folder.path(), &[&arguments, more].concat())
}

#[test]
fn a_missing_y_is_named_with_its_line() {
    let without = |from: &str, to: &str| refused(&changed(from, to), &[]);
    let missing = "the model is 3-D, and y is missing here; give y beside x and z";
    says(&without(", y = 250.0", ""), &[missing, "job.toml:15:6"]);
    says(
        &without("to = { x = 460.0, z = 20.0, y = 475.0 }", "to = { x = 460.0, z = 20.0 }"),
        &[missing, "job.toml:19:"],
    );
    says(&without(", y = 20 }\n", " }\n"), &[missing, "job.toml:4:9"]);
    says(&without(", y = 25.0 }", " }"), &[missing, "job.toml:5:11"]);
    let sinc = "[operator]\nkind = \"windowed-sinc\"\nwing = { z = 4, x = 4 }\n[boundary]";
    says(&without("[boundary]", sinc), &[missing, "job.toml:13:8"]);
    let points = "points = [{ x = 0.0, z = 20.0, y = 475.0 }, { x = 20.0, z = 20.0 }]\n";
    let job = SMALL_3D.lines().map(|line| if line.starts_with("grid") { points } else { line });
    says(&refused(&job.collect::<Vec<_>>().join("\n"), &[]), &[missing, "job.toml:19:45"]);
}

#[test]
fn a_y_in_a_plane_is_named_with_its_line() {
    let in_plane = |from: &str, to: &str| {
        assert!(SMALL.contains(from), "{from}");
        refused(&SMALL.replace(from, to), &[])
    };
    let no_y = "the model is 2-D, and has no y; leave y out, or make the model 3-D";
    says(
        &in_plane("x = 800.0, z = 200.0", "x = 800.0, z = 200.0, y = 0.0"),
        &[no_y, "job.toml:12:34"],
    );
    says(&in_plane("to = { x = 1580.0, z = 0.0", "to = { x = 1580.0, z = 0.0, y = 1.0"), &[no_y]);
    let slices = "snapshots = [0.2]\nslices = { x = [20.0] }";
    says(&in_plane("snapshots = [0.2]", slices), &["3-D model", "leave it out", "job.toml:20:10"]);
    let volumes = "snapshots = [0.2]\nvolumes = true";
    says(&in_plane("snapshots = [0.2]", volumes), &["3-D model", "job.toml:20:11"]);
    let sinc = "[operator]\nkind = \"windowed-sinc\"\nwing = { z = 4, x = 4, y = 4 }\n[receivers]";
    says(&in_plane("[receivers]", sinc), &[no_y]);
    let grid = "grid = { from = { x = 0.0, z = 0.0 }, to = { x = 0.0, z = 0.0 }, count = { x = 1, y = 1 } }";
    let job = SMALL.lines().map(|line| if line.starts_with("line") { grid } else { line });
    says(&refused(&job.collect::<Vec<_>>().join("\n"), &[]), &["needs a 3-D model", "give a line"]);
}

#[test]
fn sizes_and_spacings_that_make_no_volume_are_named() {
    let nodes = |y: &str| refused(&changed("y = 20 }\n", &format!("y = {y} }}\n")), &[]);
    says(&nodes("0"), &["no nodes along y", "at least 1", "job.toml:4:9"]);
    says(&nodes("1"), &["one node along y", "leave y out for a 2-D model", "job.toml:4:9"]);
    says(
        &nodes("9000000000"),
        &["24 x 9000000000 x 30 nodes", "GiB", "fewer nodes", "job.toml:4:9"],
    );
    says(&nodes("9000000000000000000"), &["24 x 9000000000000000000 x 30 nodes", "fewer nodes"]);
    for y in ["0.0", "-25.0", "nan", "inf", "1e-9"] {
        let said = refused(&changed("y = 25.0 }", &format!("y = {y} }}")), &[]);
        says(&said, &["spacing along y is", "positive", "job.toml:5:11"]);
    }
    // The layers along y make it too large.
    let long = changed("nodes = { z = 30, x = 24, y = 20 }", "nodes = { z = 1, x = 1, y = 90000 }")
        .replace("cells = 10", "cells = 1000");
    says(&refused(&long, &[]), &["1 x 90000 x 1 nodes would take", "GiB", "smaller or coarser"]);
}

#[test]
fn places_outside_along_y_are_named() {
    says(
        &refused(&changed("y = 250.0", "y = 2500.0"), &[]),
        &["source 1", "y = 2500 m lies outside the model", "0 to 475 m", "job.toml:15:6"],
    );
    says(&refused(&changed("y = 250.0", "y = nan"), &[]), &["y = NaN m lies outside"]);
    says(
        &refused(&changed("y = 475.0", "y = 950.0"), &[]),
        &["receiver", "y = 500 m", "job.toml:19:"],
    );
    says(
        &refused(&changed("z = 20.0, y = 475.0", "z = 40.0, y = 475.0"), &[]),
        &["at one depth", "z = 40 m"],
    );
    says(
        &refused(&changed("count = { x = 24", "count = { x = 99999999999999"), &[]),
        &["too many"],
    );
    says(
        &refused(&changed("count = { x = 24", "count = { x = 0"), &[]),
        &["0 x 20 (x by y) receivers has none", "at least 1"],
    );
    let slices = |slices: &str| {
        refused(&changed("[output]", &format!("[output]\nslices = {{ {slices} }}")), &[])
    };
    says(&slices("y = [0.0, 476.0]"), &["y = 476 m lies outside", "0 to 475 m", "job.toml:22:22"]);
    says(&slices("z = [nan]"), &["z = NaN m lies outside", "job.toml:22:17"]);
    says(&slices("w = [0.0]"), &["there is no key w", "x, y, z"]);
}

#[test]
fn files_and_axes_that_do_not_fit_are_named() {
    let file = |model: &str, axes: &str| {
        let job = changed("nodes = { z = 30, x = 24, y = 20 }\n", "");
        refused(&job, &["--model", model, "--axes", axes])
    };
    says(
        &file("v.npy", "yxz"),
        &["--model v.npy: ", "[24, 30]", "axes = \"yxz\"", "\"xz\"", "\"yxz\""],
    );
    // One plane is a plane.
    says(&file("one.npy", "xz"), &["the model is 2-D, and has no y"]);
    says(&file("one.npy", "yxz"), &["[1, 24, 30]", "one node along y"]);
    for wrong in ["yx", "yxx", "abc", "yxzt"] {
        let said = file("v.npy", wrong);
        says(&said, &[wrong, "each letter once", "yxz"]);
    }
    let named = changed("nodes = { z = 30, x = 24, y = 20 }\n", "axes = \"xyw\"\n");
    says(&refused(&named, &[]), &["\"xyw\"", "each letter once", "job.toml:4:8"]);
    let salt = SMALL.replace("builtin:layers", "builtin:salt3d");
    says(&refused(&salt, &[]), &["the model is 3-D, and y is missing here", "job.toml:4:9"]);
}
