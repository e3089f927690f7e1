//! What `huygens check` and `huygens gather info` know of recorded traces before a run reads them.

use crate::{
    field::{HEADERS, TRACE, bytes, gather, locate, of_geometry, recorded, set},
    run::{done, exits, huygens, said, says},
};
use huygens::io::segy::LengthUnit;
use ndarray::{Array2, Array3};
use ndarray_npy::write_npy;
use std::path::Path;

/// A job that migrates this file, of the shots of field.sgy.
fn migration(folder: &Path, gathers: &str) {
    let job = format!("{}\n[rtm]\ngathers = \"{gathers}\"\n", of_geometry());
    std::fs::write(folder.join("rtm.toml"), job).expect("written");
}

fn check(folder: &Path, job: &str, more: &[&str]) -> (Option<i32>, String) {
    let output = huygens(folder, &[&["check", job, "--backend", "cpu"], more].concat());
    (output.status.code(), said(&output))
}

fn info(folder: &Path, file: &str) -> String {
    let output = gather(folder, &["info", file]);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn check_refuses_traces_of_frequencies_that_steps_cannot_hold() {
    let (folder, gather) = recorded();
    let folder = folder.path();
    let mut fast = gather.clone();
    fast.interval = 0.002;
    fast.traces.indexed_iter_mut().for_each(|((_, n), v)| *v = if n % 2 == 0 { 1.0 } else { -1.0 });
    std::fs::write(folder.join("field.sgy"), bytes(&fast, LengthUnit::Metre)).expect("written");
    migration(folder, "field.sgy");
    let (code, told) = check(folder, "rtm.toml", &[]);
    assert_eq!(code, Some(2), "{told}");
    let parts =
        ["of the trace's energy lies above 125", "`huygens gather filter --high-cut 100,125`"];
    says(&told, &parts);
    says(&said(&exits(2, folder, &["rtm", "rtm.toml", "--backend", "cpu", "--force"])), &parts);
    // A location takes whole steps between samples.
    let located = ["--set", "locate.gather=\"field.sgy\""];
    let (code, told) = check(folder, "job.toml", &located);
    assert_eq!(code, Some(2), "{told}");
    let parts = ["interval of 2 ms is not a whole number of time steps of 4 ms"];
    says(&told, &parts);
    let arguments = ["locate", "job.toml", "--gather", "field.sgy", "--backend", "cpu"];
    says(&said(&exits(2, folder, &arguments)), &parts);
}

#[test]
fn check_reads_arrays_and_tells_of_another_length() {
    let (folder, gather) = recorded();
    let folder = folder.path();
    std::fs::write(folder.join("field.sgy"), bytes(&gather, LengthUnit::Metre)).expect("written");
    migration(folder, "field.sgy");
    let (code, told) = check(folder, "rtm.toml", &["--set", "time.duration=1.6"]);
    assert_eq!(code, Some(0), "{told}");
    says(&told, &["2.000 s of traces, and the run takes 1.600 s"]);
    assert_eq!(told.matches("of traces, and").count(), 1, "{told}");
    let array = gather.traces.clone().insert_axis(ndarray::Axis(0));
    write_npy(folder.join("field.npy"), &array).expect("written");
    migration(folder, "field.npy");
    let (code, told) = check(folder, "rtm.toml", &[]);
    assert_eq!(code, Some(0), "{told}");
    write_npy(folder.join("field.npy"), &Array3::<f32>::ones((1, 168, 501))).expect("written");
    let (code, told) = check(folder, "rtm.toml", &[]);
    assert_eq!(code, Some(2), "{told}");
    says(&told, &["168 traces, and the job has 169 receivers"]);
    write_npy(folder.join("field.npy"), &Array2::<f32>::ones((168, 501))).expect("written");
    let (code, told) = check(folder, "job.toml", &["--set", "locate.gather=\"field.npy\""]);
    assert_eq!(code, Some(2), "{told}");
    says(&told, &["168 traces", "169 receivers"]);
}

#[test]
fn check_reads_a_section_as_its_migration_does() {
    let (folder, gather) = recorded();
    let folder = folder.path();
    let mut bytes = bytes(&gather, LengthUnit::Metre);
    // At its ensembles, without other positions.
    for trace in bytes[HEADERS..].chunks_exact_mut(TRACE) {
        trace.copy_within(80..88, 180);
        trace[72..88].fill(0);
        trace[48..52].fill(0);
    }
    std::fs::write(folder.join("section.sgy"), &bytes).expect("written");
    let (code, told) = check(folder, "job.toml", &["--section", "section.sgy"]);
    assert_eq!(code, Some(0), "{told}");
    let at_ensembles = ["no positions of sources and receivers", "bytes 181-188"];
    says(&told, &at_ensembles);
    says(&info(folder, "section.sgy"), &at_ensembles);
    for trace in bytes[HEADERS..].chunks_exact_mut(TRACE) {
        trace[180..188].fill(0);
    }
    std::fs::write(folder.join("section.sgy"), &bytes).expect("written");
    let (code, told) = check(folder, "job.toml", &["--section", "section.sgy"]);
    assert_eq!(code, Some(2), "{told}");
    says(&told, &["all of its 169 traces are at x = 0 m"]);
}

#[test]
fn info_tells_of_samples_units_and_intervals_that_are_none() {
    let (folder, gather) = recorded();
    let folder = folder.path();
    let mut bytes = bytes(&gather, LengthUnit::Metre);
    let sample = HEADERS + 2 * TRACE + 640;
    bytes[sample..sample + 4].copy_from_slice(&f32::NAN.to_be_bytes());
    // A polygon's number where Seismic Unix has d1, and no interval.
    set(&mut bytes, 117, 0);
    set(&mut bytes, 183, 77);
    std::fs::write(folder.join("field.sgy"), &bytes).expect("written");
    std::fs::write(folder.join("field.su"), &bytes[HEADERS..]).expect("written");
    let bad = "samples of trace 3 are not finite; leave it out with --kill 3";
    says(&info(folder, "field.sgy"), &[bad]);
    let su = info(folder, "field.su");
    says(
        &su,
        &[
            bad,
            "names no unit of its lengths",
            "--unit (\"m\" or \"ft\")",
            "interval   none",
            "bytes 117-118",
        ],
    );
    assert!(!su.contains("d1 is"), "{su}");
    done(folder, &["gather", "convert", "field.sgy", "field.npz"]);
    says(&info(folder, "field.npz"), &[bad]);
    let told = gather_info_in_feet(folder);
    assert!(!told.contains("names no unit"), "{told}");
}

fn gather_info_in_feet(folder: &Path) -> String {
    let output = gather(folder, &["info", "field.su", "--unit", "ft"]);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn messages_count_and_name_the_key_that_settles_them() {
    let (folder, mut gather) = recorded();
    let folder = folder.path();
    gather.receivers[4].z = 99_000.0;
    std::fs::write(folder.join("field.sgy"), bytes(&gather, LengthUnit::Metre)).expect("written");
    let told = said(&locate(folder, &[]));
    says(&told, &["trace 5 lies at", "gather.elevation_scalar", "gather.kill = [5]"]);
    assert!(!told.contains("so do"), "{told}");
    gather.receivers[7].z = 99_000.0;
    std::fs::write(folder.join("field.sgy"), bytes(&gather, LengthUnit::Metre)).expect("written");
    says(&said(&locate(folder, &[])), &["so does another of its 169 positions"]);
    gather.receivers.iter_mut().for_each(|at| at.z = 0.0);
    gather.source = Default::default();
    let mut late = bytes(&gather, LengthUnit::Metre);
    set(&mut late, 109, 200);
    std::fs::write(folder.join("field.sgy"), late).expect("written");
    std::fs::write(folder.join("survey.toml"), of_geometry()).expect("written");
    says(&check(folder, "survey.toml", &[]).1, &["the shot has no position of its source"]);
    says(
        &said(&locate(folder, &[])),
        &["0.2 s after the shot (bytes 109-110", "give gather.start"],
    );
}
