//! Sections of exploding reflectors, and sections sent back.

use crate::{
    pictures::{coloured, frames, text},
    run::{SMALL, done, exits, folder, json, names, refused, said, with_job},
};
use huygens::{
    grid::Position,
    io::segy::{
        ByteOrder, Format, LengthUnit, Reader, ReaderOptions, ShotSpec, SurveySpec, ValueUnit,
        read_gathers, write_gather, write_section,
    },
};
use image::RgbImage;
use ndarray::{Array1, Array2, Array3};
use ndarray_npy::{read_npy, write_npy};
use std::{fs, path::Path};

/// Runs what must succeed, on the CPU.
fn run(folder: &Path, arguments: &[&str]) {
    done(folder, &[&["zero-offset"], arguments, &["--backend", "cpu"]].concat());
}

fn wrong(folder: &Path, arguments: &[&str]) -> String {
    let output = exits(2, folder, &[&["zero-offset"], arguments, &["--backend", "cpu"]].concat());
    said(&output)
}

#[test]
fn a_section_there_and_back() {
    let folder = folder();
    let folder = folder.path();
    let job = SMALL.replace("duration = 0.4", "duration = 1.2\nrecord = 0.004");
    fs::write(folder.join("job.toml"), job).expect("written");
    run(folder, &["job.toml", "--out", "section"]);
    let out = folder.join("section");
    let files = ["reflectivity.npy", "reflectivity.png", "run.json"];
    let section = ["section.npy", "section.png", "section.sgy", "snapshots"];
    let files = [files.as_slice(), &section].concat();
    assert_eq!(names(&out), files);
    let section: Array2<f32> = read_npy(out.join("section.npy")).expect("an array");
    assert_eq!(section.dim(), (80, 301));
    let map: Array2<f32> = read_npy(out.join("reflectivity.npy")).expect("an array");
    assert_eq!(map.dim(), (80, 60));

    // Each trace of the SEG-Y file has its source and its receiver at one place, thus a gather of
    // its own.
    let mut file =
        Reader::open(&out.join("section.sgy"), ReaderOptions::default()).expect("a SEG-Y file");
    let gathers = read_gathers(&mut file, None).expect("traces");
    assert_eq!(gathers.len(), 80);
    for (gather, trace) in gathers.iter().zip(section.outer_iter()) {
        assert_eq!(gather.receivers, [gather.source]);
        assert_eq!(gather.traces.row(0), trace);
    }

    // The folder of the job is not in it.
    run(folder, &[&folder.join("job.toml").display().to_string(), "--out", "elsewhere"]);
    let bytes = |at: &str| fs::read(folder.join(at).join("section.sgy")).expect("a section");
    assert!(bytes("section") == bytes("elsewhere"));

    run(folder, &["job.toml", "--migrate", "section/section.npy", "--out", "image"]);
    assert_eq!(names(&folder.join("image")), ["image.npy", "image.png", "run.json", "snapshots"]);
    let image: Array2<f32> = read_npy(folder.join("image/image.npy")).expect("an array");
    assert_eq!(image.dim(), (80, 60));
    // Into the folder of the section, which stays.
    run(folder, &["job.toml", "--migrate", "section/section.npy", "--out", "section", "--force"]);
    let kept: Array2<f32> = read_npy(out.join("section.npy")).expect("the section is still there");
    assert_eq!(kept, section);
    run(folder, &["job.toml", "--out", "section", "--force"]);
    // The strongest node of the middle column, below the dipoles, is at the strongest coefficient.
    let strongest = |map: &Array2<f32>| {
        let column: Array1<f32> = map.row(40).mapv(f32::abs);
        (8..60).max_by(|a, b| column[*a].total_cmp(&column[*b])).expect("a column")
    };
    assert!(strongest(&image).abs_diff(strongest(&map)) <= 1);
    let record = json(folder.join("image/run.json"));
    assert_eq!(record["inputs"].as_object().map(serde_json::Map::len), Some(1), "{record:#}");
    assert_eq!(record["time"]["steps"], 600);

    // The headers say what a .npy leaves to the job: receivers, and how far samples are apart.
    // Behind its two headers a SEG-Y file is one of Seismic Unix.
    let job = fs::read_to_string(folder.join("job.toml")).expect("the job");
    let job = job.replace("record = 0.004", "record = 0.002");
    let elsewhere = job.replace("count = 80", "count = 3");
    assert_ne!(job, elsewhere);
    fs::write(folder.join("other.toml"), elsewhere).expect("written");
    let traces = fs::read(out.join("section.sgy")).expect("the section");
    fs::write(folder.join("section.su"), &traces[3600..]).expect("written");
    for section in ["section/section.sgy", "section.su"] {
        run(folder, &["other.toml", "--migrate", section, "--out", "traces"]);
        let same: Array2<f32> = read_npy(folder.join("traces/image.npy")).expect("an array");
        assert_eq!(same, image, "{section}");
        fs::remove_dir_all(folder.join("traces")).expect("removed");
    }
}

