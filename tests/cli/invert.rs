//! Inversions: their files, a run that is killed and goes on, and mistakes.

use crate::{
    held,
    run::{done, exits, huygens, said, says, with_job},
};
use std::{fs, path::Path};

const JOB: &str = r#"
[model]
velocity = "builtin:homogeneous"
nodes = { x = 61, z = 51 }
spacing = 20.0

[time]
duration = 0.8
record = 0.004

[survey]
line = { first = { x = 200.0, z = 40.0 }, increment = { x = 400.0 }, count = 3 }
wavelet = { kind = "ricker", peak_hz = 8.0 }

[receivers]
line = { from = { x = 40.0, z = 960.0 }, to = { x = 1160.0, z = 960.0 }, count = 57 }

[invert]
bands = [6.0, 12.0]
iterations = 3
"#;

/// The job, and what was observed of another model.
pub fn observed() -> tempfile::TempDir {
    let folder = with_job(JOB);
    let build = [
        "model",
        "build",
        "layers",
        "--nodes",
        "z=51,x=61",
        "--spacing",
        "20",
        "--out",
        "true.rsf",
    ];
    let convert = ["model", "convert", "true.rsf", "start.rsf", "--smooth", "200"];
    let shot = ["shot", "job.toml", "--model", "true.rsf", "--out", "observed", "--no-pictures"];
    for words in [&build[..], &convert, &shot] {
        let output = huygens(folder.path(), &with_cpu(words));
        assert!(output.status.success(), "{words:?}: {}", said(&output));
    }
    folder
}

fn with_cpu<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let mut words = words.to_vec();
    if words[0] != "model" {
        words.extend(["--backend", "cpu"]);
    }
    words
}

const INVERT: [&str; 8] = [
    "invert",
    "job.toml",
    "--model",
    "start.rsf",
    "--observed",
    "observed/gathers.sgy",
    "--backend",
    "cpu",
];

fn bytes(folder: &Path, name: &str) -> Vec<u8> {
    fs::read(folder.join(name)).expect(name)
}

