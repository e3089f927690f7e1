//! What is observed: samples that were not recorded, dead traces, other scales and polarities.

use crate::run::{done, exits, huygens, json, said, says, with_job};
use std::{fs, path::Path};

const JOB: &str = r#"
[model]
velocity = "builtin:layers"
nodes = { z = 40, x = 50 }
spacing = 20.0

[time]
duration = 0.6
record = 0.004

[boundary]
top = "absorb"
sides = { kind = "cpml", cells = 8 }

[survey]
wavelet = { kind = "ricker", peak_hz = 10.0 }
line = { first = { x = 300.0, z = 40.0 }, increment = { x = 400.0 }, count = 2 }

[receivers]
line = { from = { x = 100.0, z = 40.0 }, to = { x = 900.0, z = 40.0 }, count = 21 }

[invert]
bands = [15.0]
iterations = 1

[rtm]
gathers = "observed.sgy"
direct = "modelled"
laplacian = false

[output]
pictures = false
"#;

const HEADERS: usize = 3600;
const TRACE: usize = 240;
const TRACES: usize = 42;
const SAMPLES: usize = 151;

/// A file of traces, of which each has some samples.
struct File {
    bytes: Vec<u8>,
}

impl File {
    /// The shots of the job.
    fn modelled(folder: &Path) -> Self {
        let shot = ["shot", "job.toml", "--backend", "cpu", "--out", "shots", "-q"];
        done(folder, &shot);
        let bytes = fs::read(folder.join("shots/gathers.sgy")).expect("the shots");
        assert_eq!(bytes.len(), HEADERS + TRACES * (TRACE + 4 * SAMPLES));
        File { bytes }
    }

    fn trace(&self, number: usize) -> &[u8] {
        let length = TRACE + 4 * SAMPLES;
        &self.bytes[HEADERS + number * length..][..length]
    }

    /// The samples from one on and before another, with the delay in the headers.
    fn cut(&self, from: usize, to: usize) -> Vec<u8> {
        let mut bytes = self.bytes[..HEADERS].to_vec();
        let count = ((to - from) as u16).to_be_bytes();
        bytes[3220..3222].copy_from_slice(&count);
        for number in 0..TRACES {
            let trace = self.trace(number);
            let mut header = trace[..TRACE].to_vec();
            header[114..116].copy_from_slice(&count);
            header[108..110].copy_from_slice(&(4 * from as u16).to_be_bytes());
            bytes.extend(header);
            bytes.extend(&trace[TRACE + 4 * from..TRACE + 4 * to]);
        }
        bytes
    }

    /// Each sample times a factor, by the number of the trace.
    fn times(&self, factor: impl Fn(usize) -> f32) -> Vec<u8> {
        let mut bytes = self.bytes[..HEADERS].to_vec();
        for number in 0..TRACES {
            let trace = self.trace(number);
            bytes.extend(&trace[..TRACE]);
            for sample in trace[TRACE..].chunks_exact(4) {
                let sample = f32::from_be_bytes(sample.try_into().expect("4 bytes"));
                bytes.extend((sample * factor(number)).to_be_bytes());
            }
        }
        bytes
    }
}

/// J of a gradient, with what it says.
fn misfit(folder: &Path, more: &[&str]) -> (f64, String) {
    let words =
        ["gradient", "job.toml", "--observed", "observed.sgy", "--backend", "cpu", "--force"];
    let output = done(folder, &[&words[..], &["--out", "gradient"], more].concat());
    let record = json(folder.join("gradient/run.json"));
    let misfits = record["misfits"].as_array().expect("a list");
    (misfits.iter().map(|of| of.as_f64().expect("a number")).sum(), said(&output))
}

fn put(folder: &Path, bytes: &[u8]) {
    fs::write(folder.join("observed.sgy"), bytes).expect("written");
}

