//! `huygens model`, and jobs whose models are files.

use crate::run::{SMALL, done, folder, huygens, names, printed, refused, said, says};
use huygens::{
    grid::Position,
    io::model_file::{ModelFile, ReadOptions},
    model::{Placement, Side},
};
use ndarray::{Array2, Array3};
use ndarray_npy::read_npy;
use std::{path::Path, process::Output};

/// Runs and must succeed.
#[track_caller]
fn model(folder: &Path, arguments: &[&str]) -> Output {
    done(folder, &[&["model"], arguments].concat())
}

const NODES: &str = "z=60,x=80";

#[test]
fn a_model_goes_round_the_formats_and_comes_back_equal() {
    let folder = folder();
    let at = folder.path();
    let output = model(
        at,
        &["build", "builtin:layers", "--nodes", NODES, "--spacing", "20", "--out", "a.npy"],
    );
    says(&said(&output), &["axes = \"xz\"", "spacing = { z = 20, x = 20 }"]);
    let said_of_it = ["--axes", "xz", "--file-spacing", "z=20,x=20"];
    model(at, &[&["convert", "a.npy", "b.rsf"], &said_of_it[..]].concat());
    model(at, &["convert", "b.rsf", "c.rsf", "--data-beside"]);
    let output = model(at, &["convert", "c.rsf", "d.bin"]);
    says(&said(&output), &["nodes = { z = 60, x = 80 }"]);
    let raw = ["convert", "d.bin", "e.npy", "--nodes", NODES];
    model(at, &[&raw, &said_of_it[..]].concat());
    assert_eq!(names(at), ["a.npy", "b.rsf", "c.rsf", "c.rsf@", "d.bin", "e.npy"]);
    let read = |name: &str| std::fs::read(at.join(name)).expect("there");
    assert_eq!(read("a.npy"), read("e.npy"));
    model(at, &["convert", "b.rsf", "a.h5"]);
    model(at, &["convert", "a.h5", "f.npy"]);
    assert_eq!(read("a.npy"), read("f.npy"));
    let output = model(at, &["convert", "a.h5", "a.vti"]);
    says(&said(&output), &["minus the depth"]);
    says(&refused(at, &["model", "info", "a.vti"]), &["written and not read"]);
    says(&refused(at, &["model", "convert", "b.rsf", "a.sgy.gz"]), &["leave .gz out"]);
    std::fs::remove_file(at.join("f.npy")).expect("removed");
    assert_eq!(read("c.rsf@"), read("d.bin"));

    says(&refused(at, &["model", "convert", "b.rsf", "c.rsf"]), &["there already", "--force"]);
    model(at, &["convert", "b.rsf", "e.npy", "--force"]);
    says(&refused(at, &["model", "convert", "a.npy", "f.rsf"]), &["name its axes", "--axes"]);
    let axes = ["model", "convert", "a.npy", "f.rsf", "--axes", "xz"];
    let told = refused(at, &axes);
    says(&told, &["no spacing", "--file-spacing"]);
    assert!(!told.contains("--spacing"), "that is of what is written: {told}");
    let told = refused(at, &["model", "convert", "b.rsf", "f.sgz"]);
    says(&told, &["no known format; models are written as .npy"]);
    says(
        &refused(at, &["model", "info", "builtin:layers"]),
        &["huygens model build builtin:layers"],
    );
    model(at, &["convert", "b.rsf", "g.rsf", "--unit", "m/s"]);
    says(&refused(at, &["model", "convert", "none.rsf", "f.npy"]), &["cannot read", "none.rsf"]);
}