#[test]
fn a_killed_inversion_goes_on_to_the_same_bits() {
    let folder = observed();
    let at = folder.path();
    let whole = done(at, &[&INVERT[..], &["--out", "whole"]].concat());
    says(&said(&whole), &["the misfit of each band fell to", "results in whole"]);
    for file in [
        "model.npy",
        "model.png",
        "start.png",
        "models/01-001.npy",
        "models/02-003.png",
        "misfit.png",
        "inversion.apng",
    ] {
        assert!(at.join("whole").join(file).exists(), "{file}");
    }
    let lines = String::from_utf8(bytes(at, "whole/misfits.csv")).expect("text");
    assert_eq!(lines.lines().count(), 1 + 2 * 4, "{lines}");
    let record: serde_json::Value =
        serde_json::from_slice(&bytes(at, "whole/run.json")).expect("JSON");
    assert_eq!(record["misfits"].as_array().map(Vec::len), Some(2));
    assert!(!at.join("whole/partial").exists() && !at.join("whole/unfinished").exists());

    let parted = [&INVERT[..], &["--out", "parted"]].concat();
    // After the states of two iterations.
    let listed = at.join("parted/unfinished/partial/journal.jsonl");
    let has_two = || fs::read_to_string(&listed).is_ok_and(|list| list.contains("0002-0002"));
    held::begin(at, &parted, "state", 2).until(has_two).kill();
    let again = huygens(at, &parted);
    assert!(!again.status.success(), "what is unfinished is not begun again unasked");
    let state = at.join("parted/unfinished/partial/0002-0002.bin");
    let kept = fs::read(&state).expect("a state");
    fs::write(&state, &kept[..kept.len() / 2]).expect("written");
    let damaged = huygens(at, &[&parted[..], &["--resume"]].concat());
    says(&said(&damaged), &["is damaged", "begin again with --force"]);
    // A bit of a number.
    let mut flipped = kept.clone();
    flipped[kept.len() - 9] ^= 1;
    fs::write(&state, flipped).expect("written");
    says(&said(&exits(2, at, &[&parted[..], &["--resume"]].concat())), &["is damaged"]);
    fs::write(&state, &kept).expect("written");
    // Not of this command, either way.
    let shot = ["shot", "job.toml", "--backend", "cpu", "--out", "parted", "--resume"];
    let of_invert = "it is a run of huygens \"invert\", and this command is \"shot\"";
    says(&said(&exits(2, at, &shot)), &[of_invert, "begin again with --force and without"]);
    assert!(fs::read(&state).expect("a state") == kept);
    fs::create_dir_all(at.join("survey/unfinished")).expect("made");
    fs::copy(at.join("observed/journal.jsonl"), at.join("survey/unfinished/journal.jsonl"))
        .expect("copied");
    let survey = [&INVERT[..], &["--out", "survey", "--resume"]].concat();
    says(
        &said(&exits(2, at, &survey)),
        &["it is a run of huygens \"shot\", and this command is \"invert\""],
    );
    let model = at.join("parted/unfinished/models/01-001.npy");
    let whole = fs::read(&model).expect("a model");
    fs::write(&model, &whole[..whole.len() - 4]).expect("written");
    for _ in 0..2 {
        let damaged = exits(2, at, &[&parted[..], &["--resume"]].concat());
        says(&said(&damaged), &["models/01-001.npy of the run in the folder is damaged"]);
    }
    fs::write(&model, whole).expect("written");
    let list = at.join("parted/unfinished/partial/journal.jsonl");
    let text = fs::read(&list).expect("a list");
    fs::remove_file(&list).expect("removed");
    let lost = exits(2, at, &[&parted[..], &["--resume"]].concat());
    says(&said(&lost), &["partial/journal.jsonl of the run in the folder is damaged"]);
    fs::write(&list, text).expect("written");
    let other = [&parted[..], &["--resume", "--set", "invert.most=3000.0"]].concat();
    let other = exits(2, at, &other);
    says(&said(&other), &["holds another run: invert.most is", "there and 3000.0 in this job"]);
    // The same traces at another place, without pictures.
    fs::rename(at.join("observed"), at.join("moved")).expect("moved");
    let resumed: Vec<_> = parted
        .iter()
        .map(|word| if *word == "observed/gathers.sgy" { "moved/gathers.sgy" } else { word })
        .chain(["--resume", "--no-pictures"])
        .collect();
    done(at, &resumed);
    says(&said(&done(at, &resumed)), &["is done already"]);
    // Not of other traces.
    let mut traces = bytes(at, "moved/gathers.sgy");
    *traces.last_mut().expect("a sample") ^= 1;
    fs::write(at.join("moved/gathers.sgy"), traces).expect("written");
    says(&said(&exits(2, at, &resumed)), &["gathers.sgy has changed since"]);
    for file in ["model.npy", "misfits.csv", "models/01-001.npy", "models/02-003.npy"] {
        let name = |of: &str| format!("{of}/{file}");
        assert!(bytes(at, &name("whole")) == bytes(at, &name("parted")), "{file}");
    }
}

/// The foot of a picture of a model: the colour bar and its numbers.
fn scale(path: &Path) -> Vec<u8> {
    let picture = image::open(path).expect("a picture").to_rgb8();
    let rows = picture.rows().rev().take(150);
    rows.flatten().flat_map(|pixel| pixel.0).collect()
}

#[test]
fn all_models_of_an_inversion_have_one_scale() {
    let folder = observed();
    let at = folder.path();
    done(at, &[&INVERT[..], &["--out", "whole", "--set", "invert.iterations=1"]].concat());
    let all = scale(&at.join("whole/model.png"));
    for file in ["start.png", "models/01-001.png", "models/02-001.png"] {
        assert!(scale(&at.join("whole").join(file)) == all, "{file}");
    }
    // Of one model alone they are others.
    done(at, &["model", "plot", "start.rsf", "--out", "own.png"]);
    assert!(scale(&at.join("own.png")) != all);
    for file in ["start.rsf", "true.rsf"] {
        let out = format!("{file}.png");
        done(at, &["model", "plot", file, "--out", &out, "--range", "1000,3000"]);
    }
    assert!(scale(&at.join("start.rsf.png")) == scale(&at.join("true.rsf.png")));
    let words = ["model", "plot", "start.rsf", "--out", "bad.png", "--range", "3000,1000"];
    says(&said(&exits(2, at, &words)), &["give the smaller and the larger in m/s or kg/m3"]);
}