#[test]
fn what_was_not_recorded_has_no_weight() {
    let folder = with_job(JOB);
    let at = folder.path();
    let file = File::modelled(at);
    // J of traces that are all silent, by half of them.
    put(at, &file.times(|trace| if trace % 2 == 0 { 0.0 } else { 1.0 }));
    let (energy, _) = misfit(at, &["--set", "gather.zeros=recorded"]);
    assert!(energy > 0.0);
    for (name, bytes) in [("late", file.cut(50, SAMPLES)), ("short", file.cut(0, SAMPLES - 40))] {
        put(at, &bytes);
        for kind in ["l2", "huber", "envelope", "correlation", "transport"] {
            let (found, _) = misfit(at, &["--set", &format!("gradient.misfit={kind}")]);
            assert!(found.abs() < 1e-9 * energy.max(1.0), "{name} {kind}: {found} of {energy}");
        }
        // The modelled traces lose the same samples before a band filters them.
        let words = ["invert", "job.toml", "--observed", "observed.sgy", "--backend", "cpu"];
        done(at, &[&words[..], &["--force", "--out", "inverted"]].concat());
        let lines = fs::read_to_string(at.join("inverted/misfits.csv")).expect("misfits");
        let first = lines.lines().nth(1).and_then(|line| line.rsplit(',').next());
        let first: f64 = first.and_then(|j| j.trim().parse().ok()).expect("a number");
        assert!(first < 1e-9 * energy, "{name}, in a band: {first} of {energy}");
    }
}

#[test]
fn what_has_no_weight_is_not_said_to_be_read() {
    let folder = with_job(JOB);
    let at = folder.path();
    let file = File::modelled(at);
    let with = |field: usize, value: i16, traces: usize| {
        let mut bytes = file.bytes.clone();
        for trace in bytes[HEADERS..].chunks_mut(TRACE + 4 * SAMPLES).take(traces) {
            trace[field - 1..field + 1].copy_from_slice(&value.to_be_bytes());
        }
        put(at, &bytes);
    };
    with(29, 2, 3);
    let (_, told) = misfit(at, &[]);
    says(&told, &["3 of 42 traces are marked dead", "no weight"]);
    assert!(!told.contains("read as"), "{told}");
    with(109, 40, TRACES);
    let (_, told) = misfit(at, &[]);
    says(&told, &["start up to 0.04 s after the shot", "what lies before has no weight"]);
    assert!(!told.contains("zeros stand"), "{told}");
    // All of them start after the run.
    with(109, 700, TRACES);
    let output = exits(2, at, &["rtm", "job.toml", "--backend", "cpu", "--out", "image"]);
    says(&said(&output), &["start 0.7 s after the shot", "the run takes 0.6 s", "gather.start"]);
}

#[test]
fn traces_of_zeros_are_dead_unless_they_were_recorded() {
    let folder = with_job(JOB);
    let at = folder.path();
    let file = File::modelled(at);
    put(at, &file.times(|trace| if trace % 4 == 0 { 0.0 } else { 1.0 }));
    let (found, told) = misfit(at, &[]);
    assert!(found.abs() < 1e-12, "{found}");
    says(&told, &["11 of 42 traces hold nothing but zeros, and count as dead"]);
    let (found, told) = misfit(at, &["--set", "gather.zeros=recorded"]);
    assert!(found > 1e-9 && !told.contains("nothing but zeros"), "{found}: {told}");
    // Those that are marked dead count for nothing, whatever they hold.
    let mut bytes = file.times(|trace| if trace == 5 { 40.0 } else { 1.0 });
    bytes[HEADERS + 5 * (TRACE + 4 * SAMPLES) + 28..][..2].copy_from_slice(&2u16.to_be_bytes());
    put(at, &bytes);
    let (found, _) = misfit(at, &[]);
    assert!(found.abs() < 1e-12, "{found}");
    put(at, &file.times(|_| 0.0));
    let words = ["gradient", "job.toml", "--observed", "observed.sgy", "--backend", "cpu"];
    says(&said(&exits(2, at, &[&words[..], &["--out", "no"]].concat())), &["nothing was recorded"]);
}

#[test]
fn another_scale_or_polarity_is_told() {
    let folder = with_job(JOB);
    let at = folder.path();
    let file = File::modelled(at);
    for (factor, told, warns) in [
        (1.0, "least-squares factor 1.00, correlation 1.000", None),
        (-156.0, "least-squares factor -156, correlation -1.000", Some("another polarity")),
        (10.0, "least-squares factor 10.0, correlation 1.000", Some("another scale")),
    ] {
        put(at, &file.times(|_| factor));
        let (_, text) = misfit(at, &[]);
        says(&text, &[told]);
        assert_eq!(text.contains("another"), warns.is_some(), "{text}");
        let words = ["--backend", "cpu", "--force"];
        let invert = ["invert", "job.toml", "--observed", "observed.sgy", "--out", "inverted"];
        // A step that makes J smaller may not be found.
        let output = said(&huygens(at, &[&invert[..], &words].concat()));
        assert_eq!(output.contains("another"), warns.is_some(), "{output}");
        let rtm = said(&done(at, &[&["rtm", "job.toml", "--out", "image"], &words[..]].concat()));
        says(&rtm, &["the recorded traces and the direct waves: least-squares factor"]);
        for text in [&text, &output, &rtm] {
            says(text, warns.as_slice());
        }
    }
}