#[test]
fn a_job_takes_what_an_rsf_says_and_gives_what_the_npy_gives() {
    let folder = folder();
    let at = folder.path();
    model(at, &["build", "builtin:layers", "--nodes", NODES, "--spacing", "20", "--out", "a.rsf"]);
    let bare = SMALL
        .replace("nodes = { z = 60, x = 80 }\nspacing = { z = 20.0, x = 20.0 }\n", "")
        .replace("builtin:layers", "a.rsf");
    std::fs::write(at.join("built.toml"), SMALL).expect("written");
    std::fs::write(at.join("file.toml"), &bare).expect("written");
    for job in ["built", "file"] {
        let output = done(at, &["shot", &format!("{job}.toml"), "--backend", "cpu", "--out", job]);
        assert!(!said(&output).contains("WARN"), "{}", said(&output));
    }
    let gather =
        |job: &str| -> Array2<f32> { read_npy(at.join(job).join("gather.npy")).expect("an array") };
    assert_eq!(gather("built"), gather("file"));

    let wrong = |key: &str| bare.replace("[time]", &format!("{key}\n[time]"));
    std::fs::write(at.join("file.toml"), wrong("nodes = { z = 60, x = 80 }")).expect("written");
    says(&refused(at, &["shot", "file.toml"]), &["nodes belong", "file.toml:5:9"]);
    std::fs::write(at.join("file.toml"), wrong("array = \"vp\"")).expect("written");
    says(&refused(at, &["shot", "file.toml"]), &["of a .npz", "file.toml:5:9"]);
    // The file's own values may be given, and no others.
    std::fs::write(at.join("file.toml"), wrong("spacing = 20.0")).expect("written");
    let output = huygens(at, &["check", "file.toml", "--backend", "cpu"]);
    assert!(output.status.success() && !said(&output).contains("WARN"), "{}", said(&output));
    std::fs::write(at.join("file.toml"), wrong("spacing = 25.0")).expect("written");
    let told = refused(at, &["check", "file.toml", "--backend", "cpu"]);
    says(&told, &["a.rsf has 20 m between nodes along x", "25 m would stretch", "file.toml:5:11"]);
    says(&told, &["leave spacing out", "`huygens model convert --spacing`", "--file-spacing"]);
}

#[test]
fn a_spacing_samples_what_is_built_in_and_stretches_no_file() {
    let folder = folder();
    let at = folder.path();
    for file in ["a.rsf", "a.npy", "a.sgy"] {
        model(at, &["build", "builtin:layers", "--nodes", NODES, "--spacing", "10", "--out", file]);
    }
    let (_, rest) = SMALL.split_once("[time]").expect("a job");
    let rest = rest.replace("z = 200.0", "z = 100.0").replace("1580.0", "780.0");
    let rest = rest.replace("x = 800.0", "x = 400.0").replace("step = 0.002", "step = 0.001");
    let job = |keys: &str| format!("[model]\nvelocity = {keys}\n[time]{rest}");
    for (name, keys) in [
        ("rsf", "\"a.rsf\""),
        ("npy", "\"a.npy\"\naxes = \"xz\"\nspacing = 10.0"),
        ("sgy", "\"a.sgy\""),
        ("built", "\"builtin:layers\""),
    ] {
        std::fs::write(at.join(format!("{name}.toml")), job(keys)).expect("written");
    }
    let check = |job: &str, spacing: &str| {
        huygens(at, &["check", job, "--spacing", spacing, "--backend", "cpu", "--json"])
    };
    for (file, own) in
        [("rsf", "has 10 m between"), ("sgy", "has 10 m between"), ("npy", "spacing = 10 for")]
    {
        let job = format!("{file}.toml");
        let told = refused(at, &["check", &job, "--spacing", "20", "--backend", "cpu"]);
        says(
            &told,
            &["--spacing 20: ", own, "stretch the model", "`huygens model convert --spacing"],
        );
        assert!(!told.contains("toml:"), "the flag is at fault: {told}");
        let output = check(&job, "10");
        assert!(output.status.success(), "{}", said(&output));
    }
    // The same ground on other nodes.
    let output = check("built.toml", "25");
    assert!(output.status.success(), "{}", said(&output));
    let told = printed(&output);
    assert_eq!(told["nodes"], serde_json::json!({ "z": 168, "x": 540 }));
    // The suggested remedy works: the model on other nodes.
    model(at, &["convert", "a.rsf", "b.rsf", "--spacing", "20"]);
    let output =
        huygens(at, &["check", "rsf.toml", "--model", "b.rsf", "--backend", "cpu", "--json"]);
    let told = printed(&output);
    assert_eq!(told["nodes"], serde_json::json!({ "z": 30, "x": 40 }), "{}", said(&output));
}