/// The samples of all traces of a SEG-Y file.
fn samples(path: &Path) -> Vec<f32> {
    let bytes = fs::read(path).expect("traces");
    let count = usize::from(u16::from_be_bytes([bytes[3220], bytes[3221]]));
    let traces = bytes[3600..].chunks_exact(240 + 4 * count).flat_map(|trace| &trace[240..]);
    let values: Vec<u8> = traces.copied().collect();
    values.chunks_exact(4).map(|v| f32::from_be_bytes([v[0], v[1], v[2], v[3]])).collect()
}

/// Half the energy of the traces that a run of the job left, observed minus modelled ones.
pub fn misfit_of(folder: &Path, prefix: &str) -> f64 {
    let all = ["observed".to_owned(), format!("{prefix}modelled"), format!("{prefix}residual")];
    let [observed, modelled, residual] = all.map(|name| samples(&folder.join(name + ".sgy")));
    assert_eq!(observed.len(), 3 * 57 * 201);
    let energy = residual.iter().enumerate().map(|(k, left)| {
        assert_eq!(observed[k] - modelled[k], *left, "{k}");
        f64::from(*left).powi(2)
    });
    0.5 * 0.004 * energy.sum::<f64>()
}

#[test]
fn the_last_model_is_written_in_formats_and_the_traces_as_the_last_band_compares_them() {
    let folder = observed();
    let at = folder.path();
    let keys = ["invert.bands=[10.0]", "invert.iterations=2", "gradient.taper=0.1"];
    let keys =
        keys.into_iter().chain(["invert.traces=true", "invert.formats=[\"sgy\",\"rsf\",\"npy\"]"]);
    let keys: Vec<_> = keys.flat_map(|key| ["--set", key]).collect();
    let place = ["--set", "model.origin={x=0.0,y=0.0,elevation=250.0}"];
    let shot = ["shot", "job.toml", "--model", "true.rsf", "--out", "observed", "--force"];
    done(at, &[&with_cpu(&shot)[..], &["--no-pictures"], &place].concat());
    done(at, &[&INVERT[..], &["--out", "out"], &place, &keys].concat());
    let out = at.join("out");
    let lines = String::from_utf8(bytes(&out, "misfits.csv")).expect("text");
    let misfits: Vec<f64> = lines
        .lines()
        .skip(1)
        .map(|line| line.rsplit(',').next().and_then(|j| j.parse().ok()).expect("a number"))
        .collect();
    for (prefix, known) in [("start-", misfits[0]), ("", misfits[2])] {
        let found = misfit_of(&out, prefix);
        assert!((found / known - 1.0).abs() < 1e-4, "{prefix}: {found:e} {known:e}");
    }
    assert!(misfits[2] < 0.9 * misfits[0]);
    for file in ["compared.png", "shot-0003/traces.png"] {
        assert!(out.join(file).exists(), "{file}");
    }
    // Read again as a model, at its elevation.
    for file in ["out/model.sgy", "out/model.rsf"] {
        let again = format!("{}.npy", file.replace(['/', '.'], "-"));
        let told = said(&done(at, &["model", "convert", file, &again]));
        says(&told, &["elevation = 250"]);
        assert!(bytes(at, &again) == bytes(&out, "model.npy"), "{file}");
    }
    let twice = ["--set", "invert.formats=[\"sgy\",\"sgy\"]", "--out", "twice"];
    let twice = exits(2, at, &[&INVERT[..], &twice].concat());
    says(&said(&twice), &["invert.formats", "a format is there twice", "give each once"]);
}

#[test]
fn what_it_reads_is_not_replaced() {
    let folder = observed();
    let at = folder.path();
    let words = [&INVERT[..], &["--out", "observed", "--force"]].concat();
    says(&said(&exits(2, at, &words)), &["observed/gathers.sgy is read by this run"]);
    assert!(at.join("observed/gathers.sgy").exists() && at.join("observed/run.json").exists());
}