#[test]
fn receivers_in_kilometres_are_refused() {
    let folder = with_job(SMALL.replace("x = 1580.0", "x = 1.58"));
    let folder = folder.path();
    let told = refused(folder, &["zero-offset", "job.toml", "--backend", "cpu"]);
    assert!(told.contains("within 1.58 m, less than a cell"), "{told}");
}

/// A picture below its title.
fn untitled(path: &Path) -> RgbImage {
    let picture = image::open(path).expect("a picture").into_rgb8();
    let (width, height) = picture.dimensions();
    image::imageops::crop_imm(&picture, 0, height / 8, width, height - height / 8).to_image()
}

/// The fraction of the model in a frame that has waves.
fn field(frame: &RgbImage) -> f64 {
    coloured(frame, 0.2..0.8, 0.2..0.6)
}

#[test]
fn the_field_is_seen_on_its_way_there_and_back() {
    let folder = folder();
    let folder = folder.path();
    let job = SMALL.replace("duration = 0.4", "duration = 1.2\nrecord = 0.004");
    let job = job.replace("[0.2]", "[0.0, 0.6, 1.1]\nmovie = { every = 0.3 }");
    fs::write(folder.join("job.toml"), job).expect("written");
    run(folder, &["job.toml", "--out", "section"]);
    let (there, back) = (folder.join("section"), folder.join("image"));
    let steps = ["t0000000.png", "t0000300.png", "t0000550.png"];
    assert_eq!(names(&there.join("snapshots")), steps);
    // At t = 0 it is what explodes.
    let first = untitled(&there.join("snapshots/t0000000.png"));
    assert!(first == untitled(&there.join("reflectivity.png")), "another field");
    let waves: Vec<f64> = frames(&there.join("movie.apng")).iter().map(field).collect();
    assert_eq!(waves.len(), 5);
    assert!(waves[0] > 0.0 && waves[4] > 0.0, "{waves:?}");

    let migrate = ["job.toml", "--migrate", "section/section.npy", "--out", "image"];
    run(folder, &migrate);
    assert_eq!(names(&back.join("snapshots")), steps.map(|step| format!("back-{step}")));
    let last = untitled(&back.join("snapshots/back-t0000000.png"));
    assert!(last == untitled(&back.join("image.png")), "another field");
    // 1.2, 0.9, ... 0 s: at first nothing has been sent back yet.
    let waves: Vec<f64> = frames(&back.join("movie.apng")).iter().map(field).collect();
    assert_eq!((waves.len(), waves[0]), (5, 0.0));
    assert!(waves[4] > waves[1], "{waves:?}");
    assert!(text(&back.join("movie.apng"), "Title").ends_with("zero-offset section"));

    // A shorter section is used as far as it goes.
    let section: Array2<f32> = read_npy(there.join("section.npy")).expect("an array");
    let cut = |samples| {
        let part = section.slice(ndarray::s![.., ..samples]).to_owned();
        write_npy(there.join("section.npy"), &part).expect("written");
    };
    cut(201);
    run(folder, &[&migrate[..], &["--force"]].concat());
    assert_eq!(names(&back.join("snapshots")), ["back-t0000000.png", "back-t0000300.png"]);
    assert_eq!(frames(&back.join("movie.apng")).len(), 3);
    cut(51);
    let said = wrong(folder, &[&migrate[..], &["--force"]].concat());
    assert!(said.contains("one every 0.3 s of 0.2 s is 1"), "{said}");
}