#[test]
fn another_model_goes_by_what_its_own_file_says() {
    let folder = folder();
    let at = folder.path();
    let nodes = ["--nodes", "z=60,x=560", "--spacing", "25"];
    for file in ["a.sgy", "a.su", "a.rsf", "a.npy"] {
        model(at, &[&["build", "builtin:layers", "--out", file], &nodes[..]].concat());
    }
    std::fs::write(at.join("built.toml"), SMALL).expect("written");
    // With nodes and a spacing of 20 m of the built-in model in the one, and 20 m in the built-in
    // job.
    for job in [&["built.toml"][..], &[]] {
        for file in ["a.sgy", "a.su", "a.rsf"] {
            let more = ["--model", file, "--backend", "cpu", "--json"];
            let output = huygens(at, &[&["check"], job, &more[..]].concat());
            assert!(output.status.success(), "{file}: {}", said(&output));
            assert!(!said(&output).contains("WARN"), "{file}: {}", said(&output));
            let told = printed(&output);
            assert_eq!(told["spacing"], serde_json::json!({ "z": 25.0, "x": 25.0 }), "{file}");
        }
    }
    // No job speaks of this file, which says nothing itself.
    let npy = ["check", "--model", "a.npy", "--axes", "xz", "--backend", "cpu"];
    says(&refused(at, &npy), &["no spacing", "--spacing"]);
    done(at, &[&npy[..], &["--spacing", "25"]].concat());
}

#[test]
fn models_are_changed_on_the_way() {
    let folder = folder();
    let at = folder.path();
    model(at, &["build", "builtin:layers", "--nodes", NODES, "--spacing", "20", "--out", "a.rsf"]);
    let read = |name: &str| -> Array2<f32> { read_npy(at.join(name)).expect("an array") };
    let change = ["--crop", "x=200:1000", "--spacing", "10", "--smooth", "40", "--water", "100"];
    model(at, &[&["convert", "a.rsf", "b.npy"], &change[..]].concat());
    let changed = read("b.npy");
    assert_eq!(changed.dim(), (81, 119));
    assert!(changed.row(40).iter().take(10).all(|v| *v == 1500.0), "water above 100 m");

    // Kilometres a second, said by the user; feet, said by the file.
    let km = Array2::from_shape_fn((8, 6), |(x, z)| 1.5 + 0.125 * (x + z) as f32);
    std::fs::write(at.join("km.npy"), huygens::io::npy::bytes(km.view().into_dyn()))
        .expect("written");
    let said_of_it = ["--axes", "xz", "--file-spacing", "10"];
    let output = model(at, &[&["convert", "km.npy", "no.npy"], &said_of_it[..]].concat());
    says(&said(&output), &["look like km/s"]);
    model(at, &[&["convert", "km.npy", "m.npy", "--unit", "km/s"], &said_of_it[..]].concat());
    assert_eq!(read("m.npy"), 1000.0 * km);
    let header = "n1=6 n2=8 d1=10 d2=20 label1=Depth label2=X unit1=ft unit2=ft unit=ft/s in=stdin\x0c\x0c\x04";
    let feet: Vec<u8> = (0..48).flat_map(|_| 10_000f32.to_le_bytes()).collect();
    std::fs::write(at.join("ft.rsf"), [header.as_bytes(), &feet].concat()).expect("written");
    let output = model(at, &["convert", "ft.rsf", "ft.npy"]);
    says(&said(&output), &["spacing = { z = 3.048, x = 6.096 }"]);
    assert!(read("ft.npy").iter().all(|v| *v == 3048.0));
    assert!(!said(&output).contains("WARN"), "{}", said(&output));
    // Squared slowness, said by the user, and refused where it is 0.
    let slow = Array2::from_shape_fn((8, 6), |(x, _)| if x < 4 { 0.25f32 } else { 0.0625 });
    let put = |name: &str, values: &Array2<f32>| {
        let bytes = huygens::io::npy::bytes(values.view().into_dyn());
        std::fs::write(at.join(name), bytes).expect("written");
    };
    put("slow.npy", &slow);
    put("zero.npy", &(&slow - 0.25));
    let squared = [&["--unit", "s2/km2"], &said_of_it[..]].concat();
    model(at, &[&["convert", "slow.npy", "fast.npy"], &squared[..]].concat());
    assert_eq!(read("fast.npy"), slow.mapv(|m| 1000.0 / m.sqrt()));
    refused(at, &[&["model", "convert", "zero.npy", "no.npy", "--force"], &squared[..]].concat());
    // Lengths in feet, and velocities in an unknown unit.
    let header = header.replace(" unit=ft/s", "");
    std::fs::write(at.join("half.rsf"), [header.as_bytes(), &feet].concat()).expect("written");
    let output = model(at, &["convert", "half.rsf", "half.npy"]);
    says(&said(&output), &["half.rsf is in feet", "m/s are taken", "--unit ft"]);
    let output = model(at, &["convert", "half.rsf", "ft.npy", "--unit", "ft", "--force"]);
    assert!(!said(&output).contains("WARN"), "{}", said(&output));
    assert!(read("ft.npy").iter().all(|v| *v == 3048.0));

    for (flag, value, part) in [
        ("--crop", "x=5000:6000", "no node lies from 5000 to 6000 m along x"),
        ("--crop", "q=0:1", "x=FROM:TO"),
        ("--crop", "y=0:1", "2-D"),
        ("--smooth", "-5", "-5 m"),
        ("--water", "-5", "-5 m"),
        ("--spacing", "0", "spacing along x is 0 m"),
        ("--spacing", "1e-6", "at most"),
        ("--spacing", "z=1,x=1,y=1", "2-D"),
        ("--file-spacing", "-10", "-10 m"),
    ] {
        says(&refused(at, &["model", "convert", "a.rsf", "c.npy", flag, value]), &[part]);
    }
    // A header has no way to name such a file.
    let beside = ["model", "convert", "a.rsf", "it's \"a\".rsf", "--data-beside"];
    says(&refused(at, &beside), &["cannot be named in a header", "leave --data-beside out"]);
    let there = ["model", "convert", "a.rsf", "ft.npy"];
    says(
        &refused(at, &there),
        &["ft.npy is there already; name another file, or overwrite it with --force"],
    );
}