/// Nothing is subtracted from samples that do not exist: the image is that of the same file with the
/// direct waves in it, less what was recorded of them.
#[test]
fn a_direct_wave_is_subtracted_from_what_was_recorded_alone() {
    let job = JOB.replace("builtin:layers", "builtin:homogeneous");
    let folder = with_job(&job);
    let at = folder.path();
    let file = File::modelled(at);
    let image = |more: &[&str]| {
        let words = ["rtm", "job.toml", "--backend", "cpu", "--force", "--out", "image", "-q"];
        done(at, &[&words[..], more].concat());
        let image = huygens::io::npy::read::<f64>(&at.join("image/image.npy")).expect("an image");
        image.iter().fold(0.0f64, |most, v| most.max(v.abs()))
    };
    put(at, &file.cut(50, SAMPLES));
    // All that is recorded in a uniform model is the direct wave.
    let kept = image(&["--set", "rtm.direct=kept"]);
    let left = image(&[]);
    assert!(left < 1e-4 * kept, "{left} of {kept}");
}

/// A shot without recorded samples changes neither an image nor a gradient that illumination divides.
#[test]
fn a_shot_without_a_live_trace_does_not_count() {
    let folder = with_job(JOB);
    let at = folder.path();
    let file = File::modelled(at);
    let dead = file.times(|trace| if trace < TRACES / 2 { 1.0 } else { 0.0 });
    let one = dead[..HEADERS + TRACES / 2 * (TRACE + 4 * SAMPLES)].to_vec();
    let array = |name: &str| huygens::io::npy::read::<f64>(&at.join(name)).expect("an array");
    let run = |bytes: &[u8], more: &[&str]| {
        put(at, bytes);
        let words = ["job.toml", "--backend", "cpu", "--force", "-q", "--model"];
        let words = [&words[..], &["builtin:homogeneous"], more].concat();
        done(at, &[&["rtm", "--out", "image"][..], &words].concat());
        let gradient = ["gradient", "--observed", "observed.sgy", "--out", "gradient"];
        let lit = ["--set", "gradient.illumination=true"];
        done(at, &[&gradient[..], &words, &lit].concat());
        [array("image/image.npy"), array("image/illumination.npy"), array("gradient/gradient.npy")]
    };
    let alone = run(&one, &["--set", "survey.line.count=1"]);
    let both = run(&dead, &[]);
    for (both, alone) in both.iter().zip(&alone) {
        assert!(alone.iter().any(|v| *v != 0.0));
        assert_eq!(both, alone);
    }
    // Traces of zeros that were recorded are an image of nothing, under light.
    let recorded = run(&dead, &["--set", "gather.zeros=recorded"]);
    assert_ne!(recorded[1], alone[1]);
}

/// The oracle takes the residuals of each batch as every engine does.
#[test]
fn gradients_and_inversions_run_on_the_oracle() {
    let folder = with_job(JOB);
    let at = folder.path();
    put(at, &File::modelled(at).bytes);
    let run = |command: &str, backend: &str| {
        let words = [command, "job.toml", "--model", "builtin:homogeneous", "--out", backend];
        let more = ["--observed", "observed.sgy", "--backend", backend, "--force", "-q"];
        done(at, &[&words[..], &more].concat());
    };
    for (command, file) in [("gradient", "gradient.npy"), ("invert", "model.npy")] {
        let [ours, oracle] = ["cpu", "reference"].map(|backend| {
            run(command, backend);
            huygens::io::npy::read::<f64>(&at.join(backend).join(file)).expect("an array")
        });
        let largest = |of: &ndarray::ArrayD<f64>| of.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let off = largest(&(&ours - &oracle)) / largest(&oracle);
        assert!(off < 1e-3 && largest(&oracle) > 0.0, "{command}: {off}");
    }
}
