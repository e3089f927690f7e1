//! Least-squares migrations: their files, a run that is killed and goes on, and mistakes.

use crate::{
    held,
    run::{done, exits, huygens, said, says, with_job},
};
use std::{fs, path::Path};

const JOB: &str = r#"
[model]
velocity = "builtin:lens"
nodes = { x = 61, z = 51 }
spacing = 20.0

[time]
duration = 0.8
record = 0.004

[survey]
line = { first = { x = 200.0, z = 40.0 }, increment = { x = 400.0 }, count = 3 }
wavelet = { kind = "ricker", peak_hz = 8.0 }

[receivers]
line = { from = { x = 40.0, z = 40.0 }, to = { x = 1160.0, z = 40.0 }, count = 57 }

[rtm]
smooth = 150.0
formats = ["npy", "sgy", "rsf"]

[lsrtm]
iterations = 3
images = true
traces = true
"#;

const LSRTM: [&str; 4] = ["lsrtm", "job.toml", "--backend", "cpu"];

fn bytes(folder: &Path, name: &str) -> Vec<u8> {
    fs::read(folder.join(name)).expect(name)
}

/// The samples of a SEG-Y file of the whole run: big-endian, after headers of 3600 and 240 bytes.
fn samples(at: &Path, name: &str) -> Vec<f32> {
    let bytes = bytes(at, &format!("whole/{name}.sgy"));
    let count = usize::from(u16::from_be_bytes([bytes[3220], bytes[3221]]));
    let traces = bytes[3600..].chunks_exact(240 + 4 * count).flat_map(|trace| &trace[240..]);
    let values: Vec<u8> = traces.copied().collect();
    values.chunks_exact(4).map(|v| f32::from_be_bytes([v[0], v[1], v[2], v[3]])).collect()
}

#[test]
fn a_killed_run_goes_on_to_the_same_bits() {
    let folder = with_job(JOB);
    let at = folder.path();
    let whole = done(at, &[&LSRTM[..], &["--out", "whole"]].concat());
    says(&said(&whole), &["iteration 3: residual", "of the traces are left", "results in whole"]);
    for file in [
        "image.npy",
        "image.sgy",
        "image.rsf",
        "image.png",
        "images/001.npy",
        "images/003.png",
        "modelled.sgy",
        "residual.png",
    ] {
        assert!(at.join("whole").join(file).exists(), "{file}");
    }
    // The image after the last iteration.
    assert!(bytes(at, "whole/image.npy") == bytes(at, "whole/images/003.npy"));
    let record: serde_json::Value =
        serde_json::from_slice(&bytes(at, "whole/run.json")).expect("JSON");
    let residuals = record["residuals"].as_array().expect("residuals");
    let residuals: Vec<f64> = residuals.iter().map(|of| of.as_f64().expect("a number")).collect();
    assert_eq!((residuals.len(), residuals[0]), (4, 1.0));
    assert!(residuals.windows(2).all(|pair| pair[1] < pair[0]), "{residuals:?}");
    // The traces that are left are as large as the last of them says.
    let [modelled, left] = ["modelled", "residual"].map(|name| samples(at, name));
    let energy = |of: &[f32]| of.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>();
    let recorded: Vec<f32> = modelled.iter().zip(&left).map(|(m, r)| m + r).collect();
    let found = (energy(&left) / energy(&recorded)).sqrt();
    assert!((found / residuals[3] - 1.0).abs() < 0.01, "{found} {residuals:?}");

    let parted = [&LSRTM[..], &["--out", "parted"]].concat();
    let state = at.join("parted/unfinished/partial/0003-0003.bin");
    let listed = at.join("parted/unfinished/partial/journal.jsonl");
    let has_three = || fs::read_to_string(&listed).is_ok_and(|list| list.contains("0003-0003"));
    held::begin(at, &parted, "state", 3).until(has_three).kill();
    let kept = fs::read(&state).expect("a state");
    let resumed = [&parted[..], &["--resume"]].concat();
    for wrong in [kept[..kept.len() / 2].to_vec(), {
        let mut flipped = kept.clone();
        flipped[kept.len() - 9] ^= 1;
        flipped
    }] {
        fs::write(&state, wrong).expect("written");
        says(&said(&exits(2, at, &resumed)), &["is damaged", "begin again with --force"]);
    }
    fs::write(&state, &kept).expect("written");
    let image = at.join("parted/unfinished/images/001.npy");
    let whole = fs::read(&image).expect("an image");
    fs::write(&image, &whole[..whole.len() - 4]).expect("written");
    says(&said(&exits(2, at, &resumed)), &["images/001.npy of the run in the folder is damaged"]);
    fs::write(&image, whole).expect("written");
    let other = exits(2, at, &[&resumed[..], &["--set", "lsrtm.damping=0.5"]].concat());
    says(&said(&other), &["lsrtm.damping is", "there and 0.5 in this job"]);
    done(at, &resumed);
    says(&said(&done(at, &resumed)), &["is done already"]);
    for file in [
        "image.npy",
        "image.sgy",
        "residuals.csv",
        "residual.sgy",
        "images/001.npy",
        "images/003.npy",
    ] {
        let name = |of: &str| format!("{of}/{file}");
        assert!(bytes(at, &name("whole")) == bytes(at, &name("parted")), "{file}");
    }
}