#[test]
fn settings_without_a_section_are_named() {
    let folder = folder();
    let folder = folder.path();
    let job = |text: &str| fs::write(folder.join("job.toml"), text).expect("written");
    job(&format!("{SMALL}\n[boundary]\nsides = {{ kind = \"zero\" }}\n"));
    let text = wrong(folder, &["job.toml"]);
    assert!(text.contains("sides of kind \"zero\" reflect") && text.contains("cpml"), "{text}");
    job(&SMALL[..SMALL.find("[receivers]").expect("receivers")]);
    let text = wrong(folder, &["job.toml"]);
    assert!(text.contains("receivers") && text.contains("give a line"), "{text}");

    job(SMALL);
    let text = wrong(folder, &["job.toml", "--migrate", "none.npy"]);
    assert!(text.contains("none.npy"), "{text}");
    let section = folder.join("section.npy");
    let migrate = ["job.toml", "--migrate", "section.npy"];
    write_npy(&section, &Array2::<f32>::ones((79, 201))).expect("written");
    let text = wrong(folder, &migrate);
    assert!(text.contains("79 traces") && text.contains("80 receivers"), "{text}");
    write_npy(&section, &Array2::<f32>::zeros((80, 201))).expect("written");
    assert!(wrong(folder, &migrate).contains("silent"));
    write_npy(&section, &Array3::<f32>::ones((80, 20, 2))).expect("written");
    assert!(wrong(folder, &migrate).contains("a section has two axes"));
    fs::write(folder.join("notes.txt"), "none").expect("written");
    let text = wrong(folder, &["job.toml", "--migrate", "notes.txt"]);
    assert!(text.contains(
        "notes.txt: it is no section by its ending; give a .sgy, .su, .npy, .npz or .h5"
    ));
    assert!(!folder.join("out").exists(), "nothing is left behind");
}

/// Traces at some places along the surface, each with its source where it is, or all with it at the
/// first.
fn traces(folder: &Path, at: &[f64], interval: f64, of_one_shot: bool) {
    let receivers: Vec<Position> =
        at.iter().map(|x| Position { x: *x, ..Position::default() }).collect();
    let samples = 201;
    let spec = SurveySpec {
        text: Vec::new(),
        shots: vec![ShotSpec { record: 1, source: receivers[0], receivers: receivers.into() }],
        samples,
        interval,
        format: Format::F32,
        order: ByteOrder::Big,
        unit: LengthUnit::Metre,
        bins: None,
        values: ValueUnit::Unknown,
    };
    let traces = Array2::<f32>::ones((at.len(), samples));
    let bytes = match of_one_shot {
        true => write_gather(Vec::new(), traces.view(), spec),
        false => write_section(Vec::new(), traces.view(), spec),
    };
    fs::write(folder.join("traces.sgy"), bytes.expect("traces")).expect("written");
}

#[test]
fn traces_that_make_no_section_are_named() {
    let folder = with_job(SMALL);
    let folder = folder.path();
    let refused = |at: &[f64], interval: f64, of_one_shot: bool, words: &[&str]| {
        traces(folder, at, interval, of_one_shot);
        let text = wrong(folder, &["job.toml", "--migrate", "traces.sgy"]);
        for word in ["traces.sgy"].iter().chain(words) {
            assert!(text.contains(word), "{word}: {text}");
        }
    };
    let line = [0.0, 20.0, 40.0];
    refused(&line, 0.003, false, &["3 ms", "steps of 2 ms", "job.toml:9:8"]);
    let beyond = [0.0, 800.0, 1600.0];
    refused(&beyond, 0.002, false, &["trace 3", "x = 1600 m", "0 to 1580 m", "first node"]);
    let apart = ["the source of trace 3 is 40 m from its receiver", "20 m", ".npy"];
    refused(&line, 0.002, true, &apart);
    refused(&[60.0; 3], 0.002, false, &["all of its 3 traces are at x = 60 m", "gather.positions"]);
    let text = wrong(folder, &["job.toml", "--migrate", "none.sgy"]);
    assert!(text.contains("none.sgy: it cannot be read"), "{text}");
    assert!(!folder.join("out").exists(), "nothing is left behind");
}

#[test]
fn a_section_that_has_the_positions_of_its_ensembles_alone_lies_there() {
    let folder = with_job(SMALL);
    let folder = folder.path();
    let image = |name: &str| {
        let words = ["job.toml", "--migrate", "traces.sgy", "--out", name, "--backend", "cpu"];
        let output = done(folder, &[&["zero-offset"], &words[..]].concat());
        let image: Array2<f32> = read_npy(folder.join(name).join("image.npy")).expect("an array");
        (image, said(&output))
    };
    traces(folder, &[700.0, 800.0, 900.0], 0.002, false);
    let placed = image("placed");
    assert!(!placed.1.contains("bytes 181-188"), "{}", placed.1);
    let path = folder.join("traces.sgy");
    let mut bytes = fs::read(&path).expect("traces");
    for trace in bytes[3600..].chunks_exact_mut(240 + 4 * 201) {
        trace[72..88].fill(0);
    }
    fs::write(&path, bytes).expect("written");
    let of_ensembles = image("ensembles");
    assert!(of_ensembles.1.contains("bytes 181-188"), "{}", of_ensembles.1);
    assert_eq!(of_ensembles.0, placed.0);
}