#[test]
fn files_say_what_they_hold() {
    let folder = folder();
    let at = folder.path();
    model(at, &["build", "builtin:layers", "--nodes", NODES, "--spacing", "20", "--out", "a.rsf"]);
    model(at, &["convert", "a.rsf", "b.npy"]);
    let output = model(at, &["info", "a.rsf", "b.npy"]);
    let text = String::from_utf8_lossy(&output.stdout);
    says(&text, &["a.rsf", "shape [80, 60]", "\"Depth\": 60 nodes, 20 apart", "plausible"]);
    says(&text, &["b.npy", "not named", "spacing not given"]);
    let output = model(at, &["info", "--json", "a.rsf", "b.npy"]);
    let json = printed(&output);
    assert_eq!(json[0]["order"], "xz");
    assert_eq!(json[0]["axes"][1]["spacing_metres"], 20.0);
    assert!(json[1]["order"].is_null() && json[1]["plausible"] == true);
    assert_eq!(json[1]["shape"], serde_json::json!([80, 60]));
    let given = ["info", "b.npy", "--axes", "xz", "--file-spacing", "z=20,x=12.5"];
    let text = String::from_utf8_lossy(&model(at, &given).stdout).into_owned();
    says(&text, &["x: 80 nodes, 12.5 apart (m)", "z: 60 nodes, 20 apart (m)"]);
    let bad = Array2::from_elem((3, 3), f32::NAN);
    std::fs::write(at.join("nan.npy"), huygens::io::npy::bytes(bad.view().into_dyn()))
        .expect("written");
    let output = model(at, &["info", "nan.npy"]);
    says(&String::from_utf8_lossy(&output.stdout), &["none is finite", "9 that are not"]);
    says(&refused(at, &["model", "info", "none.npy"]), &["none.npy"]);
}

#[test]
fn models_are_drawn() {
    let folder = folder();
    let at = folder.path();
    model(at, &["plot", "builtin:salt", "--out", "salt.png"]);
    model(at, &["build", "builtin:salt3d", "--spacing", "200", "--out", "v.rsf"]);
    model(at, &["plot", "v.rsf", "--out", "v.png"]);
    for name in ["salt.png", "v.png"] {
        let picture = std::fs::read(at.join(name)).expect("a picture");
        assert!(picture.starts_with(b"\x89PNG") && picture.len() > 20_000, "{name}");
    }
    says(&refused(at, &["model", "plot", "v.rsf", "--out", "v.png"]), &["--force"]);
    says(&refused(at, &["model", "plot", "v.rsf", "--out", "v.jpg"]), &["no .png"]);
    // Sources are marked.
    let marked = |name: &str, more: &[&str]| {
        model(at, &[&["plot"], more, &["--out", name]].concat());
        image::open(at.join(name)).expect("a picture").into_rgb8()
    };
    let bare = marked("bare.png", &["builtin:salt"]);
    let star = ["builtin:salt", "--source", "x=6000,z=1000", "--source", "x=6000,z=3000"];
    assert_ne!(marked("star.png", &star), bare);
    let star = ["v.rsf", "--source", "x=2000,y=4000,z=1000"];
    assert_ne!(marked("stars.png", &star), marked("none.png", &["v.rsf"]));
    for (source, word) in [
        ("x=60000,z=1000", "x = 60000 m lies outside"),
        ("x=6000", "give z and x"),
        ("x=6000,y=0,z=0", "leave the y of --source out"),
    ] {
        let plot = ["model", "plot", "builtin:salt", "--source", source, "--out", "no.png"];
        says(&refused(at, &plot), &[word]);
    }
    // A volume comes back too, whatever the order of its axes.
    model(at, &["convert", "v.rsf", "v.npy"]);
    let volume: Array3<f32> = read_npy(at.join("v.npy")).expect("a volume");
    let turned = volume.view().permuted_axes([2, 0, 1]);
    std::fs::write(at.join("t.npy"), huygens::io::npy::bytes(turned.into_dyn())).expect("written");
    let said_of_it = ["--axes", "zyx", "--file-spacing", "200"];
    model(at, &[&["convert", "t.npy", "u.rsf"], &said_of_it[..]].concat());
    assert_eq!(
        std::fs::read(at.join("u.rsf")).expect("there"),
        std::fs::read(at.join("v.rsf")).expect("there")
    );
}