#[test]
fn an_image_has_the_keys_that_shape_it() {
    let folder = with_job(JOB);
    let at = folder.path();
    let image = |out: &str, sets: &[&str]| {
        let sets = sets.iter().flat_map(|set| ["--set", set]);
        let words: Vec<_> =
            LSRTM.into_iter().chain(["--out", out, "--no-pictures"]).chain(sets).collect();
        let told = said(&done(at, &words));
        let image: ndarray::Array2<f32> =
            ndarray_npy::read_npy(at.join(out).join("image.npy")).expect("an image");
        (image, told)
    };
    let size = |of: &ndarray::Array2<f32>| of.iter().map(|v| f64::from(v * v)).sum::<f64>().sqrt();
    let (plain, _) = image("plain", &["lsrtm.iterations=2"]);
    let (damped, _) = image("damped", &["lsrtm.iterations=2", "lsrtm.damping=1.0"]);
    assert!(size(&damped) < 0.8 * size(&plain), "{} {}", size(&damped), size(&plain));
    let (dry, _) = image("dry", &["lsrtm.iterations=1", "lsrtm.water=200.0"]);
    assert!(dry.indexed_iter().all(|((_, z), v)| z >= 10 || *v == 0.0));
    assert!(dry.iter().any(|v| *v != 0.0));
    let (smooth, _) = image("smooth", &["lsrtm.iterations=1", "lsrtm.smooth=40.0"]);
    let rough = |of: &ndarray::Array2<f32>| {
        let steps = of.outer_iter().flat_map(|column| {
            column
                .iter()
                .zip(column.iter().skip(1))
                .map(|(a, b)| f64::from((a - b).powi(2)))
                .collect::<Vec<_>>()
        });
        steps.sum::<f64>().sqrt() / size(of)
    };
    assert!(rough(&smooth) < rough(&dry), "{} {}", rough(&smooth), rough(&dry));
    // Strong damping leaves nothing to do.
    let (_, told) = image("over", &["lsrtm.iterations=9", "lsrtm.damping=1e6"]);
    says(&told, &["of 9 iterations: the last lowered the misfit by less than 0.1 %"]);
}