#[test]
fn what_is_unfinished_is_begun_again_by_force() {
    let folder = observed();
    let words = [&INVERT[..], &["--out", "out", "--set", "invert.iterations=1"]].concat();
    let state = folder.path().join("out/unfinished/partial/0001-0001.bin");
    held::begin(folder.path(), &words, "state", 1).until(|| state.exists()).kill();
    // The slowest velocity as a bound.
    let again = [&words[..], &["--force", "--set", "invert.least=1500.0"]].concat();
    done(folder.path(), &again);
    assert!(folder.path().join("out/model.npy").exists());
}

#[test]
fn mistakes_are_named_by_their_key() {
    let folder = observed();
    for (set, part) in [
        ("invert.least=9000.0", "give one above 0 and up to"),
        ("invert.most=1000.0", "does not hold the model"),
        ("invert.water=5000.0", "less than its depth"),
        ("invert.smooth=-1.0", "0 or more"),
        ("invert.smooth=1e300", "longest side"),
        ("invert.bands=[-3.0]", "a twentieth of a period of which is recorded"),
        ("invert.bands=[1e-3]", "give 0.0625 Hz or more"),
        ("gradient.mute.delay=200.0", "leave no sample of any trace"),
        ("invert.bands=[400.0]", "Nyquist"),
        // Of a step that the model allows.
        ("invert.most=6000.0", "the largest stable step"),
    ] {
        let step = ["--set", "time.step=0.004", "--out", "out", "--set", set];
        let output = huygens(folder.path(), &[&INVERT[..], &step].concat());
        assert_eq!(output.status.code(), Some(2), "{set}: {}", said(&output));
        says(&said(&output), &[part]);
        assert!(!folder.path().join("out/run.json").exists());
    }
    let nothing = exits(2, folder.path(), &["invert", "job.toml", "--backend", "cpu"]);
    says(&said(&nothing), &["gradient.observed"]);
}

/// A prior lowers the variation of the model, and an interrupted inversion ends with the same bits.
#[test]
fn a_prior_shapes_the_model() {
    let folder = observed();
    let at = folder.path();
    let variation = |out: &str| -> f64 {
        let model: ndarray::Array2<f32> =
            ndarray_npy::read_npy(at.join(out).join("model.npy")).expect("a model");
        let along = |a: &ndarray::ArrayView1<'_, f32>| -> f64 {
            a.windows(2).into_iter().map(|pair| f64::from((pair[1] - pair[0]).abs())).sum()
        };
        let rows = model.rows().into_iter().map(|row| along(&row)).sum::<f64>();
        rows + model.columns().into_iter().map(|column| along(&column)).sum::<f64>()
    };
    let run = |out: &'static str, prior: Option<&'static str>| {
        let words = [&INVERT[..], &["--no-pictures", "--out", out]].concat();
        prior.iter().fold(words, |words, prior| [&words[..], &["--set", prior]].concat())
    };
    done(at, &run("plain", None));
    let prior = "invert.prior={kind=\"total-variation\",weight=100.0}";
    done(at, &run("even", Some(prior)));
    done(at, &run("smooth", Some("invert.prior={kind=\"smooth\",weight=100.0}")));
    let (plain, even, smooth) = (variation("plain"), variation("even"), variation("smooth"));
    assert!(even < 0.9 * plain && smooth < plain, "{plain} {even} {smooth}");
    let parted = run("parted", Some(prior));
    let listed = at.join("parted/unfinished/partial/journal.jsonl");
    let has_two = || fs::read_to_string(&listed).is_ok_and(|list| list.contains("0002-0002"));
    held::begin(at, &parted, "state", 2).until(has_two).kill();
    done(at, &[&parted[..], &["--resume"]].concat());
    for file in ["model.npy", "misfits.csv"] {
        assert!(
            bytes(at, &format!("even/{file}")) == bytes(at, &format!("parted/{file}")),
            "{file}"
        );
    }
    let wrong = run("wrong", Some("invert.prior={kind=\"smooth\",weight=-1.0}"));
    says(&said(&exits(2, at, &wrong)), &["a weight of -1", "0 or more"]);
}