#[test]
fn a_misfit_of_the_built_in_job_is_reported_without_its_lines() {
    let folder = folder();
    let at = folder.path();
    model(at, &["build", "builtin:salt", "--nodes", NODES, "--spacing", "20", "--out", "v.rsf"]);
    let told = refused(at, &["shot", "--model", "v.rsf", "--backend", "cpu"]);
    says(&told, &["source 1", "x = 6000 m lies outside the model", "0 to 1580 m"]);
    says(&told, &["no job is given", "`huygens job new job.toml`"]);
    assert!(!told.contains("at = {") && !told.contains("toml:"), "{told}");
    let output = huygens(at, &["check", "--model", "v.rsf", "--backend", "cpu", "--json"]);
    let error = printed(&output);
    assert!(error["error"]["line"].is_null(), "{error}");
    assert!(error["error"]["remedy"].as_str().is_some_and(|said| said.contains("job new")));
}

/// A place on the map across north and east, in every format that can carry it.
#[test]
fn a_model_keeps_its_place_through_every_format_and_a_crop() {
    let folder = folder();
    let done = |words: &[&str]| {
        let output = huygens(folder.path(), &[&["model"], words].concat());
        assert!(output.status.success(), "{words:?}: {}", said(&output));
    };
    let place =
        ["--origin", "x=500000,y=6700000,elevation=120", "--azimuth", "30", "--y-axis", "right"];
    let small = ["--nodes", "z=6,x=5,y=4", "--spacing", "100"];
    done(&[&["build", "builtin:salt3d", "--out", "plain.rsf"], &small[..]].concat());
    done(&[&["convert", "plain.rsf", "a.rsf"], &place[..]].concat());
    for pair in ["a.rsf", "b.h5", "c.npz", "d.sgy"].windows(2) {
        done(&["convert", pair[0], pair[1]]);
    }
    done(&["convert", "d.sgy", "e.rsf", "--crop", "x=90:400,y=190:310,z=90:500"]);
    let place = |name: &str| {
        let file = ModelFile::open(&folder.path().join(name), ReadOptions::default());
        let file = file.expect("a model");
        file.placement(&file.order(None).expect("named axes"))
    };
    assert!(place("plain.rsf").is_plain());
    let first = place("a.rsf");
    let wanted = Placement {
        origin: Position { x: 500_000.0, y: 6_700_000.0, z: -120.0 },
        azimuth: 30.0,
        y_axis: Side::Right,
    };
    assert_eq!(first, wanted);
    let near = |name: &str, wanted: Placement| {
        let (found, off) = (place(name), 0.01);
        assert!((found.azimuth - wanted.azimuth).abs() < 0.01, "{name}: {found:?}");
        assert_eq!(found.y_axis, wanted.y_axis, "{name}");
        let (one, other) = (found.origin, wanted.origin);
        let apart = (one.x - other.x).hypot(one.y - other.y).hypot(one.z - other.z);
        assert!(apart < off, "{name}: {found:?}, not {wanted:?}");
    };
    for name in ["b.h5", "c.npz", "d.sgy"] {
        near(name, wanted);
    }
    // x goes to the north-east by north, y from there to the right: 100 m and 200 m.
    let (sin, cos) = 30f64.to_radians().sin_cos();
    let origin = Position {
        x: 500_000.0 + 100.0 * sin + 200.0 * cos,
        y: 6_700_000.0 + 100.0 * cos - 200.0 * sin,
        z: -20.0,
    };
    near("e.rsf", Placement { origin, ..wanted });
}