/// No wave of the recorded time returns from beyond the windows: they give the image of the whole model.
#[test]
fn windows_give_the_image_of_the_whole_model() {
    let spread =
        "spread = { offsets = { first = -300.0, increment = 20.0, count = 31 }, z = 40.0 }";
    let line = "line = { first = { x = 500.0, z = 40.0 }, increment = { x = 2200.0 }, count = 2 }";
    let (head, rest) = JOB.split_once("[survey]\n").expect("a survey");
    let (_, rest) = rest.split_once("wavelet").expect("a wavelet");
    let (wavelet, _) = rest.split_once("[receivers]").expect("receivers");
    let head = head.replace("nodes = { x = 61, z = 51 }\n", "").replace("0.8", "0.6");
    let images = "[rtm]\nsmooth = 150.0\n[lsrtm]\niterations = 3\n";
    let folder = with_job(format!("{head}[survey]\n{line}\n{spread}\nwavelet{wavelet}{images}"));
    let at = folder.path();
    let image = |out: &str, words: &[&str]| -> ndarray::Array2<f32> {
        let all = ["lsrtm", "job.toml", "--no-pictures", "--force", "--out", out];
        done(at, &[&all, words].concat());
        ndarray_npy::read_npy(at.join(out).join("image.npy")).expect("an image")
    };
    let cpu = ["--backend", "cpu"];
    let whole = image("whole", &cpu);
    let size = |of: &ndarray::Array2<f32>| of.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>();
    let off = |of: &ndarray::Array2<f32>| (size(&(of - &whole)) / size(&whole)).sqrt();
    let windows = ["--set", "window={margin=800.0}"];
    let on_cpu = image("windows", &[&cpu[..], &windows].concat());
    let apart = off(&on_cpu);
    assert!(apart < 1e-6, "{apart:e}");
    // Tests the test: in too small ones, images differ.
    let narrow = off(&image("narrow", &[&cpu[..], &["--set", "window={margin=200.0}"]].concat()));
    assert!(narrow > 1e-3, "{narrow:e}");
    if std::env::var_os("HUYGENS_REQUIRE_GPU").is_some() {
        let on_gpu = image("gpu", &[&["--backend", "vulkan"][..], &windows].concat());
        let rounding = (size(&(&on_gpu - &on_cpu)) / size(&on_cpu)).sqrt();
        assert!(rounding < 1e-4, "{rounding:e}");
    }
}

#[test]
fn mistakes_are_named_by_their_key() {
    let folder = with_job(JOB);
    for (set, part) in [
        ("lsrtm.iterations=0", "give 1 or more"),
        ("lsrtm.damping=-1.0", "a finite one, 0 or more"),
        ("lsrtm.smooth=1e9", "longest side"),
        ("lsrtm.illumination=-1.0", "a power of -1 is not available; give one from 0 to 2"),
        ("lsrtm.water=5000.0", "less than the model's depth"),
        ("rtm.gathers=\"none.sgy\"", "none.sgy"),
    ] {
        let words = [&LSRTM[..], &["--out", "out", "--set", set]].concat();
        let output = huygens(folder.path(), &words);
        assert_eq!(output.status.code(), Some(2), "{set}: {}", said(&output));
        says(&said(&output), &[part]);
        assert!(!folder.path().join("out/run.json").exists());
    }
}

/// Traces of another scale, polarity or start than the source waves are told, with numbers.
#[test]
fn doubtful_recordings_are_told() {
    let folder = with_job(JOB);
    let at = folder.path();
    done(
        at,
        &[
            "shot",
            "job.toml",
            "--backend",
            "cpu",
            "--out",
            "seen",
            "--no-pictures",
            "--set",
            "output.gathers=[\"npy\"]",
        ],
    );
    let of_shot = |shot: usize| -> ndarray::Array2<f32> {
        ndarray_npy::read_npy(at.join(format!("seen/shot000{shot}/gather.npy"))).expect("a gather")
    };
    let seen = [1, 2, 3].map(of_shot);
    let seen = ndarray::stack(ndarray::Axis(0), &seen.each_ref().map(|of| of.view()));
    let seen = seen.expect("gathers of one shape");
    let late = {
        let mut late = ndarray::Array3::zeros(seen.dim());
        late.slice_mut(ndarray::s![.., .., 15..]).assign(&seen.slice(ndarray::s![.., .., ..-15]));
        late
    };
    for (traces, parts) in [
        (seen.clone(), &[][..]),
        (seen.mapv(|v| -20.0 * v), &["20.0 times as strong", "another polarity", "-1.000"][..]),
        (late, &["0.06 s later"][..]),
    ] {
        ndarray_npy::write_npy(at.join("other.npy"), &traces).expect("written");
        let words = [
            "--set",
            "rtm.gathers=\"other.npy\"",
            "--set",
            "lsrtm.iterations=1",
            "--force",
            "--no-pictures",
        ];
        let told = said(&done(at, &[&LSRTM[..], &words].concat()));
        says(&told, &["recorded traces and the source waves: least-squares factor"]);
        says(&told, parts);
        if parts.is_empty() {
            assert!(!told.contains("times as strong") && !told.contains(" s later"), "{told}");
        }
    }
    // A model that reflects by itself.
    let rough =
        ["--set", "rtm.smooth=5.0", "--set", "lsrtm.iterations=1", "--force", "--no-pictures"];
    says(
        &said(&done(at, &[&LSRTM[..], &rough].concat())),
        &["reflects waves of the source", "rtm.smooth"],
    );
}
