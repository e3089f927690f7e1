//! Migrations, gradients and inversions of sources and traces of any amplitude.

use crate::run::{done, json, said, with_job};
use huygens::io::{
    gather_file::{self, Given},
    npy,
};
use ndarray::ArrayD;
use std::path::Path;

/// Two shots over a layer, for the commands that multiply two waves.
const JOB: &str = r#"
[model]
velocity = "builtin:homogeneous"
nodes = { z = 30, x = 40 }
spacing = 20.0

[time]
duration = 0.5
record = 0.004

[boundary]
top = "absorb"
sides = { kind = "cpml", cells = 8 }

[survey]
wavelet = { kind = "ricker", peak_hz = 12.0 }
line = { first = { x = 200.0, z = 20.0 }, increment = { x = 300.0 }, count = 2 }

[receivers]
line = { from = { x = 0.0, z = 20.0 }, to = { x = 780.0, z = 20.0 }, count = 40 }

[gradient]
observed = "observed/gathers.sgy"
per_shot = true

[invert]
iterations = 1

[rtm]
gathers = "observed/gathers.sgy"
conditions = ["cross-correlation", "source-normalised"]
offsets = { along = "x", most = 40.0 }
angles = { most = 20.0, step = 10.0 }

[output]
pictures = false
"#;

/// Writes gathers with every sample multiplied.
fn scaled(from: &Path, by: f32, to: &Path) {
    let mut gathers = gather_file::read(from, &Given::default()).expect("gathers").gathers;
    gathers.iter_mut().for_each(|gather| gather.traces.mapv_inplace(|sample| sample * by));
    gather_file::write(to, &gathers, true, &|| false).expect("written");
}

/// An array of a run, times the factor that its record names.
fn whole(folder: &Path, name: &str) -> ArrayD<f64> {
    let values: ArrayD<f64> = npy::read(&folder.join(format!("{name}.npy"))).expect("an array");
    let unit = json(folder.join("run.json"))["units"][name].as_f64().unwrap_or(1.0);
    values * unit
}

/// The largest difference over the largest value.
fn off(ours: &ArrayD<f64>, known: &ArrayD<f64>) -> f64 {
    let largest = |of: &ArrayD<f64>| of.iter().fold(0.0f64, |most, v| most.max(v.abs()));
    largest(&(ours - known)) / largest(known)
}

#[test]
fn sources_of_any_amplitude_have_the_same_images_gradients_and_models() {
    let folder = with_job(JOB);
    let at = folder.path();
    // Powers of two: no digit of a trace changes but of those that are below 1e-38.
    let scales = [("one", 1.0f64), ("faint", 2f64.powi(-100)), ("loud", 2f64.powi(100))];
    let words = ["shot", "job.toml", "--backend", "cpu", "-q", "--model", "builtin:layers"];
    done(at, &[&words[..], &["--out", "observed"]].concat());
    std::fs::copy(at.join("observed/gathers.sgy"), at.join("one.sgy")).expect("copied");
    for (name, scale) in scales {
        let amplitude = format!("survey.amplitude={scale:e}");
        let run = |command: &str, more: &[&str]| {
            let out = format!("{name}-{command}");
            let words = [command, "job.toml", "--backend", "cpu", "--force", "--set", &amplitude];
            done(at, &[&words[..], &["--out", &out], more].concat())
        };
        scaled(&at.join("one.sgy"), scale as f32, &at.join("observed/gathers.sgy"));
        let told = said(&run("gradient", &[]));
        assert_eq!(told.contains("is divided by"), name != "one", "{name}: {told}");
        let told = said(&run("rtm", &[]));
        assert_eq!(told.contains("is divided by"), name != "one", "{name}: {told}");
        run("invert", &[]);
    }
    for (name, amplitude) in &scales[1..] {
        let square = amplitude * amplitude;
        for (array, power) in [
            ("gradient/gradient", square),
            ("gradient/shot-0002/gradient", square),
            ("gradient/illumination", square),
            ("rtm/image", square),
            ("rtm/image-source-normalised", 1.0),
            ("rtm/illumination", square),
            ("rtm/offsets-x", square),
            ("rtm/angles", square),
            ("invert/model", 1.0),
        ] {
            let (command, array) = array.split_once('/').expect("a command and an array");
            let of = |name: &str| whole(&at.join(format!("{name}-{command}")), array);
            let off = off(&(of(name) / power), &of("one"));
            assert!(off < 1e-5, "{name} {command} {array}: {off}");
        }
        let misfits = |name: &str| {
            let record = json(at.join(format!("{name}-gradient/run.json")));
            record["misfits"].as_array().expect("a list")[0].as_f64().expect("a number")
        };
        assert!((misfits(name) / square / misfits("one") - 1.0).abs() < 1e-6, "{name}");
    }
}

#[test]
fn sections_of_any_amplitude_have_the_same_images() {
    let folder = with_job(JOB);
    let at = folder.path();
    let zero_offset = |more: &[&str]| {
        let words = ["zero-offset", "job.toml", "--model", "builtin:layers", "--backend", "cpu"];
        done(at, &[&words[..], &["--force", "-q"], more].concat());
    };
    zero_offset(&["--out", "section"]);
    let section: ArrayD<f32> = npy::read(&at.join("section/section.npy")).expect("a section");
    let image = |scale: f32| {
        let scaled = section.mapv(|sample| sample * scale);
        std::fs::write(at.join("scaled.npy"), npy::bytes(scaled.view())).expect("written");
        zero_offset(&["--migrate", "scaled.npy", "--out", "image"]);
        whole(&at.join("image"), "image") / f64::from(scale)
    };
    let known = image(1.0);
    for power in [-60, 60] {
        let off = off(&image(2f32.powi(power)), &known);
        assert!(off < 1e-5, "2^{power}: {off}");
    }
}

/// Traces of another unit than the sources'.
#[test]
fn a_migration_takes_traces_of_any_unit_and_stacks_the_same_in_tasks() {
    let folder = with_job(JOB);
    let at = folder.path();
    let words = ["--backend", "cpu", "--force", "-q"];
    let shot = ["shot", "job.toml", "--model", "builtin:layers", "--out", "observed"];
    done(at, &[&shot[..], &words].concat());
    let rtm = |out: &str, more: &[&str]| {
        let rtm = ["rtm", "job.toml", "--set", "survey.amplitude=1e25", "--out", out];
        done(at, &[&rtm[..], &words, more].concat());
    };
    rtm("whole", &[]);
    rtm("parts", &["--task", "1/2"]);
    rtm("parts", &["--task", "2/2"]);
    rtm("parts", &["--merge"]);
    for name in ["image", "illumination", "offsets-x"] {
        let [one, other] = ["whole", "parts"].map(|out| whole(&at.join(out), name));
        assert_eq!(one, other, "{name}");
    }
    let units = |out: &str| json(at.join(out).join("run.json"))["units"].clone();
    assert_eq!(units("whole"), units("parts"));
    assert!(units("whole")["illumination"].as_f64().expect("a unit") > 1e40);
}
