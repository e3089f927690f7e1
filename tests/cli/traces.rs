//! Models and gathers as traces, SEG-Y and Seismic Unix, through `huygens model` and
//! `huygens shot`.

use crate::run::{SMALL, done, folder, huygens, printed, refused, said, says};
use huygens::{
    grid::Position,
    io::{
        npy,
        segy::{LengthUnit, Reader, ReaderOptions, read_gathers},
    },
};
use ndarray::{Array2, Array3};
use ndarray_npy::read_npy;
use std::path::Path;

/// Runs and must succeed; what it says and what it prints.
#[track_caller]
fn model(folder: &Path, arguments: &[&str]) -> (String, String) {
    let output = done(folder, &[&["model"], arguments].concat());
    (said(&output), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A plane and a volume whose velocities have all the bits of a float, in `plane.npy` and
/// `volume.npy`.
fn write(folder: &Path) {
    let value = |n: usize| 1500.0 + (n as f32 * 0.7).sin() * 10.0 / 3.0;
    let plane = Array2::from_shape_fn((7, 5), |(x, z)| value(5 * x + z));
    let volume = Array3::from_shape_fn((3, 7, 5), |(y, x, z)| value(35 * y + 5 * x + z));
    for (name, bytes) in [
        ("plane.npy", npy::bytes(plane.view().into_dyn())),
        ("volume.npy", npy::bytes(volume.view().into_dyn())),
    ] {
        std::fs::write(folder.join(name), bytes).expect("written");
    }
}

const PLANE: [&str; 4] = ["--axes", "xz", "--file-spacing", "z=24.384,x=12.5"];
const VOLUME: [&str; 4] = ["--axes", "yxz", "--file-spacing", "z=24.384,x=12.5,y=100"];

#[test]
fn models_go_to_traces_and_back_with_equal_values_and_spacing() {
    let folder = folder();
    let at = folder.path();
    write(at);
    let bytes = |name: &str| std::fs::read(at.join(name)).expect("there");
    for (name, said_of_it, spacing) in [
        ("plane", PLANE, "spacing = { z = 24.384, x = 12.5 }"),
        ("volume", VOLUME, "spacing = { z = 24.384, x = 12.5, y = 100 }"),
    ] {
        for (ending, flags) in [
            ("sgy", &[] as &[&str]),
            ("sgy", &["--revision", "2"]),
            ("sgy", &["--byte-order", "little", "--sample-format", "ieee"]),
            ("su", &[]),
            ("su", &["--byte-order", "big"]),
        ] {
            let (npy, traces) = (format!("{name}.npy"), format!("{name}.{ending}"));
            let there = ["convert", &npy, &traces, "--force"];
            model(at, &[&there, &said_of_it[..], flags].concat());
            if (name, ending) == ("volume", "su") {
                // A volume of Seismic Unix has its y by the receivers' positions.
                let (_, told) = model(at, &["info", &traces]);
                says(&told, &["7 traces along x and 3 along y by positions, 12.5 and 100 apart"]);
            }
            let (told, _) = model(at, &["convert", &traces, "back.npy", "--force"]);
            says(&told, &[spacing]);
            assert!(!told.contains("WARN"), "{told}");
            assert!(bytes("back.npy") == bytes(&npy), "{traces} {flags:?}");
        }
    }
    // IBM floats have 21 bits at least.
    let ibm = ["convert", "plane.npy", "ibm.sgy", "--sample-format", "ibm"];
    model(at, &[&ibm, &PLANE[..]].concat());
    model(at, &["convert", "ibm.sgy", "ibm.npy"]);
    let read = |name: &str| -> Array2<f32> { read_npy(at.join(name)).expect("an array") };
    let (ours, ibm) = (read("plane.npy"), read("ibm.npy"));
    assert!(ours != ibm && (&ours - &ibm).iter().all(|d| d.abs() <= 1500.0 * 2f32.powi(-21)));
    // A job reads it as any other file, and so does a picture.
    let (_, rest) = SMALL.split_once("[time]").expect("a job");
    let job = format!(
        "[model]\nvelocity = \"plane.su\"\n\n[operator]\nkind = \"taylor\"\norder = 2\n\n[time]{rest}"
    );
    let job = job.replace("800.0", "25.0").replace("200.0", "50.0").replace("1580.0", "75.0");
    std::fs::write(at.join("job.toml"), &job).expect("written");
    let output = done(at, &["check", "job.toml", "--backend", "cpu", "--json"]);
    let told = printed(&output);
    says(&told.to_string(), &["24.384"]);
    model(at, &["plot", "plane.sgy", "--out", "plane.png"]);
}

#[test]
fn missing_properties_of_traces_are_asked_for() {
    let folder = folder();
    let at = folder.path();
    write(at);
    model(at, &[&["convert", "plane.npy", "plane.sgy"], &PLANE[..]].concat());
    let mut bytes = std::fs::read(at.join("plane.sgy")).expect("there");
    // The delay of a model is a depth.
    let mut deep = bytes.clone();
    for trace in deep[3600..].chunks_mut(260) {
        trace[108..110].copy_from_slice(&200u16.to_be_bytes());
    }
    std::fs::write(at.join("deep.sgy"), &deep).expect("written");
    let (_, told) = model(at, &["info", "deep.sgy"]);
    says(&told, &["200 m of depth to the first sample"]);
    // Without the line of its text it is as any other program's.
    bytes[..3200].fill(0x40);
    std::fs::write(at.join("theirs.sgy"), &bytes).expect("written");
    let convert =
        |flags: &[&'static str]| [&["model", "convert", "theirs.sgy", "a.npy"], flags].concat();
    says(
        &refused(at, &convert(&[])),
        &["theirs.sgy is 24384", "--sample-interval", "--file-spacing"],
    );
    says(&refused(at, &convert(&["--axes", "xz"])), &["leave axes out"]);
    let both = ["--sample-interval", "mm", "--file-spacing", "10"];
    says(&refused(at, &convert(&both)), &["cannot be used with"]);
    let (told, _) = model(at, &convert(&["--sample-interval", "cm"])[1..]);
    says(&told, &["spacing = { z = 243.84, x = 12.5 }"]);
    // Neither metres nor feet: the positions are asked for, the depth is not.
    bytes[3254..3256].fill(0);
    std::fs::write(at.join("theirs.sgy"), &bytes).expect("written");
    let mut flags = vec!["--sample-interval", "mm", "--force"];
    says(&refused(at, &convert(&flags)), &["metres or feet", "--unit"]);
    flags.extend(["--unit", "ft"]);
    let (told, _) = model(at, &convert(&flags)[1..]);
    says(&told, &["bytes 3255-3256", "spacing = { z = 24.384, x = 3.81 }"]);
    // Without positions there is no spacing, whatever it is in.
    let start = 3600 + 180;
    for trace in 0..7 {
        bytes[start + 260 * trace..][..8].fill(0);
    }
    std::fs::write(at.join("theirs.sgy"), &bytes).expect("written");
    let flags = ["--sample-interval", "mm", "--force"];
    says(&refused(at, &convert(&flags)), &["carries no spacing along x"]);
    for (flags, part) in [
        (["--sample-format", "ibm"], "for .sgy files"),
        (["--byte-order", "big"], "for .sgy and .su files"),
        (["--sample-interval", "mm"], "only .sgy and .su files"),
    ] {
        let npy = [&["model", "convert", "plane.npy", "b.rsf"], &PLANE[..2], &flags].concat();
        says(&refused(at, &npy), &[part]);
    }
}

/// A volume whose line numbers and positions are elsewhere, with a wrong sample format.
#[test]
fn fields_are_read_where_the_user_says() {
    let folder = folder();
    let at = folder.path();
    write(at);
    model(at, &[&["convert", "volume.npy", "volume.sgy"], &VOLUME[..]].concat());
    let mut bytes = std::fs::read(at.join("volume.sgy")).expect("there");
    for trace in bytes[3600..].chunks_exact_mut(240 + 4 * 5) {
        trace.copy_within(180..196, 220);
        trace[180..196].fill(0);
    }
    bytes[3225] = 1;
    std::fs::write(at.join("theirs.sgy"), &bytes).expect("written");
    let fields = "cdp_x=221,cdp_y=225,iline=229,xline=233,format=5";
    let (told, _) = model(at, &["convert", "theirs.sgy", "ours.npy", "--segy", fields]);
    says(&told, &["3225-3226", "spacing = { z = 24.384, x = 12.5, y = 100 }"]);
    let read = |name: &str| std::fs::read(at.join(name)).expect("there");
    assert_eq!(read("ours.npy"), read("volume.npy"));
    let (_, told) = model(at, &["info", "theirs.sgy", "--segy", fields]);
    says(&told, &["7 traces along x and 3 along y", "IEEE floats"]);
    let convert = |fields| ["model", "convert", "theirs.sgy", "a.npy", "--segy", fields];
    says(&refused(at, &convert("iline=238")), &["iline is 238", "1 to 237"]);
    says(&refused(at, &convert("inline=9")), &["unknown field `inline`"]);
    says(&refused(at, &convert("format=4")), &["format is 4"]);

    let job = SMALL.replace("builtin:layers", "theirs.sgy");
    let job =
        job.replace("nodes = { z = 60, x = 80 }\nspacing = { z = 20.0, x = 20.0 }", "segy = SEGY");
    let table = |fields: &str| format!("{{ {} }}", fields.replace(',', ", "));
    for (fields, parts) in
        [("iline=238", &["iline is 238", "job.toml:4:8"][..]), ("source_x=73", &["source_x"])]
    {
        std::fs::write(at.join("job.toml"), job.replace("SEGY", &table(fields))).expect("written");
        says(&refused(at, &["check", "job.toml"]), parts);
    }
    let plane = SMALL.replace("[time]", "segy = { iline = 9 }\n[time]");
    std::fs::write(at.join("job.toml"), plane).expect("written");
    says(&refused(at, &["check", "job.toml"]), &["only .sgy and .su files have trace headers"]);
    says(
        &refused(at, &["gather", "convert", "theirs.sgy", "a.npz", "--segy", "iline=9"]),
        &["unknown field `iline`"],
    );
}

#[test]
fn slowness_becomes_velocity_and_is_told_of() {
    let folder = folder();
    let at = folder.path();
    write(at);
    let velocity: Array2<f32> = ndarray_npy::read_npy(at.join("plane.npy")).expect("a plane");
    for (unit, factor) in [("s/m", 1.0), ("s/km", 1000.0)] {
        let slow = velocity.mapv(|v| factor / v);
        ndarray_npy::write_npy(at.join("slow.npy"), &slow).expect("written");
        let convert = [&["convert", "slow.npy", "a.npy", "--force"], &PLANE[..]].concat();
        let (told, _) = model(at, &convert);
        says(&told, &["WARN", "look like slowness", &format!("--unit {unit}")]);
        let (told, _) = model(at, &[&convert[..], &["--unit", unit]].concat());
        assert!(!told.contains("WARN"), "{told}");
        let read: Array2<f32> = ndarray_npy::read_npy(at.join("a.npy")).expect("a plane");
        assert!(read.iter().zip(&velocity).all(|(a, b)| (a - b).abs() < 1e-3), "{unit}");
    }
}

#[test]
fn files_of_traces_say_what_they_hold() {
    let folder = folder();
    let at = folder.path();
    write(at);
    model(at, &[&["convert", "volume.npy", "volume.sgy"], &VOLUME[..]].concat());
    let job = SMALL.to_owned() + "gathers = [\"npy\", \"sgy\", \"su\"]\n";
    std::fs::write(at.join("job.toml"), job).expect("written");
    done(at, &["shot", "job.toml", "--backend", "cpu"]);
    std::fs::write(at.join("broken.sgy"), [0; 100]).expect("written");
    let files = ["volume.sgy", "out/gather.sgy", "out/gather.su"];
    let output = huygens(at, &[&["model", "info", "broken.sgy"], &files[..]].concat());
    // The readable contents are reported all the same.
    assert_eq!(output.status.code(), Some(2));
    says(&said(&output), &["broken.sgy is not read: it has 100 bytes"]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let parts: Vec<&str> = told.split("\n\n").collect();
    says(
        parts[0],
        &[
            "SEG-Y revision 1, big-endian, IEEE floats",
            "21 of 5 samples",
            "inlines 1 to 3, crosslines 1 to 7",
            "7 traces along x and 3 along y by inline and crossline numbers, 12.5 m and 100 m apart",
            "plausible velocities",
            "24384 mm of depth",
            "none: field records and source positions are all 0",
            "C 1 VELOCITY",
        ],
    );
    for gather in &parts[1..] {
        says(
            gather,
            &["80 of 201 samples", "1 of 80 traces", "values of both signs, as in a gather"],
        );
        says(gather, &["x 800, y 0, depth 200", "x 0 to 1580, y 0, depth 0", "2000: 2 ms"]);
    }
    says(parts[2], &["Seismic Unix, little-endian"]);
    let (_, json) = model(at, &[&["info", "--json"], &files[..]].concat());
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json[0]["grid"]["spacing"], serde_json::json!([12.5, 100.0]));
    assert_eq!(json[2]["receivers"][0], serde_json::json!([0.0, 1580.0]));
    // The same traces in each.
    let gather: Array2<f32> = read_npy(at.join("out/gather.npy")).expect("an array");
    let mut reader = Reader::open(&at.join("out/gather.su"), ReaderOptions::su()).expect("whole");
    let read = read_gathers(&mut reader, Some(LengthUnit::Metre)).expect("a gather").remove(0);
    assert_eq!((read.traces, read.interval), (gather, 0.002));
    assert_eq!(read.source, Position { x: 800.0, y: 0.0, z: 200.0 });

    let job = SMALL.replace("step = 0.002", "step = 0.0012345") + "gathers = [\"su\"]\n";
    std::fs::write(at.join("job.toml"), job).expect("written");
    let told = refused(at, &["shot", "job.toml", "--backend", "cpu", "--out", "other"]);
    says(&told, &["an interval of microseconds of 1234.5", "write SEG-Y", "job.toml:20"]);
}

#[test]
fn arrays_other_than_models_are_recognised() {
    let folder = folder();
    let at = folder.path();
    let write = |name: &str, array: ndarray::ArrayD<f32>| {
        std::fs::write(at.join(name), npy::bytes(array.view())).expect("written");
    };
    write(
        "gather.npy",
        Array2::from_shape_fn((9, 40), |(r, t)| (r as f32 + t as f32).sin()).into_dyn(),
    );
    write("wavelet.npy", ndarray::Array1::from_shape_fn(40, |t| (t as f32).sin()).into_dyn());
    let (_, told) = model(at, &["info", "gather.npy", "wavelet.npy"]);
    let (gather, wavelet) = told.split_once("\n\n").expect("two files");
    says(gather, &["NumPy array", "values of both signs"]);
    assert!(!gather.contains("m/s (") && !gather.contains("if it is a model"), "{gather}");
    says(wavelet, &["a wavelet has one"]);
}

#[test]
fn water_is_left_out_above_the_sea_floor() {
    let folder = folder();
    let at = folder.path();
    model(
        at,
        &["build", "builtin:layers", "--nodes", "z=60,x=80", "--spacing", "20", "--out", "a.rsf"],
    );
    model(at, &["convert", "a.rsf", "wet.rsf", "--water", "130"]);
    let (told, _) = model(at, &["convert", "wet.rsf", "dry.npy", "--remove-water"]);
    let dry: Array2<f32> = read_npy(at.join("dry.npy")).expect("an array");
    let all: Array2<f32> = {
        model(at, &["convert", "wet.rsf", "wet.npy"]);
        read_npy(at.join("wet.npy")).expect("an array")
    };
    let rows = 60 - dry.dim().1;
    assert!(rows >= 7, "{rows}");
    says(&told, &[&format!("{} m of water are left out", 20 * rows)]);
    assert_eq!(dry, all.slice(ndarray::s![.., rows..]));
    let dry = ["model", "convert", "dry.npy", "c.npy", "--axes", "xz", "--file-spacing", "20"];
    says(&refused(at, &[&dry[..], &["--remove-water"]].concat()), &["no water to leave out"]);
}

#[test]
#[cfg(unix)]
fn devices_are_no_files() {
    let folder = folder();
    let at = folder.path();
    for ending in ["npy", "npz", "rsf", "bin", "sgy", "su"] {
        let path = at.join(format!("zero.{ending}"));
        std::os::unix::fs::symlink("/dev/zero", &path).expect("a link");
        let file = format!("zero.{ending}");
        let raw = ["--nodes", "z=5,x=7", "--axes", "xz"];
        let flags = if ending == "bin" { &raw[..] } else { &[] };
        let told = refused(at, &[&["model", "info", &file], flags].concat());
        says(&told, &["no plain file"]);
    }
    says(&refused(at, &["check", "/dev/zero"]), &["longer than 64 MiB"]);
    let job =
        SMALL.replace("kind = \"ricker\", peak_hz = 10.0", "kind = \"file\", path = \"/dev/zero\"");
    std::fs::write(at.join("job.toml"), &job).expect("written");
    says(&refused(at, &["check", "job.toml"]), &["no plain file"]);
}

#[test]
fn the_invisible_mark_before_a_text_is_skipped() {
    let folder = folder();
    let at = folder.path();
    let samples: String = (0..40).map(|n| format!("{}\n", f64::from(n).sin())).collect();
    std::fs::write(at.join("w.txt"), format!("\u{feff}{samples}")).expect("written");
    let wavelet = "kind = \"file\", path = \"w.txt\", interval = 0.04";
    let job = SMALL.replace("kind = \"ricker\", peak_hz = 10.0", wavelet);
    std::fs::write(at.join("job.toml"), format!("\u{feff}{job}")).expect("written");
    done(at, &["check", "job.toml", "--backend", "cpu"]);
}
